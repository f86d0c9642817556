//! The primitive operations that the language itself defines, shared by PSG and Core.
//!
//! A primitive's operand types decide its meaning (`Add` on `int8`, `float`, or `string`). Integer arithmetic wraps. What
//! the phases know of a primitive besides its meaning is its row in [`properties`].

mod properties;

pub use properties::{PrimitiveProperties, PrimitiveResult};

/// An operation on primitive values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Primitive {
    /// `+` on numbers; concatenation on strings; not defined on `char`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`: integers truncate toward zero and trap on zero; the smallest integer by -1 wraps.
    Divide,
    /// `%`: the sign of the dividend; integers trap on zero.
    Remainder,
    /// `**` on floats.
    Power,
    /// Unary `-`.
    Negate,
    /// `&&&`.
    BitAnd,
    /// `|||`.
    BitOr,
    /// `^^^`.
    BitXor,
    /// `~~~`.
    BitNot,
    /// `<<<`: the amount is taken modulo the width.
    ShiftLeft,
    /// `>>>`: arithmetic on signed types; the amount is taken modulo the width.
    ShiftRight,
    /// `=`: structural. In Core only on primitive types; on compound types it is lowered to functions.
    Equal,
    /// `<>`.
    NotEqual,
    /// `<`: structural; on floats false with NaN.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `compare`: -1, 0 or 1 as `int`. A total order, also within compound types: NaN equals itself and is less than every
    /// other float, while `=`, `<`, `<=`, `>` and `>=` are false if the deciding components contain a NaN.
    Compare,
    /// `not`.
    Not,
    /// `int`, `uint8`, `float`, `char`, …: a conversion to the result type. Integers truncate, or extend by the sign of the
    /// source. Floats to integers truncate and saturate, and NaN becomes 0. An integer becomes the `char` of its low 32 bits.
    Convert,
    /// `ref`: makes a ref cell.
    MakeReference,
    /// `!r`, `r.Value`.
    ReadReference,
    /// `r := v`, `r.Value <- v`.
    WriteReference,
    /// `abs`; the smallest integer stays itself.
    Absolute,
    /// `sign`: -1, 0 or 1 as `int`; 0 for NaN.
    Sign,
    /// `min`; NaN wins, and -0.0 is less than 0.0; on compound types the first argument if it is less, else the second.
    Minimum,
    /// `max`; NaN wins, and -0.0 is less than 0.0; on compound types the second argument if the first is less, else the
    /// first.
    Maximum,
    /// `sqrt`.
    SquareRoot,
    /// `floor`.
    Floor,
    /// `ceil`.
    Ceiling,
    /// `truncate`.
    Truncate,
    /// `round`: halves to even.
    Round,
    /// `sin`, `exp`, `log` and other elementary functions.
    Elementary(Elementary),
    /// `atan2 y x`.
    ArcTangent2,
    /// `string`, and a value in an interpolated string.
    Text(TextFormat),
    /// `hash`: an `int` that is equal for equal values, and on every target; see `lower::hash`.
    Hash,
    /// `Checked.(+)`: traps on overflow; on floats and strings as [`Primitive::Add`].
    AddChecked,
    /// `Checked.(-)`.
    SubtractChecked,
    /// `Checked.(*)`.
    MultiplyChecked,
    /// `Checked.(~-)`.
    NegateChecked,
    /// `Checked.int` and others: traps if the truncated value does not fit.
    ConvertChecked,
    /// Whether a sum of integers overflows; in Core only.
    AddOverflows,
    /// Whether a difference of integers overflows; in Core only.
    SubtractOverflows,
    /// Whether a product of integers overflows; in Core only.
    MultiplyOverflows,
}

/// A function from float to float that no target has an instruction for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Elementary {
    /// `sin`, of radians.
    Sine,
    /// `cos`.
    Cosine,
    /// `tan`.
    Tangent,
    /// `asin`.
    ArcSine,
    /// `acos`.
    ArcCosine,
    /// `atan`.
    ArcTangent,
    /// `sinh`.
    HyperbolicSine,
    /// `cosh`.
    HyperbolicCosine,
    /// `tanh`.
    HyperbolicTangent,
    /// `exp`.
    Exponential,
    /// `log`: the natural logarithm.
    Logarithm,
    /// `log10`.
    Logarithm10,
    /// `log2`.
    Logarithm2,
}

