//! The timer of a Cortex-M board: it measures time, or interrupts periodically for the program, never both (E0604).
//!
//! The board's descriptor chooses it, and its constant folds after linking: the system timer of the processor, if the
//! chip has one that also counts while the processor sleeps, or a counter of the chip.

mod counter;
mod device;
mod system_timer;

use crate::board::{self, timer_kind};
use core::arch::asm;

/// Whether the timer is the processor's own.
fn is_system_timer() -> bool {
    board::timer() == timer_kind::SYSTEM
}

/// Microseconds since the first request for the time.
pub(crate) fn now() -> u64 {
    if is_system_timer() { system_timer::now() } else { counter::now() }
}

/// Waits for this many microseconds, and sleeps meanwhile if that is worthwhile.
pub(crate) fn wait(microseconds: u64) {
    if is_system_timer() && !board::needs_clock() {
        return system_timer::pause(microseconds);
    }
    let moment = now().saturating_add(microseconds);
    if is_system_timer() { system_timer::wait_until(moment) } else { counter::wait_until(moment) }
}

/// Waits for an event: an interrupt that was handled since the last one, among them that of the clock, which comes at
/// the latest when this many microseconds are over, or each millisecond.
pub(crate) fn idle(microseconds: u64) {
    let can_sleep = if is_system_timer() {
        system_timer::interrupts_within(microseconds)
    } else {
        counter::interrupt_in(microseconds)
    };
    if can_sleep && !is_in_handler() {
        // SAFETY: the instruction changes only what handlers change; preceding writes have completed.
        unsafe { asm!("dsb", "wfe", options(nostack)) };
    }
}

/// Handles the timer's interrupt. It is in the vector table of programs that use the time.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupt_time() {
    if !is_system_timer() {
        counter::interrupt();
    } else if board::needs_clock() {
        system_timer::interrupt();
    }
}

/// Starts a periodic timer interrupt, every `cycles` processor cycles.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_start(cycles: u32) {
    if is_system_timer() { system_timer::start_period(cycles) } else { counter::start_period(cycles) }
}

/// Stops the timer's interrupt.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_stop() {
    if is_system_timer() { system_timer::stop_period() } else { counter::stop_period() }
}

/// Counts of the timer's period per second: cycles of the processor.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_frequency() -> u32 {
    board::clock()
}

unsafe extern "C" {
    /// The program's handler of the timer's interrupt.
    fn clef_interrupt_SysTick();
}

/// Handles the interrupt of a counter for the program. It is in the vector table if the program handles the timer's
/// interrupt and the timer is a counter; that of the system timer is handled by the program alone.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupt_timer() {
    if counter::period_is_over() {
        // SAFETY: only programs with such a handler have this function.
        unsafe { clef_interrupt_SysTick() };
    }
}

/// Whether an exception is being handled: the timer's exception might not wake the processor.
fn is_in_handler() -> bool {
    let number: u32;
    // SAFETY: the register can always be read.
    unsafe { asm!("mrs {}, ipsr", out(reg) number, options(nomem, nostack, preserves_flags)) };
    number != 0
}

/// Sleeps until an interrupt is pending, masked or not.
fn sleep() {
    // SAFETY: the instruction changes only what handlers change; preceding writes have completed.
    unsafe { asm!("dsb", "wfi", options(nostack)) };
}
