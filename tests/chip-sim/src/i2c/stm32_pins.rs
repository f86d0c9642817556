//! The pins of I2C1 of STM32: PB6 or PB8 is the clock, PB7 or PB9 the data (RM0008, 9.1.11 and 9.3.9; data sheets of STM32F4 and L5,
//! "Alternate function mapping": 4). A pin belongs to the controller as an open drain only.

use crate::{
    pins::{self, Connection, Pins as _},
    wiring::Pin,
};

pub(super) struct Pins {
    pins: pins::Stm32,
    /// The function of the controller, and the pins of its clock and of its data.
    function: u32,
    clocks: &'static [u32],
    data: &'static [u32],
    /// The bit of AFIO_MAPR of an F1 that chooses the second pins (RM0008, 9.4.2).
    map: u32,
}

/// Those of the clock, and those of the data.
const CLOCKS: [u32; 2] = [6, 8];
const DATA: [u32; 2] = [7, 9];
const B: u32 = 1;

impl Pins {
    pub(super) fn f1() -> Pins {
        Pins { pins: pins::Stm32::f1(), function: 0, clocks: &CLOCKS, data: &DATA, map: 2 }
    }

    pub(super) fn f4() -> Pins {
        Pins { pins: pins::Stm32::f4(), function: 4, clocks: &CLOCKS, data: &DATA, map: 0 }
    }

    pub(super) fn l5() -> Pins {
        Pins { pins: pins::Stm32::l5(), function: 4, clocks: &CLOCKS, data: &DATA, map: 0 }
    }

    /// The pins of the clock and the data that are connected.
    pub(super) fn connected(&self) -> Option<[Pin; 2]> {
        let is_shared = |pin: Pin| self.pins.connection(pin) == Connection::OpenDrain(self.function);
        let chosen = usize::from(self.pins.remapped() & self.map != 0);
        let find = |numbers: &[u32]| {
            let numbers = if self.map == 0 { numbers } else { &numbers[chosen..=chosen] };
            numbers.iter().map(|number| (B, *number)).find(|pin| is_shared(*pin))
        };
        Some([find(self.clocks)?, find(self.data)?])
    }

    /// The pins that may be that of the data.
    pub(super) fn data() -> [Pin; 2] {
        DATA.map(|number| (B, number))
    }

    /// Sees a write of any register; whether the program has raised the clock of the bus.
    pub(super) fn write(&mut self, address: u32, value: u32) -> bool {
        let before = self.pins.outputs(B);
        self.pins.write(address, value);
        let raised = self.pins.outputs(B) & !before;
        let is_raised = |number: u32| matches!(self.pins.connection((B, number)), Connection::Output(true));
        raised != 0 && CLOCKS.into_iter().any(|number| raised >> number & 1 == 1 && is_raised(number))
    }
}
