//! Floats in the text form of .NET, by means of the host's exact conversions. Used by the interpreter and by the reader of a
//! program's log.

use clef_base::internal::bug;

/// The maximum number of digits after the point in [`fixed`].
pub const MAX_FIXED_DIGITS: usize = 20;
/// The maximum number of digits after the point in [`exponent`].
const MAX_EXPONENT_DIGITS: usize = 100;

/// The shortest text that reads back as the same float, as interpolated strings show it.
pub fn shortest_float32(value: f32) -> String {
    if value.is_finite() { shortest(ryu::Buffer::new().format_finite(value), 7) } else { special(&value.to_string()) }
}

/// The shortest text that reads back as the same float, as interpolated strings show it.
pub fn shortest_float64(value: f64) -> String {
    if value.is_finite() { shortest(ryu::Buffer::new().format_finite(value), 15) } else { special(&value.to_string()) }
}

/// Lays out the shortest digits. Numbers of up to `plain` digits before the point are written in full, and longer ones as
/// far as their digits go.
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
    let exponent: i32 =
        exponent.parse().unwrap_or_else(|_| bug("text of a float", None, "an exponent is not a number"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let leading = (all.len() - digits.len()) as i32;
    match digits.trim_end_matches('0') {
        "" => ("0".to_owned(), 0),
        digits => (digits.to_owned(), exponent + whole.len() as i32 - 1 - leading),
    }
}

/// Digits with the point after the first `before` of them; padded with zeros up to the point, without a trailing point.
fn with_point(digits: &str, before: usize) -> String {
    match digits.split_at_checked(before) {
        Some((whole, "")) => whole.to_owned(),
        Some((whole, fraction)) => format!("{whole}.{fraction}"),
        None => format!("{digits:0<before$}"),
    }
}

/// The .NET name of Rust's `NaN`, `inf` or `-inf`.
fn special(text: &str) -> String {
    text.replace("inf", "Infinity")
}

/// `digits` digits after the point, at most [`MAX_FIXED_DIGITS`], rounded half to even on the exact value.
pub fn fixed(value: f64, digits: usize) -> String {
    special(&format!("{value:.width$}", width = digits.min(MAX_FIXED_DIGITS)))
}

/// Scientific notation with `digits` digits after the point, at most [`MAX_EXPONENT_DIGITS`], a sign and at least three digits of
/// exponent.
pub fn exponent(value: f64, digits: usize, upper: bool) -> String {
    let text = format!("{value:.width$e}", width = digits.min(MAX_EXPONENT_DIGITS));
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return special(&text);
    };
    let (sign, magnitude) = match exponent.strip_prefix('-') {
        Some(magnitude) => ('-', magnitude),
        None => ('+', exponent),
    };
    format!("{mantissa}{}{sign}{magnitude:0>3}", if upper { 'E' } else { 'e' })
}

/// `digits` significant digits without trailing zeros; scientific if the exponent is less than -4 or not less than the
/// number of digits.
pub fn significant(value: f64, digits: usize, upper: bool) -> String {
    let digits = digits.max(1);
    let text = format!("{value:.width$e}", width = digits - 1);
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return special(&text);
    };
    let exponent: i32 =
        exponent.parse().unwrap_or_else(|_| bug("text of a float", None, "an exponent is not a number"));
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

#[cfg(test)]
mod tests {
    use super::*;

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
            // Two strings of eight digits are equally near: the even one.
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
}
