//! I2C1 of STM32L5 (RM0438, "Inter-integrated circuit (I2C) interface"; errata sheet ES0448, "I2C").
//!
//! A part of a transfer has a number of bytes. After it the bus is freed, or kept, or another part of the same message follows. A byte that
//! is not acknowledged ends the transfer with a stop condition.

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
/// The register that enables the clock, and the bit.
const ENABLE: u32 = 0x4002_1058;
const ENABLED: u32 = 1 << 21;

/// Bits of CR2.
const RECEIVES: u32 = 1 << 10;
const START: u32 = 1 << 13;
const STOP: u32 = 1 << 14;
const RELOAD: u32 = 1 << 24;
const ENDS: u32 = 1 << 25;

/// Flags of ISR that stay until they are cleared.
const REFUSED: u32 = 1 << 4;
const STOPPED: u32 = 1 << 5;
const LOST: u32 = 1 << 9;

pub(crate) struct Stm32V2 {
    pins: Pins,
    wires: Wires,
    shared: Shared,
    /// The frequency of the core.
    core: u64,
    is_enabled: bool,
    is_on: bool,
    control: u32,
    timing: u32,
    flags: u32,
    phase: Phase,
    /// The end of a phase that ends by itself.
    until: u64,
    /// The bytes of the part that are not transferred yet, and those to send that were not written yet.
    left: u32,
    unwritten: u32,
    /// TXDR; RXDR and a received byte that follows it.
    sent: Option<u8>,
    received: Option<u8>,
    waiting: Option<u8>,
    is_busy: bool,
    rival: Option<u64>,
    misuse: Option<Misuse>,
}

/// What happens on the bus.
#[derive(Clone)]
enum Phase {
    Idle,
    /// A start condition waits until the bus is free.
    Waiting,
    Starting,
    Addressing,
    /// It waits for a byte to send.
    Ready(Device),
    Sending(Device, u8),
    Receiving(Device),
    /// Two bytes wait to be read.
    Full(Device),
    /// The flag TCR.
    Paused(Device),
    /// The flag TC.
    Complete,
    Stopping,
}

