//! `__aeabi_idivmod` of the Arm run-time ABI (IHI 0043, section 4.3.1), with an unwind table: the routine of the Rust toolchain is the same code
//! without one.
//!
//! In: two signed numbers in `r0` and `r1`. Out: their quotient in `r0`, the remainder in `r1`.

#![no_std]

core::arch::global_asm!(
    ".syntax unified",
    ".thumb",
    ".cfi_sections .debug_frame",
    ".pushsection .text.__aeabi_idivmod, \"ax\", %progbits",
    ".p2align 2",
    ".weak __aeabi_idivmod",
    ".hidden __aeabi_idivmod",
    ".type __aeabi_idivmod, %function",
    ".thumb_func",
    "__aeabi_idivmod:",
    ".cfi_startproc",
    "push {{r0, r1, r4, lr}}",
    ".cfi_adjust_cfa_offset 16",
    ".cfi_rel_offset r4, 8",
    ".cfi_rel_offset lr, 12",
    "bl __aeabi_idiv",
    "pop {{r1, r2}}",
    ".cfi_adjust_cfa_offset -8",
    "muls r2, r0, r2",
    "subs r1, r1, r2",
    "pop {{r4, pc}}",
    ".cfi_endproc",
    ".size __aeabi_idivmod, . - __aeabi_idivmod",
    ".popsection",
);
