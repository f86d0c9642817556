//! Text that is built piece by piece: targets of writing, one of which is a growing string.
//!
//! If nothing else is allocated while a string grows, it takes its bytes from the memory after the newest region, one after
//! another. Otherwise it takes some in advance, and moves where it cannot be extended.

use super::region::{clef_region_allocate, end_without, nested, space};
use super::trap::Site;
use super::{Str, bytes, give};
use crate::board;
use crate::console::{self, Stream};
use crate::region::Region;
use crate::text::{Decimal, MAX_DIGITS, WORD_DIGITS};
use core::mem::MaybeUninit;
use core::ptr::null_mut;

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
    /// Makes space for at least `by` more bytes.
    ///
    /// # Safety
    /// The region has been entered; the site is valid.
    #[cold]
    #[inline(never)]
    unsafe fn grow(&mut self, by: usize) {
        // No overflow: both are lengths of what is in memory.
        let length = self.length.wrapping_add(by);
        let end = self.start.wrapping_add(self.capacity);
        let wanted = length.saturating_add(STEP);
        // SAFETY: as the caller promises.
        if unsafe { space(self.region) }.extend(end, wanted - self.capacity) {
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

    /// Appends `by` bytes, which `write` writes where they belong.
    ///
    /// # Safety
    /// As for [`Text::grow`].
    #[inline]
    unsafe fn append(&mut self, by: usize, write: impl FnOnce(*mut u8)) {
        if self.has_space(by) {
            return write(self.lengthen(by));
        }
        if board::texts_are_alone() {
            // SAFETY: as the caller promises.
            unsafe { self.end_without(by) }
        }
        // SAFETY: as the caller promises.
        unsafe { self.grow_first(by, write) };
    }

    /// Ends the program: there is no space for `by` more bytes.
    ///
    /// # Safety
    /// As for [`Text::grow`].
    #[cold]
    #[inline(never)]
    unsafe fn end_without(&self, by: usize) -> ! {
        // SAFETY: as the caller promises.
        unsafe { end_without(self.region, self.site, by) }
    }

    /// Makes space for `by` more bytes, then appends. Kept apart, so that the usual case saves no registers; it writes by itself, so that
    /// no function calls itself through it, and the stack has a bound.
    ///
    /// # Safety
    /// As for [`Text::grow`].
    #[cold]
    #[inline(never)]
    unsafe fn grow_first(&mut self, by: usize, write: impl FnOnce(*mut u8)) {
        // SAFETY: as the caller promises.
        unsafe { self.grow(by) };
        write(self.lengthen(by));
    }

    /// Whether there is space for `by` more bytes.
    #[inline]
    fn has_space(&self, by: usize) -> bool {
        by <= if board::texts_are_alone() { nested().free_bytes() } else { self.capacity - self.length }
    }

    /// Lengthens the text by bytes for which there is space; they are to be written.
    #[inline]
    fn lengthen(&mut self, by: usize) -> *mut u8 {
        if board::texts_are_alone() {
            let end = nested().cursor();
            nested().free_from(end.wrapping_add(by));
            return end;
        }
        let end = self.start.wrapping_add(self.length);
        self.length += by;
        end
    }
}

/// # Safety
/// `text` can be written to; `region` has been entered; `site` is valid as long as the text is written to.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_text_begin(text: *mut Text, region: *mut Region, site: *const Site) {
    // The handle of a nested region is not needed to allocate.
    let region = if board::regions_nest() { null_mut() } else { region };
    let start = if board::texts_are_alone() { nested().cursor() } else { null_mut() };
    // SAFETY: as the caller promises.
    unsafe { text.write(Text { region, site, start, length: 0, capacity: 0 }) };
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
    // SAFETY: as the caller promises; there is space for the string at the end of the text.
    let write = move |end: *mut u8| unsafe {
        if board::is_minimal() {
            // Written as volatile so that the loop, which is shorter than `memcpy`, is not made into a call of it.
            (0..length).for_each(|index| end.add(index).write_volatile(pointer.add(index).read()));
        } else {
            end.copy_from_nonoverlapping(pointer, length);
        }
    };
    // SAFETY: as the caller promises.
    unsafe { (*core::ptr::with_exposed_provenance_mut::<Text>(address)).append(length, write) };
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
                if board::is_minimal() {
                    // SAFETY: as the caller promises.
                    return unsafe { append_digits(address, Decimal::$decimal(value, 1), minimum_digits) };
                }
                if (value as usize) < 10 && minimum_digits <= 1 {
                    // SAFETY: as the caller promises.
                    return unsafe { clef_text_append_byte(address, b'0' as u32 + value as u32) };
                }
                let decimal = Decimal::$decimal(value, minimum_digits);
                let length = decimal.length();
                // SAFETY: as the caller promises; there is space for the digits at the end of the text.
                let write = move |end| unsafe { decimal.write(core::slice::from_raw_parts_mut(end, length)) };
                // SAFETY: as the caller promises.
                unsafe { (*core::ptr::with_exposed_provenance_mut::<Text>(address)).append(length, write) };
            }
        )*
    };
}

/// Appends a number with the least code: its digits are made in a buffer.
///
/// # Safety
/// `address` is that of a text that was begun.
#[inline]
unsafe fn append_digits(address: usize, decimal: Decimal, minimum_digits: u32) {
    let mut space = [MaybeUninit::<u8>::uninit(); 1 + WORD_DIGITS as usize];
    let end = space.as_mut_ptr_range().end.cast::<u8>();
    let (mut value, mut count) = (decimal.magnitude(), 0);
    // SAFETY: as the caller promises; the space holds a sign and the digits of a word, which are written from its end.
    unsafe {
        loop {
            count += 1;
            end.sub(count).write(b'0' + (value % 10) as u8);
            value /= 10;
            if value == 0 {
                break;
            }
        }
        if minimum_digits > 1 {
            if decimal.is_negative() {
                clef_text_append_byte(address, u32::from(b'-'));
            }
            for _ in count..minimum_digits.min(MAX_DIGITS) as usize {
                clef_text_append_byte(address, u32::from(b'0'));
            }
        } else if decimal.is_negative() {
            count += 1;
            end.sub(count).write(b'-');
        }
        clef_text_append(address, end.sub(count), count);
    }
}

append_numbers! {
    clef_text_append_signed_word(isize) = signed;
    clef_text_append_unsigned_word(usize) = unsigned;
}

/// # Safety
/// `address` is that of a text that was begun.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_text_append_byte(address: usize, byte: u32) {
    // SAFETY: as the caller promises; there is space for the byte at the end of the text.
    let write = move |end: *mut u8| unsafe { end.write(byte as u8) };
    // SAFETY: as the caller promises.
    unsafe { (*core::ptr::with_exposed_provenance_mut::<Text>(address)).append(1, write) };
}

/// # Safety
/// `result` can be written to; `target` is the address of a text that was begun, and is not used any more.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_text_end(result: *mut Str, target: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        let text = &mut *core::ptr::with_exposed_provenance_mut::<Text>(target);
        if board::texts_are_alone() {
            let end = nested().cursor();
            nested().end_at(end);
            return give(result, text.start, end as usize - text.start as usize);
        }
        if text.capacity == 0 {
            return give(result, core::ptr::dangling(), 0);
        }
        let end = text.start.wrapping_add(text.capacity);
        space(text.region).give_back(end, text.capacity - text.length);
        give(result, text.start, text.length);
    }
}
