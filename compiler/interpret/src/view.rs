//! The views that comparison, `hash` and `%A` use: a value in which each part of a type with a view is replaced by it.

use super::{Interpreter, Stop, value::Value};
use clef_base::Span;
use clef_psg::VariableId;
use clef_types::CaseId;
use std::rc::Rc;

impl Interpreter<'_> {
    fn view_of(&self, case: CaseId) -> Option<VariableId> {
        self.psg.views.get(&self.psg.cases[case].owner).copied()
    }

    /// The view of a value.
    pub(super) fn seen(&mut self, value: &Value, span: Span) -> Result<Value, Stop> {
        if self.is_seen_otherwise(value) { self.see(value, span) } else { Ok(value.clone()) }
    }

    /// Whether some part of a value has a view.
    fn is_seen_otherwise(&self, value: &Value) -> bool {
        let any = |parts: &[Value]| parts.iter().any(|part| self.is_seen_otherwise(part));
        match value {
            Value::Case(case, fields) => self.view_of(*case).is_some() || any(fields),
            Value::Tuple(parts) => any(parts),
            Value::Array(elements) => any(&elements.borrow()),
            Value::Reference(content) => self.is_seen_otherwise(&content.borrow()),
            Value::Unit
            | Value::Bool(_)
            | Value::Char(_)
            | Value::Integer(..)
            | Value::Enum(..)
            | Value::Float32(_)
            | Value::Float64(_)
            | Value::Text(_)
            | Value::Function(_)
            | Value::Pointer(_)
            | Value::Nothing => false,
        }
    }

    fn see(&mut self, value: &Value, span: Span) -> Result<Value, Stop> {
        Ok(match value {
            Value::Case(case, fields) => match self.view_of(*case) {
                Some(view) => {
                    let function = self.module_value(view, span)?;
                    let view = self.apply(function, vec![value.clone()])?;
                    self.see(&view, span)?
                }
                None => Value::Case(*case, self.see_all(fields, span)?),
            },
            Value::Tuple(parts) => Value::Tuple(self.see_all(parts, span)?),
            Value::Array(elements) => {
                let elements = elements.borrow().clone();
                Value::array(self.see_all(&elements, span)?.to_vec())
            }
            Value::Reference(content) => {
                let content = content.borrow().clone();
                Value::Reference(Rc::new(std::cell::RefCell::new(self.see(&content, span)?)))
            }
            Value::Unit
            | Value::Bool(_)
            | Value::Char(_)
            | Value::Integer(..)
            | Value::Enum(..)
            | Value::Float32(_)
            | Value::Float64(_)
            | Value::Text(_)
            | Value::Function(_)
            | Value::Pointer(_)
            | Value::Nothing => value.clone(),
        })
    }

    fn see_all(&mut self, values: &[Value], span: Span) -> Result<Rc<[Value]>, Stop> {
        values.iter().map(|value| self.see(value, span)).collect()
    }
}
