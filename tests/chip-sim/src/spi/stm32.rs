//! The SPI controller of STM32 (RM0008, 25; RM0090, 28; RM0438, "Serial peripheral interface (SPI)"): that of F1, F2 and F4 has one data
//! register for each direction, that of L5 FIFOs of four bytes.
//!
//! A frame moves from the data register to the shift register as soon as that is free, and a received frame moves the other way at its end.

use super::wires::{Frame, Mode, Wires};
use crate::{
    clocks::{Misuse, Shared},
    dma::Direction,
    pins::Place,
    port::{Environment, Port},
};
use std::collections::VecDeque;

/// What holds frames.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A register for each direction: F1, F2 and F4.
    Single,
    /// A FIFO for each direction: L5.
    Fifo,
}

/// Bits of CR1.
const AT_SECOND: u32 = 1;
const RESTS_HIGH: u32 = 1 << 1;
const MASTER: u32 = 1 << 2;
const ON: u32 = 1 << 6;
const LOWEST_FIRST: u32 = 1 << 7;
const SELECTED: u32 = 1 << 8;
const BY_PROGRAM: u32 = 1 << 9;
const WIDE: u32 = 1 << 11;
/// The bits of CR1 that are fixed while the controller is on, and those of what is not modelled: CRC, one line, and no sending.
const FORMAT: u32 = 0xbf | WIDE;
const OTHER: u32 = 0xb400;

/// Bits of CR2.
const RECEIVE_DMA: u32 = 1;
const SEND_DMA: u32 = 1 << 1;
const SELECTS: u32 = 1 << 2;
const ERROR_INTERRUPT: u32 = 1 << 5;
const RECEIVE_INTERRUPT: u32 = 1 << 6;
const SEND_INTERRUPT: u32 = 1 << 7;
const QUARTER: u32 = 1 << 12;

/// Flags of SR.
const RECEIVED: u32 = 1;
const EMPTY: u32 = 1 << 1;
const OVERRUN: u32 = 1 << 6;
const BUSY: u32 = 1 << 7;

pub(crate) struct Stm32 {
    kind: Kind,
    places: [&'static [Place]; 3],
    wires: Wires,
    shared: Shared,
    bus: usize,
    /// The frequency of the core after the start.
    core: u64,
    state: State,
    misuse: Option<Misuse>,
}

/// What a reset sets.
struct State {
    control: u32,
    settings: u32,
    /// The frames to send, and the received ones.
    sending: VecDeque<u16>,
    received: VecDeque<u16>,
    /// The frame in the shift register, with the time of its end.
    shifting: Option<(u64, u16)>,
    last: u16,
    /// Whether a frame was lost, and the data register was read since.
    has_overrun: bool,
    is_read: bool,
}

impl State {
    fn new(kind: Kind) -> State {
        State {
            control: 0,
            settings: if kind == Kind::Fifo { 0x700 } else { 0 },
            sending: VecDeque::new(),
            received: VecDeque::new(),
            shifting: None,
            last: 0,
            has_overrun: false,
            is_read: false,
        }
    }

    fn is_on(&self) -> bool {
        self.control & ON != 0
    }

