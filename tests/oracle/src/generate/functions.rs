//! Named functions: plain, generic, inline, recursive.

use super::{
    Generator, Style,
    effect::binary,
    scope::{Nature, Recursion, Variable},
    sequence,
};
use crate::{
    tree::{Binding, EXPORTED, Expr, Function, Kind, Parameter, Pattern},
    types::{Library, Type, WIDTHS, Width, function, option},
};

/// The step limit of a call of a module's function.
const MODULE_STEPS: u32 = 600;

/// The step limit of a call of a local function.
const LOCAL_STEPS: u32 = 240;

/// The step limit of a call of a recursive function without its recursive calls.
const RECURSIVE_STEPS: u32 = 25;

/// Whether a type variable occurs in a type.
fn has_variable(ty: &Type) -> bool {
    matches!(ty, Type::Variable(_)) || ty.parts().into_iter().any(has_variable)
}

impl Generator {
    /// A binding of functions, which come into scope.
    pub(super) fn functions(&mut self, local: bool, size: usize) -> Binding {
        match self.random.below(12) {
            11 if self.style == Style::State => self.maker(local, size),
            10 => self.looping(local, size),
            0 | 1 => self.recursive(local, size),
            2 => self.mutual(local, size),
            3 | 4 if !local || self.is_monomorphic() => self.generic(local, size),
            6 if self.random.chance(1, 2) => self.staged(local, size),
            5 if !local && self.style == Style::Mixed => self.numeric(),
            _ => self.plain(local, size),
        }
    }

    /// An exported function, with parameter types that other languages know.
    pub(super) fn exported(&mut self, size: usize) -> Binding {
        let mut foreign = || match self.random.below(8) {
            0 => Type::Bool,
            1 => Type::Char,
            2 => Type::Float,
            3 => Type::Single,
            _ => Type::Integer(*self.random.pick(&WIDTHS)),
        };
        let mut types: Vec<Type> = (0..10).map(|_| foreign()).collect();
        let result = foreign();
        types.truncate(self.random.between(1, 10));
        let name = self.fresh("f");
        let ((parameters, body), cost) = self.inside(true, MODULE_STEPS, |generator| {
            let (parameters, _) = generator.parameters(&types);
            (parameters, generator.expression(&result, size))
        });
        let mut variable = Variable::value(&name, result, Nature::Value);
        variable.only_called = vec![false; types.len()];
        variable.parameters = types;
        variable.cost = cost;
        self.scope.push(variable);
        Binding::Functions(vec![Function {
            name,
            recursive: false,
            modifier: EXPORTED,
            annotated: true,
            parameters,
            body,
        }])
    }

    /// Parameters of some types, with whether each is only called.
    fn parameters(&mut self, types: &[Type]) -> (Vec<Parameter>, Vec<bool>) {
        let mut parameters = Vec::new();
        let mut only_called = Vec::new();
        for ty in types {
            let called = matches!(ty, Type::Function(..)) && self.random.chance(1, 2);
            parameters.push(self.parameter(ty, called));
            only_called.push(called);
        }
        (parameters, only_called)
    }

    fn parameter_types(&mut self) -> Vec<Type> {
        // Some exceed the number of registers.
        let count = match self.random.below(12) {
            0 => self.random.between(5, 10),
            _ => self.random.weighted(&[0, 4, 4, 2, 1]),
        };
        (0..count).map(|_| self.any_type(2)).collect()
    }

    /// Makes the body of a closure; a function that escapes sees no slots.
    pub(super) fn inside<T>(&mut self, escapes: bool, steps: u32, make: impl FnOnce(&mut Generator) -> T) -> (T, u32) {
        let barrier = if escapes { self.scope.len() } else { self.barrier };
        let around = std::mem::replace(&mut self.barrier, barrier);
        let calls = std::mem::take(&mut self.recursive_calls);
        let made = self.within(steps, |generator| generator.scoped(make));
        self.barrier = around;
        self.recursive_calls = calls;
        made
    }

