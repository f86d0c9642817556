/// The target facts that checking and lowering depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetFacts {
    /// The width of `int`, `uint`, `nativeint` and `unativeint` in bits: 32 or 64.
    pub word_bits: u32,
}
