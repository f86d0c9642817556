//! The two lines of a bus with what is connected to them.

use crate::wiring::{I2cDevice, I2cLines, Levels, Pin, Wiring};
use std::{cell::RefCell, rc::Rc};

/// A device at the bus.
pub(crate) type Device = Rc<RefCell<dyn I2cDevice>>;

pub(crate) struct Wires {
    devices: Vec<Device>,
    levels: Levels,
    lines: Rc<RefCell<I2cLines>>,
}

impl Wires {
    pub(crate) fn new(wiring: &Wiring) -> Wires {
        Wires { devices: wiring.i2c.clone(), levels: wiring.levels.clone(), lines: wiring.i2c_lines.clone() }
    }

    /// The device with an address and a direction, to which a transfer begins.
    pub(crate) fn call(&self, address: u8) -> Option<Device> {
        let is_called = |device: &&Device| device.borrow().address() == u32::from(address >> 1);
        let device = self.devices.iter().find(is_called).cloned();
        if let Some(device) = &device {
            device.borrow_mut().begin(address & 1 == 1);
        }
        device
    }

    /// Whether something holds a line.
    pub(crate) fn is_held(&self, pin: Pin) -> bool {
        self.levels.borrow().get(&pin) == Some(&false)
    }

    /// A pulse of the clock by the program; a device that has sent its last bit then releases the data line, one of these pins.
    pub(crate) fn pulse(&self, data: &[Pin]) {
        let mut lines = self.lines.borrow_mut();
        lines.pulses = lines.pulses.map(|pulses| pulses.saturating_sub(1));
        if lines.pulses == Some(0) {
            lines.pulses = None;
            self.levels.borrow_mut().retain(|pin, _| !data.contains(pin));
        }
    }

    /// Whether another controller takes the bus now.
    pub(crate) fn has_rival(&self) -> bool {
        std::mem::take(&mut self.lines.borrow_mut().has_rival)
    }

    /// Notes the rate of a transfer.
    pub(crate) fn note(&self, rate: u64) {
        self.lines.borrow_mut().rate = Some(rate);
    }
}
