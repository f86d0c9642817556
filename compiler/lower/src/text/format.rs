//! Formatting: a value in a format becomes pieces of a string.

use super::Piece;
use crate::body::Body;
use clef_base::{Span, Symbol, internal};
use clef_core::{Atom, End, Rhs};
use clef_types::{IntegerType, Intrinsic, Primitive, TextFormat, Type, TypeKind, structural::integer_suffix};

/// The maximum number of digits after the point of an integer.
const MAX_FIXED_DIGITS: usize = 20;

impl Body<'_, '_> {
    /// A value as a string.
    pub(crate) fn format(&mut self, format: TextFormat, value: Atom, span: Span) -> Atom {
        let pieces = self.formatted(format, value, span);
        self.build(pieces, span)
    }

    /// The pieces of a value.
    pub(crate) fn formatted(&mut self, format: TextFormat, value: Atom, span: Span) -> Vec<Piece> {
        let ty = self.type_of(&value);
        if let (Some(&id), TextFormat::General | TextFormat::Structure) = (self.lowering.enums.get(&ty), format) {
            return vec![Piece::String(self.enum_name(id, value, ty, span))];
        }
        match (self.kind(ty).clone(), format) {
            (TypeKind::String, TextFormat::Structure) => {
                let quote = Piece::Literal(Symbol::new("\""));
                vec![quote.clone(), Piece::String(value), quote]
            }
            (TypeKind::String, _) => vec![Piece::String(value)],
            (TypeKind::Unit, _) => vec![Piece::Literal(Symbol::new("()"))],
            (TypeKind::Bool, TextFormat::General) => {
                vec![Piece::String(self.boolean_text(value, ["True", "False"], span))]
            }
            (TypeKind::Bool, _) => vec![Piece::String(self.boolean_text(value, ["true", "false"], span))],
            (TypeKind::Char | TypeKind::Float32 | TypeKind::Float64, TextFormat::Structure) => {
                vec![Piece::Shown(value, ty, span)]
            }
            (TypeKind::Char, _) => vec![Piece::Formatted(Intrinsic::FormatChar, vec![value], span)],
            (TypeKind::Integer(integer), _) => self.formatted_integer(format, value, integer, span),
            (TypeKind::Float32 | TypeKind::Float64, _) => self.formatted_float(format, value, ty, span),
            (
                TypeKind::Function(..)
                | TypeKind::Tuple(_)
                | TypeKind::Reference(_)
                | TypeKind::Array(_)
                | TypeKind::NativePointer(_)
                | TypeKind::Declared(..),
                _,
            ) => vec![Piece::Shown(value, ty, span)],
            (TypeKind::Enum(..) | TypeKind::Parameter(_) | TypeKind::Slot(_) | TypeKind::Region, _) => {
                let name = self.lowering.type_name(ty);
                internal::bug("lower", span, format!("a value of type `{name}` has no string representation"))
            }
        }
    }

    /// A boolean as one of two strings.
    pub(crate) fn boolean_text(&mut self, value: Atom, [yes, no]: [&str; 2], span: Span) -> Atom {
        let string = self.lowering.string();
        let text = |text: &str| End::Yield(Atom::String(Symbol::new(text)));
        self.scope(string, span, |this| this.if_(value, |_| text(yes), |_| text(no)))
    }

    pub(crate) fn converted(&mut self, value: Atom, to: IntegerType, span: Span) -> Atom {
        let to = self.lowering.types.intern(TypeKind::Integer(to));
        self.convert(value, to, span)
    }

    /// Converts a number to another type.
    pub(crate) fn convert(&mut self, value: Atom, to: Type, span: Span) -> Atom {
        if self.type_of(&value) == to {
            return value;
        }
        self.bind(Rhs::Primitive(Primitive::Convert, vec![value]), to, span)
    }

