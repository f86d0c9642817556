//! The clocks of a chip, from a wanted frequency of its core.
//!
//! In: a [`Wish`]: the family of the chip, where its clock comes from, and the frequency of the core. Out: a [`Tree`]: the steps that start
//! the clocks from their state after a reset, and the frequencies of the core and of the inputs of devices. Else a [`Problem`], with the
//! nearest frequency that is possible. Holds for every tree: no frequency is above the limits of the chip, and no step makes one that is:
//! supply and flash are prepared before the core becomes faster, and a loop is stable before the core uses it.
//!
//! A family lists its [`Candidate`]s, and the best of those with the wanted frequency is taken.

pub(crate) mod complete;
mod kinetis;
mod raspberry_pi;
pub(crate) mod schema;
mod stellaris;
mod stm32;
mod stm32f1;
mod stm32f4;
mod stm32l5;
#[cfg(test)]
mod tests;

use crate::{Address, Hertz, StartStep};
use std::ops::RangeInclusive;

/// The families whose clocks are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    /// STM32F101, F102 and F103.
    Stm32F1,
    /// STM32F2 and F4.
    Stm32F4,
    /// STM32L5.
    Stm32L5,
    /// Raspberry Pi RP2040.
    Rp2040,
    /// Raspberry Pi RP2350.
    Rp2350,
    /// Stellaris LM3S6965.
    Stellaris,
    /// NXP KL25.
    Kinetis,
}

/// Where the clock of a chip comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The oscillator that runs after a reset.
    Internal,
    /// A crystal at the chip's oscillator.
    Crystal(Hertz),
    /// A clock from outside, in place of the crystal.
    External(Hertz),
}

/// What a descriptor asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) family: Family,
    pub(crate) source: Source,
    pub(crate) core: Hertz,
    /// The name of the chip in lower case; empty if it is unknown. Then it is taken to be the slowest of its family.
    pub(crate) chip: &'a str,
    /// Whether the board also runs in an emulator, which may lack the registers of clocks.
    pub(crate) is_emulated: bool,
}

/// The clocks of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tree {
    pub(crate) core: Hertz,
    pub(crate) inputs: Inputs,
    pub(crate) steps: Vec<StartStep>,
}

/// The frequencies that devices have as input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Inputs {
    /// The two peripheral buses, and the timers at each.
    Buses { buses: [Hertz; 2], timers: [Hertz; 2] },
    /// The crystal, which is the reference of timer and watchdog; serial devices have the clock of the core.
    Crystal(Hertz),
    /// The clock of the core, and for the converter that of the loop, if it runs.
    Stellaris { converter: Option<Hertz> },
    /// The bus, and the loop for serial lines and pulses.
    Kinetis { bus: Hertz, fast: Hertz },
}

/// Why a wish cannot be granted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Problem {
    /// The source: the reason.
    Source(String),
    /// The frequency of the core: the reason, and the nearest that is possible.
    Core(String, Hertz),
}

/// The tree of a wish.
pub(crate) fn solve(wish: &Wish<'_>) -> Result<Tree, Problem> {
    match wish.family {
        Family::Stm32F1 => stm32f1::solve(wish),
        Family::Stm32F4 => stm32f4::solve(wish),
        Family::Stm32L5 => stm32l5::solve(wish),
        Family::Rp2040 => raspberry_pi::solve(wish, &raspberry_pi::RP2040),
        Family::Rp2350 => raspberry_pi::solve(wish, &raspberry_pi::RP2350),
        Family::Stellaris => stellaris::solve(wish),
        Family::Kinetis => kinetis::solve(wish),
    }
}

/// Settings of a chip, with the frequency of the core that they make.
#[derive(Clone, Copy, Debug)]
struct Candidate<T> {
    core: u64,
    settings: T,
    /// The smaller, the better.
    penalty: [u64; 3],
}

/// The best settings for the wanted frequency; `limit` is the highest one that the chip has.
fn best<T>(wish: &Wish<'_>, limit: u64, candidates: impl Iterator<Item = Candidate<T>>) -> Result<T, Problem> {
    let possible = candidates.filter(|candidate| (SLOWEST..=limit).contains(&candidate.core));
    let found = possible.min_by_key(|found| (found.core.abs_diff(wish.core.0), found.core, found.penalty));
    let Some(found) = found else {
        return Err(Problem::Source("no frequency of the core can be made from this source".to_owned()));
    };
    if found.core == wish.core.0 {
        return Ok(found.settings);
    }
    let reason = if wish.core.0 > limit {
        format!("the core of this chip has at most {}, not {}", named(limit), named(wish.core.0))
    } else {
        format!("the clocks of this chip cannot make {} from {}", named(wish.core.0), source(wish))
    };
    Err(Problem::Core(reason, Hertz(found.core)))
}

/// The slowest core that the runtime supports.
const SLOWEST: u64 = 100_000;

/// The source in the words of messages.
fn source(wish: &Wish<'_>) -> String {
    match wish.source {
        Source::Internal => "the internal oscillator".to_owned(),
        Source::Crystal(clock) => format!("a crystal of {}", named(clock.0)),
        Source::External(clock) => format!("an external clock of {}", named(clock.0)),
    }
}

/// A frequency in megahertz, as far as it has no more than six decimals.
fn named(hertz: u64) -> String {
    let text = format!("{}.{:06}", hertz / 1_000_000, hertz % 1_000_000);
    format!("{} MHz", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Reports a crystal or an external clock that the oscillator does not support, in hertz.
fn check_source(wish: &Wish<'_>, crystals: RangeInclusive<u64>, external: RangeInclusive<u64>) -> Result<(), Problem> {
    let (clock, range) = match wish.source {
        Source::Internal => return Ok(()),
        Source::Crystal(clock) => (clock, crystals),
        Source::External(clock) => (clock, external),
    };
    if range.contains(&clock.0) {
        return Ok(());
    }
    let (least, most) = (named(*range.start()), named(*range.end()));
    let what = if matches!(wish.source, Source::Crystal(_)) { "a crystal" } else { "an external clock" };
    Err(Problem::Source(format!("the chip supports {what} from {least} to {most}, not {}", named(clock.0))))
}

fn write(address: u64, value: u32) -> StartStep {
    StartStep::Write { address: Address(address), value }
}

fn set(address: u64, bits: u32) -> StartStep {
    StartStep::Set { address: Address(address), bits }
}

fn clear(address: u64, bits: u32) -> StartStep {
    StartStep::Clear { address: Address(address), bits }
}

fn wait(address: u64, bits: u32) -> StartStep {
    StartStep::Await { address: Address(address), bits }
}
