//! Integers to text.

use super::Writer;

/// The most digits, leading zeros included: no caller's buffer holds more besides a sign.
pub const MAX_DIGITS: u32 = 120;
/// The digits of the largest number that fits a word.
pub const WORD_DIGITS: u32 = usize::MAX.ilog10() + 1;
/// The digits of a number that is larger than a word are made in groups.
const GROUP_DIGITS: u32 = 9;
/// Ten to the power of the number of digits of a group.
const GROUP: u64 = 10_u64.pow(GROUP_DIGITS);

/// Decimal, with leading zeros up to `minimum_digits`.
pub fn format_signed(writer: &mut Writer<'_>, value: i64, minimum_digits: u32) {
    if value < 0 {
        writer.push(b'-');
    }
    format_unsigned(writer, value.unsigned_abs(), minimum_digits);
}

/// Decimal, with leading zeros up to `minimum_digits`.
pub fn format_unsigned(writer: &mut Writer<'_>, value: u64, minimum_digits: u32) {
    // A value that exceeds a word is divided as 64 bits, which is a library call on 32-bit cores.
    if value > usize::MAX as u64 {
        format_unsigned(writer, value / GROUP, minimum_digits.min(MAX_DIGITS).saturating_sub(GROUP_DIGITS));
        format_unsigned_word(writer, (value % GROUP) as usize, GROUP_DIGITS);
    } else {
        format_unsigned_word(writer, value as usize, minimum_digits);
    }
}

/// The decimal text of a number that fits a word, with leading zeros, made without 64-bit arithmetic on 32-bit cores.
#[derive(Clone, Copy)]
pub struct Decimal {
    magnitude: usize,
    is_negative: bool,
    digits: u32,
}

impl Decimal {
    /// At least `minimum_digits` digits.
    #[inline]
    pub fn unsigned(value: usize, minimum_digits: u32) -> Decimal {
        let (mut digits, mut limit) = (1, 10);
        while value >= limit && digits < WORD_DIGITS {
            digits += 1;
            limit = limit.wrapping_mul(10);
        }
        Decimal { magnitude: value, is_negative: false, digits: minimum_digits.min(MAX_DIGITS).max(digits) }
    }

    /// At least `minimum_digits` digits after the sign.
    #[inline]
    pub fn signed(value: isize, minimum_digits: u32) -> Decimal {
        Decimal { is_negative: value < 0, ..Decimal::unsigned(value.unsigned_abs(), minimum_digits) }
    }

    /// The length of the text in bytes.
    #[inline]
    pub fn length(self) -> usize {
        self.digits as usize + usize::from(self.is_negative)
    }

    /// Whether the number is negative.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.is_negative
    }

    /// The absolute value.
    #[inline]
    pub fn magnitude(self) -> usize {
        self.magnitude
    }

    /// Writes the text into its space.
    #[inline]
    pub fn write(self, mut space: &mut [u8]) {
        if self.is_negative {
            let Some((sign, digits)) = space.split_first_mut() else { return };
            *sign = b'-';
            space = digits;
        }
        let mut value = self.magnitude;
        // The first digit needs no division.
        if let Some((first, others)) = space.split_first_mut() {
            for digit in others.iter_mut().rev() {
                *digit = b'0' + (value % 10) as u8;
                value /= 10;
            }
            *first = b'0' + value as u8;
        }
    }
}

/// [`Decimal::signed`] to a writer.
pub fn format_signed_word(writer: &mut Writer<'_>, value: isize, minimum_digits: u32) {
    format_decimal(writer, Decimal::signed(value, minimum_digits));
}

/// [`Decimal::unsigned`] to a writer.
pub fn format_unsigned_word(writer: &mut Writer<'_>, value: usize, minimum_digits: u32) {
    format_decimal(writer, Decimal::unsigned(value, minimum_digits));
}

fn format_decimal(writer: &mut Writer<'_>, decimal: Decimal) {
    decimal.write(writer.reserve(decimal.length()));
}

fn fill_and_reverse(writer: &mut Writer<'_>, start: usize, minimum_digits: u32) {
    let written = (writer.length() - start) as u32;
    writer.push_repeated(b'0', minimum_digits.clamp(1, MAX_DIGITS).saturating_sub(written));
    writer.reverse_from(start);
}

/// Digits of a radix that is a power of two from 2 to 16, with leading zeros up to `minimum_digits`.
pub fn format_radix(writer: &mut Writer<'_>, mut value: u64, radix: u32, minimum_digits: u32, upper: bool) {
    let start = writer.length();
    let bits = radix.trailing_zeros().clamp(1, 4);
    let letters = if upper { b'A' } else { b'a' };
    while value != 0 {
        let digit = value as u8 & ((1 << bits) - 1);
        writer.push(if digit < 10 { b'0' + digit } else { letters + (digit - 10) });
        value >>= bits;
    }
    fill_and_reverse(writer, start, minimum_digits);
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decimal_agrees_with_std(value: i64, small: i32, least in 0..40_usize) {
            let minimum = least as u32;
            let expected = |value: i64| {
                let sign = if value < 0 { "-" } else { "" };
                format!("{sign}{:0width$}", value.unsigned_abs(), width = least)
            };
            prop_assert_eq!(written(|w| format_signed(w, value, minimum)), expected(value));
            prop_assert_eq!(written(|w| format_signed_word(w, small as isize, minimum)), expected(i64::from(small)));
            let decimal = Decimal::signed(small as isize, 1);
            prop_assert_eq!(decimal.magnitude(), small.unsigned_abs() as usize);
            prop_assert_eq!(decimal.is_negative(), small < 0);
            let unsigned = value as u64;
            prop_assert_eq!(written(|w| format_unsigned(w, unsigned, minimum)), format!("{unsigned:0least$}"));
        }

        #[test]
        fn radix_agrees_with_std(value: u64, digits in 0..70_usize) {
            let minimum = digits as u32;
            prop_assert_eq!(written(|w| format_radix(w, value, 2, minimum, false)), format!("{value:0digits$b}"));
            prop_assert_eq!(written(|w| format_radix(w, value, 8, minimum, false)), format!("{value:0digits$o}"));
            prop_assert_eq!(written(|w| format_radix(w, value, 16, minimum, false)), format!("{value:0digits$x}"));
            prop_assert_eq!(written(|w| format_radix(w, value, 16, minimum, true)), format!("{value:0digits$X}"));
        }
    }

    #[test]
    fn extremes() {
        assert_eq!(written(|w| format_signed(w, i64::MIN, 0)), i64::MIN.to_string());
        assert_eq!(written(|w| format_signed_word(w, isize::MIN, 0)), isize::MIN.to_string());
        assert_eq!(usize::MAX.to_string().len(), WORD_DIGITS as usize);
        assert_eq!(written(|w| format_unsigned(w, 0, 0)), "0");
        assert_eq!(written(|w| format_unsigned(w, 7, u32::MAX)).len(), MAX_DIGITS as usize);
    }
}
