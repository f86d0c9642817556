//! The library sources for edges of pins: a driver for the chips whose inputs interrupt the program.

use crate::{
    Source,
    devices::{Told, address, bits},
};
use clef_descriptors::{Address, Board, CmsdkPorts, Gpio};

/// What watches the pins of a chip.
enum Watcher {
    /// The GPIOTE of nRF51, nRF52 and nRF91.
    Channels(Channels),
    /// The EXTI of STM32F1, F2 and F4.
    Lines(Lines),
    /// The EXTI of STM32L5.
    LinesOfL5,
    /// IO_BANK0 of RP2040 and RP2350.
    Bank(Bank),
    /// A PL061 with an interrupt of this number.
    Pl061(u32),
    /// The ports of KL25.
    Ports,
    /// Those of LM3S.
    PortsOfStellaris,
    /// Those of the Cortex-M System Design Kit, with the index of the first one.
    PortsOfCmsdk(CmsdkPorts, u32),
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

/// The same of an STM32L5, RCC_AHB2ENR, with the first port: together no other STM32 has them (RM0438, 2.3).
const ENABLE_OF_STM32L5: (Address, Address) = (Address(0x4002_104c), Address(0x4202_0000));

/// The registers of the first core in IO_BANK0: the first ones of INTR, PROC0_INTE and PROC0_INTS, and the number of its interrupt.
struct Bank {
    seen: u64,
    enabled: u64,
    pending: u64,
    interrupt: u32,
}

/// RP2040 data sheet, 2.3.2 and 2.19.6.1.
const RP2040: Bank = Bank { seen: 0x4001_40f0, enabled: 0x4001_4100, pending: 0x4001_4120, interrupt: 13 };

/// RP2350 data sheet, chapter 9, and 3.2 "Interrupts".
const RP2350: Bank = Bank { seen: 0x4002_8230, enabled: 0x4002_8248, pending: 0x4002_8278, interrupt: 21 };

impl Watcher {
    /// What the chip of a board has.
    fn of_chip(board: &Board) -> Option<Watcher> {
        let gpio = board.gpio?;
        Some(match gpio {
            Gpio::Nrf { .. } => {
                let chip = board.chip.as_deref().unwrap_or_default().to_ascii_lowercase();
                let base = if gpio.is_nrf91() { 0x5000_d000 } else { 0x4000_6000 };
                let count = if gpio.is_nrf91() || chip.starts_with("nrf52") { 8 } else { 4 };
                Watcher::Channels(Channels { count, base })
            }
            Gpio::Stm32F1 { .. } => Watcher::Lines(STM32F1),
            Gpio::Stm32 { enable: ENABLE_OF_STM32F4, .. } => Watcher::Lines(STM32F4),
            Gpio::Stm32 { enable, base, .. } if (enable, base) == ENABLE_OF_STM32L5 => Watcher::LinesOfL5,
            Gpio::Rp2040 => Watcher::Bank(RP2040),
            Gpio::Rp2350 => Watcher::Bank(RP2350),
            Gpio::Pl061 { interrupt, .. } => Watcher::Pl061(interrupt?),
            Gpio::Kl25 => Watcher::Ports,
            Gpio::Stellaris => Watcher::PortsOfStellaris,
            Gpio::Cmsdk(_) | Gpio::Mps2 { .. } => {
                let (ports, first) = gpio.cmsdk().filter(|(ports, _)| ports.interrupts.is_some())?;
                Watcher::PortsOfCmsdk(ports, first)
            }
            Gpio::Stm32 { .. } => return None,
        })
    }

