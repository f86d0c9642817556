//! `__aeabi_ldivmod` of the Arm run-time ABI (IHI 0043, section 4.3.1), with an unwind table: the routine of the Rust toolchain is the same code
//! without one.
//!
//! In: two signed numbers of 64 bits, from `r0` and from `r2` on. Out: their quotient from `r0` on, the remainder from `r2` on.

#![no_std]

core::arch::global_asm!(
    ".syntax unified",
    ".thumb",
    ".cfi_sections .debug_frame",
    ".pushsection .text.__aeabi_ldivmod, \"ax\", %progbits",
    ".p2align 2",
    ".weak __aeabi_ldivmod",
    ".hidden __aeabi_ldivmod",
    ".type __aeabi_ldivmod, %function",
    ".thumb_func",
    "__aeabi_ldivmod:",
    ".cfi_startproc",
    "push {{r4, lr}}",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset r4, 0",
    ".cfi_rel_offset lr, 4",
    "sub sp, #16",
    ".cfi_adjust_cfa_offset 16",
    "add r4, sp, #8",
    "str r4, [sp]",
    "bl __divmoddi4",
    "ldr r2, [sp, #8]",
    "ldr r3, [sp, #12]",
    "add sp, #16",
    ".cfi_adjust_cfa_offset -16",
    "pop {{r4, pc}}",
    ".cfi_endproc",
    ".size __aeabi_ldivmod, . - __aeabi_ldivmod",
    ".popsection",
);
