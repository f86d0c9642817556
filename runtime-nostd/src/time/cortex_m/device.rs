//! The counters that a board's timer may be; the choice folds after linking.
//!
//! Each driver starts its counter with the clocks that it needs and its interrupt, reads it, and sets the number at
//! which the interrupt comes, which replaces the previous one. All except the RTC count microseconds.

mod nrf_rtc;
mod nrf_timer;
mod rp;
mod stm32;

use crate::board::{self, timer_kind};

/// The minimum number of ticks between the counter and a compare value, so that the match is not missed. It is the
/// RTC's (nRF51 Reference Manual, 19 "RTC"; nRF52840 Product Specification, 6.22 "RTC").
pub(super) const MARGIN: u64 = 2;

/// Starts the counter, with what it needs.
pub(super) fn start() {
    match board::timer() {
        timer_kind::NRF_RTC => nrf_rtc::start(),
        timer_kind::NRF_TIMER => nrf_timer::start(),
        timer_kind::STM32 => stm32::start(),
        _ => rp::start(),
    }
}

/// Stops the counter or its interrupt.
pub(super) fn stop() {
    match board::timer() {
        timer_kind::NRF_RTC => nrf_rtc::stop(),
        timer_kind::NRF_TIMER => nrf_timer::stop(),
        timer_kind::STM32 => stm32::stop(),
        _ => rp::stop(),
    }
}

/// The current count.
pub(super) fn count() -> u32 {
    match board::timer() {
        timer_kind::NRF_RTC => nrf_rtc::count(),
        timer_kind::NRF_TIMER => nrf_timer::count(),
        timer_kind::STM32 => stm32::count(),
        _ => rp::count(),
    }
}

/// Sets the interrupt for when the counter reaches a number, replacing the previous one.
pub(super) fn compare(at: u32) {
    match board::timer() {
        timer_kind::NRF_RTC => nrf_rtc::compare(at),
        timer_kind::NRF_TIMER => nrf_timer::compare(at),
        timer_kind::STM32 => stm32::compare(at),
        _ => rp::compare(at),
    }
}

/// The width of the counter in bits.
pub(super) fn bits() -> u32 {
    board::timer_bits()
}

/// A mask of the counter's width.
pub(super) fn mask() -> u32 {
    u32::MAX >> (32 - bits())
}

/// Whether the counter counts at [`nrf_rtc::FREQUENCY`]; otherwise it counts microseconds.
fn is_slow() -> bool {
    board::timer() == timer_kind::NRF_RTC
}

/// The frequency of the counter in hertz.
pub(super) fn frequency() -> u64 {
    if is_slow() { nrf_rtc::FREQUENCY } else { 1_000_000 }
}

/// The time between two ticks, in microseconds, rounded up.
pub(super) fn resolution() -> u64 {
    if is_slow() { 31 } else { 1 }
}

/// The ticks of a millisecond.
pub(super) fn millisecond() -> u64 {
    if is_slow() { 33 } else { 1_000 }
}

/// Converts ticks to microseconds: a tick of the RTC is 15625/512 microseconds.
pub(super) fn microseconds(ticks: u64) -> u64 {
    if is_slow() { ticks.wrapping_mul(15_625) >> 9 } else { ticks }
}

/// Converts microseconds to ticks, or slightly fewer, so that whoever waits checks again: without a division, which
/// small cores do in software. For the RTC, no more than it counts before it wraps.
pub(super) fn ticks(microseconds: u64) -> u64 {
    /// 2^30 * 32768 / 1000000
    const SLOW: u64 = 35_184_372;
    if is_slow() { (microseconds.min(1 << 28) * SLOW) >> 30 } else { microseconds }
}

/// A register of the timer.
fn register(offset: usize) -> *mut u32 {
    (board::timer_base() + offset) as *mut u32
}

fn read(offset: usize) -> u32 {
    // SAFETY: the board's descriptor says where the device is, and its driver names its registers; they access no
    // memory.
    unsafe { register(offset).read_volatile() }
}

fn write(offset: usize, value: u32) {
    // SAFETY: as above.
    unsafe { register(offset).write_volatile(value) };
}

/// The clocks of the nRF51, nRF52 and nRF91 (nRF51 Reference Manual, 13; nRF52840 Product Specification, 5.4; nRF9160 Product
/// Specification, "CLOCK"). A started clock keeps running.
mod nrf_clock {
    use crate::board;

    const START_HIGH: usize = 0x000;
    const START_LOW: usize = 0x008;
    const LOW_SOURCE: usize = 0x518;

    /// A register: the clocks of an nRF91, whose timers are in the secure world, are not where other chips have them.
    fn register(offset: usize) -> *mut u32 {
        const SECURE: usize = 0x5000_0000;
        let base = if board::timer_base() >= SECURE { 0x5000_5000 } else { 0x4000_0000 };
        (base + offset) as *mut u32
    }

    /// Starts the crystal of the processor's clock, which takes over from the internal oscillator when it is stable.
    pub(super) fn start_high() {
        // SAFETY: the registers exist on these chips, and access no memory.
        unsafe { register(START_HIGH).write_volatile(1) };
    }

    /// Starts the clock of 32768 Hz from a source, by the number that the chip has for it.
    pub(super) fn start_low(source: u32) {
        // SAFETY: as above.
        unsafe {
            register(LOW_SOURCE).write_volatile(source);
            register(START_LOW).write_volatile(1);
        }
    }
}