    /// The highest number of its interrupts.
    fn last_interrupt(&self) -> u32 {
        match self {
            Watcher::Channels(channels) => channels.interrupt(),
            Watcher::Lines(_) => 40,
            Watcher::LinesOfL5 => 26,
            Watcher::Bank(bank) => bank.interrupt,
            Watcher::Pl061(interrupt) => *interrupt,
            Watcher::Ports | Watcher::PortsOfStellaris => 31,
            Watcher::PortsOfCmsdk(ports, _) => ports.numbers().max().unwrap_or_default(),
        }
    }
}

impl Channels {
    fn interrupt(&self) -> u32 {
        (self.base >> 12 & 0x3f) as u32
    }
}

/// What watches the pins, if the board has all of its interrupts.
fn watcher(board: &Board) -> Option<Watcher> {
    let count = board.interrupt_count()?;
    Watcher::of_chip(board).filter(|watcher| watcher.last_interrupt() < count)
}

/// The driver; nothing for boards without one.
pub(crate) fn driver(board: &Board) -> Option<Source> {
    let watcher = watcher(board)?;
    let (name, text) = match watcher {
        Watcher::Channels(_) => ("library/gpio_edges_nrf.clef", include_str!("../clef/devices/gpio_edges_nrf.clef")),
        Watcher::Lines(_) => ("library/gpio_edges_stm32.clef", include_str!("../clef/devices/gpio_edges_stm32.clef")),
        Watcher::LinesOfL5 => {
            ("library/gpio_edges_stm32_l5.clef", include_str!("../clef/devices/gpio_edges_stm32_l5.clef"))
        }
        Watcher::Bank(_) => ("library/gpio_edges_rp.clef", include_str!("../clef/devices/gpio_edges_rp.clef")),
        Watcher::Pl061(_) => ("library/gpio_edges_pl061.clef", include_str!("../clef/devices/gpio_edges_pl061.clef")),
        Watcher::Ports => ("library/gpio_edges_kl25.clef", include_str!("../clef/devices/gpio_edges_kl25.clef")),
        Watcher::PortsOfStellaris => {
            ("library/gpio_edges_stellaris.clef", include_str!("../clef/devices/gpio_edges_stellaris.clef"))
        }
        Watcher::PortsOfCmsdk(ports, _) => {
            let text = with_interrupts(include_str!("../clef/devices/gpio_edges_cmsdk.clef"), ports);
            return Some(Source::new("library/gpio_edges_cmsdk.clef", text));
        }
    };
    // The number of an interrupt is written where its handler is installed.
    Some(Source::new(name, text.replace("INTERRUPT", &watcher.last_interrupt().to_string())))
}

/// The driver for ports with these interrupts: a line that contains `INTERRUPT2` is for the third port.
fn with_interrupts(text: &str, ports: CmsdkPorts) -> String {
    let numbers: Vec<u32> = ports.numbers().collect();
    let written = |line: &str| match line.split_once("INTERRUPT") {
        Some((before, after)) => {
            let port: usize = after.get(..1)?.parse().ok()?;
            Some(format!("{before}{}{}\n", numbers.get(port)?, &after[1..]))
        }
        None => Some(format!("{line}\n")),
    };
    text.lines().filter_map(written).collect()
}

/// The parameters of the driver.
pub(crate) fn told(board: &Board) -> Vec<Told> {
    match watcher(board) {
        None | Some(Watcher::LinesOfL5 | Watcher::Pl061(_) | Watcher::Ports | Watcher::PortsOfStellaris) => Vec::new(),
        Some(Watcher::PortsOfCmsdk(_, first)) => vec![("firstPort", first.to_string())],
        Some(Watcher::Channels(Channels { count, base })) => {
            vec![("edgeChannels", count.to_string()), address("edgeWatcher", base)]
        }
        Some(Watcher::Lines(lines)) => vec![
            address("edgeLines", lines.exti),
            address("edgePorts", lines.ports),
            address("edgeClock", lines.clock),
            bits("edgeClockBit", lines.bit),
        ],
        Some(Watcher::Bank(bank)) => vec![
            address("edgesSeen", bank.seen),
            address("edgesEnabled", bank.enabled),
            address("edgesPending", bank.pending),
        ],
    }
}
