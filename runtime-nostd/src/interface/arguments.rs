//! The arguments of the program.

use super::trap::{Site, clef_trap_message};
use super::{Str, give};
use crate::arguments;

const TOO_LONG: &[u8] = b"the arguments are too long";

/// # Safety
/// `site` is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_argument_count(site: *const Site) -> usize {
    match arguments::count() {
        Ok(count) => count,
        // SAFETY: as the caller promises.
        Err(arguments::TooLong) => unsafe { clef_trap_message(TOO_LONG.as_ptr(), TOO_LONG.len(), site) },
    }
}

/// # Safety
/// `result` can be written to; the index is below what [`clef_argument_count`] has returned.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_argument(result: *mut Str, index: usize) {
    let text = arguments::item(index);
    // SAFETY: as the caller promises.
    unsafe { give(result, text.as_ptr(), text.len()) };
}
