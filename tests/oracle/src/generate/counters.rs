//! Loops that call closures with private state: a cell with a list, which each call replaces.

use super::{
    Generator,
    effect::binary,
    loops::{bound, called, condition, defined, int, number, scaled, scaled_constant},
    scope::{Nature, Variable},
    sequence,
    state::{Statement, constant},
};
use crate::{
    tree::{Binding, Expr, Kind, Parameter, Pattern},
    types::{Library, Type, function, is_recursive},
};

fn parameter(name: &str, ty: &Type) -> Parameter {
    Parameter { pattern: Pattern::Name(name.to_owned()), ty: ty.clone(), annotated: true }
}

/// The type of the closures: a call takes a number and returns the new length of the list.
fn counter() -> Type {
    function(&[int()], int())
}

fn counters() -> Type {
    held_in(Library::Array)
}

/// An array or a list of them.
fn held_in(library: Library) -> Type {
    Type::Library(library, vec![counter()])
}

/// One of the two counters.
fn chosen(counters: &str, iteration: &str) -> Expr {
    let place = binary(&int(), "&&&", number(iteration), constant(1));
    element(counters, place)
}

fn element(all: &str, place: Expr) -> Expr {
    Expr::new(counter(), Kind::Index(Box::new(Expr::name(counters(), all)), Box::new(place)))
}

fn call(counter: Expr, argument: Expr) -> Expr {
    Expr::new(int(), Kind::Apply(Box::new(counter), vec![argument]))
}

fn for_loop(variable: &str, last: &str, body: Expr) -> Expr {
    let kind = Kind::For { variable: variable.to_owned(), range: format!(" = 1 to {last}"), body: Box::new(body) };
    Expr::new(Type::Unit, kind)
}

fn once(name: &str, parameters: &[(&str, Type)], body: Expr) -> Statement {
    let mut own = defined(name, parameters, body);
    own.recursive = false;
    Statement::Bind(Binding::Functions(vec![own]))
}

impl Generator {
    /// A function that makes such closures, and its name.
    fn maker_of_counters(&mut self, size: usize) -> (Statement, String) {
        let item = self.data_type(1);
        let item = if is_recursive(&item, &self.declarations) { int() } else { item };
        let content = Type::Library(Library::List, vec![item]);
        let cell = Type::Library(Library::Ref, vec![content.clone()]);
        let names = ["f", "p", "p", "v"].map(|prefix| self.fresh(prefix));
        let [make, seed, time, own] = &names;
        let made = self.iteration(|generator| {
            generator.scope.push(Variable::value(seed, int(), Nature::Value));
            let start = generator.made(&content, 2);
            generator.scope.push(Variable::value(own, cell.clone(), Nature::Value));
            generator.scope.push(Variable::value(time, int(), Nature::Value));
            let next = generator.next_state(&content, size);
            let write =
                Expr::new(Type::Unit, Kind::Binary(":=", Box::new(Expr::name(cell.clone(), own)), Box::new(next)));
            let read = Expr::new(content.clone(), Kind::Prefix("!", Box::new(Expr::name(cell.clone(), own))));
            let count = Expr::apply(int(), "List.length", vec![read]);
            let body = Box::new(sequence(vec![write, count]));
            let lambda = Expr::new(counter(), Kind::Lambda(vec![parameter(time, &int())], body));
            bound(own, Expr::apply(cell.clone(), "ref", vec![start]), lambda)
        });
        (once(make, &[(seed.as_str(), int())], made), make.clone())
    }

    fn two_counters(make: &str, library: Library) -> Expr {
        let items = (1..=2).map(|item| called(make, vec![constant(item)], &counter())).collect();
        Expr::new(held_in(library), Kind::Items(items))
    }

