//! The console of the program.

use super::region::clef_region_allocate;
use super::trap::Site;
use super::{Str, bytes, give};
use crate::console::{self, Stream};
use crate::region::Region;
use core::ffi::{CStr, c_char};

/// # Safety
/// The string is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_console_write(pointer: *const u8, length: usize) {
    // SAFETY: as the caller promises.
    console::write(Stream::Output, unsafe { bytes(pointer, length) });
}

/// # Safety
/// The string is valid, and ends with a zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_console_write_terminated(pointer: *const c_char) {
    // SAFETY: as the caller promises.
    console::write_terminated(unsafe { CStr::from_ptr(pointer) });
}

/// # Safety
/// The string is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_console_error(pointer: *const u8, length: usize) {
    // SAFETY: as the caller promises.
    console::write(Stream::Error, unsafe { bytes(pointer, length) });
}

/// The initial capacity of a line.
const SHORT_LINE: usize = 64;

/// # Safety
/// `result` can be written to; `region` has been entered; `site` is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_console_read_line(result: *mut Str, region: *mut Region, site: *const Site) -> bool {
    let mut capacity = SHORT_LINE;
    // SAFETY: as the caller promises.
    let mut line = unsafe { clef_region_allocate(region, capacity, 1, site) };
    let mut length = 0;
    let mut ended = false;
    while let Some(byte) = console::read() {
        if byte == b'\n' {
            ended = true;
            break;
        }
        if length == capacity {
            // SAFETY: as the caller promises; the old line has `length` bytes, which fit the new one.
            unsafe {
                let longer = clef_region_allocate(region, capacity * 2, 1, site);
                longer.copy_from_nonoverlapping(line, length);
                line = longer;
            }
            capacity *= 2;
        }
        // SAFETY: `length < capacity`.
        unsafe { line.add(length).write(byte) };
        length += 1;
    }
    let any = ended || length > 0;
    // SAFETY: `length - 1` is below the number of bytes written.
    if ended && length > 0 && unsafe { line.add(length - 1).read() } == b'\r' {
        length -= 1;
    }
    // SAFETY: as the caller promises.
    unsafe { give(result, line, length) };
    any
}
