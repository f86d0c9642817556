//! Loops of 10 to 5,000 iterations, whose state takes memory and shares with that of the previous iteration.
//!
//! What could grow with each iteration restarts every few ones, so that everything stays small, ends and can be
//! printed.

use super::{
    Generator, Purpose,
    effect::binary,
    scope::{Nature, Variable},
    sequence,
    state::{Statement, constant, unit_parameter},
};
use crate::{
    tree::{Arm, Binding, Expr, Function, Kind, Parameter, Pattern, Step},
    types::{Case, Declaration, Field, Library, Shape, Type, Width, function, is_data, is_recursive},
};

/// The step limit of an iteration.
const ITERATION_STEPS: u32 = 60;

/// The relevant numbers of iterations: from one page of memory to many evacuations.
const ITERATIONS: [usize; 5] = [10, 60, 200, 1000, 5000];

/// The iterations of each loop when peaks of memory are compared, to be multiplied by the scale.
const PEAK_ITERATIONS: usize = 400;

/// A number of iterations as written: `scale` is 1, or 10 when peaks of memory are compared.
pub(super) fn scaled(iterations: usize) -> String {
    format!("{iterations} * scale")
}

pub(super) fn scaled_constant(iterations: usize) -> Expr {
    Expr::constant(int(), format!("({})", scaled(iterations)))
}

/// A variable of type `int`.
pub(super) fn number(name: &str) -> Expr {
    Expr::name(Type::Integer(Width::Int), name)
}

pub(super) fn int() -> Type {
    Type::Integer(Width::Int)
}

/// `name parameters = body`, with all types written.
pub(super) fn defined(name: &str, parameters: &[(&str, Type)], body: Expr) -> Function {
    let one = |(name, ty): &(&str, Type)| Parameter {
        pattern: Pattern::Name((*name).to_owned()),
        ty: ty.clone(),
        annotated: true,
    };
    let parameters = parameters.iter().map(one).collect();
    Function { name: name.to_owned(), recursive: true, modifier: "", annotated: true, parameters, body }
}

/// A call of a function with all its arguments.
pub(super) fn called(name: &str, arguments: Vec<Expr>, result: &Type) -> Expr {
    let types: Vec<Type> = arguments.iter().map(|argument| argument.ty.clone()).collect();
    let function = Expr::name(function(&types, result.clone()), name);
    Expr::new(result.clone(), Kind::Apply(Box::new(function), arguments))
}

pub(super) fn condition(left: Expr, operator: &'static str, right: Expr) -> Expr {
    binary(&Type::Bool, operator, left, right)
}

fn choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::new(then.ty.clone(), Kind::If(Box::new(condition), Box::new(then), Box::new(otherwise)))
}

fn one_less(name: &str) -> Expr {
    binary(&int(), "-", number(name), constant(1))
}

/// `match value with | Case name -> body | …`
fn matched(value: Expr, arms: Vec<(&str, Option<&str>, Expr)>) -> Expr {
    let ty = arms[0].2.ty.clone();
    let arm = |(case, name, body): (&str, Option<&str>, Expr)| {
        let fields = name.map(|name| Pattern::Name(name.to_owned())).into_iter().collect();
        Arm { pattern: Pattern::Case(case.to_owned(), fields), guard: None, body }
    };
    Expr::new(ty, Kind::Match(Box::new(value), arms.into_iter().map(arm).collect()))
}

pub(super) fn bound(name: &str, value: Expr, body: Expr) -> Expr {
    let binding = Binding::Value(Pattern::Name(name.to_owned()), value);
    Expr::new(body.ty.clone(), Kind::Let(Box::new(binding), Box::new(body)))
}

impl Generator {
    /// The number of iterations of a loop. When peaks are compared, all have enough of them to reach their peak.
    pub(super) fn iterations(&mut self) -> usize {
        let chosen = ITERATIONS[self.random.weighted(&[4, 4, 3, 3, 1])];
        match self.setting.purpose {
            Purpose::Compare => chosen,
            Purpose::Peaks => PEAK_ITERATIONS,
        }
    }

