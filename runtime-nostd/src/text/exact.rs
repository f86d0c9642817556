//! Floats to text with a given number of digits, correctly rounded: half to even on the exact decimal expansion, which
//! every binary float has. `m · 2^-k` is `m · 5^k / 10^k`, so the expansion is one large integer and a scale; the
//! algorithm is the plain one of Steele and White, "How to print floating-point numbers accurately" (PLDI 1990), made for
//! small code and little stack rather than for speed.

use super::{Writer, format_unsigned_word, shortest::format_special};
use heapless::Vec;

/// The most digits after the point that [`format_fixed`] writes.
pub const MAX_FIXED_DIGITS: u32 = 20;

/// The most digits after the point that [`format_exponent`] writes.
pub const MAX_EXPONENT_DIGITS: u32 = 100;

/// The most digits that [`format_significant`] writes.
pub const MAX_SIGNIFICANT_DIGITS: u32 = 40;

/// The largest expansion, of the smallest normal float, has 53 + 1074 · log2(5) bits.
const LIMBS: usize = 162;

/// `digits · 10^-scale`, where `digits` is an integer in limbs of 16 bits, lowest first.
struct Expansion {
    limbs: Vec<u16, LIMBS>,
    scale: u32,
}

impl Expansion {
    /// The magnitude of a finite float.
    fn of(value: f64) -> Expansion {
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let (mut mantissa, mut exponent) = match (bits >> 52 & 0x7ff) as i32 {
            0 => (fraction, -1074),
            biased => (fraction | 1 << 52, biased - 1075),
        };
        while exponent < 0 && mantissa & 1 == 0 && mantissa != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
        let mut expansion = Expansion { limbs: Vec::new(), scale: 0 };
        while mantissa != 0 {
            expansion.push(mantissa as u16);
            mantissa >>= 16;
        }
        if exponent < 0 {
            expansion.scale = exponent.unsigned_abs();
            expansion.multiply_by_power(5, expansion.scale);
        } else {
            expansion.multiply_by_power(2, exponent.unsigned_abs());
        }
        expansion
    }

    /// Adds a highest limb; it fits, since no expansion has more than `LIMBS`.
    fn push(&mut self, limb: u16) {
        let _ = self.limbs.push(limb);
    }

    /// Multiplies by `base` (at most 5) to the power `power`.
    fn multiply_by_power(&mut self, base: u32, mut power: u32) {
        while power > 0 {
            let step = power.min(6);
            self.multiply(base.wrapping_pow(step));
            power -= step;
        }
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for limb in &mut self.limbs {
            carry += u32::from(*limb) * factor;
            *limb = carry as u16;
            carry >>= 16;
        }
        if carry != 0 {
            self.push(carry as u16);
        }
    }

    /// Divides by at most 10,000 and returns the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut remainder = 0;
        for limb in self.limbs.iter_mut().rev() {
            let dividend = remainder << 16 | u32::from(*limb);
            *limb = (dividend / divisor) as u16;
            remainder = dividend % divisor;
        }
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
        remainder
    }

    fn increment(&mut self) {
        for limb in &mut self.limbs {
            *limb = limb.wrapping_add(1);
            if *limb != 0 {
                return;
            }
        }
        self.push(1);
    }

    /// Drops `count` low decimal digits, rounding half to even.
    fn round_off(&mut self, mut count: u32) {
        if count == 0 {
            return;
        }
        let mut below = 0;
        while count > 4 {
            below |= self.divide(10_000);
            count -= 4;
        }
        while count > 1 {
            below |= self.divide(10);
            count -= 1;
        }
        let last = self.divide(10);
        let odd = self.limbs.first().is_some_and(|limb| limb & 1 == 1);
        if last > 5 || last == 5 && (below != 0 || odd) {
            self.increment();
        }
    }

    /// The number of decimal digits, exact or one too small.
    fn digits_estimate(&self) -> u32 {
        let Some(top) = self.limbs.last() else { return 1 };
        let bits = self.limbs.len() as u32 * 16 - top.leading_zeros();
        // 0.30102 is just below log10(2).
        (bits - 1) * 30102 / 100_000 + 1
    }
}

