//! Evaluation of expressions.

use super::{
    Interpreter, Stop, Trap, TrapKind,
    instantiation::{Instance, Instantiation, arguments, extended, instantiate},
    value::{Callable, Frame, Generic, Group, Operation, Slot, Value},
};
use clef_base::{Span, internal::bug};
use clef_psg::{
    Arm, Binding, Capture, CaptureMode, Item, LambdaId, Literal, Mutability, NodeId, NodeKind, Part, PatternId,
    PatternKind, Scope, VariableId, plain::Plain,
};
use clef_types::{IntegerType, Intrinsic, Type, TypeKind};
use std::{cell::RefCell, rc::Rc};

/// The number of expressions between two looks at whether the run is interrupted.
const STEPS_BETWEEN_LOOKS: u64 = 1024;

/// The result of an expression in tail position.
pub(super) enum Flow {
    Value(Value),
    /// A call that the caller of the running function must make: function and arguments.
    TailCall(Value, Vec<Value>),
}

impl Interpreter<'_> {
    /// Initialises modules: runs items in order.
    pub(super) fn items(&mut self, items: &[Item]) -> Result<(), Stop> {
        items.iter().try_for_each(|item| self.item(item))
    }

    /// Runs an item of a module.
    pub(super) fn item(&mut self, item: &Item) -> Result<(), Stop> {
        let mut frame = Frame::default();
        match item {
            Item::Let(binding) => self.bind(binding, &mut frame),
            Item::Recursive(bindings) => {
                self.bind_group(bindings, &mut frame);
                Ok(())
            }
            Item::Effect(node) => self.value(*node, &mut frame).map(drop),
        }
    }

    /// Calls the entry point, if there is one; the status is the low 32 bits of its result.
    pub(super) fn entry_point(&mut self) -> Result<i32, Stop> {
        let Some(entry) = self.psg.entry else { return Ok(0) };
        let variable = &self.psg.variables[entry];
        let argument = match self.psg.types.uncurry(variable.ty, 1) {
            Some((parameters, _)) if *self.psg.types.kind(parameters[0]) == TypeKind::Unit => Value::Unit,
            _ => Value::array(self.console.arguments.iter().map(|argument| Value::text(argument)).collect()),
        };
        let function = self.module_value(entry, variable.span)?;
        match self.apply(function, vec![argument])? {
            Value::Integer(_, status) => Ok(status as i32),
            other => bug("interpret", variable.span, format!("the entry point returned {}", other.describe())),
        }
    }

    /// Evaluates to a value.
    pub(super) fn value(&mut self, node: NodeId, frame: &mut Frame) -> Result<Value, Stop> {
        let height = frame.0.len();
        let flow = self.flow(node, frame)?;
        frame.0.truncate(height);
        match flow {
            Flow::Value(value) => Ok(value),
            Flow::TailCall(function, arguments) => self.apply(function, arguments),
        }
    }

    /// The zero of a number type.
    pub(super) fn zero(&self, ty: Type, span: Span) -> Value {
        match self.psg.types.kind(ty) {
            TypeKind::Integer(kind) => Value::Integer(*kind, 0),
            TypeKind::Float32 => Value::Float32(0.0),
            TypeKind::Float64 => Value::Float64(0.0),
            TypeKind::Enum(id, kind) => Value::Enum(*id, *kind, 0),
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Declared(..)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => bug("interpret", span, "the zero of a type without one"),
        }
    }

    /// Evaluates nodes from left to right.
    fn values(&mut self, nodes: &[NodeId], frame: &mut Frame) -> Result<Vec<Value>, Stop> {
        nodes.iter().map(|node| self.value(*node, frame)).collect()
    }

    /// Evaluates an expression in tail position; the variables that it binds stay in the frame.
    pub(super) fn flow(&mut self, node: NodeId, frame: &mut Frame) -> Result<Flow, Stop> {
        if self.depth == 0 {
            return Err(Stop::Trap(Trap { kind: TrapKind::StackOverflow, span: None }));
        }
        self.depth -= 1;
        let flow = self.steps(node, frame);
        self.depth += 1;
        flow
    }

    /// Iterates from an expression to the one in its tail position.
    fn steps(&mut self, mut node: NodeId, frame: &mut Frame) -> Result<Flow, Stop> {
        let psg = self.psg;
        loop {
            self.burn()?;
            node = match &psg.nodes[node].kind {
                NodeKind::Let { binding, body } => {
                    self.bind(binding, frame)?;
                    *body
                }
                NodeKind::LetRecursive { bindings, body } => {
                    self.bind_group(bindings, frame);
                    *body
                }
                NodeKind::Sequence(nodes) => {
                    let (last, before) =
                        nodes.split_last().unwrap_or_else(|| bug("interpret", None, "an empty sequence"));
                    for effect in before {
                        self.value(*effect, frame)?;
                    }
                    *last
                }
                NodeKind::If { condition, then, otherwise } => {
                    if self.condition(*condition, frame)? {
                        *then
                    } else {
                        *otherwise
                    }
                }
                NodeKind::Match { scrutinee, arms } => {
                    let value = self.value(*scrutinee, frame)?;
                    self.arm(&value, arms, frame)?.ok_or_else(|| Stop::trap(TrapKind::NoMatch, psg.nodes[node].span))?
                }
                NodeKind::Apply { function, arguments } => return self.call(node, *function, arguments, frame),
                NodeKind::Literal(_)
                | NodeKind::Variable { .. }
                | NodeKind::Primitive(_)
                | NodeKind::Intrinsic(_)
                | NodeKind::Case { .. }
                | NodeKind::Lambda(_)
                | NodeKind::While { .. }
                | NodeKind::For { .. }
                | NodeKind::Tuple(_)
                | NodeKind::Array(_)
                | NodeKind::Assign { .. }
                | NodeKind::AssignField { .. }
                | NodeKind::Foreign { .. }
                | NodeKind::Interpolate(_) => return self.simple(node, frame).map(Flow::Value),
            };
        }
    }

    /// Takes the fuel of one expression.
    fn burn(&mut self) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::OutOfFuel)?;
        let looks = self.fuel.is_multiple_of(STEPS_BETWEEN_LOOKS);
        if looks && (self.interrupted)() { Err(Stop::OutOfFuel) } else { Ok(()) }
    }

    /// Evaluates function and arguments, and returns the call to the caller unless it is an operation.
    fn call(&mut self, node: NodeId, function: NodeId, arguments: &[NodeId], frame: &mut Frame) -> Result<Flow, Stop> {
        let psg = self.psg;
        // A trap is reported at the call, or at the operation if that is not called there.
        let span = psg.nodes[node].span;
        let callee = match &psg.nodes[function].kind {
            NodeKind::Primitive(primitive) if arguments.len() == primitive.arity() => {
                let operands = self.values(arguments, frame)?;
                let result = Instance::new(&psg.types, psg.nodes[node].ty, &frame.1).ty;
                return self.primitive(*primitive, &operands, result, span).map(Flow::Value);
            }
            NodeKind::Intrinsic(Intrinsic::SizeOf) => return Ok(Flow::Value(self.size_of(function, span, frame))),
            NodeKind::Primitive(_) | NodeKind::Intrinsic(_) => self.operation(function, span, frame),
            NodeKind::Variable { variable, instantiation } => self.named(*variable, instantiation, span, frame)?,
            _ => self.value(function, frame)?,
        };
        Ok(Flow::TailCall(callee, self.values(arguments, frame)?))
    }

    /// The value of a variable at the types of this use; if it is a library function marked so, its traps report the span of
    /// this use.
    fn named(&mut self, variable: VariableId, types: &[Type], place: Span, frame: &Frame) -> Result<Value, Stop> {
        let value = match self.find(variable, place, frame).clone() {
            Slot::Immutable(value) => instantiate(value, &arguments(self.psg, variable, types, &frame.1)),
            Slot::Mutable(cell) => cell.borrow().clone(),
            Slot::Generic(generic) => {
                let own = arguments(self.psg, variable, types, &frame.1);
                self.generic(variable, &generic, extended(&generic.frame.1, &own))?
            }
        };
        Ok(match &value {
            Value::Function(function) if self.psg.variables[variable].marks.trap_at_call => {
                Value::function(Callable::Placed(function.clone(), self.outermost(place)))
            }
            _ => value,
        })
    }

    /// Evaluates a generalised value.
    fn generic(&mut self, variable: VariableId, generic: &Generic, types: Instantiation) -> Result<Value, Stop> {
        let Generic { binding, frame } = generic;
        let mut inner = Frame(frame.0.clone(), types);
        let value = self.value(binding.value, &mut inner)?;
        if let PatternKind::Variable(_) = self.psg.patterns[binding.pattern].kind {
            return Ok(value);
        }
        // Variables of modules are in no frame: they become generic again.
        let span = self.psg.variables[variable].span;
        let is_global = |variable: &VariableId| self.psg.variables[*variable].scope == Scope::Module;
        let bound = self.psg.bound_by(binding.pattern).into_iter().filter(is_global);
        let before: Vec<_> = bound.map(|bound| (bound, self.find(bound, span, frame).clone())).collect();
        self.destructure(binding.pattern, &value, &mut inner)?;
        let Slot::Immutable(part) = self.find(variable, span, &inner).clone() else {
            bug("interpret", span, "a part of a generalised value has no value")
        };
        for (bound, slot) in before {
            self.define_slot(bound, slot, &mut inner);
        }
        Ok(part)
    }

    /// The span that traps at a span report.
    fn outermost(&self, place: Span) -> Span {
        match self.places.last() {
            Some((within, outer)) if within.contains(place) => *outer,
            Some(_) | None => place,
        }
    }

    fn foreign(&self, span: Span) -> Result<Value, Stop> {
        Err(Stop::trap(TrapKind::OnlyOnMachines("foreign functions"), span))
    }

    /// The size of a pointee in bytes, by the type of the `sizeof` function.
    fn size_of(&self, function: NodeId, span: Span, frame: &Frame) -> Value {
        let mut types = self.psg.types.clone();
        let function = Instance::new(&types, self.psg.nodes[function].ty, &frame.1).closed(&mut types);
        let pointer = types.uncurry(function, 1).map(|(parameters, _)| parameters[0]);
        let Some(TypeKind::NativePointer(of)) = pointer.map(|pointer| types.kind(pointer).clone()) else {
            bug("interpret", span, "size of a type that is not a pointer")
        };
        match Plain::of(self.psg, &mut types, of, self.facts) {
            Ok(plain) => self.int(i128::from(plain.extent().size.0)),
            Err(part) => bug("interpret", span, format!("the size of {:?}", part.kind)),
        }
    }

    /// Evaluates an expression without a tail position.
    fn simple(&mut self, node: NodeId, frame: &mut Frame) -> Result<Value, Stop> {
        let psg = self.psg;
        let span = psg.nodes[node].span;
        match &psg.nodes[node].kind {
            NodeKind::Literal(literal) => Ok(self.literal(literal, psg.nodes[node].ty, span)),
            NodeKind::Variable { variable, instantiation } => self.named(*variable, instantiation, span, frame),
            NodeKind::Primitive(_) | NodeKind::Intrinsic(_) => Ok(self.operation(node, span, frame)),
            NodeKind::Case { case, .. } if psg.cases[*case].fields.is_empty() => Ok(Value::Case(*case, Rc::new([]))),
            NodeKind::Case { case, .. } => Ok(Value::function(Callable::Case(*case))),
            NodeKind::Lambda(lambda) => self.owner(*lambda, frame),
            NodeKind::Tuple(nodes) => Ok(Value::Tuple(self.values(nodes, frame)?.into())),
            NodeKind::Array(nodes) => Ok(Value::array(self.values(nodes, frame)?)),
            NodeKind::While { condition, body } => {
                while self.condition(*condition, frame)? {
                    self.value(*body, frame)?;
                }
                Ok(Value::Unit)
            }
            NodeKind::For { variable, from, to, descending, body } => {
                let bounds = (self.value(*from, frame)?, self.value(*to, frame)?);
                self.for_range(*variable, bounds, *descending, *body, frame)
            }
            NodeKind::AssignField { target, field, value, .. } => {
                let (target, value) = (self.value(*target, frame)?, self.value(*value, frame)?);
                match &target {
                    Value::Case(_, fields) if let Value::Reference(cell) = &fields[*field] => {
                        cell.replace(value);
                    }
                    other => bug("interpret", span, format!("assignment to a field of {}", other.describe())),
                }
                Ok(Value::Unit)
            }
            NodeKind::Assign { variable, value } => {
                let value = self.value(*value, frame)?;
                self.write(*variable, value, span, frame);
                Ok(Value::Unit)
            }
            NodeKind::Foreign { .. } => self.foreign(span),
            NodeKind::Interpolate(parts) => self.interpolate(parts, frame),
            NodeKind::Let { .. }
            | NodeKind::LetRecursive { .. }
            | NodeKind::Sequence(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::Apply { .. } => bug("interpret", span, "this expression has a subexpression in tail position"),
        }
    }

    fn literal(&self, literal: &Literal, ty: Type, span: Span) -> Value {
        match (literal, self.psg.types.kind(ty)) {
            (Literal::Unit, _) => Value::Unit,
            (Literal::Bool(value), _) => Value::Bool(*value),
            (Literal::Integer(value), TypeKind::Integer(kind)) => Value::Integer(*kind, *value),
            (Literal::Integer(value), TypeKind::Enum(id, kind)) => Value::Enum(*id, *kind, *value),
            (Literal::Float(value), TypeKind::Float32) => Value::Float32(*value as f32),
            (Literal::Float(value), _) => Value::Float64(*value),
            (Literal::Char(value), _) => Value::Char(u32::from(*value)),
            (Literal::String(value), _) => Value::text(value.as_str()),
            (Literal::Integer(_), other) => bug("interpret", span, format!("an integer literal of type {other:?}")),
        }
    }

    /// The function value of a primitive or an intrinsic.
    fn operation(&self, node: NodeId, span: Span, frame: &Frame) -> Value {
        let node = &self.psg.nodes[node];
        let (operation, arity) = match &node.kind {
            NodeKind::Primitive(primitive) => (Operation::Primitive(*primitive), primitive.arity()),
            NodeKind::Intrinsic(intrinsic) => (Operation::Intrinsic(*intrinsic), intrinsic.arity()),
            other => bug("interpret", node.span, format!("{other:?} is not an operation")),
        };
        let Some((_, result)) = self.psg.types.uncurry(node.ty, arity) else {
            bug("interpret", node.span, "the type of an operation is not a function")
        };
        let result = Instance::new(&self.psg.types, result, &frame.1).ty;
        Value::function(Callable::Operation { operation, result, span })
    }

    fn condition(&mut self, node: NodeId, frame: &mut Frame) -> Result<bool, Stop> {
        match self.value(node, frame)? {
            Value::Bool(value) => Ok(value),
            other => {
                bug("interpret", self.psg.nodes[node].span, format!("a condition evaluated to {}", other.describe()))
            }
        }
    }

    /// The body of the first arm that matches; its variables are bound.
    fn arm(&mut self, value: &Value, arms: &[Arm], frame: &mut Frame) -> Result<Option<NodeId>, Stop> {
        let height = frame.0.len();
        for arm in arms {
            if self.matches(arm.pattern, value, frame) && self.guard(arm.guard, frame)? {
                return Ok(Some(arm.body));
            }
            frame.0.truncate(height);
        }
        Ok(None)
    }

    fn guard(&mut self, guard: Option<NodeId>, frame: &mut Frame) -> Result<bool, Stop> {
        guard.map_or(Ok(true), |guard| self.condition(guard, frame))
    }

    fn for_range(
        &mut self,
        variable: VariableId,
        bounds: (Value, Value),
        descending: bool,
        body: NodeId,
        frame: &mut Frame,
    ) -> Result<Value, Stop> {
        let (Value::Integer(kind, from), Value::Integer(_, to)) = bounds else {
            bug("interpret", self.psg.variables[variable].span, "the bounds of a loop are not integers")
        };
        let mut iteration = |this: &mut Self, index: i128| {
            let height = frame.0.len();
            this.define(variable, Value::Integer(kind, index), frame);
            let result = this.value(body, frame);
            frame.0.truncate(height);
            result.map(drop)
        };
        if descending {
            (to..=from).rev().try_for_each(|index| iteration(self, index))?;
        } else {
            (from..=to).try_for_each(|index| iteration(self, index))?;
        }
        Ok(Value::Unit)
    }

    fn interpolate(&mut self, parts: &[Part], frame: &mut Frame) -> Result<Value, Stop> {
        let mut text = Vec::new();
        for part in parts {
            match part {
                Part::Text(literal) => text.extend_from_slice(literal.as_str().as_bytes()),
                Part::Value(node) => match self.value(*node, frame)? {
                    Value::Text(value) => text.extend_from_slice(&value),
                    other => bug(
                        "interpret",
                        self.psg.nodes[*node].span,
                        format!("a part of an interpolated string evaluated to {}", other.describe()),
                    ),
                },
            }
        }
        Ok(Value::Text(text.into()))
    }

    /// The function value of a lambda, with its captures and the variables that it owns.
    fn owner(&mut self, lambda: LambdaId, frame: &mut Frame) -> Result<Value, Stop> {
        let psg = self.psg;
        let owned = psg.owned(lambda);
        if owned.is_empty() {
            return Ok(self.closure(lambda, frame));
        }
        let captures = psg.lambdas[lambda].captures.iter();
        let mut captured: Vec<_> = captures.map(|capture| (capture.variable, self.capture(capture, frame))).collect();
        for (variable, first) in owned {
            let first = self.value(*first, frame)?;
            captured.push((*variable, Slot::Mutable(Rc::new(RefCell::new(first)))));
        }
        Ok(self.placed(lambda, Value::function(Callable::Closure(lambda, captured.into(), frame.1.clone()))))
    }

    /// A function value within a function whose traps report another span reports that span too.
    fn placed(&self, lambda: LambdaId, function: Value) -> Value {
        match (self.places.last(), &function) {
            (Some((within, place)), Value::Function(inner)) if within.contains(self.psg.lambdas[lambda].span) => {
                Value::function(Callable::Placed(inner.clone(), *place))
            }
            _ => function,
        }
    }

    /// The function value of a lambda, with its captures.
    fn closure(&self, lambda: LambdaId, frame: &Frame) -> Value {
        let captures = self.psg.lambdas[lambda].captures.iter();
        let captures = captures.map(|capture| (capture.variable, self.capture(capture, frame))).collect();
        self.placed(lambda, Value::function(Callable::Closure(lambda, captures, frame.1.clone())))
    }

    fn capture(&self, capture: &Capture, frame: &Frame) -> Slot {
        let slot = self.find(capture.variable, capture.first_use, frame);
        match capture.mode {
            CaptureMode::Value if let Slot::Mutable(cell) = slot => Slot::Immutable(cell.borrow().clone()),
            CaptureMode::Value | CaptureMode::Reference => slot.clone(),
        }
    }

    /// Evaluates and binds; generalised values are evaluated where they are used.
    fn bind(&mut self, binding: &Binding, frame: &mut Frame) -> Result<(), Stop> {
        let generic = self.generalised(binding, frame);
        if generic.is_empty() || generic.len() < self.psg.bound_by(binding.pattern).len() {
            let value = self.value(binding.value, frame)?;
            self.destructure(binding.pattern, &value, frame)?;
        }
        for (variable, slot) in generic {
            self.define_slot(variable, slot, frame);
        }
        Ok(())
    }

    /// Binds the parts of a value; traps at the pattern if it does not match.
    fn destructure(&mut self, pattern: PatternId, value: &Value, frame: &mut Frame) -> Result<(), Stop> {
        match self.matches(pattern, value, frame) {
            true => Ok(()),
            false => Err(Stop::trap(TrapKind::NoMatch, self.psg.patterns[pattern].span)),
        }
    }

    /// The generalised variables of a binding, except functions.
    fn generalised(&self, binding: &Binding, frame: &Frame) -> Vec<(VariableId, Slot)> {
        if let NodeKind::Lambda(_) = self.psg.nodes[binding.value].kind {
            return Vec::new();
        }
        let mut bound = self.psg.bound_by(binding.pattern);
        bound.retain(|variable| !self.psg.variables[*variable].generics.is_empty());
        let slot = || Slot::Generic(Rc::new(Generic { binding: *binding, frame: frame.clone() }));
        bound.into_iter().map(|variable| (variable, slot())).collect()
    }

    /// Binds mutually recursive functions; at module level they refer to each other's globals.
    fn bind_group(&mut self, bindings: &[Binding], frame: &mut Frame) {
        let members: Vec<(VariableId, LambdaId)> = bindings.iter().map(|binding| self.member(binding)).collect();
        let (global, members): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|(variable, _)| self.psg.variables[*variable].scope == Scope::Module);
        for (variable, lambda) in global {
            self.define(variable, self.closure(lambda, frame), frame);
        }
        let mut captures: Vec<(VariableId, Slot)> = Vec::new();
        for (_, lambda) in &members {
            for capture in &self.psg.lambdas[*lambda].captures {
                let known = |(name, _): &(VariableId, LambdaId)| *name == capture.variable;
                if !members.iter().any(known) && !captures.iter().any(|(name, _)| *name == capture.variable) {
                    captures.push((capture.variable, self.capture(capture, frame)));
                }
            }
        }
        let group = Rc::new(Group { members, captures });
        for (variable, lambda) in &group.members {
            let member = Callable::Member(*lambda, group.clone(), frame.1.clone());
            self.define(*variable, Value::function(member), frame);
        }
    }

    fn member(&self, binding: &Binding) -> (VariableId, LambdaId) {
        match (&self.psg.patterns[binding.pattern].kind, &self.psg.nodes[binding.value].kind) {
            (PatternKind::Variable(variable), NodeKind::Lambda(lambda)) => (*variable, *lambda),
            _ => bug("interpret", self.psg.patterns[binding.pattern].span, "a recursive binding is not a function"),
        }
    }

    /// Initialises a variable.
    pub(super) fn define(&mut self, variable: VariableId, value: Value, frame: &mut Frame) {
        let declared = &self.psg.variables[variable];
        let slot = match declared.mutability {
            Mutability::Immutable => Slot::Immutable(value),
            Mutability::Mutable => Slot::Mutable(Rc::new(RefCell::new(value))),
        };
        self.define_slot(variable, slot, frame);
    }

    fn define_slot(&mut self, variable: VariableId, slot: Slot, frame: &mut Frame) {
        match self.psg.variables[variable].scope {
            Scope::Module => drop(self.globals.insert(variable, slot)),
            Scope::Local => frame.0.push((variable, slot)),
        }
    }

    fn find<'f>(&'f self, variable: VariableId, span: Span, frame: &'f Frame) -> &'f Slot {
        let declared = &self.psg.variables[variable];
        let slot = match declared.scope {
            Scope::Module => self.globals.get(variable),
            Scope::Local => frame.slot(variable),
        };
        slot.unwrap_or_else(|| bug("interpret", span, format!("`{}` is neither bound nor captured", declared.path)))
    }

    /// The value of a module-level variable.
    pub(super) fn module_value(&mut self, variable: VariableId, span: Span) -> Result<Value, Stop> {
        self.named(variable, &[], span, &Frame::default())
    }

    fn write(&self, variable: VariableId, value: Value, span: Span, frame: &Frame) {
        match self.find(variable, span, frame) {
            Slot::Mutable(cell) => drop(cell.replace(value)),
            Slot::Immutable(_) | Slot::Generic(_) => bug("interpret", span, "assignment to an immutable variable"),
        }
    }

    /// An `int`.
    pub(super) fn int(&self, value: i128) -> Value {
        Value::Integer(IntegerType::Int, super::integer::wrap(IntegerType::Int, value, self.facts))
    }
}
