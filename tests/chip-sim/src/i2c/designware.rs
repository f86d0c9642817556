//! I2C0 of RP2040 and RP2350, DW_apb_i2c of Synopsys (RP2040 data sheet, 4.3; RP2350 data sheet, 12.2).
//!
//! It takes commands from a FIFO: a byte to send, or the wish to receive one, with the conditions around it. Without a command, it holds
//! the clock. What goes wrong aborts the transfer, after which it drops commands until the program has cleared the reason.

use super::{
    Controller,
    rp_pins::Pins,
    wires::{Device, Wires},
};
use crate::{
    clocks::{Misuse, Shared},
    devices::written,
    wiring::Wiring,
};
use std::collections::VecDeque;

/// Commands.
const READS: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const RESTART: u32 = 1 << 10;

/// Interrupts.
const ABORTED: u32 = 1 << 6;
const STOPPED: u32 = 1 << 9;

/// Reasons of an abort.
const NO_ADDRESS: u32 = 1;
const NO_DATA: u32 = 1 << 3;
const LOST: u32 = 1 << 12;

/// The settings: a controller that is no target, in fast mode, with repeated start conditions.
const SETTINGS: u32 = 0x65;
const SETTINGS_MASK: u32 = 0x7f;

const DEPTH: usize = 16;

pub(crate) struct DesignWare {
    pins: Pins,
    wires: Wires,
    shared: Shared,
    /// The frequency of the core after the start.
    core: u64,
    base: u32,
    /// RESETS, and the bit of the controller there.
    resets: u32,
    reset: u32,
    held: u32,
    registers: Registers,
    state: State,
    rival: Option<u64>,
    misuse: Option<Misuse>,
}

/// What is written while it is off.
#[derive(Clone, Copy, Default)]
struct Registers {
    control: u32,
    target: u32,
    high: u32,
    low: u32,
    spike: u32,
    hold: u32,
}

#[derive(Default)]
struct State {
    is_on: bool,
    commands: VecDeque<u32>,
    received: VecDeque<u8>,
    events: u32,
    source: u32,
    phase: Phase,
    /// The end of a phase that ends by itself.
    until: u64,
}

/// What happens on the bus.
#[derive(Clone, Default)]
enum Phase {
    #[default]
    Idle,
    Starting,
    Addressing,
    /// It holds the clock until there is a command.
    Holding(Device, Direction),
    Sending(Device, u32),
    Receiving(Device, u32),
    Stopping,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sends,
    Receives,
}

impl Direction {
    fn of(command: u32) -> Direction {
        if command & READS == 0 { Direction::Sends } else { Direction::Receives }
    }
}

impl DesignWare {
    pub(crate) fn rp2040(core: u64, shared: &Shared, wiring: &Wiring) -> DesignWare {
        DesignWare::new(Pins::rp2040(), 0x4004_4000, (0x4000_c000, 1 << 3), core, shared, wiring)
    }

    pub(crate) fn rp2350(core: u64, shared: &Shared, wiring: &Wiring) -> DesignWare {
        DesignWare::new(Pins::rp2350(), 0x4009_0000, (0x4002_0000, 1 << 4), core, shared, wiring)
    }

