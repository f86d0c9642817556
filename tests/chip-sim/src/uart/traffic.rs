//! The bytes on their way in both directions of a line.

use crate::{
    pins,
    port::{Environment, Reception},
    wiring::SerialLine,
};
use std::{cell::RefCell, rc::Rc};

pub(super) struct Traffic {
    line: Rc<RefCell<SerialLine>>,
    pub(super) pins: pins::Shared,
    /// What leaves, or nothing while the line is idle for as long as a byte, and the time of its end.
    leaves: Option<(u64, Option<u8>)>,
    /// When the next byte has arrived.
    arrives: Option<u64>,
}

impl Traffic {
    pub(super) fn new(environment: &Environment<'_>) -> Traffic {
        let line = environment.wiring.line.clone();
        Traffic { line, pins: environment.pins.clone(), leaves: None, arrives: None }
    }

    pub(super) fn is_sending(&self) -> bool {
        self.leaves.is_some()
    }

    pub(super) fn is_receiving(&self) -> bool {
        self.arrives.is_some()
    }

    /// Begins to send a byte, or an idle line, until a time; with its bits in a second.
    pub(super) fn send(&mut self, byte: Option<u8>, until: u64, rate: u64) {
        self.leaves = Some((until, byte));
        if byte.is_some() {
            self.line.borrow_mut().rate = Some(rate);
        }
    }

    /// Ends what is sent until a time: that of its end.
    pub(super) fn left(&mut self, now: u64) -> Option<u64> {
        let (end, byte) = self.leaves.take_if(|(end, _)| *end <= now)?;
        self.line.borrow_mut().sent.extend(byte);
        Some(end)
    }

    /// The byte that has arrived until a time, and that of its end.
    pub(super) fn arrived(&mut self, now: u64) -> Option<(u64, u8)> {
        let end = self.arrives.take_if(|end| *end <= now)?;
        let byte = self.line.borrow_mut().arriving.pop_front()?;
        Some((end, byte))
    }

    /// From a time on, the next byte arrives, if there is one.
    pub(super) fn listen(&mut self, from: u64, duration: u64) {
        if self.arrives.is_none() && !self.line.borrow().arriving.is_empty() {
            self.arrives = Some(from + duration);
        }
    }

    /// What a device receives that listens, or does not.
    pub(super) fn reception(&self, listens: bool) -> Reception {
        match (listens, self.arrives) {
            (false, _) => Reception::Off,
            (true, None) => Reception::Waits,
            (true, Some(_)) => Reception::Runs,
        }
    }

    /// Nothing is on its way any more.
    pub(super) fn reset(&mut self) {
        (self.leaves, self.arrives) = (None, None);
    }

    /// The next time at which something ends.
    pub(super) fn due(&self) -> Option<u64> {
        [self.leaves.map(|(end, _)| end), self.arrives].into_iter().flatten().min()
    }
}
