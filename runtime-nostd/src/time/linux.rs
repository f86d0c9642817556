//! The kernel's monotonic clock.

use crate::console::syscalls::{self, CLOCK_GETTIME, CLOCK_NANOSLEEP, EINTR};

const CLOCK_MONOTONIC: usize = 1;
const TIMER_ABSTIME: usize = 1;

/// `struct timespec` of the kernel.
#[repr(C)]
struct Moment {
    seconds: u64,
    nanoseconds: u64,
}

/// Microseconds since the machine started.
pub(crate) fn now() -> u64 {
    let mut moment = Moment { seconds: 0, nanoseconds: 0 };
    // SAFETY: the kernel writes the structure.
    unsafe { syscalls::call(CLOCK_GETTIME, [CLOCK_MONOTONIC, &raw mut moment as usize, 0, 0]) };
    moment.seconds * 1_000_000 + moment.nanoseconds / 1_000
}

/// Waits until the given moment.
pub(crate) fn wait_until(moment: u64) {
    let moment = Moment { seconds: moment / 1_000_000, nanoseconds: moment % 1_000_000 * 1_000 };
    let arguments = [CLOCK_MONOTONIC, TIMER_ABSTIME, &raw const moment as usize, 0];
    // SAFETY: the kernel reads the structure, and writes nothing if the moment is absolute.
    while unsafe { syscalls::call(CLOCK_NANOSLEEP, arguments) } == EINTR {}
}

/// Waits for this many microseconds: nothing interrupts the program.
pub(crate) fn idle(microseconds: u64) {
    wait_until(now().saturating_add(microseconds));
}