    /// The body of an iteration, whose cost is independent of their number.
    pub(super) fn iteration<T>(&mut self, make: impl FnOnce(&mut Generator) -> T) -> T {
        let calls = std::mem::take(&mut self.recursive_calls);
        let (made, _) = self.within(ITERATION_STEPS, |generator| generator.scoped(make));
        self.recursive_calls = calls;
        made
    }

    /// Makes something with only the library's names in scope.
    fn alone<T>(&mut self, make: impl FnOnce(&mut Generator) -> T) -> T {
        let library = self.scope.iter().filter(|variable| variable.is_of_library()).cloned().collect();
        let around = std::mem::replace(&mut self.scope, library);
        let barrier = std::mem::take(&mut self.barrier);
        let made = make(self);
        self.barrier = barrier;
        self.scope = around;
        made
    }

    /// An expression for a state, no larger than the previous state.
    pub(super) fn next_state(&mut self, ty: &Type, size: usize) -> Expr {
        let value = self.expression(ty, size);
        match ty {
            Type::Library(Library::List, _) => Expr::apply(ty.clone(), "few", vec![value]),
            _ => value,
        }
    }

    /// Whether values of a type could grow with each iteration.
    fn may_grow(&self, ty: &Type) -> bool {
        !is_data(ty, &self.declarations) || is_recursive(ty, &self.declarations)
    }

    /// A loop whose states are mutable variables, of the module or of a function.
    pub(super) fn state_loop(&mut self, local: bool, size: usize) -> Vec<Statement> {
        let nature = if local { Nature::Slot } else { Nature::ModuleSlot };
        let mut statements = Vec::new();
        let mut slots = Vec::new();
        for _ in 0..self.random.between(1, 3) {
            let ty = if self.random.chance(1, 3) { self.storage_type() } else { self.state_type() };
            let value = self.made(&ty, 3);
            let name = self.fresh(if local { "m" } else { "g" });
            slots.push((name.clone(), ty.clone()));
            statements.push(Statement::Bind(Binding::Slot(name.clone(), value)));
            self.scope.push(Variable::value(&name, ty, nature));
        }
        // Functions that change the state, and are called in each iteration.
        if !local && self.random.chance(1, 2) {
            let name = self.fresh("f");
            let body = self.iteration(|generator| generator.changes(&slots, None, size));
            let mut own = defined(&name, &[], body);
            (own.recursive, own.parameters) = (false, vec![unit_parameter()]);
            let mut variable = Variable::value(&name, Type::Unit, Nature::Value);
            (variable.parameters, variable.only_called) = (vec![Type::Unit], vec![false]);
            variable.cost = 30;
            self.scope.push(variable);
            statements.push(Statement::Bind(Binding::Functions(vec![own])));
        }
        let iterations = self.iterations();
        let kind = self.random.below(4);
        let counter = self.fresh(if kind == 0 { "w" } else { "i" });
        let body = self.iteration(|generator| {
            let nature = if kind == 0 { Nature::OnlyCalled } else { Nature::Value };
            generator.scope.push(Variable::value(&counter, int(), nature));
            generator.changes(&slots, Some((&counter, iterations)), size)
        });
        let body = Box::new(body);
        let kind = match kind {
            0 => {
                let condition = Box::new(Expr::constant(Type::Bool, "true"));
                Kind::While { counter, bound: format!("({})", scaled(iterations)), condition, body }
            }
            1 => Kind::For { variable: counter, range: format!(" = 1 to {}", scaled(iterations)), body },
            2 => Kind::For { variable: counter, range: format!(" in {} .. -1 .. 1", scaled(iterations)), body },
            _ => {
                let family = *self.random.pick(&[Library::List, Library::Array]);
                let same = Parameter { pattern: Pattern::Name("p0".to_owned()), ty: int(), annotated: true };
                let same = Kind::Lambda(vec![same], Box::new(number("p0")));
                let same = Expr::new(function(&[int()], int()), same);
                let name = if family == Library::List { "List.init" } else { "Array.init" };
                let ty = Type::Library(family, vec![int()]);
                let source = Expr::apply(ty, name, vec![constant(iterations), same]);
                Kind::ForIn(Pattern::Name(counter), Box::new(source), body)
            }
        };
        statements.push(Statement::Do(Expr::new(Type::Unit, kind)));
        for (name, ty) in slots {
            statements.push(Statement::Do(self.shown(Expr::name(ty, name), 3)));
        }
        statements
    }

