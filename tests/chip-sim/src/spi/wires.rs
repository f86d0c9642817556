//! The lines of a bus, with the devices at it.

use crate::{
    pins::{self, Connection},
    port::Environment,
    wiring::{Levels, Pin, Selected},
};
use std::{cell::Cell, rc::Rc};

/// When data are read: the level at which the clock rests, and whether it is at its second edge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Mode {
    pub(super) rests_high: bool,
    pub(super) at_second: bool,
}

/// What is sent, and in which way.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) bits: u32,
    pub(super) mode: Mode,
    pub(super) lowest_first: bool,
}

pub(super) struct Wires {
    devices: Vec<Selected>,
    pub(super) pins: pins::Shared,
    levels: Levels,
    rate: Rc<Cell<Option<u64>>>,
}

impl Wires {
    pub(super) fn new(environment: &Environment<'_>) -> Wires {
        let wiring = environment.wiring;
        Wires {
            devices: wiring.spi.clone(),
            pins: environment.pins.clone(),
            levels: wiring.levels.clone(),
            rate: wiring.spi_rate.clone(),
        }
    }

    /// The level of a pin; one that nothing drives is high.
    fn level(&self, pin: Pin) -> bool {
        let driven = self.levels.borrow().get(&pin).copied();
        driven.unwrap_or_else(|| match self.pins.borrow().connection(pin) {
            Connection::Output(level) => level,
            Connection::Nothing | Connection::Input | Connection::Device(_) | Connection::OpenDrain(_) => true,
        })
    }

    /// Sends a frame of one or two bytes, and returns the one that came meanwhile. Devices read at rising edges.
    pub(super) fn exchange(&self, value: u16, frame: Frame) -> u16 {
        let device = self.devices.iter().find(|(pin, _)| !self.level(*pin));
        let Some((_, device)) = device.filter(|_| frame.mode.rests_high == frame.mode.at_second) else { return 0 };
        let turned = |value: u16| if frame.lowest_first { value.reverse_bits() >> (16 - frame.bits) } else { value };
        let bytes = turned(value).to_be_bytes();
        let first = if frame.bits == 8 { 1 } else { 0 };
        let level = |pin: Pin| self.level(pin);
        let answer = bytes[first..]
            .iter()
            .fold(0, |answer, byte| answer << 8 | u16::from(device.borrow_mut().exchange(*byte, &level)));
        turned(answer)
    }

    /// Notes the bits in a second of a frame.
    pub(super) fn note(&self, rate: u64) {
        self.rate.set(Some(rate));
    }
}
