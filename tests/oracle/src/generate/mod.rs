//! Makes well-typed programs, directed by types: an expression of a given type is chosen among the forms that can have
//! that type (Pałka, Claessen, Russo, Hughes, "Testing an optimising compiler by generating random lambda terms",
//! 2011).
//!
//! In: a seed and a number. Out: a [`Program`] that checks without errors, terminates, and prints what it computes.
//! Invariants and their reasons:
//!
//! - It terminates soon: generating code takes steps from a budget, those of a loop's body once per iteration. A known
//!   function costs the steps of its body; a function that is a value costs what its type allows (more for a higher
//!   order), and the body of a lambda is limited to that. A recursive function counts down.
//! - No closure outlives a mutable variable that it captures: such closures are only called, or passed to parameters
//!   that are only called.
//! - Strings stay short: they are joined by `cat`.
//! - Nothing traps, except at the very end of programs that may trap: divisors are odd, matches are exhaustive.
//! - Nothing is an error at one word size only; computed values may differ.

#![allow(clippy::wildcard_enum_match_arm, reason = "a type that has no form of its own has those of every type")]

mod counters;
mod data;
mod effect;
mod expression;
mod format;
mod functions;
mod library;
mod loops;
mod matching;
mod measure;
mod places;
mod scope;
mod signature;
mod state;
mod steps;
mod trap;
mod types;

use crate::{
    random::Random,
    tree::{Binding, Expr, Kind, Program, Surroundings},
    types::{Declaration, Type, is_data},
};
use scope::{Nature, Use, Variable};
use state::Statement;

/// The step limit of a program.
const PROGRAM_STEPS: u32 = 5000;

/// The approximate sizes of a program's bindings and effects, in nodes.
#[derive(Clone, Copy)]
struct Extent {
    items: usize,
    item: usize,
    statements: usize,
    statement: usize,
}

/// Most programs: hundreds of them fit into an image, and compile quickly.
const TINY: Extent = Extent { items: 2, item: 4, statements: 1, statement: 4 };

/// Some programs, in which more features interact.
const SMALL: Extent = Extent { items: 3, item: 7, statements: 3, statement: 7 };

/// Few programs, of some hundred lines.
const LARGE: Extent = Extent { items: 6, item: 14, statements: 7, statement: 14 };

impl Extent {
    /// A random one. A large program costs as much as twenty tiny ones and finds hardly more than one of them.
    fn any(random: &mut Random) -> Extent {
        match random.below(64) {
            0 => LARGE,
            1..=6 => SMALL,
            _ => TINY,
        }
    }
}

/// The subject of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// All of the language and of the library.
    Mixed,
    /// Writes after captures, and the order of effects: in the subset of the language and of the library that
    /// [`crate::ocaml`] translates.
    State,
}

/// The purpose of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Its output is compared.
    Compare,
    /// The memory use of its loops is compared.
    Peaks,
}

/// The parameters of a program.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its purpose.
    pub purpose: Purpose,
    /// Whether it may stop with a trap.
    pub may_trap: bool,
    /// Its surroundings.
    pub surroundings: Surroundings,
}

impl Setting {
    /// The setting of a single program that is compared.
    pub const PLAIN: Setting =
        Setting { purpose: Purpose::Compare, may_trap: false, surroundings: Surroundings::Plain };
}

/// The state of making one program.
pub(crate) struct Generator {
    random: Random,
    declarations: Vec<Declaration>,
    scope: Vec<Variable>,
    /// Slots before this index of the scope, and what captures them, are not visible.
    barrier: usize,
    cost: Cost,
    /// The number of calls of the enclosing recursive functions that may still be made.
    recursive_calls: usize,
    /// Whether bindings are local.
    local: bool,
    names: usize,
    style: Style,
    setting: Setting,
}

/// The remaining budget.
#[derive(Clone, Copy, Debug)]
struct Cost {
    steps: u32,
    /// The number of times that the current code runs.
    iterations: u32,
}