    /// Updates of some mutable variables and occasionally of their content; the counter is that of the enclosing loop.
    fn changes(&mut self, slots: &[(String, Type)], counter: Option<(&str, usize)>, size: usize) -> Expr {
        let mut effects = Vec::new();
        if let Some((counter, _)) = counter {
            for (name, ty) in slots {
                if self.may_grow(ty) {
                    let start = self.alone(|generator| generator.made(ty, 2));
                    let often = binary(&int(), "&&&", number(counter), constant(3));
                    let reset = Expr::new(Type::Unit, Kind::Assign(name.clone(), Box::new(start)));
                    let again = condition(often, "=", constant(0));
                    effects.push(Expr::new(Type::Unit, Kind::When(Box::new(again), Box::new(reset))));
                }
            }
        }
        // The current values of variables, which closures can capture.
        let mut snapshots = Vec::new();
        for (name, ty) in slots {
            if self.random.chance(1, 2) {
                let copy = self.fresh("v");
                snapshots.push(Binding::Value(Pattern::Name(copy.clone()), Expr::name(ty.clone(), name)));
                self.scope.push(Variable::value(&copy, ty.clone(), Nature::Value));
            }
        }
        let mut inner = Vec::new();
        for _ in 0..self.random.between(1, 3) {
            if self.random.chance(1, 4) {
                inner.push(self.change(size));
                continue;
            }
            let (name, ty) = self.random.pick(slots).clone();
            let value = self.next_state(&ty, size);
            inner.push(Expr::new(Type::Unit, Kind::Assign(name, Box::new(value))));
        }
        if let Some((counter, iterations)) = counter
            && self.random.chance(1, 2)
        {
            let (name, ty) = self.random.pick(slots).clone();
            let rest = binary(&int(), "%", number(counter), constant(iterations / 4 + 1));
            let shown = Box::new(self.shown(Expr::name(ty, name), 2));
            let now = Box::new(condition(rest, "=", constant(1)));
            inner.push(Expr::new(Type::Unit, Kind::When(now, shown)));
        }
        let inner = snapshots
            .into_iter()
            .rev()
            .fold(sequence(inner), |body, binding| Expr::new(Type::Unit, Kind::Let(Box::new(binding), Box::new(body))));
        effects.push(inner);
        sequence(effects)
    }

    fn declare(&mut self, shape: Shape) -> usize {
        let name = self.fresh("T");
        self.declarations.push(Declaration { name, parameters: 0, shape, with_previous: false });
        self.declarations.len() - 1
    }

    /// Declares a union of cases with at most one field; returns its type and the cases' names.
    fn declare_union(&mut self, fields: impl FnOnce(Type) -> Vec<Option<Type>>) -> (Type, Vec<String>) {
        let own = Type::Declared(self.declarations.len(), Vec::new());
        let cases: Vec<Case> = fields(own.clone())
            .into_iter()
            .map(|field| Case { name: self.fresh("C"), fields: field.into_iter().collect(), named: false })
            .collect();
        let names = cases.iter().map(|case| case.name.clone()).collect();
        self.declare(Shape::Union(cases));
        (own, names)
    }

    /// A list of numbers, short or of a page and more.
    fn ballast(&mut self) -> Expr {
        let ty = Type::Library(Library::List, vec![int()]);
        let variable = self.fresh("i");
        let count = *self.random.pick(&[1, 20, 200, 400]);
        let item = Step::Yield(number(&variable));
        Expr::new(ty, Kind::Generate(vec![Step::Range(variable, format!(" in 1 .. {count}"), vec![item])]))
    }

