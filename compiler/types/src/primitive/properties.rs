//! The table of primitives: one row each.

use super::Primitive;

/// What the phases know of a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrimitiveProperties {
    /// The number of arguments that it takes.
    pub arity: usize,
    /// Whether it traps on some operands.
    pub traps: bool,
    /// The type of its result in Core.
    pub result: PrimitiveResult,
}

/// The type of the result of a primitive in Core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrimitiveResult {
    /// That of the first operand.
    Operand,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// Any primitive type.
    Any,
    /// Core does not have the primitive: lowering replaces it.
    Replaced,
}

/// A row of a primitive that never traps.
const fn row(arity: usize, result: PrimitiveResult) -> PrimitiveProperties {
    PrimitiveProperties { arity, traps: false, result }
}

impl PrimitiveProperties {
    /// It traps on some operands.
    const fn traps(self) -> PrimitiveProperties {
        PrimitiveProperties { traps: true, ..self }
    }
}

impl Primitive {
    /// Its row of the table.
    pub const fn properties(self) -> PrimitiveProperties {
        use Primitive::*;
        use PrimitiveResult::*;
        match self {
            Add => row(2, Operand),
            Subtract => row(2, Operand),
            Multiply => row(2, Operand),
            Divide => row(2, Operand).traps(),
            Remainder => row(2, Operand).traps(),
            Power => row(2, Operand),
            Negate => row(1, Operand),
            BitAnd => row(2, Operand),
            BitOr => row(2, Operand),
            BitXor => row(2, Operand),
            BitNot => row(1, Operand),
            ShiftLeft => row(2, Operand),
            ShiftRight => row(2, Operand),
            Equal => row(2, Bool),
            NotEqual => row(2, Bool),
            Less => row(2, Bool),
            LessEqual => row(2, Bool),
            Greater => row(2, Bool),
            GreaterEqual => row(2, Bool),
            Compare => row(2, Int),
            Not => row(1, Bool),
            Convert => row(1, Any),
            MakeReference => row(1, Replaced),
            ReadReference => row(1, Replaced),
            WriteReference => row(2, Replaced),
            Absolute => row(1, Operand),
            Sign => row(1, Int),
            Minimum => row(2, Operand),
            Maximum => row(2, Operand),
            SquareRoot => row(1, Operand),
            Floor => row(1, Operand),
            Ceiling => row(1, Operand),
            Truncate => row(1, Operand),
            Round => row(1, Operand),
            Elementary(_) => row(1, Operand),
            ArcTangent2 => row(2, Operand),
            Text(_) => row(1, Replaced),
            Hash => row(1, Replaced),
            AddChecked => row(2, Replaced).traps(),
            SubtractChecked => row(2, Replaced).traps(),
            MultiplyChecked => row(2, Replaced).traps(),
            NegateChecked => row(1, Replaced).traps(),
            ConvertChecked => row(1, Replaced).traps(),
            AddOverflows => row(2, Bool),
            SubtractOverflows => row(2, Bool),
            MultiplyOverflows => row(2, Bool),
        }
    }
}
