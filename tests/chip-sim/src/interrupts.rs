//! The interrupt controller and the system timer of an Armv6-M core (Armv6-M Architecture Reference Manual, B3).

use crate::clocks::Shared;

/// A chip's system timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SystemTimer {
    /// None: its registers read as zero.
    Absent,
    /// It stops while the core sleeps.
    StopsAsleep,
    /// It always counts.
    Counts,
}

/// The number of the exception that is not masked.
pub(crate) const NMI: u32 = 2;

/// The number of the system timer's exception, and of the first interrupt's.
pub(crate) const SYSTICK: u32 = 15;
pub(crate) const FIRST: u32 = 16;

/// The maximum number of exceptions.
pub(crate) const COUNT: u32 = 128;

/// The first exception of a controller register with one bit per exception: for more than 32 interrupts there are several.
fn first_of(register: u32) -> u32 {
    FIRST + (register & 0xc) * 8
}

/// The pending, active and enabled exceptions; each is a bit by its number.
pub(crate) struct Interrupts {
    timer: SystemTimer,
    /// The frequency of the core after the start, in whose cycles time is, and the one that it has.
    rated: u64,
    shared: Shared,
    enabled: u128,
    pub(crate) pending: u128,
    active: Vec<u32>,
    priorities: [u8; COUNT as usize],
    control: u32,
    reload: u32,
    /// The time of the last reload of the system timer, on its own clock.
    loaded: u64,
    /// The time for which it was stopped.
    stood: u64,
    wrapped: bool,
}

impl Interrupts {
    pub(crate) fn new(timer: SystemTimer, rated: u64, shared: Shared) -> Interrupts {
        Interrupts {
            timer,
            rated,
            shared,
            enabled: 1 << SYSTICK,
            pending: 0,
            active: Vec::new(),
            priorities: [0; COUNT as usize],
            control: 0,
            reload: 0,
            loaded: 0,
            stood: 0,
            wrapped: false,
        }
    }

    /// Accounts for sleep of this many cycles.
    pub(crate) fn slept(&mut self, cycles: u64) {
        if self.timer == SystemTimer::StopsAsleep {
            self.stood += cycles;
        }
    }

    fn period(&self) -> u64 {
        ((u64::from(self.reload) + 1) * self.rated / self.shared.get().core).max(1)
    }

    fn counts(&self) -> bool {
        self.control & 1 != 0 && self.reload != 0
    }

    /// The time of the system timer's next interrupt; none while the core sleeps, if it stops then.
    pub(crate) fn due(&self, asleep: bool) -> Option<u64> {
        let counts = self.counts() && !(asleep && self.timer == SystemTimer::StopsAsleep);
        counts.then(|| self.loaded + self.period() + self.stood)
    }

    /// Advances the system timer to the current time.
    pub(crate) fn advance(&mut self, now: u64) {
        let now = now - self.stood;
        while self.counts() && now >= self.loaded + self.period() {
            self.loaded += self.period();
            self.wrapped = true;
            if self.control & 2 != 0 {
                self.pending |= 1 << SYSTICK;
            }
        }
    }

    /// Updates the lines of devices: an asserted line that is not being handled is pending.
    pub(crate) fn lines(&mut self, asserted: u128) {
        let active = self.active.iter().fold(0, |all, number| all | 1_u128 << number);
        self.pending |= asserted << FIRST & !active;
    }

    fn priority(&self, number: u32) -> u8 {
        self.priorities[number as usize]
    }

    /// The exception to handle next, masked or not.
    pub(crate) fn next(&self) -> Option<u32> {
        let current = self.active.iter().map(|number| self.priority(*number)).min();
        let mut left = self.pending & self.enabled;
        let ready = std::iter::from_fn(|| {
            let number = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(number)
        });
        let first = ready.min_by_key(|number| (self.priority(*number), *number))?;
        current.is_none_or(|current| self.priority(first) < current).then_some(first)
    }

    pub(crate) fn enter(&mut self, number: u32) {
        self.pending &= !(1 << number);
        self.active.push(number);
    }

    pub(crate) fn leave(&mut self) {
        self.active.pop();
    }

    pub(crate) fn current(&self) -> u32 {
        self.active.last().copied().unwrap_or(0)
    }

    pub(crate) fn read(&mut self, address: u32, now: u64) -> u32 {
        match address {
            0xe000_e010..=0xe000_e01c if self.timer == SystemTimer::Absent => 0,
            0xe000_e010 => {
                let wrapped = std::mem::take(&mut self.wrapped);
                self.control | u32::from(wrapped) << 16
            }
            0xe000_e014 => self.reload,
            0xe000_e018 if self.counts() => {
                let passed = now - self.stood - self.loaded;
                ((self.period() - passed) * self.shared.get().core / self.rated) as u32 % (self.reload + 1)
            }
            0xe000_e100..=0xe000_e10c | 0xe000_e180..=0xe000_e18c => (self.enabled >> first_of(address)) as u32,
            0xe000_e200..=0xe000_e20c | 0xe000_e280..=0xe000_e28c => (self.pending >> first_of(address)) as u32,
            0xe000_e400..=0xe000_e46c => self.four(FIRST + (address - 0xe000_e400)),
            0xe000_ed04 => u32::from(self.pending & 1 << SYSTICK != 0) << 26 | self.current(),
            0xe000_ed20 => self.four(12),
            _ => 0,
        }
    }

    fn four(&self, first: u32) -> u32 {
        let first = first as usize;
        u32::from_le_bytes([0, 1, 2, 3].map(|index| self.priorities.get(first + index).copied().unwrap_or(0)))
    }

    pub(crate) fn write(&mut self, address: u32, value: u32, now: u64) {
        let interrupts = u128::from(value) << first_of(address);
        match address {
            0xe000_e010..=0xe000_e01c if self.timer == SystemTimer::Absent => {}
            0xe000_e010 => {
                if !self.counts() {
                    self.loaded = now - self.stood;
                }
                self.control = value & 7;
            }
            0xe000_e014 => self.reload = value & 0xff_ffff,
            0xe000_e018 => (self.loaded, self.wrapped) = (now - self.stood, false),
            0xe000_e100..=0xe000_e10c => self.enabled |= interrupts,
            0xe000_e180..=0xe000_e18c => self.enabled &= !interrupts,
            0xe000_e200..=0xe000_e20c => self.pending |= interrupts,
            0xe000_e280..=0xe000_e28c => self.pending &= !interrupts,
            0xe000_e400..=0xe000_e46c => self.set_four(FIRST + (address - 0xe000_e400), value),
            0xe000_ed04 if value & 1 << 25 != 0 => self.pending &= !(1 << SYSTICK),
            0xe000_ed04 if value & 1 << 26 != 0 => self.pending |= 1 << SYSTICK,
            0xe000_ed20 => self.set_four(12, value),
            _ => {}
        }
    }

    /// An Armv6-M core implements two bits of a priority.
    fn set_four(&mut self, first: u32, value: u32) {
        for (index, byte) in value.to_le_bytes().into_iter().enumerate() {
            if let Some(priority) = self.priorities.get_mut(first as usize + index) {
                *priority = byte & 0xc0;
            }
        }
    }
}
