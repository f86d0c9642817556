//! Clock gates and pins of the LM3S6965 (LM3S6965 data sheet, 5.5, chapter 8, and 2.5 "Interrupts").
//!
//! An access to a device without its clock faults, also in the three cycles after the clock is enabled, and so does one where there is no
//! device. The input of a pin is low until its digital part is enabled.

mod port;

use super::Device;
use crate::wiring::{Levels, Pin, Wiring};
use port::Port;

pub(crate) struct Stellaris {
    /// RCGC0 to RCGC2, and when each bit was set.
    gates: [u32; 3],
    since: [[u64; 32]; 3],
    ports: [Port; 7],
    levels: Levels,
}

/// The first register of gates.
const GATES: u32 = 0x400f_e100;

/// The cycles in which a device with a new clock does not answer yet (5.2.6).
const DELAY: u64 = 3;

/// The devices that have a gate: the page of each, the register of the gate, and its bit.
const GATED: [(u32, usize, u32); 27] = [
    (0x4000_0000, 0, 3),
    (0x4000_4000, 2, 0),
    (0x4000_5000, 2, 1),
    (0x4000_6000, 2, 2),
    (0x4000_7000, 2, 3),
    (0x4000_8000, 1, 4),
    (0x4000_c000, 1, 0),
    (0x4000_d000, 1, 1),
    (0x4000_e000, 1, 2),
    (0x4002_0000, 1, 12),
    (0x4002_1000, 1, 14),
    (0x4002_4000, 2, 4),
    (0x4002_5000, 2, 5),
    (0x4002_6000, 2, 6),
    (0x4002_8000, 0, 20),
    (0x4002_c000, 1, 8),
    (0x4002_d000, 1, 9),
    (0x4003_0000, 1, 16),
    (0x4003_1000, 1, 17),
    (0x4003_2000, 1, 18),
    (0x4003_3000, 1, 19),
    (0x4003_8000, 0, 16),
    (0x4003_c000, 1, 24),
    (0x4004_8000, 2, 28),
    (0x400f_c000, 0, 6),
    // The control of flash and that of the system always have a clock.
    (0x400f_d000, 0, 31),
    (0x400f_e000, 0, 31),
];

/// The bit of devices that always have a clock.
const ALWAYS: u32 = 31;

/// The first registers of the ports A to D, and of E to G.
const PORTS: [u32; 7] = [0x4000_4000, 0x4000_5000, 0x4000_6000, 0x4000_7000, 0x4002_4000, 0x4002_5000, 0x4002_6000];
const INTERRUPTS: [u32; 7] = [0, 1, 2, 3, 4, 30, 31];

impl Stellaris {
    pub(crate) fn new(wiring: &Wiring) -> Stellaris {
        Stellaris { gates: [0x40, 0, 0], since: [[0; 32]; 3], ports: Default::default(), levels: wiring.levels.clone() }
    }

    /// Whether there is a device with a clock.
    fn answers(&self, address: u32, now: u64) -> bool {
        let gate = GATED.iter().find(|(page, ..)| *page == address & !0xfff);
        gate.is_some_and(|&(_, register, bit)| {
            let is_open = self.gates[register] >> bit & 1 == 1;
            bit == ALWAYS || is_open && now >= self.since[register][bit as usize] + DELAY
        })
    }

    fn open(&mut self, register: usize, value: u32, now: u64) {
        let new = value & !self.gates[register];
        (0..32).filter(|bit| new >> bit & 1 == 1).for_each(|bit| self.since[register][bit] = now);
        self.gates[register] = value;
    }

    fn observe(&mut self) {
        for (index, port) in self.ports.iter_mut().enumerate() {
            port.observe(index as u32, &self.levels.borrow());
        }
    }

    fn port(&mut self, address: u32) -> Option<&mut Port> {
        let index = PORTS.iter().position(|base| *base == address & !0xfff)?;
        self.ports.get_mut(index)
    }
}

impl Device for Stellaris {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if !self.answers(address, now) {
            return None;
        }
        self.observe();
        let gate = (address.wrapping_sub(GATES) / 4) as usize;
        let port = self.port(address).map(|port| port.read(address & 0xfff));
        Some(port.or(self.gates.get(gate).copied()).unwrap_or(0))
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Option<()> {
        if !self.answers(address, now) {
            return None;
        }
        self.observe();
        let gate = (address.wrapping_sub(GATES) / 4) as usize;
        if let Some(port) = self.port(address) {
            port.write(address & 0xfff, value);
        } else if gate < self.gates.len() {
            self.open(gate, value, now);
        }
        self.observe();
        Some(())
    }

    fn level(&self, (index, number): Pin) -> Option<bool> {
        let port = self.ports.get(index as usize)?;
        Some(port.level((index, number), &self.levels.borrow()))
    }

    fn lines(&mut self, _: u64) -> u128 {
        self.observe();
        let asserted = self.ports.iter().zip(INTERRUPTS).filter(|(port, _)| port.interrupts());
        asserted.fold(0, |lines, (_, interrupt)| lines | 1 << interrupt)
    }

    fn due(&self) -> Option<u64> {
        None
    }
}
