//! Edges of pins (nRF51 Reference Manual, 15; nRF52833 Product Specification, 6.9): each channel watches a pin. Its configuration
//! causes an event.

use super::gpio::Gpio;
use crate::wiring::Pin;

pub(super) struct Gpiote {
    /// The bits of a pin's number: an nRF51 and an nRF91 have one port.
    pins: u32,
    channels: Vec<Channel>,
    interrupts: u32,
}

#[derive(Clone, Default)]
struct Channel {
    configuration: u32,
    level: bool,
    happened: bool,
}

impl Channel {
    /// The pin that it watches, if it does.
    fn pin(&self, pins: u32) -> Option<Pin> {
        let number = self.configuration >> 8 & pins;
        (self.configuration & 3 == 1).then_some((number / 32, number % 32))
    }
}

impl Gpiote {
    pub(super) fn new(pins: u32, count: usize) -> Gpiote {
        Gpiote { pins, channels: vec![Channel::default(); count], interrupts: 0 }
    }

    /// Compares the levels of pins with those before.
    pub(super) fn observe(&mut self, gpio: &Gpio) {
        for channel in &mut self.channels {
            let Some(pin) = channel.pin(self.pins) else { continue };
            let level = gpio.level(pin);
            let polarity = channel.configuration >> 16 & 3;
            let edge = if level { 1 } else { 2 };
            channel.happened |= level != channel.level && polarity & edge != 0;
            channel.level = level;
        }
    }

    pub(super) fn interrupts(&self) -> bool {
        self.channels.iter().enumerate().any(|(index, channel)| channel.happened && self.interrupts >> index & 1 == 1)
    }

    pub(super) fn read(&self, offset: u32) -> u32 {
        let channel = |first: u32| self.channels.get((offset - first) as usize / 4);
        match offset {
            0x100..0x120 => channel(0x100).map_or(0, |channel| u32::from(channel.happened)),
            0x304 | 0x308 => self.interrupts,
            0x510..0x530 => channel(0x510).map_or(0, |channel| channel.configuration),
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, gpio: &Gpio) {
        match offset {
            0x100..0x120 if value == 0 => {
                if let Some(channel) = self.channels.get_mut((offset - 0x100) as usize / 4) {
                    channel.happened = false;
                }
            }
            0x304 => self.interrupts |= value,
            0x308 => self.interrupts &= !value,
            0x510..0x530 => {
                if let Some(channel) = self.channels.get_mut((offset - 0x510) as usize / 4) {
                    channel.configuration = value;
                    if let Some(pin) = channel.pin(self.pins) {
                        (channel.level, channel.happened) = (gpio.level(pin), true);
                    }
                }
            }
            _ => {}
        }
    }
}
