//! Integer and float literals.

use super::Lexer;
use crate::{ast::IntegerSuffix, token::TokenKind};
use clef_base::{Symbol, codes};

/// The suffixes of integers.
pub const SUFFIXES: [(&str, IntegerSuffix); 12] = [
    ("y", IntegerSuffix::I8),
    ("uy", IntegerSuffix::U8),
    ("s", IntegerSuffix::I16),
    ("us", IntegerSuffix::U16),
    ("l", IntegerSuffix::I32),
    ("u", IntegerSuffix::U32),
    ("ul", IntegerSuffix::U32),
    ("L", IntegerSuffix::I64),
    ("UL", IntegerSuffix::U64),
    ("uL", IntegerSuffix::U64),
    ("n", IntegerSuffix::Native),
    ("un", IntegerSuffix::UnsignedNative),
];

impl Lexer<'_> {
    pub(super) fn number(&mut self) -> TokenKind {
        let start = self.position;
        let radix = match self.rest().as_bytes() {
            [b'0', b'x' | b'X', ..] => 16,
            [b'0', b'o' | b'O', ..] => 8,
            [b'0', b'b' | b'B', ..] => 2,
            _ => 10,
        };
        if radix != 10 {
            self.position += 2;
            let digits = self.take_while(|c| c.is_digit(radix) || c == '_');
            return self.integer(start, digits, radix);
        }
        let digits = self.take_while(is_digit);
        if self.has_fraction() {
            self.position += 1;
            self.take_while(is_digit);
            self.exponent();
            return self.float(start);
        }
        if self.exponent() {
            return self.float(start);
        }
        if matches!(self.suffix_text(), "f" | "F") {
            return self.float(start);
        }
        self.integer(start, digits, 10)
    }

    /// Whether the next `.` belongs to the number: it is not a range or a member access.
    fn has_fraction(&self) -> bool {
        let mut ahead = self.rest().chars();
        ahead.next() == Some('.')
            && ahead.next().is_none_or(|c| c != '.' && c != '[' && c != '_' && !unicode_ident::is_xid_start(c))
            || self.starts_with(".f") && !self.rest()[2..].starts_with(unicode_ident::is_xid_continue)
            || self.starts_with(".e") && self.rest()[2..].starts_with(|c: char| c.is_ascii_digit() || c == '-')
    }

    fn exponent(&mut self) -> bool {
        let rest = self.rest();
        let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return false };
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        self.position += rest.len() - digits.len();
        self.take_while(is_digit);
        true
    }

    fn suffix_text(&self) -> &str {
        let rest = self.rest();
        let length = rest.find(|c| !unicode_ident::is_xid_continue(c)).unwrap_or(rest.len());
        &rest[..length]
    }

    fn float(&mut self, start: usize) -> TokenKind {
        let text: String = self.text[start..self.position].chars().filter(|c| *c != '_').collect();
        let suffix = self.suffix_text().to_owned();
        self.position += suffix.len();
        let single = match suffix.as_str() {
            "" => false,
            "f" | "F" => true,
            _ => return self.unknown_suffix(start, &suffix),
        };
        TokenKind::Float { text: Symbol::new(text.trim_end_matches('.')), single }
    }

    fn integer(&mut self, start: usize, digits: &str, radix: u32) -> TokenKind {
        let suffix = self.suffix_text().to_owned();
        self.position += suffix.len();
        let Some(kind) = suffix_of(&suffix) else { return self.unknown_suffix(start, &suffix) };
        let digits: String = digits.chars().filter(|c| *c != '_').collect();
        if digits.is_empty() {
            let error = self.error(codes::BAD_NUMBER, start, "this number has no digits");
            self.report(error);
            return TokenKind::Error;
        }
        match u64::from_str_radix(&digits, radix) {
            Ok(value) => TokenKind::Integer { value, suffix: kind, bits: radix != 10 },
            Err(_) => {
                let error = self.error(codes::BAD_NUMBER, start, "this number is too large for any type");
                let can_be_float = radix == 10 && kind == IntegerSuffix::None;
                let help = match can_be_float {
                    true => "append `.0` for an approximate `float`",
                    false => "write a value of at most 64 bits",
                };
                self.report(error.note("the largest integers have 64 bits").help(help));
                TokenKind::Error
            }
        }
    }

    fn unknown_suffix(&mut self, start: usize, suffix: &str) -> TokenKind {
        let base = match self.text.as_bytes().get(start + 1) {
            Some(b'o' | b'O') => "octal",
            Some(b'b' | b'B') => "binary",
            Some(_) | None => "decimal",
        };
        let (is_digit, message) = match suffix.chars().next().filter(char::is_ascii_digit) {
            Some(digit) => (true, format!("invalid {base} digit `{digit}`")),
            None => (false, format!("unknown number suffix `{suffix}`")),
        };
        let error = self.error(codes::BAD_NUMBER, start, message);
        let error = match suffix {
            _ if is_digit => error,
            "m" | "M" => error.note("Clef has no `decimal` type").help("use a float, or an integer in a smaller unit"),
            "I" => error.note("Clef has no `bigint` type").help("use `L` for 64 bits"),
            _ => error.help(
                "the suffixes are y, uy, s, us, l, u, ul, L, UL, n and un for integers, f for floats; put a \
                       space before a name",
            ),
        };
        self.report(error);
        TokenKind::Error
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || c == '_'
}

fn suffix_of(text: &str) -> Option<IntegerSuffix> {
    match text {
        "" => Some(IntegerSuffix::None),
        _ => SUFFIXES.iter().find(|(suffix, _)| *suffix == text).map(|(_, kind)| *kind),
    }
}
