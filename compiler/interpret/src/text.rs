//! Values as text, in the form of .NET: what [`TextFormat`] says, by means of the host's exact conversions.

use super::{integer::bits_of, show::show, value::Value};
use clef_base::{Span, internal::bug};
use clef_psg::Psg;
use clef_types::{EnumId, TargetFacts, TextFormat};

/// The most digits of an integer that a format fills up to.
const MOST_DIGITS: usize = 120;
/// The most digits behind the point of [`fixed`].
const MOST_FIXED_DIGITS: usize = 20;
/// The most digits behind the point of [`exponent`].
const MOST_EXPONENT_DIGITS: usize = 100;

/// The text of a value.
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
            digits => format!("{value}.{}", "0".repeat(usize::from(digits).min(MOST_FIXED_DIGITS))),
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

/// The first name of a value of an enum, or its digits if it has none.
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
        other => bug("interpret", span, format!("{} is formatted as a float", other.describe())),
    }
}

/// A character; what is no Unicode scalar value becomes U+FFFD.
pub(super) fn character(code: u32) -> String {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
}

/// Decimal with at least so many digits behind the sign.
pub(super) fn decimal(value: i128, digits: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{:0>width$}", value.unsigned_abs(), width = digits.min(MOST_DIGITS))
}

/// Radix 2, 8 or 16 with at least so many digits.
pub(super) fn radix(bits: u64, radix: u32, digits: usize, upper: bool) -> String {
    let text = match (radix, upper) {
        (2, _) => format!("{bits:b}"),
        (8, _) => format!("{bits:o}"),
        (_, true) => format!("{bits:X}"),
        (_, false) => format!("{bits:x}"),
    };
    format!("{text:0>width$}", width = digits.min(MOST_DIGITS))
}

/// The text of a float as interpolated strings show it.
pub fn shortest_float32(value: f32) -> String {
    if value.is_finite() { shortest(ryu::Buffer::new().format_finite(value), 7) } else { special(&value.to_string()) }
}

/// The text of a float as interpolated strings show it.
pub fn shortest_float64(value: f64) -> String {
    if value.is_finite() { shortest(ryu::Buffer::new().format_finite(value), 15) } else { special(&value.to_string()) }
}

/// Lays out the shortest digits. Numbers of up to `plain` digits before the point are written out, and longer ones as far
/// as their digits go.
fn shortest(text: &str, plain: usize) -> String {
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", text),
    };
    let (digits, exponent) = digits_and_exponent(magnitude);
    match usize::try_from(exponent) {
        Ok(exponent) if exponent >= digits.len().max(plain) => {
            format!("{sign}{}E+{exponent:02}", with_point(&digits, 1))
        }
        Ok(exponent) => format!("{sign}{}", with_point(&digits, exponent + 1)),
        Err(_) if exponent < -4 => format!("{sign}{}E-{:02}", with_point(&digits, 1), -exponent),
        Err(_) => format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
    }
}

