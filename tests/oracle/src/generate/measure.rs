//! Numbers with units of measure.

use super::{Generator, effect::binary};
use crate::{
    tree::{Expr, Kind},
    types::{Base, Measure, Type, Width},
};

impl Base {
    /// A literal of it, to which a unit may be added.
    pub(super) fn literal(self, value: u32) -> String {
        match self {
            Base::Int => value.to_string(),
            Base::Int64 => format!("{value}L"),
            Base::Float => format!("{value}.5"),
            Base::Single => format!("{value}.25f"),
        }
    }
}

impl Generator {
    /// A literal with a unit.
    pub(super) fn quantity(&mut self, base: Base, measure: Measure) -> Expr {
        let literal = base.literal(*self.random.pick(&[0, 1, 2, 7, 1000, 65536]));
        let text = format!("{literal}<{}>", measure.text());
        let text = if self.random.chance(1, 4) { format!("(-{text})") } else { text };
        Expr::constant(Type::Measured(base, measure), text)
    }

    /// A number with a unit, computed.
    pub(super) fn measured(&mut self, base: Base, measure: Measure, size: usize) -> Expr {
        let ty = Type::Measured(base, measure);
        let [left, right] = self.split(size);
        match self.random.below(8) {
            0 | 1 => {
                let (left, right) = (self.expression(&ty, left), self.expression(&ty, right));
                binary(&ty, self.random.word(&["+", "-"]), left, right)
            }
            2 => {
                let both = [left, right].map(|size| self.expression(&ty, size));
                Expr::apply(ty, self.random.word(&["min", "max"]), both.into())
            }
            3 => {
                let inner = self.expression(&ty, size);
                Expr::new(ty, Kind::Prefix("-", Box::new(inner)))
            }
            4 | 5 => {
                let other = self.measure();
                let first = measure.over(other).map_or(base.bare(), |rest| Type::Measured(base, rest));
                let (left, right) =
                    (self.expression(&first, left), self.expression(&Type::Measured(base, other), right));
                binary(&ty, "*", left, right)
            }
            6 if base.is_float() => {
                let other = self.measure();
                let first = measure.times(other).map_or(base.bare(), |product| Type::Measured(base, product));
                let (left, right) =
                    (self.expression(&first, left), self.expression(&Type::Measured(base, other), right));
                binary(&ty, "/", left, right)
            }
            _ => {
                let plain = self.converted(base, size);
                let one = Expr::constant(ty.clone(), format!("{}<{}>", base.literal(1), measure.text()));
                binary(&ty, "*", plain, one)
            }
        }
    }

    /// A plain number of a base, perhaps from a number with another unit.
    fn converted(&mut self, base: Base, size: usize) -> Expr {
        if self.random.chance(1, 2) {
            return self.expression(&base.bare(), size);
        }
        let from = if self.random.chance(1, 2) { self.measured_type() } else { Type::Integer(Width::Int) };
        let inner = self.expression(&from, size);
        Expr::apply(base.bare(), base.name(), vec![inner])
    }
}
