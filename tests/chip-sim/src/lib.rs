//! Chips that no emulator models: an Armv6-M core that runs an image, with its interrupts and its system timer, and the
//! timers, clocks, watchdog, flash and random numbers of the chip as described in their manuals. Devices are connected to ([`Wiring`],
//! [`parts`]):
//!
//! - pins, and their edges, of Nordic's chips, STM32F1 to F4 and MPS2 boards; pins of KL25 and LM3S6965, behind clock gates;
//! - analog inputs and pulse-width outputs of nRF51, nRF52, nRF91, STM32, RP2040, RP2350, KL25 and LM3S6965;
//! - a serial line of Nordic's chips, KL25, STM32, RP2040 and RP2350, and those of MPS2 boards;
//! - buses of Nordic's chips, of nRF91 only SPI; the I2C bus and the SPI buses of STM32, RP2040 and RP2350, with DMA; those of the shields
//!   of MPS2 boards.
//!
//! In: an ELF image for Armv6-M, whose instructions all other Cortex-M cores have too, and its chip. Out: the program's
//! output by semihosting or by Real-Time Transfer, its status, and the time it took on the chip. Where the manuals
//! forbid an access, it has no effect, as on the chip, so that a driver that forgets a clock hangs here too. A program
//! that sleeps when nothing can wake it has ended as [`Ending::Asleep`], and one that sets a clock that the chip does not bear as
//! [`Ending::Clock`], one that uses a controller of a bus against its manual as [`Ending::Bus`].

mod analog;
mod bus;
mod clocks;
mod core;
mod counter;
mod decode;
mod devices;
mod dma;
mod flash;
mod i2c;
mod interrupts;
mod memory;
pub mod parts;
mod pins;
mod port;
mod ports;
mod random;
mod rtt;
mod semihosting;
mod session;
mod spi;
mod uart;
mod watchdog;
mod wiring;

pub use analog::Pulse;
pub use bus::{Chip, Mps2Image, Part, Rated};
pub use flash::{Failure, Flash};
pub use session::Session;
pub use wiring::{I2cDevice, I2cLines, Levels, Pin, Selected, SerialLine, SpiDevice, Voltages, Wiring};

use bus::Bus;
use core::Core;

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With this status, by semihosting.
    Exit(u32),
    /// It sleeps, and nothing will wake it.
    Asleep,
    /// It did something that the core does not support, at this address.
    Fault(u32),
    /// The watchdog has reset the chip.
    Reset,
    /// It set a clock as the chip does not allow: the reason.
    Clock(&'static str),
    /// It used the controller of a bus as its manual forbids: the reason.
    Bus(&'static str),
    /// Power has failed while flash was changed.
    PowerLost,
    /// It was still running at the instruction limit.
    Running,
}

/// The outcome of a program.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Its output.
    pub output: String,
    /// Its run time, in microseconds of the chip since its clocks were started.
    pub microseconds: u64,
    /// The part of that in which it slept.
    pub asleep: u64,
}

/// Runs an image from reset, for at most this many instructions.
pub fn run(image: &[u8], part: Part, instructions: u64) -> Result<Outcome, String> {
    run_with_flash(image, part, instructions, &mut None)
}

/// The same on a chip with pages of flash, which the program may change.
pub fn run_with_flash(
    image: &[u8],
    part: Part,
    instructions: u64,
    flash: &mut Option<Flash>,
) -> Result<Outcome, String> {
    let mut bus = Bus::new(image, part, &Wiring::default(), flash.take())?;
    let mut core = Core::reset(&mut bus);
    let ending = core.run(&mut bus, instructions, None);
    let frequency = u128::from(part.frequency());
    let time = |cycles: u64| u64::try_from(u128::from(cycles) * 1_000_000 / frequency).unwrap_or(u64::MAX);
    *flash = bus.flash.take();
    let (mut output, log) = bus.take_output();
    output.extend(log);
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok(Outcome { ending, output, microseconds: time(bus.now() - bus.began().unwrap_or(0)), asleep: time(bus.asleep()) })
}
