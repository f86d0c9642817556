//! Conversions of strings to numbers and characters, by Rust's own parsers.

use super::{
    Interpreter, Stop,
    integer::{range, wrap},
    intrinsic::not_a,
    value::Value,
};
use clef_base::{Span, internal::bug};
use clef_types::{IntegerType, Type, TypeKind};

impl Interpreter<'_> {
    /// `int "3"` and other conversions of strings.
    pub(super) fn convert_text(&self, text: &[u8], target: Type, span: Span) -> Result<Value, Stop> {
        let kind = self.psg.types.kind(target);
        let inner = std::str::from_utf8(text).unwrap_or_default();
        let inner = inner.trim_matches(|c: char| c == ' ' || ('\t'..='\r').contains(&c));
        let value = match kind {
            TypeKind::Integer(kind) => self.integer_in(inner, *kind).map(|value| Value::Integer(*kind, value)),
            TypeKind::Float64 => inner.parse().ok().map(Value::Float64),
            TypeKind::Float32 => inner.parse().ok().map(Value::Float32),
            TypeKind::Char => {
                let mut characters = std::str::from_utf8(text).unwrap_or_default().chars();
                characters.next().filter(|_| characters.next().is_none()).map(|only| Value::Char(only.into()))
            }
            other => bug("interpret", span, format!("conversion of a string to {other:?}")),
        };
        value.ok_or_else(|| match kind.converted() {
            Some(wanted) => not_a(text, format!(" is not {wanted}").as_bytes(), span),
            None => bug("interpret", span, "conversion of a string to a type without name"),
        })
    }

    /// An integer in decimal, or the bits of one after `0x`, `0o` or `0b`.
    fn integer_in(&self, text: &str, kind: IntegerType) -> Option<i128> {
        let signed = kind.is_signed();
        let (negative, digits) = match text.as_bytes().first() {
            Some(b'-') if signed => (true, &text[1..]),
            Some(b'+') if signed => (false, &text[1..]),
            _ => (false, text),
        };
        let radix = match digits.as_bytes() {
            [b'0', b'x' | b'X', ..] => 16,
            [b'0', b'o' | b'O', ..] => 8,
            [b'0', b'b' | b'B', ..] => 2,
            _ => {
                let (smallest, largest) = range(kind, self.facts);
                let value = text.parse::<i128>().ok().filter(|value| (smallest..=largest).contains(value));
                return value.filter(|_| signed || !text.starts_with('-'));
            }
        };
        let digits = &digits[2..];
        let bits = if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, radix).ok() }?;
        let width = kind.bits(self.facts.word_bits);
        if width < u64::BITS && bits >> width != 0 {
            return None;
        }
        Some(wrap(kind, if negative { -i128::from(bits) } else { i128::from(bits) }, self.facts))
    }
}
