//! The USARTs of STM32F1, F2 and F4 (RM0008, 27; RM0090, 30), and the USARTs and the low-power UART of STM32L5 (RM0438, "Universal synchronous
//! receiver transmitter" and "Low-power universal asynchronous receiver transmitter"), without FIFOs.
//!
//! There is space for a byte beside the one on its way, and for one that has arrived; a further one is an overrun, or on an L5 that does
//! not detect those, replaces it. A transmitter that is turned on leaves the line idle for as long as a byte takes.

use super::traffic::Traffic;
use crate::{
    clocks::{Misuse, Shared},
    dma::Direction,
    pins::Place,
    port::{Environment, Port, Reception},
};

/// Which registers a device has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// F1, F2 and F4.
    Early,
    /// L5.
    Late,
    /// The low-power one of an L5.
    LowPower,
}

/// A register of either kind.
enum Register {
    Control,
    Format,
    Requests,
    Rate,
    Prescaler,
    Status,
    Clear,
    Received,
    Sent,
    /// For both directions.
    Data,
}

/// Bits of CR1, of which that for the device itself differs.
const RECEIVES: u32 = 1 << 2;
const SENDS: u32 = 1 << 3;
const RECEIVE_INTERRUPT: u32 = 1 << 5;
const COMPLETE_INTERRUPT: u32 = 1 << 6;
const SEND_INTERRUPT: u32 = 1 << 7;
/// A parity, other lengths of a byte, and FIFOs.
const OTHER: u32 = 1 << 29 | 1 << 28 | 1 << 12 | 1 << 10;
const HALF_SAMPLES: u32 = 1 << 15;

/// Bits of CR3.
const ERROR_INTERRUPT: u32 = 1;
const RECEIVE_DMA: u32 = 1 << 6;
const SEND_DMA: u32 = 1 << 7;
const REPLACES: u32 = 1 << 12;

/// Flags.
const OVERRUN: u32 = 1 << 3;
const FULL: u32 = 1 << 5;
const COMPLETE: u32 = 1 << 6;
const EMPTY: u32 = 1 << 7;
const SENDS_ALREADY: u32 = 1 << 21;
const RECEIVES_ALREADY: u32 = 1 << 22;

/// The bits of a byte on the line.
const BITS: u64 = 10;

