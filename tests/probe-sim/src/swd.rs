//! The wire: serial wire debug, bit by bit, as a debugger uses it before it passes whole requests to the probe.
//!
//! In: the bits that the probe drives. Out: the bits of the chip's responses. Requests of the access port are
//! acknowledged and have no effect: after the first read of the debug port the probe receives those as a whole.

use crate::port::Port;
use std::collections::VecDeque;

/// The number of ones that reset the line.
const LINE_RESET: u32 = 50;

/// The bits of a request: start, port, direction, two of the address, their parity, stop, park.
const REQUEST: u32 = 8;

/// The bits of data and their parity.
const DATA: u32 = 33;

/// The chip's end of the wire.
#[derive(Debug)]
pub(crate) struct Wire {
    state: State,
    /// The bits of the pending response.
    answer: VecDeque<bool>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The chip waits for a line reset, and has seen this many ones.
    Lost(u32),
    Idle,
    /// The bits of a request so far.
    Request {
        bits: u8,
        count: u32,
    },
    /// The bits of written data so far.
    Write {
        request: Request,
        bits: u64,
        count: u32,
    },
}

/// A request.
#[derive(Clone, Copy, Debug)]
struct Request {
    is_access_port: bool,
    is_read: bool,
    address: u16,
}

impl Wire {
    /// The initial state.
    pub(crate) fn new() -> Wire {
        Wire { state: State::Lost(0), answer: VecDeque::new() }
    }

    /// The probe drives a bit.
    pub(crate) fn drive(&mut self, bit: bool, port: &mut Port) {
        self.state = match self.state {
            State::Lost(ones) if bit => State::Lost(ones + 1),
            State::Lost(ones) if ones >= LINE_RESET => State::Idle,
            State::Lost(_) => State::Lost(0),
            State::Idle if bit => State::Request { bits: 1, count: 1 },
            State::Idle => State::Idle,
            State::Request { bits, count } => self.request(bits | u8::from(bit) << count, count + 1, port),
            State::Write { request, bits, count } => {
                let (bits, count) = (bits | u64::from(bit) << count, count + 1);
                if count < DATA {
                    State::Write { request, bits, count }
                } else {
                    if !request.is_access_port {
                        port.write(request.address, bits as u32);
                    }
                    State::Idle
                }
            }
        };
    }

    /// The probe reads a bit; the line is high if nobody drives it.
    pub(crate) fn sample(&mut self) -> bool {
        self.answer.pop_front().unwrap_or(true)
    }

    fn request(&mut self, bits: u8, count: u32, port: &Port) -> State {
        if count < REQUEST {
            return State::Request { bits, count };
        }
        let Some(request) = Request::of(bits) else {
            // Eight ones may be the beginning of a reset.
            return State::Lost(if bits == u8::MAX { REQUEST } else { 0 });
        };
        self.answer = VecDeque::from([true, false, false]);
        if !request.is_read {
            return State::Write { request, bits: 0, count: 0 };
        }
        let value = if request.is_access_port { 0 } else { port.read(request.address) };
        self.answer.extend((0..32).map(|bit| value >> bit & 1 != 0));
        self.answer.push_back(has_odd_ones(value));
        State::Idle
    }
}

impl Request {
    fn of(bits: u8) -> Option<Request> {
        let is_set = |bit: u8| bits >> bit & 1 != 0;
        let is_sound = is_set(5) == has_odd_ones(u32::from(bits >> 1 & 0xf)) && !is_set(6) && is_set(7);
        is_sound.then(|| Request {
            is_access_port: is_set(1),
            is_read: is_set(2),
            address: u16::from(bits >> 3 & 3) << 2,
        })
    }
}

fn has_odd_ones(value: u32) -> bool {
    !value.count_ones().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_line_answers_what_it_is() {
        let (mut wire, mut port) = (Wire::new(), Port::default());
        let mut drive = |bits: u64, count: u32| (0..count).for_each(|bit| wire.drive(bits >> bit & 1 != 0, &mut port));
        drive(u64::MAX, 50);
        drive(0, 2);
        // Start, debug port, read, address 0, parity, stop, park.
        drive(0b1010_0101, 8);
        let answer: Vec<bool> = (0..36).map(|_| wire.sample()).collect();
        assert_eq!(answer[..3], [true, false, false]);
        let value = (0..32).fold(0_u32, |value, bit| value | u32::from(answer[3 + bit]) << bit);
        assert_eq!(value, 0x0bb1_1477);
        assert!(wire.sample());
    }

    #[test]
    fn noise_is_no_request() {
        let (mut wire, mut port) = (Wire::new(), Port::default());
        for bit in 0..64 {
            wire.drive(bit % 3 == 0, &mut port);
        }
        assert!((0..8).all(|_| wire.sample()));
    }
}
