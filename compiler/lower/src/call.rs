//! Calls of known functions, operators, intrinsics, cases and function values, with as many arguments as they take, fewer,
//! or more.

use super::{
    body::{Body, Outcome},
    partial::Target,
};
use clef_base::Span;
use clef_core::{AllocationKind, Atom, Call, Callee, Rhs};
use clef_psg::{NodeId, NodeKind, VariableId};
use clef_types::{Created, Intrinsic, Primitive, Type, TypeKind};

impl Body<'_, '_> {
    /// Applies a function to unevaluated arguments; `node` is the whole call.
    pub(super) fn apply(&mut self, node: NodeId, function: NodeId, arguments: &[NodeId]) -> Outcome {
        let (span, result) = (self.psg.nodes[node].span, self.psg.nodes[node].ty);
        if let Some(logged) = self.log(function, arguments, span) {
            return Outcome::Value(logged);
        }
        if let Some(text) = self.write_pieces(function, arguments, span) {
            return Outcome::Value(text);
        }
        if self.is_text(node) {
            return Outcome::Value(self.text(node));
        }
        let result = self.mono(result);
        match &self.psg.nodes[function].kind {
            NodeKind::Variable { variable, instantiation } if self.lowering.usage.functions.contains_key(variable) => {
                let arguments = self.values(arguments);
                self.apply_named(*variable, instantiation, arguments, span)
            }
            NodeKind::Primitive(primitive) => {
                let ty = self.node_type(function);
                let arguments = self.values(arguments);
                self.apply_target(Target::Primitive(*primitive, ty), primitive.arity(), arguments, ty, span)
            }
            NodeKind::Intrinsic(Intrinsic::FunctionAddress) => {
                Outcome::Value(self.function_address(arguments[0], result, span))
            }
            NodeKind::Intrinsic(intrinsic) => {
                let ty = self.node_type(function);
                let arguments = self.values(arguments);
                self.apply_target(Target::Intrinsic(*intrinsic, ty), intrinsic.arity(), arguments, ty, span)
            }
            NodeKind::Case { case, .. } => {
                if let (Some((&first, rest)), NodeKind::Tuple(fields)) =
                    (arguments.split_first(), &self.psg.nodes[arguments[0]].kind)
                    && rest.is_empty()
                    && self.psg.cases[*case].fields.len() == fields.len()
                    && fields.len() > 1
                {
                    let fields = self.values(fields);
                    let tag = self.psg.cases[*case].tag as usize;
                    let span = self.psg.nodes[first].span.to(span);
                    return Outcome::Value(self.make_case(result, tag, fields, span));
                }
                let ty = self.node_type(function);
                let arguments = self.values(arguments);
                self.apply_target(Target::Case(*case, ty), 1, arguments, ty, span)
            }
            NodeKind::Literal(_)
            | NodeKind::Variable { .. }
            | NodeKind::Apply { .. }
            | NodeKind::Lambda(_)
            | NodeKind::Let { .. }
            | NodeKind::LetRecursive { .. }
            | NodeKind::Sequence(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::While { .. }
            | NodeKind::For { .. }
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. }
            | NodeKind::Foreign { .. }
            | NodeKind::Interpolate(_) => {
                let ty = self.node_type(function);
                let function = self.value(function);
                let arguments = self.values(arguments);
                self.apply_value(function, ty, arguments, span)
            }
        }
    }

    /// The type of a node in this instance.
    pub(super) fn node_type(&mut self, node: NodeId) -> Type {
        self.mono(self.psg.nodes[node].ty)
    }

    /// Evaluates nodes left to right.
    pub(super) fn values(&mut self, nodes: &[NodeId]) -> Vec<Atom> {
        nodes.iter().map(|node| self.value(*node)).collect()
    }

    /// Applies a named function.
    fn apply_named(
        &mut self,
        variable: VariableId,
        instantiation: &[Type],
        arguments: Vec<Atom>,
        span: Span,
    ) -> Outcome {
        let arity = self.psg.lambdas[self.lowering.function_binding(variable).lambda].params.len();
        let substitution = self.environment.substitution().clone();
        let (target, leading) = if self.lowering.captures.is_member(variable) {
            let code = self.lowering.closure_of(variable, &substitution, instantiation, span);
            (Target::Closure(code), vec![self.captured(variable, span)])
        } else {
            let known = self.lowering.known(variable, &substitution, instantiation, span);
            let captured = self.lowering.captures.of(variable).to_vec();
            (Target::Known(known), self.captured_all(&captured, span))
        };
        let function = match target {
            Target::Known(id) | Target::Closure(id) => {
                self.lowering.core.functions[id].closure_type(&mut self.lowering.types)
            }
            Target::Unknown(ty, _) | Target::Primitive(_, ty) | Target::Intrinsic(_, ty) | Target::Case(_, ty) => ty,
        };
        self.apply_to(target, leading, arity, arguments, function, span)
    }