    fn plain(&mut self, local: bool, size: usize) -> Binding {
        let types = self.parameter_types();
        let result = self.any_type(2);
        let escapes = !local || self.random.chance(1, 2);
        let name = self.fresh("f");
        let steps = if local { LOCAL_STEPS } else { MODULE_STEPS };
        let ((parameters, only_called, body), cost) = self.inside(escapes, steps, |generator| {
            let (parameters, only_called) = generator.parameters(&types);
            (parameters, only_called, generator.expression(&result, size))
        });
        let nature = if escapes { Nature::Value } else { Nature::OnlyCalled };
        let mut variable = Variable::value(&name, result, nature);
        variable.parameters = types;
        variable.only_called = only_called;
        variable.cost = cost;
        self.scope.push(variable);
        let modifier = if !local && self.random.chance(1, 8) { "inline " } else { "" };
        Binding::Functions(vec![Function { name, recursive: false, modifier, annotated: true, parameters, body }])
    }

    /// A function that is generic in one or two types, with a parameter of each.
    ///
    /// For a local one the types are inferred, since written type variables belong to the enclosing function.
    fn generic(&mut self, local: bool, size: usize) -> Binding {
        let generics = self.random.between(1, 2);
        let steps = if local { LOCAL_STEPS } else { MODULE_STEPS };
        let mut types: Vec<Type> = (0..generics).map(Type::Variable).collect();
        for _ in 0..self.random.below(3) {
            let extra = self.generic_type(generics);
            types.push(extra);
        }
        self.random.shuffle(&mut types);
        let result = self.generic_type(generics);
        let name = self.fresh("f");
        let ((mut parameters, only_called, body), cost) = self.inside(true, steps, |generator| {
            let (parameters, only_called) = generator.parameters(&types);
            (parameters, only_called, generator.expression(&result, size))
        });
        for parameter in parameters.iter_mut().filter(|parameter| local && has_variable(&parameter.ty)) {
            parameter.annotated = false;
        }
        let mut variable = Variable::value(&name, result, Nature::Value);
        variable.generics = generics;
        // An unnamed parameter is not usable as a value.
        variable.parameters = types;
        variable.only_called = only_called;
        variable.cost = cost;
        self.scope.push(variable);
        let annotated = !local;
        Binding::Functions(vec![Function { name, recursive: false, modifier: "", annotated, parameters, body }])
    }

    /// Whether nothing visible has a type variable as its type.
    fn is_monomorphic(&self) -> bool {
        !self.scope.iter().any(|variable| variable.generics == 0 && has_variable(&variable.ty()))
    }

    /// A function with an effect before it returns another function.
    fn staged(&mut self, local: bool, size: usize) -> Binding {
        let types = self.parameter_types();
        let result = self.function_type(1);
        let name = self.fresh("f");
        let ((parameters, only_called, body), cost) = self.inside(true, LOCAL_STEPS, |generator| {
            let (parameters, only_called) = generator.parameters(&types);
            let effect = generator.effect(size / 3);
            let number = generator.random.below(100) as u64;
            let marked = Expr::new(Type::Unit, Kind::Trace(number, Box::new(Expr::unit())));
            let rest = generator.lambda(&result, size / 2, true);
            (parameters, only_called, sequence(vec![effect, marked, rest]))
        });
        let mut variable = Variable::value(&name, result, Nature::Value);
        variable.parameters = types;
        variable.only_called = only_called;
        variable.cost = cost;
        self.scope.push(variable);
        let modifier = if !local && self.random.chance(1, 8) { "inline " } else { "" };
        Binding::Functions(vec![Function { name, recursive: false, modifier, annotated: true, parameters, body }])
    }

    /// A type that contains type variables.
    fn generic_type(&mut self, generics: usize) -> Type {
        let variable = Type::Variable(self.random.below(generics));
        let other = Type::Variable(self.random.below(generics));
        match self.random.below(8) {
            0 | 1 => variable,
            2 => option(variable),
            3 => Type::Tuple(vec![variable, other]),
            4 | 5 => function(&[variable], other),
            6 => function(&[variable, other], Type::Variable(0)),
            _ => self.data_type(1),
        }
    }

    /// An inline function on any numbers.
    fn numeric(&mut self) -> Binding {
        let count = self.random.between(1, 3);
        let name = self.fresh("f");
        let number = Type::Variable(0);
        let ((parameters, body), cost) = self.inside(true, MODULE_STEPS, |generator| {
            let names: Vec<String> = (0..count).map(|_| generator.fresh("p")).collect();
            let size = generator.random.between(1, 5);
            let body = generator.arithmetic(&names, size);
            let parameters = names.into_iter().map(|name| Parameter {
                pattern: Pattern::Name(name),
                ty: Type::Variable(0),
                annotated: false,
            });
            (parameters.collect(), body)
        });
        let mut variable = Variable::value(&name, number.clone(), Nature::Value);
        variable.generics = 1;
        variable.numeric = true;
        variable.parameters = vec![number; count];
        variable.only_called = vec![false; count];
        variable.cost = cost;
        self.scope.push(variable);
        let (annotated, modifier) = (false, "inline ");
        Binding::Functions(vec![Function { name, recursive: false, modifier, annotated, parameters, body }])
    }

