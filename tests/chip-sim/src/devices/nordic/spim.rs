//! The SPI controller with DMA, SPIM (nRF52840 and nRF9160 Product Specifications, "SPIM").
//!
//! It reads what it sends from RAM and writes what it receives to RAM; it reaches no other memory, and stops at what it does not reach.
//! Where it has nothing to send it sends the over-read character. Nothing happens while the pins of its clock and of what it sends are no
//! outputs, and a start during a transfer is ignored.

use super::{Gpio, pin};
use crate::{
    memory::Ram,
    wiring::{Pin, Selected},
};

pub(super) struct Spim {
    core: u64,
    devices: Vec<Selected>,
    is_enabled: bool,
    frequency: u32,
    configuration: u32,
    over_read: u32,
    /// The numbers of the pins: clock, what it sends, what it receives.
    pins: [u32; 3],
    /// The events that have come and the interrupts that are enabled: each a bit by its number.
    events: u32,
    interrupts: u32,
    send: Buffer,
    receive: Buffer,
    /// The bytes that are done, and when the next one is.
    running: Option<(u32, u64)>,
    starts: bool,
}

#[derive(Clone, Copy, Default)]
struct Buffer {
    pointer: u32,
    count: u32,
}

/// The events ENDRX, END, ENDTX and STARTED.
const RECEIVED: u32 = 4;
const ENDED: u32 = 6;
const SENT: u32 = 8;
const STARTED: u32 = 19;

/// The configurations for modes 0 and 3, the highest bit first.
const MODES: [u32; 2] = [0, 6];

impl Spim {
    pub(super) fn new(core: u64, devices: Vec<Selected>) -> Spim {
        Spim {
            core,
            devices,
            is_enabled: false,
            frequency: 0x0400_0000,
            configuration: 0,
            over_read: 0,
            pins: [u32::MAX; 3],
            events: 0,
            interrupts: 0,
            send: Buffer::default(),
            receive: Buffer::default(),
            running: None,
            starts: false,
        }
    }

    /// The cycles of a byte: eight bits, at 125 kHz or a multiple.
    fn duration(&self) -> u64 {
        self.core * 8 * 0x0200_0000 / (125_000 * u64::from(self.frequency.max(1)))
    }

    pub(super) fn advance(&mut self, now: u64, gpio: &Gpio, ram: &mut Ram<'_>) {
        let are_outputs = self.pins[..2].iter().all(|number| pin(*number).is_some_and(|pin| gpio.is_output(pin)));
        if std::mem::take(&mut self.starts) && self.is_enabled && are_outputs && self.running.is_none() {
            self.running = Some((0, now + self.duration()));
            self.events |= 1 << STARTED;
        }
        while let Some((done, time)) = self.running.filter(|(_, time)| *time <= now) {
            self.byte(done, gpio, ram);
            let done = done + 1;
            if done == self.send.count {
                self.events |= 1 << SENT;
            }
            if done == self.receive.count {
                self.events |= 1 << RECEIVED;
            }
            let is_last = done >= self.send.count.max(self.receive.count);
            self.events |= u32::from(is_last) << ENDED;
            self.running = (!is_last).then(|| (done, time + self.duration()));
        }
    }

    /// Sends a byte, and receives one.
    fn byte(&mut self, done: u32, gpio: &Gpio, ram: &mut Ram<'_>) {
        let next = (done < self.send.count).then(|| ram.byte(self.send.pointer + done)).flatten();
        let byte = next.unwrap_or(self.over_read as u8);
        let selected = self.devices.iter().find(|(select, _)| !gpio.level(*select));
        let level = |pin: Pin| gpio.level(pin);
        let answer = match selected {
            Some((_, device)) if MODES.contains(&self.configuration) => device.borrow_mut().exchange(byte, &level),
            Some(_) | None => 0,
        };
        if done < self.receive.count {
            ram.set_byte(self.receive.pointer + done, answer);
        }
    }

    pub(super) fn interrupts(&self) -> bool {
        self.events & self.interrupts != 0
    }

    /// The next time at which something happens that may interrupt.
    pub(super) fn due(&self) -> Option<u64> {
        self.running.filter(|_| self.interrupts != 0).map(|(_, time)| time)
    }

    pub(super) fn read(&self, offset: u32) -> u32 {
        match offset {
            0x100..0x180 => self.events >> ((offset - 0x100) / 4) & 1,
            0x304 | 0x308 => self.interrupts,
            0x500 => u32::from(self.is_enabled) * 7,
            0x524 => self.frequency,
            0x534 => self.receive.pointer,
            0x538 => self.receive.count,
            0x544 => self.send.pointer,
            0x548 => self.send.count,
            0x554 => self.configuration,
            0x5c0 => self.over_read,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32) {
        match offset {
            0x010 if value == 1 => self.starts = true,
            0x100..0x180 if value == 0 => self.events &= !(1 << ((offset - 0x100) / 4)),
            0x304 => self.interrupts |= value,
            0x308 => self.interrupts &= !value,
            0x500 => self.is_enabled = value & 0xf == 7,
            0x508 | 0x50c | 0x510 if !self.is_enabled => self.pins[(offset - 0x508) as usize / 4] = value,
            0x524 => self.frequency = value,
            0x534 => self.receive.pointer = value,
            0x538 => self.receive.count = value & 0x1fff,
            0x544 => self.send.pointer = value,
            0x548 => self.send.count = value & 0x1fff,
            0x554 => self.configuration = value & 7,
            0x5c0 => self.over_read = value & 0xff,
            _ => {}
        }
    }
}
