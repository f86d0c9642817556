//! Text that is built piece by piece: targets of writing, one of which is a growing string.

use super::region::clef_region_allocate;
use super::trap::Site;
use super::{Str, bytes, give};
use crate::console::{self, Stream};
use crate::region::Region;
use crate::text::Decimal;

/// The target that is standard output.
const OUTPUT: usize = 1;
/// The target that is standard error.
const ERROR: usize = 2;
/// What a growing string takes in advance, in bytes.
const STEP: usize = 32;

/// A growing string; generated code reserves it in a frame, and its address is the target.
#[repr(C)]
struct Text {
    region: *mut Region,
    site: *const Site,
    start: *mut u8,
    length: usize,
    capacity: usize,
}

impl Text {
    /// Makes space for at least `length` bytes in all.
    ///
    /// # Safety
    /// The region has been entered; the site is valid.
    #[cold]
    #[inline(never)]
    unsafe fn grow(&mut self, length: usize) {
        let end = self.start.wrapping_add(self.capacity);
        let wanted = length.saturating_add(STEP);
        // SAFETY: as the caller promises.
        if unsafe { (*self.region).extend(end, wanted - self.capacity) } {
            self.capacity = wanted;
            return;
        }
        let capacity = length.max(self.capacity.saturating_mul(2)).max(STEP);
        // SAFETY: as the caller promises; the old text has `length` bytes, which fit the new one.
        unsafe {
            let start = clef_region_allocate(self.region, capacity, 1, self.site);
            if self.length > 0 {
                start.copy_from_nonoverlapping(self.start, self.length);
            }
            self.start = start;
        }
        self.capacity = capacity;
    }

    /// Appends bytes after making space for them. Kept apart, so that the usual case saves no registers.
    ///
    /// # Safety
    /// As for [`Text::grow`] and [`Text::append`].
    #[cold]
    #[inline(never)]
    unsafe fn append_more(&mut self, pointer: *const u8, length: usize) {
        // SAFETY: as the caller promises.
        unsafe {
            self.grow(self.length.saturating_add(length));
            self.append(pointer, length);
        }
    }

    /// Lengthens the text; the new bytes are to be written.
    ///
    /// # Safety
    /// As for [`Text::grow`].
    #[inline]
    unsafe fn extend(&mut self, by: usize) -> *mut u8 {
        let length = self.length.saturating_add(by);
        if length > self.capacity {
            // SAFETY: as the caller promises.
            unsafe { self.grow(length) };
        }
        let end = self.start.wrapping_add(self.length);
        self.length = length;
        end
    }

    /// # Safety
    /// There is space for the bytes, which are valid.
    #[inline]
    unsafe fn append(&mut self, pointer: *const u8, length: usize) {
        let end = self.start.wrapping_add(self.length);
        self.length += length;
        // SAFETY: as the caller promises.
        unsafe { end.copy_from_nonoverlapping(pointer, length) };
    }
}

/// # Safety
/// `text` can be written to; `region` has been entered; `site` is valid as long as the text is written to.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_text_begin(text: *mut Text, region: *mut Region, site: *const Site) {
    // SAFETY: as the caller promises.
    unsafe { text.write(Text { region, site, start: core::ptr::null_mut(), length: 0, capacity: 0 }) };
}

/// # Safety
/// `target` is [`OUTPUT`], [`ERROR`], or the address of a text that was begun; the string is valid.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_text_write(target: usize, pointer: *const u8, length: usize) {
    match target {
        // SAFETY: as the caller promises.
        OUTPUT => console::write(Stream::Output, unsafe { bytes(pointer, length) }),
        // SAFETY: as the caller promises.
        ERROR => console::write(Stream::Error, unsafe { bytes(pointer, length) }),
        // SAFETY: as the caller promises.
        address => unsafe { clef_text_append(address, pointer, length) },
    }
}

/// # Safety
/// `address` is that of a text that was begun; the string is valid.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_text_append(address: usize, pointer: *const u8, length: usize) {
    // SAFETY: as the caller promises; there is space for the string after the text.
    unsafe {
        let text = &mut *core::ptr::with_exposed_provenance_mut::<Text>(address);
        let end = text.length.saturating_add(length);
        if end > text.capacity {
            return text.append_more(pointer, length);
        }
        text.append(pointer, length);
    }
}

/// Declares exported functions that append a number to a text.
macro_rules! append_numbers {
    ($($name:ident($type:ty) = $decimal:ident;)*) => {
        $(
            /// # Safety
            /// `address` is that of a text that was begun.
            #[unsafe(no_mangle)]
            #[inline(never)]
            unsafe extern "C" fn $name(address: usize, value: $type, minimum_digits: u32) {
                // SAFETY: as the caller promises.
                unsafe { append_decimal(address, Decimal::$decimal(value, minimum_digits)) }
            }
        )*
    };
}

append_numbers! {
    clef_text_append_signed_word(isize) = signed;
    clef_text_append_unsigned_word(usize) = unsigned;
}

/// # Safety
/// `address` is that of a text that was begun.
#[inline]
unsafe fn append_decimal(address: usize, decimal: Decimal) {
    // SAFETY: as the caller promises; there is space for the digits after the text.
    unsafe {
        let text = &mut *core::ptr::with_exposed_provenance_mut::<Text>(address);
        decimal.write(core::slice::from_raw_parts_mut(text.extend(decimal.length()), decimal.length()));
    }
}

/// # Safety
/// `address` is that of a text that was begun.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_text_append_byte(address: usize, byte: u32) {
    // SAFETY: as the caller promises; there is space for the byte after the text.
    unsafe {
        let text = &mut *core::ptr::with_exposed_provenance_mut::<Text>(address);
        text.extend(1).write(byte as u8);
    }
}

/// # Safety
/// `result` can be written to; `target` is the address of a text that was begun, and is not used any more.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_text_end(result: *mut Str, target: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        let text = &mut *core::ptr::with_exposed_provenance_mut::<Text>(target);
        if text.capacity == 0 {
            return give(result, core::ptr::dangling(), 0);
        }
        let end = text.start.wrapping_add(text.capacity);
        (*text.region).give_back(end, text.capacity - text.length);
        give(result, text.start, text.length);
    }
}
