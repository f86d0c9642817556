//! The syntax tree: what the parser makes and the type checker reads. It holds all of the language, and the constructs
//! that are refused by name, so that parsing never fails.
//!
//! Expressions, patterns and type expressions live in arenas of one [`Ast`] and are named by index; an index is only
//! meaningful with its own `Ast`. Parentheses leave no trace: the tree's shape says what they said.

use clef_base::{FileId, Span, Symbol};
use la_arena::{Arena, Idx};

/// Names an [`Expr`].
pub type ExprId = Idx<Expr>;
/// Names a [`Pattern`].
pub type PatternId = Idx<Pattern>;
/// Names a [`TypeExpr`].
pub type TypeExprId = Idx<TypeExpr>;

/// One source file.
#[derive(Debug, Default)]
pub struct Ast {
    /// The file.
    pub file: FileId,
    /// `module A.B` or `namespace A.B` at the top, if any.
    pub header: Option<Header>,
    /// Declarations in order.
    pub declarations: Vec<Declaration>,
    /// All expressions.
    pub exprs: Arena<Expr>,
    /// All patterns.
    pub patterns: Arena<Pattern>,
    /// All type expressions.
    pub types: Arena<TypeExpr>,
}

/// A name with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The text, without the double backquotes of a quoted name.
    pub symbol: Symbol,
    /// Where.
    pub span: Span,
}

/// A dotted name such as `List.map` or `point.x`; at least one segment. The type checker decides where the module path
/// ends and field selection begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The segments, left to right.
    pub segments: Vec<Name>,
}

impl Path {
    /// From the first segment to the last.
    pub fn span(&self) -> Span {
        self.segments[0].span.to(self.segments[self.segments.len() - 1].span)
    }
}

/// The header of a file.
#[derive(Clone, Debug)]
pub struct Header {
    /// `namespace` rather than `module`.
    pub namespace: bool,
    /// `[<AutoOpen>]` and the like before it.
    pub attributes: Vec<Attribute>,
    /// Who sees it.
    pub access: Access,
    /// The name.
    pub path: Path,
    /// Of the whole header.
    pub span: Span,
}

/// `private`, `internal` or nothing (public).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Seen everywhere.
    #[default]
    Public,
    /// Seen in the same project.
    Internal,
    /// Seen in the same module.
    Private,
}

/// `[<Name(arguments)>]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name, without the suffix `Attribute`.
    pub name: Path,
    /// The arguments: none, one expression, or a tuple.
    pub argument: Option<ExprId>,
    /// From name to closing parenthesis.
    pub span: Span,
}

/// A declaration of a module.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What it is.
    pub kind: DeclarationKind,
    /// All of it, without attributes and documentation.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// `let …` and `let rec … and …`.
    Let(LetGroup),
    /// `do e`, or an expression standing alone.
    Effect(ExprId),
    /// `open A.B`.
    Open(Path),
    /// `type … and …`.
    Types(Vec<TypeDeclaration>),
    /// `module X = …`, with its own declarations.
    Module {
        /// `[<AutoOpen>]`, `[<RequireQualifiedAccess>]` and the like.
        attributes: Vec<Attribute>,
        /// Who sees it.
        access: Access,
        /// Its name.
        name: Name,
        /// Its content.
        declarations: Vec<Declaration>,
    },
    /// `module L = Some.Long.Path`.
    ModuleAlias {
        /// The short name.
        name: Name,
        /// What it stands for.
        path: Path,
    },
    /// `namespace A.B` behind the namespace that the file begins with: what follows belongs to it.
    Namespace(Path),
    /// A construct that Clef refuses; its text was skipped as a whole.
    Refused(Refused),
    /// What could not be parsed; reported already.
    Error,
}

