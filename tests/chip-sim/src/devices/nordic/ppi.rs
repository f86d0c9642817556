//! The PPI of an nRF51, and the events of timers that it connects with tasks (nRF51 Series Reference Manual, 16 and 18): each channel has an event
//! and a task, and groups of channels are enabled and disabled by tasks of their own.
//!
//! In: the writes to the timers and the PPI, and the time. Out: tasks of the GPIOTE, at the time of their events. Then holds: all events up to
//! that time have had their effects, in their order.
//!
//! An event acts on the channels that were enabled before it, also on those that it disables. One that follows the event which enables its
//! channel too closely ends the program, as one whose outcome the manual does not tell.

use super::gpiote::Gpiote;
use crate::{analog::Pulse, clocks::Misuse, wiring::Pin};

/// The registers of the PPI.
pub(super) const BASE: u32 = 0x4001_f000;

/// The registers of the GPIOTE.
const GPIOTE: u32 = 0x4000_6000;

/// The frequency of the timers before their prescalers, which is that of the core: times are its cycles.
const FREQUENCY: u64 = 16_000_000;

/// The cycles after which a channel that an event enables is certain to see its own event.
const LATENCY: u64 = 2;

pub(super) struct Ppi {
    enabled: u32,
    channels: [Channel; 16],
    groups: [u32; 4],
    timers: [Timer; 3],
    /// The time up to which events have had their effects.
    now: u64,
    misuse: Option<Misuse>,
}

/// An event of a timer: its address, and whether it acts on pins while the core sleeps.
struct Event {
    address: u32,
    is_kept: bool,
}

#[derive(Clone, Copy, Default)]
struct Channel {
    event: u32,
    task: u32,
    /// When an event has enabled it.
    enabled_at: Option<u64>,
}

/// A timer as far as its events are concerned.
#[derive(Clone, Copy)]
struct Timer {
    base: u32,
    bits: u32,
    prescaler: u32,
    compares: [u32; 4],
    shortcuts: u32,
    /// The time at which the count was zero, while it counts.
    origin: Option<u64>,
    /// The count while it does not.
    count: u64,
    /// Whether its events act on pins while the core sleeps (nRF51822 Product Anomaly Notice, 73): what is written, and what was when it was
    /// started.
    keeps: bool,
    is_kept: bool,
}

impl Timer {
    fn new(base: u32) -> Timer {
        Timer {
            base,
            bits: 16,
            prescaler: 4,
            compares: [0; 4],
            shortcuts: 0,
            origin: None,
            count: 0,
            keeps: false,
            is_kept: false,
        }
    }

    /// The time of the next event after a time, and a bit for each register that has it.
    fn next(&self, after: u64) -> Option<(u64, u32)> {
        let origin = self.origin?;
        let at = |number: u32| {
            let time = origin + (u64::from(number) << self.prescaler);
            if time > after { time } else { time + (1 << self.bits << self.prescaler) }
        };
        let times = self.compares.map(|number| (number > 0).then(|| at(number)));
        let next = times.iter().flatten().min().copied()?;
        Some((next, (0..4).filter(|index| times[*index] == Some(next)).fold(0, |all, index| all | 1 << index)))
    }

    /// The count has reached registers.
    fn reach(&mut self, time: u64, registers: u32) {
        let Some(origin) = &mut self.origin else { return };
        let whole = 1 << self.bits << self.prescaler;
        if self.shortcuts & registers != 0 {
            *origin = time;
        } else if time - *origin >= whole {
            *origin += whole;
        }
    }

    /// What the program writes. The prescaler and the width stay as they are while it counts.
    fn write(&mut self, offset: u32, value: u32, now: u64) {
        match (offset, self.origin) {
            (0x000, None) if value == 1 => {
                self.origin = Some(now.saturating_sub(self.count << self.prescaler));
                self.is_kept = self.keeps;
            }
            (0x004, Some(origin)) if value == 1 => {
                self.count = (now - origin) >> self.prescaler;
                self.origin = None;
            }
            (0x00c, origin) if value == 1 => {
                self.count = 0;
                self.origin = origin.map(|_| now);
            }
            (0x200, _) => self.shortcuts = value & 0xf,
            (0x508, None) => self.bits = [16, 8, 24, 32][(value & 3) as usize],
            (0x510, None) => self.prescaler = value & 0xf,
            (0x540 | 0x544 | 0x548 | 0x54c, _) => self.compares[(offset - 0x540) as usize / 4] = value,
            (0xc0c, _) => self.keeps = value == 1,
            _ => {}
        }
    }
}

impl Ppi {
    pub(super) fn new() -> Ppi {
        Ppi {
            enabled: 0,
            channels: [Channel::default(); 16],
            groups: [0; 4],
            timers: [0x4000_8000, 0x4000_9000, 0x4000_a000].map(Timer::new),
            now: 0,
            misuse: None,
        }
    }

