//! How much stack a program took, for `--stats`: the stack is painted before the program runs; where paint is gone at its
//! end, there was something.

use super::trap::{say, say_number};
use crate::board;
use core::arch::asm;

/// What nobody writes by accident; never zero.
const PAINT: usize = 0xc1ef_57ac_c1ef_57ac_u64 as usize;

/// What functions that call none may use below the stack pointer.
#[cfg(target_arch = "x86_64")]
const RED_ZONE: usize = if cfg!(feature = "linux") { 128 } else { 0 };

/// Paints what is not in use yet, if the program says at its end how much memory it used.
#[inline(always)]
pub(crate) fn paint() {
    if board::statistics() {
        paint_below();
    }
}

/// In assembly, because only there the frame is complete when the stack pointer is read.
#[inline(never)]
fn paint_below() {
    // SAFETY: the words lie in the stack, below everything that is in use.
    unsafe {
        #[cfg(target_arch = "arm")]
        asm!(
            "2: cmp {address}, sp",
            "bhs 3f",
            "stmia {address}!, {{{paint}}}",
            "b 2b",
            "3:",
            address = inout(reg) board::stack_bottom() => _,
            paint = in(reg) PAINT,
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

/// The most bytes that were in use.
#[cold]
#[inline(never)]
pub(super) fn most_used() -> usize {
    let mut address = board::stack_bottom();
    // SAFETY: the words lie in the stack; where the program is now, there is no paint.
    while address < board::stack_top() && unsafe { (address as *const usize).read_volatile() } == PAINT {
        address += size_of::<usize>();
    }
    board::stack_top() - address
}

/// Says how much of the stack was in use at most.
#[cold]
pub(super) fn say_statistics(used: usize) {
    say("stack: ");
    say_number(used);
    say(" of ");
    say_number(board::stack_top() - board::stack_bottom());
    say(" bytes used\n");
}