    /// Closures that receive themselves, own something mutable, and pass it to functions that write it.
    pub(super) fn self_application(&mut self, size: usize) -> Vec<Statement> {
        let result = self.data_type(1);
        let cell = self.storage_type();
        let extra = Type::Library(Library::List, vec![int()]);
        let (knot, cases) = self.declare_union(|own| vec![Some(function(&[own, int()], result.clone()))]);
        let names = ["f", "f", "p", "p", "p", "count", "f"].map(|prefix| self.fresh(prefix));
        let [step, enter, own, owned, more, count, next] = &names;
        let arrow = function(&[knot.clone(), int()], result.clone());
        let again = |this: Expr, count: Expr| {
            let call = Kind::Apply(Box::new(Expr::name(arrow.clone(), next)), vec![this.clone(), count]);
            matched(this, vec![(&cases[0], Some(next), Expr::new(result.clone(), call))])
        };
        let body = self.iteration(|generator| {
            // An array has at least one item.
            let held = Variable::value(owned, cell.clone(), Nature::Value);
            generator.scope.push(Variable { items: Some(1), ..held });
            generator.scope.push(Variable::value(more, extra.clone(), Nature::Value));
            generator.scope.push(Variable::value(count, int(), Nature::Value));
            let last = generator.expression(&result, size);
            let writes = (0..generator.random.between(1, 2)).map(|_| {
                let place = generator.place_of(owned);
                match place {
                    Some(place) => {
                        let value = generator.next_state(&place.ty, size / 2);
                        generator.write(&place, value)
                    }
                    None => generator.change(size / 2),
                }
            });
            let mut rest: Vec<Expr> = writes.collect();
            rest.push(again(Expr::name(knot.clone(), own), one_less(count)));
            let every = constant(*generator.random.pick(&[3, 7, 100]));
            let restarts = condition(binary(&int(), "%", number(count), every), "=", constant(2));
            let restarted = called(enter, vec![one_less(count)], &result);
            choice(condition(number(count), "<=", constant(0)), last, choice(restarts, restarted, sequence(rest)))
        });
        let parameters = [
            (own.as_str(), knot.clone()),
            (owned.as_str(), cell.clone()),
            (more.as_str(), extra),
            (count.as_str(), int()),
        ];
        let stepping = defined(step, &parameters, body);
        let body = self.iteration(|generator| {
            generator.scope.push(Variable::value(count, int(), Nature::Value));
            let mut side = || {
                let (mine, this, left) = (generator.fresh("v"), generator.fresh("p"), generator.fresh("count"));
                let (new, _) = generator.storage(&cell, size / 2);
                let extra = generator.ballast();
                let arguments =
                    vec![Expr::name(knot.clone(), &this), Expr::name(cell.clone(), &mine), extra, number(&left)];
                let parameters = [(this, knot.clone()), (left, int())].map(|(name, ty)| Parameter {
                    pattern: Pattern::Name(name),
                    ty,
                    annotated: true,
                });
                let call = called(step, arguments, &result);
                let lambda = Expr::new(arrow.clone(), Kind::Lambda(parameters.into(), Box::new(call)));
                bound(&mine, new, Expr::apply(knot.clone(), &cases[0], vec![lambda]))
            };
            let (one, other) = (side(), side());
            let even = condition(binary(&int(), "&&&", number(count), constant(1)), "=", constant(0));
            let made = choice(even, one, other);
            let name = generator.fresh("v");
            let run = again(Expr::name(knot.clone(), &name), number(count));
            bound(&name, made, run)
        });
        let entering = defined(enter, &[(count.as_str(), int())], body);
        let iterations = self.iterations().min(1000);
        let call = called(enter, vec![scaled_constant(iterations)], &result);
        vec![Statement::Bind(Binding::Functions(vec![stepping, entering])), Statement::Do(self.shown(call, 0))]
    }

