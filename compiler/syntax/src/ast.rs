//! The syntax tree that the parser produces and the type checker reads. It covers the whole language, and also the
//! constructs that Clef does not support, so that parsing never fails.
//!
//! Expressions, patterns and type expressions live in the arenas of one [`Ast`] and are referred to by index; an index
//! is only valid in its own `Ast`. Parentheses are not represented: the shape of the tree encodes them.

use clef_base::{FileId, Span, Symbol};
use la_arena::{Arena, Idx};

/// The index of an [`Expr`].
pub type ExprId = Idx<Expr>;
/// The index of a [`Pattern`].
pub type PatternId = Idx<Pattern>;
/// The index of a [`TypeExpr`].
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
    /// The parser has reported errors, and pieces are left out or unknown.
    pub is_broken: bool,
}

/// A name with its source location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name, without the double backquotes of a quoted name.
    pub symbol: Symbol,
    /// Its location.
    pub span: Span,
}

/// A dotted name such as `List.map` or `point.x`, with at least one segment. The type checker decides where the module
/// path ends and field selection begins.
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
    /// Attributes before it, such as `[<AutoOpen>]`.
    pub attributes: Vec<Attribute>,
    /// Its visibility.
    pub access: Access,
    /// The name.
    pub path: Path,
    /// The whole header.
    pub span: Span,
}

/// `private`, `internal` or nothing (public), in the order of restriction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Access {
    /// Visible everywhere.
    #[default]
    Public,
    /// Visible in the same project.
    Internal,
    /// Visible in the same module.
    Private,
}

/// `[<Name(arguments)>]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name, without the suffix `Attribute`.
    pub name: Path,
    /// The argument: none, one expression, or a tuple.
    pub argument: Option<ExprId>,
    /// From the name to the closing parenthesis.
    pub span: Span,
}

/// A declaration of a module.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What it is.
    pub kind: DeclarationKind,
    /// The whole declaration, without attributes and documentation.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// `let …` and `let rec … and …`.
    Let(LetGroup),
    /// `do e`, or an expression on its own.
    Effect(ExprId),
    /// `open A.B`.
    Open(Path),
    /// `type … and …`.
    Types(Vec<TypeDeclaration>),
    /// `module X = …`, with its own declarations.
    Module {
        /// Attributes such as `[<AutoOpen>]` and `[<RequireQualifiedAccess>]`.
        attributes: Vec<Attribute>,
        /// Its visibility.
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
        /// The module that it abbreviates.
        path: Path,
    },
    /// `namespace A.B` after the namespace that starts the file: the declarations after it belong to it.
    Namespace(Path),
    /// An unsupported construct, skipped as a whole.
    Unsupported(Unsupported),
    /// A syntax error that is already reported.
    Error,
}

/// `let`, `let rec … and …` or `use`: the bindings of one group.
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
    /// The text of its `///` comments.
    pub documentation: Option<String>,
    /// `let mutable`.
    pub mutable: bool,
    /// `let inline`.
    pub inline: bool,
    /// Its visibility.
    pub access: Access,
    /// The bound name or pattern.
    pub head: BindingHead,
    /// `: type` after the head.
    pub annotation: Option<TypeExprId>,
    /// The right side of `=`.
    pub body: ExprId,
    /// From the head to the end of the body.
    pub span: Span,
}

/// The left side of a binding's `=`.
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

/// `'a`, or `^a` in `inline` functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeVariable {
    /// The name without `'` or `^`.
    pub name: Name,
    /// Whether it is written `^a`: statically resolved.
    pub resolved_statically: bool,
    /// Declared with `[<Measure>]`: it ranges over units of measure.
    pub measure: bool,
    /// The constraint that `when` puts on it.
    pub constraint: VariableConstraint,
}

/// A constraint on a type variable. `struct` and `unmanaged` constrain nothing: every type of Clef satisfies them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum VariableConstraint {
    /// None.
    #[default]
    Nothing,
    /// `equality`.
    Equality,
    /// `comparison`, which implies equality.
    Comparison,
}

/// One type of a `type … and …` group.
#[derive(Clone, Debug)]
pub struct TypeDeclaration {
    /// `[<Struct>]`, `[<Measure>]`, ….
    pub attributes: Vec<Attribute>,
    /// The text of its `///` comments.
    pub documentation: Option<String>,
    /// Its visibility.
    pub access: Access,
    /// The visibility of its fields or cases, after the `=`; the type restricts it further.
    pub representation: Access,
    /// Its name.
    pub name: Name,
    /// Its type parameters.
    pub parameters: Vec<TypeVariable>,
    /// What it is.
    pub kind: TypeDeclarationKind,
    /// The whole declaration.
    pub span: Span,
}

/// The kinds of declared types.
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
    /// An unsupported construct, such as a class.
    Unsupported(Unsupported),
    /// A syntax error that is already reported.
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
    /// Its fields: an optional name, and the type.
    pub fields: Vec<(Option<Name>, TypeExprId)>,
}

