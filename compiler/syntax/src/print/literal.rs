//! Literals and the text of strings.

use super::Printer;
use crate::ast::{IntegerSuffix, Literal};

impl Printer<'_> {
    pub(super) fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Unit => self.write("()"),
            Literal::Bool(value) => self.write(value),
            Literal::Integer { value, suffix, bits } => {
                let suffix = suffix_text(*suffix);
                if *bits {
                    self.write(format_args!("0x{value:X}{suffix}"));
                } else {
                    self.write(format_args!("{value}{suffix}"));
                }
            }
            Literal::Float { text, single } => {
                self.write(format_args!("{text}{}", if *single { "f" } else { "" }));
            }
            Literal::Char('\'') => self.write("'\\''"),
            Literal::Char('"') => self.write("'\"'"),
            Literal::Char(c) => self.write(format_args!("'{}'", escaped(*c))),
            Literal::String(text) => {
                let text: String = text.chars().map(escaped).collect();
                self.write(format_args!("\"{text}\""));
            }
            Literal::Bytes(bytes) => {
                let text: String = bytes.iter().map(|byte| escaped(char::from(*byte))).collect();
                self.write(format_args!("\"{text}\"B"));
            }
        }
    }

    /// Literal text of an interpolated string.
    pub(super) fn interpolated_text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '{' | '}' | '%' => self.write(format_args!("{c}{c}")),
                c => self.write(escaped(c)),
            }
        }
    }
}

fn escaped(c: char) -> String {
    match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c if c.is_control() => format!("\\U{:08X}", u32::from(c)),
        c => c.to_string(),
    }
}

fn suffix_text(suffix: IntegerSuffix) -> &'static str {
    match suffix {
        IntegerSuffix::None => "",
        IntegerSuffix::I8 => "y",
        IntegerSuffix::U8 => "uy",
        IntegerSuffix::I16 => "s",
        IntegerSuffix::U16 => "us",
        IntegerSuffix::I32 => "l",
        IntegerSuffix::U32 => "u",
        IntegerSuffix::I64 => "L",
        IntegerSuffix::U64 => "UL",
        IntegerSuffix::Native => "n",
        IntegerSuffix::UnsignedNative => "un",
    }
}
