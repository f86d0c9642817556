//! Values of the interpreter, and the variables of a running function.

use super::{instantiation::Instantiation, pointer::Pointer};
use clef_base::Span;
use clef_psg::{Binding, LambdaId, VariableId};
use clef_types::{CaseId, EnumId, IntegerType, Intrinsic, Primitive, Type};
use std::{cell::RefCell, rc::Rc};

/// A value, with its type as far as operations depend on it.
#[derive(Clone)]
pub(super) enum Value {
    Unit,
    Bool(bool),
    /// Any 32 bits: a conversion from an integer is not checked.
    Char(u32),
    /// In the range of its type.
    Integer(IntegerType, i128),
    /// An enum value, in the range of its integer type.
    Enum(EnumId, IntegerType, i128),
    Float32(f32),
    Float64(f64),
    /// Bytes rather than characters: a slice may split a character.
    Text(Rc<[u8]>),
    Tuple(Rc<[Value]>),
    Case(CaseId, Rc<[Value]>),
    Reference(Rc<RefCell<Value>>),
    Array(Rc<RefCell<Vec<Value>>>),
    Function(Rc<Function>),
    Pointer(Rc<Pointer>),
    /// An unwritten array element or variable.
    Nothing,
}

impl Value {
    pub(super) fn text(text: &str) -> Value {
        Value::Text(text.as_bytes().into())
    }

    /// Replaces an enum value by its integer; other values are unchanged.
    pub(super) fn without_name(&self) -> Value {
        if let Value::Enum(_, kind, value) = self { Value::Integer(*kind, *value) } else { self.clone() }
    }

    pub(super) fn pair(first: Value, second: Value) -> Value {
        Value::Tuple(Rc::new([first, second]))
    }

    pub(super) fn array(elements: Vec<Value>) -> Value {
        Value::Array(Rc::new(RefCell::new(elements)))
    }

    pub(super) fn function(callable: Callable) -> Value {
        Value::Function(Rc::new(Function { callable, applied: Vec::new() }))
    }

    /// Describes it, for reports of broken invariants.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Value::Unit => "unit",
            Value::Bool(_) => "bool",
            Value::Char(_) => "char",
            Value::Integer(kind, _) => kind.name(),
            Value::Enum(..) => "enum",
            Value::Float32(_) => "float32",
            Value::Float64(_) => "float",
            Value::Text(_) => "string",
            Value::Tuple(_) => "tuple",
            Value::Case(..) => "case",
            Value::Reference(_) => "ref",
            Value::Function(_) => "function",
            Value::Pointer(_) => "nativeptr",
            Value::Array(_) => "array",
            Value::Nothing => "nothing",
        }
    }
}

/// A function value: a callable, with the arguments so far, fewer than its arity.
pub(super) struct Function {
    pub(super) callable: Callable,
    pub(super) applied: Vec<Value>,
}

/// The code of a function value.
#[derive(Clone)]
pub(super) enum Callable {
    /// A single lambda, with its captures.
    Closure(LambdaId, Rc<[(VariableId, Slot)]>, Instantiation),
    /// A lambda of a recursive group.
    Member(LambdaId, Rc<Group>, Instantiation),
    Operation {
        operation: Operation,
        /// Its result type, which determines the meaning of a conversion, and of a zero.
        result: Type,
        /// The span that a trap reports.
        span: Span,
    },
    Case(CaseId),
    /// A function whose traps, and those of the lambdas within it, report this span.
    Placed(Rc<Function>, Span),
}

/// An operation as a function value.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Primitive(Primitive),
    Intrinsic(Intrinsic),
}

/// Mutually recursive functions. Each refers to the group, and the group to none of them, so that there is no cycle of
/// reference counts.
pub(super) struct Group {
    pub(super) members: Vec<(VariableId, LambdaId)>,
    /// The captures of all of them from outside of the group.
    pub(super) captures: Vec<(VariableId, Slot)>,
}

/// The storage of a variable.
#[derive(Clone)]
pub(super) enum Slot {
    Immutable(Value),
    /// Of `let mutable`, shared with the closures that capture it by reference.
    Mutable(Rc<RefCell<Value>>),
    /// A generalised value that is not a function: evaluated at each use, for the types of that use, without effect.
    Generic(Rc<Generic>),
}

/// A generalised value.
pub(super) struct Generic {
    pub(super) binding: Binding,
    /// Where it is bound.
    pub(super) frame: Frame,
}

/// The local variables of a running function, the innermost last, and the types of its type parameters.
#[derive(Clone, Default)]
pub(super) struct Frame(pub(super) Vec<(VariableId, Slot)>, pub(super) Instantiation);

impl Frame {
    pub(super) fn slot(&self, variable: VariableId) -> Option<&Slot> {
        self.0.iter().rev().find(|(name, _)| *name == variable).map(|(_, slot)| slot)
    }
}
