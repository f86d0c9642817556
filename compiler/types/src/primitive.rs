//! The primitive operations that the language itself defines, shared by PSG and Core.
//!
//! A primitive's operand types decide its meaning (`Add` on `int8`, `float`, or `string`). Integer arithmetic wraps.

/// An operation on primitive values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Primitive {
    /// `+` on numbers; on strings, concatenation; on `char`, not defined.
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
    /// `=`: structural. In Core only on primitive types; compound types are lowered to functions.
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
    /// `compare`: -1, 0 or 1 as `int`. A total order, also within compound types: NaN equals itself and is less than
    /// every other float, while `=`, `<`, `<=`, `>` and `>=` are false where the components that decide hold a NaN.
    Compare,
    /// `not`.
    Not,
    /// `int`, `uint8`, `float`, `char`, …: a conversion; the target type is the result's. Integers truncate or extend by
    /// the source's sign; floats to integers truncate and saturate, NaN gives 0. An integer becomes the `char` of its low
    /// 32 bits.
    Convert,
    /// `ref`: makes a ref cell.
    MakeReference,
    /// `!r`, `r.Value`.
    ReadReference,
    /// `r := v`, `r.Value <- v`.
    WriteReference,
    /// `abs`; that of the smallest integer is itself.
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
    /// `sin`, `exp`, `log` and their like.
    Elementary(Elementary),
    /// `atan2 y x`.
    ArcTangent2,
    /// `string`, and a value within an interpolated string: its text.
    Text(TextFormat),
    /// `hash`: an `int` that is the same for equal values, and on every target; see `lower::hash`.
    Hash,
    /// `Checked.(+)`: traps where the sum does not fit; on floats and strings as [`Primitive::Add`].
    AddChecked,
    /// `Checked.(-)`.
    SubtractChecked,
    /// `Checked.(*)`.
    MultiplyChecked,
    /// `Checked.(~-)`.
    NegateChecked,
    /// `Checked.int` and the like: traps where the value, its fraction cut off, does not fit.
    ConvertChecked,
    /// Whether a sum of integers does not fit; in Core only.
    AddOverflows,
    /// Whether a difference of integers does not fit; in Core only.
    SubtractOverflows,
    /// Whether a product of integers does not fit; in Core only.
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

/// How a value becomes text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextFormat {
    /// As `string` does: decimal integers, floats as the shortest text that reads back the same (laid out as .NET does:
    /// scientific, with at least two digits of exponent, where the exponent is less than -4, or not less than the number
    /// of digits and than 15, or 7 for `float32`), `True`, `()`. Compound values as [`TextFormat::Structure`] does.
    General,
    /// `%A`: as F# writes values of each type, so that they can be read back: `Some "a"`, `[1.0; 2.0]`, `5uy`. Each field
    /// of a record has a line of its own, below the first one; no other line is ever broken, however long. Of a list or an
    /// array the first hundred elements are shown.
    Structure,
    /// `%g`: a float with so many significant digits, zeros at the end left out; scientific, with at least two digits of
    /// exponent, where the exponent is less than -4 or not less than the number of digits.
    Significant {
        /// Significant digits, at least one.
        digits: u8,
        /// `E` rather than `e`.
        upper: bool,
    },
    /// `D4`: an integer with at least so many digits.
    Decimal {
        /// Least number of digits.
        digits: u8,
    },
    /// `%u`: an integer's bits as a number without sign.
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
    /// `F2`: a number with so many digits behind the point, rounded to the nearest, halves to even.
    Fixed {
        /// Digits behind the point.
        digits: u8,
    },
    /// `E3`: a number in scientific notation, with a sign and at least three digits of exponent.
    Exponent {
        /// Digits behind the point.
        digits: u8,
        /// `E` rather than `e`.
        upper: bool,
    },
}

impl Primitive {
    /// Whether it traps on some operands.
    pub fn may_trap(self) -> bool {
        matches!(
            self,
            Primitive::Divide
                | Primitive::Remainder
                | Primitive::AddChecked
                | Primitive::SubtractChecked
                | Primitive::MultiplyChecked
                | Primitive::NegateChecked
                | Primitive::ConvertChecked
        )
    }

    /// The number of arguments that it takes.
    pub fn arity(self) -> usize {
        use Primitive::*;
        match self {
            Add | Subtract | Multiply | Divide | Remainder | Power | BitAnd | BitOr | BitXor | ShiftLeft
            | ShiftRight | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | Compare | WriteReference
            | Minimum | Maximum | AddChecked | SubtractChecked | MultiplyChecked | AddOverflows | SubtractOverflows
            | MultiplyOverflows | ArcTangent2 => 2,
            NegateChecked | ConvertChecked | Hash | Negate | BitNot | Not | Convert | MakeReference | ReadReference
            | Absolute | Sign | SquareRoot | Floor | Ceiling | Truncate | Round | Elementary(_) | Text(_) => 1,
        }
    }
}