    /// Steps that are returned to a loop, which runs them in sequence.
    pub(super) fn trampoline(&mut self, size: usize) -> Vec<Statement> {
        let state = self.state_type();
        let (step, cases) = self.declare_union(|own| vec![Some(state.clone()), Some(function(&[Type::Unit], own))]);
        let names = ["f", "f", "count", "p", "x", "x"].map(|prefix| self.fresh(prefix));
        let [work, drive, count, held, done, more] = &names;
        let grows = self.may_grow(&state);
        let body = self.iteration(|generator| {
            generator.scope.push(Variable::value(count, int(), Nature::Value));
            let start = generator.made(&state, 2);
            generator.scope.push(Variable::value(held, state.clone(), Nature::Value));
            let mut next = generator.next_state(&state, size);
            if grows {
                let often = binary(&int(), "&&&", number(count), constant(3));
                next = choice(condition(often, "=", constant(0)), start, next);
            }
            let call = called(work, vec![one_less(count), next], &step);
            let thunk = function(&[Type::Unit], step.clone());
            let thunk = Expr::new(thunk, Kind::Lambda(vec![unit_parameter()], Box::new(call)));
            let last = Expr::apply(step.clone(), &cases[0], vec![Expr::name(state.clone(), held)]);
            let again = Expr::apply(step.clone(), &cases[1], vec![thunk]);
            choice(condition(number(count), "<=", constant(0)), last, again)
        });
        let working = defined(work, &[(count.as_str(), int()), (held.as_str(), state.clone())], body);
        let thunk = Expr::name(function(&[Type::Unit], step.clone()), more);
        let next = Expr::new(step.clone(), Kind::Apply(Box::new(thunk), vec![Expr::unit()]));
        let again = called(drive, vec![next], &state);
        let last = Expr::name(state.clone(), done);
        let body = matched(
            Expr::name(step.clone(), held),
            vec![(&cases[0], Some(done), last), (&cases[1], Some(more), again)],
        );
        let driving = defined(drive, &[(held.as_str(), step.clone())], body);
        let start = self.made(&state, 2);
        let start = called(work, vec![scaled_constant(self.iterations()), start], &step);
        let call = called(drive, vec![start], &state);
        vec![
            Statement::Bind(Binding::Functions(vec![working])),
            Statement::Bind(Binding::Functions(vec![driving])),
            Statement::Do(self.shown(call, 0)),
        ]
    }

    /// Tasks that carry something mutable, run alternately from an array.
    pub(super) fn scheduler(&mut self, size: usize) -> Vec<Statement> {
        let cell = self.storage_type();
        let (task, cases) = self.declare_union(|own| vec![None, Some(function(&[int()], own))]);
        let names = ["f", "p", "count", "p", "v", "i", "x"].map(|prefix| self.fresh(prefix));
        let [spin, owned, count, time, tasks, iteration, run] = &names;
        let arrow = function(&[int()], task.clone());
        let body = self.iteration(|generator| {
            // An array has at least one item.
            let held = Variable::value(owned, cell.clone(), Nature::Value);
            generator.scope.push(Variable { items: Some(1), ..held });
            for name in [count, time] {
                generator.scope.push(Variable::value(name, int(), Nature::Value));
            }
            let mut effects = Vec::new();
            if let Some(place) = generator.place_of(owned) {
                let value = generator.next_state(&place.ty, size);
                effects.push(generator.write(&place, value));
                if generator.random.chance(1, 2) {
                    let now = condition(binary(&int(), "%", number(time), constant(97)), "=", constant(0));
                    let value = generator.read(&place);
                    let shown = Box::new(generator.shown(value, 1));
                    effects.push(Expr::new(Type::Unit, Kind::When(Box::new(now), shown)));
                }
            }
            effects.push(called(spin, vec![Expr::name(cell.clone(), owned), one_less(count)], &task));
            let parameter = Parameter { pattern: Pattern::Name(time.clone()), ty: int(), annotated: true };
            let lambda = Expr::new(arrow.clone(), Kind::Lambda(vec![parameter], Box::new(sequence(effects))));
            let more = Expr::apply(task.clone(), &cases[1], vec![lambda]);
            choice(condition(number(count), "<=", constant(0)), Expr::name(task.clone(), &cases[0]), more)
        });
        let spinning = defined(spin, &[(owned.as_str(), cell.clone()), (count.as_str(), int())], body);
        let lives = self.random.between(1, 20);
        let all = Type::Library(Library::Array, vec![task.clone()]);
        let mut fresh = || {
            let (value, _) = self.storage(&cell, 3);
            called(spin, vec![value, constant(lives)], &task)
        };
        let items = Kind::Items((0..4).map(|_| fresh()).collect());
        let new = fresh();
        let place = || binary(&int(), "&&&", number(iteration), constant(3));
        let array = || Box::new(Expr::name(all.clone(), tasks));
        let put = |value| Expr::new(Type::Unit, Kind::SetIndex(array(), Box::new(place()), Box::new(value)));
        let next =
            Expr::new(task.clone(), Kind::Apply(Box::new(Expr::name(arrow.clone(), run)), vec![number(iteration)]));
        let taken = Expr::new(task.clone(), Kind::Index(array(), Box::new(place())));
        let body = matched(taken, vec![(&cases[0], None, put(new)), (&cases[1], Some(run), put(next))]);
        let range = format!(" = 1 to {}", scaled(self.iterations()));
        let all = Binding::Value(Pattern::Name(tasks.clone()), Expr::new(all.clone(), items));
        let looped = Expr::new(Type::Unit, Kind::For { variable: iteration.clone(), range, body: Box::new(body) });
        vec![Statement::Bind(Binding::Functions(vec![spinning])), Statement::Bind(all), Statement::Do(looped)]
    }

