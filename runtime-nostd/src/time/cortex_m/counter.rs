//! A counter of the chip that counts up without end, and interrupts when it gets to a number ([`device`]).
//!
//! Holds while it runs: it is read more often than it begins again from zero, since its interrupt comes at least twice in that
//! time; so the difference of two readings says what has passed, also while no interrupt could come. It interrupts
//! each millisecond, for programs that look at the time when they are woken, and is started when it is first needed.

use super::{device, is_in_handler, sleep};
use crate::{board, boot::cortex_m::Masked};
use core::{cell::Cell, num::NonZeroU64};

/// What is known of the time; used while no interrupt comes.
struct Clock {
    is_running: Cell<bool>,
    /// What the counter has counted since it was started.
    ticks: Cell<u64>,
}

/// When the program's handler is called; used while no interrupt comes. Both are in fractions of a tick.
struct Schedule {
    period: Cell<u64>,
    due: Cell<u64>,
}

// SAFETY: there is one core, and whatever uses them keeps interrupts from coming.
unsafe impl Sync for Clock {}
// SAFETY: as above.
unsafe impl Sync for Schedule {}

static CLOCK: Clock = Clock { is_running: Cell::new(false), ticks: Cell::new(0) };
static SCHEDULE: Schedule = Schedule { period: Cell::new(0), due: Cell::new(0) };

/// Fractions of a tick.
const FRACTIONS: u32 = 16;

/// What is waited for asleep, in microseconds: less is over before the counter is set.
const WORTH_SLEEPING: u64 = 100;

/// Half of what the counter counts until it begins again from zero: its interrupt never comes later.
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

/// Lets the interrupt come when the counter gets there, or soon where it is there already, and not before. The counter acts when
/// it arrives at the number: one that it passes while it is written would be missed until it begins again.
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

/// Microseconds since the time was first asked for.
pub(super) fn now() -> u64 {
    let masked = Masked::begin();
    if !CLOCK.is_running.get() {
        run(&masked);
        arm_next(&masked);
    }
    device::microseconds(ticks(&masked))
}

/// A millisecond has passed, or what was waited for.
pub(super) fn interrupt() {
    arm_next(&Masked::begin());
}

fn arm_next(masked: &Masked) {
    arm(masked, ticks(masked) + device::millisecond());
}

/// Waits until a moment has come and the counter has counted once more, asleep while it is far away.
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
            // Masked, an interrupt that is pending ends the sleep.
            sleep();
        }
    }
}

/// Lets the program's handler be called each time that so many cycles of the processor have passed, as exactly as the counter
/// counts; without drift.
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

/// Keeps the program's handler from being called.
pub(super) fn stop_period() {
    let masked = Masked::begin();
    nvic::disable(board::timer_interrupt());
    if CLOCK.is_running.replace(false) {
        device::stop();
    }
    nvic::unpend(board::timer_interrupt());
    drop(masked);
}

/// Whether the program's handler is to be called, when the interrupt has come. Calls that could not be made in time are left out.
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
