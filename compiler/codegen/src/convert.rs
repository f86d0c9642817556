//! Conversions between numbers, and between numbers and characters.

use crate::{code::Code, function::FunctionEmitter};
use clef_core::Atom;
use clef_mlir::Value;
use clef_types::{Type, TypeKind};

/// A number as conversions see it.
#[derive(Clone, Copy)]
enum Number {
    Integer { bits: u32, signed: bool },
    Float { bits: u32 },
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// The operand as a value of type `to`: integers are truncated, or extended by the signedness of the source; floats
    /// are truncated and saturate.
    pub(crate) fn convert(&mut self, operand: &Atom, to: Type) -> Option<Value<'m>> {
        let from = self.code.number(&self.locals.kind(operand));
        let into = self.code.number(self.code.shared.program.types.kind(to));
        let ty = self.code.machine_type(to)?;
        let value = self.value(operand);
        let emit = &mut self.code.emit;
        Some(match (from, into) {
            (Number::Integer { bits: from, signed }, Number::Integer { bits: into, .. }) => {
                if from > into {
                    emit.trunc(value, ty)
                } else if from == into {
                    value
                } else if signed {
                    emit.sext(value, ty)
                } else {
                    emit.zext(value, ty)
                }
            }
            (Number::Integer { signed: true, .. }, Number::Float { .. }) => emit.sitofp(value, ty),
            (Number::Integer { signed: false, .. }, Number::Float { .. }) => emit.uitofp(value, ty),
            (Number::Float { .. }, Number::Integer { signed: true, .. }) => emit.fptosi_sat(value, ty),
            (Number::Float { .. }, Number::Integer { signed: false, .. }) => emit.fptoui_sat(value, ty),
            (Number::Float { bits: from }, Number::Float { bits: into }) if from < into => emit.fpext(value, ty),
            (Number::Float { bits: from }, Number::Float { bits: into }) if from > into => emit.fptrunc(value, ty),
            (Number::Float { .. }, Number::Float { .. }) => value,
        })
    }
}

impl<'m> Code<'_, '_, 'm> {
    fn number(&self, kind: &TypeKind) -> Number {
        match kind {
            TypeKind::Integer(integer) => {
                Number::Integer { bits: integer.bits(self.shared.layouts.word_bits()), signed: integer.is_signed() }
            }
            TypeKind::Char => Number::Integer { bits: 32, signed: false },
            TypeKind::Float32 => Number::Float { bits: 32 },
            TypeKind::Float64 => Number::Float { bits: 64 },
            _ => self.bug("a conversion is neither from nor to a number"),
        }
    }
}
