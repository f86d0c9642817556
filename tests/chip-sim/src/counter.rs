//! A counter that counts up at its own frequency, and a number that it is compared with.
//!
//! Time is in cycles of the core, from its reset. What a counter says at some moment follows from when it was started; nothing is
//! done for each tick.

/// A counter with one comparator.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    /// How often a second the core counts.
    core: u64,
    /// How often a second it counts itself.
    pub(crate) frequency: u64,
    pub(crate) bits: u32,
    /// When it was started, and with what.
    started: Option<u64>,
    count: u64,
    /// When it gets to the number that it is compared with.
    due: Option<u64>,
    compare: Option<u32>,
    /// The smallest distance from the count to a number at which it acts.
    pub(crate) margin: u64,
}

impl Counter {
    pub(crate) fn new(core: u64, frequency: u64, bits: u32, margin: u64) -> Counter {
        Counter { core, frequency, bits, started: None, count: 0, due: None, compare: None, margin }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.started.is_some()
    }

    /// All that it has counted: more than its bits show.
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

    /// The number that it is compared with from now on.
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

    /// Finds when it gets to the number, no nearer than so many ticks.
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

    /// When something happens next.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due
    }

    /// Whether it has got to the number since it was last asked.
    pub(crate) fn has_matched(&mut self, now: u64) -> bool {
        let has = self.due.is_some_and(|due| due <= now);
        if has {
            self.schedule(now, 1);
        }
        has
    }
}
