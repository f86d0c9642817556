//! Pins (nRF51 Reference Manual, 14; nRF52833 Product Specification, 6.8). An input is high unless something drives it.

use crate::wiring::{Levels, Pin};
use std::collections::BTreeMap;

pub(super) struct Gpio {
    /// The first port, without the gap before it.
    base: u32,
    ports: [Port; 2],
    levels: Levels,
    /// The pin that a bus pulls low.
    pub(super) pulled: Option<Pin>,
    /// The pins that tasks of the GPIOTE drive, with their levels.
    pub(super) driven: BTreeMap<Pin, bool>,
}

#[derive(Default)]
struct Port {
    out: u32,
    configuration: [u32; 32],
}

/// Bits of the configuration of an output that does not drive a high level.
const OPEN: u32 = 0x600;

/// The distance of the ports.
const SIZE: u32 = 0x300;

impl Gpio {
    pub(super) fn new(base: u32, levels: Levels) -> Gpio {
        Gpio { base, ports: Default::default(), levels, pulled: None, driven: BTreeMap::new() }
    }

    /// The port and the register of an address: those of the second port begin where none of the first one is.
    fn place(&self, address: u32) -> Option<(usize, u32)> {
        let offset = address.checked_sub(self.base)?;
        let is_register = |offset: u32| (0x504..0x520).contains(&offset) || (0x700..0x780).contains(&offset);
        [0, 1].into_iter().find_map(|port| {
            let own = offset.checked_sub(port * SIZE)?;
            is_register(own).then_some((port as usize, own))
        })
    }

    /// The configuration of a pin.
    pub(super) fn configuration(&self, (port, number): Pin) -> u32 {
        self.ports.get(port as usize).map_or(0, |port| port.configuration[number as usize % 32])
    }

    pub(super) fn is_output(&self, pin: Pin) -> bool {
        self.configuration(pin) & 1 == 1
    }

    /// The level that the program has made for when the pin is an output.
    pub(super) fn out(&self, (port, number): Pin) -> bool {
        self.ports[port as usize].out >> number & 1 == 1
    }

    /// Whether a pin is high.
    pub(super) fn level(&self, (port, number): Pin) -> bool {
        if let Some(level) = self.driven.get(&(port, number)) {
            return *level;
        }
        let is_output = self.is_output((port, number));
        let is_high = self.out((port, number));
        if is_output && self.configuration((port, number)) & OPEN != OPEN {
            return is_high;
        }
        let is_pulled = is_output && !is_high || self.pulled == Some((port, number));
        !is_pulled && self.levels.borrow().get(&(port, number)).copied().unwrap_or(true)
    }

    fn bits(&self, port: usize, of: impl Fn(Pin) -> bool) -> u32 {
        (0..32).fold(0, |bits, number| bits | u32::from(of((port as u32, number))) << number)
    }

    pub(super) fn read(&self, address: u32) -> Option<u32> {
        let (port, offset) = self.place(address)?;
        Some(match offset {
            0x504..=0x50c => self.ports[port].out,
            0x510 => self.bits(port, |pin| self.level(pin)),
            0x514..=0x51c => self.bits(port, |pin| self.is_output(pin)),
            _ => self.ports[port].configuration[(offset - 0x700) as usize / 4],
        })
    }

    pub(super) fn write(&mut self, address: u32, value: u32) -> Option<()> {
        let (port, offset) = self.place(address)?;
        let port = &mut self.ports[port];
        let directions = |port: &mut Port, value: u32, of: fn(u32, u32) -> u32| {
            for (number, configuration) in port.configuration.iter_mut().enumerate() {
                *configuration = *configuration & !1 | of(*configuration & 1, value >> number & 1);
            }
        };
        match offset {
            0x504 => port.out = value,
            0x508 => port.out |= value,
            0x50c => port.out &= !value,
            0x514 => directions(port, value, |_, new| new),
            0x518 => directions(port, value, |old, new| old | new),
            0x51c => directions(port, value, |old, new| old & !new),
            0x700..0x780 => port.configuration[(offset - 0x700) as usize / 4] = value,
            _ => {}
        }
        Some(())
    }
}
