//! I2C1 of STM32F1, F2 and F4 (RM0008, 26; RM0090, 27; errata sheets, "I2C").
//!
//! A byte is received as soon as there is space for it: in the data register, and then in the shift register, after which the clock
//! waits. It is acknowledged by ACK at its end, or with POS by ACK at its beginning. A byte that is still in the shift register when a stop
//! condition has been sent is damaged.

use super::{
    Controller,
    stm32_pins::Pins,
    wires::{Device, Wires},
};
use crate::{
    clocks::{Misuse, Shared},
    wiring::Wiring,
};

const BASE: u32 = 0x4000_5400;
const ENABLED: u32 = 1 << 21;

/// Bits of CR1.
const ON: u32 = 1;
const START: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const ACKNOWLEDGE: u32 = 1 << 10;
const POSITION: u32 = 1 << 11;
const RESET: u32 = 1 << 15;

/// Bits of SR1.
const LOST: u32 = 1 << 9;
const REFUSED: u32 = 1 << 10;

pub(crate) struct Stm32V1 {
    pins: Pins,
    wires: Wires,
    shared: Shared,
    /// The frequency of the core.
    core: u64,
    /// The register that enables the clock.
    enable: u32,
    is_enabled: bool,
    registers: Registers,
    /// The errors in SR1, and whether it was read since the last step.
    errors: u32,
    is_seen: bool,
    phase: Phase,
    /// The end of a phase that ends by itself.
    until: u64,
    /// The data register, and a received byte that follows it.
    data: Option<u8>,
    waiting: Option<u8>,
    /// The bus is used by somebody, at least until a time.
    is_busy: bool,
    rival: Option<u64>,
    misuse: Option<Misuse>,
}

#[derive(Default)]
struct Registers {
    control: u32,
    frequency: u32,
    own: u32,
    divisor: u32,
    rise: u32,
}

/// What happens on the bus.
#[derive(Clone)]
enum Phase {
    Idle,
    /// A start condition waits until the bus is free.
    Waiting,
    Starting,
    /// The flag SB.
    Started,
    Addressing(u8),
    /// The flag ADDR.
    Addressed(Device, Direction),
    /// It waits for a byte to send; whether it has sent one.
    Ready(Device, bool),
    Sending(Device, u8),
    /// From a device that sends as long as its bytes are acknowledged; whether ACK was set at the beginning.
    Receiving(Option<Device>, bool),
    /// Two bytes wait to be read.
    Full(Option<Device>),
    Refused,
    Stopping,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sends,
    Receives,
}

