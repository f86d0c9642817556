//! The UART with DMA, UARTE (nRF52840 and nRF9160 Product Specifications, "UARTE").
//!
//! It reads what it sends from RAM and writes what has arrived to RAM; it reaches no other memory. While it has no buffer, four received
//! bytes wait, and further ones are lost. Nothing is sent while the pin is no output. It stops only while it is enabled, and what was
//! running when it was disabled goes on (nRF9160 Errata, anomaly 23).

use super::{Gpio, pin};
use crate::{memory::Ram, wiring::SerialLine};
use std::{cell::RefCell, collections::VecDeque, rc::Rc};

pub(super) struct Uarte {
    core: u64,
    line: Rc<RefCell<SerialLine>>,
    is_enabled: bool,
    /// The number of the transmit pin.
    pin: u32,
    baud: u32,
    /// The events that have come and the interrupts that are enabled: each a bit by its number.
    events: u32,
    interrupts: u32,
    receive: Channel,
    send: Channel,
    receives: bool,
    waiting: VecDeque<u8>,
    /// When the next byte has arrived, and when one has gone.
    arrives: Option<u64>,
    leaves: Option<(u64, u8)>,
}

/// A buffer in RAM as registers say, and what is left of the one in use.
#[derive(Clone, Copy, Default)]
struct Channel {
    pointer: u32,
    count: u32,
    left: Option<(u32, u32)>,
}

impl Channel {
    /// Uses the buffer.
    fn start(&mut self) {
        self.left = Some((self.pointer, self.count));
    }

    /// The address of the next byte, if the buffer has one.
    fn next(&self) -> Option<u32> {
        self.left.filter(|(_, left)| *left > 0).map(|(address, _)| address)
    }

    /// The next byte is done; whether the buffer ends with it.
    fn advance(&mut self) -> bool {
        let Some((address, left)) = self.left else { return false };
        self.left = (left > 1).then_some((address + 1, left - 1));
        left == 1
    }
}

const LARGEST: usize = 4;
/// The events ENDRX, ENDTX, ERROR, RXTO and TXSTOPPED.
const RECEIVED: u32 = 4;
const SENT: u32 = 8;
const FAILED: u32 = 9;
const RECEIVER_STOPPED: u32 = 17;
const SENDER_STOPPED: u32 = 22;

impl Uarte {
    pub(super) fn new(core: u64, line: Rc<RefCell<SerialLine>>) -> Uarte {
        Uarte {
            core,
            line,
            is_enabled: false,
            pin: u32::MAX,
            baud: 0x0400_0000,
            events: 0,
            interrupts: 0,
            receive: Channel::default(),
            send: Channel::default(),
            receives: false,
            waiting: VecDeque::new(),
            arrives: None,
            leaves: None,
        }
    }

    /// The cycles of a byte: ten bits.
    fn duration(&self) -> u64 {
        let cycles = (u128::from(self.core) * 10) << 32;
        u64::try_from(cycles / (16_000_000 * u128::from(self.baud.max(1)))).unwrap_or(u64::MAX / 2)
    }

    pub(super) fn advance(&mut self, now: u64, gpio: &Gpio, ram: &mut Ram<'_>) {
        self.advance_sender(now, gpio, ram);
        self.advance_receiver(now);
        while let (Some(address), Some(byte)) = (self.receive.next(), self.waiting.front()) {
            ram.set_byte(address, *byte);
            self.waiting.pop_front();
            if self.receive.advance() {
                self.events |= 1 << RECEIVED;
            }
        }
    }

    fn advance_sender(&mut self, now: u64, gpio: &Gpio, ram: &Ram<'_>) {
        if let Some((_, byte)) = self.leaves.take_if(|(time, _)| *time <= now) {
            self.line.borrow_mut().sent.push(byte);
            if self.send.advance() {
                self.events |= 1 << SENT;
            }
        }
        let is_connected = self.is_enabled && pin(self.pin).is_some_and(|pin| gpio.is_output(pin));
        if self.leaves.is_none() && is_connected {
            let byte = self.send.next().and_then(|address| ram.byte(address));
            self.leaves = byte.map(|byte| (now + self.duration(), byte));
        }
    }

    fn advance_receiver(&mut self, now: u64) {
        let duration = self.duration();
        while let Some(time) = self.arrives.take_if(|time| *time <= now) {
            let Some(byte) = self.line.borrow_mut().arriving.pop_front() else { return };
            if self.waiting.len() < LARGEST + self.receive.next().map_or(0, |_| 1) {
                self.waiting.push_back(byte);
            } else {
                self.events |= 1 << FAILED;
            }
            let more = !self.line.borrow().arriving.is_empty();
            self.arrives = more.then_some(time + duration);
        }
        if !(self.is_enabled && self.receives) {
            // Nobody listens.
            self.line.borrow_mut().arriving.clear();
        } else if self.arrives.is_none() && !self.line.borrow().arriving.is_empty() {
            self.arrives = Some(now + duration);
        }
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    pub(super) fn interrupts(&self) -> bool {
        self.events & self.interrupts != 0
    }

    /// The next time at which something happens.
    pub(super) fn due(&self) -> Option<u64> {
        [self.arrives, self.leaves.map(|(time, _)| time)].into_iter().flatten().min()
    }

    pub(super) fn read(&self, offset: u32) -> u32 {
        match offset {
            0x100..0x180 => self.events >> ((offset - 0x100) / 4) & 1,
            0x304 | 0x308 => self.interrupts,
            0x500 => u32::from(self.is_enabled) * 8,
            0x50c => self.pin,
            0x524 => self.baud,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32) {
        match offset {
            0x000 if value == 1 && self.is_enabled => {
                self.receives = true;
                self.receive.start();
            }
            0x004 if value == 1 && self.is_enabled => {
                (self.receives, self.receive.left) = (false, None);
                self.events |= 1 << RECEIVER_STOPPED;
            }
            0x008 if value == 1 && self.is_enabled => self.send.start(),
            0x00c if value == 1 && self.is_enabled => {
                self.send.left = None;
                self.events |= 1 << SENDER_STOPPED;
            }
            0x100..0x180 if value == 0 => self.events &= !(1 << ((offset - 0x100) / 4)),
            0x304 => self.interrupts |= value,
            0x308 => self.interrupts &= !value,
            // It is not configured while it runs.
            0x500 => self.is_enabled = value & 0xf == 8,
            0x50c if !self.is_enabled => self.pin = value,
            0x524 => self.baud = value,
            0x534 => self.receive.pointer = value,
            0x538 => self.receive.count = value & 0x1fff,
            0x544 => self.send.pointer = value,
            0x548 => self.send.count = value & 0x1fff,
            _ => {}
        }
    }
}