    fn arithmetic(&mut self, names: &[String], size: usize) -> Expr {
        let number = Type::Variable(0);
        let _ = self.charge(1);
        if size == 0 {
            return Expr::name(number, self.random.pick(names));
        }
        let [left, right] = self.split(size - 1);
        let [left, right] = [left, right].map(|size| self.arithmetic(names, size));
        match self.random.below(6) {
            0 => Expr::apply(number, self.random.word(&["min", "max"]), vec![left, right]),
            1 => {
                let condition = binary(&Type::Bool, "<", left.clone(), right.clone());
                Expr::new(number, Kind::If(Box::new(condition), Box::new(right), Box::new(left)))
            }
            _ => binary(&number, self.random.word(&["+", "-", "*"]), left, right),
        }
    }

    fn recursive(&mut self, local: bool, size: usize) -> Binding {
        let calls = self.random.between(1, 2);
        let limit = if calls == 1 { self.random.between(3, 9) } else { 4 };
        let escapes = !local || self.random.chance(1, 2);
        let variable = self.recursive_variable(escapes);
        let (function, cost) = self.recursive_function(&variable, &[], calls, escapes, size);
        let times = if calls == 1 { limit as u32 + 1 } else { 1 << (limit + 1) };
        self.scope.push(Variable { cost: cost * times, recursion: Recursion::AtMost(limit), ..variable });
        Binding::Functions(vec![function])
    }

    /// Functions of many iterations: each calls itself or another one last, with states that each iteration makes
    /// again.
    fn looping(&mut self, local: bool, size: usize) -> Binding {
        let members = self.random.weighted(&[0, 3, 2, 1]);
        let states: Vec<Vec<Type>> =
            (0..members).map(|_| (0..self.random.between(1, 3)).map(|_| self.state_type()).collect()).collect();
        let result = if self.random.chance(1, 2) { self.random.pick(&states[0]).clone() } else { self.data_type(1) };
        // A function made from that of the previous iteration calls it: its calls nest that deep.
        let calls = states.iter().flatten().any(|state| state.order() > 0);
        let iterations = if calls { 60 } else { *self.random.pick(&[60, 200, 1000]) };
        let escapes = !local || self.random.chance(1, 2);
        let nature = if escapes { Nature::Value } else { Nature::OnlyCalled };
        let mut group = Vec::new();
        for states in states {
            let mut variable = Variable::value(&self.fresh("f"), result.clone(), nature);
            variable.only_called = vec![false; states.len() + 1];
            variable.parameters = vec![Type::Integer(Width::Int)];
            variable.parameters.extend(states);
            group.push(variable);
        }
        let (mut functions, mut cost) = (Vec::new(), 0);
        for own in &group {
            let (function, more) = self.counting_function(own, &[], escapes, |generator, count| {
                let base = generator.expression(&own.result, size / 3);
                (base, generator.recursive_call(&group, count, size))
            });
            functions.push(function);
            cost += more + 1;
        }
        // An iteration usually takes less than its limit, and most loops have fewer iterations.
        let cost = cost * (iterations as u32 / 10);
        for variable in group {
            self.scope.push(Variable { cost, recursion: Recursion::AtMost(iterations), ..variable });
        }
        Binding::Functions(functions)
    }

    /// The body of a loop with its states: some effects, and the next iteration last.
    fn recursive_call(&mut self, group: &[Variable], count: &str, size: usize) -> Expr {
        let [before, rest] = self.split(size);
        let ty = group[0].result.clone();
        match self.random.below(6) {
            0 => {
                let condition = Box::new(self.expression(&Type::Bool, before));
                let [then, otherwise] = [0, 1].map(|_| Box::new(self.next_turn(group, count, rest / 2)));
                Expr::new(ty, Kind::If(condition, then, otherwise))
            }
            1 | 2 => self.scoped(|generator| {
                let bound = generator.state_type();
                let value = generator.expression(&bound, before);
                let binding = generator.bind_value(value);
                let next = generator.next_turn(group, count, rest);
                Expr::new(ty, Kind::Let(Box::new(binding), Box::new(next)))
            }),
            _ => self.next_turn(group, count, size),
        }
    }

