//! The system timer of the processor (Armv7-M Architecture Reference Manual, B3.3). It interrupts each millisecond,
//! which is counted, and its counter divides the millisecond. It is started on the first request for the time. In a
//! program that only waits, it runs once for each wait instead.

use super::{is_in_handler, sleep};
use crate::{board, interrupt::Masked};
use core::{cell::Cell, num::NonZeroU32};

const CONTROL: *mut u32 = 0xe000_e010 as *mut u32;
const RELOAD: *mut u32 = 0xe000_e014 as *mut u32;
const CURRENT: *mut u32 = 0xe000_e018 as *mut u32;
const INTERRUPT_STATE: *mut u32 = 0xe000_ed04 as *mut u32;

/// Counts the processor's cycles, and interrupts.
const RUNNING: u32 = 0b111;
/// Set when the counter reaches zero, and cleared when it is read.
const HAS_COUNTED: u32 = 1 << 16;
const IS_PENDING: u32 = 1 << 26;
const UNPEND: u32 = 1 << 25;

/// The state of the clock; used with interrupts masked.
struct Clock {
    milliseconds: Cell<u64>,
    /// The last time that was returned.
    told: Cell<u64>,
}

// SAFETY: there is one core, and all users of the clock mask interrupts.
unsafe impl Sync for Clock {}

static CLOCK: Clock = Clock { milliseconds: Cell::new(0), told: Cell::new(0) };

/// A millisecond has passed.
pub(super) fn interrupt() {
    let masked = Masked::begin();
    tick(&masked);
}

fn tick(_: &Masked) {
    CLOCK.milliseconds.set(CLOCK.milliseconds.get() + 1);
}

/// Cycles in a millisecond.
fn period() -> NonZeroU32 {
    NonZeroU32::new(board::clock() / 1_000).unwrap_or(NonZeroU32::MIN)
}

/// Starts a periodic interrupt, every `cycles` cycles.
pub(super) fn start_period(cycles: u32) {
    // SAFETY: the registers exist if the board's descriptor says so, and access no memory.
    unsafe {
        RELOAD.write_volatile(cycles.wrapping_sub(1));
        CURRENT.write_volatile(0);
        CONTROL.write_volatile(RUNNING);
    }
}

/// Stops the timer.
pub(super) fn stop_period() {
    // SAFETY: as above.
    unsafe { CONTROL.write_volatile(0) };
}

/// Microseconds since the first request for the time. Counts a millisecond that has passed while its interrupt was
/// masked.
pub(super) fn now() -> u64 {
    let masked = Masked::begin();
    let period = period();
    // SAFETY: as above.
    let count = unsafe {
        if RELOAD.read_volatile() != period.get() - 1 || CONTROL.read_volatile() & RUNNING != RUNNING {
            start_period(period.get());
        }
        let count = CURRENT.read_volatile();
        if INTERRUPT_STATE.read_volatile() & IS_PENDING != 0 {
            INTERRUPT_STATE.write_volatile(UNPEND);
            tick(&masked);
            CURRENT.read_volatile()
        } else {
            count
        }
    };
    // The millisecond ends when the counter reaches zero, and it starts again one cycle later.
    let cycles = if count == 0 { 0 } else { period.get().wrapping_sub(count) };
    let within = cycles.wrapping_mul(1_000) / period;
    let time = CLOCK.milliseconds.get() * 1_000 + u64::from(within);
    let time = time.max(CLOCK.told.get());
    CLOCK.told.set(time);
    time
}

/// Whether the clock interrupts before this many microseconds are over.
pub(super) fn interrupts_within(microseconds: u64) -> bool {
    now();
    microseconds > 1_000
}

/// Waits until the given moment, and sleeps while it is more than a millisecond away.
pub(super) fn wait_until(moment: u64) {
    loop {
        let time = now();
        if time >= moment {
            return;
        }
        if moment - time > 1_000 && !is_in_handler() {
            sleep();
        }
    }
}

/// Waits for this many microseconds, and sleeps meanwhile, in a program that needs no clock. The timer's interrupt does
/// nothing but end the sleep, and there is no other one.
pub(super) fn pause(mut microseconds: u64) {
    const MOST: u64 = u32::MAX as u64;
    while microseconds > MOST {
        count_down(u32::MAX);
        microseconds -= MOST;
    }
    count_down(microseconds as u32);
    stop_period();
}

/// The most cycles that the counter counts.
const MOST_CYCLES: u32 = (1 << 24) - 1;

/// The cycles of a whole number of microseconds, and the most microseconds for which they fit the counter.
fn cycles() -> (impl Fn(u32) -> u32, u32) {
    let clock = board::clock();
    // The product fits a word, and the cycles fit the counter.
    let (factor, divisor, most) = match clock % 1_000_000 {
        0 => (clock / 1_000_000, 1, MOST_CYCLES),
        _ => (clock.div_ceil(1_000), 1_000, u32::MAX),
    };
    let factor = NonZeroU32::new(factor).unwrap_or(NonZeroU32::MIN);
    (move |microseconds| (microseconds * factor.get()).div_ceil(divisor), most / factor)
}

/// Waits for this many microseconds; the timer goes on.
fn count_down(mut microseconds: u32) {
    let (cycles, longest) = cycles();
    while microseconds > 0 {
        let part = microseconds.min(longest);
        microseconds -= part;
        start_period(cycles(part).max(2));
        // With interrupts masked, one that is pending ends the sleep.
        let masked = Masked::begin();
        // SAFETY: as above.
        while unsafe { CONTROL.read_volatile() } & HAS_COUNTED == 0 {
            sleep();
        }
        drop(masked);
    }
}
