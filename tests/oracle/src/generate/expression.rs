//! Expressions of a given type.

use super::{
    Generator, Style,
    scope::{Nature, Recursion, Use, Variable, unknown_cost},
    sequence,
};
use crate::{
    tree::{Binding, Expr, Kind, Parameter, Pattern},
    types::{Type, WIDTHS, Width, function, reference},
};

/// The widths of integers in programs about state: those that OCaml's integers hold.
const STATE_WIDTHS: [Width; 5] = [Width::Int, Width::Int, Width::Int32, Width::Uint8, Width::Int16];

/// Forms that an expression of any type can have.
#[derive(Clone, Copy)]
enum Form {
    Leaf,
    Made,
    Call,
    If,
    Match,
    Let,
    Sequence,
    Trace,
    Projection,
    Content,
    Pipe,
    Redex,
    Library,
    Element,
    Stored,
}

const FORMS: [(Form, usize); 15] = [
    (Form::Leaf, 2),
    (Form::Made, 9),
    (Form::Call, 10),
    (Form::If, 3),
    (Form::Match, 5),
    (Form::Let, 5),
    (Form::Sequence, 3),
    (Form::Trace, 4),
    (Form::Projection, 3),
    (Form::Content, 2),
    (Form::Pipe, 3),
    (Form::Redex, 1),
    (Form::Library, 2),
    (Form::Element, 1),
    (Form::Stored, 2),
];

impl Generator {
    /// An expression of a type; its size is the approximate number of nodes.
    pub(super) fn expression(&mut self, ty: &Type, size: usize) -> Expr {
        if size == 0 {
            return self.leaf(ty);
        }
        for _ in 0..4 {
            let form = FORMS[self.random.weighted(&FORMS.map(|(_, weight)| weight))].0;
            if !self.charge(1) {
                break;
            }
            let form = if self.style == Style::State && self.random.chance(1, 5) { Form::Stored } else { form };
            if let Some(expr) = self.form(form, ty, size - 1) {
                // Operands of any operation then show their evaluation order.
                let traced = self.style == Style::State && self.cost.iterations <= 4 && self.random.chance(1, 7);
                return if traced { self.traced(expr) } else { expr };
            }
        }
        self.leaf(ty)
    }

    fn form(&mut self, form: Form, ty: &Type, size: usize) -> Option<Expr> {
        match form {
            Form::Leaf => Some(self.leaf(ty)),
            Form::Made => Some(self.made(ty, size)),
            Form::Call => self.call(ty, size),
            Form::If => {
                let [condition, then, otherwise] = self.split(size);
                let condition = self.expression(&Type::Bool, condition);
                let branches = [then, otherwise].map(|size| Box::new(self.expression(ty, size)));
                let [then, otherwise] = branches;
                Some(Expr::new(ty.clone(), Kind::If(Box::new(condition), then, otherwise)))
            }
            Form::Match => Some(self.matching(ty, size)),
            Form::Let => Some(self.let_in(ty, size)),
            Form::Sequence => {
                let [effect, value] = self.split(size);
                let effect = match self.style {
                    Style::State if self.random.chance(1, 2) => self.written(effect).unwrap_or_else(Expr::unit),
                    Style::State | Style::Mixed => self.effect(effect),
                };
                Some(sequence(vec![effect, self.expression(ty, value)]))
            }
            Form::Trace => {
                let value = self.expression(ty, size);
                Some(self.traced(value))
            }
            Form::Projection => self.projection(ty, size),
            Form::Content => {
                let cell = self.expression(&reference(ty.clone()), size);
                Some(Expr::new(ty.clone(), Kind::Prefix("!", Box::new(cell))))
            }
            Form::Pipe => self.pipe(ty, size),
            Form::Redex => Some(self.redex(ty, size)),
            Form::Library => self.library(ty, size),
            Form::Element => Some(self.element(ty, size)),
            Form::Stored => self.stored(ty),
        }
    }

    fn traced(&mut self, value: Expr) -> Expr {
        let number = self.random.below(100) as u64;
        Expr::new(value.ty.clone(), Kind::Trace(number, Box::new(value)))
    }

    /// A variable of the type, or a constant.
    pub(super) fn leaf(&mut self, ty: &Type) -> Expr {
        let uses = self.uses(ty, 0..=0);
        if !uses.is_empty() && self.random.chance(3, 4) {
            let chosen = self.random.pick(&uses).variable;
            return Expr::name(ty.clone(), &self.scope[chosen].name);
        }
        self.constant(ty)
    }

