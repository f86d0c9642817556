//! Conversion between numbers and text. All output goes to a caller's buffer through [`Writer`], which cannot overrun
//! it; nothing here allocates, panics, or uses `core::fmt`.

mod command_line;
mod exact;
mod integer;
mod parse;
mod shortest;

pub use command_line::{split_command_line, word};
pub use exact::{
    MAX_EXPONENT_DIGITS, MAX_FIXED_DIGITS, MAX_SIGNIFICANT_DIGITS, format_exponent, format_fixed, format_significant,
};
pub use integer::{
    Decimal, MAX_DIGITS, WORD_DIGITS, format_radix, format_signed, format_signed_word, format_unsigned,
    format_unsigned_word,
};
pub use parse::{parse_float32, parse_float64, parse_signed, parse_unsigned};
pub use shortest::{format_float32, format_float64};

/// The size of the buffer of all conversions but [`format_fixed`].
pub const BUFFER: usize = 128;

/// The size of the buffer of [`format_fixed`]: sign, 309 digits, point, and [`MAX_FIXED_DIGITS`].
pub const FIXED_BUFFER: usize = 400;

/// The length of the longest character in UTF-8.
pub const CHAR_BUFFER: usize = char::MAX.len_utf8();

/// Appends bytes to a buffer, and drops what does not fit.
pub struct Writer<'a> {
    buffer: &'a mut [u8],
    length: usize,
}

impl<'a> Writer<'a> {
    /// An empty string in that buffer.
    pub fn new(buffer: &'a mut [u8]) -> Writer<'a> {
        Writer { buffer, length: 0 }
    }

    /// Bytes written so far.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The bytes written so far.
    pub fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.length).unwrap_or(&[])
    }

    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.buffer.get_mut(self.length) {
            *slot = byte;
            self.length += 1;
        }
    }

    fn push_all(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.push(*byte);
        }
    }

    fn push_repeated(&mut self, byte: u8, times: u32) {
        for _ in 0..times {
            self.push(byte);
        }
    }

    /// Space for bytes, as far as the buffer has it, which counts as written.
    fn reserve(&mut self, count: usize) -> &mut [u8] {
        let space = self.buffer.get_mut(self.length..).unwrap_or_default();
        let count = count.min(space.len());
        self.length += count;
        space.get_mut(..count).unwrap_or_default()
    }

    /// Reverses what has been written after the first `start` bytes.
    fn reverse_from(&mut self, start: usize) {
        if let Some(written) = self.buffer.get_mut(start..self.length) {
            written.reverse();
        }
    }
}

/// A character as UTF-8; anything but a Unicode scalar value becomes U+FFFD.
pub fn format_char(writer: &mut Writer<'_>, code: u32) {
    let code = match code {
        0xd800..=0xdfff | 0x11_0000.. => 0xfffd,
        scalar => scalar,
    };
    let continuation = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
    match code {
        ..0x80 => writer.push(code as u8),
        0x80..0x800 => writer.push_all(&[0xc0 | (code >> 6) as u8, continuation(0)]),
        0x800..0x1_0000 => writer.push_all(&[0xe0 | (code >> 12) as u8, continuation(6), continuation(0)]),
        0x1_0000.. => {
            writer.push_all(&[0xf0 | (code >> 18) as u8, continuation(12), continuation(6), continuation(0)]);
        }
    }
}

/// What `format` writes, for tests.
#[cfg(test)]
fn written(format: impl FnOnce(&mut Writer<'_>)) -> String {
    let mut buffer = [0; FIXED_BUFFER];
    let mut writer = Writer::new(&mut buffer);
    format(&mut writer);
    String::from_utf8(writer.bytes().to_vec()).expect("formats write UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn characters_are_encoded_as_by_std(character: char) {
            prop_assert_eq!(written(|writer| format_char(writer, character as u32)), character.to_string());
        }
    }

    #[test]
    fn surrogates_and_numbers_beyond_unicode_are_replaced() {
        for code in [0xd800, 0xdfff, 0x11_0000, u32::MAX] {
            assert_eq!(written(|writer| format_char(writer, code)), "\u{fffd}");
        }
    }

    #[test]
    fn a_full_buffer_drops_the_rest() {
        let mut buffer = [0; 3];
        let mut writer = Writer::new(&mut buffer);
        format_unsigned(&mut writer, 12345, 1);
        assert_eq!(writer.length(), 3);
    }
}
