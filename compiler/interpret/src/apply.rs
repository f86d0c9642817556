//! Application: arguments accumulate in partial applications; a call happens when the arity is reached.

use super::{
    Interpreter, Stop,
    evaluate::Flow,
    instantiation::Instantiation,
    value::{Callable, Frame, Function, Group, Operation, Slot, Value},
};
use clef_base::{Span, internal::bug};
use clef_psg::{LambdaId, VariableId};
use clef_types::{CaseId, Intrinsic, Type};
use std::{cell::RefCell, rc::Rc};

impl Interpreter<'_> {
    /// Applies a function to arguments, and runs the resulting tail calls.
    pub(super) fn apply(&mut self, mut function: Value, mut arguments: Vec<Value>) -> Result<Value, Stop> {
        loop {
            match self.apply_once(function, arguments)? {
                Flow::Value(value) => return Ok(value),
                Flow::TailCall(next, rest) => (function, arguments) = (next, rest),
            }
        }
    }

    /// Applies a function to as many arguments as it takes; the rest is a further call.
    fn apply_once(&mut self, function: Value, mut arguments: Vec<Value>) -> Result<Flow, Stop> {
        let Value::Function(function) = function else {
            bug("interpret", None, format!("application of {}", function.describe()))
        };
        let missing = self.arity(&function.callable) - function.applied.len();
        let rest = arguments.split_off(missing.min(arguments.len()));
        let mut applied = function.applied.clone();
        applied.append(&mut arguments);
        if applied.len() < self.arity(&function.callable) {
            let callable = function.callable.clone();
            return Ok(Flow::Value(Value::Function(Rc::new(Function { callable, applied }))));
        }
        let flow = self.perform(&function.callable, applied)?;
        if rest.is_empty() {
            return Ok(flow);
        }
        let result = match flow {
            Flow::Value(value) => value,
            Flow::TailCall(function, arguments) => self.apply(function, arguments)?,
        };
        Ok(Flow::TailCall(result, rest))
    }

    fn arity(&self, callable: &Callable) -> usize {
        match callable {
            Callable::Closure(lambda, ..) | Callable::Member(lambda, ..) => self.psg.lambdas[*lambda].params.len(),
            Callable::Operation { operation: Operation::Primitive(primitive), .. } => primitive.arity(),
            Callable::Operation { operation: Operation::Intrinsic(intrinsic), .. } => intrinsic.arity(),
            Callable::Case(_) => 1,
            Callable::Placed(function, _) => self.arity(&function.callable) - function.applied.len(),
        }
    }

    /// Calls with as many arguments as the arity.
    fn perform(&mut self, callable: &Callable, arguments: Vec<Value>) -> Result<Flow, Stop> {
        match callable {
            Callable::Closure(lambda, captures, types) => {
                self.body(*lambda, Frame(captures.to_vec(), types.clone()), arguments)
            }
            Callable::Member(lambda, group, types) => {
                self.body(*lambda, Frame(self.visible(*lambda, group, types), types.clone()), arguments)
            }
            Callable::Operation { operation, result, span } => {
                self.operate(*operation, &arguments, *result, *span).map(Flow::Value)
            }
            Callable::Case(case) => Ok(Flow::Value(self.inject(*case, arguments))),
            Callable::Placed(function, place) => self.perform_at(function, arguments, *place).map(Flow::Value),
        }
    }

    fn operate(&mut self, operation: Operation, arguments: &[Value], result: Type, span: Span) -> Result<Value, Stop> {
        match operation {
            Operation::Primitive(primitive) => self.primitive(primitive, arguments, result, span),
            Operation::Intrinsic(Intrinsic::Zero) => Ok(self.zero(result, span)),
            Operation::Intrinsic(intrinsic) => self.intrinsic(intrinsic, arguments, span),
        }
    }

    /// Calls a function whose traps report a given span.
    fn perform_at(&mut self, function: &Rc<Function>, arguments: Vec<Value>, place: Span) -> Result<Value, Stop> {
        let Some(within) = self.text(&function.callable) else {
            return self.apply(Value::Function(function.clone()), arguments);
        };
        self.places.push((within, place));
        let result = self.apply(Value::Function(function.clone()), arguments);
        self.places.pop();
        result.map_err(|stop| stop.moved(within, place))
    }

    /// The span of a function's code.
    fn text(&self, callable: &Callable) -> Option<Span> {
        match callable {
            Callable::Closure(lambda, ..) | Callable::Member(lambda, ..) => Some(self.psg.lambdas[*lambda].span),
            Callable::Placed(function, _) => self.text(&function.callable),
            Callable::Operation { .. } | Callable::Case(_) => None,
        }
    }

    /// Runs the body of a lambda in a frame with what is visible there.
    fn body(&mut self, lambda: LambdaId, mut frame: Frame, arguments: Vec<Value>) -> Result<Flow, Stop> {
        let lambda = &self.psg.lambdas[lambda];
        for (parameter, argument) in lambda.params.iter().zip(arguments) {
            self.define(*parameter, argument, &mut frame);
        }
        self.flow(lambda.body, &mut frame)
    }

    /// The variables of a member of a recursive group: its captures, and the members.
    fn visible(&self, lambda: LambdaId, group: &Rc<Group>, types: &Instantiation) -> Vec<(VariableId, Slot)> {
        let wanted = &self.psg.lambdas[lambda].captures;
        let captured = group.captures.iter().filter(|(name, _)| wanted.iter().any(|capture| capture.variable == *name));
        let members = group.members.iter().map(|(name, lambda)| {
            (*name, Slot::Immutable(Value::function(Callable::Member(*lambda, group.clone(), types.clone()))))
        });
        captured.cloned().chain(members).collect()
    }

    /// A value of a case; each of its mutable fields is in a cell.
    fn make_case(&self, case: CaseId, fields: Rc<[Value]>) -> Value {
        let mutable = &self.psg.cases[case].mutable;
        if mutable.is_empty() {
            return Value::Case(case, fields);
        }
        let stored = fields.iter().enumerate().map(|(position, field)| match mutable.contains(&position) {
            true => Value::Reference(Rc::new(RefCell::new(field.clone()))),
            false => field.clone(),
        });
        Value::Case(case, stored.collect())
    }

    fn inject(&self, case: CaseId, mut arguments: Vec<Value>) -> Value {
        let several = self.psg.cases[case].fields.len() > 1;
        match arguments.pop() {
            Some(Value::Tuple(fields)) if several => self.make_case(case, fields),
            Some(field) if !several => self.make_case(case, Rc::new([field])),
            _ => bug("interpret", self.psg.cases[case].span, "a case is applied to values that are not its fields"),
        }
    }
}
