//! The I2C controller without DMA, TWI (nRF51 Reference Manual, 28; nRF52833 Product Specification, 6.31).
//!
//! Its pins must be inputs that pull to ground only, S0D1. When it has received a byte it stops, or suspends itself, if a shortcut says
//! so; otherwise it waits until the byte is read. While it is suspended it takes no other task than to go on.

use super::{Gpio, pin};
use crate::wiring::I2cDevice;
use std::{cell::RefCell, rc::Rc};

type Device = Rc<RefCell<dyn I2cDevice>>;

pub(super) struct Twi {
    core: u64,
    devices: Vec<Device>,
    is_enabled: bool,
    frequency: u32,
    address: u32,
    shortcuts: u32,
    /// The numbers of the pins: clock and data.
    pins: [u32; 2],
    phase: Phase,
    /// The end of a phase that ends by itself.
    until: u64,
    is_to_stop: bool,
    /// The content of TXD, if it was not sent yet, and of RXD.
    next: Option<u8>,
    received: u8,
    is_stopped: bool,
    has_received: bool,
    has_sent: bool,
    has_failed: bool,
    source: u32,
}

/// What happens on the bus.
#[derive(Clone)]
enum Phase {
    Idle,
    Addressing {
        reads: bool,
    },
    /// It waits for a byte to send.
    Ready(Device),
    Sending(Device, u8),
    Receiving(Device),
    /// It waits until the byte is read.
    Full(Device),
    Suspended(Device),
    Failed,
    Stopping,
}

pub(super) const BASE: u32 = 0x4000_3000;
/// The causes of an error: the address or a byte was not acknowledged.
const NO_ADDRESS: u32 = 2;
const NO_DATA: u32 = 4;

impl Twi {
    pub(super) fn new(core: u64, devices: Vec<Device>) -> Twi {
        Twi {
            core,
            devices,
            is_enabled: false,
            frequency: 0x0400_0000,
            address: 0,
            shortcuts: 0,
            pins: [u32::MAX; 2],
            phase: Phase::Idle,
            until: 0,
            is_to_stop: false,
            next: None,
            received: 0,
            is_stopped: false,
            has_received: false,
            has_sent: false,
            has_failed: false,
            source: 0,
        }
    }

    /// The cycles of a number of bits.
    fn bits(&self, count: u64) -> u64 {
        let cycles = u128::from(self.core * count) << 32;
        u64::try_from(cycles / (16_000_000 * u128::from(self.frequency.max(1)))).unwrap_or(u64::MAX / 2)
    }

    fn begin(&mut self, phase: Phase, at: u64, bits: u64) {
        self.phase = phase;
        self.until = at + self.bits(bits);
    }

    /// Ends what has ended until now.
    pub(super) fn advance(&mut self, now: u64) {
        while self.until <= now {
            let at = self.until;
            match self.phase.clone() {
                Phase::Addressing { reads } => self.addressed(reads, at),
                Phase::Sending(device, byte) => {
                    if device.borrow_mut().write(byte) {
                        self.has_sent = true;
                        self.ready(device, at);
                    } else {
                        self.fail(NO_DATA);
                    }
                }
                Phase::Receiving(device) => {
                    self.received = device.borrow_mut().read();
                    self.has_received = true;
                    match self.shortcuts & 3 {
                        _ if self.is_to_stop => self.stop(at),
                        0 => self.phase = Phase::Full(device),
                        1 => self.phase = Phase::Suspended(device),
                        _ => self.begin(Phase::Stopping, at, 1),
                    }
                }
                Phase::Stopping => {
                    self.is_stopped = true;
                    self.phase = Phase::Idle;
                }
                Phase::Idle | Phase::Ready(_) | Phase::Full(_) | Phase::Suspended(_) | Phase::Failed => return,
            }
        }
    }

    fn addressed(&mut self, reads: bool, at: u64) {
        let device = self.devices.iter().find(|device| device.borrow().address() == self.address).cloned();
        let Some(device) = device else { return self.fail(NO_ADDRESS) };
        device.borrow_mut().begin(reads);
        if reads { self.begin(Phase::Receiving(device), at, 9) } else { self.ready(device, at) }
    }

    /// Sends the next byte, if there is one.
    fn ready(&mut self, device: Device, at: u64) {
        match self.next.take() {
            Some(byte) => self.begin(Phase::Sending(device, byte), at, 9),
            None if self.is_to_stop => self.stop(at),
            None => self.phase = Phase::Ready(device),
        }
    }

    fn fail(&mut self, source: u32) {
        self.source |= source;
        self.has_failed = true;
        self.phase = Phase::Failed;
    }

    fn stop(&mut self, at: u64) {
        self.is_to_stop = false;
        self.begin(Phase::Stopping, at, 1);
    }

    fn start(&mut self, reads: bool, now: u64, gpio: &Gpio) {
        let is_open = |number: &u32| pin(*number).is_some_and(|pin| gpio.configuration(pin) & 0x701 == 0x600);
        let is_free = matches!(self.phase, Phase::Idle | Phase::Ready(_));
        if self.is_enabled && is_free && self.pins.iter().all(is_open) {
            self.is_to_stop = false;
            self.begin(Phase::Addressing { reads }, now, 10);
        }
    }

    pub(super) fn read(&mut self, offset: u32, now: u64) -> u32 {
        match offset {
            0x104 => u32::from(self.is_stopped),
            0x108 => u32::from(self.has_received),
            0x11c => u32::from(self.has_sent),
            0x124 => u32::from(self.has_failed),
            0x200 => self.shortcuts,
            0x4c4 => self.source,
            0x500 => u32::from(self.is_enabled) * 5,
            0x518 => {
                if let Phase::Full(device) = self.phase.clone() {
                    self.begin(Phase::Receiving(device), now, 9);
                }
                u32::from(self.received)
            }
            0x524 => self.frequency,
            0x588 => self.address,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64, gpio: &Gpio) {
        match offset {
            0x000 if value == 1 => self.start(true, now, gpio),
            0x008 if value == 1 => self.start(false, now, gpio),
            0x014 if value == 1 => match self.phase {
                Phase::Ready(_) | Phase::Full(_) | Phase::Failed => self.stop(now),
                Phase::Addressing { .. } | Phase::Sending(..) | Phase::Receiving(_) | Phase::Suspended(_) => {
                    self.is_to_stop = true;
                }
                Phase::Idle | Phase::Stopping => {}
            },
            0x020 if value == 1 => {
                if let Phase::Suspended(device) = self.phase.clone() {
                    if self.is_to_stop { self.stop(now) } else { self.begin(Phase::Receiving(device), now, 9) }
                }
            }
            0x104 if value == 0 => self.is_stopped = false,
            0x108 if value == 0 => self.has_received = false,
            0x11c if value == 0 => self.has_sent = false,
            0x124 if value == 0 => self.has_failed = false,
            0x200 => self.shortcuts = value,
            0x4c4 => self.source &= !value,
            0x500 => {
                self.is_enabled = value & 7 == 5;
                if !self.is_enabled {
                    self.phase = Phase::Idle;
                }
            }
            0x508 | 0x50c => self.pins[(offset - 0x508) as usize / 4] = value,
            0x51c => {
                self.next = Some(value as u8);
                if let Phase::Ready(device) = self.phase.clone() {
                    self.ready(device, now);
                }
            }
            0x524 => self.frequency = value,
            0x588 => self.address = value & 0x7f,
            _ => {}
        }
    }
}
