//! Arithmetic on integers of every width: the exact result, wrapped to the type's bits.

use clef_types::{IntegerType, TargetFacts};

/// The value of the type with the low bits of the exact value.
pub(super) fn wrap(kind: IntegerType, exact: i128, facts: TargetFacts) -> i128 {
    kind.wrap(exact, facts.word_bits)
}

/// The bits as an unsigned number.
pub(super) fn bits_of(kind: IntegerType, value: i128, facts: TargetFacts) -> u64 {
    (value & ((1 << kind.bits(facts.word_bits)) - 1)) as u64
}

/// The smallest and the largest value.
pub(super) fn range(kind: IntegerType, facts: TargetFacts) -> (i128, i128) {
    let bits = kind.bits(facts.word_bits);
    if kind.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The value of the type that is nearest to the exact value.
pub(super) fn nearest(kind: IntegerType, exact: i128, facts: TargetFacts) -> i128 {
    let (smallest, largest) = range(kind, facts);
    exact.clamp(smallest, largest)
}

/// The nearest value of the type to a truncated float; 0 for NaN.
pub(super) fn saturate(kind: IntegerType, value: f64, facts: TargetFacts) -> i128 {
    nearest(kind, value as i128, facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: TargetFacts = TargetFacts { word_bits: 32 };
    const WIDE: TargetFacts = TargetFacts { word_bits: 64 };

    #[test]
    fn wraps_at_the_width() {
        assert_eq!(wrap(IntegerType::I8, 128, NARROW), -128);
        assert_eq!(wrap(IntegerType::I8, -129, NARROW), 127);
        assert_eq!(wrap(IntegerType::U8, -1, NARROW), 255);
        assert_eq!(wrap(IntegerType::Int, 1 << 31, NARROW), -(1 << 31));
        assert_eq!(wrap(IntegerType::Int, 1 << 31, WIDE), 1 << 31);
        assert_eq!(wrap(IntegerType::U64, -1, NARROW), u64::MAX.into());
        let product = i128::from(i64::MIN) * i128::from(i64::MIN);
        assert_eq!(wrap(IntegerType::I64, product, WIDE), 0);
    }

    #[test]
    fn saturates() {
        assert_eq!(saturate(IntegerType::I8, 1e10, NARROW), 127);
        assert_eq!(saturate(IntegerType::U16, -3.0, NARROW), 0);
        assert_eq!(saturate(IntegerType::I64, f64::INFINITY, NARROW), i64::MAX.into());
        assert_eq!(saturate(IntegerType::Int, f64::NAN, NARROW), 0);
        assert_eq!(saturate(IntegerType::I32, -2.9, NARROW), -2);
    }
}