/// A construct of F# that Clef does not support; the parser skips it as a whole and reports it by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// `exception E of …`.
    ExceptionDeclaration,
    /// A class: recognised by constructor parameters, `class`, `inherit`, `val` or members without a data type.
    Class,
    /// `interface`.
    Interface,
    /// `with member …` after a record or union.
    Members,
    /// A type whose right side has only static members.
    StaticMembers,
    /// `delegate of`.
    Delegate,
    /// `type T with …`.
    Extension,
    /// `try … with` and `try … finally`.
    Try,
    /// `new T(…)` and object expressions.
    ObjectConstruction,
    /// `async { … }`, `task { … }` and all other computation expressions except `seq`.
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
    /// `fixed e`.
    Fixed,
    /// `extern`, `base`, `global` and other words that F# reserves.
    ReservedWord,
}

impl Unsupported {
    /// Whether it is a declaration, whose names are then unknown.
    pub fn declares(self) -> bool {
        match self {
            Unsupported::ExceptionDeclaration
            | Unsupported::Class
            | Unsupported::Interface
            | Unsupported::Members
            | Unsupported::StaticMembers
            | Unsupported::Delegate
            | Unsupported::Extension
            | Unsupported::ActivePattern
            | Unsupported::Directive => true,
            Unsupported::Try
            | Unsupported::ObjectConstruction
            | Unsupported::ComputationExpression
            | Unsupported::AnonymousRecord
            | Unsupported::Quotation
            | Unsupported::TypeTest
            | Unsupported::Null
            | Unsupported::Bang
            | Unsupported::AddressOf
            | Unsupported::MemberConstraint
            | Unsupported::Fixed
            | Unsupported::ReservedWord => false,
        }
    }

