//! The program semantic graph: the typed program, with the captures of every lambda embedded.
//!
//! Produced by `check`. Invariants, if there was no error:
//!
//! - Every node has a type without inference variables; names are resolved to variables.
//! - Operators, pipelines, `function`, parameter patterns and `&&`/`||` are desugared.
//! - Every [`Lambda`] lists its captures in the order of first use.
//! - An [`NodeKind::Apply`] of a variable of known arity has at most that many arguments.
//! - Children are evaluated in the order of [`NodeKind::children`].

pub mod plain;
pub mod print;

use clef_base::{HashMap, Span, Symbol};
use clef_types::{
    Case, CaseId, DeclaredType, DeclaredTypeId, EnumType, Intrinsic, LogLevel, Primitive, Type, TypeParameter,
    TypeParameterId, Types,
};
use la_arena::{Arena, Idx};

/// Names a [`Node`].
pub type NodeId = Idx<Node>;
/// Names a [`Pattern`].
pub type PatternId = Idx<Pattern>;
/// Names a [`Variable`].
pub type VariableId = Idx<Variable>;
/// Names a [`Lambda`].
pub type LambdaId = Idx<Lambda>;

/// A checked program: the library and all source files, in order.
#[derive(Clone, Debug, Default)]
pub struct Psg {
    /// The table of types.
    pub types: Types,
    /// Generalised type variables, of bindings and of declared types.
    pub type_parameters: Arena<TypeParameter>,
    /// Unions and records.
    pub declared_types: Arena<DeclaredType>,
    /// The views of types whose values are not compared, hashed and shown as they are: functions from a value to its view.
    pub views: HashMap<DeclaredTypeId, VariableId>,
    /// Cases of unions; a record is a union of one case.
    pub cases: Arena<Case>,
    /// Enums.
    pub enums: Arena<EnumType>,
    /// Everything that a name can denote at run time.
    pub variables: Arena<Variable>,
    /// Function literals and functions.
    pub lambdas: Arena<Lambda>,
    /// The mutable variables that live in the closure of a lambda, each with its initial value. Only the body of that lambda
    /// uses them.
    pub owned: HashMap<LambdaId, Vec<(VariableId, NodeId)>>,
    /// Expressions.
    pub nodes: Arena<Node>,
    /// Patterns.
    pub patterns: Arena<Pattern>,
    /// Module-level items in the order of initialisation.
    pub items: Vec<Item>,
    /// The function marked `[<EntryPoint>]`: `string array -> int` or `unit -> int`.
    pub entry: Option<VariableId>,
    /// The functions marked `[<Test>]`, in source order.
    pub tests: Vec<TestCase>,
    /// Foreign functions, marked `[<Extern>]` or `[<FidelityExtern>]`.
    pub imports: Vec<Import>,
    /// Exported functions, marked `[<Export>]`.
    pub exports: Vec<Export>,
    /// The priorities that the program sets for interrupts.
    pub priorities: Priorities,
    /// The types of variables that are numbers with units of measure, as the source writes them, by the binding occurrences of the
    /// variables. The types of the graph have no units.
    pub quantities: HashMap<Span, String>,
    /// Log calls up to this level are omitted, with their arguments.
    pub omitted_level: Option<LogLevel>,
}

/// The priorities that a program sets for interrupts, besides those after reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Priorities {
    /// Each with the symbol of the interrupt's handlers.
    Constant(Vec<(Symbol, u8)>),
    /// Some are not known when the program is compiled.
    Unknown,
}

impl Default for Priorities {
    fn default() -> Priorities {
        Priorities::Constant(Vec::new())
    }
}

/// A function that tests the program.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The function: `unit -> unit`.
    pub variable: VariableId,
    /// Its name, with its modules.
    pub name: Symbol,
    /// Whether it must trap.
    pub should_trap: Option<ExpectedTrap>,
    /// Where it is named.
    pub span: Span,
}

