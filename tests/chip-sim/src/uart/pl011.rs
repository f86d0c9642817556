//! The UARTs of RP2040 and RP2350, PL011 of Arm (Arm PrimeCell UART PL011, Technical Reference Manual, 2 and 3; RP2040 data sheet, 4.2; RP2350
//! data sheet, 12.1): FIFOs of 32 bytes, or a register for each direction.
//!
//! The interrupts for sent and received bytes come when a FIFO reaches its level, not while it has it, and stay until they are cleared or the
//! FIFO has passed the level again. The rate counts from the next write of UARTLCR_H on.

use super::traffic::Traffic;
use crate::{
    clocks::{Misuse, Shared},
    dma::Direction,
    pins::Place,
    port::{Environment, Port, Reception},
};
use std::collections::VecDeque;

/// Bits of UARTCR.
const ON: u32 = 1;
const LOOPS: u32 = 1 << 7;
const SENDS: u32 = 1 << 8;
const RECEIVES: u32 = 1 << 9;

/// Bits of UARTLCR_H: FIFOs, and eight bits without parity and with one stop bit.
const WITH_FIFO: u32 = 1 << 4;
const FORMAT: u32 = 0xef;
const BYTES: u32 = 0x60;

/// Interrupts: received bytes, sent ones, few received ones that wait for too long, and an overrun.
const RECEIVED: u32 = 1 << 4;
const SENT: u32 = 1 << 5;
const LATE: u32 = 1 << 6;
const OVERRUN: u32 = 1 << 10;

/// Bits of UARTDMACR.
const RECEIVE_DMA: u32 = 1;
const SEND_DMA: u32 = 1 << 1;

const DEPTH: usize = 32;
/// The bits of a byte on the line, and those after which received bytes wait for too long.
const BITS: u64 = 10;
const LONG: u64 = 32;

pub(crate) struct Pl011 {
    /// The places of what it sends and what it receives.
    places: [Vec<Place>; 2],
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
    format: u32,
    /// The divisor as it is written, and as it counts: 64ths.
    integer: u32,
    fraction: u32,
    divisor: u32,
    levels: u32,
    mask: u32,
    dma: u32,
    sending: VecDeque<u8>,
    received: VecDeque<u8>,
    events: u32,
    waited: Option<u64>,
}

impl State {
    /// The bytes that a direction has space for.
    fn depth(&self) -> usize {
        if self.format & WITH_FIFO != 0 { DEPTH } else { 1 }
    }

    /// The level of the FIFO that sends, or that receives: 4, 8, 16, 24 and 28 bytes.
    fn level(&self, first: u32) -> usize {
        let eighths = [1, 2, 4, 6, 7][(self.levels >> first & 7).min(4) as usize];
        if self.format & WITH_FIFO != 0 { DEPTH * eighths / 8 } else { usize::from(first != 0) }
    }
}

/// The place of the levels of the FIFO that receives in UARTIFLS.
const RECEIVE_LEVEL: u32 = 3;

/// The functions of pins for a UART, of which the second one is that of an RP2350.
const FUNCTION: u32 = 2;
const OTHER_FUNCTION: u32 = 11;

/// Of each four pins the first one sends, and the second one receives, or the other two with the other function. The first and the last two
/// of each eight groups belong to the first UART (RP2040 data sheet, 2.19.2; RP2350 data sheet, 9.4).
fn places(number: u32, is_later: bool) -> [Vec<Place>; 2] {
    let functions: &[(u32, u32)] = if is_later { &[(0, FUNCTION), (2, OTHER_FUNCTION)] } else { &[(0, FUNCTION)] };
    [0, 1].map(|signal| {
        let of = |&(first, function): &(u32, u32)| {
            let pins = (0..30).filter(move |pin| pin % 4 == first + signal && (pin + 4) / 8 % 2 == number);
            pins.map(move |pin| Place::new((0, pin), function))
        };
        functions.iter().flat_map(of).collect()
    })
}

