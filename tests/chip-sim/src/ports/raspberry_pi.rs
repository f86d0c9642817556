//! Where the devices of RP2040 and RP2350 are: registers, resets, interrupts and pins (RP2040 data sheet, 2.2, 2.3.2, 2.14 and 2.19.2; RP2350
//! data sheet, 2.2, 3.2, 7.5 and 9.4).

use super::{
    blocks::{Block, Dma},
    gates::Gate,
    unit::Unit,
};
use crate::{
    dma, pins,
    port::{Environment, Port},
    spi, uart,
};
use std::{cell::RefCell, rc::Rc};

/// The pins of a chip.
pub(super) fn pins(is_later: bool) -> pins::Shared {
    let pins = if is_later { pins::RaspberryPi::rp2350() } else { pins::RaspberryPi::rp2040() };
    Rc::new(RefCell::new(pins))
}

/// A device: its first register, its interrupt, and its bit in RESETS.
type Entry = (u32, u32, u32);

const SPI_OF_RP2040: [Entry; 2] = [(0x4003_c000, 18, 16), (0x4004_0000, 19, 17)];
const SPI_OF_RP2350: [Entry; 2] = [(0x4008_0000, 31, 18), (0x4008_8000, 32, 19)];
const UART_OF_RP2040: [Entry; 2] = [(0x4003_4000, 20, 22), (0x4003_8000, 21, 23)];
const UART_OF_RP2350: [Entry; 2] = [(0x4007_0000, 33, 26), (0x4007_8000, 34, 27)];

/// The devices of a chip.
pub(super) fn units(is_later: bool, environment: &Environment<'_>) -> Vec<Unit> {
    let (controllers, lines) = if is_later { (SPI_OF_RP2350, UART_OF_RP2350) } else { (SPI_OF_RP2040, UART_OF_RP2040) };
    let unit = |(base, interrupt, bit): Entry, port: Box<dyn Port>| Unit {
        base,
        size: 0x4000,
        interrupt,
        gate: gate(is_later, bit),
        is_awake: false,
        has_aliases: true,
        port,
    };
    let spi =
        |(entry, number)| unit(entry, Box::new(spi::Pl022::new(spi::places_of_raspberry_pi(number), environment)));
    let uart = |(entry, number)| unit(entry, Box::new(uart::Pl011::new(number, is_later, environment)));
    controllers.into_iter().zip(0..).map(spi).chain(lines.into_iter().zip(0..).map(uart)).collect()
}

/// A bit of RESETS.
fn gate(is_later: bool, bit: u32) -> Gate {
    let resets = if is_later { 0x4002_0000 } else { 0x4000_c000 };
    Gate { clock: None, reset: Some((resets, bit)) }
}

/// The DMA controller of a chip.
pub(super) fn dma(is_later: bool) -> Dma {
    let controller = if is_later { dma::RaspberryPi::rp2350() } else { dma::RaspberryPi::rp2040() };
    let block = Block { base: 0x5000_0000, size: 0x4000, gate: gate(is_later, 2), is_awake: false };
    Dma { blocks: vec![block], controller: Box::new(controller), has_aliases: true, misuse: None }
}