    fn formatted_integer(&mut self, format: TextFormat, value: Atom, integer: IntegerType, span: Span) -> Vec<Piece> {
        match format {
            TextFormat::General => vec![self.decimal(value, integer, 1, span)],
            TextFormat::Structure => {
                let suffix = Piece::Literal(Symbol::new(integer_suffix(integer)));
                vec![self.decimal(value, integer, 1, span), suffix]
            }
            TextFormat::Decimal { digits } => vec![self.decimal(value, integer, digits, span)],
            TextFormat::Unsigned => {
                let unsigned = integer.unsigned();
                let value = self.converted(value, unsigned, span);
                vec![self.decimal(value, unsigned, 1, span)]
            }
            TextFormat::Hexadecimal { digits, upper } => vec![self.radix(value, integer, 16, (digits, upper), span)],
            TextFormat::Binary { digits } => vec![self.radix(value, integer, 2, (digits, false), span)],
            TextFormat::Octal => vec![self.radix(value, integer, 8, (1, false), span)],
            TextFormat::Fixed { digits } => {
                let mut pieces = vec![self.decimal(value, integer, 1, span)];
                if digits > 0 {
                    let zeros = "0".repeat(usize::from(digits).min(MAX_FIXED_DIGITS));
                    pieces.push(Piece::Literal(Symbol::new(&format!(".{zeros}"))));
                }
                pieces
            }
            TextFormat::Exponent { .. } | TextFormat::Significant { .. } => {
                let float = self.lowering.types.intern(TypeKind::Float64);
                let value = self.convert(value, float, span);
                self.formatted_float(format, value, float, span)
            }
        }
    }

    /// The intrinsic that formats an integer, and the word type that it takes.
    pub(crate) fn decimal_of(&self, integer: IntegerType) -> (Intrinsic, IntegerType) {
        let word_bits = self.lowering.facts.word_bits;
        match (integer.is_signed(), integer.bits(word_bits) <= word_bits) {
            (true, true) => (Intrinsic::FormatInt, IntegerType::Int),
            (true, false) => (Intrinsic::FormatInt64, IntegerType::I64),
            (false, true) => (Intrinsic::FormatUInt, IntegerType::UInt),
            (false, false) => (Intrinsic::FormatUInt64, IntegerType::U64),
        }
    }

    /// Decimal digits, by word arithmetic if the integer fits into a word.
    fn decimal(&mut self, value: Atom, integer: IntegerType, digits: u8, span: Span) -> Piece {
        let (intrinsic, wide) = self.decimal_of(integer);
        let value = self.converted(value, wide, span);
        let digits = self.integer(i128::from(digits.max(1)));
        Piece::Formatted(intrinsic, vec![value, digits], span)
    }

    /// The bits of an integer in another radix.
    fn radix(
        &mut self,
        value: Atom,
        integer: IntegerType,
        radix: i128,
        (digits, upper): (u8, bool),
        span: Span,
    ) -> Piece {
        let bits = self.converted(value, integer.unsigned(), span);
        let bits = self.converted(bits, IntegerType::U64, span);
        let (radix, digits) = (self.integer(radix), self.integer(i128::from(digits.max(1))));
        Piece::Formatted(Intrinsic::FormatRadix, vec![bits, radix, digits, Atom::Bool(upper)], span)
    }

    fn formatted_float(&mut self, format: TextFormat, value: Atom, ty: Type, span: Span) -> Vec<Piece> {
        let float = self.lowering.types.intern(TypeKind::Float64);
        let (intrinsic, arguments) = match format {
            TextFormat::Fixed { digits } => {
                (Intrinsic::FormatFixed, vec![self.convert(value, float, span), self.integer(digits.into())])
            }
            TextFormat::Exponent { digits, upper } => {
                let value = self.convert(value, float, span);
                (Intrinsic::FormatExponent, vec![value, self.integer(digits.into()), Atom::Bool(upper)])
            }
            TextFormat::Significant { digits, upper } => {
                let value = self.convert(value, float, span);
                (Intrinsic::FormatSignificant, vec![value, self.integer(digits.into()), Atom::Bool(upper)])
            }
            TextFormat::General if ty == float => (Intrinsic::FormatFloat, vec![value]),
            TextFormat::General => (Intrinsic::FormatFloat32, vec![value]),
            TextFormat::Structure
            | TextFormat::Decimal { .. }
            | TextFormat::Unsigned
            | TextFormat::Hexadecimal { .. }
            | TextFormat::Binary { .. }
            | TextFormat::Octal => internal::bug("lower", span, "a float in a format that is not for floats"),
        };
        vec![Piece::Formatted(intrinsic, arguments, span)]
    }
}
