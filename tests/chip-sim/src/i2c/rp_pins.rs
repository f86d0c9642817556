//! The pins of I2C0 of RP2040 and RP2350: of each four the first is that of the data, and the second that of the clock (RP2040 data sheet,
//! 2.19.2; RP2350 data sheet, 9.4).

use crate::{
    pins::{self, BY_PROGRAM, Connection, PINS, Pins as _},
    wiring::Pin,
};

pub(super) struct Pins(pins::RaspberryPi);

const BY_CONTROLLER: u32 = 3;

impl Pins {
    pub(super) fn rp2040() -> Pins {
        Pins(pins::RaspberryPi::rp2040())
    }

    pub(super) fn rp2350() -> Pins {
        Pins(pins::RaspberryPi::rp2350())
    }

    /// The pins of the clock and the data that are connected.
    pub(super) fn connected(&self) -> Option<[Pin; 2]> {
        let is_shared = |pin: &Pin| self.0.connection(*pin) == Connection::Device(BY_CONTROLLER);
        let find = |first: u32| (first..PINS as u32).step_by(4).map(|number| (0, number)).find(is_shared);
        Some([find(1)?, find(0)?])
    }

    /// The pins that may be that of the data.
    pub(super) fn data() -> impl Iterator<Item = Pin> {
        (0..PINS as u32).step_by(4).map(|number| (0, number))
    }

    /// Sees a write of any register; whether the program has released the clock of the bus.
    pub(super) fn write(&mut self, address: u32, value: u32) -> bool {
        let before = self.0.outputs();
        self.0.write(address, value);
        let released = before & !self.0.outputs();
        let is_released = |number: usize| self.0.function(number) == BY_PROGRAM && released >> number & 1 == 1;
        released != 0 && (1..PINS).step_by(4).any(is_released)
    }
}
