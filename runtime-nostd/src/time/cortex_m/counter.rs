//! A counter of the chip that counts up, wraps, and interrupts when it reaches a number ([`device`]).
//!
//! Invariant while it runs: it is read more often than it wraps, since its interrupt comes at least twice in that time;
//! so the difference of two readings is the elapsed time, even while interrupts are masked. It interrupts each
//! millisecond, for programs that check the time when they are woken, and is started on first use.

use super::{device, is_in_handler, sleep};
use crate::{board, interrupt::Masked};
use core::{cell::Cell, num::NonZeroU64};

/// The state of the clock; used with interrupts masked.
struct Clock {
    is_running: Cell<bool>,
    /// The ticks that the counter has counted since it was started.
    ticks: Cell<u64>,
}

/// When the program's handler is called; used with interrupts masked. Both are in fractions of a tick.
struct Schedule {
    period: Cell<u64>,
    due: Cell<u64>,
}

// SAFETY: there is one core, and all users mask interrupts.
unsafe impl Sync for Clock {}
// SAFETY: as above.
unsafe impl Sync for Schedule {}

static CLOCK: Clock = Clock { is_running: Cell::new(false), ticks: Cell::new(0) };
static SCHEDULE: Schedule = Schedule { period: Cell::new(0), due: Cell::new(0) };

/// Fractions of a tick.
const FRACTIONS: u32 = 16;

/// The shortest wait worth sleeping for, in microseconds: less is over before the counter is set.
const WORTH_SLEEPING: u64 = 100;

/// Half of the counter's period: its interrupt never comes later.
fn half() -> u64 {
    1 << (device::bits() - 1)
}

/// Starts the counter, if it does not run yet.
fn run(_: &Masked) {
    if !CLOCK.is_running.replace(true) {
        device::start();
        CLOCK.ticks.set(u64::from(device::count()));
        nvic::enable(board::timer_interrupt());
    }
}

/// The ticks until now.
fn ticks(_: &Masked) -> u64 {
    let before = CLOCK.ticks.get();
    let passed = device::count().wrapping_sub(before as u32) & device::mask();
    let now = before + u64::from(passed);
    CLOCK.ticks.set(now);
    now
}

/// Sets the interrupt for when the counter reaches `at`, or soon if it already has, and not before. The counter acts
/// when it becomes equal to the number: one that it passes while it is written would be missed until it wraps.
fn arm(masked: &Masked, at: u64) {
    let mut at = at.min(ticks(masked) + half());
    let mut margin = device::MARGIN;
    loop {
        device::compare(at as u32 & device::mask());
        nvic::unpend(board::timer_interrupt());
        let now = ticks(masked);
        if at >= now + device::MARGIN {
            return;
        }
        margin *= 2;
        at = now + margin;
    }
}

/// Microseconds since the first request for the time.
pub(super) fn now() -> u64 {
    let masked = Masked::begin();
    if !CLOCK.is_running.get() {
        run(&masked);
        arm_next(&masked);
    }
    device::microseconds(ticks(&masked))
}

/// A millisecond has passed, or the moment waited for has come.
pub(super) fn interrupt() {
    arm_next(&Masked::begin());
}

fn arm_next(masked: &Masked) {
    arm(masked, ticks(masked) + device::millisecond());
}

/// Makes the interrupt come when this many microseconds are over, if that is worthwhile.
pub(super) fn interrupt_in(microseconds: u64) -> bool {
    now();
    if microseconds < WORTH_SLEEPING {
        return false;
    }
    let masked = Masked::begin();
    arm(&masked, ticks(&masked) + device::ticks(microseconds));
    true
}

/// Waits until the given moment and for one more tick, and sleeps while it is far away.
pub(super) fn wait_until(moment: u64) {
    let moment = moment.saturating_add(device::resolution());
    loop {
        let time = now();
        if time >= moment {
            return;
        }
        if moment - time >= WORTH_SLEEPING && !is_in_handler() {
            let masked = Masked::begin();
            arm(&masked, ticks(&masked) + device::ticks(moment - time));
            // With interrupts masked, a pending interrupt ends the sleep.
            sleep();
        }
    }
}

/// Calls the program's handler every `cycles` processor cycles, as exactly as the counter counts; without drift.
pub(super) fn start_period(cycles: u32) {
    let masked = Masked::begin();
    let clock = NonZeroU64::new(u64::from(board::clock())).unwrap_or(NonZeroU64::MIN);
    let period = (u64::from(cycles) << FRACTIONS) * device::frequency() / clock;
    run(&masked);
    let period = period.max(device::MARGIN << FRACTIONS);
    let due = (ticks(&masked) << FRACTIONS) + period;
    SCHEDULE.period.set(period);
    SCHEDULE.due.set(due);
    nvic::enable(board::timer_interrupt());
    arm(&masked, due >> FRACTIONS);
}

/// Stops calling the program's handler.
pub(super) fn stop_period() {
    let masked = Masked::begin();
    nvic::disable(board::timer_interrupt());
    if CLOCK.is_running.replace(false) {
        device::stop();
    }
    nvic::unpend(board::timer_interrupt());
    drop(masked);
}

/// Whether the program's handler is due when the interrupt has come. Missed calls are skipped.
pub(super) fn period_is_over() -> bool {
    let masked = Masked::begin();
    let now = ticks(&masked);
    let (period, mut due) = (SCHEDULE.period.get(), SCHEDULE.due.get());
    let is_over = now >= due >> FRACTIONS;
    if is_over {
        due += period;
        if due >> FRACTIONS <= now {
            due = (now << FRACTIONS) + period;
        }
        SCHEDULE.due.set(due);
    }
    arm(&masked, due >> FRACTIONS);
    is_over
}

/// The interrupts of the chip (Armv7-M Architecture Reference Manual, B3.4).
mod nvic {
    const ENABLE: usize = 0xe000_e100;
    const DISABLE: usize = 0xe000_e180;
    const UNPEND: usize = 0xe000_e280;

    pub(super) fn enable(interrupt: u32) {
        write(ENABLE, interrupt);
    }

    pub(super) fn disable(interrupt: u32) {
        write(DISABLE, interrupt);
    }

    pub(super) fn unpend(interrupt: u32) {
        write(UNPEND, interrupt);
    }

    fn write(first: usize, interrupt: u32) {
        let register = (first + interrupt as usize / 32 * 4) as *mut u32;
        // SAFETY: the register exists on all Cortex-M processors for the interrupts that the board has.
        unsafe { register.write_volatile(1 << (interrupt % 32)) };
    }
}