    fn apply_target(
        &mut self,
        target: Target,
        arity: usize,
        arguments: Vec<Atom>,
        function: Type,
        span: Span,
    ) -> Outcome {
        self.apply_to(target, Vec::new(), arity, arguments, function, span)
    }

    /// Applies a target of known arity, whose type is `function`, to arguments.
    fn apply_to(
        &mut self,
        target: Target,
        leading: Vec<Atom>,
        arity: usize,
        mut arguments: Vec<Atom>,
        function: Type,
        span: Span,
    ) -> Outcome {
        let count = leading.len();
        let rest = arguments.split_off(arity.min(arguments.len()));
        let missing = arity - arguments.len();
        let atoms = [leading, arguments].concat();
        if missing > 0 {
            return Outcome::Value(self.partial(target, atoms, count, span));
        }
        let Some((_, result)) = self.lowering.types.uncurry(function, arity) else {
            clef_base::internal::bug("lower", span, "a function's type has fewer arrows than its arity")
        };
        let outcome = self.invoke(target, atoms, result, span);
        if rest.is_empty() {
            return outcome;
        }
        let function = self.value_of(outcome, result, span);
        self.apply_value(function, result, rest, span)
    }

    /// Applies a function value of unknown arity to arguments.
    pub(super) fn apply_value(&mut self, function: Atom, ty: Type, arguments: Vec<Atom>, span: Span) -> Outcome {
        if let Atom::Function(id, _) = function
            && self.lowering.core.functions[id].params.len() == arguments.len()
        {
            return Outcome::Call(Call::new(Callee::Direct(id, function), arguments));
        }
        let id = self.lowering.application(ty, arguments.len(), span);
        let arguments = std::iter::once(function).chain(arguments).collect();
        Outcome::Call(Call::new(Callee::Known(id), arguments))
    }

    /// Performs an intrinsic.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, arguments: Vec<Atom>, result: Type, span: Span) -> Atom {
        if let Some(value) = self.replaced(intrinsic, &arguments, result, span) {
            return value;
        }
        let created = match intrinsic.properties().created {
            Created::Nothing => None,
            Created::String => Some(AllocationKind::String),
            Created::Array => Some(AllocationKind::Array(result)),
        };
        let allocation = created.map(|kind| self.allocation(kind, span));
        self.bind(Rhs::Intrinsic { intrinsic, arguments, allocation }, result, span)
    }

    /// The value of an intrinsic that other operations replace; `None` for those that stay.
    fn replaced(&mut self, intrinsic: Intrinsic, arguments: &[Atom], result: Type, span: Span) -> Option<Atom> {
        Some(match (intrinsic, arguments) {
            (Intrinsic::Zero, _) => self.zero(result, span),
            (Intrinsic::One, _) => {
                let zero = self.zero(result, span);
                if let Atom::Float(_, ty) = zero { Atom::Float(1.0, ty) } else { Atom::Integer(1, self.type_of(&zero)) }
            }
            (Intrinsic::DivideByInt, [value, by]) => self.divide_by_int(value, by, result, span),
            (Intrinsic::StackAllocate, _) => self.stack_allocate(arguments.to_vec(), result, span),
            (Intrinsic::SizeOf, [pointer]) => self.size_of(pointer, span),
            (Intrinsic::FunctionAddress, _) => {
                clef_base::internal::bug("lower", span, "the address of a function is no value")
            }
            (Intrinsic::WordSize, _) => self.integer(i128::from(self.lowering.facts.word_bits)),
            (intrinsic, _) if intrinsic.log_level().is_some() => self.log_string(intrinsic, arguments.to_vec(), span),
            _ => return None,
        })
    }

    /// The zero of a number type.
    fn zero(&self, ty: Type, span: Span) -> Atom {
        match self.kind(ty) {
            TypeKind::Integer(_) => Atom::Integer(0, ty),
            TypeKind::Float32 | TypeKind::Float64 => Atom::Float(0.0, ty),
            other @ (TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Enum(..)
            | TypeKind::Declared(..)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region) => clef_base::internal::bug("lower", span, format!("{other:?} has no zero")),
        }
    }

    /// A float divided by an integer.
    fn divide_by_int(&mut self, value: &Atom, by: &Atom, ty: Type, span: Span) -> Atom {
        let by = self.bind(Rhs::Primitive(Primitive::Convert, vec![by.clone()]), ty, span);
        self.bind(Rhs::Primitive(Primitive::Divide, vec![value.clone(), by]), ty, span)
    }
}