/// The program with this number in the run with this seed.
pub fn program(seed: u64, index: u64, setting: Setting) -> Program {
    let Setting { purpose, may_trap, surroundings } = setting;
    let mut random = Random::new(seed, index);
    let style = if random.chance(1, 2) || purpose == Purpose::Peaks { Style::State } else { Style::Mixed };
    let mut generator = Generator {
        random,
        declarations: Vec::new(),
        scope: library::functions(style, surroundings),
        barrier: 0,
        cost: Cost { steps: PROGRAM_STEPS, iterations: 1 },
        recursive_calls: 0,
        local: false,
        names: 0,
        style,
        setting,
    };
    let extent = Extent::any(&mut generator.random);
    generator.declare_types();
    let items = generator.items(extent);
    generator.local = true;
    // Statements of a program about state are small.
    let times = if style == Style::State { 3 } else { 1 };
    let statements = times * generator.random.between(extent.statements / 2, extent.statements);
    let body = generator.statements(statements, extent, may_trap);
    Program { index, declarations: generator.declarations, items, body, may_trap, surroundings }
}

impl Generator {
    /// A unique name.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Takes steps from the budget, if there are enough.
    fn charge(&mut self, steps: u32) -> bool {
        let all = steps.saturating_mul(self.cost.iterations);
        let affordable = all <= self.cost.steps;
        if affordable {
            self.cost.steps -= all;
        }
        affordable
    }

    /// Makes something with a separate budget; also returns the steps it took.
    fn within<T>(&mut self, steps: u32, make: impl FnOnce(&mut Generator) -> T) -> (T, u32) {
        let around = std::mem::replace(&mut self.cost, Cost { steps, iterations: 1 });
        let made = make(self);
        let took = steps - self.cost.steps;
        self.cost = around;
        (made, took)
    }

    /// Makes code that runs `iterations` times.
    fn repeated<T>(&mut self, iterations: usize, make: impl FnOnce(&mut Generator) -> T) -> T {
        let around = self.cost.iterations;
        self.cost.iterations = around.saturating_mul(iterations as u32);
        let calls = std::mem::take(&mut self.recursive_calls);
        let made = make(self);
        self.recursive_calls = calls;
        self.cost.iterations = around;
        made
    }

    /// Makes something whose names are not in scope after it.
    fn scoped<T>(&mut self, make: impl FnOnce(&mut Generator) -> T) -> T {
        let height = self.scope.len();
        let made = make(self);
        self.scope.truncate(height);
        made
    }

    /// Splits a size at random.
    fn split<const N: usize>(&mut self, size: usize) -> [usize; N] {
        let mut parts = [0; N];
        for _ in 0..size {
            parts[self.random.below(N)] += 1;
        }
        parts
    }

    /// The bindings of a module.
    fn items(&mut self, extent: Extent) -> Vec<Binding> {
        let mut items = Vec::new();
        for _ in 0..self.random.between(extent.items / 3, extent.items) {
            if self.style == Style::State
                && self.random.chance(if self.setting.purpose == Purpose::Peaks { 2 } else { 1 }, 4)
            {
                items.extend(self.loop_items(extent.item));
                continue;
            }
            items.push(match self.random.below(9) {
                8 if self.style == Style::Mixed => self.bind_stepwise(extent.item),
                7 if self.setting.surroundings == Surroundings::Native => self.exported(extent.item),
                0 => self.module_value(),
                1 => self.module_slot(),
                6 | 7 if self.style == Style::State => match self.random.below(4) {
                    0 => self.bind_storage(6),
                    1 => self.bind_stepwise(extent.item),
                    _ => self.maker(false, extent.item),
                },
                _ => self.functions(false, extent.item),
            });
        }
        items
    }

    fn module_value(&mut self) -> Binding {
        let ty = self.any_type(2);
        let value = self.expression(&ty, 6);
        self.bind_value(value)
    }

    fn module_slot(&mut self) -> Binding {
        let ty = if self.random.chance(1, 3) { self.content_type(2) } else { self.data_type(2) };
        let value = self.expression(&ty, 4);
        let name = self.fresh("g");
        self.scope.push(Variable::value(&name, ty, Nature::ModuleSlot));
        Binding::Slot(name, value)
    }