    /// What it is, and an alternative.
    pub fn described(self) -> (&'static str, &'static str) {
        match self {
            Unsupported::ExceptionDeclaration => ("exceptions", "return a `Result` with an error case"),
            Unsupported::Class => ("classes", "use a record or a union, and functions on it"),
            Unsupported::Interface => ("interfaces", "use a record of functions"),
            Unsupported::StaticMembers => (
                "types with only static members",
                "write `module` in place of `type`, and `let` in place of `static member`",
            ),
            Unsupported::Members => ("members", "define functions in a module with the name of the type"),
            Unsupported::Delegate => ("delegates", "use a function type such as `int -> unit`"),
            Unsupported::Extension => ("type extensions", "define functions in a module with the name of the type"),
            Unsupported::Try => ("exception handling", "return a `Result` and match on it"),
            Unsupported::ObjectConstruction => ("objects", "use a record or a union case"),
            Unsupported::ComputationExpression => ("computation expressions other than `seq`", "use plain functions"),
            Unsupported::AnonymousRecord => ("anonymous records", "declare a record type, or use a tuple"),
            Unsupported::Quotation => ("quotations", "pass a function"),
            Unsupported::ActivePattern => {
                ("active patterns", "write a function that returns a union or an option, and match on it")
            }
            Unsupported::TypeTest => ("type tests and casts", "use a union and `match`"),
            Unsupported::Null => ("`null`", "use an option: `None`"),
            Unsupported::Directive => ("such directive", "remove it, or write a comment: `// …`"),
            Unsupported::Bang => ("`let!` and similar keywords", "use plain functions"),
            Unsupported::AddressOf => {
                ("addresses of values", "use a `ref` cell, or `NativePtr.ofArray` for the elements of an array")
            }
            Unsupported::MemberConstraint => ("member constraints", "pass the function as an argument"),
            Unsupported::Fixed => {
                ("`fixed`", "bind `NativePtr.ofArray array` with `let`: what a pointer leads to does not move")
            }
            Unsupported::ReservedWord => {
                ("use for this reserved word", "use another name, or quote it with double backticks")
            }
        }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its location, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A syntax error that is already reported.
    Error,
    /// An unsupported construct.
    Unsupported(Unsupported),
    /// `1`, `'a'`, `"text"`, `()`, `true`.
    Literal(Literal),
    /// `x`, `List.map`, `point.x.y`.
    Name(Path),
    /// `(+)`: an operator as a value.
    Operator(Name),
    /// `e.x` where `e` is not a path. `_.x` is not in the language.
    Field {
        /// The expression that has the field.
        target: ExprId,
        /// The field.
        name: Name,
    },
    /// `f x y`: juxtaposition. In `(f x) y` the function is itself an application.
    Apply {
        /// The function.
        function: ExprId,
        /// Its arguments, at least one.
        arguments: Vec<ExprId>,
    },
    /// `f<int>`, `sizeof<'t>`.
    TypeApply {
        /// The function.
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
    /// `-x`, `~~~x`, `!x` and user-defined prefix operators. The name is as written (`-`, not `~-`).
    Prefix {
        /// The operator.
        operator: Name,
        /// Its operand.
        operand: ExprId,
    },
    /// `fun p q -> e`.
    Lambda {
        /// The parameters, at least one.
        parameters: Vec<PatternId>,
        /// The body.
        body: ExprId,
    },
    /// `function | p -> e …`.
    Function(Vec<Arm>),
    /// Statements in sequence, at least one; the last is the value. The parser reports a `let` at the end as an error.
    Block(Vec<Statement>),
    /// `if c then a else b`; `elif` nests in `otherwise`.
    If {
        /// The condition.
        condition: ExprId,
        /// The branch if true.
        then: ExprId,
        /// The branch if false.
        otherwise: Option<ExprId>,
    },
    /// `match e with …`.
    Match {
        /// The value that is matched.
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
    /// `for i = a to b do e`; if the counter is unused, its name is `_`.
    ForRange {
        /// The variable.
        variable: Name,
        /// First value.
        from: ExprId,
        /// Last value, included.
        to: ExprId,
        /// Whether it is `downto`.
        descending: bool,
        /// The body.
        body: ExprId,
    },
    /// `for p in e do body`; for a range `a..s..b` the source is [`ExprKind::Range`].
    ForIn {
        /// The pattern that each element is matched with.
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
        /// The record that is copied.
        base: ExprId,
        /// The fields that change.
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
        /// The expression that yields the elements.
        body: ExprId,
    },
    /// `a..b` and `a..s..b`; only in brackets, in `seq { }` and after `in`.
    Range {
        /// First value.
        from: ExprId,
        /// Step.
        step: Option<ExprId>,
        /// Limit.
        to: ExprId,
    },
    /// `yield e`, and `-> e` in a `for` of a comprehension.
    Yield(ExprId),
    /// `yield! e`.
    YieldAll(ExprId),
    /// `a.[i]` and `a[i]`.
    Index {
        /// The indexed value.
        target: ExprId,
        /// The index.
        index: ExprId,
    },
    /// `a.[i..j]`, `a[..j]`, `a[i..]`.
    Slice {
        /// The sliced value.
        target: ExprId,
        /// First index.
        from: Option<ExprId>,
        /// Last index, included.
        to: Option<ExprId>,
    },
    /// `target <- e`, where the target is a name, field or index.
    Assign {
        /// The target.
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
        /// The format after the colon.
        format: Option<Name>,
        /// A printf specifier before the brace, with its `%`.
        specifier: Option<Name>,
    },
}

/// The kinds of collections.
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
    /// `let` or `use`, in scope for the statements after it.
    Let(LetGroup),
    /// An expression, evaluated for its effect or, at the end of the block, for its value.
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
    /// An integer. The type checker checks its range, because it knows the word size.
    Integer {
        /// The magnitude as written.
        value: u64,
        /// The type from its suffix.
        suffix: IntegerSuffix,
        /// Whether it is written in hexadecimal, octal or binary; then its bits may include the sign bit.
        bits: bool,
    },
    /// `1.0`, or `1.0f` with suffix `f`; without underscores and suffix, so that the digits are rounded once.
    Float {
        /// The digits.
        text: Symbol,
        /// Whether the suffix is `f`.
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
    /// Its location, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// A syntax error that is already reported.
    Error,
    /// An unsupported construct.
    Unsupported(Unsupported),
    /// `_`.
    Wildcard,
    /// A single name: a variable, or a case or constant in scope. The type checker decides which.
    Name(Name),
    /// `1`, `-1`, `"text"`, `()`, `5<ms>`.
    Literal {
        /// The literal.
        literal: Literal,
        /// Whether a minus precedes it.
        negative: bool,
        /// Its unit of measure.
        measure: Option<TypeExprId>,
    },
    /// `Some p`, `Shape.Circle (r, _)`, `Result.Ok p`; also a dotted name without argument.
    Case {
        /// The case.
        path: Path,
        /// Its argument; a tuple if the case has several fields.
        argument: Option<PatternId>,
    },
    /// `p, q`.
    Tuple(Vec<PatternId>),
    /// `struct (p, q)`.
    StructTuple(Vec<PatternId>),
    /// `{ x = p; M.y = q }`.
    Record(Vec<(Path, PatternId)>),
    /// `(x = p; y = q)`: the fields of a case by name; only as the argument of a case.
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
        /// The name of the whole value.
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
    /// Its location, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of type expressions.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// A syntax error that is already reported.
    Error,
    /// An unsupported construct.
    Unsupported(Unsupported),
    /// `int`, `Map<string, int>`, `int list`, `'a ref`, `float<m/s>`; prefix and postfix application look the same.
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
    /// `type when 'a : comparison`: the variables carry their constraints.
    Constrained(TypeExprId, Vec<TypeVariable>),
    /// `a -> b`.
    Function(TypeExprId, TypeExprId),
    /// `a * b`; a product if the parts are measures.
    Tuple(Vec<TypeExprId>),
    /// `struct (a * b)`.
    StructTuple(Vec<TypeExprId>),
    /// `a[]`.
    Array(TypeExprId),
    /// `m / s`: a quotient of measures.
    Quotient(TypeExprId, TypeExprId),
    /// `m ^ 2`, `m ^ -1`: a power of a measure.
    Power(TypeExprId, i32),
    /// `m s`: a product of measures by juxtaposition inside `< >`. F# represents it as a [`TypeExprKind::Name`] with
    /// arguments.
    Product(TypeExprId, TypeExprId),
    /// `1`: the measure of dimensionless numbers.
    One,
}
