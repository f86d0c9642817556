//! Lists, arrays and sequences that are made step by step.

use super::{
    Generator,
    scope::{Nature, Variable},
};
use crate::{
    tree::{Expr, Kind, Pattern, Step},
    types::{Library, Type, Width},
};

/// How deep loops and conditions nest.
const DEPTH: usize = 2;

impl Generator {
    /// `[yield a; for x in b do yield x]`, or an array or a sequence.
    pub(super) fn generated(&mut self, ty: &Type, item: &Type, size: usize) -> Expr {
        let steps = self.steps(ty, item, size, DEPTH);
        Expr::new(ty.clone(), Kind::Generate(steps))
    }

    /// A few steps, at least one of which yields.
    fn steps(&mut self, ty: &Type, item: &Type, size: usize, depth: usize) -> Vec<Step> {
        self.scoped(|generator| {
            let count = generator.random.between(1, 3);
            let each = size / (count + 1);
            let mut steps: Vec<Step> = (0..count).map(|_| generator.step(ty, item, each, depth)).collect();
            // What stands behind a binding yields something, or it would be a list of units.
            if !steps.last().is_some_and(yields) {
                steps.push(Step::Yield(generator.expression(item, each)));
            }
            steps
        })
    }

    fn step(&mut self, ty: &Type, item: &Type, size: usize, depth: usize) -> Step {
        match self.random.below(9) {
            0 => Step::YieldAll(self.expression(ty, size)),
            1 => Step::Do(self.effect(size / 2)),
            2 => {
                let bound = self.data_type(1);
                let value = self.expression(&bound, size);
                let pattern = self.irrefutable(&bound, 1);
                match pattern {
                    // A step that binds nothing is an effect.
                    Pattern::Any => Step::Do(Expr::apply(Type::Unit, "ignore", vec![value])),
                    pattern => Step::Let(pattern, value),
                }
            }
            3 | 4 if depth > 0 => self.each_step(ty, item, size, depth - 1),
            5 if depth > 0 => self.range_step(ty, item, size, depth - 1),
            6 if depth > 0 => {
                let condition = self.expression(&Type::Bool, size / 3);
                let then = self.steps(ty, item, size / 3, depth - 1);
                let both = self.random.chance(1, 2);
                let otherwise = if both { self.steps(ty, item, size / 3, depth - 1) } else { Vec::new() };
                Step::When(condition, then, otherwise)
            }
            _ => Step::Yield(self.expression(item, size)),
        }
    }

    fn each_step(&mut self, ty: &Type, item: &Type, size: usize, depth: usize) -> Step {
        let family = *self.random.pick(&[Library::List, Library::Array, Library::Seq]);
        let from = self.data_type(1);
        let source = self.expression(&Type::Library(family, vec![from.clone()]), size / 2);
        self.repeated(4, |generator| {
            generator.scoped(|generator| {
                let pattern = generator.irrefutable(&from, 1);
                Step::For(pattern, source, generator.steps(ty, item, size / 2, depth))
            })
        })
    }

    fn range_step(&mut self, ty: &Type, item: &Type, size: usize, depth: usize) -> Step {
        let turns = self.random.between(1, 3);
        let range = match self.random.below(3) {
            0 => format!(" in 1 .. {turns}"),
            1 => format!(" = {turns} downto 1"),
            _ => format!(" = 0 to {}", turns - 1),
        };
        let variable = self.fresh("i");
        self.repeated(turns, |generator| {
            generator.scoped(|generator| {
                generator.scope.push(Variable::value(&variable, Type::Integer(Width::Int), Nature::Value));
                Step::Range(variable, range, generator.steps(ty, item, size, depth))
            })
        })
    }
}

/// Whether a step yields something, on some condition or none.
fn yields(step: &Step) -> bool {
    match step {
        Step::Yield(_) | Step::YieldAll(_) | Step::For(..) | Step::Range(..) | Step::When(..) => true,
        Step::Let(..) | Step::Do(_) => false,
    }
}
