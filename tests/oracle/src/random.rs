//! Choices that depend only on a seed: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
//! generators", 2014), which is the same on every machine.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};

/// A source of choices.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The choices of one program of a run: independent of those of its other programs.
    pub fn new(seed: u64, index: u64) -> Random {
        let from = |seed: u64| Random(SplitMix64::from_seed(seed.to_le_bytes()));
        let mut random = from(from(seed).next() ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.next();
        random
    }

    /// 64 bits.
    #[allow(clippy::should_implement_trait, reason = "it never ends and is not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True with probability `times` / `of`.
    pub fn chance(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// One of several words.
    pub fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    /// The index of one of several weights, chosen in proportion to them; at least one is not zero.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut rest = self.below(weights.iter().sum());
        for (index, &weight) in weights.iter().enumerate() {
            if rest < weight {
                return index;
            }
            rest -= weight;
        }
        weights.len() - 1
    }

    /// Permutes the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn choices_depend_on_seed_and_index_only() {
        let first = |seed, index| Random::new(seed, index).next();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 2));
    }

    #[test]
    fn choices_are_the_same_on_every_machine() {
        let mut random = Random::new(1, 2);
        assert_eq!([random.next(), random.next()], [0x20aa_12ae_7abd_d2ac, 0xe373_c48e_bd18_8d76]);
    }

    #[test]
    fn weights_of_zero_are_never_picked() {
        let mut random = Random::new(7, 7);
        assert!((0..1000).all(|_| random.weighted(&[0, 3, 0, 1]) % 2 == 1));
    }
}
