//! The processor's time-stamp counter, whose frequency is measured once by the interval timer (Intel 8254 data sheet;
//! IA-32 Software Developer's Manual, volume 3, 19.17).

use crate::console::com::{input, output};
use core::{
    arch::asm,
    num::NonZeroU64,
    sync::atomic::{AtomicU64, Ordering},
};

/// The counter of channel 0.
const COUNTER: u16 = 0x40;
const CONTROL: u16 = 0x43;
/// Channel 0, low byte then high byte, counting down repeatedly from a number.
const RATE: u8 = 0x34;
/// Latches the count of channel 0 until it is read.
const LATCH: u8 = 0x00;
/// The frequency of the interval timer in hertz.
const INTERVAL_FREQUENCY: u64 = 1_193_182;
/// The counts to wait for: about ten milliseconds.
const MEASURED: u16 = 11_932;

/// The frequency of the time-stamp counter in hertz; 0 before it is measured.
static FREQUENCY: AtomicU64 = AtomicU64::new(0);

/// Microseconds since the machine started.
pub(crate) fn now() -> u64 {
    let frequency = NonZeroU64::new(FREQUENCY.load(Ordering::Relaxed)).unwrap_or_else(measured);
    super::microseconds(ticks(), frequency)
}

/// Returns at once: a halted processor is woken by interrupts only, and the program may have none.
pub(crate) fn idle(_microseconds: u64) {
    core::hint::spin_loop();
}

fn measured() -> NonZeroU64 {
    let frequency = per_second(ticks);
    FREQUENCY.store(frequency.get(), Ordering::Relaxed);
    frequency
}

/// The frequency in hertz of what counts, measured by the interval timer.
pub(crate) fn per_second(counter: impl Fn() -> u64) -> NonZeroU64 {
    output(CONTROL, RATE);
    output(COUNTER, 0xff);
    output(COUNTER, 0xff);
    let (first, begin) = (count(), counter());
    let (mut counted, mut end) = (0, begin);
    while counted < MEASURED {
        (counted, end) = (first.wrapping_sub(count()), counter());
    }
    let counted = NonZeroU64::new(u64::from(counted)).unwrap_or(NonZeroU64::MIN);
    let frequency = (end - begin).wrapping_mul(INTERVAL_FREQUENCY) / counted;
    NonZeroU64::new(frequency).unwrap_or(NonZeroU64::MIN)
}

/// The remaining count of the interval timer.
fn count() -> u16 {
    output(CONTROL, LATCH);
    u16::from_le_bytes([input(COUNTER), input(COUNTER)])
}

fn ticks() -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: the instruction reads a register that programs may read here.
    unsafe { asm!("lfence", "rdtsc", out("eax") low, out("edx") high, options(nomem, nostack)) };
    u64::from(high) << 32 | u64::from(low)
}
