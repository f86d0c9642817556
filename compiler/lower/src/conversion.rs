//! Conversions of strings, implemented by functions of the library module `Conversion`.

use super::body::Body;
use clef_base::{Span, Symbol, internal};
use clef_core::{Atom, Rhs};
use clef_types::{Primitive, Type, TypeKind};

impl Body<'_, '_> {
    /// `int "3"` and other conversions of strings: the value, or a trap with the string.
    pub(super) fn convert_string(&mut self, text: Atom, result: Type, span: Span) -> Atom {
        let kind = self.kind(result).clone();
        let Some(wanted) = kind.converted() else {
            internal::bug("lower", span, format!("conversion of a string to {kind:?}"))
        };
        let message = Atom::String(Symbol::new(&format!(" is not {wanted}")));
        #[allow(clippy::wildcard_enum_match_arm, reason = "a string has no other conversions")]
        match kind {
            TypeKind::Integer(integer) => {
                let int = self.lowering.int();
                let width = Atom::Integer(i128::from(integer.bits(self.lowering.facts.word_bits)), int);
                let function = if integer.is_signed() { "Conversion.signed" } else { "Conversion.unsigned" };
                let wide = self.library_call(function, vec![text, width, message], span);
                if self.type_of(&wide) == result {
                    return wide;
                }
                self.bind(Rhs::Primitive(Primitive::Convert, vec![wide]), result, span)
            }
            TypeKind::Float64 => self.library_call("Conversion.float", vec![text, message], span),
            TypeKind::Float32 => self.library_call("Conversion.float32", vec![text, message], span),
            _ => self.library_call("Conversion.char", vec![text, message], span),
        }
    }
}