    /// A function or case in scope with arguments.
    fn call(&mut self, ty: &Type, size: usize) -> Option<Expr> {
        let uses = self.uses(ty, 1..=9);
        if uses.is_empty() {
            return None;
        }
        // The library has more functions than programs have.
        let own: Vec<Use> = uses.iter().filter(|way| !self.scope[way.variable].is_of_library()).cloned().collect();
        let preferred = if !own.is_empty() && self.random.chance(2, 3) { own } else { uses };
        let chosen = self.random.pick(&preferred).clone();
        Some(self.applied(ty, chosen, size))
    }

    pub(super) fn applied(&mut self, ty: &Type, chosen: Use, size: usize) -> Expr {
        let variable = self.scope[chosen.variable].clone();
        let generics: Vec<Type> = chosen
            .generics
            .into_iter()
            .map(|found| match found {
                Some(ty) => ty,
                None if variable.numeric => self.numeric_type(),
                None => self.data_type(1),
            })
            .collect();
        let whole = variable.ty();
        let instance = if variable.generics == 0 { whole } else { whole.substitute(&generics) };
        let cost = self.call_cost(&variable, chosen.arguments);
        let _ = self.charge(cost);
        if variable.recursion == Recursion::Within {
            self.recursive_calls -= 1;
        }
        let (parameters, _) = instance.spine();
        let each = size / chosen.arguments.max(1);
        let all = chosen.arguments >= variable.parameters.len();
        let mut arguments: Vec<Expr> =
            (0..chosen.arguments).map(|index| self.argument(&variable, index, &parameters[index], all, each)).collect();
        let called = Expr::name(instance, &variable.name);
        let plain = variable.generics == 0 && variable.nature == Nature::Value && variable.recursion == Recursion::None;
        // The function is an operand too.
        let traced = self.style == Style::State && plain && self.cost.iterations <= 4 && self.random.chance(1, 5);
        let called = if traced { self.traced(called) } else { called };
        let count = chosen.arguments;
        // A call of the result of a call: the order is visible if all operands have effects.
        let staged = plain && !variable.parameters.is_empty() && count > variable.parameters.len();
        if staged && self.style == Style::State && self.cost.iterations <= 4 && self.random.chance(1, 2) {
            arguments = arguments.into_iter().map(|argument| self.traced(argument)).collect();
        }
        if plain && count > 1 && self.random.chance(if staged { 2 } else { 1 }, 4) {
            // `(f a) b`: the effects of `f a` happen before `b` is evaluated. The value of `f a` may outlive slots.
            let first = if staged { variable.parameters.len() } else { self.random.between(1, count - 1) };
            if !variable.only_called.iter().take(first).any(|&called| called) {
                let rest = arguments.split_off(first);
                let between = function(&parameters[first..count], ty.clone());
                let inner = Expr::new(between, Kind::Apply(Box::new(called), arguments));
                return Expr::new(ty.clone(), Kind::Apply(Box::new(inner), rest));
            }
        }
        Expr::new(ty.clone(), Kind::Apply(Box::new(called), arguments))
    }

    fn argument(&mut self, variable: &Variable, index: usize, ty: &Type, all: bool, size: usize) -> Expr {
        // A type variable may be bound to a function type: then a call returns another closure.
        let whole = |declared: &Type| declared.spine().0.len() == ty.spine().0.len();
        let only_called = all
            && variable.only_called.get(index).copied().unwrap_or(false)
            && variable.parameters.get(index).is_some_and(whole);
        match (index, variable.recursion) {
            (0, Recursion::AtMost(limit)) => self.count_down_from(limit, size),
            (0, Recursion::Within) => {
                let counter = self.counter();
                let one = Expr::constant(Type::Integer(Width::Int), "1");
                Expr::new(Type::Integer(Width::Int), Kind::Binary("-", Box::new(counter), Box::new(one)))
            }
            (_, Recursion::None | Recursion::AtMost(_) | Recursion::Within) => match only_called {
                true => self.called_function(ty, size),
                false => self.expression(ty, size),
            },
        }
    }