    /// The call of the next iteration, by one of the functions.
    fn next_turn(&mut self, group: &[Variable], count: &str, size: usize) -> Expr {
        let own = self.random.pick(group).clone();
        let int = Type::Integer(Width::Int);
        let one = Expr::constant(int.clone(), "1");
        let mut arguments = vec![binary(&int, "-", Expr::name(int.clone(), count), one)];
        for state in &own.parameters[1..] {
            let value = self.expression(state, size / own.parameters.len());
            arguments.push(match state {
                // Otherwise it could grow with each iteration.
                Type::Library(Library::List, _) => Expr::apply(state.clone(), "few", vec![value]),
                _ => value,
            });
        }
        Expr::new(own.result.clone(), Kind::Apply(Box::new(Expr::name(own.ty(), &own.name)), arguments))
    }

    /// Two functions, each of which may call the other once.
    fn mutual(&mut self, local: bool, size: usize) -> Binding {
        let limit = self.random.between(3, 8);
        let escapes = !local || self.random.chance(1, 2);
        let variables = [0, 1].map(|_| self.recursive_variable(escapes));
        let [first, second] = &variables;
        let (one, cost) = self.recursive_function(first, std::slice::from_ref(second), 1, escapes, size / 2);
        let (other, more) = self.recursive_function(second, std::slice::from_ref(first), 1, escapes, size / 2);
        let cost = (cost + more) * (limit as u32 + 1);
        for variable in variables {
            self.scope.push(Variable { cost, recursion: Recursion::AtMost(limit), ..variable });
        }
        Binding::Functions(vec![one, other])
    }

    /// A recursive function whose body is not known yet.
    fn recursive_variable(&mut self, escapes: bool) -> Variable {
        let name = self.fresh("f");
        let result = self.any_type(1);
        let nature = if escapes { Nature::Value } else { Nature::OnlyCalled };
        let mut variable = Variable::value(&name, result, nature);
        let others = self.random.below(4);
        variable.parameters = vec![Type::Integer(Width::Int)];
        variable.parameters.extend((0..others).map(|_| self.any_type(1)));
        variable.only_called = vec![false; others + 1];
        variable.recursion = Recursion::Within;
        variable
    }

    /// A function that calls itself and others, with a limit on the calls.
    fn recursive_function(
        &mut self,
        own: &Variable,
        others: &[Variable],
        calls: usize,
        escapes: bool,
        size: usize,
    ) -> (Function, u32) {
        let known: Vec<Variable> = std::iter::once(own).chain(others).cloned().collect();
        self.counting_function(own, &known, escapes, |generator, _| {
            let base = generator.expression(&own.result, size / 3);
            generator.recursive_calls = calls;
            let again = generator.expression(&own.result, size);
            generator.recursive_calls = 0;
            (base, again)
        })
    }

    /// `let rec f count … = if count <= 0 then … else …`, where `make` makes both parts; also returns its cost.
    fn counting_function(
        &mut self,
        own: &Variable,
        known: &[Variable],
        escapes: bool,
        make: impl FnOnce(&mut Generator, &str) -> (Expr, Expr),
    ) -> (Function, u32) {
        let int = Type::Integer(Width::Int);
        let count = self.fresh("count");
        let ((parameters, body), cost) = self.inside(escapes, RECURSIVE_STEPS, |generator| {
            generator.scope.extend_from_slice(known);
            generator.scope.push(Variable::value(&count, int.clone(), Nature::Value));
            let first = Parameter { pattern: Pattern::Name(count.clone()), ty: int.clone(), annotated: true };
            let mut parameters = vec![first];
            parameters.extend(own.parameters[1..].iter().map(|ty| generator.parameter(ty, false)));
            let zero = Expr::constant(int.clone(), "0");
            let condition = binary(&Type::Bool, "<=", Expr::name(int.clone(), &count), zero);
            let (base, again) = make(generator, &count);
            let body = Kind::If(Box::new(condition), Box::new(base), Box::new(again));
            (parameters, Expr::new(own.result.clone(), body))
        });
        let name = own.name.clone();
        (Function { name, recursive: true, modifier: "", annotated: true, parameters, body }, cost)
    }
}