pub(crate) struct Stm32 {
    kind: Kind,
    /// The places of what it sends and what it receives.
    places: [&'static [Place]; 2],
    traffic: Traffic,
    shared: Shared,
    bus: usize,
    /// The frequency of the core after the start.
    core: u64,
    state: State,
    misuse: Option<Misuse>,
}

/// What a reset sets.
#[derive(Default)]
struct State {
    control: u32,
    format: u32,
    requests: u32,
    divisor: u32,
    prescaler: u32,
    /// What follows the byte on its way, and what has arrived.
    next: Option<u8>,
    received: Option<u8>,
    last: u8,
    has_overrun: bool,
    /// Whether the status was read while there was an overrun.
    is_seen: bool,
    is_incomplete: bool,
}

impl Stm32 {
    pub(crate) fn new(kind: Kind, bus: usize, places: [&'static [Place]; 2], environment: &Environment<'_>) -> Stm32 {
        Stm32 {
            kind,
            places,
            traffic: Traffic::new(environment),
            shared: environment.shared.clone(),
            bus,
            core: environment.core,
            state: State::default(),
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    /// The bit of CR1 that turns the device on.
    fn on(&self) -> u32 {
        if self.kind == Kind::Early { 1 << 13 } else { 1 }
    }

    /// Whether the device is on, and a direction is.
    fn is_on(&self, direction: u32) -> bool {
        let bits = self.on() | direction;
        self.state.control & bits == bits
    }

    fn is_connected(&self, signal: usize) -> bool {
        Place::is_any(self.places[signal], &*self.traffic.pins.borrow())
    }

    fn listens(&self) -> bool {
        self.is_on(RECEIVES) && self.is_connected(1)
    }

    fn register(&self, offset: u32) -> Option<Register> {
        Some(match (self.kind, offset) {
            (Kind::Early, 0x00) => Register::Status,
            (Kind::Early, 0x04) => Register::Data,
            (Kind::Early, 0x08) => Register::Rate,
            (Kind::Early, 0x0c) => Register::Control,
            (Kind::Early, 0x10) => Register::Format,
            (Kind::Early, 0x14) => Register::Requests,
            (Kind::Late | Kind::LowPower, 0x00) => Register::Control,
            (Kind::Late | Kind::LowPower, 0x04) => Register::Format,
            (Kind::Late | Kind::LowPower, 0x08) => Register::Requests,
            (Kind::Late | Kind::LowPower, 0x0c) => Register::Rate,
            (Kind::Late | Kind::LowPower, 0x1c) => Register::Status,
            (Kind::Late | Kind::LowPower, 0x20) => Register::Clear,
            (Kind::Late | Kind::LowPower, 0x24) => Register::Received,
            (Kind::Late | Kind::LowPower, 0x28) => Register::Sent,
            (Kind::Late | Kind::LowPower, 0x2c) => Register::Prescaler,
            _ => return None,
        })
    }

    /// The bits in a second (RM0090, 30.3.4; RM0438, "LPUART baud rate generation").
    fn rate(&self) -> u64 {
        const PRESCALERS: [u64; 12] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256];
        let prescaler = PRESCALERS[(self.state.prescaler & 0xf).min(11) as usize];
        let clock = self.shared.get().buses[self.bus] / prescaler;
        let divisor = u64::from(self.state.divisor);
        let has_half = self.state.control & HALF_SAMPLES != 0;
        match self.kind {
            Kind::LowPower => clock * 256 / divisor.max(1),
            Kind::Early if has_half => clock / ((divisor >> 4) * 8 + (divisor & 7)).max(1),
            Kind::Late if has_half => clock * 2 / (divisor & !0xf | (divisor & 7) << 1).max(1),
            Kind::Early | Kind::Late => clock / divisor.max(1),
        }
    }

    /// The cycles of a byte.
    fn duration(&self) -> u64 {
        BITS * self.core / self.rate().max(1)
    }

    fn check_settings(&mut self) {
        let least = if self.kind == Kind::LowPower { 0x300 } else { 16 };
        if self.state.divisor < least {
            self.forbid("the divisor of a serial line is too small");
        }
        if self.state.control & OTHER != 0 || self.state.format & 0x3000 != 0 {
            self.forbid("parities, other lengths of bytes, more stop bits and FIFOs of a serial line are not modelled");
        }
        if !self.is_connected(0) {
            self.forbid("the pin of a serial line is not that of its device");
        }
    }

    /// Sends the next byte, if it can.
    fn begin(&mut self, at: u64) {
        if self.traffic.is_sending() || !self.is_on(SENDS) {
            return;
        }
        if let Some(byte) = self.state.next.take() {
            self.check_settings();
            self.traffic.send(Some(byte), at + self.duration(), self.rate());
        }
    }

    fn arrived(&mut self, byte: u8) {
        let is_replaced = self.kind != Kind::Early && self.state.requests & REPLACES != 0;
        if self.state.received.is_none() && !self.state.has_overrun || is_replaced {
            self.state.received = Some(byte);
        } else {
            self.state.has_overrun = true;
        }
    }

    fn status(&self) -> u32 {
        let state = &self.state;
        let is_late = self.kind != Kind::Early;
        let causes = [
            (state.has_overrun, OVERRUN),
            (state.received.is_some(), FULL),
            (!state.is_incomplete, COMPLETE),
            (state.next.is_none(), EMPTY),
            (is_late && self.is_on(SENDS), SENDS_ALREADY),
            (is_late && self.is_on(RECEIVES), RECEIVES_ALREADY),
        ];
        causes.into_iter().fold(0, |all, (is_set, bit)| if is_set { all | bit } else { all })
    }

    /// What DMA receives, the core does not read, and it does not interrupt (RM0090, 30.3.13; RM0438, "Reception using DMA").
    fn check_reader(&mut self) {
        if self.state.requests & RECEIVE_DMA != 0 && self.state.control & RECEIVE_INTERRUPT != 0 {
            self.forbid("a serial line interrupts for bytes that DMA receives");
        }
    }

    /// Reads a received byte. One with an overrun is read after the status (RM0090, 30.3.3).
    fn read_data(&mut self) -> u32 {
        if let Some(byte) = self.state.received.take() {
            self.state.last = byte;
        }
        if self.kind == Kind::Early && std::mem::take(&mut self.state.is_seen) {
            self.state.has_overrun = false;
        }
        u32::from(self.state.last)
    }

    fn write_data(&mut self, byte: u8, now: u64) {
        if !self.is_on(SENDS) {
            return self.forbid("a byte is written while a serial line does not send");
        }
        if self.state.next.is_some() {
            return self.forbid("a byte is written before a serial line has space");
        }
        (self.state.next, self.state.is_incomplete) = (Some(byte), true);
        self.begin(now);
    }

    /// The device, its transmitter and its receiver are turned on and off. What is sent then is lost (RM0438, "USART transmitter").
    fn write_control(&mut self, value: u32, now: u64) {
        let (was_on, had_sender) = (self.is_on(0), self.is_on(SENDS));
        let is_changed = (self.state.control ^ value) & (OTHER | HALF_SAMPLES) != 0;
        self.state.control = value;
        if was_on && is_changed && value & self.on() != 0 {
            self.forbid("the format of a serial line changes while it is on");
        }
        self.check_reader();
        let is_sending = self.state.next.is_some() || self.traffic.is_sending();
        if had_sender && !self.is_on(SENDS) && is_sending {
            self.forbid("a serial line is turned off while it sends");
        }
        if !had_sender && self.is_on(SENDS) {
            self.traffic.send(None, now + self.duration(), 0);
        }
    }

    /// Settings that are fixed while the line is on, or while something is on its way (RM0090, 30.3.4; RM0438, "USART baud rate register").
    fn check_off(&mut self) {
        let is_used = match self.kind {
            Kind::Early => self.traffic.is_sending() || self.traffic.is_receiving(),
            Kind::Late | Kind::LowPower => self.is_on(0),
        };
        if is_used {
            self.forbid("the rate or the settings of a serial line change while it is used");
        }
    }
}

impl Port for Stm32 {
    fn read(&mut self, offset: u32, _: usize, _: u64) -> u32 {
        let Some(register) = self.register(offset) else { return 0 };
        match register {
            Register::Control => self.state.control,
            Register::Format => self.state.format,
            Register::Requests => self.state.requests,
            Register::Rate => self.state.divisor,
            Register::Prescaler => self.state.prescaler,
            Register::Status => {
                self.state.is_seen = self.state.has_overrun;
                self.status()
            }
            Register::Received | Register::Data => {
                if self.state.requests & RECEIVE_DMA != 0 && self.state.received.is_some() {
                    self.forbid("a byte is read that DMA receives");
                }
                self.read_data()
            }
            Register::Clear | Register::Sent => 0,
        }
    }

    fn read_for_dma(&mut self, offset: u32, size: usize, now: u64) -> u32 {
        match self.register(offset) {
            Some(Register::Received | Register::Data) => self.read_data(),
            _ => self.read(offset, size, now),
        }
    }

    fn write(&mut self, offset: u32, _: usize, value: u32, now: u64) {
        let Some(register) = self.register(offset) else { return };
        match register {
            Register::Control => self.write_control(value, now),
            Register::Format => self.state.format = value,
            Register::Requests => {
                if self.kind != Kind::Early && (self.state.requests ^ value) & REPLACES != 0 {
                    self.check_off();
                }
                self.state.requests = value;
                self.check_reader();
            }
            Register::Rate => {
                self.check_off();
                self.state.divisor = value & if self.kind == Kind::LowPower { 0xf_ffff } else { 0xffff };
            }
            Register::Prescaler => {
                self.check_off();
                self.state.prescaler = value;
            }
            Register::Clear => {
                self.state.has_overrun &= value & OVERRUN == 0;
                self.state.is_incomplete |= value & COMPLETE != 0;
            }
            Register::Sent | Register::Data => self.write_data(value as u8, now),
            // Writing zero clears flags of the early ones.
            Register::Status if self.kind == Kind::Early => self.state.is_incomplete |= value & COMPLETE == 0,
            Register::Status | Register::Received => {}
        }
    }

    fn narrowest(&self) -> usize {
        if self.kind == Kind::Early { 2 } else { 1 }
    }

    fn advance(&mut self, now: u64) {
        while let Some(end) = self.traffic.left(now) {
            self.begin(end);
            self.state.is_incomplete &= self.traffic.is_sending();
        }
        while let Some((end, byte)) = self.traffic.arrived(now) {
            if self.listens() {
                self.arrived(byte);
                self.traffic.listen(end, self.duration());
            }
        }
        if self.listens() {
            self.traffic.listen(now, self.duration());
        }
    }

    fn due(&self) -> Option<u64> {
        self.traffic.due()
    }

    fn requests(&self, direction: Direction) -> bool {
        let requests = self.state.requests;
        match direction {
            Direction::Sends => requests & SEND_DMA != 0 && self.is_on(SENDS) && self.state.next.is_none(),
            Direction::Receives => requests & RECEIVE_DMA != 0 && self.state.received.is_some(),
        }
    }

    fn interrupts(&self) -> bool {
        let State { control, requests, .. } = self.state;
        let flags = self.status();
        let is_error = requests & ERROR_INTERRUPT != 0 && (self.kind != Kind::Early || requests & RECEIVE_DMA != 0);
        self.is_on(0)
            && (control & RECEIVE_INTERRUPT != 0 && flags & (FULL | OVERRUN) != 0
                || control & COMPLETE_INTERRUPT != 0 && flags & COMPLETE != 0
                || control & SEND_INTERRUPT != 0 && flags & EMPTY != 0
                || is_error && flags & OVERRUN != 0)
    }

    fn is_listening(&self) -> bool {
        let causes = RECEIVE_INTERRUPT | COMPLETE_INTERRUPT | SEND_INTERRUPT;
        self.state.control & causes != 0 || self.state.requests & ERROR_INTERRUPT != 0
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
