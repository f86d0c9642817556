//! The I2C controllers (KL25 Sub-Family Reference Manual, 38; KL25 errata, e6070).
//!
//! After each byte the controller holds the clock. It goes on when the program writes the next byte, or reads the one that has arrived, which
//! is acknowledged as TXAK says at its end. A controller that is off forgets that the bus is in use.
//!
//! What the manual forbids ends the program: pins that are not connected; a byte that is written or read before its time; a condition within a
//! byte, or after one that the device takes for an invitation to go on; and a repeated start condition with another factor than one.

use crate::{
    clocks::{Misuse, Shared},
    i2c::{Device, Wires},
    wiring::{Pin, Wiring},
};

pub(super) struct I2c {
    core: u64,
    shared: Shared,
    wires: Wires,
    /// Its own address, the divisor, the control and the filter.
    own: u8,
    divisor: u8,
    control: u8,
    filter: u8,
    /// ARBL, IICIF and RXAK.
    flags: u8,
    data: u8,
    phase: Phase,
    /// The end of a phase that ends by itself.
    until: u64,
    /// The bus is used by somebody, at least until a time.
    is_busy: bool,
    rival: Option<u64>,
    misuse: Option<Misuse>,
}

/// What happens on the bus.
#[derive(Clone)]
enum Phase {
    Idle,
    /// After a start condition.
    Started,
    Addressing(u8),
    Sending(Device, u8),
    Receiving(Device),
    /// The clock is held after a byte, and the device waits for the next one, or sends it.
    Held(Device, Direction),
    /// The clock is held after a byte that was not acknowledged.
    Refused,
    Stopping,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sends,
    Receives,
}

/// Bits of C1.
const ON: u8 = 1 << 7;
const MASTER: u8 = 1 << 5;
const TRANSMITS: u8 = 1 << 4;
const REFUSES: u8 = 1 << 3;
const REPEATS: u8 = 1 << 2;

/// Bits of S.
const COMPLETE: u8 = 1 << 7;
const BUSY: u8 = 1 << 5;
const LOST: u8 = 1 << 4;
const DONE: u8 = 1 << 1;
const UNACKNOWLEDGED: u8 = 1;

/// The first registers of the two controllers.
pub(super) const BASES: [u32; 2] = [0x4006_6000, 0x4006_7000];

/// The pins of the clock, and those of the data, of each controller, with their functions (data sheet KL25P80M48SF0, "KL25 Signal Multiplexing
/// and Pin Assignments").
pub(super) type Functions = &'static [(Pin, u32)];
pub(super) const CLOCKS: [Functions; 2] =
    [&[((1, 0), 2), ((1, 2), 2), ((2, 8), 2), ((4, 24), 5)], &[((0, 3), 2), ((2, 1), 2), ((2, 10), 2), ((4, 1), 6)]];
pub(super) const DATA: [Functions; 2] =
    [&[((1, 1), 2), ((1, 3), 2), ((2, 9), 2), ((4, 25), 5)], &[((0, 4), 2), ((2, 2), 2), ((2, 11), 2), ((4, 0), 6)]];

/// The divisors ("I2C divider and hold values").
const DIVISORS: [u64; 64] = [
    20, 22, 24, 26, 28, 30, 34, 40, 28, 32, 36, 40, 44, 48, 56, 68, 48, 56, 64, 72, 80, 88, 104, 128, 80, 96, 112, 128,
    144, 160, 192, 240, 160, 192, 224, 256, 288, 320, 384, 480, 320, 384, 448, 512, 576, 640, 768, 960, 640, 768, 896,
    1024, 1152, 1280, 1536, 1920, 1280, 1536, 1792, 2048, 2304, 2560, 3072, 3840,
];