/// `digits` digits (at most [`MAX_FIXED_DIGITS`]) after the point.
pub fn format_fixed(writer: &mut Writer<'_>, value: f64, digits: u32) {
    if format_special(writer, value.is_nan(), value.is_infinite(), value.is_sign_negative()) {
        return;
    }
    if value.is_sign_negative() {
        writer.push(b'-');
    }
    let digits = digits.min(MAX_FIXED_DIGITS);
    let mut expansion = Expansion::of(value);
    expansion.round_off(expansion.scale.saturating_sub(digits));
    let start = writer.length();
    let mut position = digits.saturating_sub(expansion.scale);
    writer.push_repeated(b'0', position);
    loop {
        if position == digits && digits > 0 {
            writer.push(b'.');
        }
        writer.push(b'0' + expansion.divide(10) as u8);
        position += 1;
        if position > digits && expansion.limbs.is_empty() {
            break;
        }
    }
    writer.reverse_from(start);
}

/// Scientific notation with `digits` digits (at most [`MAX_EXPONENT_DIGITS`]) after the point and an exponent of at
/// least three digits, as .NET writes it.
pub fn format_exponent(writer: &mut Writer<'_>, value: f64, digits: u32, upper: bool) {
    if format_special(writer, value.is_nan(), value.is_infinite(), value.is_sign_negative()) {
        return;
    }
    if value.is_sign_negative() {
        writer.push(b'-');
    }
    let exponent = mantissa(writer, value, digits.min(MAX_EXPONENT_DIGITS));
    write_exponent(writer, exponent, 3, upper);
}

/// `digits` significant digits (1 to [`MAX_SIGNIFICANT_DIGITS`]), without trailing zeros, as .NET's `G` writes it:
/// scientific, with an exponent of at least two digits, if the exponent is less than -4 or not less than `digits`.
pub fn format_significant(writer: &mut Writer<'_>, value: f64, digits: u32, upper: bool) {
    if format_special(writer, value.is_nan(), value.is_infinite(), value.is_sign_negative()) {
        return;
    }
    if value.is_sign_negative() {
        writer.push(b'-');
    }
    let digits = digits.clamp(1, MAX_SIGNIFICANT_DIGITS);
    let start = writer.length();
    let exponent = mantissa(writer, value, digits - 1);
    let mut shown: Vec<u8, { MAX_SIGNIFICANT_DIGITS as usize }> = Vec::new();
    for byte in writer.bytes().iter().skip(start).filter(|byte| **byte != b'.') {
        let _ = shown.push(*byte);
    }
    while shown.len() > 1 && shown.last() == Some(&b'0') {
        shown.pop();
    }
    writer.length = start;
    let scientific = exponent < -4 || exponent >= digits as isize;
    if !scientific && exponent < 0 {
        writer.push_all(b"0.");
        writer.push_repeated(b'0', exponent.unsigned_abs() as u32 - 1);
        writer.push_all(&shown);
        return;
    }
    let whole = if scientific { 1 } else { exponent as usize + 1 };
    for (index, digit) in shown.iter().enumerate() {
        if index == whole {
            writer.push(b'.');
        }
        writer.push(*digit);
    }
    writer.push_repeated(b'0', whole.saturating_sub(shown.len()) as u32);
    if scientific {
        write_exponent(writer, exponent, 2, upper);
    }
}

fn write_exponent(writer: &mut Writer<'_>, exponent: isize, digits: u32, upper: bool) {
    writer.push(if upper { b'E' } else { b'e' });
    writer.push(if exponent < 0 { b'-' } else { b'+' });
    format_unsigned_word(writer, exponent.unsigned_abs(), digits);
}

/// Writes one digit, a point and `digits` digits of a finite magnitude, and returns the exponent.
fn mantissa(writer: &mut Writer<'_>, value: f64, digits: u32) -> isize {
    let mut drop = Expansion::of(value).digits_estimate().saturating_sub(digits + 1);
    let start = writer.length();
    // The second iteration is for an estimate that was one too small, or a carry into a new digit.
    loop {
        writer.length = start;
        if let Some(exponent) = significant_digits(writer, value, digits, drop) {
            return exponent;
        }
        drop += 1;
    }
}

