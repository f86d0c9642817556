//! Generated programs as trees, which the generator makes, the printer prints, and the minimiser reduces.
//!
//! Names are unique within a program unless one shadows another of the same type on purpose, so that a subtree has the
//! same meaning wherever its names are in scope.

use crate::types::{Declaration, Type};

/// A program: it becomes a module of a batch.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its number within the run.
    pub index: u64,
    /// The types, each before those that refer to it.
    pub declarations: Vec<Declaration>,
    /// The bindings of the module, in order.
    pub items: Vec<Binding>,
    /// Its effects.
    pub body: Expr,
    /// Whether it may stop with a trap.
    pub may_trap: bool,
    /// Its surroundings.
    pub surroundings: Surroundings,
}

/// The surroundings of all programs of a batch: some features change how the whole image is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Surroundings {
    /// Nothing.
    Plain,
    /// Each program is in separate files.
    Files,
    /// A log.
    Log,
    /// Native pointers, foreign functions, and exported functions.
    Native,
    /// Interrupts, on boards that have them.
    Interrupts,
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub kind: Kind,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A literal or another constant, usable as an argument.
    Constant(String),
    /// A variable, or a function of the library.
    Name(String),
    /// A function or case applied to arguments.
    Apply(Box<Expr>, Vec<Expr>),
    /// `a + b`
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `-a`
    Prefix(&'static str, Box<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// `[a; b]`, or with bars for an array.
    Items(Vec<Expr>),
    /// `[for x in a -> b]`, or with bars for an array.
    Comprehension {
        /// The pattern of each item.
        pattern: Pattern,
        /// The source of the items.
        source: Box<Expr>,
        /// The condition, if any.
        condition: Option<Box<Expr>>,
        /// The result for each item.
        body: Box<Expr>,
    },
    /// `[yield a; for x in b do yield x]`, or with bars for an array, or `seq { … }`.
    Generate(Vec<Step>),
    /// `a.[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `a.[b..c]`
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `lazy a`
    Lazy(Box<Expr>),
    /// `for x in a do`
    ForIn(Pattern, Box<Expr>, Box<Expr>),
    /// `{ A = a; B = b }`
    Record(Vec<(String, Expr)>),
    /// `Case (a = b)`
    NamedCase(String, Vec<(String, Expr)>),
    /// `{ r with A = a }`
    Update(Box<Expr>, Vec<(String, Expr)>),
    /// `r.A`
    Field(Box<Expr>, String),
    /// `if a then b else c`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `if a then b`
    When(Box<Expr>, Box<Expr>),
    /// A binding and its body.
    Let(Box<Binding>, Box<Expr>),
    /// Effects, followed by a value.
    Sequence(Vec<Expr>),
    /// `fun a b -> c`
    Lambda(Vec<Parameter>, Box<Expr>),
    /// `function | … `
    Cases(Vec<Arm>),
    /// `match a with | … `
    Match(Box<Expr>, Vec<Arm>),
    /// `x <- a`
    Assign(String, Box<Expr>),
    /// `r.A <- a`
    SetField(Box<Expr>, String, Box<Expr>),
    /// `a.[i] <- b`
    SetIndex(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A loop while a condition holds, with a limit on the iterations.
    While {
        /// The variable that counts.
        counter: String,
        /// The maximum number of iterations, as written.
        bound: String,
        /// The condition.
        condition: Box<Expr>,
        /// The body.
        body: Box<Expr>,
    },
    /// `for i = a to b do`
    For {
        /// The variable, which holds an `int`.
        variable: String,
        /// The range as it is written: `= 1 to 3` or ` in 1 .. 2 .. 9`.
        range: String,
        /// The body.
        body: Box<Expr>,
    },
    /// `$"…"`
    Text(Vec<Part>),
    /// `sprintf "…" a b`, or another function that takes a format; the formats of values are those of `printf`.
    Format(&'static str, Vec<Part>),
    /// Prints a value.
    Show(Box<Expr>),
    /// Prints a number, and yields the value.
    Trace(u64, Box<Expr>),
}

/// A step of a list, an array or a sequence.
#[derive(Clone, Debug)]
pub enum Step {
    /// `yield a`
    Yield(Expr),
    /// `yield! a`
    YieldAll(Expr),
    /// `for x in a do`
    For(Pattern, Expr, Vec<Step>),
    /// `for i = 1 to 3 do`, with the range as written.
    Range(String, String, Vec<Step>),
    /// `if a then … else …`.
    When(Expr, Vec<Step>, Vec<Step>),
    /// `let x = a`
    Let(Pattern, Expr),
    /// `let mutable x = a`
    Slot(String, Expr),
    /// `use x = guard a`, for a number; not in a sequence.
    Use(String, Expr),
    /// A loop while a condition holds.
    While {
        /// The variable that counts.
        counter: String,
        /// The maximum number of iterations.
        bound: usize,
        /// The condition.
        condition: Expr,
        /// The body.
        steps: Vec<Step>,
    },
    /// An effect.
    Do(Expr),
}

/// A part of an interpolated string.
#[derive(Clone, Debug)]
pub enum Part {
    /// Text.
    Text(String),
    /// A value, and the format after the colon.
    Value(Expr, Option<&'static str>),
}

/// An arm of a match.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its pattern.
    pub pattern: Pattern,
    /// Its guard, if any.
    pub guard: Option<Expr>,
    /// Its result.
    pub body: Expr,
}

/// Bindings.
#[derive(Clone, Debug)]
pub enum Binding {
    /// `let pattern = value`
    Value(Pattern, Expr),
    /// `let mutable name = value`
    Slot(String, Expr),
    /// `let f … = …`, also `rec` with `and`.
    Functions(Vec<Function>),
    /// `use name = guard a`, for a number: it is disposed of at the end of the block.
    Use(String, Expr),
    /// An effect of a module between its bindings.
    Effect(Expr),
}

/// The modifier of exported functions.
pub const EXPORTED: &str = "exported ";

/// A named function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it belongs to a `let rec`.
    pub recursive: bool,
    /// `inline` before the name, or [`EXPORTED`].
    pub modifier: &'static str,
    /// Whether its types are written.
    pub annotated: bool,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The body, which has the type of the result.
    pub body: Expr,
}

/// A parameter, always irrefutable.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its pattern.
    pub pattern: Pattern,
    /// Its type.
    pub ty: Type,
    /// Whether the type is written.
    pub annotated: bool,
}

