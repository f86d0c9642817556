//! The flash of RP2040 and RP2350, which is not readable while it is erased or written, although programs are in it. The functions for that
//! are in the boot ROM; a routine on the stack calls them one after another, and then code that makes flash readable again (RP2040 data
//! sheet, 2.8.3.1.3; RP2350 data sheet, 5.4.8).
//!
//! That code, of up to 256 bytes, is at an address that the driver passes: the boot block of the RP2040 is at the start of flash. The boot ROM
//! of the RP2350 leaves such code at the start of its own RAM.

use core::arch::{asm, naked_asm};

/// The bytes that are erased together, the command of flash for that, and the bytes that are written together.
const SECTOR: usize = 4096;
const SECTOR_ERASE: usize = 0x20;
const PAGE: usize = 256;

/// The start of flash.
const FLASH: usize = 0x1000_0000;

/// A call of the routine. It ends before a call of no function.
#[repr(C)]
struct Call {
    arguments: [usize; 4],
    function: usize,
}

/// Erases the sector at an offset from the start of flash. Interrupts are masked, and nothing else reads flash.
#[unsafe(no_mangle)]
extern "C" fn clef_flash_erase(setup: usize, offset: usize) {
    perform(setup, *b"RE", [offset, SECTOR, SECTOR, SECTOR_ERASE]);
}

/// Writes eight bytes at an offset from the start of flash that is a multiple of eight, as above. The bits of a page that are written as ones
/// keep their values.
#[unsafe(no_mangle)]
extern "C" fn clef_flash_write(setup: usize, offset: usize, low: u32, high: u32) {
    let mut page = [[u32::MAX; 2]; PAGE / 8];
    page[offset % PAGE / 8] = [low, high];
    perform(setup, *b"RP", [offset / PAGE * PAGE, page.as_ptr() as usize, PAGE, 0]);
}

/// Calls a function of the boot ROM that erases or writes.
fn perform(setup: usize, operation: [u8; 2], arguments: [usize; 4]) {
    let mut enter = [0_u32; PAGE / 4];
    for (index, word) in enter.iter_mut().enumerate() {
        // SAFETY: the driver knows that code.
        *word = unsafe { (setup as *const u32).add(index).read_volatile() };
    }
    let call = |name, arguments| Call { arguments, function: function(setup, name) };
    let none = [0; 4];
    let calls = [
        // connect_internal_flash, flash_exit_xip, the operation, and flash_flush_cache.
        call(*b"IF", none),
        call(*b"EX", none),
        call(operation, arguments),
        call(*b"FC", none),
        Call { arguments: none, function: enter.as_ptr() as usize | 1 },
        Call { arguments: none, function: 0 },
    ];
    // SAFETY: the functions are those of the boot ROM, in the order that it requires, and nothing else reads flash meanwhile.
    unsafe { clef_flash_leave(calls.as_ptr()) };
}

/// The address of a function of the boot ROM (RP2040 data sheet, 2.8.2.2; RP2350 data sheet, 5.4.1). The function that finds it has 16 bits of
/// its address in the ROM, as has the table that the RP2040's searches. That of the RP2350 finds functions for the secure state of Arm cores.
#[inline(never)]
fn function(setup: usize, name: [u8; 2]) -> usize {
    const SECURE: usize = 4;
    let half = |place: usize| {
        // SAFETY: the ROM has these words.
        usize::from(unsafe { (place as *const u16).read_volatile() })
    };
    let name = usize::from(u16::from_le_bytes(name));
    let (find, first, second) =
        if setup == FLASH { (half(0x18), half(0x14), name) } else { (half(0x16), name, SECURE) };
    let found;
    // SAFETY: it is a function of C with these arguments, which changes no memory.
    unsafe {
        asm!(
            "blx {find}",
            find = in(reg) find,
            inlateout("r0") first => found,
            inlateout("r1") second => _,
            lateout("r2") _,
            lateout("r3") _,
            lateout("r12") _,
            lateout("lr") _,
        );
    }
    found
}

/// Copies the routine at its end to the stack, and calls it there. The compiler knows how much of the stack it uses, with the functions of the
/// boot ROM.
///
/// # Safety
///
/// The functions of the calls can be called in their order.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_flash_leave(calls: *const Call) {
    naked_asm!(
        "push {{r4-r7, lr}}",
        "sub sp, #20",
        "adr r1, 1f",
        "ldmia r1!, {{r2-r5}}",
        "mov r1, sp",
        "stmia r1!, {{r2-r5}}",
        "dsb",
        "isb",
        "mov r1, sp",
        "adds r1, #1",
        "blx r1",
        "add sp, #20",
        "pop {{r4-r7, pc}}",
        ".p2align 2",
        "1: mov r4, lr",
        "mov r5, r0",
        "2: ldmia r5!, {{r0-r3, r6}}",
        "cmp r6, #0",
        "beq 3f",
        "blx r6",
        "b 2b",
        "3: bx r4",
    )
}
