//! The SPI controllers of RP2040, RP2350 and MPS2 boards, PL022 of Arm (Arm PrimeCell Synchronous Serial Port PL022, Technical Reference Manual, 2 and 3;
//! RP2040 data sheet, 4.4; RP2350 data sheet, 12.3): FIFOs of eight frames.

use super::wires::{Frame, Mode, Wires};
use crate::{
    clocks::{Misuse, Shared},
    dma::Direction,
    pins::Place,
    port::{Environment, Port},
};
use std::collections::VecDeque;

/// Bits of SSPCR1.
const LOOPS: u32 = 1;
const ON: u32 = 1 << 1;
const SLAVE: u32 = 1 << 2;

/// Interrupts: an overrun, frames that wait for too long, received frames, and space to send.
const OVERRUN: u32 = 1;
const LATE: u32 = 1 << 1;
const RECEIVED: u32 = 1 << 2;
const SPACE: u32 = 1 << 3;

/// Bits of SSPDMACR.
const RECEIVE_DMA: u32 = 1;
const SEND_DMA: u32 = 1 << 1;

const DEPTH: usize = 8;

pub(crate) struct Pl022 {
    /// The places of the clock, of what it sends, and of what it receives.
    places: [Vec<Place>; 3],
    wires: Wires,
    shared: Shared,
    /// The frequency of the core after the start.
    core: u64,
    state: State,
    misuse: Option<Misuse>,
}

/// What a reset sets.
#[derive(Default)]
struct State {
    format: u32,
    control: u32,
    prescaler: u32,
    mask: u32,
    dma: u32,
    sending: VecDeque<u16>,
    received: VecDeque<u16>,
    /// The frame in the shift register, with the time of its end.
    shifting: Option<(u64, u16)>,
    /// The interrupts that stay until they are cleared, and when received frames have waited for too long: 32 bits.
    events: u32,
    waited: Option<u64>,
}

impl State {
    fn is_on(&self) -> bool {
        self.control & ON != 0
    }

    fn is_busy(&self) -> bool {
        self.shifting.is_some() || self.is_on() && !self.sending.is_empty()
    }
}

/// The function of pins of an RP2040 or RP2350 for SPI.
const FUNCTION: u32 = 1;

/// Of each four pins the third is the clock, the last one sends, and the first one receives; eight belong to the first controller, and the
/// next eight to the other (RP2040 data sheet, 2.19.2; RP2350 data sheet, 9.4).
pub(crate) fn places_of_raspberry_pi(controller: u32) -> [Vec<Place>; 3] {
    [2, 3, 0].map(|place| {
        let numbers = (0..30).filter(|number| number % 4 == place && number / 8 % 2 == controller);
        numbers.map(|number| Place::new((0, number), FUNCTION)).collect()
    })
}

