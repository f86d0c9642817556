//! The library sources for edges of pins: a driver for the chips whose inputs interrupt the program.

use crate::{
    Source,
    devices::{Told, address, bits},
};
use clef_descriptors::{Address, Board, Gpio};

/// What watches the pins of a chip.
enum Watcher {
    /// The GPIOTE of nRF51, nRF52 and nRF91.
    Channels(Channels),
    /// The EXTI of STM32.
    Lines(Lines),
}

/// The GPIOTE of an nRF.
struct Channels {
    /// Their number.
    count: u32,
    /// Its first register; a part of it is the number of its interrupt (nRF52833 Product Specification, 6.2).
    base: u64,
}

/// The registers of an STM32.
struct Lines {
    /// The first one of the EXTI.
    exti: u64,
    /// The first one that selects ports, EXTICR1.
    ports: u64,
    /// The register that enables the clock of those, and its bit.
    clock: u64,
    bit: u64,
}

/// RM0008, 3.3, 7.3.7 and 9.4.3.
const STM32F1: Lines = Lines { exti: 0x4001_0400, ports: 0x4001_0008, clock: 0x4002_1018, bit: 1 };

/// RM0033, RM0090: 2.3, "RCC_APB2ENR" and "SYSCFG_EXTICR1".
const STM32F4: Lines = Lines { exti: 0x4001_3c00, ports: 0x4001_3808, clock: 0x4002_3844, bit: 1 << 14 };

/// The register that enables the clocks of ports in an STM32F2 or F4, RCC_AHB1ENR; others have theirs elsewhere, and another EXTI.
const ENABLE_OF_STM32F4: Address = Address(0x4002_3830);

fn watcher(board: &Board) -> Option<Watcher> {
    board.interrupt_count().filter(|count| *count > 0)?;
    let gpio = board.gpio?;
    match gpio {
        Gpio::Nrf { .. } => {
            let chip = board.chip.as_deref().unwrap_or_default().to_ascii_lowercase();
            let base = if gpio.is_nrf91() { 0x5000_d000 } else { 0x4000_6000 };
            let count = if gpio.is_nrf91() || chip.starts_with("nrf52") { 8 } else { 4 };
            Some(Watcher::Channels(Channels { count, base }))
        }
        Gpio::Stm32F1 { .. } => Some(Watcher::Lines(STM32F1)),
        Gpio::Stm32 { enable, .. } => (enable == ENABLE_OF_STM32F4).then_some(Watcher::Lines(STM32F4)),
        Gpio::Pl061 { .. } | Gpio::Stellaris | Gpio::Mps2 { .. } | Gpio::Rp2040 | Gpio::Rp2350 | Gpio::Kl25 => None,
    }
}

/// The driver; nothing for boards without one.
pub(crate) fn driver(board: &Board) -> Option<Source> {
    Some(match watcher(board)? {
        Watcher::Channels(Channels { base, .. }) => {
            // The number of an interrupt is written where its handler is installed.
            let number = (base >> 12 & 0x3f).to_string();
            let text = include_str!("../clef/devices/gpio_edges_nrf.clef").replace("INTERRUPT", &number);
            Source::new("library/gpio_edges_nrf.clef", text)
        }
        Watcher::Lines(_) => {
            Source::new("library/gpio_edges_stm32.clef", include_str!("../clef/devices/gpio_edges_stm32.clef"))
        }
    })
}

/// The parameters of the driver.
pub(crate) fn told(board: &Board) -> Vec<Told> {
    match watcher(board) {
        None => Vec::new(),
        Some(Watcher::Channels(Channels { count, base })) => {
            vec![("edgeChannels", count.to_string()), address("edgeWatcher", base)]
        }
        Some(Watcher::Lines(lines)) => vec![
            address("edgeLines", lines.exti),
            address("edgePorts", lines.ports),
            address("edgeClock", lines.clock),
            bits("edgeClockBit", lines.bit),
        ],
    }
}
