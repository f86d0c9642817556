//! `hash`: the same as `lower::hash`, on values.

use super::{Interpreter, integer::bits_of, value::Value};
use clef_base::{Span, internal::bug};
use clef_types::{
    IntegerType,
    structural::{HASH_OF_NAN, HASH_PRIME, HASH_START},
};

impl Interpreter<'_> {
    /// The hash of a value, an `int`.
    pub(super) fn hash(&self, value: &Value, span: Span) -> Value {
        let hash = match self.word(value) {
            Some(word) => word,
            None => self.join(HASH_START, value, span),
        };
        self.int(i128::from(hash.cast_signed()))
    }

    /// The 32-bit word of a value without parts.
    fn word(&self, value: &Value) -> Option<u32> {
        Some(match value {
            Value::Unit => 0,
            Value::Bool(value) => u32::from(*value),
            Value::Char(code) => *code,
            Value::Integer(kind, value) | Value::Enum(_, kind, value) => self.integer_word(*kind, *value),
            Value::Float32(value) => float_word(f64::from(*value)),
            Value::Float64(value) => float_word(*value),
            Value::Text(_)
            | Value::Tuple(_)
            | Value::Case(..)
            | Value::Reference(_)
            | Value::Array(_)
            | Value::Function(_)
            | Value::Pointer(_)
            | Value::Nothing => return None,
        })
    }

    fn integer_word(&self, kind: IntegerType, value: i128) -> u32 {
        let bits = bits_of(kind, value, self.facts);
        if kind.bits(self.facts.word_bits) <= 32 {
            return value as u32;
        }
        let joined = halves(bits);
        if kind.is_signed() && bits as u32 >> 31 == 1 { !joined } else { joined }
    }

    fn join(&self, hash: u32, value: &Value, span: Span) -> u32 {
        if let Some(word) = self.word(value) {
            return joined(hash, word);
        }
        let all = |hash: u32, parts: &[Value]| parts.iter().fold(hash, |hash, part| self.join(hash, part, span));
        match value {
            Value::Text(bytes) => bytes.iter().fold(hash, |hash, byte| joined(hash, u32::from(*byte))),
            Value::Tuple(parts) => all(hash, parts),
            Value::Reference(cell) => self.join(hash, &cell.borrow(), span),
            Value::Array(elements) => all(hash, &elements.borrow()),
            Value::Case(..) => self.join_case(hash, value, span),
            other => bug("interpret", span, format!("hash of {}", other.describe())),
        }
    }

    /// Follows the last field in a loop, since a list is as deep as it is long.
    fn join_case(&self, mut hash: u32, value: &Value, span: Span) -> u32 {
        let mut value = value.clone();
        while let Value::Case(case, fields) = &value {
            hash = joined(hash, self.psg.cases[*case].tag);
            let Some((last, front)) = fields.split_last() else { return hash };
            for field in front {
                hash = self.join(hash, field, span);
            }
            let last = last.clone();
            value = last;
        }
        self.join(hash, &value, span)
    }
}

fn joined(hash: u32, word: u32) -> u32 {
    (hash ^ word).wrapping_mul(HASH_PRIME)
}

fn halves(bits: u64) -> u32 {
    bits as u32 ^ (bits >> 32) as u32
}

fn float_word(value: f64) -> u32 {
    // Adding zero normalises the negative zero.
    if value.is_nan() { HASH_OF_NAN } else { halves((value + 0.0).to_bits()) }
}