    /// They are called in the loop of a function whose caller, the module or a function, holds them before and after:
    /// one from an array, or all of a list.
    pub(super) fn held_by_the_caller(&mut self, size: usize) -> Vec<Statement> {
        let (making, make) = self.maker_of_counters(size);
        let names = ["f", "p", "p", "i", "v", "x"].map(|prefix| self.fresh(prefix));
        let [fill, held, times, iteration, all, one] = &names;
        let library = if self.random.chance(1, 2) { Library::List } else { Library::Array };
        let ignored = |counter| Expr::apply(Type::Unit, "ignore", vec![call(counter, number(iteration))]);
        let (body, first) = if library == Library::List {
            let source = Box::new(Expr::name(held_in(library), held));
            let body = Box::new(ignored(Expr::name(counter(), one)));
            let each = Kind::ForIn(Pattern::Name(one.clone()), source, body);
            let first = Expr::apply(counter(), "List.head", vec![Expr::name(held_in(library), all)]);
            (Expr::new(Type::Unit, each), first)
        } else {
            (ignored(chosen(held, iteration)), element(all, constant(0)))
        };
        let parameters = [(held.as_str(), held_in(library)), (times.as_str(), int())];
        let filling = once(fill, &parameters, for_loop(iteration, times, body));
        let filled = |times: Expr| called(fill, vec![Expr::name(held_in(library), all), times], &Type::Unit);
        let shown = || Expr::new(Type::Unit, Kind::Show(Box::new(call(first.clone(), constant(3)))));
        let iterations = scaled_constant(self.iterations());
        let counters = Generator::two_counters(&make, library);
        if self.random.chance(1, 2) {
            let (run, times) = (self.fresh("f"), self.fresh("p"));
            let steps = vec![filled(number(&times)), shown(), filled(number(&times)), shown()];
            let running = once(&run, &[(times.as_str(), int())], bound(all, counters, sequence(steps)));
            return vec![making, filling, running, Statement::Do(called(&run, vec![iterations], &Type::Unit))];
        }
        let steps = [filled(iterations.clone()), shown(), filled(iterations), shown()];
        let all = Statement::Bind(Binding::Value(Pattern::Name(all.clone()), counters));
        [making, filling, all].into_iter().chain(steps.map(Statement::Do)).collect()
    }

    /// They are in an array, of the module or of a function, and occasionally a new one replaces one of them.
    pub(super) fn replaced_counters(&mut self, size: usize) -> Vec<Statement> {
        let (making, make) = self.maker_of_counters(size);
        let is_local = self.random.chance(1, 2);
        let names = ["f", "v", "i", if is_local { "m" } else { "g" }, "p"].map(|prefix| self.fresh(prefix));
        let [run, all, iteration, sum, times] = &names;
        let iterations = self.iterations();
        let every = binary(&int(), "%", number(iteration), constant(*self.random.pick(&[5, 101])));
        let place = binary(&int(), "&&&", number(iteration), constant(1));
        let new = called(&make, vec![number(iteration)], &counter());
        let put = Kind::SetIndex(Box::new(Expr::name(counters(), all)), Box::new(place), Box::new(new));
        let put = Box::new(Expr::new(Type::Unit, put));
        let replaced = Kind::When(Box::new(condition(every, "=", constant(0))), put);
        let added = binary(&int(), "+", number(sum), call(chosen(all, iteration), number(iteration)));
        let wrapped = binary(&int(), "&&&", added, constant(1023));
        let counted = Kind::Assign(sum.clone(), Box::new(wrapped));
        let body = sequence(vec![Expr::new(Type::Unit, replaced), Expr::new(Type::Unit, counted)]);
        let array = Generator::two_counters(&make, Library::Array);
        if is_local {
            let looped = sequence(vec![for_loop(iteration, times, body), number(sum)]);
            let slot = Binding::Slot(sum.clone(), constant(0));
            let looped = Expr::new(int(), Kind::Let(Box::new(slot), Box::new(looped)));
            let running = once(run, &[(times.as_str(), int())], bound(all, array, looped));
            let result = called(run, vec![scaled_constant(iterations)], &int());
            return vec![making, running, Statement::Do(Expr::new(Type::Unit, Kind::Show(Box::new(result))))];
        }
        vec![
            making,
            Statement::Bind(Binding::Value(Pattern::Name(all.clone()), array)),
            Statement::Bind(Binding::Slot(sum.clone(), constant(0))),
            Statement::Do(for_loop(iteration, &scaled(iterations), body)),
            Statement::Do(Expr::new(Type::Unit, Kind::Show(Box::new(number(sum))))),
        ]
    }
}
