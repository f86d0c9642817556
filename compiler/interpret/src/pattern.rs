//! Matches values against patterns.

use super::{
    Interpreter,
    value::{Frame, Value},
};
use clef_base::internal::bug;
use clef_psg::{Literal, PatternId, PatternKind, Psg};
use clef_types::CaseId;

impl Interpreter<'_> {
    /// Whether the pattern matches; binds its variables. After a failure some of them may be bound, which the caller undoes.
    pub(super) fn matches(&mut self, pattern: PatternId, value: &Value, frame: &mut Frame) -> bool {
        let pattern = &self.psg.patterns[pattern];
        match (&pattern.kind, value) {
            (PatternKind::Wildcard, _) => true,
            (PatternKind::Variable(variable), _) => {
                self.define(*variable, value.clone(), frame);
                true
            }
            (PatternKind::As(inner, variable), _) => {
                let matched = self.matches(*inner, value, frame);
                if matched {
                    self.define(*variable, value.clone(), frame);
                }
                matched
            }
            (PatternKind::Or(first, second), _) => {
                let height = frame.0.len();
                self.matches(*first, value, frame) || {
                    frame.0.truncate(height);
                    self.matches(*second, value, frame)
                }
            }
            (PatternKind::And(first, second), _) => {
                self.matches(*first, value, frame) && self.matches(*second, value, frame)
            }
            (PatternKind::Literal(literal), _) => is_literal(literal, value),
            (PatternKind::Tuple(parts), Value::Tuple(values)) => {
                parts.iter().zip(values.iter()).all(|(part, value)| self.matches(*part, value, frame))
            }
            (PatternKind::Case { case, fields }, Value::Case(actual, values)) => {
                case == actual && {
                    let values = fields_now(self.psg, *case, values);
                    fields.iter().zip(&values).all(|(field, value)| self.matches(*field, value, frame))
                }
            }
            (PatternKind::Array(parts), Value::Array(elements)) => {
                let elements = elements.borrow();
                parts.len() == elements.len()
                    && parts.iter().zip(elements.iter()).all(|(part, value)| self.matches(*part, value, frame))
            }
            (PatternKind::Tuple(_) | PatternKind::Array(_) | PatternKind::Case { .. }, other) => {
                bug("interpret", pattern.span, format!("match of a compound pattern against {}", other.describe()))
            }
        }
    }
}

/// The current fields of a case: the mutable ones are in cells.
pub(super) fn fields_now(psg: &Psg, case: CaseId, stored: &[Value]) -> Vec<Value> {
    let mut values = stored.to_vec();
    for &position in &psg.cases[case].mutable {
        if let Value::Reference(cell) = &stored[position] {
            values[position] = cell.borrow().clone();
        }
    }
    values
}

/// Whether a value equals a literal pattern; NaN never does.
fn is_literal(literal: &Literal, value: &Value) -> bool {
    match (literal, value) {
        (Literal::Unit, Value::Unit) => true,
        (Literal::Bool(expected), Value::Bool(actual)) => expected == actual,
        (Literal::Integer(expected), Value::Integer(_, actual) | Value::Enum(_, _, actual)) => expected == actual,
        (Literal::Float(expected), Value::Float64(actual)) => expected == actual,
        (Literal::Float(expected), Value::Float32(actual)) => *expected as f32 == *actual,
        (Literal::Char(expected), Value::Char(actual)) => u32::from(*expected) == *actual,
        (Literal::String(expected), Value::Text(actual)) => expected.as_str().as_bytes() == &**actual,
        (literal, value) => {
            bug("interpret", None, format!("match of the literal {literal:?} against {}", value.describe()))
        }
    }
}
