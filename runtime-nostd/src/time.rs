//! The clock of each platform, in microseconds since a fixed moment; it is monotonic.

#[cfg(all(target_arch = "aarch64", not(feature = "linux")))]
mod aarch64;
#[cfg(target_arch = "arm")]
mod cortex_m;
#[cfg(feature = "linux")]
mod linux;
#[cfg(feature = "pvh")]
mod pvh;

#[cfg(all(target_arch = "aarch64", not(feature = "linux")))]
use aarch64 as platform;
#[cfg(target_arch = "arm")]
use cortex_m as platform;
#[cfg(feature = "linux")]
use linux as platform;
#[cfg(feature = "linux")]
use linux::wait_until;
#[cfg(feature = "pvh")]
use pvh as platform;
#[cfg(feature = "pvh")]
pub(crate) use pvh::per_second;

use crate::{board, host};

/// Microseconds since a fixed moment.
pub(crate) fn now() -> u64 {
    if board::is_library() { host::time() } else { platform::now() }
}

/// Converts counts of a counter with this frequency to microseconds.
#[cfg(not(any(target_arch = "arm", feature = "linux")))]
fn microseconds(ticks: u64, frequency: core::num::NonZeroU64) -> u64 {
    const A_SECOND: u64 = 1_000_000;
    let (seconds, rest) = (ticks / frequency, ticks % frequency);
    seconds.wrapping_mul(A_SECOND).wrapping_add(rest.wrapping_mul(A_SECOND) / frequency)
}

/// Waits for this many microseconds.
pub(crate) fn wait(microseconds: u64) {
    if board::is_library() {
        let moment = host::time().saturating_add(microseconds);
        while host::time() < moment {
            core::hint::spin_loop();
        }
        return;
    }
    #[cfg(target_arch = "arm")]
    platform::wait(microseconds);
    #[cfg(not(target_arch = "arm"))]
    wait_until(platform::now().saturating_add(microseconds));
}

/// Waits until an interrupt was handled, at most for this many microseconds, asleep where the machine can be woken in
/// time; may return at once. Interrupts that came since the last call end the wait too, so that none is lost between a
/// check of what handlers leave and the call.
pub(crate) fn idle(microseconds: u64) {
    if board::is_library() {
        return wait(microseconds);
    }
    platform::idle(microseconds);
}

/// Waits until the given moment.
#[cfg(not(any(target_arch = "arm", feature = "linux")))]
fn wait_until(moment: u64) {
    while platform::now() < moment {
        core::hint::spin_loop();
    }
}
