//! UART0 (KL25 Sub-Family Reference Manual, 39).
//!
//! It has space for a byte to send beside the one on its way, and for one that has arrived. A further one is lost, and then nothing arrives
//! until the program has cleared the overrun. The rate and the number of samples of a bit are set while it neither sends nor receives.

use crate::{clocks::Shared, wiring::SerialLine};
use std::{cell::RefCell, rc::Rc};

pub(super) struct Uart {
    core: u64,
    shared: Shared,
    line: Rc<RefCell<SerialLine>>,
    divisor: u16,
    samples: u8,
    control: u8,
    has_overrun: bool,
    /// What is to be sent after the byte on its way, and that with the time of its end.
    next: Option<u8>,
    leaves: Option<(u64, u8)>,
    /// What has arrived, and when the next byte has.
    received: Option<u8>,
    arrives: Option<u64>,
    /// What was read last.
    last: u8,
}

/// The bits of the control register: interrupts for sending and receiving, the transmitter and the receiver.
const SEND_INTERRUPT: u8 = 1 << 7;
const RECEIVE_INTERRUPT: u8 = 1 << 5;
const SENDS: u8 = 1 << 3;
const RECEIVES: u8 = 1 << 2;
/// The bits of the state: space to send, all is sent, a byte has arrived, an overrun.
const EMPTY: u8 = 1 << 7;
const COMPLETE: u8 = 1 << 6;
const FULL: u8 = 1 << 5;
const OVERRUN: u8 = 1 << 3;

impl Uart {
    pub(super) fn new(core: u64, shared: Shared, line: Rc<RefCell<SerialLine>>) -> Uart {
        Uart {
            core,
            shared,
            line,
            divisor: 4,
            samples: 16,
            control: 0,
            has_overrun: false,
            next: None,
            leaves: None,
            received: None,
            arrives: None,
            last: 0,
        }
    }

    /// The cycles of a byte: ten bits. Without a clock it takes forever.
    fn duration(&self) -> u64 {
        let cycles = 10 * u64::from(self.samples) * u64::from(self.divisor.max(1));
        (cycles * self.core).checked_div(self.shared.get().timers[0]).unwrap_or(u64::MAX / 2)
    }

    /// The bits in a second.
    fn rate(&self) -> u64 {
        self.shared.get().timers[0] / (u64::from(self.samples) * u64::from(self.divisor.max(1)))
    }

    fn is_on(&self, bit: u8) -> bool {
        self.control & bit != 0
    }

    /// Advances to a time; whether it has a clock and its pin, for each direction.
    pub(super) fn advance(&mut self, now: u64, sends: bool, receives: bool) {
        while let Some((time, byte)) = self.leaves.take_if(|(time, _)| *time <= now) {
            let rate = self.rate();
            let mut line = self.line.borrow_mut();
            line.sent.push(byte);
            line.rate = Some(rate);
            drop(line);
            self.leaves = self.next.take().map(|byte| (time + self.duration(), byte));
        }
        if self.leaves.is_none() && sends && self.is_on(SENDS) {
            self.leaves = self.next.take().map(|byte| (now + self.duration(), byte));
        }
        while let Some(time) = self.arrives.take_if(|time| *time <= now) {
            let Some(byte) = self.line.borrow_mut().arriving.pop_front() else { return };
            if self.has_overrun || self.received.is_some() {
                self.has_overrun = true;
            } else {
                self.received = Some(byte);
            }
            let more = !self.line.borrow().arriving.is_empty();
            self.arrives = more.then_some(time + self.duration());
        }
        if !(receives && self.is_on(RECEIVES)) {
            // Nobody listens.
            self.line.borrow_mut().arriving.clear();
            self.arrives = None;
        } else if self.arrives.is_none() && !self.line.borrow().arriving.is_empty() {
            self.arrives = Some(now + self.duration());
        }
    }

    pub(super) fn interrupts(&self) -> bool {
        let sends = self.is_on(SEND_INTERRUPT) && self.state() & EMPTY != 0;
        sends || self.is_on(RECEIVE_INTERRUPT) && self.received.is_some()
    }

    /// The next time at which something happens.
    pub(super) fn due(&self) -> Option<u64> {
        [self.arrives, self.leaves.map(|(time, _)| time)].into_iter().flatten().min()
    }

    fn state(&self) -> u8 {
        let causes = [
            (self.next.is_none(), EMPTY),
            (self.next.is_none() && self.leaves.is_none(), COMPLETE),
            (self.received.is_some(), FULL),
            (self.has_overrun, OVERRUN),
        ];
        causes.iter().filter(|(holds, _)| *holds).fold(0, |state, (_, bit)| state | bit)
    }

    pub(super) fn read(&mut self, offset: u32) -> u8 {
        match offset {
            0x0 => (self.divisor >> 8) as u8,
            0x1 => self.divisor as u8,
            0x3 => self.control,
            0x4 => self.state(),
            0x7 => {
                self.last = self.received.take().unwrap_or(self.last);
                self.last
            }
            0xa => self.samples - 1,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u8) {
        let is_off = !self.is_on(SENDS | RECEIVES);
        match offset {
            0x0 if is_off => self.divisor = self.divisor & 0xff | u16::from(value & 0x1f) << 8,
            0x1 if is_off => self.divisor = self.divisor & 0x1f00 | u16::from(value),
            0x3 => self.control = value,
            0x4 if value & OVERRUN != 0 => self.has_overrun = false,
            0x7 if self.is_on(SENDS) => self.next = Some(value),
            // Fewer samples than four, and fewer than eight at one edge of the clock, are not specified.
            0xa if is_off && value & 0x1f >= 7 => self.samples = (value & 0x1f) + 1,
            _ => {}
        }
    }
}