impl Pl022 {
    /// A controller whose clock, what it sends, and what it receives can be at these places.
    pub(crate) fn new(places: [Vec<Place>; 3], environment: &Environment<'_>) -> Pl022 {
        Pl022 {
            places,
            wires: Wires::new(environment),
            shared: environment.shared.clone(),
            core: environment.core,
            state: State::default(),
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    fn bits(&self) -> u32 {
        (self.state.format & 0xf) + 1
    }

    /// The bits in a second (TRM, 3.3.1 and 3.3.5).
    fn rate(&self) -> u64 {
        let divisor = self.state.prescaler.max(2) * ((self.state.format >> 8 & 0xff) + 1);
        self.shared.get().buses[0] / u64::from(divisor)
    }

    fn check_settings(&mut self) {
        if !self.places.iter().all(|places| Place::is_any(places, &*self.wires.pins.borrow())) {
            self.forbid("the pins of the SPI bus are not those of the controller");
        }
        if !matches!(self.bits(), 8 | 16) || self.state.format & 0x30 != 0 {
            self.forbid("only frames of whole bytes in Motorola's format are modelled");
        }
        let prescaler = self.state.prescaler;
        if prescaler % 2 == 1 || !(2..=254).contains(&prescaler) {
            self.forbid("the prescaler is not an even number from 2 to 254");
        }
        if self.state.control & (LOOPS | SLAVE) != 0 {
            self.forbid("a loop, or another controller of the bus is not modelled");
        }
        if self.shared.get().buses[0] == 0 {
            self.forbid("the controller has no clock");
        }
    }

    fn begin(&mut self, at: u64) {
        if self.state.shifting.is_some() || !self.state.is_on() {
            return;
        }
        let Some(frame) = self.state.sending.pop_front() else { return };
        self.check_settings();
        self.wires.note(self.rate());
        self.state.shifting = Some((at + self.cycles(self.bits()), frame));
    }

    /// The cycles of the core in some bits.
    fn cycles(&self, bits: u32) -> u64 {
        u64::from(bits) * self.core / self.rate().max(1)
    }

    fn arrived(&mut self, frame: u16, at: u64) {
        if self.state.received.len() < DEPTH {
            self.state.received.push_back(frame);
            self.state.waited = Some(at + self.cycles(32));
            return;
        }
        self.state.events |= OVERRUN;
        if self.state.mask & (RECEIVED | LATE) != 0 || self.state.dma & RECEIVE_DMA != 0 {
            self.forbid("a received frame has no space");
        }
    }

    /// The interrupts without their mask.
    fn raw(&self) -> u32 {
        let half = DEPTH / 2;
        let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        self.state.events
            | flag(self.state.received.len() >= half, RECEIVED)
            | flag(self.state.sending.len() <= half, SPACE)
    }

    fn status(&self) -> u32 {
        let (sending, received) = (self.state.sending.len(), self.state.received.len());
        let flags = [sending == 0, sending < DEPTH, received > 0, received == DEPTH, self.state.is_busy()];
        flags.into_iter().zip(0..).fold(0, |all, (is_set, bit)| all | u32::from(is_set) << bit)
    }

    fn write_control(&mut self, value: u32, now: u64) {
        let (was_on, is_on) = (self.state.is_on(), value & ON != 0);
        if was_on && !is_on && self.state.is_busy() {
            self.forbid("the controller is disabled within a transfer");
        }
        self.state.control = value & 0xf;
        self.begin(now);
    }

    /// The controller is off while it is configured (RP2040 data sheet, 4.4.3, "Configuring the SSP").
    fn check_off(&mut self, changes: bool) {
        if changes && self.state.is_on() {
            self.forbid("the format changes while the controller is on");
        }
    }

    fn write_data(&mut self, value: u32, now: u64) {
        if self.state.sending.len() == DEPTH {
            return self.forbid("a frame is written before there is space");
        }
        if self.state.events & OVERRUN != 0 && !self.state.is_busy() {
            self.forbid("a transfer begins before an overrun is cleared");
        }
        let mask = 0xffff >> (16 - self.bits());
        self.state.sending.push_back(value as u16 & mask);
        self.begin(now);
    }

    fn read_data(&mut self, now: u64) -> u32 {
        let frame = self.state.received.pop_front();
        if frame.is_none() {
            self.forbid("a frame is read before it has arrived");
        }
        let more = !self.state.received.is_empty();
        self.state.waited = more.then_some(now + self.cycles(32));
        self.state.events &= !LATE;
        u32::from(frame.unwrap_or_default())
    }
}

impl Port for Pl022 {
    fn read(&mut self, offset: u32, _: usize, now: u64) -> u32 {
        match offset {
            0x00 => self.state.format,
            0x04 => self.state.control,
            0x08 => self.read_data(now),
            0x0c => self.status(),
            0x10 => self.state.prescaler,
            0x14 => self.state.mask,
            0x18 => self.raw(),
            0x1c => self.raw() & self.state.mask,
            0x24 => self.state.dma,
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, _: usize, value: u32, now: u64) {
        match offset {
            0x00 => {
                self.check_off(self.state.format != value & 0xffff);
                self.state.format = value & 0xffff;
            }
            0x04 => self.write_control(value, now),
            0x08 => self.write_data(value, now),
            0x10 => {
                self.check_off(self.state.prescaler != value & 0xff);
                self.state.prescaler = value & 0xff;
            }
            0x14 => self.state.mask = value & 0xf,
            0x20 => self.state.events &= !(value & (OVERRUN | LATE)),
            0x24 => self.state.dma = value & 3,
            _ => {}
        }
    }

    fn requests(&self, direction: Direction) -> bool {
        match direction {
            Direction::Sends => self.state.dma & SEND_DMA != 0 && self.state.sending.len() < DEPTH,
            Direction::Receives => self.state.dma & RECEIVE_DMA != 0 && !self.state.received.is_empty(),
        }
    }

    fn advance(&mut self, now: u64) {
        while let Some((end, frame)) = self.state.shifting.take_if(|(end, _)| *end <= now) {
            let format = self.state.format;
            let mode = Mode { rests_high: format >> 6 & 1 == 1, at_second: format >> 7 & 1 == 1 };
            let answer = self.wires.exchange(frame, Frame { bits: self.bits(), mode, lowest_first: false });
            self.arrived(answer, end);
            self.begin(end);
        }
        if self.state.waited.take_if(|time| *time <= now).is_some() {
            self.state.events |= LATE;
        }
    }

    fn due(&self) -> Option<u64> {
        [self.state.shifting.map(|(end, _)| end), self.state.waited].into_iter().flatten().min()
    }

    fn interrupts(&self) -> bool {
        self.raw() & self.state.mask != 0
    }

    fn is_listening(&self) -> bool {
        self.state.mask != 0
    }

    fn reset(&mut self) {
        self.state = State::default();
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
