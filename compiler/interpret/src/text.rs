//! Values as strings, in the form of .NET: implements [`TextFormat`] by means of the host's exact conversions.

use super::{integer::bits_of, show::show, value::Value};
use clef_base::{Span, internal::bug};
use clef_psg::Psg;
use clef_types::{
    EnumId, TargetFacts, TextFormat,
    float_text::{MAX_FIXED_DIGITS, exponent, fixed, shortest_float32, shortest_float64, significant},
};

/// The maximum number of digits that an integer is padded to.
const MAX_DIGITS: usize = 120;

/// A value as a string.
pub(super) fn text(psg: &Psg, value: &Value, format: TextFormat, facts: TargetFacts, span: Span) -> String {
    match (format, value) {
        (TextFormat::General, _) => general(psg, value),
        (TextFormat::Structure, _) => show(psg, value),
        (TextFormat::Decimal { digits }, Value::Integer(_, value)) => decimal(*value, digits.into()),
        (TextFormat::Hexadecimal { digits, upper }, Value::Integer(kind, value)) => {
            radix(bits_of(*kind, *value, facts), 16, digits.into(), upper)
        }
        (TextFormat::Binary { digits }, Value::Integer(kind, value)) => {
            radix(bits_of(*kind, *value, facts), 2, digits.into(), false)
        }
        (TextFormat::Unsigned, Value::Integer(kind, value)) => bits_of(*kind, *value, facts).to_string(),
        (TextFormat::Octal, Value::Integer(kind, value)) => radix(bits_of(*kind, *value, facts), 8, 1, false),
        (TextFormat::Fixed { digits }, Value::Integer(_, value)) => match digits {
            0 => value.to_string(),
            digits => format!("{value}.{}", "0".repeat(usize::from(digits).min(MAX_FIXED_DIGITS))),
        },
        (TextFormat::Fixed { digits }, _) => fixed(float(value, span), digits.into()),
        (TextFormat::Significant { digits, upper }, _) => significant(float(value, span), digits.into(), upper),
        (TextFormat::Exponent { digits, upper }, _) => exponent(float(value, span), digits.into(), upper),
        (
            TextFormat::Decimal { .. }
            | TextFormat::Unsigned
            | TextFormat::Hexadecimal { .. }
            | TextFormat::Binary { .. }
            | TextFormat::Octal,
            other,
        ) => bug("interpret", span, format!("{format:?} of {}", other.describe())),
    }
}

/// The first name of an enum value, or its digits if it has none.
pub(super) fn enum_name(psg: &Psg, id: EnumId, value: i128) -> String {
    let named = psg.enums[id].values.iter().find(|named| named.value == value);
    named.map_or_else(|| value.to_string(), |named| named.name.to_string())
}

fn general(psg: &Psg, value: &Value) -> String {
    match value {
        Value::Unit => "()".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Char(code) => character(*code),
        Value::Integer(_, value) => value.to_string(),
        Value::Enum(id, _, value) => enum_name(psg, *id, *value),
        Value::Float32(value) => shortest_float32(*value),
        Value::Float64(value) => shortest_float64(*value),
        Value::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Tuple(_)
        | Value::Case(..)
        | Value::Reference(_)
        | Value::Function(_)
        | Value::Array(_)
        | Value::Pointer(_)
        | Value::Nothing => show(psg, value),
    }
}

fn float(value: &Value, span: Span) -> f64 {
    match value {
        Value::Float64(value) => *value,
        Value::Float32(value) => f64::from(*value),
        Value::Integer(_, value) => *value as f64,
        other => bug("interpret", span, format!("formatting of {} as a float", other.describe())),
    }
}

/// A character; an invalid Unicode scalar value becomes U+FFFD.
pub(super) fn character(code: u32) -> String {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
}

/// Decimal with a minimum number of digits after the sign.
pub(super) fn decimal(value: i128, digits: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{:0>width$}", value.unsigned_abs(), width = digits.min(MAX_DIGITS))
}

/// Radix 2, 8 or 16 with a minimum number of digits.
pub(super) fn radix(bits: u64, radix: u32, digits: usize, upper: bool) -> String {
    let text = match (radix, upper) {
        (2, _) => format!("{bits:b}"),
        (8, _) => format!("{bits:o}"),
        (_, true) => format!("{bits:X}"),
        (_, false) => format!("{bits:x}"),
    };
    format!("{text:0>width$}", width = digits.min(MAX_DIGITS))
}

/// A minimum number of digits from a program; a negative one is zero.
pub(super) fn minimum(digits: i128) -> usize {
    usize::try_from(digits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_types::IntegerType;

    #[test]
    fn integers() {
        assert_eq!(decimal(-42, 4), "-0042");
        assert_eq!(radix(0xff, 16, 4, true), "00FF");
        assert_eq!(radix(8, 8, 1, false), "10");
        assert_eq!(minimum(-1), 0);
        let facts = TargetFacts { word_bits: 32 };
        assert_eq!(radix(bits_of(IntegerType::Int, -1, facts), 16, 1, false), "ffffffff");
    }
}