    pub(super) fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }

    /// Lets all events up to a time have their effects.
    pub(super) fn advance(&mut self, now: u64, gpiote: &mut Gpiote) {
        while let Some(time) = self.timers.iter().filter_map(|timer| timer.next(self.now)).map(|(time, _)| time).min()
            && time <= now
        {
            let mut events = Vec::new();
            for timer in &mut self.timers {
                let Some((_, registers)) = timer.next(self.now).filter(|(own, _)| *own == time) else { continue };
                timer.reach(time, registers);
                let reached = (0..4).filter(|register| registers >> register & 1 == 1);
                events.extend(
                    reached
                        .map(|register| Event { address: timer.base + 0x140 + register * 4, is_kept: timer.is_kept }),
                );
            }
            self.happen(&events, time, gpiote);
            self.now = time;
        }
        self.now = now;
    }

    /// Events come at one time.
    fn happen(&mut self, events: &[Event], time: u64, gpiote: &mut Gpiote) {
        let (mut enables, mut disables, mut tasks) = (0, 0, Vec::new());
        for (_, channel) in self.channels.iter().enumerate().filter(|(index, _)| self.enabled >> index & 1 == 1) {
            let Some(event) = events.iter().find(|event| event.address == channel.event) else { continue };
            if channel.enabled_at.is_some_and(|enabled| time - enabled < LATENCY) {
                self.misuse = Some("an event of the PPI follows the one that enables its channel too closely");
            }
            match channel.task.wrapping_sub(BASE) {
                group if group < 0x20 && group.is_multiple_of(8) => enables |= self.groups[group as usize / 8],
                group if group < 0x20 => disables |= self.groups[group as usize / 8],
                _ if !event.is_kept => self.misuse = Some("a timer does not act on pins while the core sleeps"),
                _ => tasks.push(channel.task.wrapping_sub(GPIOTE)),
            }
        }
        for (index, task) in tasks.iter().enumerate() {
            if tasks[..index].contains(task) {
                self.misuse = Some("a task comes twice at one time");
            } else if !gpiote.task(*task, time) {
                self.misuse = Some("a channel of the PPI has another task than those of pins and groups");
            }
        }
        if enables & disables != 0 {
            self.misuse = Some("an event enables and disables a channel");
        }
        for (index, channel) in self.channels.iter_mut().enumerate() {
            if (enables & !self.enabled) >> index & 1 == 1 {
                channel.enabled_at = Some(time);
            }
        }
        self.enabled = (self.enabled | enables) & !disables;
    }

    pub(super) fn read(&self, offset: u32) -> u32 {
        match offset {
            0x500..0x50c => self.enabled,
            0x510..0x590 => {
                let channel = self.channels[(offset - 0x510) as usize / 8];
                if offset.is_multiple_of(8) { channel.event } else { channel.task }
            }
            0x800..0x810 => self.groups[(offset - 0x800) as usize / 4],
            _ => 0,
        }
    }

    /// The program writes a register of the PPI or of a timer.
    pub(super) fn write(&mut self, address: u32, value: u32, now: u64) {
        let offset = address & 0xfff;
        if let Some(timer) = self.timers.iter_mut().find(|timer| timer.base == address & !0xfff) {
            timer.write(offset, value, now);
            return;
        }
        if address & !0xfff != BASE {
            return;
        }
        match offset {
            0x000..0x020 if value == 1 => {
                let group = self.groups[offset as usize / 8];
                self.enabled = if offset.is_multiple_of(8) { self.enabled | group } else { self.enabled & !group };
            }
            0x500 => self.enabled = value,
            0x504 => {
                for (index, channel) in self.channels.iter_mut().enumerate() {
                    channel.enabled_at = channel.enabled_at.filter(|_| value >> index & 1 == 0);
                }
                self.enabled |= value;
            }
            0x508 => self.enabled &= !value,
            0x510..0x590 => {
                let channel = &mut self.channels[(offset - 0x510) as usize / 8];
                if offset.is_multiple_of(8) {
                    channel.event = value;
                } else {
                    channel.task = value;
                }
            }
            0x800..0x810 => self.groups[(offset - 0x800) as usize / 4] = value,
            _ => {}
        }
    }

    /// The cycles of the period of the timer that makes the pulses at a pin.
    pub(super) fn period(&self, pin: Pin, gpiote: &Gpiote) -> Option<u64> {
        let task = GPIOTE + gpiote.task_of(pin)? as u32 * 4;
        let mut timers = self.channels.iter().filter(|channel| channel.task == task).filter_map(|channel| {
            self.timers.iter().find(|timer| timer.base == channel.event & !0xfff && timer.origin.is_some())
        });
        timers.next().map(|timer| u64::from(timer.compares[0]) << timer.prescaler)
    }

    /// The pulses at a pin: those of the last period that has ended, or none where the level is the same for longer.
    pub(super) fn pulse(&self, pin: Pin, gpiote: &Gpiote) -> Option<Pulse> {
        let period = self.period(pin, gpiote)?;
        let edges = gpiote.edges(pin);
        let is_constant = edges.last().is_none_or(|(time, _)| *time + period < self.now);
        if is_constant {
            let high = if edges.last().is_some_and(|(_, is_high)| *is_high) { period } else { 0 };
            return Some(Pulse::of(FREQUENCY, period, high));
        }
        let end = edges.iter().rposition(|(_, is_high)| !is_high)?;
        let (falls, rises) = (edges[end].0, edges[end.checked_sub(1)?].0);
        let before = end.checked_sub(3).map_or(period, |before| rises - edges[before].0);
        Some(Pulse::of(FREQUENCY, before, falls - rises))
    }
}
