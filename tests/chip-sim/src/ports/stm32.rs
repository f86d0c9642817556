//! Where the devices of STM32 are: registers, clocks, resets, interrupts and pins (RM0008, 7.3; RM0090, 7.3; RM0383, 6.3; RM0390, 6.3;
//! RM0438, 9.8; data sheets, "Alternate function mapping"; ST's cmsis_device_f1, f2, f4 and l5).

use super::{
    blocks::{Block, Dma},
    gates::Gate,
    unit::Unit,
};
use crate::{
    Chip, dma,
    pins::{self, Place},
    port::{Environment, Port},
    spi, uart,
};
use std::{cell::RefCell, rc::Rc};

/// The pins of a chip.
pub(super) fn pins(chip: Chip) -> pins::Shared {
    let pins = match chip {
        Chip::F103 => pins::Stm32::f1(),
        Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => pins::Stm32::f4(),
        Chip::L552 => pins::Stm32::l5(),
    };
    Rc::new(RefCell::new(pins))
}

/// A register that enables clocks, and the one that resets.
#[derive(Clone, Copy)]
struct Clocks {
    enable: u32,
    reset: u32,
}

/// Those of both buses, and the second one of the first bus on an L5.
const F1: [Clocks; 3] = [clocks(0x4002_101c, 0xc), clocks(0x4002_1018, 0xc), clocks(0x4002_101c, 0xc)];
const F4: [Clocks; 3] = [clocks(0x4002_3840, 0x20), clocks(0x4002_3844, 0x20), clocks(0x4002_3840, 0x20)];
const L5: [Clocks; 3] = [clocks(0x4002_1058, 0x20), clocks(0x4002_1060, 0x20), clocks(0x4002_105c, 0x20)];

/// A register that enables clocks, which is at a distance after the one that resets.
const fn clocks(enable: u32, distance: u32) -> Clocks {
    Clocks { enable, reset: enable - distance }
}

impl Clocks {
    fn gate(self, bit: u32) -> Gate {
        Gate { clock: Some((self.enable, bit)), reset: Some((self.reset, bit)) }
    }
}