/// The trap that a test must end in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpectedTrap {
    /// Any.
    Any,
    /// One whose message contains a string.
    Saying(Symbol),
}

/// A foreign function: a binding whose lambda consists of [`NodeKind::Foreign`].
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// The variable that Clef calls.
    pub variable: VariableId,
    /// The linker symbol.
    pub symbol: Symbol,
    /// The library that the source names.
    pub library: Option<Symbol>,
    /// Where the symbol is named.
    pub span: Span,
}

/// A function that is called from outside: by other languages, or by the processor on an interrupt.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// The function: of known arity and without type parameters.
    pub variable: VariableId,
    /// The linker symbol.
    pub symbol: Symbol,
    /// Where the symbol is named.
    pub span: Span,
}

impl Psg {
    /// The variables that live in the closure of a lambda, with their initial values.
    pub fn owned(&self, lambda: LambdaId) -> &[(VariableId, NodeId)] {
        self.owned.get(&lambda).map_or(&[], Vec::as_slice)
    }

    /// The variables that a pattern binds, from left to right; both sides of an `Or` bind the same ones.
    pub fn bound_by(&self, pattern: PatternId) -> Vec<VariableId> {
        match &self.patterns[pattern].kind {
            PatternKind::Wildcard | PatternKind::Literal(_) => Vec::new(),
            PatternKind::Variable(variable) => vec![*variable],
            PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Case { fields: parts, .. } => {
                parts.iter().flat_map(|part| self.bound_by(*part)).collect()
            }
            PatternKind::As(inner, variable) => {
                let mut bound = self.bound_by(*inner);
                bound.push(*variable);
                bound
            }
            PatternKind::Or(left, _) => self.bound_by(*left),
            PatternKind::And(left, right) => {
                let mut bound = self.bound_by(*left);
                bound.extend(self.bound_by(*right));
                bound
            }
        }
    }
}

/// Whether a variable can be assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutability {
    /// `let`.
    Immutable,
    /// `let mutable`.
    Mutable,
}

/// The scope of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// At the level of a module: one per program, never captured.
    Module,
    /// In a function, or in an expression at module level.
    Local,
}

/// A variable or function.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the source; compiler-generated names contain a `$`, such as `argument$0`.
    pub name: Symbol,
    /// `Module.name`, for listings and symbols; the plain name for locals.
    pub path: Symbol,
    /// Its type; may contain the parameters in `generics`, and those of enclosing bindings.
    pub ty: Type,
    /// Its own type parameters.
    pub generics: Vec<TypeParameterId>,
    /// Whether it can be assigned.
    pub mutability: Mutability,
    /// Where it lives.
    pub scope: Scope,
    /// The number of syntactic parameters: `Some(2)` for `let f a b = …` and `let f = fun a b -> …`.
    pub arity: Option<usize>,
    /// Its attributes and modifiers.
    pub marks: Marks,
    /// Its binding occurrence.
    pub span: Span,
}

/// The attributes and modifiers of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// `inline`.
    pub inline: bool,
    /// `[<NoInline>]`.
    pub no_inline: bool,
    /// `[<TrapAtCall>]`, in the library: a trap in its body reports the span of the call. The function is not recursive.
    pub trap_at_call: bool,
    /// `[<Section("name")>]`.
    pub section: Option<Symbol>,
    /// `[<Align(bytes)>]`.
    pub align: Option<u32>,
    /// Of the embedded library.
    pub library: bool,
}

/// A function literal, or the function of a binding. Directly nested literals are one lambda.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// The name of the binding whose value it is.
    pub name: Option<VariableId>,
    /// At least one; patterns are matched in the body.
    pub params: Vec<VariableId>,
    /// The body.
    pub body: NodeId,
    /// In the order of first use.
    pub captures: Vec<Capture>,
    /// From `fun`, or the name of the binding, to the end of the body.
    pub span: Span,
}