    /// Continuations of similar signatures: the same numbers, grouped in two ways into records, pairs and parameters.
    pub(super) fn like_signatures(&mut self) -> Vec<Statement> {
        let count = self.random.between(2, 6);
        let widths: Vec<Width> = (0..count)
            .map(|_| *self.random.pick(&[Width::Int, Width::Int, Width::Int64, Width::Int32, Width::Uint8]))
            .collect();
        (0..2).flat_map(|_| self.continuations(&widths)).collect()
    }

    /// Partitions of a sequence of numbers; each part is a parameter: one number, a pair or a record.
    fn continuations(&mut self, widths: &[Width]) -> Vec<Statement> {
        let mut parameters: Vec<(Type, Vec<String>)> = Vec::new();
        let mut rest = widths;
        while !rest.is_empty() {
            let taken = self.random.between(1, rest.len().min(4));
            let (group, after) = rest.split_at(taken);
            rest = after;
            let types: Vec<Type> = group.iter().map(|&width| Type::Integer(width)).collect();
            if taken == 1 {
                parameters.push((types[0].clone(), Vec::new()));
            } else if self.random.chance(1, 4) {
                parameters.push((Type::Tuple(types), Vec::new()));
            } else {
                let fields: Vec<Field> =
                    types.into_iter().map(|ty| Field { name: self.fresh("F"), ty, mutable: false }).collect();
                let names = fields.iter().map(|field| field.name.clone()).collect();
                parameters.push((Type::Declared(self.declare(Shape::Record(fields)), Vec::new()), names));
            }
        }
        let types: Vec<Type> = parameters.iter().map(|(ty, _)| ty.clone()).collect();
        let result = if self.random.chance(1, 2) { int() } else { self.simple_type() };
        let then = function(&types, result.clone());
        let names = ["f", "count", "p"].map(|prefix| self.fresh(prefix));
        let [down, count, after] = &names;
        let (body, _) = self.alone(|generator| {
            generator.within(400, |generator| {
                let apply = |arguments| {
                    Expr::new(result.clone(), Kind::Apply(Box::new(Expr::name(then.clone(), after)), arguments))
                };
                let values = types.iter().map(|ty| generator.made(ty, 3)).collect();
                let last = apply(values);
                let own: Vec<String> = types.iter().map(|_| generator.fresh("p")).collect();
                let height = generator.scope.len();
                for (name, ty) in own.iter().zip(&types) {
                    generator.scope.push(Variable::value(name, ty.clone(), Nature::Value));
                }
                generator.scope.push(Variable::value(count, int(), Nature::Value));
                let values = own.iter().zip(&types).map(|(name, ty)| match generator.random.chance(1, 2) {
                    true => Expr::name(ty.clone(), name),
                    false => generator.expression(ty, 3),
                });
                let next = apply(values.collect());
                generator.scope.truncate(height);
                let one = |(name, ty): (&String, &Type)| Parameter {
                    pattern: Pattern::Name(name.clone()),
                    ty: ty.clone(),
                    annotated: true,
                };
                let lambda = Kind::Lambda(own.iter().zip(&types).map(one).collect(), Box::new(next));
                let lambda = Expr::new(then.clone(), lambda);
                let again = called(down, vec![one_less(count), lambda], &result);
                choice(condition(number(count), "<=", constant(0)), last, again)
            })
        });
        let declared = defined(down, &[(count.as_str(), int()), (after.as_str(), then.clone())], body);
        let depth = *self.random.pick(&[1, 3, 40]);
        let own: Vec<String> = types.iter().map(|_| self.fresh("p")).collect();
        let seen = own.iter().zip(&types).map(|(name, ty)| {
            let value = Expr::name(ty.clone(), name);
            Expr::new(Type::Unit, Kind::Show(Box::new(value)))
        });
        let mut seen: Vec<Expr> = seen.collect();
        seen.push(self.constant(&result));
        let one = |(name, ty): (&String, &Type)| Parameter {
            pattern: Pattern::Name(name.clone()),
            ty: ty.clone(),
            annotated: true,
        };
        let lambda = Kind::Lambda(own.iter().zip(&types).map(one).collect(), Box::new(sequence(seen)));
        let call = called(down, vec![constant(depth), Expr::new(then, lambda)], &result);
        vec![
            Statement::Bind(Binding::Functions(vec![declared])),
            Statement::Do(Expr::new(Type::Unit, Kind::Show(Box::new(call)))),
        ]
    }

