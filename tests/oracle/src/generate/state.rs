//! Programs about state: a mutable value is bound, code captures it in every way, it is written, and what the capturing
//! code sees is printed.

use super::{
    Generator,
    scope::{Nature, Variable},
    sequence,
};
use crate::{
    tree::{Arm, Binding, Expr, Kind, Parameter, Pattern, Step},
    types::{Library, Type, Width, function, is_data, option, reference},
};

/// The next statement of a program.
pub(super) enum Statement {
    /// A binding, in scope for the rest.
    Bind(Binding),
    /// An effect.
    Do(Expr),
}

impl Generator {
    /// A statement of a program about state.
    pub(super) fn state_statement(&mut self, size: usize) -> Statement {
        match self.random.below(18) {
            0..=2 => Statement::Bind(self.bind_storage(size)),
            3..=6 => match self.bind_observer(size) {
                Some(binding) => Statement::Bind(binding),
                None => Statement::Bind(self.bind_storage(size)),
            },
            7..=10 => Statement::Do(self.change(size)),
            11..=13 => Statement::Do(self.look(size)),
            14 => Statement::Bind(self.local_binding(size)),
            15 => Statement::Bind(self.bind_stepwise(size)),
            16 => {
                let number = self.expression(&Type::Integer(Width::Int), size / 3);
                Statement::Bind(Binding::Use(self.fresh("u"), number))
            }
            _ => Statement::Do(self.effect(size)),
        }
    }

    /// Writes to a place, once or several times, directly or by code that captures it.
    pub(super) fn change(&mut self, size: usize) -> Expr {
        let nothing = Expr::unit;
        match self.random.below(8) {
            0 => {
                let iterations = self.random.between(2, 5);
                let variable = self.fresh("i");
                let body = self.repeated(iterations, |generator| {
                    generator.scoped(|generator| {
                        generator.scope.push(Variable::value(&variable, Type::Integer(Width::Int), Nature::Value));
                        generator.written(size / 2)
                    })
                });
                let range = format!(" = 1 to {iterations}");
                let body = Box::new(body.unwrap_or_else(nothing));
                Expr::new(Type::Unit, Kind::For { variable, range, body })
            }
            1 => {
                let condition = self.expression(&Type::Bool, size / 3);
                let body = self.written(size / 2).unwrap_or_else(nothing);
                Expr::new(Type::Unit, Kind::When(Box::new(condition), Box::new(body)))
            }
            2 => {
                // By a closure that is made for it.
                let ty = function(&[Type::Unit], Type::Unit);
                let barrier = std::mem::replace(&mut self.barrier, self.scope.len());
                let body = self.written(size / 2).unwrap_or_else(nothing);
                self.barrier = barrier;
                let lambda = Expr::new(ty, Kind::Lambda(vec![unit_parameter()], Box::new(body)));
                Expr::new(Type::Unit, Kind::Apply(Box::new(lambda), vec![Expr::unit()]))
            }
            _ => self.written(size).unwrap_or_else(nothing),
        }
    }

    /// Binds code that captures a mutable value and reads it later.
    fn bind_observer(&mut self, size: usize) -> Option<Binding> {
        let value = self.observer(size)?;
        let name = self.fresh("v");
        self.scope.push(Variable::value(&name, value.ty.clone(), Nature::Value));
        Some(Binding::Value(Pattern::Name(name), value))
    }

