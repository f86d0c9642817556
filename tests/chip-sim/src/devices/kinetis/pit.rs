//! The first channel of the periodic interrupt timer of the KL25 (KL25 Sub-Family Reference Manual, chapter 32). It counts down from its start
//! value, and begins again one count after zero. The start value is taken over when the channel is enabled, or begins again.

use crate::{clocks::Shared, counter::Counter};

pub(super) const BASE: u32 = 0x4003_7000;
pub(super) const INTERRUPT: u32 = 22;

pub(super) struct Pit {
    shared: Shared,
    control: u32,
    start: u32,
    channel: u32,
    flag: bool,
    counter: Counter,
}

impl Pit {
    pub(super) fn new(core: u64, shared: Shared) -> Pit {
        let counter = Counter::new(core, shared.get().buses[0], 33, 1);
        Pit { shared, control: 6, start: 0, channel: 0, flag: false, counter }
    }

    pub(super) fn read(&self, offset: u32, now: u64) -> u32 {
        match offset {
            0x000 => self.control,
            0x100 => self.start,
            0x104 => self.start.wrapping_sub(self.counter.value(now)),
            0x108 => self.channel,
            0x10c => u32::from(self.flag),
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            0x000 => self.control = value & 3,
            0x100 => self.start = value,
            0x108 => self.channel = value & 7,
            0x10c => self.flag &= value & 1 == 0,
            _ => {}
        }
        // The module is enabled by a zero, the channel by a one.
        let runs = self.control & 2 == 0 && self.channel & 1 == 1;
        if !runs {
            self.counter.stop(now);
        } else if !self.counter.is_running() {
            self.counter.frequency = self.shared.get().buses[0];
            self.counter.clear(now);
            self.counter.start(now);
            self.begin(now);
        }
    }

    fn begin(&mut self, moment: u64) {
        self.counter.clear(moment);
        self.counter.compare(moment, self.start.wrapping_add(1));
    }

    /// Whether it interrupts.
    pub(super) fn interrupts(&mut self, now: u64) -> bool {
        let end = self.counter.due();
        if self.counter.has_matched(now) {
            self.flag = true;
            self.begin(end.unwrap_or(now));
        }
        self.flag && self.channel & 2 != 0
    }

    pub(super) fn due(&self) -> Option<u64> {
        self.counter.due().filter(|_| self.channel & 2 != 0)
    }
}
