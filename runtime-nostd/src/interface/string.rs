//! Strings.

use super::region::clef_region_allocate;
use super::trap::Site;
use super::{Str, bytes, give};
use crate::region::Region;

/// # Safety
/// Both strings and `site` are valid; `result` can be written to; `region` has been entered.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_string_concat(
    result: *mut Str,
    region: *mut Region,
    a: *const u8,
    a_length: usize,
    b: *const u8,
    b_length: usize,
    site: *const Site,
) {
    let length = a_length.saturating_add(b_length);
    // SAFETY: as the caller promises; the new string has room for both.
    unsafe {
        let whole = clef_region_allocate(region, length, 1, site);
        whole.copy_from_nonoverlapping(a, a_length);
        whole.add(a_length).copy_from_nonoverlapping(b, b_length);
        give(result, whole, length);
    }
}

/// # Safety
/// Both strings are valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_string_equal(a: *const u8, a_length: usize, b: *const u8, b_length: usize) -> bool {
    // SAFETY: as the caller promises.
    unsafe { bytes(a, a_length) == bytes(b, b_length) }
}

/// # Safety
/// Both strings are valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_string_compare(a: *const u8, a_length: usize, b: *const u8, b_length: usize) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { bytes(a, a_length).cmp(bytes(b, b_length)) as i32 }
}

/// # Safety
/// The buffer and `site` are valid; `result` can be written to; `region` has been entered.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_string_copy(
    result: *mut Str,
    region: *mut Region,
    buffer: *const u8,
    length: usize,
    site: *const Site,
) {
    // SAFETY: as the caller promises; the new string has room.
    unsafe {
        let copy = clef_region_allocate(region, length, 1, site);
        copy.copy_from_nonoverlapping(buffer, length);
        give(result, copy, length);
    }
}
