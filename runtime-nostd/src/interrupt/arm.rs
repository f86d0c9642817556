//! Instructions of Arm processors for what the memory and other processors see.

use core::arch::asm;

/// Waits until memory accesses have completed.
#[unsafe(no_mangle)]
extern "C" fn clef_data_barrier() {
    // SAFETY: the instruction changes nothing.
    unsafe { asm!("dsb sy", options(nostack)) };
}

/// Lets later instructions see what earlier ones changed.
#[unsafe(no_mangle)]
extern "C" fn clef_instruction_barrier() {
    // SAFETY: the instruction changes nothing.
    unsafe { asm!("isb", options(nostack)) };
}

/// Waits for an event, or an interrupt.
#[unsafe(no_mangle)]
extern "C" fn clef_wait_for_event() {
    // SAFETY: the instruction changes nothing but what the interrupt's handler changes.
    unsafe { asm!("wfe", options(nostack)) };
}

/// Sends an event to all processors.
#[unsafe(no_mangle)]
extern "C" fn clef_send_event() {
    // SAFETY: the instruction changes nothing.
    unsafe { asm!("sev", options(nostack)) };
}
