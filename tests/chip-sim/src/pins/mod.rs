//! What the pins of STM32, RP2040, RP2350 and MPS2 boards are connected to, as the program has configured them: for the devices whose signals they carry.
//! The levels that the program reads, and the edges, are in `devices`.

mod mps2;
mod raspberry_pi;
mod stm32;

pub(crate) use mps2::{ALTERNATE, HEADERS, Mps2};
pub(crate) use raspberry_pi::{BY_PROGRAM, PINS, RaspberryPi};
pub(crate) use stm32::{Stm32, frees_jtag, is_of_jtag};

use crate::wiring::Pin;
use std::{cell::RefCell, rc::Rc};

/// What a pin is connected to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Connection {
    /// To nothing that is modelled, or to an analog input.
    Nothing,
    /// It is an input of the program, and on an STM32F1 also of devices.
    Input,
    /// It is an output of the program, with this level.
    Output(bool),
    /// A device of this function drives it, or reads it; on an STM32F1, whose pins have one function each, the number is zero.
    Device(u32),
    /// The same, as an open drain.
    OpenDrain(u32),
}

/// The pins of a chip.
pub(crate) trait Pins {
    /// Sees a write of any register.
    fn write(&mut self, address: u32, value: u32);
    /// What a pin is connected to.
    fn connection(&self, pin: Pin) -> Connection;
    /// The register that selects other pins for devices, on an STM32F1.
    fn remapped(&self) -> u32 {
        0
    }
}

/// The pins, which devices share.
pub(crate) type Shared = Rc<RefCell<dyn Pins>>;

/// None.
impl Pins for () {
    fn write(&mut self, _: u32, _: u32) {}

    fn connection(&self, _: Pin) -> Connection {
        Connection::Nothing
    }
}

/// A place where a signal of a device can be: a pin with this connection, where bits of the register that selects pins have a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pin: Pin,
    connection: Connection,
    bits: u32,
    value: u32,
}

impl Place {
    /// A pin with a function.
    pub(crate) const fn new(pin: Pin, function: u32) -> Place {
        Place { pin, connection: Connection::Device(function), bits: 0, value: 0 }
    }

    /// A pin of an STM32F1 that a device drives, with the bits that select it, and their value.
    pub(crate) const fn driven(pin: Pin, (bits, value): (u32, u32)) -> Place {
        Place { pin, connection: Connection::Device(0), bits, value }
    }

    /// The same for one that it reads.
    pub(crate) const fn read(pin: Pin, (bits, value): (u32, u32)) -> Place {
        Place { pin, connection: Connection::Input, bits, value }
    }

    /// Whether a signal is at one of these places.
    pub(crate) fn is_any(places: &[Place], pins: &dyn Pins) -> bool {
        places
            .iter()
            .any(|place| pins.connection(place.pin) == place.connection && pins.remapped() & place.bits == place.value)
    }
}