/// `let`, `let rec … and …`, `use`: bindings that stand together.
#[derive(Clone, Debug)]
pub struct LetGroup {
    /// `let rec`.
    pub recursive: bool,
    /// `use` rather than `let`.
    pub resource: bool,
    /// One, or several joined by `and`.
    pub bindings: Vec<Binding>,
    /// From `let` to the end of the last binding.
    pub span: Span,
}

/// One binding of a group.
#[derive(Clone, Debug)]
pub struct Binding {
    /// `[<…>]` before it.
    pub attributes: Vec<Attribute>,
    /// The text of its `///` lines.
    pub documentation: Option<String>,
    /// `let mutable`.
    pub mutable: bool,
    /// `let inline`.
    pub inline: bool,
    /// Who sees it.
    pub access: Access,
    /// What is bound.
    pub head: BindingHead,
    /// `: type` behind the head.
    pub annotation: Option<TypeExprId>,
    /// What is right of `=`.
    pub body: ExprId,
    /// From the head to the end of the body.
    pub span: Span,
}

/// Left of a binding's `=`.
#[derive(Clone, Debug)]
pub enum BindingHead {
    /// `f<'a> x (y, z)`: a name with at least one parameter or type parameter.
    Function {
        /// The name; for an operator its symbol, such as `+!`.
        name: Name,
        /// Explicit type parameters.
        type_parameters: Vec<TypeVariable>,
        /// The curried parameters; empty for a generic value.
        parameters: Vec<PatternId>,
    },
    /// Any pattern; a plain name is [`PatternKind::Name`].
    Pattern(PatternId),
}

/// `'a` or, for `inline`, `^a`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeVariable {
    /// The name without its mark.
    pub name: Name,
    /// `^a`: resolved statically.
    pub resolved_statically: bool,
    /// Declared with `[<Measure>]`: stands for a unit of measure.
    pub measure: bool,
    /// What `when` demands of it.
    pub demand: TypeDemand,
}

/// What a constraint demands of a type. `struct` and `unmanaged` demand nothing: every type of Clef is so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum TypeDemand {
    /// Nothing.
    #[default]
    Nothing,
    /// `equality`.
    Equality,
    /// `comparison`, and so equality.
    Comparison,
}

/// One type of a `type … and …` group.
#[derive(Clone, Debug)]
pub struct TypeDeclaration {
    /// `[<Struct>]`, `[<Measure>]`, ….
    pub attributes: Vec<Attribute>,
    /// The text of its `///` lines.
    pub documentation: Option<String>,
    /// Who sees it.
    pub access: Access,
    /// Its name.
    pub name: Name,
    /// Its type parameters.
    pub parameters: Vec<TypeVariable>,
    /// What it is.
    pub kind: TypeDeclarationKind,
    /// All of it.
    pub span: Span,
}

