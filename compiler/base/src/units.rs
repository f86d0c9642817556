//! Quantities with their unit in the type: sizes in bytes, sizes with alignments, addresses, frequencies.

use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A size in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bytes(pub u64);

/// The size of a value in memory, and its alignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Extent {
    /// The size.
    pub size: Bytes,
    /// The alignment, a power of two.
    pub align: Bytes,
}

/// An address on the target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Address(pub u64);

/// A frequency in hertz.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Hertz(pub u64);

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const GIB: u64 = 1024 * MIB;

/// In the syntax of linker scripts: `16K`, `4M`, `48`.
impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => formatter.write_str("0"),
            bytes if bytes.is_multiple_of(GIB) => write!(formatter, "{}G", bytes / GIB),
            bytes if bytes.is_multiple_of(MIB) => write!(formatter, "{}M", bytes / MIB),
            bytes if bytes.is_multiple_of(KIB) => write!(formatter, "{}K", bytes / KIB),
            bytes => write!(formatter, "{bytes}"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#010x}", self.0)
    }
}

impl fmt::Display for Hertz {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} Hz", self.0)
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl Serialize for Hertz {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl Add for Bytes {
    type Output = Bytes;

    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        *self = *self + other;
    }
}

impl Sub for Bytes {
    type Output = Bytes;

    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0 - other.0)
    }
}

impl Bytes {
    /// More than any memory has.
    pub const MAX: Bytes = Bytes(u64::MAX);

    /// The sum, at most [`Bytes::MAX`].
    pub fn saturating_add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }

    /// The difference, at least zero.
    pub fn saturating_sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }

    /// The size of `count` values, at most [`Bytes::MAX`].
    pub fn saturating_mul(self, count: u64) -> Bytes {
        Bytes(self.0.saturating_mul(count))
    }

    /// The smallest multiple of an alignment that is not less than this.
    pub fn next_multiple_of(self, align: Bytes) -> Bytes {
        Bytes(self.0.next_multiple_of(align.0))
    }

    /// Parses `4096`, `0x1000`, `4K`, `16M`, `1G`; the suffixes are powers of 1024.
    pub fn parse(text: &str) -> Option<Bytes> {
        let (digits, unit) = match text.as_bytes().last()? {
            b'K' => (&text[..text.len() - 1], KIB),
            b'M' => (&text[..text.len() - 1], MIB),
            b'G' => (&text[..text.len() - 1], GIB),
            _ => (text, 1),
        };
        parse_integer(digits)?.checked_mul(unit).map(Bytes)
    }
}

impl Extent {
    /// No bytes.
    pub const EMPTY: Extent = Extent { size: Bytes(0), align: Bytes(1) };

    /// The extent of a scalar, whose alignment is its size.
    pub fn scalar(size: Bytes) -> Extent {
        Extent { size, align: size }
    }

    /// The extent with one more member, at the next multiple of its alignment.
    pub fn with(self, member: Extent) -> Extent {
        let size = self.size.next_multiple_of(member.align) + member.size;
        Extent { size, align: self.align.max(member.align) }
    }

    /// The extent with padding at the end, so that its size is a multiple of its alignment.
    pub fn padded(self) -> Extent {
        Extent { size: self.size.next_multiple_of(self.align), ..self }
    }
}

impl Address {
    /// Parses `0x20000000` or a decimal number.
    pub fn parse(text: &str) -> Option<Address> {
        parse_integer(text).map(Address)
    }

    /// The address `size` bytes after this one; `None` beyond 64 bits.
    pub fn checked_add(self, size: Bytes) -> Option<Address> {
        self.0.checked_add(size.0).map(Address)
    }
}

impl Hertz {
    /// Parses `16000000`, `32k`, `16M`; the suffixes are powers of 1000.
    pub fn parse(text: &str) -> Option<Hertz> {
        let (digits, unit) = match text.as_bytes().last()? {
            b'k' => (&text[..text.len() - 1], 1_000),
            b'M' => (&text[..text.len() - 1], 1_000_000),
            b'G' => (&text[..text.len() - 1], 1_000_000_000),
            _ => (text, 1),
        };
        parse_integer(digits)?.checked_mul(unit).map(Hertz)
    }
}

/// Digits with an optional `0x`, and `_` between digits.
fn parse_integer(text: &str) -> Option<u64> {
    let digits = |text: &str| text.chars().filter(|&c| c != '_').collect::<String>();
    let wellformed = |text: &str, radix| {
        text.starts_with(|c: char| c.is_digit(radix)) && text.chars().all(|c| c == '_' || c.is_digit(radix))
    };
    match text.strip_prefix("0x") {
        Some(hex) if wellformed(hex, 16) => u64::from_str_radix(&digits(hex), 16).ok(),
        None if wellformed(text, 10) => digits(text).parse().ok(),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_and_print() {
        for (text, bytes, printed) in [
            ("0", 0, "0"),
            ("48", 48, "48"),
            ("0x400", 1024, "1K"),
            ("16K", 16 * KIB, "16K"),
            ("4M", 4 * MIB, "4M"),
            ("0x1_0000", 64 * KIB, "64K"),
        ] {
            assert_eq!(Bytes::parse(text), Some(Bytes(bytes)), "{text}");
            assert_eq!(Bytes(bytes).to_string(), printed);
            assert_eq!(Bytes::parse(printed), Some(Bytes(bytes)));
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in
            ["", "K", "-1", "+1", "1.5K", "16 K", "16k", "0x", "0xg", "99999999999999999999", "99999999999999999G"]
        {
            assert_eq!(Bytes::parse(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_and_frequencies() {
        assert_eq!(Address::parse("0x2000_0000"), Some(Address(0x2000_0000)));
        assert_eq!(Address(0x2000_0000).to_string(), "0x20000000");
        assert_eq!(Hertz::parse("16M"), Some(Hertz(16_000_000)));
        assert_eq!(Hertz::parse("32768"), Some(Hertz(32_768)));
    }
}