    /// The effects of a program: effects and bindings, and at the end everything is printed.
    fn statements(&mut self, count: usize, extent: Extent, may_trap: bool) -> Expr {
        if count == 0 {
            return self.ending(extent, may_trap);
        }
        if self.style == Style::State && self.random.chance(1, 12) {
            let looped = self.state_loop(true, extent.statement);
            let rest = self.statements(count - 1, extent, may_trap);
            return looped.into_iter().rev().fold(rest, |rest, statement| match statement {
                Statement::Bind(binding) => Expr::new(Type::Unit, Kind::Let(Box::new(binding), Box::new(rest))),
                Statement::Do(effect) => sequence(vec![effect, rest]),
            });
        }
        if self.style == Style::State && self.random.chance(4, 5) {
            return match self.state_statement(extent.statement) {
                Statement::Bind(binding) => {
                    let rest = self.statements(count - 1, extent, may_trap);
                    Expr::new(Type::Unit, Kind::Let(Box::new(binding), Box::new(rest)))
                }
                Statement::Do(effect) => sequence(vec![effect, self.statements(count - 1, extent, may_trap)]),
            };
        }
        if self.random.chance(1, 12) {
            let binding = self.bind_stepwise(extent.statement);
            let rest = self.statements(count - 1, extent, may_trap);
            return Expr::new(Type::Unit, Kind::Let(Box::new(binding), Box::new(rest)));
        }
        if self.random.chance(2, 5) {
            let effect = self.effect(extent.statement);
            let rest = self.statements(count - 1, extent, may_trap);
            return sequence(vec![effect, rest]);
        }
        let binding = self.local_binding(extent.statement);
        let rest = self.statements(count - 1, extent, may_trap);
        Expr::new(Type::Unit, Kind::Let(Box::new(binding), Box::new(rest)))
    }

    /// Prints the results of some functions in scope.
    fn calls(&mut self, extent: Extent) -> Vec<Expr> {
        let is_shown = |variable: &Variable| {
            let known = !variable.parameters.is_empty() && variable.generics == 0;
            known && is_data(&variable.result, &self.declarations)
        };
        let mut places: Vec<usize> = (0..self.scope.len()).filter(|&place| is_shown(&self.scope[place])).collect();
        self.random.shuffle(&mut places);
        let mut calls = Vec::new();
        for variable in places.into_iter().take(extent.statements / 2) {
            let Variable { result, parameters, .. } = self.scope[variable].clone();
            let cost = self.call_cost(&self.scope[variable], parameters.len());
            if cost > self.cost.steps {
                continue;
            }
            let chosen = Use { variable, arguments: parameters.len(), generics: Vec::new() };
            let value = self.applied(&result, chosen, 4 * parameters.len());
            calls.push(Expr::new(Type::Unit, Kind::Show(Box::new(value))));
        }
        calls
    }

    /// Prints every value in scope.
    fn ending(&mut self, extent: Extent, may_trap: bool) -> Expr {
        let shown: Vec<Expr> = self
            .scope
            .iter()
            .filter(|variable| variable.parameters.is_empty() && is_data(&variable.result, &self.declarations))
            .map(|variable| {
                let value = Expr::name(variable.result.clone(), &variable.name);
                Expr::new(Type::Unit, Kind::Show(Box::new(value)))
            })
            .collect();
        let mut effects = shown;
        if self.style == Style::State {
            effects.extend((0..3).map(|_| self.look(extent.statement)));
        }
        effects.extend(self.calls(extent));
        effects.push(self.effect(extent.statement / 2));
        if may_trap {
            effects.push(self.trap());
        }
        sequence(effects)
    }
}

/// Combines expressions into one sequence.
fn sequence(items: Vec<Expr>) -> Expr {
    let mut flat = Vec::new();
    for item in items {
        match item.kind {
            Kind::Sequence(inner) => flat.extend(inner),
            kind => flat.push(Expr { kind, ty: item.ty }),
        }
    }
    let ty = flat.last().map_or(Type::Unit, |last| last.ty.clone());
    match flat.len() {
        1 => flat.remove(0),
        _ => Expr::new(ty, Kind::Sequence(flat)),
    }
}
