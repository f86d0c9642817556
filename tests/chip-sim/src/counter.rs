//! A counter that counts up at its own frequency, with a compare value.
//!
//! Time is in cycles of the core, from its reset. The count is computed from the time of the start; nothing is done for
//! each tick.

/// A counter with one comparator.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    /// The frequency of the core in hertz.
    core: u64,
    /// Its own frequency in hertz.
    pub(crate) frequency: u64,
    pub(crate) bits: u32,
    /// The time and the count at its start.
    started: Option<u64>,
    count: u64,
    /// The time at which it reaches the compare value.
    due: Option<u64>,
    compare: Option<u32>,
    /// The smallest distance from the count to a compare value at which it matches.
    pub(crate) margin: u64,
}

impl Counter {
    pub(crate) fn new(core: u64, frequency: u64, bits: u32, margin: u64) -> Counter {
        Counter { core, frequency, bits, started: None, count: 0, due: None, compare: None, margin }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.started.is_some()
    }

    /// The total count, not limited to its width.
    fn total(&self, now: u64) -> u64 {
        let passed =
            self.started.map_or(0, |started| u128::from(now.saturating_sub(started)) * u128::from(self.frequency));
        self.count + (passed / u128::from(self.core)) as u64
    }

    pub(crate) fn value(&self, now: u64) -> u32 {
        (self.total(now) & self.mask()) as u32
    }

    fn mask(&self) -> u64 {
        (1 << self.bits) - 1
    }

    pub(crate) fn start(&mut self, now: u64) {
        if self.started.is_none() {
            self.started = Some(now);
            self.schedule(now, 1);
        }
    }

    pub(crate) fn stop(&mut self, now: u64) {
        self.count = self.total(now);
        self.started = None;
        self.due = None;
    }

    pub(crate) fn clear(&mut self, now: u64) {
        self.count = 0;
        if self.started.is_some() {
            self.started = Some(now);
            self.schedule(now, 1);
        }
    }

    /// Sets the compare value.
    pub(crate) fn compare(&mut self, now: u64, number: u32) {
        self.compare = Some(number);
        self.schedule(now, self.margin);
    }

    pub(crate) fn forget(&mut self) {
        (self.compare, self.due) = (None, None);
    }

    pub(crate) fn is_armed(&self) -> bool {
        self.due.is_some()
    }

    /// Computes when it reaches the compare value, at least this many ticks from now.
    fn schedule(&mut self, now: u64, nearest: u64) {
        let (Some(started), Some(number)) = (self.started, self.compare) else { return };
        let total = self.total(now);
        let mut ahead = u64::from(number).wrapping_sub(total) & self.mask();
        if ahead < nearest {
            ahead += self.mask() + 1;
        }
        let ticks = u128::from(total + ahead - self.count);
        let cycles = (ticks * u128::from(self.core)).div_ceil(u128::from(self.frequency));
        self.due = Some(started + u64::try_from(cycles).unwrap_or(u64::MAX / 2));
    }

    /// The time of the next event.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due
    }

    /// Whether it has matched since the last call.
    pub(crate) fn has_matched(&mut self, now: u64) -> bool {
        let has = self.due.is_some_and(|due| due <= now);
        if has {
            self.schedule(now, 1);
        }
        has
    }
}
