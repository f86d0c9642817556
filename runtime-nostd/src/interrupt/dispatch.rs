//! Device interrupts of AArch64 and x86-64, whose controllers number them and whose processors do not call their handlers.
//!
//! In: the table of the linker script: for each interrupt up to the last that the program handles, its handler, or null. Out: one
//! entry for all interrupts, which saves the registers that handlers may change, asks the controller for the number, and calls the
//! handler. Holds: no interrupt comes before the boot code is done, while a handler runs, or in a program that does not use them.
//!
//! The entry is in the image, and the controller is started, if the program handles interrupts or uses the controller. What the entry
//! needs is in sections of its own, which the linker removes otherwise.

#[cfg(feature = "pvh")]
use super::apic as controller;
#[cfg(target_arch = "aarch64")]
use super::gic as controller;
use crate::board;

unsafe extern "C" {
    static __clef_handlers: [usize; 0];
    static __clef_handlers_end: [usize; 0];
}

/// What the entry of interrupts does: calls the handler, unless it is null, and passes the other word to
/// [`clef_interrupts_end`].
#[repr(C)]
pub(super) struct Begun {
    pub(super) handler: usize,
    pub(super) token: usize,
}

/// Starts the controller and lets interrupts come, if the program uses them.
#[inline]
pub(crate) fn start() {
    if board::uses_interrupts() {
        controller::start();
        controller::unmask();
    }
}

/// The address of the handler of an interrupt. Without one, it is that of what reports the interrupt as a fault.
#[inline(always)]
pub(super) fn handler(number: u32) -> usize {
    let (first, last) = (&raw const __clef_handlers as *const usize, &raw const __clef_handlers_end as *const usize);
    let entry = first.wrapping_add(number as usize);
    // SAFETY: the entry is in the table.
    let handler = if entry < last { unsafe { entry.read() } } else { 0 };
    if handler == 0 { controller::clef_interrupts_unhandled as *const () as usize } else { handler }
}

/// Enables an interrupt.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupts_enable(number: u32) {
    if number < board::interrupts() {
        controller::enable(number);
    }
}

/// Keeps an interrupt from coming.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupts_disable(number: u32) {
    if number < board::interrupts() {
        controller::disable(number);
    }
}

/// Makes an interrupt pending.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupts_pend(number: u32) {
    if number < board::interrupts() {
        controller::pend(number);
    }
}

/// Clears a pending interrupt.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupts_unpend(number: u32) {
    if number < board::interrupts() {
        controller::unpend(number);
    }
}

/// Whether an interrupt is pending: 0 or 1.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupts_is_pending(number: u32) -> u32 {
    u32::from(number < board::interrupts() && controller::is_pending(number))
}

/// Sets the priority of an interrupt: 0 is the highest, 255 the lowest.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupts_prioritise(number: u32, priority: u32) {
    if number < board::interrupts() {
        controller::prioritise(number, priority);
    }
}