    /// Code that captures a visible place, in one of the forms that code has as a value.
    pub(super) fn observer(&mut self, size: usize) -> Option<Expr> {
        let barrier = std::mem::replace(&mut self.barrier, self.scope.len());
        let place = self.place(|place| place.ty.order() == 0);
        let observer = place.map(|place| {
            let ty = place.ty.clone();
            let thunk = function(&[Type::Unit], ty.clone());
            match self.random.below(13) {
                0..=2 => self.observing_thunk(&place, size),
                3 => {
                    let int = Type::Integer(Width::Int);
                    let whole = function(std::slice::from_ref(&int), ty);
                    self.scoped(|generator| {
                        let name = generator.fresh("p");
                        generator.scope.push(Variable::value(&name, int.clone(), Nature::Value));
                        let body = generator.observation(&place, size);
                        let parameter = Parameter { pattern: Pattern::Name(name), ty: int, annotated: true };
                        Expr::new(whole, Kind::Lambda(vec![parameter], Box::new(body)))
                    })
                }
                4 | 5 => {
                    let body = self.observation(&place, size);
                    Expr::new(Type::Library(Library::Lazy, vec![ty]), Kind::Lazy(Box::new(body)))
                }
                6 | 7 => {
                    let mut steps = Vec::new();
                    for _ in 0..self.random.between(1, 3) {
                        steps.push(Step::Yield(self.observation(&place, size / 2)));
                    }
                    Expr::new(Type::Library(Library::Seq, vec![ty]), Kind::Generate(steps))
                }
                8 | 9 => {
                    let family = *self.random.pick(&[Library::List, Library::Array]);
                    let items =
                        (0..self.random.between(1, 3)).map(|_| self.observing_thunk(&place, size / 2)).collect();
                    Expr::new(Type::Library(family, vec![thunk]), Kind::Items(items))
                }
                10 => {
                    let inner = self.observing_thunk(&place, size);
                    if self.random.chance(1, 2) {
                        return Expr::apply(option(thunk), "Some", vec![inner]);
                    }
                    Expr::apply(reference(thunk), "ref", vec![inner])
                }
                11 => {
                    // What reads, and what writes.
                    let reader = self.observing_thunk(&place, size / 2);
                    let name = self.fresh("p");
                    let value = Expr::name(ty.clone(), &name);
                    let body = self.write(&place, value);
                    let parameter = Parameter { pattern: Pattern::Name(name), ty: ty.clone(), annotated: true };
                    let setter = function(&[ty], Type::Unit);
                    let writer = Expr::new(setter.clone(), Kind::Lambda(vec![parameter], Box::new(body)));
                    Expr::new(Type::Tuple(vec![thunk, setter]), Kind::Tuple(vec![reader, writer]))
                }
                _ => {
                    // One for each of several numbers.
                    let int = Type::Integer(Width::Int);
                    let source: Vec<Expr> =
                        (1..=3).map(|number: i32| Expr::constant(int.clone(), number.to_string())).collect();
                    let source = Expr::new(Type::Library(Library::List, vec![int.clone()]), Kind::Items(source));
                    let all = Type::Library(Library::List, vec![thunk]);
                    self.scoped(|generator| {
                        let name = generator.fresh("x");
                        generator.scope.push(Variable::value(&name, int, Nature::Value));
                        let body = Box::new(generator.observing_thunk(&place, size));
                        let (pattern, source) = (Pattern::Name(name), Box::new(source));
                        Expr::new(all, Kind::Comprehension { pattern, source, condition: None, body })
                    })
                }
            }
        });
        self.barrier = barrier;
        observer
    }

    fn observing_thunk(&mut self, place: &super::places::Place, size: usize) -> Expr {
        let body = self.observation(place, size);
        let ty = function(&[Type::Unit], place.ty.clone());
        Expr::new(ty, Kind::Lambda(vec![unit_parameter()], Box::new(body)))
    }

    /// An expression over a captured place.
    fn observation(&mut self, place: &super::places::Place, size: usize) -> Expr {
        let calls = std::mem::take(&mut self.recursive_calls);
        let (body, _) = self.within(30, |generator| {
            let read = generator.read(place);
            match generator.random.below(8) {
                0 => {
                    let change = generator.written(size / 3).unwrap_or_else(Expr::unit);
                    sequence(vec![change, read])
                }
                1 => generator.expression(&place.ty, size / 2),
                2 => {
                    let name = generator.fresh("v");
                    let bound = Binding::Value(Pattern::Name(name.clone()), read);
                    let change = generator.written(size / 3).unwrap_or_else(Expr::unit);
                    let value = Expr::name(place.ty.clone(), name);
                    let body = sequence(vec![change, value]);
                    Expr::new(place.ty.clone(), Kind::Let(Box::new(bound), Box::new(body)))
                }
                3 if matches!(place.ty, Type::Integer(_)) => {
                    let other = generator.expression(&place.ty, size / 2);
                    super::effect::binary(&place.ty, "+", read, other)
                }
                _ => read,
            }
        });
        self.recursive_calls = calls;
        body
    }

    /// Prints something visible, calling and forcing all that is in it.
    pub(super) fn look(&mut self, size: usize) -> Expr {
        let values: Vec<usize> = (0..self.scope.len())
            .filter(|&place| self.in_sight(place) && self.scope[place].nature == Nature::Value)
            .filter(|&place| self.scope[place].parameters.is_empty() && self.scope[place].generics == 0)
            .filter(|&place| !is_data(&self.scope[place].result, &self.declarations))
            .collect();
        if values.is_empty() || self.random.chance(1, 5) {
            return match self.place(|_| true) {
                Some(place) => {
                    let value = self.read(&place);
                    self.shown(value, size)
                }
                None => self.effect(size),
            };
        }
        let first = if self.random.chance(2, 3) { values.len().saturating_sub(4) } else { 0 };
        let chosen = self.scope[values[first + self.random.below(values.len() - first)]].clone();
        self.shown(Expr::name(chosen.result, chosen.name), size)
    }