    /// The innermost parameter that counts the calls of a recursive function.
    fn counter(&self) -> Expr {
        let name = self.scope.iter().rev().find(|variable| variable.name.starts_with("count"));
        let name = name.map_or("0", |variable| variable.name.as_str());
        Expr::name(Type::Integer(Width::Int), name)
    }

    fn count_down_from(&mut self, limit: usize, size: usize) -> Expr {
        let int = Type::Integer(Width::Int);
        if limit >= 3 && self.random.chance(1, 3) {
            let value = self.expression(&int, size);
            let mask = Expr::constant(int.clone(), "3");
            return Expr::new(int, Kind::Binary("&&&", Box::new(value), Box::new(mask)));
        }
        let count = self.random.between(0, limit);
        Expr::constant(int, count.to_string())
    }

    /// A function for a parameter that is only called: it may capture slots.
    fn called_function(&mut self, ty: &Type, size: usize) -> Expr {
        let called: Vec<String> = (self.barrier..self.scope.len())
            .filter(|&place| self.scope[place].nature == Nature::OnlyCalled && self.scope[place].ty() == *ty)
            .filter(|&place| self.scope[place].cost <= unknown_cost(ty))
            .filter(|&place| self.scope[place].recursion == Recursion::None)
            .map(|place| self.scope[place].name.clone())
            .collect();
        if !called.is_empty() && self.random.chance(1, 3) {
            return Expr::name(ty.clone(), self.random.pick(&called));
        }
        if self.random.chance(3, 4) { self.lambda(ty, size, false) } else { self.expression(ty, size) }
    }

    /// `fun … -> …`; unless it escapes, it may capture slots.
    pub(super) fn lambda(&mut self, ty: &Type, size: usize, escapes: bool) -> Expr {
        let (parameters, last) = ty.spine();
        let taken = self.random.between(1, parameters.len());
        let result = function(&parameters[taken..], last);
        let barrier = if escapes { self.scope.len() } else { self.barrier };
        let around = std::mem::replace(&mut self.barrier, barrier);
        let calls = std::mem::take(&mut self.recursive_calls);
        let (lambda, _) = self.within(unknown_cost(ty) - 1, |generator| {
            generator.scoped(|generator| {
                let parameters = parameters[..taken].iter().map(|ty| generator.parameter(ty, false)).collect();
                let body = generator.expression(&result, size);
                Expr::new(ty.clone(), Kind::Lambda(parameters, Box::new(body)))
            })
        });
        self.barrier = around;
        self.recursive_calls = calls;
        lambda
    }

    /// A parameter, whose names come into scope.
    pub(super) fn parameter(&mut self, ty: &Type, only_called: bool) -> Parameter {
        let pattern = match ty {
            Type::Unit => Pattern::Unit,
            Type::Tuple(_) if self.random.chance(1, 2) => self.irrefutable(ty, 2),
            // The only values of a type variable are parameters.
            Type::Variable(_) => self.named_parameter(ty, only_called),
            _ if self.random.chance(1, 12) => Pattern::Any,
            _ => self.named_parameter(ty, only_called),
        };
        Parameter { pattern, ty: ty.clone(), annotated: true }
    }

    fn named_parameter(&mut self, ty: &Type, only_called: bool) -> Pattern {
        let name = self.fresh("p");
        let nature = if only_called { Nature::OnlyCalled } else { Nature::Value };
        self.scope.push(Variable::value(&name, ty.clone(), nature));
        Pattern::Name(name)
    }

    fn let_in(&mut self, ty: &Type, size: usize) -> Expr {
        let [bound, body] = self.split(size);
        self.scoped(|generator| {
            let binding = generator.local_binding(bound);
            let body = generator.expression(ty, body);
            Expr::new(ty.clone(), Kind::Let(Box::new(binding), Box::new(body)))
        })
    }

    /// A local binding, whose names come into scope.
    pub(super) fn local_binding(&mut self, size: usize) -> Binding {
        match self.random.below(10) {
            0..=3 => {
                let ty = self.any_type(2);
                let value = self.expression(&ty, size);
                self.bind_value(value)
            }
            4 | 5 => {
                let ty = if self.random.chance(1, 5) { self.function_type(1) } else { self.data_type(2) };
                let value = self.expression(&ty, size);
                let name = self.fresh("m");
                self.scope.push(Variable::value(&name, ty, Nature::Slot));
                Binding::Slot(name, value)
            }
            _ => self.functions(true, size),
        }
    }