impl Pl011 {
    pub(crate) fn new(number: u32, is_later: bool, environment: &Environment<'_>) -> Pl011 {
        let mut uart = Pl011 {
            places: places(number, is_later),
            traffic: Traffic::new(environment),
            shared: environment.shared.clone(),
            core: environment.core,
            state: State::default(),
            misuse: None,
        };
        uart.reset();
        uart
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    fn is_on(&self, direction: u32) -> bool {
        let bits = ON | direction;
        self.state.control & bits == bits
    }

    fn is_connected(&self, signal: usize) -> bool {
        Place::is_any(&self.places[signal], &*self.traffic.pins.borrow())
    }

    fn listens(&self) -> bool {
        self.is_on(RECEIVES) && self.is_connected(1)
    }

    fn rate(&self) -> u64 {
        self.shared.get().buses[0] * 4 / u64::from(self.state.divisor.max(1))
    }

    /// The cycles of some bits.
    fn cycles(&self, bits: u64) -> u64 {
        bits * self.core / self.rate().max(1)
    }

    fn check_settings(&mut self) {
        if self.state.divisor < 64 || self.state.divisor > 0xffff << 6 {
            self.forbid("the divisor of a serial line is too small or too large");
        }
        if self.state.format & FORMAT != BYTES || self.state.control & LOOPS != 0 {
            self.forbid("a serial line does not send bytes without parity, or it is a loop, which is not modelled");
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
        if let Some(byte) = self.state.sending.pop_front() {
            self.check_settings();
            self.traffic.send(Some(byte), at + self.cycles(BITS), self.rate());
            if self.state.sending.len() == self.state.level(0) {
                self.state.events |= SENT;
            }
        }
    }

    fn arrived(&mut self, byte: u8, at: u64) {
        if self.state.received.len() >= self.state.depth() {
            self.state.events |= OVERRUN;
            return;
        }
        self.state.received.push_back(byte);
        if self.state.received.len() == self.state.level(RECEIVE_LEVEL) {
            self.state.events |= RECEIVED;
        }
        self.state.waited = Some(at + self.cycles(LONG));
    }

    fn flags(&self) -> u32 {
        let (sending, received) = (self.state.sending.len(), self.state.received.len());
        let is_busy = sending > 0 || self.traffic.is_sending();
        let depth = self.state.depth();
        let flags =
            [(is_busy, 3), (received == 0, 4), (sending >= depth, 5), (received >= depth, 6), (sending == 0, 7)];
        flags.into_iter().fold(0, |all, (is_set, bit)| all | u32::from(is_set) << bit)
    }

    fn read_data(&mut self) -> u32 {
        let Some(byte) = self.state.received.pop_front() else {
            self.forbid("a byte is read before it has arrived");
            return 0;
        };
        if self.state.received.len() < self.state.level(RECEIVE_LEVEL) {
            self.state.events &= !RECEIVED;
        }
        if self.state.received.is_empty() {
            self.state.events &= !LATE;
            self.state.waited = None;
        }
        u32::from(byte)
    }

    fn write_data(&mut self, byte: u8, now: u64) {
        if self.state.sending.len() >= self.state.depth() {
            return self.forbid("a byte is written before a serial line has space");
        }
        self.state.sending.push_back(byte);
        if self.state.sending.len() > self.state.level(0) {
            self.state.events &= !SENT;
        }
        self.begin(now);
    }

    /// The line is off, and its last byte has gone, while it is configured (TRM, 3.3.7).
    fn check_off(&mut self) {
        if self.is_on(0) || self.traffic.is_sending() {
            self.forbid("the format or the rate of a serial line changes while it is on, or sends its last byte");
        }
    }

    fn write_format(&mut self, value: u32) {
        self.check_off();
        if self.state.format & WITH_FIFO != 0 && value & WITH_FIFO == 0 {
            // This empties them.
            self.state.sending.clear();
            self.state.received.clear();
        }
        self.state.format = value & 0xff;
        self.state.divisor = self.state.integer << 6 | self.state.fraction;
    }
}

impl Port for Pl011 {
    fn read(&mut self, offset: u32, _: usize, _: u64) -> u32 {
        match offset {
            0x00 => {
                if self.state.dma & RECEIVE_DMA != 0 {
                    self.forbid("a byte is read that DMA receives");
                }
                self.read_data()
            }
            0x18 => self.flags(),
            0x24 => self.state.integer,
            0x28 => self.state.fraction,
            0x2c => self.state.format,
            0x30 => self.state.control,
            0x34 => self.state.levels,
            0x38 => self.state.mask,
            0x3c => self.state.events,
            0x40 => self.state.events & self.state.mask,
            0x48 => self.state.dma,
            _ => 0,
        }
    }

    fn read_for_dma(&mut self, offset: u32, size: usize, now: u64) -> u32 {
        if offset == 0 { self.read_data() } else { self.read(offset, size, now) }
    }

    fn write(&mut self, offset: u32, _: usize, value: u32, now: u64) {
        match offset {
            0x00 => self.write_data(value as u8, now),
            0x24 => {
                self.check_off();
                self.state.integer = value & 0xffff;
            }
            0x28 => {
                self.check_off();
                self.state.fraction = value & 0x3f;
            }
            0x2c => self.write_format(value),
            0x30 => {
                self.state.control = value & 0xffff;
                self.begin(now);
            }
            0x34 => self.state.levels = value & 0x3f,
            0x38 => self.state.mask = value & 0x7ff,
            0x44 => self.state.events &= !value,
            0x48 => self.state.dma = value & 7,
            _ => {}
        }
    }

    fn advance(&mut self, now: u64) {
        while let Some(end) = self.traffic.left(now) {
            self.begin(end);
        }
        while let Some((end, byte)) = self.traffic.arrived(now) {
            if self.listens() {
                self.arrived(byte, end);
                self.traffic.listen(end, self.cycles(BITS));
            }
        }
        if self.listens() {
            self.traffic.listen(now, self.cycles(BITS));
        }
        if self.state.waited.take_if(|time| *time <= now).is_some() {
            self.state.events |= LATE;
        }
    }

    fn due(&self) -> Option<u64> {
        [self.traffic.due(), self.state.waited].into_iter().flatten().min()
    }

    fn requests(&self, direction: Direction) -> bool {
        match direction {
            Direction::Sends => self.state.dma & SEND_DMA != 0 && self.state.sending.len() < self.state.depth(),
            Direction::Receives => self.state.dma & RECEIVE_DMA != 0 && !self.state.received.is_empty(),
        }
    }

    fn interrupts(&self) -> bool {
        self.state.events & self.state.mask != 0
    }

    fn is_listening(&self) -> bool {
        self.state.mask != 0
    }

    fn reception(&self) -> Reception {
        self.traffic.reception(self.listens())
    }

    fn reset(&mut self) {
        self.state = State { control: SENDS | RECEIVES, levels: 0x12, ..State::default() };
        self.traffic.reset();
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
