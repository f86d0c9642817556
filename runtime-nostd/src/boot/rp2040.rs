//! The boot block of the RP2040: 256 bytes at the start of flash, the last four of which are the checksum of the others.
//!
//! The chip's boot code copies it to the end of RAM and calls it there with 0 as the return address (RP2040 data sheet,
//! 2.8.1.3). It makes the synchronous serial interface read flash where the processor reads its addresses (4.10), by
//! the command 03h, which every serial flash has: 24 bits of address, no wait, one line. Then it enters the image by
//! the vector table that follows it. With another return address it returns, for programs that have used the interface
//! for something else.
//!
//! The checksum is that of CRC-32/MPEG-2. It is a constant here; the compiler rejects images whose checksum is wrong.

use core::arch::global_asm;

global_asm!(
    ".pushsection .boot_block.rp2040, \"ax\", %progbits",
    ".p2align 2",
    ".Lboot_block:",
    "push {{lr}}",
    "ldr r3, .Linterface",
    // SSIENR: off while it is set up.
    "movs r1, #0",
    "str r1, [r3, #0x08]",
    // BAUDR: a quarter of the core's clock.
    "movs r1, #4",
    "str r1, [r3, #0x14]",
    // CTRLR0: 32 bits of data for each command, on one line.
    "ldr r1, .Lcontrol",
    "str r1, [r3, #0x00]",
    // CTRLR1: one of them.
    "movs r1, #0",
    "str r1, [r3, #0x04]",
    // SPI_CTRLR0: the command 03h of 8 bits, 24 bits of address.
    "ldr r1, .Lcommand",
    "movs r2, #0xf4",
    "str r1, [r3, r2]",
    // SSIENR: on.
    "movs r1, #1",
    "str r1, [r3, #0x08]",
    "pop {{r0}}",
    "cmp r0, #0",
    "beq 1f",
    "bx r0",
    // VTOR, the stack pointer, and reset.
    "1: ldr r0, .Lvectors",
    "ldr r1, .Lvector_register",
    "str r0, [r1]",
    "ldmia r0!, {{r1, r2}}",
    "msr msp, r1",
    "bx r2",
    ".p2align 2",
    ".Linterface: .word 0x18000000",
    // 31 + 1 bits in a frame, and the transfer mode that sends a command and reads.
    ".Lcontrol: .word 31 << 16 | 3 << 8",
    // The command, the length of commands in steps of 4 bits up to 2, and of addresses in 4 bits.
    ".Lcommand: .word 0x03 << 24 | 2 << 8 | 6 << 2",
    ".Lvectors: .word 0x10000100",
    ".Lvector_register: .word 0xe000ed08",
    ".space 252 - (. - .Lboot_block)",
    ".word 0x6f7ab2e3",
    ".popsection",
);