/// A device: its first register, its bus, the bit of its clock, its interrupt, and the places of its signals.
struct Entry<const SIGNALS: usize> {
    base: u32,
    bus: usize,
    bit: u32,
    interrupt: u32,
    places: [&'static [Place]; SIGNALS],
}

const fn entry<const SIGNALS: usize>(
    base: u32,
    (bus, bit): (usize, u32),
    interrupt: u32,
    places: [&'static [Place]; SIGNALS],
) -> Entry<SIGNALS> {
    Entry { base, bus, bit, interrupt, places }
}

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
const D: u32 = 3;
const E: u32 = 4;
const G: u32 = 6;

const fn at(port: u32, number: u32, function: u32) -> Place {
    Place::new((port, number), function)
}

/// Bits 24 to 26 of AFIO_MAPR free the pins of the debugger's JTAG with the value two; bit 0 moves SPI1 (RM0008, 9.4.2).
const NOT_MOVED: (u32, u32) = (1, 0);
const MOVED: (u32, u32) = (7 << 24 | 1, 2 << 24 | 1);
const FREE: (u32, u32) = (7 << 24, 2 << 24);
const ALWAYS: (u32, u32) = (0, 0);

/// RM0008, 9.1.11 and 9.3.10; the signals of a controller are clock, what it sends, what it receives.
const SPI_OF_F1: &[Entry<3>] = &[
    entry(
        0x4001_3000,
        (1, 12),
        35,
        [
            &[Place::driven((A, 5), NOT_MOVED), Place::driven((B, 3), MOVED)],
            &[Place::driven((A, 7), NOT_MOVED), Place::driven((B, 5), MOVED)],
            &[Place::read((A, 6), NOT_MOVED), Place::read((B, 4), MOVED)],
        ],
    ),
    entry(
        0x4000_3800,
        (0, 14),
        36,
        [&[Place::driven((B, 13), ALWAYS)], &[Place::driven((B, 15), ALWAYS)], &[Place::read((B, 14), ALWAYS)]],
    ),
    entry(
        0x4000_3c00,
        (0, 15),
        51,
        [&[Place::driven((B, 3), FREE)], &[Place::driven((B, 5), FREE)], &[Place::read((B, 4), FREE)]],
    ),
];

const SPI1: Entry<3> = entry(
    0x4001_3000,
    (1, 12),
    35,
    [&[at(A, 5, 5), at(B, 3, 5)], &[at(A, 7, 5), at(B, 5, 5)], &[at(A, 6, 5), at(B, 4, 5)]],
);
const SPI2: Entry<3> = entry(
    0x4000_3800,
    (0, 14),
    36,
    [
        &[at(B, 10, 5), at(B, 13, 5), at(C, 7, 5), at(D, 3, 5)],
        &[at(B, 15, 5), at(C, 3, 5)],
        &[at(B, 14, 5), at(C, 2, 5)],
    ],
);
const SPI3: Entry<3> = entry(
    0x4000_3c00,
    (0, 15),
    51,
    [&[at(B, 3, 6), at(C, 10, 6)], &[at(B, 5, 6), at(C, 12, 6)], &[at(B, 4, 6), at(C, 11, 6)]],
);
const SPI_OF_F4: &[Entry<3>] = &[SPI1, SPI2, SPI3];

const SPI_OF_F446: &[Entry<3>] = &[
    SPI1,
    SPI2,
    SPI3,
    entry(
        0x4001_3400,
        (1, 13),
        84,
        [
            &[at(E, 2, 5), at(E, 12, 5), at(G, 11, 6)],
            &[at(E, 6, 5), at(E, 14, 5), at(G, 13, 6)],
            &[at(E, 5, 5), at(E, 13, 5), at(G, 12, 6)],
        ],
    ),
];

const SPI_OF_F411: &[Entry<3>] = &[
    SPI1,
    SPI2,
    SPI3,
    entry(
        0x4001_3400,
        (1, 13),
        84,
        [
            &[at(E, 2, 5), at(E, 12, 5), at(B, 13, 6)],
            &[at(E, 6, 5), at(E, 14, 5), at(A, 1, 5)],
            &[at(E, 5, 5), at(E, 13, 5), at(A, 11, 6)],
        ],
    ),
    entry(
        0x4001_5000,
        (1, 20),
        85,
        [
            &[at(B, 0, 6), at(E, 2, 6), at(E, 12, 6)],
            &[at(A, 10, 6), at(B, 8, 6), at(E, 6, 6), at(E, 14, 6)],
            &[at(A, 12, 6), at(E, 5, 6), at(E, 13, 6)],
        ],
    ),
];

const SPI_OF_L5: &[Entry<3>] = &[
    entry(
        0x4001_3000,
        (1, 12),
        59,
        [
            &[at(A, 5, 5), at(B, 3, 5), at(E, 13, 5), at(G, 2, 5)],
            &[at(A, 7, 5), at(A, 12, 5), at(B, 5, 5), at(E, 15, 5), at(G, 4, 5)],
            &[at(A, 6, 5), at(A, 11, 5), at(B, 4, 5), at(E, 14, 5), at(G, 3, 5)],
        ],
    ),
    entry(
        0x4000_3800,
        (0, 14),
        60,
        [
            &[at(B, 10, 5), at(B, 13, 5), at(D, 1, 5)],
            &[at(B, 15, 5), at(C, 3, 5), at(D, 4, 5)],
            &[at(B, 14, 5), at(C, 2, 5), at(D, 3, 5)],
        ],
    ),
    entry(
        0x4000_3c00,
        (0, 15),
        99,
        [
            &[at(B, 3, 6), at(C, 10, 6), at(G, 9, 6)],
            &[at(B, 5, 6), at(C, 12, 6), at(G, 11, 6)],
            &[at(B, 4, 6), at(C, 11, 6), at(G, 10, 6)],
        ],
    ),
];

/// Bits 2 to 5 of AFIO_MAPR move the USARTs of an F1 (RM0008, 9.3.8 and 9.4.2).
const UART_OF_F1: &[Entry<2>] = &[
    entry(
        0x4001_3800,
        (1, 14),
        37,
        [
            &[Place::driven((A, 9), (4, 0)), Place::driven((B, 6), (4, 4))],
            &[Place::read((A, 10), (4, 0)), Place::read((B, 7), (4, 4))],
        ],
    ),
    entry(
        0x4000_4400,
        (0, 17),
        38,
        [
            &[Place::driven((A, 2), (8, 0)), Place::driven((D, 5), (8, 8))],
            &[Place::read((A, 3), (8, 0)), Place::read((D, 6), (8, 8))],
        ],
    ),
    entry(
        0x4000_4800,
        (0, 18),
        39,
        [
            &[Place::driven((B, 10), (0x30, 0)), Place::driven((C, 10), (0x30, 0x10))],
            &[Place::read((B, 11), (0x30, 0)), Place::read((C, 11), (0x30, 0x10))],
        ],
    ),
];

const USART1: Entry<2> = entry(0x4001_1000, (1, 4), 37, [&[at(A, 9, 7), at(B, 6, 7)], &[at(A, 10, 7), at(B, 7, 7)]]);
const USART2: Entry<2> = entry(0x4000_4400, (0, 17), 38, [&[at(A, 2, 7), at(D, 5, 7)], &[at(A, 3, 7), at(D, 6, 7)]]);
const USART6: Entry<2> = entry(0x4001_1400, (1, 5), 71, [&[at(C, 6, 8), at(G, 14, 8)], &[at(C, 7, 8), at(G, 9, 8)]]);

const UART_OF_F4: &[Entry<2>] = &[
    USART1,
    USART2,
    USART6,
    entry(
        0x4000_4800,
        (0, 18),
        39,
        [&[at(B, 10, 7), at(C, 10, 7), at(D, 8, 7)], &[at(B, 11, 7), at(C, 11, 7), at(D, 9, 7)]],
    ),
    entry(0x4000_4c00, (0, 19), 52, [&[at(A, 0, 8), at(C, 10, 8)], &[at(A, 1, 8), at(C, 11, 8)]]),
    entry(0x4000_5000, (0, 20), 53, [&[at(C, 12, 8)], &[at(D, 2, 8)]]),
];

const UART_OF_F411: &[Entry<2>] = &[
    entry(
        0x4001_1000,
        (1, 4),
        37,
        [&[at(A, 9, 7), at(A, 15, 7), at(B, 6, 7)], &[at(A, 10, 7), at(B, 3, 7), at(B, 7, 7)]],
    ),
    USART2,
    entry(0x4001_1400, (1, 5), 71, [&[at(A, 11, 8), at(C, 6, 8)], &[at(A, 12, 8), at(C, 7, 8)]]),
];

const UART_OF_L5: &[Entry<2>] = &[
    entry(
        0x4001_3800,
        (1, 14),
        61,
        [&[at(A, 9, 7), at(B, 6, 7), at(G, 9, 7)], &[at(A, 10, 7), at(B, 7, 7), at(G, 10, 7)]],
    ),
    entry(0x4000_4400, (0, 17), 62, [&[at(A, 2, 7), at(D, 5, 7)], &[at(A, 3, 7), at(A, 15, 3), at(D, 6, 7)]]),
    entry(
        0x4000_4800,
        (0, 18),
        63,
        [
            &[at(B, 10, 7), at(C, 4, 7), at(C, 10, 7), at(D, 8, 7)],
            &[at(B, 11, 7), at(C, 5, 7), at(C, 11, 7), at(D, 9, 7)],
        ],
    ),
    entry(0x4000_4c00, (0, 19), 64, [&[at(A, 0, 8), at(C, 10, 8)], &[at(A, 1, 8), at(C, 11, 8)]]),
    entry(0x4000_5000, (0, 20), 65, [&[at(C, 12, 8)], &[at(D, 2, 8)]]),
];

/// The low-power one.
const LOW_POWER: Entry<2> = entry(
    0x4000_8000,
    (2, 0),
    66,
    [&[at(A, 2, 8), at(B, 11, 8), at(C, 1, 8), at(G, 7, 8)], &[at(A, 3, 8), at(B, 10, 8), at(C, 0, 8), at(G, 8, 8)]],
);

impl<const SIGNALS: usize> Entry<SIGNALS> {
    /// The device, with what enables it.
    fn unit(&self, clocks: &[Clocks; 3], port: Box<dyn Port>) -> Unit {
        Unit {
            base: self.base,
            size: 0x400,
            interrupt: self.interrupt,
            gate: clocks[self.bus].gate(self.bit),
            is_awake: false,
            has_aliases: false,
            port,
        }
    }

    /// The number of the bus, of which the first one has two registers on an L5.
    fn bus(&self) -> usize {
        self.bus % 2
    }
}

/// The devices of a chip.
pub(super) fn units(chip: Chip, environment: &Environment<'_>) -> Vec<Unit> {
    let (clocks, controllers, lines, low_power) = match chip {
        Chip::F103 => (F1, SPI_OF_F1, UART_OF_F1, None),
        Chip::F205 | Chip::F405 => (F4, SPI_OF_F4, UART_OF_F4, None),
        Chip::F411 => (F4, SPI_OF_F411, UART_OF_F411, None),
        Chip::F446 => (F4, SPI_OF_F446, UART_OF_F4, None),
        Chip::L552 => (L5, SPI_OF_L5, UART_OF_L5, Some(LOW_POWER)),
    };
    let (spi_kind, uart_kind) = match chip {
        Chip::L552 => (spi::Kind::Fifo, uart::Kind::Late),
        Chip::F103 | Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => (spi::Kind::Single, uart::Kind::Early),
    };
    let spi = |entry: &Entry<3>| {
        entry.unit(&clocks, Box::new(spi::Stm32::new(spi_kind, entry.bus(), entry.places, environment)))
    };
    let uart = |entry: &Entry<2>, kind: uart::Kind| {
        entry.unit(&clocks, Box::new(uart::Stm32::new(kind, entry.bus(), entry.places, environment)))
    };
    let lines = lines.iter().map(|entry| uart(entry, uart_kind));
    let low_power = low_power.iter().map(|entry| uart(entry, uart::Kind::LowPower));
    controllers.iter().map(spi).chain(lines).chain(low_power).collect()
}

/// The DMA controllers of a chip.
pub(super) fn dma(chip: Chip) -> Dma {
    let of_f4 = clocks(0x4002_3830, 0x20);
    let of_l5 = clocks(0x4002_1048, 0x20);
    let (controller, blocks): (Box<dyn dma::Controller>, Vec<(u32, Gate)>) = match chip {
        Chip::F103 => {
            let gate = Gate { clock: Some((0x4002_1014, 0)), reset: None };
            (Box::new(dma::Channels::f1()), vec![(0x4002_0000, gate)])
        }
        Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => {
            let blocks = vec![(0x4002_6000, of_f4.gate(21)), (0x4002_6400, of_f4.gate(22))];
            (Box::new(dma::Streams::new(chip)), blocks)
        }
        Chip::L552 => {
            let blocks = [(0x4002_0000, 0), (0x4002_0400, 1), (0x4002_0800, 2)];
            (Box::new(dma::Channels::l5()), blocks.map(|(base, bit)| (base, of_l5.gate(bit))).to_vec())
        }
    };
    let blocks = blocks.into_iter().map(|(base, gate)| Block { base, size: 0x400, gate, is_awake: false });
    Dma { blocks: blocks.collect(), controller, has_aliases: false, misuse: None }
}
