//! Processor faults: the trap, and behind it a line of numbers that `clefc` reads (`driver::fault`), so that images hold
//! neither names nor a disassembler.
//!
//! The line is `fault:` and hexadecimal numbers in groups, each of which begins with its own sign: a blank before what happened, `;`
//! before registers, `/` before the words of the stack, among which are return addresses. Within groups there are blanks. Each platform says
//! what its groups hold.

use super::trap::{TRAPPED, end, say};
use crate::board;
use crate::console::{self, Stream};

/// As many bytes of the stack are said, where there are so many.
const STACK: usize = 128 * size_of::<usize>();

/// Begins the report.
#[inline]
pub(crate) fn begin(is_stack_overflow: bool) {
    say(if is_stack_overflow { "trap: stack overflow\nfault:" } else { "trap: processor fault\nfault:" });
}

/// Says a group of numbers, which lie at an address.
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

/// Says the words of the stack from an address in it on, and ends the program.
#[inline]
pub(crate) fn stack(start: usize) -> ! {
    // SAFETY: the words lie in the stack.
    unsafe { words(b'/', start, STACK.min(board::stack_top() - start)) };
    say("\n");
    end(TRAPPED)
}

/// Where the stack can be looked at: at its pointer, or if that is not in it, at its lowest address.
#[inline]
pub(crate) fn within_stack(pointer: usize) -> usize {
    let (bottom, top) = (board::stack_bottom(), board::stack_top());
    if pointer.wrapping_sub(bottom) < top - bottom { pointer } else { bottom }
}

/// Says a sign and a number, in all its hexadecimal digits.
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
