//! Descriptors of targets and boards.
//!
//! In: YAML source texts from the caller. Out: [`Target`] and [`Board`], complete and validated, or diagnostics that
//! point into the YAML. This crate reads no files itself.

pub mod adc;
mod at_pins;
pub mod board;
mod board_schema;
pub mod bus;
mod bus_schema;
mod clocks;
mod compatibility;
mod cortex_m;
mod device_schema;
pub mod devices;
mod dma;
mod embedded;
mod files;
mod inherit;
pub mod interrupts;
mod lines;
mod memory_check;
mod mps2_pins;
mod path;
mod pin_map;
pub mod pwm;
mod reader;
mod registers;
mod resolve;
pub mod rng;
pub mod settings;
mod settings_schema;
pub mod start;
pub mod target;
mod target_schema;
pub mod timer;
mod timer_schema;
mod timers;
mod triple;
pub mod uart;
mod uart_schema;
pub mod watchdog;
mod watchdog_schema;
mod yaml;

pub use clef_base::{Address, Bytes, Hertz};

pub use adc::Adc;
pub use board::{
    Arguments, Board, BoardPin, Boot, Console, Exit, Log, MemoryKind, MemoryRegion, QemuSystem, QemuUser, RegionPool,
    Run, TrapMessages,
};
pub use bus::{I2c, I2cPins, RpBus, Spi, SpiPins, Stm32Bus, Stm32BusModel};
pub use cortex_m::Core;
pub use devices::{CmsdkPorts, Gpio, Pin, Ports};
pub use dma::{Channel, Dma, SpiChannels};
pub use inherit::ResolvedLine;
pub use interrupts::InterruptController;
pub use path::normal;
pub use pin_map::PinMap;
pub use pwm::Pwm;
pub use registers::Registers;
pub use resolve::{Described, Machine, Request, Resolver};
pub use rng::Rng;
pub use settings::{FlashKind, Settings};
pub use start::{BootBlock, StartStep, Uf2};
pub use target::{
    AlignmentPolicy, ClosureAlignment, CodeModel, FloatAbi, LinkerEmulation, PointerWidth, RelocationModel, TailCalls,
    Target,
};
pub use timer::{LowFrequencySource, Stm32Timer, Timer};
pub use timers::{HardwareTimer, Timers};
pub use triple::Triple;
pub use uart::{Interrupts, Kl25Uart, RpUart, Stm32Uart, Stm32UartModel, Uart, UartPins};
pub use watchdog::Watchdog;
