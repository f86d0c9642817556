//! `__aeabi_uidivmod` of the Arm run-time ABI (IHI 0043, section 4.3.1), with an unwind table: the routine of the Rust toolchain is the same code
//! without one.
//!
//! In: two unsigned numbers in `r0` and `r1`. Out: their quotient in `r0`, the remainder in `r1`.

#![no_std]

core::arch::global_asm!(
    ".syntax unified",
    ".thumb",
    ".cfi_sections .debug_frame",
    ".pushsection .text.__aeabi_uidivmod, \"ax\", %progbits",
    ".p2align 2",
    ".weak __aeabi_uidivmod",
    ".hidden __aeabi_uidivmod",
    ".type __aeabi_uidivmod, %function",
    ".thumb_func",
    "__aeabi_uidivmod:",
    ".cfi_startproc",
    "push {{lr}}",
    ".cfi_adjust_cfa_offset 4",
    ".cfi_rel_offset lr, 0",
    "sub sp, #4",
    ".cfi_adjust_cfa_offset 4",
    "mov r2, sp",
    "bl __udivmodsi4",
    "ldr r1, [sp]",
    "add sp, #4",
    ".cfi_adjust_cfa_offset -4",
    "pop {{pc}}",
    ".cfi_endproc",
    ".size __aeabi_uidivmod, . - __aeabi_uidivmod",
    ".popsection",
);
