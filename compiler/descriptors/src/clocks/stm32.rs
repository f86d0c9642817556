//! What the clocks of STM32 have in common: their sources, and the prescalers of the core and of the buses.

use super::{Inputs, Source};
use crate::Hertz;

/// The bits of a register that divide a clock by a power of two: none for one, and then from four on for two.
pub(super) fn bus_bits(shift: u32) -> u32 {
    if shift == 0 { 0 } else { 3 + shift }
}

/// The bits that divide the clock of the core, which has no divisor of 32.
pub(super) fn core_bits(shift: u32) -> u32 {
    if shift == 0 { 0 } else { 7 + shift }
}

/// The divisors of the core that are used, as powers of two.
pub(super) const CORE_SHIFTS: std::ops::RangeInclusive<u32> = 0..=4;

/// The smallest divisors of both buses, as powers of two, so that neither is above its limit.
pub(super) fn bus_shifts(core: u64, limits: [u64; 2]) -> [u32; 2] {
    limits.map(|limit| (0..4).find(|shift| core >> shift <= limit).unwrap_or(4))
}

/// The frequencies of devices. Timers have twice the clock of a bus that is divided.
pub(super) fn inputs(core: u64, shifts: [u32; 2]) -> Inputs {
    Inputs::Buses {
        buses: shifts.map(|shift| Hertz(core >> shift)),
        timers: shifts.map(|shift| Hertz(core >> shift.saturating_sub(1))),
    }
}

/// The number of wait states of flash, each of which allows a further step of the core's frequency.
pub(super) fn wait_states(core: u64, step: u64) -> u32 {
    core.div_ceil(step).saturating_sub(1) as u32
}

/// The bits of the control register that start the source and select a clock from outside; none for the internal oscillator.
pub(super) fn source_bits(source: Source) -> u32 {
    match source {
        Source::Internal => 0,
        Source::Crystal(_) => 1 << 16,
        Source::External(_) => 1 << 16 | 1 << 18,
    }
}
