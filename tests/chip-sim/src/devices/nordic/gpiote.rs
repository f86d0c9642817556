//! Edges of pins (nRF51 Reference Manual, 15; nRF52833 Product Specification, 6.9): each channel watches a pin, or drives one by a task. Its
//! configuration causes an event.
//!
//! The initial level of a pin is as the manual says in some revisions of an nRF51; in others a channel keeps the level that it made last. Here it
//! is an error if the two differ. So it is if two channels have one pin.

use super::gpio::Gpio;
use crate::{clocks::Misuse, wiring::Pin};
use std::collections::BTreeMap;

pub(super) struct Gpiote {
    /// The bits of a pin's number: an nRF51 and an nRF91 have one port.
    pins: u32,
    channels: Vec<Channel>,
    interrupts: u32,
    /// The changes of the pins that tasks drive: when, and to what level.
    edges: BTreeMap<Pin, Vec<(u64, bool)>>,
    misuse: Option<Misuse>,
}

#[derive(Clone, Default)]
struct Channel {
    configuration: u32,
    level: bool,
    happened: bool,
    /// The level that its task made last.
    made: bool,
}

impl Channel {
    /// Its pin.
    fn pin(&self, pins: u32) -> Pin {
        let number = self.configuration >> 8 & pins;
        (number / 32, number % 32)
    }

    /// The pin that it watches, if it does.
    fn watched(&self, pins: u32) -> Option<Pin> {
        (self.configuration & 3 == 1).then(|| self.pin(pins))
    }

    /// The pin that its task drives, if it does.
    fn driven(&self, pins: u32) -> Option<Pin> {
        (self.configuration & 3 == 3).then(|| self.pin(pins))
    }
}

impl Gpiote {
    pub(super) fn new(pins: u32, count: usize) -> Gpiote {
        let channels = vec![Channel::default(); count];
        Gpiote { pins, channels, interrupts: 0, edges: BTreeMap::new(), misuse: None }
    }

    pub(super) fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }

    /// The pins that tasks drive, with their levels.
    pub(super) fn driven(&self) -> BTreeMap<Pin, bool> {
        self.channels.iter().filter_map(|channel| Some((channel.driven(self.pins)?, channel.made))).collect()
    }

    /// The channel whose task drives a pin.
    pub(super) fn task_of(&self, pin: Pin) -> Option<usize> {
        self.channels.iter().position(|channel| channel.driven(self.pins) == Some(pin))
    }

    /// The changes of a pin that a task has driven.
    pub(super) fn edges(&self, pin: Pin) -> &[(u64, bool)] {
        self.edges.get(&pin).map_or(&[], Vec::as_slice)
    }

    /// A task comes by its offset; whether there is one.
    pub(super) fn task(&mut self, offset: u32, now: u64) -> bool {
        let pins = self.pins;
        let Some(channel) = self.channels.get_mut(offset as usize / 4) else { return false };
        if let Some(pin) = channel.driven(pins) {
            let level = match channel.configuration >> 16 & 3 {
                0 => channel.made,
                1 => true,
                2 => false,
                _ => !channel.made,
            };
            channel.made = level;
            self.drive(pin, level, now);
        }
        true
    }

    /// A pin has a level from a time on.
    fn drive(&mut self, pin: Pin, level: bool, now: u64) {
        let edges = self.edges.entry(pin).or_default();
        if edges.last().is_some_and(|(_, before)| *before) != level {
            edges.push((now, level));
        }
    }

    /// Configures a channel. Without a task the pin has the level that the program has made.
    fn configure(&mut self, index: usize, value: u32, now: u64, gpio: &Gpio) {
        let pins = self.pins;
        let Some(channel) = self.channels.get_mut(index) else { return };
        let before = channel.driven(pins);
        channel.configuration = value;
        if let Some(pin) = channel.watched(pins) {
            (channel.level, channel.happened) = (gpio.level(pin), true);
        }
        let (pin, after, made) = (channel.pin(pins), channel.driven(pins), channel.made);
        let is_user = |channel: &&Channel| channel.configuration & 1 == 1 && channel.pin(pins) == pin;
        if value & 1 == 1 && self.channels.iter().filter(is_user).count() > 1 {
            self.misuse = Some("two channels of the GPIOTE have one pin");
        }
        if after.is_some() && pin != (0, 31) && (value >> 20 & 1 == 1) != made {
            self.misuse = Some("the initial level of a task's pin depends on the revision of the chip");
        }
        match (before, after) {
            (_, Some(pin)) => self.drive(pin, made, now),
            (Some(pin), None) => self.drive(pin, gpio.out(pin), now),
            (None, None) => {}
        }
    }

    /// Compares the levels of pins with those before.
    pub(super) fn observe(&mut self, gpio: &Gpio) {
        for channel in &mut self.channels {
            let Some(pin) = channel.watched(self.pins) else { continue };
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

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64, gpio: &Gpio) {
        match offset {
            0x000..0x020 if value == 1 => {
                self.task(offset, now);
            }
            0x100..0x120 if value == 0 => {
                if let Some(channel) = self.channels.get_mut((offset - 0x100) as usize / 4) {
                    channel.happened = false;
                }
            }
            0x304 => self.interrupts |= value,
            0x308 => self.interrupts &= !value,
            0x510..0x530 => self.configure((offset - 0x510) as usize / 4, value, now, gpio),
            _ => {}
        }
    }
}
