//! Where the serial lines and the SPI controllers of MPS2 boards are (Application Note AN385, 3.1 and 3.3; Application Note AN505, "Memory map"
//! and "Interrupts"), and the pins of the headers that the ports connect to them (Mbed OS, serial_api.c and spi_api.c of
//! targets/TARGET_ARM_FM/TARGET_FVP_MPS2; Zephyr, include/zephyr/dt-bindings/pinctrl/arm-mps2-pinctrl.h).

use super::{gates::Gate, unit::Unit};
use crate::{
    bus::Mps2Image,
    pins::{self, ALTERNATE, HEADERS, Place},
    port::{Environment, Port},
    spi, uart,
};
use std::{cell::RefCell, rc::Rc};

/// The pins of a board.
pub(super) fn pins(image: Mps2Image) -> pins::Shared {
    Rc::new(RefCell::new(pins::Mps2::new(image)))
}

/// A device: its first register and its first interrupt.
type Entry = (u32, u32);

/// The lines, each with an interrupt for receiving before that for sending.
const LINES_OF_AN385: [Entry; 5] =
    [(0x4000_4000, 0), (0x4000_5000, 2), (0x4000_6000, 4), (0x4000_7000, 18), (0x4000_9000, 20)];
const LINES_OF_AN505: [Entry; 5] =
    [(0x5020_0000, 32), (0x5020_1000, 34), (0x5020_2000, 36), (0x5020_3000, 38), (0x5020_4000, 40)];

/// The pins on which a line sends and receives; the other lines have pins of their own.
const PINS_OF_LINES: [Option<[u32; 2]>; 5] = [None, Some([24, 23]), None, Some([4, 0]), Some([30, 26])];

/// The controllers of the shields, and the pins of the clock, of what they send, and of what they receive.
const SPI_OF_AN385: [Entry; 2] = [(0x4002_6000, 23), (0x4002_7000, 24)];
const SPI_OF_AN505: [Entry; 2] = [(0x5020_a000, 54), (0x5020_b000, 55)];
const PINS_OF_SPI: [[u32; 3]; 2] = [[11, 13, 14], [44, 39, 40]];

/// The place of a signal at a pin of the headers.
fn place(number: u32) -> Vec<Place> {
    vec![Place::new((HEADERS + number / 16, number % 16), ALTERNATE)]
}

/// The devices of a board.
pub(super) fn units(image: Mps2Image, environment: &Environment<'_>) -> Vec<Unit> {
    let (lines, controllers) = match image {
        Mps2Image::An385 => (LINES_OF_AN385, SPI_OF_AN385),
        Mps2Image::An505 => (LINES_OF_AN505, SPI_OF_AN505),
    };
    // They have no clock of their own, and no reset.
    let unit = |(base, interrupt): Entry, port: Box<dyn Port>| Unit {
        base,
        size: 0x1000,
        interrupt,
        gate: Gate { clock: None, reset: None },
        is_awake: true,
        has_aliases: false,
        port,
    };
    let line = |(entry, pins): (Entry, Option<[u32; 2]>)| {
        unit(entry, Box::new(uart::Cmsdk::new(pins.map(|pins| pins.map(place)), environment)))
    };
    let spi = |(entry, pins): (Entry, [u32; 3])| unit(entry, Box::new(spi::Pl022::new(pins.map(place), environment)));
    lines.into_iter().zip(PINS_OF_LINES).map(line).chain(controllers.into_iter().zip(PINS_OF_SPI).map(spi)).collect()
}