/// What a declared type is.
#[derive(Clone, Debug)]
pub enum TypeDeclarationKind {
    /// `{ x: int; mutable y: int }`.
    Record(Vec<FieldDeclaration>),
    /// `| A | B of int * x: string`.
    Union(Vec<CaseDeclaration>),
    /// `| A = 1 | B = 2`.
    Enum(Vec<(Name, ExprId)>),
    /// `= some type`.
    Abbreviation(TypeExprId),
    /// `[<Measure>] type m`, without a right side.
    Measure,
    /// A construct that Clef refuses, such as a class.
    Refused(Refused),
    /// What could not be parsed; reported already.
    Error,
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct FieldDeclaration {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub annotation: TypeExprId,
    /// `mutable`.
    pub mutable: bool,
}

/// A case of a union.
#[derive(Clone, Debug)]
pub struct CaseDeclaration {
    /// Its name.
    pub name: Name,
    /// Its fields: a name if given, and the type.
    pub fields: Vec<(Option<Name>, TypeExprId)>,
}

/// A construct of F# that Clef does not have; the parser skips it as a whole and says so by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// `exception E of …`.
    ExceptionDeclaration,
    /// A class, by its constructor parameters, `class`, `inherit`, `val` or members without a data type.
    Class,
    /// `interface`.
    Interface,
    /// `with member …` behind a record or union.
    Members,
    /// `delegate of`.
    Delegate,
    /// `type T with …`.
    Extension,
    /// `try … with` and `try … finally`.
    Try,
    /// `new T(…)` and object expressions.
    ObjectConstruction,
    /// `async { … }`, `task { … }` and other computation expressions than `seq`.
    ComputationExpression,
    /// `{| … |}`.
    AnonymousRecord,
    /// `<@ … @>`.
    Quotation,
    /// `(|Even|Odd|)`.
    ActivePattern,
    /// `:?`, `:?>` and `:>`.
    TypeTest,
    /// `null`.
    Null,
    /// `#if`, `#r`, `#load`: compiler directives.
    Directive,
    /// `let!`, `do!`, `return`, `return!`, `use!`, `match!`.
    Bang,
    /// `&&x`, `&x`: addresses of values.
    AddressOf,
    /// `member`/`static` constraints in types.
    MemberConstraint,
    /// `fixed`, `extern`, `base`, `global` and other words that F# reserves.
    ReservedWord,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// What could not be parsed; reported already.
    Error,
    /// A construct that Clef refuses.
    Refused(Refused),
    /// `1`, `'a'`, `"text"`, `()`, `true`.
    Literal(Literal),
    /// `x`, `List.map`, `point.x.y`.
    Name(Path),
    /// `(+)`: an operator as a value.
    Operator(Name),
    /// `_.x` is not in the language; `e.x` where `e` is not a path.
    Field {
        /// What has the field.
        target: ExprId,
        /// The field.
        name: Name,
    },
    /// `f x y`: juxtaposition. In `(f x) y`, the function is an application.
    Apply {
        /// The function.
        function: ExprId,
        /// Its arguments, at least one.
        arguments: Vec<ExprId>,
    },
    /// `f<int>`, `sizeof<'t>`.
    TypeApply {
        /// What is applied.
        function: ExprId,
        /// The type arguments.
        arguments: Vec<TypeExprId>,
    },
    /// `a + b`, including `&&`, `||`, `::`, `@`, `|>`, `:=` and user-defined operators.
    Binary {
        /// The operator.
        operator: Name,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// `-x`, `~~~x`, `!x` and user-defined prefix operators; the name is as written (`-`, not `~-`).
    Prefix {
        /// The operator.
        operator: Name,
        /// Its operand.
        operand: ExprId,
    },
    /// `fun p q -> e`.
    Lambda {
        /// At least one.
        parameters: Vec<PatternId>,
        /// The body.
        body: ExprId,
    },
    /// `function | p -> e …`.
    Function(Vec<Arm>),
    /// Statements in sequence; the last is the value. At least one; a `let` last is an error that the parser reports.
    Block(Vec<Statement>),
    /// `if c then a else b`; `elif` nests in `otherwise`.
    If {
        /// The condition.
        condition: ExprId,
        /// If true.
        then: ExprId,
        /// If false.
        otherwise: Option<ExprId>,
    },
    /// `match e with …`.
    Match {
        /// What is looked at.
        scrutinee: ExprId,
        /// The arms, at least one.
        arms: Vec<Arm>,
    },
    /// `while c do e`.
    While {
        /// The condition.
        condition: ExprId,
        /// The body.
        body: ExprId,
    },
    /// `for i = a to b do e`; the name of an unseen counter is `_`.
    ForRange {
        /// The variable.
        variable: Name,
        /// First value.
        from: ExprId,
        /// Last value, included.
        to: ExprId,
        /// `downto`.
        descending: bool,
        /// The body.
        body: ExprId,
    },
    /// `for p in e do body`; a range `a..s..b` as source is [`ExprKind::Range`].
    ForIn {
        /// What each element is matched with.
        pattern: PatternId,
        /// The elements.
        source: ExprId,
        /// The body.
        body: ExprId,
    },
    /// `a, b`; at least two.
    Tuple(Vec<ExprId>),
    /// `struct (a, b)`.
    StructTuple(Vec<ExprId>),
    /// `{ x = 1; M.y = 2 }`.
    Record(Vec<(Path, ExprId)>),
    /// `{ r with x = 1 }`.
    RecordUpdate {
        /// What is copied.
        base: ExprId,
        /// What is other.
        fields: Vec<(Path, ExprId)>,
    },
    /// `[a; b]` and `[| a; b |]`.
    Collection {
        /// List or array.
        kind: CollectionKind,
        /// The elements.
        elements: Vec<ExprId>,
    },
    /// `[ … yield … ]`, `[for …]`, `[a..b]`, `seq { … }`: the body is a block, a loop or a range that yields elements.
    Comprehension {
        /// List, array or sequence.
        kind: CollectionKind,
        /// What yields.
        body: ExprId,
    },
    /// `a..b` and `a..s..b`; only within brackets, `seq { }` and after `in`.
    Range {
        /// First value.
        from: ExprId,
        /// Step.
        step: Option<ExprId>,
        /// Limit.
        to: ExprId,
    },
    /// `yield e`; `-> e` of a comprehension's `for` too.
    Yield(ExprId),
    /// `yield! e`.
    YieldAll(ExprId),
    /// `a.[i]` and `a[i]`.
    Index {
        /// What is indexed.
        target: ExprId,
        /// The index.
        index: ExprId,
    },
    /// `a.[i..j]`, `a[..j]`, `a[i..]`.
    Slice {
        /// What is cut.
        target: ExprId,
        /// First index.
        from: Option<ExprId>,
        /// Last index, included.
        to: Option<ExprId>,
    },
    /// `place <- e`, where the place is a name, field or index.
    Assign {
        /// The place.
        target: ExprId,
        /// The new value.
        value: ExprId,
    },
    /// `e : type`.
    Annotated {
        /// The expression.
        expr: ExprId,
        /// Its type.
        annotation: TypeExprId,
    },
    /// `lazy e`.
    Lazy(ExprId),
    /// `assert e`.
    Assert(ExprId),
    /// `$"…{e}…"`.
    Interpolated(Vec<InterpolationPart>),
}

/// A piece of an interpolated string.
#[derive(Clone, Debug)]
pub enum InterpolationPart {
    /// Literal text, escapes resolved.
    Text(String),
    /// `{e}`, `{e:format}`, or `%d{e}`.
    Value {
        /// The expression.
        expr: ExprId,
        /// What is behind the colon.
        format: Option<Name>,
        /// A printf specifier before the brace, with its `%`.
        specifier: Option<Name>,
    },
}

/// What a pair of brackets makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CollectionKind {
    /// `[ ]`.
    List,
    /// `[| |]`.
    Array,
    /// `seq { }`.
    Sequence,
}

