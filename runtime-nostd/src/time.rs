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
pub(crate) use aarch64::now;
#[cfg(target_arch = "arm")]
pub(crate) use cortex_m::{now, wait};
#[cfg(feature = "linux")]
pub(crate) use linux::now;
#[cfg(feature = "linux")]
use linux::wait_until;
#[cfg(feature = "pvh")]
pub(crate) use pvh::{now, per_second};

/// Converts counts of a counter with this frequency to microseconds.
#[cfg(not(any(target_arch = "arm", feature = "linux")))]
fn microseconds(ticks: u64, frequency: core::num::NonZeroU64) -> u64 {
    const A_SECOND: u64 = 1_000_000;
    let (seconds, rest) = (ticks / frequency, ticks % frequency);
    seconds.wrapping_mul(A_SECOND).wrapping_add(rest.wrapping_mul(A_SECOND) / frequency)
}

/// Waits for this many microseconds.
#[cfg(not(target_arch = "arm"))]
pub(crate) fn wait(microseconds: u64) {
    wait_until(now().saturating_add(microseconds));
}

/// Waits until the given moment.
#[cfg(not(any(target_arch = "arm", feature = "linux")))]
fn wait_until(moment: u64) {
    while now() < moment {
        core::hint::spin_loop();
    }
}
