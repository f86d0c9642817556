//! Calls of functions that take a format.

use super::Generator;
use crate::{
    tree::{Expr, Kind, Part},
    types::Type,
};

const SIGNED: [&str; 8] = ["%d", "%i", "%5d", "%-6d", "%04d", "%+d", "%x", "%A"];
const UNSIGNED: [&str; 7] = ["%d", "%u", "%X", "%08x", "%o", "%B", "%A"];
const FLOATS: [&str; 9] = ["%f", "%.2f", "%8.3f", "%-9.1f", "%+.1f", "%e", "%.3E", "%g", "%A"];
const STRINGS: [&str; 4] = ["%s", "%10s", "%-8s", "%A"];

impl Generator {
    /// `sprintf "…" a b` or a similar function, with up to three values.
    pub(super) fn formatted(&mut self, ty: Type, function: &'static str, size: usize) -> Expr {
        let count = self.random.between(1, 3);
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.push(Part::Text(self.random.word(&["", "x", " = ", "%%", ",", "\u{e9}", "{"]).to_owned()));
            parts.push(self.formatted_value(size / count));
        }
        Expr::new(ty, Kind::Format(function, parts))
    }

    fn formatted_value(&mut self, size: usize) -> Part {
        let (ty, letters) = match self.random.below(9) {
            0 => (Type::Bool, &["%b", "%-6b", "%A"][..]),
            1 => (Type::Char, &["%c", "%4c", "%A"][..]),
            2 => (Type::String, &STRINGS[..]),
            3 => (Type::Float, &FLOATS[..]),
            4 => (Type::Single, &FLOATS[..]),
            5 | 6 => (self.data_type(2), &["%A"][..]),
            _ => {
                let width = self.width();
                (Type::Integer(width), if width.is_signed() { &SIGNED[..] } else { &UNSIGNED[..] })
            }
        };
        Part::Value(self.expression(&ty, size), Some(self.random.word(letters)))
    }
}
