//! The peak stack use of a program, for `--stats`: the stack is painted before the program runs; words without paint at
//! the end have been used.

use super::trap::{say, say_number};
use crate::board;
use core::arch::asm;

/// A value that is unlikely to be written by accident; never zero.
const PAINT: usize = 0xc1ef_57ac_c1ef_57ac_u64 as usize;

/// The bytes that leaf functions may use below the stack pointer.
#[cfg(target_arch = "x86_64")]
const RED_ZONE: usize = if cfg!(feature = "linux") { 128 } else { 0 };

/// Paints the unused stack, if the program prints peak memory use on exit.
#[inline(always)]
pub(crate) fn paint() {
    if board::statistics() {
        paint_below();
    }
}

/// In assembly, because only there is the frame complete when the stack pointer is read.
#[inline(never)]
fn paint_below() {
    // SAFETY: the words are in the stack, below everything that is in use.
    unsafe {
        #[cfg(target_arch = "arm")]
        asm!(
            "2: cmp {address}, sp",
            "bhs 3f",
            "stmia {address}!, {{r3}}",
            "b 2b",
            "3:",
            address = inout(reg) board::stack_bottom() => _,
            in("r3") PAINT,
            options(nostack),
        );
        #[cfg(target_arch = "aarch64")]
        asm!(
            "2: cmp sp, {address}",
            "b.ls 3f",
            "str {paint}, [{address}], #8",
            "b 2b",
            "3:",
            address = inout(reg) board::stack_bottom() => _,
            paint = in(reg) PAINT,
            options(nostack),
        );
        #[cfg(target_arch = "x86_64")]
        asm!(
            "lea {end}, [rsp - {red_zone}]",
            "2: cmp {address}, {end}",
            "jae 3f",
            "mov [{address}], {paint}",
            "add {address}, 8",
            "jmp 2b",
            "3:",
            end = out(reg) _,
            address = inout(reg) board::stack_bottom() => _,
            paint = in(reg) PAINT,
            red_zone = const RED_ZONE,
            options(nostack),
        );
    }
}

/// The peak stack use in bytes.
#[cold]
#[inline(never)]
pub(super) fn most_used() -> usize {
    let mut address = board::stack_bottom();
    // SAFETY: the words are in the stack; there is no paint at the current stack pointer.
    while address < board::stack_top() && unsafe { (address as *const usize).read_volatile() } == PAINT {
        address += size_of::<usize>();
    }
    board::stack_top() - address
}

/// Prints the peak use of the stack.
#[cold]
pub(super) fn say_statistics(used: usize) {
    say("stack: ");
    say_number(used);
    say(" of ");
    say_number(board::stack_top() - board::stack_bottom());
    say(" bytes used\n");
}
