//! Numbers with units of measure.

use super::{Generator, effect::binary};
use crate::{
    tree::{Expr, Kind},
    types::{Base, Library, Measure, Type, Width},
};

impl Base {
    /// A literal of this type, to which a unit may be added.
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
        match self.random.below(11) {
            8 if base == Base::Float => self.of_any_unit(measure, size),
            9 if base == Base::Float => {
                let other = self.measure();
                let first = measure.times(other).map_or(base.bare(), |product| Type::Measured(base, product));
                let (left, right) =
                    (self.expression(&first, left), self.expression(&Type::Measured(base, other), right));
                Expr::apply(ty, "quotient", vec![left, right])
            }
            10 if base == Base::Int => {
                let other = self.measure();
                let first = measure.over(other).map_or(base.bare(), |rest| Type::Measured(base, rest));
                let (left, right) =
                    (self.expression(&first, left), self.expression(&Type::Measured(base, other), right));
                Expr::apply(ty, "product", vec![left, right])
            }
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

    /// A call of a function that is generic in the unit of a `float`.
    fn of_any_unit(&mut self, measure: Measure, size: usize) -> Expr {
        let ty = Type::Measured(Base::Float, measure);
        let [left, right] = self.split(size);
        match self.random.below(4) {
            0 => {
                let factor = self.expression(&Type::Float, right);
                Expr::apply(ty.clone(), "scaled", vec![self.expression(&ty, left), factor])
            }
            1 => {
                let both = [left, right].map(|size| self.expression(&ty, size));
                Expr::apply(ty, "furthest", both.into())
            }
            2 if measure.metres % 2 == 0 && measure.seconds % 2 == 0 => {
                let root = Measure { metres: measure.metres / 2, seconds: measure.seconds / 2 };
                let inner = self.expression(&Type::Measured(Base::Float, root), size);
                Expr::apply(ty, "squared", vec![inner])
            }
            _ => {
                let values = self.expression(&Type::Library(Library::List, vec![ty.clone()]), size);
                Expr::apply(ty, "average", vec![values])
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