/// A variable of an enclosing function that a lambda uses, directly or in a nested lambda.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capture {
    /// The variable, which has the type and the mutability.
    pub variable: VariableId,
    /// How it is captured.
    pub mode: CaptureMode,
    /// Its first use in the lambda.
    pub first_use: Span,
}

/// The mode of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaptureMode {
    /// Copied when the closure is created; of a ref cell the pointer is copied.
    Value,
    /// The address of the slot of a `let mutable`.
    Reference,
}

/// A module-level item.
#[derive(Clone, Debug)]
pub enum Item {
    /// `let`, one binding.
    Let(Binding),
    /// `let rec … and …`, all of them functions.
    Recursive(Vec<Binding>),
    /// `do e`, or an expression at module level; its value is discarded.
    Effect(NodeId),
}

/// A pattern and its value; for functions and plain names the pattern is [`PatternKind::Variable`].
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The pattern; traps if it does not match.
    pub pattern: PatternId,
    /// Its value.
    pub value: NodeId,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Its type.
    pub ty: Type,
    /// Its span; a desugared node has that of its origin.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// A constant.
    Literal(Literal),
    /// The value of a variable.
    Variable {
        /// The variable.
        variable: VariableId,
        /// A type for each of its `generics`.
        instantiation: Vec<Type>,
    },
    /// An operator; as a function value when not applied. The node's type determines the operand types.
    Primitive(Primitive),
    /// An intrinsic of the library; as a function value when not applied.
    Intrinsic(Intrinsic),
    /// A case. Without fields, it is a value. When not applied, it is a function value of one argument, a tuple if there
    /// are several fields.
    Case {
        /// The case.
        case: CaseId,
        /// The arguments of the declared type.
        instantiation: Vec<Type>,
    },
    /// A call: the function and then the arguments are evaluated from left to right, then the function is applied to one
    /// after another. A function of known arity has at most that many arguments; fewer make a partial application.
    Apply {
        /// What is called.
        function: NodeId,
        /// At least one.
        arguments: Vec<NodeId>,
    },
    /// A function value.
    Lambda(LambdaId),
    /// `let pattern = value in body`.
    Let {
        /// The binding.
        binding: Binding,
        /// Where it is in scope.
        body: NodeId,
    },
    /// `let rec … in body`; every value is a lambda.
    LetRecursive {
        /// The bindings.
        bindings: Vec<Binding>,
        /// Where they are in scope, with the values.
        body: NodeId,
    },
    /// Effects in order, then the value of the last; at least one.
    Sequence(Vec<NodeId>),
    /// A conditional; `&&`, `||` and `if` without `else` too.
    If {
        /// The condition.
        condition: NodeId,
        /// If true.
        then: NodeId,
        /// If false.
        otherwise: NodeId,
    },
    /// The first arm that matches and whose guard is true; traps if there is none.
    Match {
        /// The scrutinee.
        scrutinee: NodeId,
        /// The arms.
        arms: Vec<Arm>,
    },
    /// `while condition do body`.
    While {
        /// The condition.
        condition: NodeId,
        /// The body.
        body: NodeId,
    },
    /// `for variable = from to to do body`; both bounds are evaluated once, and the variable is fresh in each iteration.
    For {
        /// The variable.
        variable: VariableId,
        /// The first value.
        from: NodeId,
        /// The last value, included.
        to: NodeId,
        /// `downto`.
        descending: bool,
        /// The body.
        body: NodeId,
    },
    /// A tuple.
    Tuple(Vec<NodeId>),
    /// A fresh array of these elements.
    Array(Vec<NodeId>),
    /// A call of a foreign function by the C calling convention of the target.
    Foreign {
        /// The linker symbol.
        symbol: Symbol,
        /// Its arguments.
        arguments: Vec<NodeId>,
    },
    /// `variable <- value`.
    Assign {
        /// A mutable variable.
        variable: VariableId,
        /// The new value.
        value: NodeId,
    },
    /// `target.field <- value`; the target is evaluated before the value.
    AssignField {
        /// A value of a boxed type, known to be of the case.
        target: NodeId,
        /// The case.
        case: CaseId,
        /// The position of a mutable field.
        field: usize,
        /// The new value.
        value: NodeId,
    },
    /// An interpolated string: all values are evaluated, then formatted and joined.
    Interpolate(Vec<Part>),
}

