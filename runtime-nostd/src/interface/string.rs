//! Strings.

use super::region::clef_region_allocate;
use super::trap::Site;
use super::{Str, bytes, give};
use crate::region::Region;

/// # Safety
/// `parts` has `count` valid strings; `site` is valid; `result` can be written to; `region` has been entered.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_string_join(
    result: *mut Str,
    region: *mut Region,
    parts: *const Str,
    count: usize,
    site: *const Site,
) {
    // SAFETY: as the caller promises.
    let parts = unsafe { core::slice::from_raw_parts(parts, count) };
    let length = parts.iter().fold(0usize, |length, part| length.saturating_add(part.length));
    // SAFETY: as the caller promises; all parts fit the new string.
    unsafe {
        let whole = clef_region_allocate(region, length, 1, site);
        let mut end = whole;
        for part in parts {
            end.copy_from_nonoverlapping(part.pointer, part.length);
            end = end.add(part.length);
        }
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
#[inline(never)]
unsafe extern "C" fn clef_string_copy(
    result: *mut Str,
    region: *mut Region,
    buffer: *const u8,
    length: usize,
    site: *const Site,
) {
    // SAFETY: as the caller promises; the new string is large enough.
    unsafe {
        let copy = clef_region_allocate(region, length, 1, site);
        copy.copy_from_nonoverlapping(buffer, length);
        give(result, copy, length);
    }
}