/// Writes the mantissa, and returns the exponent; nothing if `drop` low digits were too few to drop.
fn significant_digits(writer: &mut Writer<'_>, value: f64, digits: u32, drop: u32) -> Option<isize> {
    let mut expansion = Expansion::of(value);
    expansion.round_off(drop);
    let start = writer.length();
    let mut count = 0;
    while count == 0 || !expansion.limbs.is_empty() {
        if count > digits {
            return None;
        }
        writer.push(b'0' + expansion.divide(10) as u8);
        count += 1;
    }
    writer.reverse_from(start);
    writer.push_repeated(b'0', digits + 1 - count);
    if digits > 0 {
        // All digits but the first move by one, to make space for the point.
        writer.push(b'0');
        let mut moved = b'.';
        for byte in writer.buffer.iter_mut().take(writer.length).skip(start + 1) {
            core::mem::swap(byte, &mut moved);
        }
    }
    let is_zero = value == 0.0;
    Some(if is_zero { 0 } else { (count - 1 + drop) as isize - expansion.scale as isize })
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use proptest::prelude::*;

    fn fixed(value: f64, digits: u32) -> String {
        written(|writer| format_fixed(writer, value, digits))
    }

    /// Rust's `{:e}` writes `1.5e-7` where .NET writes `1.5e-007`.
    fn with_three_exponent_digits(text: &str) -> String {
        let (mantissa, exponent) = text.split_once('e').expect("std writes an exponent");
        let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |magnitude| ("-", magnitude));
        format!("{mantissa}e{sign}{exponent:0>3}")
    }

    #[test]
    fn ties_go_to_the_even_digit() {
        for (value, digits, text) in
            [(0.5, 0, "0"), (1.5, 0, "2"), (2.5, 0, "2"), (0.125, 2, "0.12"), (0.375, 2, "0.38"), (-0.5, 0, "-0")]
        {
            assert_eq!(fixed(value, digits), text);
        }
        assert_eq!(fixed(1.005, 2), "1.00");
        assert_eq!(fixed(0.1, 20), "0.10000000000000000555");
        assert_eq!(fixed(f64::MAX, 20).len(), 309 + 21);
        assert_eq!(fixed(9.999, 2), "10.00");
        assert_eq!(fixed(0.0, 3), "0.000");
    }

    #[test]
    fn exponents_carry() {
        let shown = |value, digits| written(|writer| format_exponent(writer, value, digits, false));
        assert_eq!(shown(9.9999, 2), "1.00e+001");
        assert_eq!(shown(0.0, 2), "0.00e+000");
        assert_eq!(shown(-1234.5, 0), "-1e+003");
        assert_eq!(shown(5e-324, 100).len(), 1 + 1 + 100 + 5);
    }

    #[test]
    fn significant_digits_are_laid_out() {
        let shown = |value, digits| written(|writer| format_significant(writer, value, digits, false));
        for (value, digits, text) in [
            (0.0, 6, "0"),
            (-0.0, 6, "-0"),
            (1.0, 6, "1"),
            (100.0, 6, "100"),
            (123456.0, 6, "123456"),
            (1234567.0, 6, "1.23457e+06"),
            (999999.5, 6, "1e+06"),
            (0.0001, 6, "0.0001"),
            (0.00001, 6, "1e-05"),
            (-0.000123456789, 4, "-0.0001235"),
            (2.5, 1, "2"),
            (3.14159, 10, "3.14159"),
            (0.1, 10, "0.1"),
            (1e300, 10, "1e+300"),
            (12.5, 3, "12.5"),
        ] {
            assert_eq!(shown(value, digits), text);
        }
    }

    proptest! {
        #[test]
        fn significant_agrees_with_exponent(bits: u64, digits in 1..=MAX_SIGNIFICANT_DIGITS) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let shown: f64 = written(|writer| format_significant(writer, value, digits, false)).parse().expect("a number");
            let exact: f64 = format!("{value:.precision$e}", precision = digits as usize - 1).parse().expect("a number");
            prop_assert_eq!(shown.to_bits(), exact.to_bits());
        }

        #[test]
        fn fixed_agrees_with_std(bits: u64, moderate in -1e12..1e12_f64, digits in 0..=MAX_FIXED_DIGITS) {
            for value in [f64::from_bits(bits), moderate] {
                prop_assume!(value.is_finite());
                prop_assert_eq!(fixed(value, digits), format!("{value:.precision$}", precision = digits as usize));
            }
        }

        #[test]
        fn exponent_agrees_with_std(bits: u64, digits in 0..=MAX_EXPONENT_DIGITS) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let std = with_three_exponent_digits(&format!("{value:.precision$e}", precision = digits as usize));
            prop_assert_eq!(written(|writer| format_exponent(writer, value, digits, false)), std);
        }
    }
}