    /// A loop over arrays by an index of 32 bits that wraps by a mask.
    pub(super) fn masked_index(&mut self) -> Vec<Statement> {
        let narrow = Type::Integer(Width::Int32);
        let item = *self.random.pick(&[Width::Uint8, Width::Int32, Width::Int, Width::Int16]);
        let bits = self.random.between(3, 5);
        let size = 1usize << bits;
        let halves = *self.random.pick(&[1, 2]);
        let ty = Type::Library(Library::Array, vec![Type::Integer(item)]);
        let names = ["v", "v", "f", "p", "i", "i", "p"].map(|prefix| self.fresh(prefix));
        let [source, target, step, shift, variable, round, index] = &names;
        let literal = |value: usize| Expr::constant(narrow.clone(), format!("{value}l"));
        let narrow_name = |name: &String| Expr::name(narrow.clone(), name);
        let operator = self.random.word(&["+", "-"]);
        let offset = self.random.between(0, 2 * size);
        let moved = binary(&narrow, operator, narrow_name(variable), literal(offset));
        let moved = if self.random.chance(1, 3) { binary(&narrow, "+", moved, narrow_name(shift)) } else { moved };
        let wrapped = binary(&narrow, "&&&", moved, literal(size - 1));
        let half = binary(&narrow, "&&&", narrow_name(shift), literal(halves - 1));
        let base = binary(&narrow, "<<<", half, constant(bits));
        let whole = if halves == 1 { wrapped } else { binary(&narrow, "+", base, wrapped) };
        let at = |index| Expr::apply(int(), "int", vec![index]);
        let taken = Kind::Index(Box::new(Expr::name(ty.clone(), source)), Box::new(at(whole)));
        let taken = Expr::new(Type::Integer(item), taken);
        let place = at(narrow_name(variable));
        let put = Kind::SetIndex(Box::new(Expr::name(ty.clone(), target)), Box::new(place), Box::new(taken));
        let range = format!(" in 0l .. {}l", size - 1);
        let body = Box::new(Expr::new(Type::Unit, put));
        let looped = Expr::new(Type::Unit, Kind::For { variable: variable.clone(), range, body });
        let mut stepping = defined(step, &[(shift.as_str(), narrow.clone())], looped);
        stepping.recursive = false;
        let made = Parameter { pattern: Pattern::Name(index.clone()), ty: int(), annotated: true };
        let made =
            Kind::Lambda(vec![made], Box::new(Expr::apply(Type::Integer(item), item.name(), vec![number(index)])));
        let made = Expr::new(function(&[int()], Type::Integer(item)), made);
        let filled = Expr::apply(ty.clone(), "Array.init", vec![constant(size * halves), made]);
        let zero = Expr::constant(Type::Integer(item), item.literal(0));
        let empty = Expr::apply(ty.clone(), "Array.create", vec![constant(size), zero]);
        let value = |name: &String, value| Statement::Bind(Binding::Value(Pattern::Name(name.clone()), value));
        let call = called(step, vec![narrow_name(round)], &Type::Unit);
        let shown = Expr::new(Type::Unit, Kind::Show(Box::new(Expr::name(ty.clone(), target))));
        let rounds = " in 0l .. 2l".to_owned();
        let rounds = Kind::For { variable: round.clone(), range: rounds, body: Box::new(sequence(vec![call, shown])) };
        vec![
            value(source, filled),
            value(target, empty),
            Statement::Bind(Binding::Functions(vec![stepping])),
            Statement::Do(Expr::new(Type::Unit, rounds)),
        ]
    }

