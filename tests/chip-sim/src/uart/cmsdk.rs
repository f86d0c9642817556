//! The UART of the Cortex-M System Design Kit (Cortex-M System Design Kit Technical Reference Manual, Arm DDI 0479, 4.3): a register for each
//! direction before the one that shifts. A byte that arrives while the last one waits replaces it.
//!
//! Its first interrupt is for received bytes, its second one for sent ones: it comes when a byte leaves its register, and both stay until they
//! are cleared.

use super::traffic::Traffic;
use crate::{
    clocks::{Misuse, Shared},
    dma::Direction,
    pins::Place,
    port::{Environment, Port, Reception},
};

/// Bits of CTRL: the directions, and their interrupts two bits further on; the rest is for overruns and tests.
const SENDS: u32 = 1;
const RECEIVES: u32 = 1 << 1;
const CONTROL: u32 = 0x7f;

/// Bits of STATE: a register is full, and an overrun in a direction.
const FULL: u32 = 1;
const WAITS: u32 = 1 << 1;
const OVERRUN: u32 = 1 << 3;

/// Bits of INTSTATUS.
const SENT: u32 = 1;
const RECEIVED: u32 = 1 << 1;

/// The bits of a byte on the line.
const BITS: u64 = 10;

pub(crate) struct Cmsdk {
    /// The places of what it sends and what it receives, if it has no pins of its own.
    places: Option<[Vec<Place>; 2]>,
    traffic: Traffic,
    shared: Shared,
    /// The frequency of the core after the start.
    core: u64,
    state: State,
    misuse: Option<Misuse>,
}

/// What a reset sets.
#[derive(Default)]
struct State {
    control: u32,
    divisor: u32,
    sending: Option<u8>,
    received: Option<u8>,
    overrun: bool,
    events: u32,
}

impl Cmsdk {
    pub(crate) fn new(places: Option<[Vec<Place>; 2]>, environment: &Environment<'_>) -> Cmsdk {
        Cmsdk {
            places,
            traffic: Traffic::new(environment),
            shared: environment.shared.clone(),
            core: environment.core,
            state: State::default(),
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    fn is_connected(&self, signal: usize) -> bool {
        let pins = &*self.traffic.pins.borrow();
        self.places.as_ref().is_none_or(|places| Place::is_any(&places[signal], pins))
    }

    fn listens(&self) -> bool {
        self.state.control & RECEIVES != 0 && self.is_connected(1)
    }

    fn rate(&self) -> u64 {
        self.shared.get().buses[0] / u64::from(self.state.divisor.max(1))
    }

    /// The cycles of a byte.
    fn cycles(&self) -> u64 {
        BITS * self.core / self.rate().max(1)
    }

    /// Sends the byte that waits, if it can.
    fn begin(&mut self, at: u64) {
        if self.traffic.is_sending() || self.state.control & SENDS == 0 {
            return;
        }
        let Some(byte) = self.state.sending.take() else { return };
        if self.state.divisor < 16 {
            self.forbid("the divisor of a serial line is too small or too large");
        }
        if !self.is_connected(0) {
            self.forbid("the pin of a serial line is not that of its device");
        }
        self.traffic.send(Some(byte), at + self.cycles(), self.rate());
        self.raise(SENT);
    }

    /// Sets an interrupt that is enabled.
    fn raise(&mut self, event: u32) {
        self.state.events |= self.state.control >> 2 & event;
    }

    fn arrived(&mut self, byte: u8) {
        self.state.overrun |= self.state.received.replace(byte).is_some();
        self.raise(RECEIVED);
    }

    fn read_data(&mut self) -> u32 {
        let byte = self.state.received.take();
        if byte.is_none() {
            self.forbid("a byte is read before it has arrived");
        }
        u32::from(byte.unwrap_or_default())
    }

    fn write_data(&mut self, byte: u8, now: u64) {
        if self.state.sending.replace(byte).is_some() {
            return self.forbid("a byte is written before a serial line has space");
        }
        self.begin(now);
    }

    fn check_idle(&mut self) {
        if self.traffic.is_sending() {
            self.forbid("the rate or the settings of a serial line change while it sends");
        }
    }

    fn flags(&self) -> u32 {
        let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        flag(self.state.sending.is_some(), FULL)
            | flag(self.state.received.is_some(), WAITS)
            | flag(self.state.overrun, OVERRUN)
    }
}

impl Port for Cmsdk {
    fn read(&mut self, offset: u32, _: usize, _: u64) -> u32 {
        match offset {
            0x00 => self.read_data(),
            0x04 => self.flags(),
            0x08 => self.state.control,
            0x0c => self.state.events,
            0x10 => self.state.divisor,
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, _: usize, value: u32, now: u64) {
        match offset {
            0x00 => self.write_data(value as u8, now),
            0x04 => self.state.overrun &= value & OVERRUN == 0,
            0x08 => {
                if value & SENDS == 0 {
                    self.check_idle();
                }
                self.state.control = value & CONTROL;
                self.begin(now);
            }
            0x0c => self.state.events &= !value,
            0x10 => {
                if value != self.state.divisor {
                    self.check_idle();
                }
                self.state.divisor = value & 0xf_ffff;
            }
            _ => {}
        }
    }

    fn narrowest(&self) -> usize {
        4
    }

    fn advance(&mut self, now: u64) {
        while let Some(end) = self.traffic.left(now) {
            self.begin(end);
        }
        while let Some((end, byte)) = self.traffic.arrived(now) {
            if self.listens() {
                self.arrived(byte);
                self.traffic.listen(end, self.cycles());
            }
        }
        if self.listens() {
            self.traffic.listen(now, self.cycles());
        }
    }

    fn due(&self) -> Option<u64> {
        self.traffic.due()
    }

    fn requests(&self, _: Direction) -> bool {
        false
    }

    fn interrupts(&self) -> bool {
        self.state.events != 0
    }

    fn lines(&self) -> u128 {
        let is = |event: u32| u128::from(self.state.events & event != 0);
        is(RECEIVED) | is(SENT) << 1
    }

    fn is_listening(&self) -> bool {
        self.state.control >> 2 & (SENT | RECEIVED) != 0
    }

    fn reception(&self) -> Reception {
        self.traffic.reception(self.listens())
    }

    fn reset(&mut self) {
        self.state = State::default();
        self.traffic.reset();
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
