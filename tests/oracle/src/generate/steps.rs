//! Lists, arrays and sequences that are built step by step.

use super::{
    Generator,
    scope::{Nature, Variable, unknown_cost},
};
use crate::{
    tree::{Binding, Expr, Kind, Pattern, Step},
    types::{Library, Type, Width},
};

/// The maximum nesting of loops and conditions.
const DEPTH: usize = 2;

/// What is built.
struct Made<'a> {
    ty: &'a Type,
    item: &'a Type,
    /// Whether it is on separate lines, as mutable variables require.
    in_block: bool,
}

impl Generator {
    /// `[yield a; for x in b do yield x]`, or an array or a sequence.
    pub(super) fn generated(&mut self, ty: &Type, item: &Type, size: usize) -> Expr {
        let steps = self.steps(&Made { ty, item, in_block: false }, size, DEPTH);
        Expr::new(ty.clone(), Kind::Generate(steps))
    }

    /// Binds what is built step by step, with loops and mutable variables between the steps.
    pub(super) fn bind_stepwise(&mut self, size: usize) -> Binding {
        let family = *self.random.pick(&[Library::Seq, Library::Seq, Library::List, Library::Array]);
        let item = if self.random.chance(1, 5) { self.function_type(1) } else { self.data_type(1) };
        let ty = Type::Library(family, vec![item.clone()]);
        // Evaluating it may be as expensive as calling a function.
        let (steps, _) = self.inside(true, unknown_cost(&ty) - 1, |generator| {
            let first = generator.slot_step(size / 3);
            let mut steps = generator.steps(&Made { ty: &ty, item: &item, in_block: true }, size, DEPTH);
            steps.insert(0, first);
            steps
        });
        let name = self.fresh("v");
        self.scope.push(Variable::value(&name, ty.clone(), Nature::Value));
        Binding::Value(Pattern::Name(name), Expr::new(ty, Kind::Generate(steps)))
    }

    fn slot_step(&mut self, size: usize) -> Step {
        let ty = self.data_type(1);
        let value = self.expression(&ty, size);
        let name = self.fresh("m");
        self.scope.push(Variable::value(&name, ty, Nature::Slot));
        Step::Slot(name, value)
    }

    fn while_step(&mut self, made: &Made<'_>, size: usize, depth: usize) -> Step {
        let bound = self.random.between(1, 3);
        let counter = self.fresh("w");
        self.repeated(bound + 1, |generator| {
            generator.scoped(|generator| {
                generator.scope.push(Variable::value(&counter, Type::Integer(Width::Int), Nature::Slot));
                let condition = match generator.random.chance(1, 2) {
                    true => Expr::constant(Type::Bool, "true"),
                    false => generator.expression(&Type::Bool, size / 3),
                };
                let last = generator.scope.len() - 1;
                // It is read-only; otherwise the loop might be endless.
                generator.scope[last].nature = Nature::OnlyCalled;
                let steps = generator.steps(made, size, depth);
                Step::While { counter, bound, condition, steps }
            })
        })
    }

    /// A few steps, at least one of which yields.
    fn steps(&mut self, made: &Made<'_>, size: usize, depth: usize) -> Vec<Step> {
        self.scoped(|generator| {
            let count = generator.random.between(1, 3);
            let each = size / (count + 1);
            let mut steps: Vec<Step> = (0..count).map(|_| generator.step(made, each, depth)).collect();
            // A step after a binding must yield, or the result would be a list of units.
            if !steps.last().is_some_and(yields) {
                steps.push(Step::Yield(generator.expression(made.item, each)));
            }
            steps
        })
    }

    fn step(&mut self, made: &Made<'_>, size: usize, depth: usize) -> Step {
        if made.in_block && self.random.chance(1, 2) {
            return match self.random.below(7) {
                0 => self.slot_step(size),
                1 if !matches!(made.ty, Type::Library(Library::Seq, _)) => {
                    let number = self.expression(&Type::Integer(Width::Int), size / 2);
                    Step::Use(self.fresh("u"), number)
                }
                2 | 3 if depth > 0 => self.while_step(made, size, depth - 1),
                _ => Step::Do(self.written(size).unwrap_or_else(Expr::unit)),
            };
        }
        match self.random.below(9) {
            0 => Step::YieldAll(self.expression(made.ty, size)),
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
            3 | 4 if depth > 0 => self.each_step(made, size, depth - 1),
            5 if depth > 0 => self.range_step(made, size, depth - 1),
            6 if depth > 0 => {
                let condition = self.expression(&Type::Bool, size / 3);
                let then = self.steps(made, size / 3, depth - 1);
                let both = self.random.chance(1, 2);
                let otherwise = if both { self.steps(made, size / 3, depth - 1) } else { Vec::new() };
                Step::When(condition, then, otherwise)
            }
            _ => Step::Yield(self.expression(made.item, size)),
        }
    }

    fn each_step(&mut self, made: &Made<'_>, size: usize, depth: usize) -> Step {
        let family = *self.random.pick(&[Library::List, Library::Array, Library::Seq]);
        let from = self.data_type(1);
        let source = self.expression(&Type::Library(family, vec![from.clone()]), size / 2);
        self.repeated(4, |generator| {
            generator.scoped(|generator| {
                let pattern = generator.irrefutable(&from, 1);
                Step::For(pattern, source, generator.steps(made, size / 2, depth))
            })
        })
    }

    fn range_step(&mut self, made: &Made<'_>, size: usize, depth: usize) -> Step {
        let iterations = self.random.between(1, 3);
        let range = match self.random.below(3) {
            0 => format!(" in 1 .. {iterations}"),
            1 => format!(" = {iterations} downto 1"),
            _ => format!(" = 0 to {}", iterations - 1),
        };
        let variable = self.fresh("i");
        self.repeated(iterations, |generator| {
            generator.scoped(|generator| {
                generator.scope.push(Variable::value(&variable, Type::Integer(Width::Int), Nature::Value));
                Step::Range(variable, range, generator.steps(made, size, depth))
            })
        })
    }
}

/// Whether a step yields something, conditionally or not.
fn yields(step: &Step) -> bool {
    match step {
        Step::Yield(_) | Step::YieldAll(_) | Step::For(..) | Step::Range(..) | Step::When(..) => true,
        Step::While { .. } => true,
        Step::Let(..) | Step::Do(_) | Step::Slot(..) | Step::Use(..) => false,
    }
}
