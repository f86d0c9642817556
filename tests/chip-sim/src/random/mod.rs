//! Generators of random numbers, with the clocks and the order of accesses that the manuals demand. Each fails its own tests now and then,
//! as real noise does, so that a driver that does not look delivers what is wrong, or hangs.

mod nordic;
mod raspberry_pi;
mod stm32;

pub(crate) use nordic::Nordic;
pub(crate) use raspberry_pi::{Rp2040, Rp2350};
pub(crate) use stm32::Stm32;

/// The generator of a chip. Time is in cycles of the core.
pub(crate) trait Generator {
    /// Reads a register, if it is one of its own.
    fn read(&mut self, address: u32, now: u64) -> Option<u32>;
    /// Sees a write of any register.
    fn write(&mut self, address: u32, value: u32, now: u64);
}

/// None.
impl Generator for () {
    fn read(&mut self, _: u32, _: u64) -> Option<u32> {
        None
    }

    fn write(&mut self, _: u32, _: u32, _: u64) {}
}

/// Noise, the same for each run; none if it has failed.
struct Noise {
    state: u64,
    is_silent: bool,
}

impl Noise {
    fn new(is_silent: bool) -> Noise {
        Noise { state: 1, is_silent }
    }

    /// The next 32 bits: SplitMix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014).
    fn word(&mut self) -> u32 {
        if self.is_silent {
            return 0;
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as u32
    }
}
