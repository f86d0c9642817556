//! Operations on the bits of integers.

use super::{
    Interpreter,
    integer::{bits_of, wrap},
    value::Value,
};
use clef_types::{IntegerType, Intrinsic};

impl Interpreter<'_> {
    /// Performs an intrinsic on bits; `None` for other intrinsics and operands.
    pub(super) fn bits(&self, intrinsic: Intrinsic, arguments: &[Value]) -> Option<Value> {
        let Some(Value::Integer(kind, value)) = arguments.first() else { return None };
        let (width, bits) = (kind.bits(self.facts.word_bits), bits_of(*kind, *value, self.facts));
        let unused = u64::BITS - width;
        let count = |count: u32| Some(Value::Integer(IntegerType::Int, i128::from(count)));
        let same = |bits: u64| Some(Value::Integer(*kind, wrap(*kind, i128::from(bits), self.facts)));
        let rotated = |left: bool| {
            let Some(Value::Integer(_, distance)) = arguments.get(1) else { return None };
            let distance = distance.rem_euclid(i128::from(width)) as u32;
            let distance = if left { distance } else { (width - distance) % width };
            let low = if distance == 0 { 0 } else { bits >> (width - distance) };
            same((bits << distance) | low)
        };
        match intrinsic {
            Intrinsic::CountOnes => count(bits.count_ones()),
            Intrinsic::LeadingZeros => count(bits.leading_zeros() - unused),
            Intrinsic::TrailingZeros => count(bits.trailing_zeros().min(width)),
            Intrinsic::ReverseBits => same(bits.reverse_bits() >> unused),
            Intrinsic::ReverseBytes => same(bits.swap_bytes() >> unused),
            Intrinsic::RotateLeft => rotated(true),
            Intrinsic::RotateRight => rotated(false),
            _ => None,
        }
    }
}
