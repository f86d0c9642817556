//! The SPI controller without DMA (nRF51 Reference Manual, 26; nRF52833 Product Specification, 6.25).
//!
//! It takes a byte while another one is on its way, and a further one is lost. Nothing is sent while the pins of its clock and of what it
//! sends are no outputs.

use super::{Gpio, pin};
use crate::wiring::{Pin, Selected};
use std::collections::VecDeque;

pub(super) struct Spi {
    core: u64,
    devices: Vec<Selected>,
    is_enabled: bool,
    frequency: u32,
    configuration: u32,
    /// The numbers of the pins: clock, what it sends, what it receives.
    pins: [u32; 3],
    is_ready: bool,
    /// The bytes on their way, each with the time of its end.
    sending: VecDeque<(u64, u8)>,
    received: VecDeque<u8>,
}

pub(super) const BASE: u32 = 0x4000_4000;

/// The configurations for modes 0 and 3, the highest bit first.
const MODES: [u32; 2] = [0, 6];

impl Spi {
    pub(super) fn new(core: u64, devices: Vec<Selected>) -> Spi {
        Spi {
            core,
            devices,
            is_enabled: false,
            frequency: 0x0400_0000,
            configuration: 0,
            pins: [u32::MAX; 3],
            is_ready: false,
            sending: VecDeque::new(),
            received: VecDeque::new(),
        }
    }

    /// The cycles of a byte: eight bits, at 125 kHz or a multiple.
    fn duration(&self) -> u64 {
        self.core * 8 * 0x0200_0000 / (125_000 * u64::from(self.frequency.max(1)))
    }

    /// Ends what has ended until now, with the levels that pins have had since.
    pub(super) fn advance(&mut self, now: u64, gpio: &Gpio) {
        while let Some((_, byte)) = self.sending.pop_front_if(|(time, _)| *time <= now) {
            let selected = self.devices.iter().find(|(select, _)| !gpio.level(*select));
            let level = |pin: Pin| gpio.level(pin);
            let answer = match selected {
                Some((_, device)) if MODES.contains(&self.configuration) => device.borrow_mut().exchange(byte, &level),
                Some(_) | None => 0,
            };
            self.received.push_back(answer);
            self.is_ready |= self.received.len() == 1;
        }
    }

    pub(super) fn read(&mut self, offset: u32) -> u32 {
        match offset {
            0x108 => u32::from(self.is_ready),
            0x500 => u32::from(self.is_enabled),
            0x518 => {
                let byte = self.received.pop_front().unwrap_or(0);
                self.is_ready |= !self.received.is_empty();
                u32::from(byte)
            }
            0x524 => self.frequency,
            0x554 => self.configuration,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64, gpio: &Gpio) {
        match offset {
            0x108 if value == 0 => self.is_ready = false,
            0x500 => self.is_enabled = value & 7 == 1,
            0x508 | 0x50c | 0x510 => self.pins[(offset - 0x508) as usize / 4] = value,
            0x51c => {
                let are_outputs =
                    self.pins[..2].iter().all(|number| pin(*number).is_some_and(|pin| gpio.is_output(pin)));
                if self.is_enabled && are_outputs && self.sending.len() < 2 {
                    let begins = self.sending.back().map_or(now, |(time, _)| *time);
                    self.sending.push_back((begins + self.duration(), value as u8));
                }
            }
            0x524 => self.frequency = value,
            0x554 => self.configuration = value & 7,
            _ => {}
        }
    }
}
