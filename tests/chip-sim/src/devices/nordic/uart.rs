//! The UART without DMA (nRF51 Reference Manual, 29; nRF52833 Product Specification, 6.33).
//!
//! Six received bytes wait, and further ones are lost. A byte that is written while another one is on its way is lost too.

use crate::wiring::SerialLine;
use std::{cell::RefCell, collections::VecDeque, rc::Rc};

pub(super) struct Uart {
    core: u64,
    line: Rc<RefCell<SerialLine>>,
    is_enabled: bool,
    receives: bool,
    sends: bool,
    baud: u32,
    interrupts: u32,
    has_received: bool,
    has_sent: bool,
    has_failed: bool,
    /// The first one is in the register RXD.
    waiting: VecDeque<u8>,
    /// When the next byte has arrived, and when one has gone.
    arrives: Option<u64>,
    leaves: Option<(u64, u8)>,
}

const LARGEST: usize = 6;
/// The bits of the interrupts: RXDRDY, TXDRDY and ERROR.
const RECEIVED: u32 = 1 << 2;
const SENT: u32 = 1 << 7;
const FAILED: u32 = 1 << 9;

impl Uart {
    pub(super) fn new(core: u64, line: Rc<RefCell<SerialLine>>) -> Uart {
        Uart {
            core,
            line,
            is_enabled: false,
            receives: false,
            sends: false,
            baud: 0x0400_0000,
            interrupts: 0,
            has_received: false,
            has_sent: false,
            has_failed: false,
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

    pub(super) fn advance(&mut self, now: u64) {
        let duration = self.duration();
        if let Some((_, byte)) = self.leaves.take_if(|(time, _)| *time <= now) {
            self.line.borrow_mut().sent.push(byte);
            self.has_sent = true;
        }
        while let Some(time) = self.arrives.take_if(|time| *time <= now) {
            let Some(byte) = self.line.borrow_mut().arriving.pop_front() else { return };
            if self.waiting.len() < LARGEST {
                self.waiting.push_back(byte);
            } else {
                self.has_failed = true;
            }
            self.has_received |= self.waiting.len() == 1;
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

    pub(super) fn interrupts(&self) -> bool {
        let causes = [(self.has_received, RECEIVED), (self.has_sent, SENT), (self.has_failed, FAILED)];
        causes.iter().any(|(happened, bit)| *happened && self.interrupts & bit != 0)
    }

    /// The next time at which something happens.
    pub(super) fn due(&self) -> Option<u64> {
        [self.arrives, self.leaves.map(|(time, _)| time)].into_iter().flatten().min()
    }

    pub(super) fn read(&mut self, offset: u32) -> u32 {
        match offset {
            0x108 => u32::from(self.has_received),
            0x11c => u32::from(self.has_sent),
            0x124 => u32::from(self.has_failed),
            0x304 | 0x308 => self.interrupts,
            0x500 => u32::from(self.is_enabled) * 4,
            0x518 => {
                let byte = self.waiting.pop_front().unwrap_or(0);
                self.has_received |= !self.waiting.is_empty();
                u32::from(byte)
            }
            0x524 => self.baud,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            0x000 if value == 1 => self.receives = true,
            0x004 if value == 1 => self.receives = false,
            0x008 if value == 1 => self.sends = true,
            0x00c if value == 1 => self.sends = false,
            0x108 if value == 0 => self.has_received = false,
            0x11c if value == 0 => self.has_sent = false,
            0x124 if value == 0 => self.has_failed = false,
            0x304 => self.interrupts |= value,
            0x308 => self.interrupts &= !value,
            0x500 => self.is_enabled = value & 7 == 4,
            0x51c if self.is_enabled && self.sends && self.leaves.is_none() => {
                self.leaves = Some((now + self.duration(), value as u8));
            }
            0x524 => self.baud = value,
            _ => {}
        }
    }
}