    /// Prints a value, calling and forcing what is in it.
    pub(super) fn shown(&mut self, value: Expr, size: usize) -> Expr {
        let show = |value: Expr| Expr::new(Type::Unit, Kind::Show(Box::new(value)));
        if is_data(&value.ty, &self.declarations) {
            return show(value);
        }
        match value.ty.clone() {
            Type::Function(..) => {
                if !self.charge(40) {
                    return show(value);
                }
                let (parameters, result) = value.ty.spine();
                let each = size / (2 * parameters.len());
                let arguments = parameters.iter().map(|ty| self.expression(ty, each)).collect();
                let called = Expr::new(result, Kind::Apply(Box::new(value), arguments));
                self.shown(called, size / 2)
            }
            Type::Library(Library::Lazy, parts) => {
                let forced = Expr::apply(parts[0].clone(), "Lazy.force", vec![value]);
                self.shown(forced, size)
            }
            Type::Library(Library::Ref, parts) => {
                let content = Expr::new(parts[0].clone(), Kind::Prefix("!", Box::new(value)));
                self.shown(content, size)
            }
            Type::Library(Library::Seq, parts) => {
                let few = Expr::apply(value.ty.clone(), "Seq.truncate", vec![constant(6), value]);
                let list = Type::Library(Library::List, parts);
                let list = Expr::apply(list, "Seq.toList", vec![few]);
                self.shown(list, size)
            }
            Type::Library(Library::List | Library::Array, parts) => self.repeated(4, |generator| {
                generator.scoped(|generator| {
                    let name = generator.fresh("x");
                    let item = Expr::name(parts[0].clone(), &name);
                    let body = generator.shown(item, size / 2);
                    Expr::new(Type::Unit, Kind::ForIn(Pattern::Name(name), Box::new(value), Box::new(body)))
                })
            }),
            Type::Library(Library::Option, parts) => {
                let name = self.fresh("x");
                let some = self.shown(Expr::name(parts[0].clone(), &name), size);
                let arm = |pattern, body| Arm { pattern, guard: None, body };
                let none = show(Expr::constant(Type::Bool, "false"));
                let arms = vec![
                    arm(Pattern::Case("None".to_owned(), Vec::new()), none),
                    arm(Pattern::Case("Some".to_owned(), vec![Pattern::Name(name)]), some),
                ];
                Expr::new(Type::Unit, Kind::Match(Box::new(value), arms))
            }
            Type::Tuple(parts) => {
                let names: Vec<String> = parts.iter().map(|_| self.fresh("x")).collect();
                let effects =
                    parts.iter().zip(&names).map(|(part, name)| self.shown(Expr::name(part.clone(), name), size / 2));
                let effects = sequence(effects.collect());
                let pattern = Pattern::Tuple(names.into_iter().map(Pattern::Name).collect());
                let binding = Binding::Value(pattern, value);
                Expr::new(Type::Unit, Kind::Let(Box::new(binding), Box::new(effects)))
            }
            _ => show(value),
        }
    }

    /// A function that makes a mutable value and returns code that captures it, after it has been written.
    pub(super) fn maker(&mut self, local: bool, size: usize) -> Binding {
        let name = self.fresh("f");
        let parameter = self.simple_type();
        let ((parameters, result, body), cost) = self.inside(true, if local { 240 } else { 600 }, |generator| {
            let parameters = vec![generator.parameter(&parameter, false)];
            let mut bindings = vec![generator.bind_storage(size / 2)];
            if generator.random.chance(1, 3) {
                bindings.push(generator.bind_storage(size / 2));
            }
            let before = generator.change(size / 3);
            let value = generator.observer(size / 2).unwrap_or_else(Expr::unit);
            let ty = value.ty.clone();
            let observer = generator.fresh("v");
            generator.scope.push(Variable::value(&observer, ty.clone(), Nature::Value));
            let observing = Binding::Value(Pattern::Name(observer.clone()), value);
            let changes = (0..generator.random.between(1, 2)).map(|_| generator.change(size / 2));
            let mut rest: Vec<Expr> = changes.collect();
            if generator.random.chance(1, 3) {
                rest.push(generator.look(size / 3));
            }
            rest.push(Expr::name(ty.clone(), observer));
            let within = Expr::new(ty.clone(), Kind::Let(Box::new(observing), Box::new(sequence(rest))));
            let body = bindings.into_iter().rev().fold(sequence(vec![before, within]), |body, binding| {
                Expr::new(ty.clone(), Kind::Let(Box::new(binding), Box::new(body)))
            });
            (parameters, ty, body)
        });
        let mut variable = Variable::value(&name, result, Nature::Value);
        variable.parameters = vec![parameter];
        variable.only_called = vec![false];
        variable.cost = cost;
        self.scope.push(variable);
        let function =
            crate::tree::Function { name, recursive: false, modifier: "", annotated: true, parameters, body };
        Binding::Functions(vec![function])
    }
}

/// `()` as a parameter.
pub(super) fn unit_parameter() -> Parameter {
    Parameter { pattern: Pattern::Unit, ty: Type::Unit, annotated: true }
}

/// A literal of type `int`.
pub(super) fn constant(number: usize) -> Expr {
    Expr::constant(Type::Integer(Width::Int), number.to_string())
}