impl I2c {
    pub(super) fn new(core: u64, shared: Shared, wiring: &Wiring) -> I2c {
        I2c {
            core,
            shared,
            wires: Wires::new(wiring),
            own: 0,
            divisor: 0,
            control: 0,
            filter: 0,
            flags: 0,
            data: 0,
            phase: Phase::Idle,
            until: 0,
            is_busy: false,
            rival: None,
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    pub(super) fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }

    fn has(&self, bit: u8) -> bool {
        self.control & bit != 0
    }

    /// The program has raised the clock by its pin; these may be that of the data.
    pub(super) fn pulse(&self, data: &[Pin]) {
        self.wires.pulse(data);
    }

    /// The bits in a second.
    fn rate(&self) -> u64 {
        let factor = 1 << (self.divisor >> 6);
        self.shared.get().buses[0] / (factor * DIVISORS[usize::from(self.divisor & 0x3f)])
    }

    fn begin(&mut self, phase: Phase, at: u64, bits: u64) {
        self.phase = phase;
        self.until = at + bits * self.core / self.rate().max(1);
    }

    /// Ends what has ended until now. The pins are those of the clock and the data, where they are connected.
    pub(super) fn advance(&mut self, now: u64, pins: [Option<Pin>; 2]) {
        let is_held = |pin: Option<Pin>| pin.is_some_and(|pin| self.wires.is_held(pin));
        let [clock_held, data_held] = pins.map(is_held);
        if self.rival.is_some_and(|rival| rival <= now) {
            (self.rival, self.is_busy) = (None, false);
        }
        if self.has(ON) && data_held {
            self.is_busy = true;
        }
        if clock_held {
            self.until = self.until.max(now + 1);
        }
        if self.until > now {
            return;
        }
        let at = self.until;
        match self.phase.clone() {
            Phase::Addressing(address) => self.addressed(address, at, pins),
            Phase::Sending(device, byte) => {
                let is_taken = device.borrow_mut().write(byte);
                self.hold(is_taken.then_some((device, Direction::Sends)));
            }
            Phase::Receiving(device) => {
                self.data = device.borrow_mut().read();
                let acknowledges = !self.has(REFUSES);
                self.hold(acknowledges.then_some((device, Direction::Receives)));
            }
            Phase::Stopping => (self.phase, self.is_busy) = (Phase::Idle, false),
            Phase::Idle | Phase::Started | Phase::Held(..) | Phase::Refused => {}
        }
    }

    fn addressed(&mut self, address: u8, at: u64, pins: [Option<Pin>; 2]) {
        if pins.contains(&None) {
            self.forbid("the pins of the I2C bus are not those of the controller");
        }
        self.wires.note(self.rate());
        if self.wires.has_rival() {
            // It uses the bus for a millisecond.
            self.rival = Some(at + self.core / 1000);
            return self.lose();
        }
        let direction = if address & 1 == 1 { Direction::Receives } else { Direction::Sends };
        let device = self.wires.call(address);
        self.hold(device.map(|device| (device, direction)));
    }

    /// A byte is complete, and acknowledged if it says with whom to go on.
    fn hold(&mut self, device: Option<(Device, Direction)>) {
        self.flags = self.flags & !UNACKNOWLEDGED | DONE | u8::from(device.is_none());
        self.phase = device.map_or(Phase::Refused, |(device, direction)| Phase::Held(device, direction));
    }

    /// The arbitration is lost.
    fn lose(&mut self) {
        self.flags |= LOST | DONE;
        self.control &= !MASTER;
        self.phase = Phase::Idle;
    }

    fn write_control(&mut self, value: u8, now: u64) {
        let was_master = self.has(MASTER);
        self.control = value & !REPEATS;
        if !self.has(ON) {
            (self.phase, self.is_busy, self.rival, self.flags) = (Phase::Idle, false, None, 0);
            return;
        }
        match (was_master, self.has(MASTER)) {
            (false, true) if self.is_busy => self.lose(),
            (false, true) => (self.phase, self.is_busy) = (Phase::Started, true),
            (true, false) => self.stop(now),
            (true, true) if value & REPEATS != 0 => self.repeat(),
            (true, true) | (false, false) => {}
        }
    }

    fn stop(&mut self, now: u64) {
        match self.phase {
            Phase::Held(_, Direction::Receives) => self.forbid("a stop condition follows a byte that is acknowledged"),
            Phase::Held(_, Direction::Sends) | Phase::Refused | Phase::Started => self.begin(Phase::Stopping, now, 1),
            Phase::Idle | Phase::Addressing(_) | Phase::Sending(..) | Phase::Receiving(_) | Phase::Stopping => {
                self.forbid("a stop condition is requested within a byte");
            }
        }
    }

    fn repeat(&mut self) {
        if self.divisor >> 6 != 0 {
            self.forbid("a start condition is repeated with another factor than one");
        }
        match self.phase {
            Phase::Held(_, Direction::Sends) | Phase::Refused => self.phase = Phase::Started,
            Phase::Idle
            | Phase::Started
            | Phase::Addressing(_)
            | Phase::Sending(..)
            | Phase::Receiving(_)
            | Phase::Held(_, Direction::Receives)
            | Phase::Stopping => self.forbid("a start condition is repeated within a byte"),
        }
    }

    fn write_data(&mut self, byte: u8, now: u64) {
        match self.phase.clone() {
            _ if !self.has(TRANSMITS) => self.forbid("the data register is written while the controller receives"),
            Phase::Started if byte >> 1 == self.own >> 1 => self.forbid("the controller calls its own address"),
            Phase::Started => self.begin(Phase::Addressing(byte), now, 10),
            Phase::Held(device, Direction::Sends) => self.begin(Phase::Sending(device, byte), now, 9),
            Phase::Idle
            | Phase::Addressing(_)
            | Phase::Sending(..)
            | Phase::Receiving(_)
            | Phase::Held(_, Direction::Receives)
            | Phase::Refused
            | Phase::Stopping => self.forbid("the data register is written before its time"),
        }
    }

    fn read_data(&mut self, now: u64) -> u8 {
        if self.has(MASTER) && !self.has(TRANSMITS) {
            match self.phase.clone() {
                Phase::Held(device, Direction::Receives) => self.begin(Phase::Receiving(device), now, 9),
                Phase::Refused => self.forbid("it receives a byte after the last one"),
                Phase::Idle
                | Phase::Started
                | Phase::Addressing(_)
                | Phase::Sending(..)
                | Phase::Receiving(_)
                | Phase::Held(_, Direction::Sends)
                | Phase::Stopping => self.forbid("the data register is read before a byte has arrived"),
            }
        }
        self.data
    }

    fn status(&self) -> u8 {
        let is_running = matches!(self.phase, Phase::Addressing(_) | Phase::Sending(..) | Phase::Receiving(_));
        self.flags | if is_running { 0 } else { COMPLETE } | if self.is_busy { BUSY } else { 0 }
    }

    pub(super) fn read(&mut self, offset: u32, now: u64) -> u8 {
        match offset {
            0 => self.own,
            1 => self.divisor,
            2 => self.control,
            3 => self.status(),
            4 => self.read_data(now),
            6 => self.filter,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u8, now: u64) {
        match offset {
            0 => self.own = value,
            1 if self.has(MASTER) => self.forbid("the rate changes within a transfer"),
            1 => self.divisor = value,
            2 => self.write_control(value, now),
            3 => self.flags &= !(value & (LOST | DONE)),
            4 => self.write_data(value, now),
            6 => self.filter = value & 0x1f,
            _ => {}
        }
    }
}
