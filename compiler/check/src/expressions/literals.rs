//! Literals: their types and ranges.

use crate::{checker::Checker, expressions::unsupported::Later, state::Expect};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{NodeId, NodeKind};
use clef_syntax::ast::{IntegerSuffix, Literal};
use clef_types::IntegerType;

impl Checker<'_> {
    /// A literal as an expression.
    pub(crate) fn literal(&mut self, literal: &Literal, negative: bool, span: Span, expect: &Expect) -> NodeId {
        if let Literal::Bytes(bytes) = literal {
            return self.byte_string(bytes, span, expect);
        }
        let constant = self.constant_towards(literal, negative, span, &expect.ty);
        let Some((constant, ty)) = constant else { return self.graph.error_node(span) };
        self.expect(span, expect, &ty);
        self.graph.node(NodeKind::Literal(constant), ty, span)
    }

    /// Does the same with an expected type: a number without a suffix takes the expected number type, if it is known.
    pub(crate) fn constant_towards(
        &mut self,
        literal: &Literal,
        negative: bool,
        span: Span,
        expected: &Ty,
    ) -> Option<(clef_psg::Literal, Ty)> {
        let Ty::Constructor(constructor, _) = self.inference.shallow(expected) else {
            return self.constant(literal, negative, span);
        };
        match (literal, constructor) {
            (Literal::Integer { value, suffix: IntegerSuffix::None, bits }, TypeConstructor::Integer(kind)) => {
                let value = self.in_range(*value, negative, kind, *bits, (span, false))?;
                Some((clef_psg::Literal::Integer(value), Ty::simple(constructor)))
            }
            (
                Literal::Integer { value, suffix: IntegerSuffix::None, bits: false },
                TypeConstructor::Float32 | TypeConstructor::Float64,
            ) => {
                let text = Symbol::new(&value.to_string());
                self.float(text, constructor == TypeConstructor::Float32, negative, span)
            }
            (Literal::Float { text, single: false }, TypeConstructor::Float32) => {
                self.float(*text, true, negative, span)
            }
            _ => self.constant(literal, negative, span),
        }
    }

    /// The value and type of a literal; `None` if an error was reported.
    pub(crate) fn constant(
        &mut self,
        literal: &Literal,
        negative: bool,
        span: Span,
    ) -> Option<(clef_psg::Literal, Ty)> {
        Some(match literal {
            Literal::Unit => (clef_psg::Literal::Unit, Ty::unit()),
            Literal::Bool(value) => (clef_psg::Literal::Bool(*value), Ty::bool()),
            Literal::Char(value) => (clef_psg::Literal::Char(*value), Ty::simple(TypeConstructor::Char)),
            Literal::String(text) => (clef_psg::Literal::String(Symbol::new(text)), Ty::string()),
            Literal::Bytes(_) => {
                self.report_later(Later::ByteStrings, span);
                return None;
            }
            Literal::Integer { value, suffix, bits } => {
                let kind = suffix_type(*suffix);
                let value = self.in_range(*value, negative, kind, *bits, (span, true))?;
                (clef_psg::Literal::Integer(value), Ty::simple(TypeConstructor::Integer(kind)))
            }
            Literal::Float { text, single } => self.float(*text, *single, negative, span)?,
        })
    }

    fn float(&mut self, text: Symbol, single: bool, negative: bool, span: Span) -> Option<(clef_psg::Literal, Ty)> {
        let parsed = match single {
            true => text.as_str().parse::<f32>().map(f64::from),
            false => text.as_str().parse::<f64>(),
        };
        let constructor = if single { TypeConstructor::Float32 } else { TypeConstructor::Float64 };
        match parsed {
            Ok(value) if value.is_finite() => {
                Some((clef_psg::Literal::Float(if negative { -value } else { value }), Ty::simple(constructor)))
            }
            Ok(_) | Err(_) => {
                let name = if single { "float32" } else { "float" };
                let message = format!("`{text}` is out of range for `{name}`");
                self.report(Diagnostic::error(codes::LITERAL_OUT_OF_RANGE, span, message));
                None
            }
        }
    }

    /// The value of an integer literal, if it is in range. A hexadecimal literal may set the sign bit. The literal's place
    /// is given with whether the literal itself has the type.
    fn in_range(
        &mut self,
        value: u64,
        negative: bool,
        kind: IntegerType,
        bits: bool,
        place: (Span, bool),
    ) -> Option<i128> {
        let value = u128::from(value);
        let width = kind.bits(self.input.facts.word_bits);
        if self.is_in_range(value, negative, kind) {
            return Some(if negative { -(value as i128) } else { value as i128 });
        }
        if bits && !negative && value >> width == 0 {
            return Some(value as i128 - (1i128 << width));
        }
        self.report_range(value, negative, kind, place);
        None
    }

    /// Whether an integer type has a value, which is the negative of a number if `negative`.
    pub(crate) fn is_in_range(&self, value: u128, negative: bool, kind: IntegerType) -> bool {
        let width = kind.bits(self.input.facts.word_bits);
        value
            <= match (kind.is_signed(), negative) {
                (true, false) => (1u128 << (width - 1)) - 1,
                (true, true) => 1u128 << (width - 1),
                (false, false) => (1u128 << width) - 1,
                (false, true) => 0,
            }
    }

    /// The range of an integer type, in a sentence.
    pub(crate) fn range_of(&self, kind: IntegerType) -> String {
        let (name, width) = (kind.name(), kind.bits(self.input.facts.word_bits));
        let (least, greatest) = match kind.is_signed() {
            true => (format!("-{}", 1u128 << (width - 1)), (1u128 << (width - 1)) - 1),
            false => ("0".into(), (1u128 << width) - 1),
        };
        format!("the range of `{name}` is {least} to {greatest} on this target")
    }

    /// An integer type that has a value which another one does not have: of the same width, or else the smallest.
    pub(crate) fn type_that_holds(&self, value: u128, negative: bool, kind: IntegerType) -> Option<IntegerType> {
        let signed = negative || kind.is_signed();
        let holds = |held: &IntegerType| {
            self.is_in_range(value, negative, *held)
                && (held.is_signed() == signed || !negative && *held == IntegerType::U64)
        };
        std::iter::once(kind.signed()).chain(IntegerType::ALL).find(holds)
    }

    fn report_range(&mut self, value: u128, negative: bool, kind: IntegerType, (span, is_own): (Span, bool)) {
        let message = format!("this literal is out of range for `{}`", kind.name());
        let diagnostic = Diagnostic::error(codes::LITERAL_OUT_OF_RANGE, span, message).note(self.range_of(kind));
        let held = self.type_that_holds(value, negative, kind);
        self.report(match held.map(|held| (held.name(), held.suffix())) {
            Some((name, Some(suffix))) if is_own => diagnostic.help(format!("use the suffix `{suffix}` for `{name}`")),
            Some((name, _)) => diagnostic.help(format!("use a type that can hold it, such as `{name}`")),
            None => diagnostic.help("no integer type can hold it; append `.0` for an approximate `float`"),
        });
    }
}

/// The type that a suffix names.
fn suffix_type(suffix: IntegerSuffix) -> IntegerType {
    match suffix {
        IntegerSuffix::None => IntegerType::Int,
        IntegerSuffix::I8 => IntegerType::I8,
        IntegerSuffix::U8 => IntegerType::U8,
        IntegerSuffix::I16 => IntegerType::I16,
        IntegerSuffix::U16 => IntegerType::U16,
        IntegerSuffix::I32 => IntegerType::I32,
        IntegerSuffix::U32 => IntegerType::U32,
        IntegerSuffix::I64 => IntegerType::I64,
        IntegerSuffix::U64 => IntegerType::U64,
        IntegerSuffix::Native => IntegerType::NativeInt,
        IntegerSuffix::UnsignedNative => IntegerType::UNativeInt,
    }
}