/// A part of a block.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `let` or `use`, in scope for the statements behind it.
    Let(LetGroup),
    /// An expression for its effect, or, at the end, for its value.
    Expr(ExprId),
}

/// `| pattern when guard -> body`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The pattern.
    pub pattern: PatternId,
    /// The guard.
    pub guard: Option<ExprId>,
    /// The body.
    pub body: ExprId,
}

/// A literal.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// `()`.
    Unit,
    /// `true`, `false`.
    Bool(bool),
    /// An integer; its range is checked by the type checker, which knows the word size.
    Integer {
        /// The magnitude as written.
        value: u128,
        /// The type by its suffix.
        suffix: IntegerSuffix,
        /// Written in hexadecimal, octal or binary: then the bits may fill the sign.
        bits: bool,
    },
    /// `1.0` and, with suffix `f`, `1.0f`; the text without underscores and suffix, to be rounded once.
    Float {
        /// The digits.
        text: Symbol,
        /// `f`.
        single: bool,
    },
    /// A character, a Unicode scalar value.
    Char(char),
    /// A string, escapes resolved.
    String(String),
    /// `"…"B`.
    Bytes(Vec<u8>),
}

/// The suffix of an integer literal, which decides its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntegerSuffix {
    /// None: `int`.
    None,
    /// `y`.
    I8,
    /// `uy`.
    U8,
    /// `s`.
    I16,
    /// `us`.
    U16,
    /// `l`.
    I32,
    /// `u`, `ul`.
    U32,
    /// `L`.
    I64,
    /// `UL`, `uL`.
    U64,
    /// `n`.
    Native,
    /// `un`.
    UnsignedNative,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// What could not be parsed; reported already.
    Error,
    /// A construct that Clef refuses.
    Refused(Refused),
    /// `_`.
    Wildcard,
    /// A single name: a variable, or a case or constant in scope, which the type checker decides.
    Name(Name),
    /// `1`, `-1`, `"text"`, `()`, `5<ms>`.
    Literal {
        /// The literal.
        literal: Literal,
        /// With a minus before it.
        negative: bool,
        /// Its unit of measure.
        measure: Option<TypeExprId>,
    },
    /// `Some p`, `Shape.Circle (r, _)`, `Result.Ok p`; a dotted name without argument too.
    Case {
        /// The case.
        path: Path,
        /// Its argument; several fields are a tuple.
        argument: Option<PatternId>,
    },
    /// `p, q`.
    Tuple(Vec<PatternId>),
    /// `struct (p, q)`.
    StructTuple(Vec<PatternId>),
    /// `{ x = p; M.y = q }`.
    Record(Vec<(Path, PatternId)>),
    /// `(x = p; y = q)`: the fields of a case by their names; only as the argument of a case.
    Fields(Vec<(Name, PatternId)>),
    /// `[p; q]` and `[| p; q |]`.
    Collection {
        /// List or array.
        kind: CollectionKind,
        /// The elements.
        elements: Vec<PatternId>,
    },
    /// `h :: t`.
    Cons {
        /// The head.
        head: PatternId,
        /// The tail.
        tail: PatternId,
    },
    /// `p as x`.
    As {
        /// The pattern.
        pattern: PatternId,
        /// The name for the whole.
        name: Name,
    },
    /// `p | q`.
    Or(PatternId, PatternId),
    /// `p & q`.
    And(PatternId, PatternId),
    /// `p : type`.
    Annotated {
        /// The pattern.
        pattern: PatternId,
        /// Its type.
        annotation: TypeExprId,
    },
}