impl Stm32V1 {
    pub(crate) fn f1(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32V1 {
        Stm32V1::new(Pins::f1(), 0x4002_101c, core, shared, wiring)
    }

    pub(crate) fn f4(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32V1 {
        Stm32V1::new(Pins::f4(), 0x4002_3840, core, shared, wiring)
    }

    fn new(pins: Pins, enable: u32, core: u64, shared: &Shared, wiring: &Wiring) -> Stm32V1 {
        Stm32V1 {
            pins,
            wires: Wires::new(wiring),
            shared: shared.clone(),
            core,
            enable,
            is_enabled: false,
            registers: Registers::default(),
            errors: 0,
            is_seen: false,
            phase: Phase::Idle,
            until: 0,
            data: None,
            waiting: None,
            is_busy: false,
            rival: None,
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    fn has(&self, bit: u32) -> bool {
        self.registers.control & bit != 0
    }

    /// The bits in a second (RM0090, 27.6.8).
    fn rate(&self) -> u64 {
        let divisor = self.registers.divisor;
        let parts = match divisor >> 14 {
            3 => 25,
            2 => 3,
            _ => 2,
        };
        self.shared.get().buses[0] / (parts * u64::from(divisor & 0xfff).max(1))
    }

    /// The settings fit the clock (RM0090, 27.6.2, 27.6.8 and 27.6.9).
    fn check_settings(&mut self) {
        let clock = self.shared.get().buses[0];
        let Registers { frequency, divisor, rise, .. } = self.registers;
        let is_fast = divisor >> 15 == 1;
        let (slowest, longest) = if is_fast { (4_000_000, 300) } else { (2_000_000, 1000) };
        if u64::from(frequency & 0x3f) != clock / 1_000_000 || clock < slowest {
            self.forbid("FREQ is not that of the clock, or the clock is too slow");
        }
        let least = if divisor >> 14 == 3 { 1 } else { 4 };
        if divisor & 0xfff < least {
            self.forbid("CCR is too small");
        }
        if u64::from(rise) != longest * (clock / 1_000_000) / 1000 + 1 {
            self.forbid("TRISE does not fit the clock");
        }
        if self.pins.connected().is_none() {
            self.forbid("the pins of the I2C bus are not open drains of the controller");
        }
    }

    fn begin(&mut self, phase: Phase, at: u64, bits: u64) {
        self.phase = phase;
        self.until = at + bits * self.core / self.rate().max(1);
    }

    /// Whether something holds a line that the controller has.
    fn holds(&self, line: usize) -> bool {
        self.pins.connected().is_some_and(|pins| self.wires.is_held(pins[line]))
    }

    /// Ends what has ended until now.
    fn advance(&mut self, now: u64) {
        if self.rival.is_some_and(|rival| rival <= now) {
            (self.rival, self.is_busy) = (None, false);
        }
        if self.has(ON) && (self.holds(0) || self.holds(1)) {
            self.is_busy = true;
        }
        if self.holds(0) {
            self.until = self.until.max(now + 1);
        }
        while self.until <= now {
            let at = self.until;
            match self.phase.clone() {
                Phase::Waiting if self.is_busy => return,
                Phase::Waiting => self.begin(Phase::Starting, now, 1),
                Phase::Starting => {
                    self.registers.control &= !START;
                    self.is_busy = true;
                    self.step(Phase::Started);
                }
                Phase::Addressing(address) => self.addressed(address, at),
                Phase::Sending(device, byte) => self.sent(&device, byte, at),
                Phase::Receiving(device, acknowledges) => self.received(device, acknowledges, at),
                Phase::Stopping => {
                    self.registers.control &= !STOP;
                    self.is_busy = false;
                    self.waiting = self.waiting.map(|byte| byte << 1);
                    self.phase = Phase::Idle;
                }
                Phase::Idle
                | Phase::Started
                | Phase::Addressed(..)
                | Phase::Ready(..)
                | Phase::Full(_)
                | Phase::Refused => return,
            }
        }
    }

    /// A step after which the program has to see SR1.
    fn step(&mut self, phase: Phase) {
        self.phase = phase;
        self.is_seen = false;
    }

    fn addressed(&mut self, address: u8, at: u64) {
        self.wires.note(self.rate());
        if self.wires.has_rival() {
            self.errors |= LOST;
            self.phase = Phase::Idle;
            // It uses the bus for a millisecond.
            self.rival = Some(at + self.core / 1000);
            return;
        }
        let direction = if address & 1 == 1 { Direction::Receives } else { Direction::Sends };
        match self.wires.call(address) {
            Some(device) => self.step(Phase::Addressed(device, direction)),
            None => self.refuse(at),
        }
    }

    fn refuse(&mut self, at: u64) {
        self.errors |= REFUSED;
        self.data = None;
        self.phase = Phase::Refused;
        self.stop_if_requested(at);
    }

    fn sent(&mut self, device: &Device, byte: u8, at: u64) {
        if !device.borrow_mut().write(byte) {
            return self.refuse(at);
        }
        match self.data.take() {
            Some(next) if !self.has(STOP) => self.begin(Phase::Sending(device.clone(), next), at, 9),
            _ => {
                self.phase = Phase::Ready(device.clone(), true);
                self.stop_if_requested(at);
            }
        }
    }

    fn receive(&mut self, device: Option<Device>, at: u64) {
        if device.is_none() {
            self.forbid("it receives a byte after the last one");
        }
        let acknowledges = self.has(ACKNOWLEDGE);
        self.begin(Phase::Receiving(device, acknowledges), at, 9);
    }

    fn received(&mut self, device: Option<Device>, acknowledged: bool, at: u64) {
        let byte = device.as_ref().map_or(0xff, |device| device.borrow_mut().read());
        let acknowledges = if self.has(POSITION) { acknowledged } else { self.has(ACKNOWLEDGE) };
        let device = device.filter(|_| acknowledges);
        if self.data.is_some() {
            self.waiting = Some(byte);
            self.phase = Phase::Full(device);
            self.stop_if_requested(at);
        } else {
            self.data = Some(byte);
            if self.has(STOP) {
                self.phase = Phase::Full(device);
                self.stop_if_requested(at);
            } else {
                self.receive(device, at);
            }
        }
    }

    /// Sends the stop condition, if it is requested and the phase allows it.
    fn stop_if_requested(&mut self, at: u64) {
        if !self.has(STOP) {
            return;
        }
        match &self.phase {
            Phase::Full(Some(_)) => self.forbid("a stop condition follows a byte that is acknowledged"),
            Phase::Idle => self.forbid("a stop condition is requested without a transfer"),
            Phase::Full(None) | Phase::Started | Phase::Ready(..) | Phase::Refused => {
                self.begin(Phase::Stopping, at, 1);
            }
            // It follows later.
            Phase::Waiting
            | Phase::Starting
            | Phase::Addressing(_)
            | Phase::Addressed(..)
            | Phase::Sending(..)
            | Phase::Receiving(..)
            | Phase::Stopping => {}
        }
    }

    fn start(&mut self, now: u64) {
        self.check_settings();
        (self.data, self.waiting) = (None, None);
        match &self.phase {
            Phase::Idle => {
                self.phase = Phase::Waiting;
                self.until = now;
            }
            Phase::Ready(..) | Phase::Refused => self.begin(Phase::Starting, now, 1),
            Phase::Waiting
            | Phase::Starting
            | Phase::Started
            | Phase::Addressing(_)
            | Phase::Addressed(..)
            | Phase::Sending(..)
            | Phase::Receiving(..)
            | Phase::Full(_)
            | Phase::Stopping => self.forbid("a start condition is requested within a byte"),
        }
    }

    fn write_control(&mut self, value: u32, now: u64) {
        if value & RESET != 0 {
            self.registers = Registers::default();
        }
        if value & RESET != 0 || value & ON == 0 {
            self.registers.control = value;
            self.phase = Phase::Idle;
            (self.data, self.waiting, self.errors) = (None, None, 0);
            (self.is_busy, self.rival) = (false, None);
            return;
        }
        if self.has(START | STOP) {
            self.forbid("CR1 is written while it requests a condition");
        }
        self.registers.control = value;
        if value & START != 0 {
            self.start(now);
        }
        self.stop_if_requested(now);
    }

    fn write_data(&mut self, byte: u8, now: u64) {
        match self.phase.clone() {
            Phase::Started if self.is_seen => self.begin(Phase::Addressing(byte), now, 9),
            Phase::Ready(device, _) => self.begin(Phase::Sending(device, byte), now, 9),
            Phase::Sending(..) if self.data.is_none() => self.data = Some(byte),
            Phase::Sending(..) => self.forbid("the data register is written before it is empty"),
            Phase::Idle
            | Phase::Waiting
            | Phase::Starting
            | Phase::Started
            | Phase::Addressing(_)
            | Phase::Addressed(..)
            | Phase::Receiving(..)
            | Phase::Full(_)
            | Phase::Refused
            | Phase::Stopping => self.forbid("the data register is written outside a transfer"),
        }
    }

    fn read_data(&mut self, now: u64) -> u32 {
        let byte = self.data.take();
        if byte.is_none() {
            self.forbid("the data register is read before a byte has arrived");
        }
        self.data = self.waiting.take();
        if let Phase::Full(device) = self.phase.clone() {
            self.receive(device, now);
        }
        u32::from(byte.unwrap_or_default())
    }

    /// Whether the data register is that of a reception.
    fn receives(&self) -> bool {
        !matches!(self.phase, Phase::Ready(..) | Phase::Sending(..))
    }

    /// SR1.
    fn status(&self) -> u32 {
        let flag = |is_set: bool, bit: u32| u32::from(is_set) << bit;
        let is_empty = !self.receives() && self.data.is_none();
        flag(matches!(self.phase, Phase::Started), 0)
            | flag(matches!(self.phase, Phase::Addressed(..)), 1)
            | flag(matches!(self.phase, Phase::Ready(_, true)) || self.waiting.is_some(), 2)
            | flag(self.receives() && self.data.is_some(), 6)
            | flag(is_empty, 7)
            | self.errors
    }

    /// SR2, which ends the step of the address.
    fn direction(&mut self, now: u64) -> u32 {
        let is_controller = !matches!(self.phase, Phase::Idle | Phase::Waiting);
        let sends = !self.receives();
        if let Phase::Addressed(device, direction) = self.phase.clone()
            && self.is_seen
        {
            match direction {
                Direction::Receives => self.receive(Some(device), now),
                Direction::Sends => self.phase = Phase::Ready(device, false),
            }
        }
        u32::from(is_controller) | u32::from(self.is_busy) << 1 | u32::from(sends) << 2
    }
}

impl Controller for Stm32V1 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let offset = address.checked_sub(BASE).filter(|offset| *offset < 0x400)?;
        if !self.is_enabled {
            return Some(0);
        }
        self.advance(now);
        Some(match offset {
            0x00 => self.registers.control,
            0x04 => self.registers.frequency,
            0x08 => self.registers.own,
            0x10 => self.read_data(now),
            0x14 => {
                self.is_seen = true;
                self.status()
            }
            0x18 => self.direction(now),
            0x1c => self.registers.divisor,
            0x20 => self.registers.rise,
            _ => 0,
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        if self.pins.write(address, value) {
            self.wires.pulse(&Pins::data());
        }
        if address == self.enable {
            self.is_enabled = value & ENABLED != 0;
        }
        let Some(offset) = address.checked_sub(BASE).filter(|offset| *offset < 0x400 && self.is_enabled) else {
            return;
        };
        self.advance(now);
        // In reset, only its end has an effect.
        if self.has(RESET) && offset != 0 {
            return;
        }
        match offset {
            0x00 => self.write_control(value, now),
            0x04 => self.registers.frequency = value,
            0x08 => self.registers.own = value,
            0x10 => self.write_data(value as u8, now),
            // Writing zero clears an error.
            0x14 => self.errors &= value,
            0x1c | 0x20 if self.has(ON) => self.forbid("the rate changes while the controller is on"),
            0x1c => self.registers.divisor = value,
            0x20 => self.registers.rise = value,
            _ => {}
        }
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