    fn is_busy(&self) -> bool {
        self.shifting.is_some() || self.is_on() && !self.sending.is_empty()
    }
}

impl Stm32 {
    pub(crate) fn new(kind: Kind, bus: usize, places: [&'static [Place]; 3], environment: &Environment<'_>) -> Stm32 {
        Stm32 {
            kind,
            places,
            wires: Wires::new(environment),
            shared: environment.shared.clone(),
            bus,
            core: environment.core,
            state: State::new(kind),
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    /// The bits of a frame.
    fn bits(&self) -> u32 {
        match self.kind {
            Kind::Single if self.state.control & WIDE != 0 => 16,
            Kind::Single => 8,
            // Fewer than four are eight.
            Kind::Fifo => match self.state.settings >> 8 & 0xf {
                0..=2 => 8,
                bits => bits + 1,
            },
        }
    }

    /// The bytes of a FIFO that a frame takes.
    fn bytes(&self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The frames that each direction has space for.
    fn depth(&self) -> usize {
        match self.kind {
            Kind::Single => 1,
            Kind::Fifo => 4 / self.bytes(),
        }
    }

    fn rate(&self) -> u64 {
        self.shared.get().buses[self.bus] >> ((self.state.control >> 3 & 7) + 1)
    }

    /// The order of the manual before the first frame.
    fn check_settings(&mut self) {
        if !self.places.iter().all(|places| Place::is_any(places, &*self.wires.pins.borrow())) {
            self.forbid("the pins of the SPI bus are not those of the controller");
        }
        if !matches!(self.bits(), 8 | 16) {
            self.forbid("frames are not whole bytes, which is not modelled");
        }
        let is_early = self.state.settings & QUARTER != 0;
        if self.kind == Kind::Fifo && is_early != (self.bits() <= 8) {
            self.forbid("FRXTH does not fit the size of a frame");
        }
    }

    /// Moves the next frame into the shift register.
    fn begin(&mut self, at: u64) {
        if self.state.shifting.is_some() || !self.state.is_on() {
            return;
        }
        let Some(frame) = self.state.sending.pop_front() else { return };
        self.check_settings();
        let rate = self.rate().max(1);
        self.wires.note(rate);
        let cycles = u64::from(self.bits()) * self.core / rate;
        self.state.shifting = Some((at + cycles, frame));
    }

    fn arrived(&mut self, frame: u16) {
        if !self.state.has_overrun && self.state.received.len() < self.depth() {
            return self.state.received.push_back(frame);
        }
        self.state.has_overrun = true;
        if self.state.settings & (RECEIVE_DMA | RECEIVE_INTERRUPT) != 0 {
            self.forbid("a received frame has no space");
        }
    }

    /// Whether the flag for space is set: the register is free, or at most half of the FIFO is used.
    fn has_space(&self) -> bool {
        match self.kind {
            Kind::Single => self.state.sending.is_empty(),
            Kind::Fifo => self.state.sending.len() * self.bytes() <= 2,
        }
    }

    /// Whether the flag for received frames is set.
    fn has_received(&self) -> bool {
        let least = if self.kind == Kind::Single || self.state.settings & QUARTER != 0 { 1 } else { 2 };
        self.state.received.len() * self.bytes() >= least
    }

    fn status(&self) -> u32 {
        let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        let state = &self.state;
        // A FIFO is empty, a quarter, a half, or more.
        let level = |frames: &VecDeque<u16>| match self.kind {
            Kind::Single => 0,
            Kind::Fifo => (frames.len() * self.bytes()).min(3) as u32,
        };
        flag(self.has_received(), RECEIVED)
            | flag(self.has_space(), EMPTY)
            | flag(state.has_overrun, OVERRUN)
            | flag(state.is_busy(), BUSY)
            | level(&state.received) << 9
            | level(&state.sending) << 11
    }

    /// The control register, of which the format is fixed while the controller is on (RM0090, 28.3.3, 28.3.8 and 28.5.1).
    fn write_control(&mut self, value: u32, now: u64) {
        let before = self.state.control;
        let (was_on, is_on) = (before & ON != 0, value & ON != 0);
        if was_on && is_on && (before ^ value) & FORMAT != 0 {
            self.forbid("the format changes while the controller is on");
        }
        if was_on && !is_on && self.state.is_busy() {
            self.forbid("the controller is disabled within a transfer");
        }
        if value & OTHER != 0 {
            self.forbid("CRC, one line, or a controller that only receives are not modelled");
        }
        if is_on && value & MASTER == 0 {
            self.forbid("the controller is on, but not that of the bus");
        }
        let is_selected = match value & BY_PROGRAM {
            0 => self.state.settings & SELECTS != 0,
            _ => value & SELECTED != 0,
        };
        if is_on && !is_selected {
            self.forbid("the controller is not selected: a mode fault");
        }
        self.state.control = value;
        self.begin(now);
    }

    /// The settings: those of the frames are fixed while the controller is on, and DMA receives before it sends (RM0438, "Communication using
    /// DMA"; "SPI control register 2"). The manual enables and disables DMA while the controller is off; as in the manufacturer's drivers
    /// (`HAL_SPI_TransmitReceive_DMA`), it may be on, since otherwise nothing would drive the clock while a device is selected.
    fn write_settings(&mut self, value: u32) {
        let before = self.state.settings;
        let changed = before ^ value;
        if self.kind == Kind::Fifo && self.state.is_on() && changed & 0xf00 != 0 {
            self.forbid("the size of a frame changes while the controller is on");
        }
        if changed & RECEIVE_DMA & value != 0 && before & SEND_DMA != 0 {
            self.forbid("DMA receives only after it sends");
        }
        self.state.settings = value;
    }

    /// A frame, or two where an access of two bytes has frames of one.
    fn write_data(&mut self, size: usize, value: u32, now: u64) {
        if !self.has_space() {
            return self.forbid("a frame is written before there is space");
        }
        if self.state.has_overrun && !self.state.is_busy() {
            self.forbid("a transfer begins before an overrun is cleared");
        }
        self.check_size(size);
        let mask = if self.bits() <= 8 { 0xff } else { 0xffff };
        self.state.sending.push_back(value as u16 & mask);
        self.begin(now);
    }

    fn read_data(&mut self, size: usize) -> u32 {
        self.check_size(size);
        if let Some(frame) = self.state.received.pop_front() {
            self.state.last = frame;
        }
        self.state.is_read = true;
        u32::from(self.state.last)
    }

    /// An access of the data register has the size of a frame, where that says how many frames it accesses (RM0438, "Data packing").
    fn check_size(&mut self, size: usize) {
        if self.kind == Kind::Fifo && (size == 1) != (self.bits() <= 8) {
            self.forbid("an access of the data register is not as large as a frame");
        }
    }
}

impl Port for Stm32 {
    fn read(&mut self, offset: u32, size: usize, _: u64) -> u32 {
        match offset {
            0x00 => self.state.control,
            0x04 => self.state.settings,
            0x08 => {
                let status = self.status();
                // An overrun is cleared by reading the data register, and then this one.
                if std::mem::take(&mut self.state.is_read) {
                    self.state.has_overrun = false;
                }
                status
            }
            0x0c => self.read_data(size),
            0x10 => 7,
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, size: usize, value: u32, now: u64) {
        match offset {
            0x00 => self.write_control(value, now),
            0x04 => self.write_settings(value),
            0x0c => self.write_data(size, value, now),
            _ => {}
        }
    }

    fn narrowest(&self) -> usize {
        if self.kind == Kind::Single { 2 } else { 1 }
    }

    fn requests(&self, direction: Direction) -> bool {
        match direction {
            Direction::Sends => self.state.settings & SEND_DMA != 0 && self.has_space(),
            Direction::Receives => self.state.settings & RECEIVE_DMA != 0 && self.has_received(),
        }
    }

    fn advance(&mut self, now: u64) {
        while let Some((end, frame)) = self.state.shifting.take_if(|(end, _)| *end <= now) {
            let control = self.state.control;
            let mode = Mode { rests_high: control & RESTS_HIGH != 0, at_second: control & AT_SECOND != 0 };
            let form = Frame { bits: self.bits(), mode, lowest_first: control & LOWEST_FIRST != 0 };
            let answer = self.wires.exchange(frame, form);
            self.arrived(answer);
            self.begin(end);
        }
    }

    fn due(&self) -> Option<u64> {
        self.state.shifting.map(|(end, _)| end)
    }

    fn interrupts(&self) -> bool {
        let settings = self.state.settings;
        settings & RECEIVE_INTERRUPT != 0 && self.has_received()
            || settings & SEND_INTERRUPT != 0 && self.has_space()
            || settings & ERROR_INTERRUPT != 0 && self.state.has_overrun
    }

    fn is_listening(&self) -> bool {
        self.state.settings & (RECEIVE_INTERRUPT | SEND_INTERRUPT | ERROR_INTERRUPT) != 0
    }

    fn reset(&mut self) {
        self.state = State::new(self.kind);
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
