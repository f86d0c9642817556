//! Chips that no emulator models: an Armv6-M core that runs an image, with its interrupts and its system timer, and the timers and
//! clocks of the chip as their manuals describe them.
//!
//! In: an ELF image for Armv6-M, whose instructions all other Cortex-M cores have too, and what chip it is for. Out: what the
//! program wrote by semihosting or into the buffers of Real-Time Transfer, its status, and how long it took on the chip. What the
//! models do where the manuals forbid something: the access has no effect, as on the chip, so that a driver that forgets a clock
//! hangs here too. A program that sleeps where nothing can wake it has ended as [`Ending::Asleep`].

mod bus;
mod core;
mod counter;
mod decode;
mod devices;
mod interrupts;
mod rtt;
mod semihosting;

pub use bus::Part;

use bus::Bus;
use core::Core;

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With this status, by semihosting.
    Exit(u32),
    /// It sleeps, and nothing will wake it.
    Asleep,
    /// It did something that the core does not do, at this address.
    Fault(u32),
    /// It still ran when its time was over.
    Running,
}

/// What a program did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote.
    pub output: String,
    /// How long it took, in microseconds of the chip.
    pub microseconds: u64,
    /// How much of that it slept.
    pub asleep: u64,
}

/// Runs an image from reset, for so many instructions at most.
pub fn run(image: &[u8], part: Part, instructions: u64) -> Result<Outcome, String> {
    let mut bus = Bus::new(image, part)?;
    let mut core = Core::reset(&mut bus);
    let ending = core.run(&mut bus, instructions);
    let frequency = u128::from(part.frequency());
    let time = |cycles: u64| u64::try_from(u128::from(cycles) * 1_000_000 / frequency).unwrap_or(u64::MAX);
    Ok(Outcome { ending, output: bus.output(), microseconds: time(bus.now()), asleep: time(bus.asleep()) })
}