    /// Closures with mutable state of their own, in an array, called and replaced in a loop.
    pub(super) fn private_state(&mut self, size: usize) -> Option<Vec<Statement>> {
        let binding = self.maker(false, size);
        let make = self.scope.last()?.clone();
        let made = |generator: &mut Generator| {
            let argument = generator.leaf(&make.parameters[0]);
            Expr::new(make.result.clone(), Kind::Apply(Box::new(Expr::name(make.ty(), &make.name)), vec![argument]))
        };
        let ty = Type::Library(Library::Array, vec![make.result.clone()]);
        let items = Kind::Items(vec![made(self), made(self)]);
        let names = ["v", "i", "v"].map(|prefix| self.fresh(prefix));
        let [array, iteration, taken] = &names;
        let name = || Box::new(Expr::name(ty.clone(), array));
        let place = || Box::new(binary(&int(), "&&&", number(iteration), constant(1)));
        let replaced = Expr::new(Type::Unit, Kind::SetIndex(name(), place(), Box::new(made(self))));
        let every = binary(&int(), "%", number(iteration), constant(*self.random.pick(&[5, 101])));
        let replaced = Kind::When(Box::new(condition(every, "=", constant(0))), Box::new(replaced));
        let used = Expr::new(make.result.clone(), Kind::Index(name(), place()));
        let iterations = self.iterations().min(1000);
        let rare = binary(&int(), "%", number(iteration), constant(iterations / 8 + 1));
        let (used, _) = self.within(200, |generator| {
            let shown = generator.shown(Expr::name(make.result.clone(), taken), 3);
            bound(taken, used, shown)
        });
        let used = Kind::When(Box::new(condition(rare, "=", constant(0))), Box::new(used));
        let body = sequence(vec![Expr::new(Type::Unit, replaced), Expr::new(Type::Unit, used)]);
        let range = format!(" = 1 to {}", scaled(iterations));
        let looped = Kind::For { variable: iteration.clone(), range, body: Box::new(body) };
        let array = Binding::Value(Pattern::Name(array.clone()), Expr::new(ty.clone(), items));
        Some(vec![Statement::Bind(binding), Statement::Bind(array), Statement::Do(Expr::new(Type::Unit, looped))])
    }

    /// One of the loops, as bindings and effects of a module.
    pub(super) fn loop_items(&mut self, size: usize) -> Vec<Binding> {
        let statements = match self.random.below(13) {
            0 | 1 => self.self_application(size),
            2 => self.trampoline(size),
            3 => self.scheduler(size),
            4 => self.like_signatures(),
            5 => self.masked_index(),
            6 => self.private_state(size).unwrap_or_default(),
            7 => self.held_by_the_caller(size),
            8 => self.replaced_counters(size),
            _ => self.state_loop(false, size),
        };
        let binding = |statement| match statement {
            Statement::Bind(binding) => binding,
            Statement::Do(effect) => Binding::Effect(effect),
        };
        statements.into_iter().map(binding).collect()
    }

    /// A place within the value of a name.
    fn place_of(&mut self, name: &str) -> Option<super::places::Place> {
        self.place(|place| place.is_of(name))
    }
}