/// A pattern.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `_`
    Any,
    /// `()`
    Unit,
    /// A name.
    Name(String),
    /// A literal.
    Literal(String),
    /// `(a, b)`
    Tuple(Vec<Pattern>),
    /// `Case (a, b)`
    Case(String, Vec<Pattern>),
    /// `Case (a = b)`
    NamedCase(String, Vec<(String, Pattern)>),
    /// `{ A = a }`
    Record(Vec<(String, Pattern)>),
    /// `(a: type)`
    Typed(Box<Pattern>, Type),
    /// `a as name`
    As(Box<Pattern>, String),
    /// `a :: b`
    Cons(Box<Pattern>, Box<Pattern>),
    /// `[a; b]`
    List(Vec<Pattern>),
    /// `[|a; b|]`
    Array(Vec<Pattern>),
    /// `a | b`
    Or(Box<Pattern>, Box<Pattern>),
    /// `a & b`
    And(Box<Pattern>, Box<Pattern>),
}

impl Expr {
    /// An expression.
    pub fn new(ty: Type, kind: Kind) -> Expr {
        Expr { ty, kind }
    }

    /// A constant.
    pub fn constant(ty: Type, text: impl Into<String>) -> Expr {
        Expr::new(ty, Kind::Constant(text.into()))
    }

    /// A name.
    pub fn name(ty: Type, text: impl Into<String>) -> Expr {
        Expr::new(ty, Kind::Name(text.into()))
    }

    /// A call of a function by name.
    pub fn apply(ty: Type, name: &str, arguments: Vec<Expr>) -> Expr {
        Expr::new(ty.clone(), Kind::Apply(Box::new(Expr::name(ty, name)), arguments))
    }

    /// `()`
    pub fn unit() -> Expr {
        Expr::constant(Type::Unit, "()")
    }