impl Stm32V2 {
    pub(crate) fn new(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32V2 {
        Stm32V2 {
            pins: Pins::l5(),
            wires: Wires::new(wiring),
            shared: shared.clone(),
            core,
            is_enabled: false,
            is_on: false,
            control: 0,
            timing: 0,
            flags: 0,
            phase: Phase::Idle,
            until: 0,
            left: 0,
            unwritten: 0,
            sent: None,
            received: None,
            waiting: None,
            is_busy: false,
            rival: None,
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    /// A field of TIMINGR.
    fn field(&self, first: u32, bits: u32) -> u64 {
        u64::from(self.timing >> first & ((1 << bits) - 1))
    }

    /// The cycles of the input clock in one of the divided clock.
    fn divisor(&self) -> u64 {
        self.field(28, 4) + 1
    }

    /// The cycles in which the clock of the bus is low and high, without those in which its edges are seen: two of each at least.
    fn cycles(&self) -> [u64; 2] {
        [self.field(0, 8), self.field(8, 8)].map(|count| (count + 1) * self.divisor())
    }

    fn rate(&self) -> u64 {
        let [low, high] = self.cycles();
        self.shared.get().buses[0] / (low + high + 4)
    }

    /// The settings fit the clock ("I2C timings"; "I2C-SMBus specification clock timings").
    fn check_settings(&mut self) {
        let clock = self.shared.get().buses[0];
        let nanoseconds = |cycles: u64| cycles * 1_000_000_000 / clock;
        let [low, high] = self.cycles().map(|cycles| nanoseconds(cycles + 2));
        // The least times low and high, those of data before the clock, and the most after it.
        let [least_low, least_high, setup, most] =
            if self.rate() > 100_000 { [1300, 600, 400, 340] } else { [4700, 4000, 1250, 2190] };
        if low < least_low || high < least_high {
            self.forbid("the clock of the bus is low or high for too short a time");
        }
        let [before, after] = [self.field(20, 4) + 1, self.field(16, 4)].map(|count| count * self.divisor());
        if nanoseconds(before) < setup {
            self.forbid("SCLDEL is too short");
        }
        let hold = nanoseconds(after);
        if hold + nanoseconds(3) + 10 < 250 || hold + nanoseconds(4) > most {
            self.forbid("SDADEL does not fit the clock");
        }
        if self.pins.connected().is_none() {
            self.forbid("the pins of the I2C bus are not open drains of the controller");
        }
    }

    fn begin(&mut self, phase: Phase, at: u64, bits: u64) {
        self.phase = phase;
        self.until = at + bits * self.core / self.rate().max(1);
    }

    fn holds(&self, line: usize) -> bool {
        self.pins.connected().is_some_and(|pins| self.wires.is_held(pins[line]))
    }

    /// Ends what has ended until now.
    fn advance(&mut self, now: u64) {
        if self.rival.is_some_and(|rival| rival <= now) {
            (self.rival, self.is_busy) = (None, false);
        }
        if self.is_on && (self.holds(0) || self.holds(1)) {
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
                    self.is_busy = true;
                    self.begin(Phase::Addressing, at, 9);
                }
                Phase::Addressing => self.addressed(at),
                Phase::Ready(device) => match self.sent.take() {
                    Some(byte) => self.begin(Phase::Sending(device, byte), now, 9),
                    None => return,
                },
                Phase::Sending(device, byte) => {
                    if !device.borrow_mut().write(byte) {
                        self.refuse(at);
                    } else if self.ends_part() {
                        self.end_part(device, at);
                    } else {
                        self.phase = Phase::Ready(device);
                    }
                }
                Phase::Receiving(device) => self.arrived(device, at),
                Phase::Stopping => {
                    self.flags |= STOPPED;
                    self.is_busy = false;
                    self.phase = Phase::Idle;
                }
                Phase::Idle | Phase::Full(_) | Phase::Paused(_) | Phase::Complete => return,
            }
        }
    }

    fn addressed(&mut self, at: u64) {
        self.wires.note(self.rate());
        self.control &= !START;
        if self.wires.has_rival() {
            self.flags |= LOST;
            self.phase = Phase::Idle;
            // It uses the bus for a millisecond.
            self.rival = Some(at + self.core / 1000);
            return;
        }
        let receives = self.control & RECEIVES != 0;
        match self.wires.call(self.control as u8 & 0xfe | u8::from(receives)) {
            None => self.refuse(at),
            Some(device) if receives => self.begin(Phase::Receiving(device), at, 9),
            Some(device) => self.phase = Phase::Ready(device),
        }
    }

    fn refuse(&mut self, at: u64) {
        self.flags |= REFUSED;
        self.begin(Phase::Stopping, at, 1);
    }

    /// A byte is transferred; whether it was the last one of the part.
    fn ends_part(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }

    fn end_part(&mut self, device: Device, at: u64) {
        if self.control & RELOAD != 0 {
            self.phase = Phase::Paused(device);
        } else if self.control & ENDS != 0 {
            self.begin(Phase::Stopping, at, 1);
        } else {
            self.phase = Phase::Complete;
        }
    }

    fn arrived(&mut self, device: Device, at: u64) {
        let byte = device.borrow_mut().read();
        let is_full = self.received.is_some();
        if is_full {
            self.waiting = Some(byte);
        } else {
            self.received = Some(byte);
        }
        if self.ends_part() {
            if is_full && self.control & RELOAD != 0 {
                self.forbid("the last byte of a part with RELOAD may be lost");
            }
            self.end_part(device, at);
        } else if is_full {
            self.phase = Phase::Full(device);
        } else {
            self.begin(Phase::Receiving(device), at, 9);
        }
    }

    fn write_control(&mut self, value: u32, now: u64) {
        let before = self.control;
        self.control = value;
        let count = value >> 16 & 0xff;
        if value & STOP != 0 {
            self.forbid("a stop condition is requested, which AUTOEND does");
        }
        match self.phase.clone() {
            Phase::Idle | Phase::Complete if value & START != 0 => {
                self.check_settings();
                if self.sent.is_some() {
                    self.forbid("a byte of the transfer before waits to be sent");
                }
                (self.left, self.unwritten) = (count, count);
                if matches!(self.phase, Phase::Idle) {
                    self.phase = Phase::Waiting;
                    self.until = now;
                } else {
                    self.begin(Phase::Starting, now, 1);
                }
            }
            Phase::Paused(device) if count > 0 && (before ^ value) & (0x3ff | RECEIVES | START) == 0 => {
                (self.left, self.unwritten) = (count, count);
                self.until = now;
                if value & RECEIVES != 0 {
                    self.begin(Phase::Receiving(device), now, 9);
                } else {
                    self.phase = Phase::Ready(device);
                }
            }
            Phase::Idle
            | Phase::Complete
            | Phase::Paused(_)
            | Phase::Waiting
            | Phase::Starting
            | Phase::Addressing
            | Phase::Ready(_)
            | Phase::Sending(..)
            | Phase::Receiving(_)
            | Phase::Full(_)
            | Phase::Stopping => self.forbid("CR2 is written within a part of a transfer"),
        }
    }

    /// Whether there is space for a byte to send: TXIS.
    fn has_space(&self) -> bool {
        matches!(self.phase, Phase::Ready(_) | Phase::Sending(..)) && self.sent.is_none() && self.unwritten > 0
    }

    fn write_byte(&mut self, byte: u8, now: u64) {
        if !self.has_space() {
            return self.forbid("a byte is written before there is space");
        }
        self.unwritten -= 1;
        self.sent = Some(byte);
        if matches!(self.phase, Phase::Ready(_)) {
            self.until = now;
        }
    }

    fn read_byte(&mut self, now: u64) -> u32 {
        let byte = self.received.take();
        if byte.is_none() {
            self.forbid("a byte is read before it has arrived");
        }
        self.received = self.waiting.take();
        if let Phase::Full(device) = self.phase.clone() {
            self.begin(Phase::Receiving(device), now, 9);
        }
        u32::from(byte.unwrap_or_default())
    }

    fn set_enabled(&mut self, is_on: bool) {
        if !is_on {
            self.control &= !(START | STOP);
            self.phase = Phase::Idle;
            (self.flags, self.is_busy, self.rival) = (0, false, None);
            (self.sent, self.received, self.waiting) = (None, None, None);
        }
        self.is_on = is_on;
    }

    /// ISR.
    fn status(&self) -> u32 {
        let flag = |is_set: bool, bit: u32| u32::from(is_set) << bit;
        flag(self.sent.is_none(), 0)
            | flag(self.has_space(), 1)
            | flag(self.received.is_some(), 2)
            | flag(matches!(self.phase, Phase::Complete), 6)
            | flag(matches!(self.phase, Phase::Paused(_)), 7)
            | flag(self.is_busy, 15)
            | self.flags
    }
}

impl Controller for Stm32V2 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let offset = address.checked_sub(BASE).filter(|offset| *offset < 0x400)?;
        if !self.is_enabled {
            return Some(0);
        }
        self.advance(now);
        Some(match offset {
            0x00 => u32::from(self.is_on),
            0x04 => self.control,
            0x10 => self.timing,
            0x18 => self.status(),
            0x24 => self.read_byte(now),
            _ => 0,
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        if self.pins.write(address, value) {
            self.wires.pulse(&Pins::data());
        }
        if address == ENABLE {
            self.is_enabled = value & ENABLED != 0;
        }
        let Some(offset) = address.checked_sub(BASE).filter(|offset| *offset < 0x400 && self.is_enabled) else {
            return;
        };
        self.advance(now);
        match offset {
            0x00 => self.set_enabled(value & 1 == 1),
            0x04 => self.write_control(value, now),
            0x10 if self.is_on => self.forbid("the rate changes while the controller is on"),
            0x10 => self.timing = value,
            // Writing TXE drops the byte.
            0x18 if value & 1 == 1 => self.sent = None,
            0x1c => self.flags &= !value,
            0x28 => self.write_byte(value as u8, now),
            _ => {}
        }
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
