//! Processor faults: the trap, and after it a line of numbers that `clefc` reads (`clef_execution::fault`), so that images hold
//! neither names nor a disassembler.
//!
//! The line is `fault:` and hexadecimal numbers in groups, each of which begins with its own sign: a blank before the
//! fault's cause, `;` before registers, `/` before the words of the stack, which contain return addresses. Numbers in a
//! group are separated by blanks. Each platform defines the content of its groups.

use super::trap::{TRAPPED, end, say};
use crate::board;
use crate::console::{self, Stream};

/// The most bytes of the stack that are printed.
const STACK: usize = 128 * size_of::<usize>();

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