impl NodeKind {
    /// The direct subexpressions in the same function, in order of evaluation.
    pub fn children(&self) -> Vec<NodeId> {
        match self {
            NodeKind::Literal(_)
            | NodeKind::Variable { .. }
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Lambda(_) => Vec::new(),
            NodeKind::Apply { function, arguments } => std::iter::once(*function).chain(arguments.clone()).collect(),
            NodeKind::Let { binding, body } => vec![binding.value, *body],
            NodeKind::LetRecursive { bindings, body } => {
                bindings.iter().map(|binding| binding.value).chain([*body]).collect()
            }
            NodeKind::Sequence(nodes)
            | NodeKind::Tuple(nodes)
            | NodeKind::Array(nodes)
            | NodeKind::Foreign { arguments: nodes, .. } => nodes.clone(),
            NodeKind::If { condition, then, otherwise } => vec![*condition, *then, *otherwise],
            NodeKind::Match { scrutinee, arms } => {
                let arms = arms.iter().flat_map(|arm| arm.guard.into_iter().chain([arm.body]));
                std::iter::once(*scrutinee).chain(arms).collect()
            }
            NodeKind::While { condition, body } => vec![*condition, *body],
            NodeKind::For { from, to, body, .. } => vec![*from, *to, *body],
            NodeKind::Assign { value, .. } => vec![*value],
            NodeKind::AssignField { target, value, .. } => vec![*target, *value],
            NodeKind::Interpolate(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    Part::Text(_) => None,
                    Part::Value(value) => Some(*value),
                })
                .collect(),
        }
    }
}

/// A piece of an interpolated string.
#[derive(Clone, Debug)]
pub enum Part {
    /// Literal text.
    Text(Symbol),
    /// A value of type `string`: other types are wrapped in [`Primitive::Text`].
    Value(NodeId),
}

/// An arm of a match.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// The pattern.
    pub pattern: PatternId,
    /// The guard.
    pub guard: Option<NodeId>,
    /// The body.
    pub body: NodeId,
}

/// A constant, of the type of the node.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// `()`.
    Unit,
    /// `true`, `false`.
    Bool(bool),
    /// An integer in the range of its type.
    Integer(i128),
    /// `float`, by its bits, or `float32`, by the bits of the rounded value widened.
    Float(f64),
    /// A character.
    Char(char),
    /// A string.
    String(Symbol),
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// The type of the scrutinee.
    pub ty: Type,
    /// Where.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// Matches everything.
    Wildcard,
    /// Matches everything and binds it.
    Variable(VariableId),
    /// Matches one value.
    Literal(Literal),
    /// Matches each component.
    Tuple(Vec<PatternId>),
    /// Matches an array of this length, and each element.
    Array(Vec<PatternId>),
    /// Matches one case and its fields.
    Case {
        /// The case.
        case: CaseId,
        /// One per field.
        fields: Vec<PatternId>,
    },
    /// Matches and binds the whole.
    As(PatternId, VariableId),
    /// Matches the first, or else the second; both bind the same variables.
    Or(PatternId, PatternId),
    /// Matches both.
    And(PatternId, PatternId),
}

impl PatternKind {
    /// The patterns directly within it.
    pub fn parts(&self) -> Vec<PatternId> {
        match self {
            PatternKind::Wildcard | PatternKind::Variable(_) | PatternKind::Literal(_) => Vec::new(),
            PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Case { fields: parts, .. } => {
                parts.clone()
            }
            PatternKind::As(inner, _) => vec![*inner],
            PatternKind::Or(left, right) | PatternKind::And(left, right) => vec![*left, *right],
        }
    }
}
