//! The shortest string that reads back as the same float, in the form of .NET's `Double.ToString()`: plain digits if
//! they are few, `E+20` otherwise, no `.0` after integers. The digits come from ryu (Adams, "Ryū: fast float-to-string
//! conversion", PLDI 2018).

use super::{Writer, format_signed_word, format_unsigned_word};

/// The shortest string for a 64-bit float.
pub fn format_float64(writer: &mut Writer<'_>, value: f64) {
    if !format_special(writer, value.is_nan(), value.is_infinite(), value.is_sign_negative()) {
        format_finite(writer, ryu::Buffer::new().format_finite(value).as_bytes(), 15);
    }
}

/// The shortest string for a 32-bit float.
pub fn format_float32(writer: &mut Writer<'_>, value: f32) {
    if !format_special(writer, value.is_nan(), value.is_infinite(), value.is_sign_negative()) {
        format_finite(writer, ryu::Buffer::new().format_finite(value).as_bytes(), 7);
    }
}

/// Writes NaN or an infinity; false if the number is finite.
pub(super) fn format_special(writer: &mut Writer<'_>, nan: bool, infinite: bool, negative: bool) -> bool {
    let text: &[u8] = match (nan, infinite, negative) {
        (true, _, _) => b"NaN",
        (false, true, true) => b"-Infinity",
        (false, true, false) => b"Infinity",
        (false, false, _) => return false,
    };
    writer.push_all(text);
    true
}

/// Significant digits, the first of them not zero, and the power of ten of the first digit.
struct Decimal {
    digits: [u8; 20],
    count: usize,
    exponent: isize,
}

/// Reads ryu's output: digits, optionally with a point, optionally with `e` and an exponent.
fn decimal(text: &[u8]) -> Decimal {
    let mut decimal = Decimal { digits: [b'0'; 20], count: 0, exponent: -1 };
    let mut behind_point = false;
    let mut bytes = text.iter();
    for byte in bytes.by_ref() {
        match byte {
            b'.' => behind_point = true,
            b'e' => break,
            b'0' if decimal.count == 0 => decimal.exponent -= isize::from(behind_point),
            digit => {
                if let Some(slot) = decimal.digits.get_mut(decimal.count) {
                    *slot = *digit;
                }
                decimal.count += 1;
                decimal.exponent += isize::from(!behind_point);
            }
        }
    }
    decimal.exponent += exponent(bytes.as_slice());
    while decimal.count > 0 && decimal.digits.get(decimal.count - 1) == Some(&b'0') {
        decimal.count -= 1;
    }
    decimal
}

fn exponent(text: &[u8]) -> isize {
    let (negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        _ => (false, text),
    };
    let magnitude = digits.iter().fold(0, |value: isize, digit| value * 10 + isize::from(digit & 0x0f));
    if negative { -magnitude } else { magnitude }
}

/// `precision` is the largest number of digits of integers that are always written out.
fn format_finite(writer: &mut Writer<'_>, text: &[u8], precision: isize) {
    let magnitude = match text.split_first() {
        Some((b'-', magnitude)) => {
            writer.push(b'-');
            magnitude
        }
        _ => text,
    };
    let Decimal { digits, count, exponent } = decimal(magnitude);
    let digits = digits.get(..count).unwrap_or(&digits);
    if digits.is_empty() {
        writer.push(b'0');
    } else if exponent >= precision.max(count as isize) || exponent < -4 {
        format_scientific(writer, digits, exponent);
    } else {
        format_plain(writer, digits, exponent);
    }
}

fn format_scientific(writer: &mut Writer<'_>, digits: &[u8], exponent: isize) {
    for (index, digit) in digits.iter().enumerate() {
        if index == 1 {
            writer.push(b'.');
        }
        writer.push(*digit);
    }
    writer.push(b'E');
    if exponent < 0 {
        format_signed_word(writer, exponent, 2);
    } else {
        writer.push(b'+');
        format_unsigned_word(writer, exponent as usize, 2);
    }
}

fn format_plain(writer: &mut Writer<'_>, digits: &[u8], exponent: isize) {
    if exponent < 0 {
        writer.push_all(b"0.");
        writer.push_repeated(b'0', (-1 - exponent) as u32);
    }
    for (index, digit) in digits.iter().enumerate() {
        if index as isize == exponent + 1 && index > 0 {
            writer.push(b'.');
        }
        writer.push(*digit);
    }
    writer.push_repeated(b'0', (exponent + 1 - digits.len() as isize).max(0) as u32);
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use proptest::prelude::*;

    fn shown(value: f64) -> String {
        written(|writer| format_float64(writer, value))
    }

    #[test]
    fn looks_as_in_dotnet() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.30000000000000004"),
            (100.0, "100"),
            (123456.789, "123456.789"),
            (0.0001, "0.0001"),
            (0.00001, "1E-05"),
            (0.000012, "1.2E-05"),
            (1e14, "100000000000000"),
            (1e15, "1E+15"),
            (1e20, "1E+20"),
            (9007199254740992.0, "9007199254740992"),
            (1.7976931348623157e308, "1.7976931348623157E+308"),
            (5e-324, "5E-324"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(shown(value), text);
        }
        assert_eq!(written(|writer| format_float32(writer, 0.1)), "0.1");
        assert_eq!(written(|writer| format_float32(writer, 1e7)), "1E+07");
        assert_eq!(written(|writer| format_float32(writer, 16777216.0)), "16777216");
    }

    proptest! {
        #[test]
        fn reads_back_the_same(bits: u64, short: u32) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(shown(value).parse::<f64>().map(f64::to_bits), Ok(bits));
            let value = f32::from_bits(short);
            prop_assume!(value.is_finite());
            prop_assert_eq!(written(|w| format_float32(w, value)).parse::<f32>().map(f32::to_bits), Ok(short));
        }

        #[test]
        fn plain_forms_agree_with_std(thousandths in -1_000_000_000_i64..1_000_000_000) {
            let value = thousandths as f64 / 1000.0;
            prop_assert_eq!(shown(value), value.to_string());
        }
    }
}
