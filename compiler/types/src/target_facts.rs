/// What checking and lowering must know about a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetFacts {
    /// Bits of `int`, `uint`, `nativeint` and `unativeint`: 32 or 64.
    pub word_bits: u32,
}
