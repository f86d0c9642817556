//! Text to numbers. The whole string must be the number: no surrounding blanks. The grammar is that of `core`'s
//! `FromStr`, whose float conversion is correctly rounded (Lemire, "Number parsing at a gigabyte per second", 2021).

/// A signed decimal integer that fits into `bits` bits.
pub fn parse_signed(text: &str, bits: u32) -> Option<i64> {
    let value: i64 = text.parse().ok()?;
    let unused = 64_u32.saturating_sub(bits).min(63);
    (value << unused >> unused == value).then_some(value)
}

/// An unsigned decimal integer that fits into `bits` bits.
pub fn parse_unsigned(text: &str, bits: u32) -> Option<u64> {
    let value: u64 = text.parse().ok()?;
    let unused = 64_u32.saturating_sub(bits).min(63);
    (value << unused >> unused == value).then_some(value)
}

/// A decimal float, `NaN`, `inf` or `Infinity`, correctly rounded.
pub fn parse_float64(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// A decimal float, `NaN`, `inf` or `Infinity`, correctly rounded.
pub fn parse_float32(text: &str) -> Option<f32> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_agree_with_std(value: i64, noise in "[+-]?[0-9a ]{0,5}") {
            for text in [value.to_string(), (value >> 32).to_string(), (value >> 50).to_string(), noise] {
                prop_assert_eq!(parse_signed(&text, 64), text.parse::<i64>().ok());
                prop_assert_eq!(parse_signed(&text, 32), text.parse::<i32>().ok().map(i64::from));
                prop_assert_eq!(parse_signed(&text, 8), text.parse::<i8>().ok().map(i64::from));
                prop_assert_eq!(parse_unsigned(&text, 64), text.parse::<u64>().ok());
                prop_assert_eq!(parse_unsigned(&text, 16), text.parse::<u16>().ok().map(u64::from));
            }
        }
    }

    #[test]
    fn floats() {
        assert_eq!(parse_float64("1e3"), Some(1000.0));
        assert_eq!(parse_float64("-Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_float64(""), None);
        assert_eq!(parse_float64(" 1"), None);
        assert_eq!(parse_float32("0.1"), Some(0.1));
    }
}