/// The significant digits of a decimal number, which may end in `e` and an exponent, and the power of ten of the first.
fn digits_and_exponent(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_else(|_| bug("interpret", None, "an exponent is not a number"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let leading = (all.len() - digits.len()) as i32;
    match digits.trim_end_matches('0') {
        "" => ("0".to_owned(), 0),
        digits => (digits.to_owned(), exponent + whole.len() as i32 - 1 - leading),
    }
}

/// Digits with the point behind so many of them; zeros fill up to the point, and no point stands last.
fn with_point(digits: &str, before: usize) -> String {
    match digits.split_at_checked(before) {
        Some((whole, "")) => whole.to_owned(),
        Some((whole, fraction)) => format!("{whole}.{fraction}"),
        None => format!("{digits:0<before$}"),
    }
}

/// .NET's name of what Rust writes as `NaN`, `inf` or `-inf`.
fn special(text: &str) -> String {
    text.replace("inf", "Infinity")
}

/// So many digits behind the point, rounded half to even on the exact value.
pub(super) fn fixed(value: f64, digits: usize) -> String {
    special(&format!("{value:.width$}", width = digits.min(MOST_FIXED_DIGITS)))
}

/// Scientific notation with so many digits behind the point, a sign and at least three digits of exponent.
pub(super) fn exponent(value: f64, digits: usize, upper: bool) -> String {
    let text = format!("{value:.width$e}", width = digits.min(MOST_EXPONENT_DIGITS));
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return special(&text);
    };
    let (sign, magnitude) = match exponent.strip_prefix('-') {
        Some(magnitude) => ('-', magnitude),
        None => ('+', exponent),
    };
    format!("{mantissa}{}{sign}{magnitude:0>3}", if upper { 'E' } else { 'e' })
}

/// So many significant digits, zeros at the end left out; scientific where the exponent is less than -4 or not less than
/// the number of digits.
pub(super) fn significant(value: f64, digits: usize, upper: bool) -> String {
    let digits = digits.max(1);
    let text = format!("{value:.width$e}", width = digits - 1);
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return special(&text);
    };
    let exponent: i32 = exponent.parse().unwrap_or_else(|_| bug("interpret", None, "an exponent is not a number"));
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let all = mantissa.replace('.', "");
    let shown = match all.trim_end_matches('0') {
        "" => "0",
        shown => shown,
    };
    if exponent < -4 || exponent >= digits as i32 {
        let (letter, sign_of) = (if upper { 'E' } else { 'e' }, if exponent < 0 { '-' } else { '+' });
        return format!("{sign}{}{letter}{sign_of}{:02}", with_point(shown, 1), exponent.abs());
    }
    match usize::try_from(exponent) {
        Ok(exponent) => format!("{sign}{}", with_point(shown, exponent + 1)),
        Err(_) => format!("{sign}0.{}{shown}", "0".repeat((-exponent - 1) as usize)),
    }
}

/// A least number of digits that a program gives; a negative one asks for nothing.
pub(super) fn minimum(digits: i128) -> usize {
    usize::try_from(digits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_types::IntegerType;

    #[test]
    fn shortest_as_dotnet_lays_it_out() {
        for (value, text) in [
            (1.0, "1"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-60.0, "-60"),
            (123.456, "123.456"),
            (1e14, "100000000000000"),
            (1e15, "1E+15"),
            (1e20, "1E+20"),
            (1.5e300, "1.5E+300"),
            (1_234_567_890_123_456.0, "1234567890123456"),
            (1.234_567_890_123_456_8e17, "1.2345678901234568E+17"),
            (0.0001, "0.0001"),
            (0.00001, "1E-05"),
            (1.25e-7, "1.25E-07"),
            (5e-324, "5E-324"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(shortest_float64(value), text);
        }
    }

    #[test]
    fn shortest_of_32_bits() {
        for (value, text) in [
            (0.1, "0.1"),
            (16_777_216.0, "16777216"),
            (1e7, "1E+07"),
            (1e6, "1000000"),
            // Two texts of eight digits are equally near: the even one.
            (16_384.0 + 0.0625, "16384.062"),
            (3.402_823_5e38, "3.4028235E+38"),
        ] {
            assert_eq!(shortest_float32(value), text);
        }
    }

    #[test]
    fn fixed_and_exponent() {
        assert_eq!(fixed(0.125, 2), "0.12");
        assert_eq!(fixed(2.5, 0), "2");
        assert_eq!(fixed(-0.001, 2), "-0.00");
        assert_eq!(fixed(f64::NEG_INFINITY, 2), "-Infinity");
        assert_eq!(exponent(1234.5, 3, true), "1.234E+003");
        assert_eq!(exponent(0.0, 1, false), "0.0e+000");
        assert_eq!(exponent(1e-101, 0, false), "1e-101");
    }

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