    fn new(
        pins: Pins,
        base: u32,
        (resets, reset): (u32, u32),
        core: u64,
        shared: &Shared,
        wiring: &Wiring,
    ) -> DesignWare {
        DesignWare {
            pins,
            wires: Wires::new(wiring),
            shared: shared.clone(),
            core,
            base,
            resets,
            reset,
            held: u32::MAX,
            registers: Registers::default(),
            state: State::default(),
            rival: None,
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    /// The cycles in which the clock of the bus is high and low (RP2040 data sheet, 4.3.14).
    fn cycles(&self) -> [u64; 2] {
        let Registers { high, low, spike, .. } = self.registers;
        [u64::from(high + spike + 7), u64::from(low + 1)]
    }

    fn begin(&mut self, phase: Phase, at: u64, bits: u64) {
        let [high, low] = self.cycles();
        self.state.phase = phase;
        self.state.until = at + bits * (high + low) * self.core / self.shared.get().core;
    }

    /// The settings fit the clock: RP2040 data sheet, 4.3.14 and IC_SDA_HOLD; NXP UM10204, table 10.
    fn check_settings(&mut self) {
        let clock = self.shared.get().core;
        let Registers { control, high, low, spike, hold, .. } = self.registers;
        if control & SETTINGS_MASK != SETTINGS {
            self.forbid("IC_CON is not that of a controller in fast mode");
        }
        if spike < 1 || high < spike + 6 || low < spike + 8 {
            self.forbid("the counts of the clock are too small");
        }
        let nanoseconds = |cycles: u64| cycles * 1_000_000_000 / clock;
        let [high_cycles, low_cycles] = self.cycles();
        if nanoseconds(high_cycles) < 600 || nanoseconds(low_cycles) < 1300 {
            self.forbid("the clock of the bus is high or low for too short a time");
        }
        if nanoseconds(u64::from(hold)) < 290 || hold + 2 > low {
            self.forbid("IC_SDA_HOLD does not fit the clock");
        }
        if self.pins.connected().is_none() {
            self.forbid("the pins of the I2C bus are not those of the controller");
        }
        self.wires.note(clock / (high_cycles + low_cycles));
    }

    fn holds(&self, line: usize) -> bool {
        self.pins.connected().is_some_and(|pins| self.wires.is_held(pins[line]))
    }

    /// Ends what has ended until now.
    fn advance(&mut self, now: u64) {
        if self.rival.is_some_and(|rival| rival <= now) {
            self.rival = None;
        }
        if self.holds(0) {
            self.state.until = self.state.until.max(now + 1);
        }
        while self.state.until <= now {
            let at = self.state.until;
            match self.state.phase.clone() {
                Phase::Idle => {
                    let waits = self.state.commands.is_empty() || self.holds(1) || self.rival.is_some();
                    if waits {
                        return;
                    }
                    self.check_settings();
                    self.begin(Phase::Starting, now, 1);
                }
                Phase::Starting => self.begin(Phase::Addressing, at, 9),
                Phase::Addressing => self.addressed(at),
                Phase::Holding(device, direction) => {
                    if self.state.commands.is_empty() {
                        return;
                    }
                    self.go_on(device, direction, now);
                }
                Phase::Sending(device, command) => {
                    if device.borrow_mut().write(command as u8) {
                        self.end(device, command, at);
                    } else {
                        self.abort(NO_DATA, at);
                    }
                }
                Phase::Receiving(device, command) => {
                    let byte = device.borrow_mut().read();
                    if self.state.received.len() == DEPTH {
                        self.forbid("a received byte has no space");
                    }
                    self.state.received.push_back(byte);
                    self.end(device, command, at);
                }
                Phase::Stopping => {
                    self.state.events |= STOPPED;
                    self.state.phase = Phase::Idle;
                }
            }
        }
    }

    fn addressed(&mut self, at: u64) {
        if self.wires.has_rival() {
            return self.abort(LOST, at);
        }
        let Some(command) = self.state.commands.front().copied() else { return };
        let address = (self.registers.target as u8) << 1 | u8::from(command & READS != 0);
        let Some(device) = self.wires.call(address) else { return self.abort(NO_ADDRESS, at) };
        self.run(device, at);
    }

    /// Runs the next command, after its address.
    fn run(&mut self, device: Device, at: u64) {
        let Some(command) = self.state.commands.pop_front() else { return };
        match Direction::of(command) {
            Direction::Sends => self.begin(Phase::Sending(device, command), at, 9),
            Direction::Receives => self.begin(Phase::Receiving(device, command), at, 9),
        }
    }

    /// Ends a command.
    fn end(&mut self, device: Device, command: u32, at: u64) {
        if command & STOP != 0 {
            self.begin(Phase::Stopping, at, 1);
        } else {
            self.go_on(device, Direction::of(command), at);
        }
    }

    /// The next command, if there is one, with a repeated start condition where it is demanded, or where the direction changes.
    fn go_on(&mut self, device: Device, direction: Direction, at: u64) {
        match self.state.commands.front().copied() {
            None => self.state.phase = Phase::Holding(device, direction),
            Some(command) if command & RESTART != 0 || Direction::of(command) != direction => {
                self.begin(Phase::Starting, at, 1);
            }
            Some(_) => self.run(device, at),
        }
    }

    /// Aborts the transfer, with a stop condition where the controller has the bus.
    fn abort(&mut self, source: u32, at: u64) {
        self.state.source |= source;
        self.state.events |= ABORTED;
        self.state.commands.clear();
        self.state.received.clear();
        if source == LOST {
            self.state.phase = Phase::Idle;
            // The other one uses the bus for a millisecond.
            self.rival = Some(at + self.core / 1000);
        } else {
            self.begin(Phase::Stopping, at, 1);
        }
    }

    fn command(&mut self, command: u32, now: u64) {
        if !self.state.is_on {
            self.forbid("a command is given while the controller is off");
        }
        if self.state.commands.len() == DEPTH {
            self.forbid("a command has no space");
        }
        if self.state.events & ABORTED == 0 {
            self.state.until = self.state.until.max(now);
            self.state.commands.push_back(command & 0x7ff);
        }
    }

    fn received(&mut self) -> u32 {
        let byte = self.state.received.pop_front();
        if byte.is_none() {
            self.forbid("a byte is read before it has arrived");
        }
        u32::from(byte.unwrap_or_default())
    }

    fn set_enabled(&mut self, is_on: bool) {
        let is_idle = matches!(self.state.phase, Phase::Idle) && self.state.commands.is_empty();
        if !is_on && !is_idle {
            self.forbid("the controller is disabled within a transfer");
        }
        self.state.is_on = is_on;
    }

    /// Writes a register that can change only while it is off.
    fn configure(&mut self, offset: u32, value: u32) {
        let register = match offset {
            0x00 => &mut self.registers.control,
            0x04 => &mut self.registers.target,
            0x1c => &mut self.registers.high,
            0x20 => &mut self.registers.low,
            0x7c => &mut self.registers.hold,
            0xa0 => &mut self.registers.spike,
            _ => return,
        };
        *register = value & 0xffff;
        if self.state.is_on {
            self.forbid("a setting changes while the controller is on");
        }
    }

    /// The offset of a register, if it is one of its own.
    fn offset(&self, address: u32) -> Option<u32> {
        address.checked_sub(self.base).filter(|offset| *offset < 0x4000)
    }
}

impl Controller for DesignWare {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let offset = self.offset(address)?;
        if self.held & self.reset != 0 {
            return Some(0);
        }
        self.advance(now);
        let state = &self.state;
        let flag = |is_set: bool, bit: u32| u32::from(is_set) << bit;
        let is_active = !matches!(state.phase, Phase::Idle);
        Some(match offset {
            0x00 => self.registers.control,
            0x04 => self.registers.target,
            0x10 => self.received(),
            0x1c => self.registers.high,
            0x20 => self.registers.low,
            0x34 => state.events,
            0x40 => {
                (self.state.events, self.state.source) = (0, 0);
                0
            }
            0x6c | 0x9c => u32::from(state.is_on),
            0x70 => {
                flag(is_active, 0)
                    | flag(state.commands.len() < DEPTH, 1)
                    | flag(state.commands.is_empty(), 2)
                    | flag(!state.received.is_empty(), 3)
                    | flag(is_active, 5)
            }
            0x7c => self.registers.hold,
            0x80 => state.source,
            0xa0 => self.registers.spike,
            _ => 0,
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        if self.pins.write(address, value) {
            self.wires.pulse(&Pins::data().collect::<Vec<_>>());
        }
        if address & !0x3000 == self.resets {
            self.held = written(self.held, address, value);
        }
        if self.held & self.reset != 0 {
            (self.registers, self.state) = (Registers::default(), State::default());
            return;
        }
        let Some(offset) = self.offset(address) else { return };
        self.advance(now);
        match offset {
            0x10 => self.command(value, now),
            0x6c => self.set_enabled(value & 1 == 1),
            _ => self.configure(offset, value),
        }
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