    /// The expressions directly within it, in the order of evaluation.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Constant(_) | Kind::Name(_) => Vec::new(),
            Kind::Apply(function, arguments) => std::iter::once(&mut **function).chain(arguments).collect(),
            Kind::Binary(_, left, right) => vec![left, right],
            Kind::Generate(steps) => steps.iter_mut().flat_map(Step::expressions_mut).collect(),
            Kind::Index(base, index) => vec![base, index],
            Kind::Slice(base, first, last) => {
                std::iter::once(base).chain(first).chain(last).map(|part| &mut **part).collect()
            }
            Kind::SetField(base, _, value) => vec![base, value],
            Kind::SetIndex(base, index, value) => vec![base, index, value],
            Kind::NamedCase(_, fields) => fields.iter_mut().map(|(_, value)| value).collect(),
            Kind::Lazy(inner) => vec![inner],
            Kind::Prefix(_, inner) | Kind::Field(inner, _) | Kind::Lambda(_, inner) => vec![inner],
            Kind::Assign(_, inner) | Kind::Show(inner) | Kind::Trace(_, inner) => vec![inner],
            Kind::For { body, .. } => vec![body],
            Kind::ForIn(_, source, body) => vec![source, body],
            Kind::Comprehension { source, condition, body, .. } => {
                let inner = std::iter::once(source).chain(condition).chain(std::iter::once(body));
                inner.map(|part| &mut **part).collect()
            }
            Kind::Tuple(items) | Kind::Sequence(items) | Kind::Items(items) => items.iter_mut().collect(),
            Kind::Record(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
            Kind::Update(base, fields) => {
                std::iter::once(&mut **base).chain(fields.iter_mut().map(|(_, value)| value)).collect()
            }
            Kind::If(condition, then, otherwise) => vec![condition, then, otherwise],
            Kind::When(condition, body) | Kind::While { condition, body, .. } => vec![condition, body],
            Kind::Let(binding, body) => {
                let mut children = binding.expressions_mut();
                children.push(body);
                children
            }
            Kind::Cases(arms) => arms.iter_mut().flat_map(Arm::expressions_mut).collect(),
            Kind::Match(scrutinee, arms) => {
                std::iter::once(&mut **scrutinee).chain(arms.iter_mut().flat_map(Arm::expressions_mut)).collect()
            }
            Kind::Text(parts) | Kind::Format(_, parts) => parts
                .iter_mut()
                .filter_map(|part| match part {
                    Part::Text(_) => None,
                    Part::Value(value, _) => Some(value),
                })
                .collect(),
        }
    }
}

impl Step {
    /// The expressions within it that are in no other.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Step::Yield(value) | Step::YieldAll(value) | Step::Let(_, value) | Step::Do(value) => vec![value],
            Step::Slot(_, value) | Step::Use(_, value) => vec![value],
            Step::While { condition, steps, .. } => {
                std::iter::once(condition).chain(steps.iter_mut().flat_map(Step::expressions_mut)).collect()
            }
            Step::For(_, source, steps) => {
                std::iter::once(source).chain(steps.iter_mut().flat_map(Step::expressions_mut)).collect()
            }
            Step::Range(_, _, steps) => steps.iter_mut().flat_map(Step::expressions_mut).collect(),
            Step::When(condition, then, otherwise) => {
                let steps = then.iter_mut().chain(otherwise).flat_map(Step::expressions_mut);
                std::iter::once(condition).chain(steps).collect()
            }
        }
    }
}

impl Arm {
    fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.guard.iter_mut().chain(std::iter::once(&mut self.body))
    }
}

impl Binding {
    /// The expressions directly within it.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Binding::Value(_, value) | Binding::Slot(_, value) | Binding::Use(_, value) => vec![value],
            Binding::Effect(value) => vec![value],
            Binding::Functions(functions) => functions.iter_mut().map(|function| &mut function.body).collect(),
        }
    }
}

impl Program {
    /// The outermost expressions, in source order.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        let items = self.items.iter_mut().flat_map(Binding::expressions_mut);
        items.chain(std::iter::once(&mut self.body)).collect()
    }
}
