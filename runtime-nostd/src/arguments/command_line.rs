//! Arguments that come as one line of text. It is fetched on first use, into the memory that the board reserves for it.

use super::TooLong;
use crate::board::{self, arguments_kind};
use crate::text::{split_command_line, word};
use core::cell::Cell;

/// The number of words of the line; nothing before it is fetched.
struct Words(Cell<Option<usize>>);

// SAFETY: there is one thread.
unsafe impl Sync for Words {}

static WORDS: Words = Words(Cell::new(None));

/// Debuggers put the name of the program first.
#[inline]
fn first() -> usize {
    usize::from(board::arguments() == arguments_kind::SEMIHOSTING)
}

pub(super) fn count() -> Result<usize, TooLong> {
    let words = match WORDS.0.get() {
        Some(words) => words,
        None => {
            // SAFETY: nothing else uses this memory, and it is read only after this.
            let buffer = unsafe {
                let (start, size) = board::arguments_buffer();
                core::slice::from_raw_parts_mut(start, size)
            };
            let length = fetch(buffer)?;
            let words = split_command_line(buffer, length);
            WORDS.0.set(Some(words));
            words
        }
    };
    Ok(words.saturating_sub(first()))
}

pub(super) fn item(index: usize) -> &'static [u8] {
    // SAFETY: the line has been split, and nothing writes to it any more.
    let line = unsafe {
        let (start, size) = board::arguments_buffer();
        core::slice::from_raw_parts(start, size)
    };
    word(line, index + first())
}

/// Writes the line, leaves at least one byte free, and returns the length of the line.
fn fetch(buffer: &mut [u8]) -> Result<usize, TooLong> {
    match board::arguments() {
        #[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
        arguments_kind::SEMIHOSTING => crate::console::semihosting::command_line(buffer),
        #[cfg(feature = "pvh")]
        arguments_kind::START_INFORMATION => super::start_information::command_line(buffer),
        _ => Ok(0),
    }
}