impl Elementary {
    /// All of them.
    pub const ALL: [Elementary; 13] = {
        use Elementary::*;
        [
            Sine,
            Cosine,
            Tangent,
            ArcSine,
            ArcCosine,
            ArcTangent,
            HyperbolicSine,
            HyperbolicCosine,
            HyperbolicTangent,
            Exponential,
            Logarithm,
            Logarithm10,
            Logarithm2,
        ]
    };

    /// The name of the function, which is also its name in the runtime.
    pub fn name(self) -> &'static str {
        use Elementary::*;
        match self {
            Sine => "sin",
            Cosine => "cos",
            Tangent => "tan",
            ArcSine => "asin",
            ArcCosine => "acos",
            ArcTangent => "atan",
            HyperbolicSine => "sinh",
            HyperbolicCosine => "cosh",
            HyperbolicTangent => "tanh",
            Exponential => "exp",
            Logarithm => "log",
            Logarithm10 => "log10",
            Logarithm2 => "log2",
        }
    }
}

/// The conversion of a value to a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextFormat {
    /// As `string` does: decimal integers, floats as the shortest string that parses as the same value (laid out as in .NET:
    /// scientific, with at least two digits of exponent, if the exponent is less than -4, or not less than the number of
    /// digits and than 15, or 7 for `float32`), `True`, `()`. Compound values as [`TextFormat::Structure`] does.
    General,
    /// `%A`: as F# shows values of each type, in source syntax: `Some "a"`, `[1.0; 2.0]`, `5uy`. Each field of a record is on a
    /// line of its own, below the first one; no other line is broken, however long. At most the first hundred elements of a
    /// list or an array are shown.
    Structure,
    /// `%g`: a float with `n` significant digits, without trailing zeros; scientific, with at least two digits of exponent, if
    /// the exponent is less than -4 or not less than the number of digits.
    Significant {
        /// Significant digits, at least one.
        digits: u8,
        /// `E` rather than `e`.
        upper: bool,
    },
    /// `D4`: an integer with a minimum number of digits.
    Decimal {
        /// Least number of digits.
        digits: u8,
    },
    /// `%u`: an integer's bits as an unsigned number.
    Unsigned,
    /// `X`, `x4`: an integer's bits in hexadecimal.
    Hexadecimal {
        /// Least number of digits.
        digits: u8,
        /// `X` rather than `x`.
        upper: bool,
    },
    /// `B8`: an integer's bits in binary.
    Binary {
        /// Least number of digits.
        digits: u8,
    },
    /// `%o`: an integer's bits in octal.
    Octal,
    /// `F2`: a number with `n` digits after the point, rounded half to even.
    Fixed {
        /// Digits after the point.
        digits: u8,
    },
    /// `E3`: a number in scientific notation, with a sign and at least three digits of exponent.
    Exponent {
        /// Digits after the point.
        digits: u8,
        /// `E` rather than `e`.
        upper: bool,
    },
}

impl Primitive {
    /// The sum, the difference or the product of two values of `int`, unless 32 bits do not hold it, so that it may wrap.
    pub fn of_ints(self, left: i128, right: i128) -> Option<i128> {
        let number = if self == Primitive::Add {
            left.checked_add(right)
        } else if self == Primitive::Subtract {
            left.checked_sub(right)
        } else if self == Primitive::Multiply {
            left.checked_mul(right)
        } else {
            None
        };
        number.filter(|number| i32::try_from(*number).is_ok())
    }

    /// Whether it traps on some operands.
    pub fn may_trap(self) -> bool {
        self.properties().traps
    }

    /// The number of arguments that it takes.
    pub fn arity(self) -> usize {
        self.properties().arity
    }
}