/// A type expression.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeExprKind,
    /// Where, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of type expressions.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// What could not be parsed; reported already.
    Error,
    /// A construct that Clef refuses.
    Refused(Refused),
    /// `int`, `Map<string, int>`, `int list`, `'a ref`, `float<m/s>`; prefix and postfix application look the same here.
    Name {
        /// The constructor.
        path: Path,
        /// Its arguments.
        arguments: Vec<TypeExprId>,
    },
    /// `'a`.
    Variable(TypeVariable),
    /// `_`.
    Wildcard,
    /// `type when 'a : comparison`: the variables carry what is demanded of them.
    Constrained(TypeExprId, Vec<TypeVariable>),
    /// `a -> b`.
    Function(TypeExprId, TypeExprId),
    /// `a * b`; between measures a product.
    Tuple(Vec<TypeExprId>),
    /// `struct (a * b)`.
    StructTuple(Vec<TypeExprId>),
    /// `a[]`.
    Array(TypeExprId),
    /// `m / s`: a quotient of measures.
    Quotient(TypeExprId, TypeExprId),
    /// `m ^ 2`, `m ^ -1`: a power of a measure.
    Power(TypeExprId, i32),
    /// `m s`: a product of measures by juxtaposition inside `< >` is [`TypeExprKind::Name`] with arguments in F#; here it
    /// is a product.
    Product(TypeExprId, TypeExprId),
    /// `1`: the measure of plain numbers.
    One,
}
