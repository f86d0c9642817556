//! Structural equality and order.
//!
//! Two orders, as in F#: the partial one of `=`, `<` and others, where a NaN is unordered with everything, and the total one
//! of `compare`, where a NaN equals itself and is less than every other float. Compound values are ordered by the first
//! component that differs, cases by their tags first, strings by their bytes, arrays by their lengths first.

use super::{Interpreter, value::Value};
use clef_base::internal::bug;
use std::cmp::Ordering;

/// Which of the two orders.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Partial,
    Total,
}

impl Interpreter<'_> {
    /// Compares; always `Some` in the total order.
    pub(super) fn order(&self, order: Order, left: &Value, right: &Value) -> Option<Ordering> {
        match (left, right) {
            (Value::Unit, Value::Unit) => Some(Ordering::Equal),
            (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
            (Value::Char(left), Value::Char(right)) => Some(left.cmp(right)),
            (Value::Integer(_, left), Value::Integer(_, right)) => Some(left.cmp(right)),
            (Value::Enum(_, _, left), Value::Enum(_, _, right)) => Some(left.cmp(right)),
            (Value::Float32(left), Value::Float32(right)) => floats(order, f64::from(*left), f64::from(*right)),
            (Value::Float64(left), Value::Float64(right)) => floats(order, *left, *right),
            (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
            (Value::Tuple(left), Value::Tuple(right)) => self.components(order, left, right),
            (Value::Case(left_case, left), Value::Case(right_case, right)) => {
                match self.psg.cases[*left_case].tag.cmp(&self.psg.cases[*right_case].tag) {
                    Ordering::Equal => self.components(order, left, right),
                    unequal => Some(unequal),
                }
            }
            (Value::Reference(left), Value::Reference(right)) => self.order(order, &left.borrow(), &right.borrow()),
            (Value::Array(left), Value::Array(right)) => {
                let (left, right) = (left.borrow(), right.borrow());
                match left.len().cmp(&right.len()) {
                    Ordering::Equal => self.components(order, &left, &right),
                    unequal => Some(unequal),
                }
            }
            (left, right) => {
                bug("interpret", None, format!("comparison of {} with {}", left.describe(), right.describe()))
            }
        }
    }

    fn components(&self, order: Order, left: &[Value], right: &[Value]) -> Option<Ordering> {
        for (left, right) in left.iter().zip(right) {
            match self.order(order, left, right) {
                Some(Ordering::Equal) => {}
                decided => return decided,
            }
        }
        Some(Ordering::Equal)
    }
}

fn floats(order: Order, left: f64, right: f64) -> Option<Ordering> {
    match (order, left.partial_cmp(&right)) {
        (Order::Total, None) => Some(right.is_nan().cmp(&left.is_nan())),
        (_, ordering) => ordering,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_least_in_the_total_order_only() {
        assert_eq!(floats(Order::Total, f64::NAN, 1.0), Some(Ordering::Less));
        assert_eq!(floats(Order::Total, f64::NEG_INFINITY, f64::NAN), Some(Ordering::Greater));
        assert_eq!(floats(Order::Total, f64::NAN, f64::NAN), Some(Ordering::Equal));
        assert_eq!(floats(Order::Partial, f64::NAN, f64::NAN), None);
        assert_eq!(floats(Order::Partial, 0.0, -0.0), Some(Ordering::Equal));
    }
}