    /// Binds a value to a name or a pattern.
    pub(super) fn bind_value(&mut self, value: Expr) -> Binding {
        let pattern = match value.ty {
            Type::Tuple(_) if self.random.chance(1, 3) => self.irrefutable(&value.ty, 2),
            _ => {
                let name = self.name_for(&value.ty);
                self.scope.push(Variable::value(&name, value.ty.clone(), Nature::Value));
                Pattern::Name(name)
            }
        };
        Binding::Value(pattern, value)
    }

    /// A new name, or that of a value of the same type, which it shadows.
    fn name_for(&mut self, ty: &Type) -> String {
        let shadowed = self
            .scope
            .iter()
            .rev()
            .take(3)
            .find(|variable| variable.nature == Nature::Value && variable.generics == 0 && variable.ty() == *ty)
            .filter(|variable| variable.name.starts_with('v'))
            .map(|variable| variable.name.clone());
        match shadowed {
            // Within a module a name is bound once.
            Some(name) if self.local && self.random.chance(1, 2) => name,
            Some(_) | None => self.fresh("v"),
        }
    }

    /// A component of a pair or of a record.
    fn projection(&mut self, ty: &Type, size: usize) -> Option<Expr> {
        if let Some(found) = self.field_of_type(ty)
            && self.random.chance(1, 2)
        {
            let (record, field) = found;
            let record = self.expression(&record, size);
            return Some(Expr::new(ty.clone(), Kind::Field(Box::new(record), field)));
        }
        let other = self.simple_type();
        let (name, pair) = match self.random.chance(1, 2) {
            true => ("fst", vec![ty.clone(), other]),
            false => ("snd", vec![other, ty.clone()]),
        };
        let pair = self.expression(&Type::Tuple(pair), size);
        Some(Expr::apply(ty.clone(), name, vec![pair]))
    }

    /// `x |> f`, `f <| x`, `(f >> g) x`.
    fn pipe(&mut self, ty: &Type, size: usize) -> Option<Expr> {
        let [first, second] = self.split(size);
        let from = self.data_type(1);
        let to = |from: &Type, to: &Type| function(std::slice::from_ref(from), to.clone());
        if !self.charge(unknown_cost(&to(&from, ty))) {
            return None;
        }
        let binary =
            |ty: Type, operator, left, right| Expr::new(ty, Kind::Binary(operator, Box::new(left), Box::new(right)));
        match self.random.below(4) {
            0 | 1 => {
                let value = self.expression(&from, first);
                let f = self.expression(&to(&from, ty), second);
                Some(binary(ty.clone(), "|>", value, f))
            }
            2 => {
                let f = self.expression(&to(&from, ty), second);
                let value = self.expression(&from, first);
                Some(binary(ty.clone(), "<|", f, value))
            }
            _ => {
                let between = self.data_type(1);
                if !self.charge(unknown_cost(&to(&from, &between))) {
                    return None;
                }
                let f = self.expression(&to(&from, &between), first);
                let g = self.expression(&to(&between, ty), second);
                let composed = match self.random.chance(1, 2) {
                    true => binary(to(&from, ty), ">>", f, g),
                    false => binary(to(&from, ty), "<<", g, f),
                };
                let value = self.leaf(&from);
                Some(Expr::new(ty.clone(), Kind::Apply(Box::new(composed), vec![value])))
            }
        }
    }

    /// `(fun x -> …) y`
    fn redex(&mut self, ty: &Type, size: usize) -> Expr {
        let from = self.any_type(1);
        let whole = function(std::slice::from_ref(&from), ty.clone());
        let [inner, argument] = self.split(size);
        let charged = self.charge(unknown_cost(&whole));
        let function = self.lambda(&whole, if charged { inner } else { 0 }, true);
        let argument = self.expression(&from, argument);
        Expr::new(ty.clone(), Kind::Apply(Box::new(function), vec![argument]))
    }

    /// A width of integers.
    pub(super) fn any_width(&mut self) -> Width {
        match self.style {
            Style::Mixed => *self.random.pick(&WIDTHS),
            Style::State => *self.random.pick(&STATE_WIDTHS),
        }
    }

    /// A width of integers, words more often.
    pub(super) fn width(&mut self) -> Width {
        if self.random.chance(1, 3) { Width::Int } else { self.any_width() }
    }
}
