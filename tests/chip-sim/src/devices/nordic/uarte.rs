//! The UART with DMA, UARTE (nRF52840 and nRF9160 Product Specifications, "UARTE").
//!
//! It reads what it sends from RAM and writes what has arrived to RAM; it reaches no other memory, and other buffers end the program. While
//! it has no buffer, four received bytes wait, and further ones are lost. Nothing is sent while the pin is no output. It stops only while it
//! is enabled, and what was running when it was disabled goes on (nRF9160 Errata, anomaly 23). A receiver that is stopped ends its buffer, and
//! listens for as long as four bytes take. The registers of a buffer are free once the device has started with it, which an event tells; a
//! buffer that is set too early, or is used twice since no other one was set, ends the program.

use super::{Gpio, pin};
use crate::{clocks::Misuse, memory::Ram, wiring::SerialLine};
use std::{cell::RefCell, collections::VecDeque, ops::Range, rc::Rc};

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
    /// The bytes in the buffer that was used last, what begins at the end of a buffer, and whether one was set since the last start.
    amount: u32,
    shortcuts: u32,
    is_set: bool,
    /// Whether the program knows that the device has started with a buffer.
    is_told: bool,
    /// When a stopped receiver does not listen any more.
    stops: Option<u64>,
    misuse: Option<Misuse>,
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

/// The RAM that it reaches.
const RAM: Range<u32> = 0x2000_0000..0x2004_0000;
const LARGEST: usize = 4;
/// The shortcut from ENDRX to STARTRX.
const RESTARTS: u32 = 1 << 5;
/// The events ENDRX, ENDTX, ERROR, RXTO, RXSTARTED and TXSTOPPED.
const RECEIVED: u32 = 4;
const SENT: u32 = 8;
const FAILED: u32 = 9;
const RECEIVER_STOPPED: u32 = 17;
const RECEIVER_STARTED: u32 = 19;
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
            amount: 0,
            shortcuts: 0,
            is_set: false,
            is_told: false,
            stops: None,
            misuse: None,
            waiting: VecDeque::new(),
            arrives: None,
            leaves: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    /// Receives into the buffer of the registers, at the end of another one.
    fn restart(&mut self) {
        if !self.is_set {
            self.forbid("a serial line receives again into a buffer that it has filled");
        }
        self.begin();
    }

    /// Receives into the buffer of the registers.
    fn begin(&mut self) {
        let Channel { pointer, count, .. } = self.receive;
        if !RAM.contains(&pointer) || pointer + count > RAM.end {
            self.forbid("a serial line receives into memory that it does not reach");
        }
        (self.receives, self.is_set, self.is_told, self.amount) = (true, false, false, 0);
        self.receive.start();
        self.events |= 1 << RECEIVER_STARTED;
    }

    /// Stops the receiver, which ends its buffer.
    fn stop(&mut self, now: u64) {
        if self.receive.left.take().is_some() {
            self.events |= 1 << RECEIVED;
            if self.shortcuts & RESTARTS != 0 {
                self.forbid("a serial line is stopped that starts again by itself");
            }
        }
        self.stops = Some(now + 4 * self.duration());
    }

    /// Sets a register of the buffer for what is received.
    fn set_receiver(&mut self) {
        if self.receive.left.is_some() && !self.is_told {
            self.forbid("a buffer of a serial line is set before the device has told that it uses the last one");
        }
        self.is_set = true;
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
            self.amount += 1;
            if self.receive.advance() {
                self.events |= 1 << RECEIVED;
                if self.shortcuts & RESTARTS != 0 {
                    self.restart();
                }
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
        if self.stops.take_if(|time| *time <= now).is_some() {
            self.receives = false;
            self.events |= 1 << RECEIVER_STOPPED;
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
        [self.arrives, self.stops, self.leaves.map(|(time, _)| time)].into_iter().flatten().min()
    }

    pub(super) fn read(&mut self, offset: u32) -> u32 {
        self.is_told |= offset == 0x100 + 4 * RECEIVER_STARTED && self.events >> RECEIVER_STARTED & 1 == 1;
        match offset {
            0x100..0x180 => self.events >> ((offset - 0x100) / 4) & 1,
            0x200 => self.shortcuts,
            0x304 | 0x308 => self.interrupts,
            0x500 => u32::from(self.is_enabled) * 8,
            0x50c => self.pin,
            0x524 => self.baud,
            0x53c => self.amount,
            _ => 0,
        }
    }

    /// What the program has done that the manual forbids.
    pub(super) fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            0x000 if value == 1 && self.is_enabled => {
                if self.receive.left.is_some() {
                    self.forbid("a serial line is started while it receives");
                }
                self.begin();
            }
            0x004 if value == 1 && self.is_enabled => self.stop(now),
            0x008 if value == 1 && self.is_enabled => self.send.start(),
            0x00c if value == 1 && self.is_enabled => {
                self.send.left = None;
                self.events |= 1 << SENDER_STOPPED;
            }
            0x100..0x180 if value == 0 => self.events &= !(1 << ((offset - 0x100) / 4)),
            0x200 => self.shortcuts = value,
            0x304 => self.interrupts |= value,
            0x308 => self.interrupts &= !value,
            // It is not configured while it runs.
            0x500 => self.is_enabled = value & 0xf == 8,
            0x50c if !self.is_enabled => self.pin = value,
            0x524 => self.baud = value,
            0x534 => {
                self.set_receiver();
                self.receive.pointer = value;
            }
            0x538 => {
                self.set_receiver();
                self.receive.count = value & 0x1fff;
            }
            0x544 => self.send.pointer = value,
            0x548 => self.send.count = value & 0x1fff,
            _ => {}
        }
    }
}
