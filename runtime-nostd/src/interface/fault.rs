//! The state of a program that a trap or a processor fault stopped: a line of numbers after the report, which `clefc` reads
//! (`clef_execution::fault`), so that images hold neither names nor a disassembler.
//!
//! After a trap the line is `stack:` and hexadecimal numbers: a blank and the stack pointer, `/` and the words of the
//! stack, which begin with the registers that [`clef_trap_stack`] pushes. After a fault it is `fault:` and hexadecimal numbers in groups, each of which begins with its own sign: a blank before the
//! fault's cause, `;` before registers, `/` before the words of the stack, which contain return addresses. Numbers in a
//! group are separated by blanks. Each platform defines the content of its groups.

use super::trap::{TRAPPED, end, say};
use crate::board::{self, exit_kind};
use crate::console::{self, Stream};
use core::arch::naked_asm;

/// The most bytes of the stack that are printed: more where what an interrupt saves takes many of them (`clef_interrupts_entry`).
const STACK: usize = WORDS * size_of::<usize>();
const WORDS: usize = if cfg!(any(target_arch = "arm", feature = "linux")) { 128 } else { 256 };

/// Begins the report.
#[inline]
pub(crate) fn begin(is_stack_overflow: bool) {
    say(if is_stack_overflow { "trap: stack overflow\nfault:" } else { "trap: processor fault\nfault:" });
}

/// Prints a group of numbers from memory.
///
/// # Safety
/// They can be read.
#[inline(never)]
pub(crate) unsafe fn words(mut sign: u8, start: usize, bytes: usize) {
    let mut address = start;
    while address < start + bytes {
        // SAFETY: as the caller promises.
        say_word(sign, unsafe { (address as *const usize).read_volatile() });
        sign = b' ';
        address += size_of::<usize>();
    }
}

/// Prints the words of the stack from an address in it, and ends the program.
#[inline]
pub(crate) fn stack(start: usize) -> ! {
    // SAFETY: the words are in the stack.
    unsafe { words(b'/', start, STACK.min(board::stack_top() - start)) };
    say("\n");
    end(TRAPPED)
}

/// Ends a program that trapped, after the state of its stack: the registers that functions preserve, the return address,
/// and what the caller has on the stack.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(super) extern "C" fn clef_trap_stack() -> ! {
    #[cfg(target_arch = "arm")]
    naked_asm!(
        ".hidden clef_trap_stack",
        "push {{r4-r7, lr}}",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "push {{r4-r7}}",
        "mov r0, sp",
        "sub sp, #4",
        "bl {report}",
        report = sym clef_trap_report,
    );
    #[cfg(target_arch = "aarch64")]
    naked_asm!(
        ".hidden clef_trap_stack",
        "sub sp, sp, #96",
        "stp x19, x20, [sp]",
        "stp x21, x22, [sp, #16]",
        "stp x23, x24, [sp, #32]",
        "stp x25, x26, [sp, #48]",
        "stp x27, x28, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "mov x0, sp",
        "bl {report}",
        report = sym clef_trap_report,
    );
    #[cfg(target_arch = "x86_64")]
    naked_asm!(
        ".hidden clef_trap_stack",
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov rdi, rsp",
        "sub rsp, 8",
        "call {report}",
        report = sym clef_trap_report,
    );
}

/// Prints the state of the stack, if it is the program's own and somebody reads it, and ends the program. It is in a section
/// of its own, which the linker removes from images that do not report traps.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.clef_trap_report")]
extern "C" fn clef_trap_report(stack_pointer: usize) -> ! {
    #[cfg(target_arch = "arm")]
    if !board::trap_messages() {
        loop {}
    }
    #[cfg(feature = "linux")]
    let is_read = console::syscalls::is_decoded();
    #[cfg(not(feature = "linux"))]
    let is_read = true;
    if board::exit() == exit_kind::HOST || within_stack(stack_pointer) != stack_pointer || !is_read {
        end(TRAPPED)
    }
    say("stack:");
    let start = [stack_pointer];
    // SAFETY: the word is a local variable.
    unsafe { words(b' ', start.as_ptr() as usize, size_of_val(&start)) };
    stack(stack_pointer)
}

/// The address from which to print the stack: its pointer, or if that is not in it, its lowest address.
#[inline]
pub(crate) fn within_stack(pointer: usize) -> usize {
    let (bottom, top) = (board::stack_bottom(), board::stack_top());
    if pointer.wrapping_sub(bottom) < top - bottom { pointer } else { bottom }
}

/// Prints a sign and a number, in all its hexadecimal digits.
#[inline]
fn say_word(sign: u8, mut number: usize) {
    const DIGITS: usize = 2 * size_of::<usize>();
    let mut text = [sign; DIGITS + 1];
    let mut place = DIGITS;
    while place > 0 {
        let digit = number as u8 & 0xf;
        text[place] = digit + if digit < 10 { b'0' } else { b'a' - 10 };
        number >>= 4;
        place -= 1;
    }
    console::write(Stream::Error, &text);
}
