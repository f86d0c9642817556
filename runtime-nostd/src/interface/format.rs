//! Numbers to text and back. A format writes into the caller's buffer and returns the length of the text.

use super::bytes;
use crate::text::{self, BUFFER, CHAR_BUFFER, FIXED_BUFFER, Writer};

/// Runs a format on a buffer of `size` bytes.
///
/// # Safety
/// `buffer` has `size` bytes that can be written to.
#[inline]
unsafe fn format(buffer: *mut u8, size: usize, write: impl FnOnce(&mut Writer<'_>)) -> usize {
    // SAFETY: as the caller promises.
    let mut writer = Writer::new(unsafe { core::slice::from_raw_parts_mut(buffer, size) });
    write(&mut writer);
    writer.length()
}

/// Declares exported formats that differ only in their arguments.
macro_rules! formats {
    ($($name:ident($($argument:ident: $type:ty),*) = $function:ident, $size:expr;)*) => {
        $(
            /// # Safety
            /// The buffer is as large as the interface table says.
            #[unsafe(no_mangle)]
            #[inline(never)]
            unsafe extern "C" fn $name(buffer: *mut u8, $($argument: $type),*) -> usize {
                // SAFETY: as the caller promises.
                unsafe { format(buffer, $size, |writer| text::$function(writer, $($argument),*)) }
            }
        )*
    };
}

formats! {
    clef_format_signed(value: i64, minimum_digits: u32) = format_signed, BUFFER;
    clef_format_unsigned(value: u64, minimum_digits: u32) = format_unsigned, BUFFER;
    clef_format_signed_word(value: isize, minimum_digits: u32) = format_signed_word, BUFFER;
    clef_format_unsigned_word(value: usize, minimum_digits: u32) = format_unsigned_word, BUFFER;
    clef_format_radix(value: u64, radix: u32, minimum_digits: u32, upper: bool) = format_radix, BUFFER;
    clef_format_float64(value: f64) = format_float64, BUFFER;
    clef_format_float32(value: f32) = format_float32, BUFFER;
    clef_format_fixed(value: f64, digits: u32) = format_fixed, FIXED_BUFFER;
    clef_format_exponent(value: f64, digits: u32, upper: bool) = format_exponent, BUFFER;
    clef_format_significant(value: f64, digits: u32, upper: bool) = format_significant, BUFFER;
    clef_format_char(code: u32) = format_char, CHAR_BUFFER;
}

/// Stores the parsed value, if there is one.
///
/// # Safety
/// `result` can be written to.
unsafe fn store<T>(result: *mut T, value: Option<T>) -> bool {
    // SAFETY: as the caller promises.
    value.map(|value| unsafe { result.write(value) }).is_some()
}

/// Declares exported parsers that differ only in their types.
macro_rules! parsers {
    ($($name:ident($($argument:ident: $type:ty)?) -> $result:ty = $function:ident;)*) => {
        $(
            /// # Safety
            /// The string is valid; `result` can be written to.
            #[unsafe(no_mangle)]
            #[inline(never)]
            unsafe extern "C" fn $name(result: *mut $result, text: *const u8, length: usize $(, $argument: $type)?) -> bool {
                // SAFETY: as the caller promises; strings are UTF-8.
                unsafe { store(result, text::$function(core::str::from_utf8_unchecked(bytes(text, length)) $(, $argument)?)) }
            }
        )*
    };
}

parsers! {
    clef_parse_signed(bits: u32) -> i64 = parse_signed;
    clef_parse_unsigned(bits: u32) -> u64 = parse_unsigned;
    clef_parse_float64() -> f64 = parse_float64;
    clef_parse_float32() -> f32 = parse_float32;
}
