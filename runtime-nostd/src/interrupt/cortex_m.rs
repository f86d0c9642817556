//! The interrupts of a Cortex-M, whose processor calls the handlers in the vector table; programs use the controller's registers
//! themselves.

use core::arch::asm;

/// Masks interrupts; returns the argument for [`clef_restore_interrupts`].
#[unsafe(no_mangle)]
pub(super) extern "C" fn clef_mask_interrupts() -> u32 {
    let state: u32;
    // SAFETY: programs run in privileged mode. Later accesses are not moved before it, since memory counts as changed.
    unsafe { asm!("mrs {}, primask", "cpsid i", out(reg) state, options(nostack)) };
    state
}

/// Enables interrupts again, if they were enabled when the state was taken.
#[unsafe(no_mangle)]
pub(super) extern "C" fn clef_restore_interrupts(state: u32) {
    // SAFETY: as above.
    unsafe { asm!("msr primask, {}", "isb", in(reg) state, options(nostack)) };
}

/// Waits for an interrupt.
#[unsafe(no_mangle)]
extern "C" fn clef_wait_for_interrupt() {
    // SAFETY: the instruction changes nothing but what the interrupt's handler changes.
    unsafe { asm!("wfi", options(nostack)) };
}

/// Calls the supervisor.
#[unsafe(no_mangle)]
extern "C" fn clef_supervisor_call() {
    // SAFETY: the program handles the exception, or it is a fault. Memory counts as changed.
    unsafe { asm!("svc #0") };
}

/// Handles the interrupt that comes when an STM32L5 reads what was being changed in flash when power failed: its code finds an error that it
/// cannot correct (RM0438, "Flash memory error code correction"). What was read is wrong, and the program recognises that. Any other cause is a
/// fault, at which the processor stays here.
#[unsafe(no_mangle)]
extern "C" fn clef_interrupt_flash() {
    /// FLASH_ECCR, and its flags of such errors: that of flash in two banks, and that of one bank, whose upper half has its own.
    const CODES: *mut u32 = 0x4002_2030 as *mut u32;
    const ERRORS: u32 = 1 << 31 | 1 << 29;
    // SAFETY: the program is for a chip with this register. A flag is cleared by writing it.
    unsafe {
        let found = CODES.read_volatile();
        if found & ERRORS == 0 {
            loop {}
        }
        CODES.write_volatile(found);
        asm!("dsb", options(nostack));
    }
}
