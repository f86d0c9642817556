//! `__aeabi_uldivmod` of the Arm run-time ABI (IHI 0043, section 4.3.1), with an unwind table: the routine of the Rust toolchain is the same code
//! without one.
//!
//! In: two unsigned numbers of 64 bits, from `r0` and from `r2` on. Out: their quotient from `r0` on, the remainder from `r2` on.

#![no_std]

core::arch::global_asm!(
    ".syntax unified",
    ".thumb",
    ".cfi_sections .debug_frame",
    ".pushsection .text.__aeabi_uldivmod, \"ax\", %progbits",
    ".p2align 2",
    ".weak __aeabi_uldivmod",
    ".hidden __aeabi_uldivmod",
    ".type __aeabi_uldivmod, %function",
    ".thumb_func",
    "__aeabi_uldivmod:",
    ".cfi_startproc",
    "push {{r4, lr}}",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset r4, 0",
    ".cfi_rel_offset lr, 4",
    "sub sp, #16",
    ".cfi_adjust_cfa_offset 16",
    "add r4, sp, #8",
    "str r4, [sp]",
    "bl __udivmoddi4",
    "ldr r2, [sp, #8]",
    "ldr r3, [sp, #12]",
    "add sp, #16",
    ".cfi_adjust_cfa_offset -16",
    "pop {{r4, pc}}",
    ".cfi_endproc",
    ".size __aeabi_uldivmod, . - __aeabi_uldivmod",
    ".popsection",
);
