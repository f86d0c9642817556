//! Expressions: to an operand ([`Body::value`]), or to the end of a block ([`Body::end`]).
//!
//! Both follow the tails of `let` and `;` in a loop, and evaluate in the order of the PSG's children.

use super::{
    body::{Body, Position},
    partial::Target,
};
use clef_base::Span;
use clef_core::{AllocationKind, Atom, End, Rhs};
use clef_psg::{LambdaId, Literal, NodeId, NodeKind, VariableId};
use clef_types::{Primitive, Type, TypeKind};

impl Body<'_, '_> {
    /// Evaluates an expression.
    pub(super) fn value(&mut self, mut node: NodeId) -> Atom {
        loop {
            if let Some(next) = self.prefix(node) {
                node = next;
                continue;
            }
            let data = &self.psg.nodes[node];
            let (span, ty) = (data.span, self.mono(data.ty));
            if let NodeKind::If { .. } | NodeKind::Match { .. } = data.kind {
                return self.scope(ty, span, |this| this.end(node, Position::Scope));
            }
            let NodeKind::Apply { function, arguments } = &data.kind else { return self.simple(node, ty, span) };
            let outcome = self.apply(node, *function, arguments);
            return self.value_of(outcome, ty, span);
        }
    }

    /// Evaluates an expression whose value is that of the block.
    pub(super) fn end(&mut self, mut node: NodeId, position: Position) -> End {
        loop {
            if let Some(next) = self.prefix(node) {
                node = next;
                continue;
            }
            let data = &self.psg.nodes[node];
            let (span, ty) = (data.span, self.mono(data.ty));
            return match &data.kind {
                NodeKind::If { condition, then, otherwise } => {
                    let condition = self.value(*condition);
                    self.if_(condition, |this| this.end(*then, position), |this| this.end(*otherwise, position))
                }
                NodeKind::Match { scrutinee, arms } => self.match_(*scrutinee, arms, span, position),
                NodeKind::Apply { function, arguments } => {
                    let outcome = self.apply(node, *function, arguments);
                    self.end_with(outcome, ty, span, position)
                }
                NodeKind::Literal(_)
                | NodeKind::Variable { .. }
                | NodeKind::Primitive(_)
                | NodeKind::Intrinsic(_)
                | NodeKind::Case { .. }
                | NodeKind::Lambda(_)
                | NodeKind::Let { .. }
                | NodeKind::LetRecursive { .. }
                | NodeKind::Sequence(_)
                | NodeKind::While { .. }
                | NodeKind::For { .. }
                | NodeKind::Tuple(_)
                | NodeKind::Array(_)
                | NodeKind::Assign { .. }
                | NodeKind::AssignField { .. }
                | NodeKind::Foreign { .. }
                | NodeKind::Interpolate(_) => End::Yield(self.simple(node, ty, span)),
            };
        }
    }

    /// Evaluates an expression for its effect.
    pub(super) fn effect(&mut self, node: NodeId) {
        self.value(node);
    }

    /// Evaluates an expression up to its tail, which is returned.
    fn prefix(&mut self, node: NodeId) -> Option<NodeId> {
        match &self.psg.nodes[node].kind {
            NodeKind::Let { binding, body } => {
                self.binding(*binding);
                Some(*body)
            }
            NodeKind::LetRecursive { bindings, body } => {
                self.recursive(bindings);
                Some(*body)
            }
            NodeKind::Sequence(nodes) => {
                let (last, effects) = nodes.split_last()?;
                effects.iter().for_each(|effect| self.effect(*effect));
                Some(*last)
            }
            NodeKind::Apply { function, arguments } => {
                let NodeKind::Lambda(lambda) = self.psg.nodes[*function].kind else { return None };
                self.direct(lambda, arguments)
            }
            NodeKind::Literal(_)
            | NodeKind::Variable { .. }
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Lambda(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::While { .. }
            | NodeKind::For { .. }
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. }
            | NodeKind::Foreign { .. }
            | NodeKind::Interpolate(_) => None,
        }
    }

    /// A literal function applied to all its arguments is a `let`.
    fn direct(&mut self, lambda: LambdaId, arguments: &[NodeId]) -> Option<NodeId> {
        let lambda = &self.psg.lambdas[lambda];
        if lambda.params.len() != arguments.len() {
            return None;
        }
        let atoms = self.values(arguments);
        for (param, atom) in lambda.params.iter().zip(atoms) {
            self.bind_variable(*param, atom);
        }
        Some(lambda.body)
    }

    /// Expressions without a tail.
    fn simple(&mut self, node: NodeId, ty: Type, span: Span) -> Atom {
        match &self.psg.nodes[node].kind {
            NodeKind::Literal(literal) => self.literal(literal, ty),
            NodeKind::Variable { variable, instantiation } => self.variable(*variable, instantiation, ty, span),
            NodeKind::Primitive(primitive) => self.partial(Target::Primitive(*primitive, ty), Vec::new(), 0, span),
            NodeKind::Intrinsic(intrinsic) => self.partial(Target::Intrinsic(*intrinsic, ty), Vec::new(), 0, span),
            NodeKind::Case { case, .. } => {
                if self.is_function(ty) {
                    self.partial(Target::Case(*case, ty), Vec::new(), 0, span)
                } else {
                    let case = self.psg.cases[*case].tag as usize;
                    self.make_case(ty, case, Vec::new(), span)
                }
            }
            NodeKind::Lambda(lambda) => self.lambda(*lambda, span),
            NodeKind::While { condition, body } => self.while_(*condition, *body, span),
            NodeKind::For { variable, from, to, descending, body } => {
                self.for_(*variable, (*from, *to), *descending, *body, span)
            }
            NodeKind::Tuple(parts) => {
                let parts = self.values(parts);
                self.bind(Rhs::Tuple(parts), ty, span)
            }
            NodeKind::Array(elements) => {
                let elements = self.values(elements);
                let allocation = self.allocation(AllocationKind::Array(ty), span);
                self.bind(Rhs::Array { elements, allocation }, ty, span)
            }
            NodeKind::AssignField { target, case, field, value } => {
                let (value, content) = (self.value(*target), self.value(*value));
                let case = self.psg.cases[*case].tag as usize;
                self.run(Rhs::WriteField { value, case, field: *field, content }, span);
                Atom::Unit
            }
            NodeKind::Assign { variable, value } => {
                let value = self.value(*value);
                self.assign(*variable, value, span);
                Atom::Unit
            }
            NodeKind::Foreign { symbol, arguments } => {
                let arguments = self.values(arguments);
                self.bind(Rhs::Foreign { symbol: *symbol, arguments }, ty, span)
            }
            NodeKind::Interpolate(_) => self.text(node),
            NodeKind::Apply { .. }
            | NodeKind::Let { .. }
            | NodeKind::LetRecursive { .. }
            | NodeKind::Sequence(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. } => {
                clef_base::internal::bug("lower", span, "an expression with a tail position is lowered as one without")
            }
        }
    }

    /// A constant of a type.
    pub(super) fn literal(&self, literal: &Literal, ty: Type) -> Atom {
        match literal {
            Literal::Unit => Atom::Unit,
            Literal::Bool(value) => Atom::Bool(*value),
            Literal::Integer(value) => Atom::Integer(*value, ty),
            Literal::Float(value) => Atom::Float(*value, ty),
            Literal::Char(value) => Atom::Char(*value),
            Literal::String(value) => Atom::String(*value),
        }
    }

    fn lambda(&mut self, lambda: LambdaId, span: Span) -> Atom {
        let captured = self.psg.lambdas[lambda].captures.iter().map(|capture| capture.variable);
        let captured = self.lowering.captures.expand(self.psg, &self.lowering.usage, captured);
        let id = self.lowering.literal(lambda, captured.clone(), self.environment.substitution().clone());
        let mut captures = self.captured_all(&captured, span);
        for (_, first) in self.psg.owned(lambda) {
            let value = self.value(*first);
            captures.push(self.reference(value, span));
        }
        self.closure(id, captures, span)
    }

    /// A fresh ref cell.
    fn reference(&mut self, value: Atom, span: Span) -> Atom {
        let content = self.type_of(&value);
        let allocation = self.allocation(AllocationKind::Reference(content), span);
        let ty = self.lowering.types.intern(TypeKind::Reference(content));
        self.bind(Rhs::MakeReference { value, allocation }, ty, span)
    }

    fn while_(&mut self, condition: NodeId, body: NodeId, span: Span) -> Atom {
        let condition = Box::new(self.block(|this| End::Yield(this.value(condition))));
        let body = Box::new(self.block(|this| {
            this.effect(body);
            End::Yield(Atom::Unit)
        }));
        self.run(Rhs::While { condition, body }, span);
        Atom::Unit
    }

    /// A counting loop. It ends when the body has run for the last value: the value after it, which may wrap around, is
    /// not compared. Without a branch at its end, LLVM knows the values of the loop and how often it runs.
    fn for_(
        &mut self,
        variable: VariableId,
        (from, to): (NodeId, NodeId),
        descending: bool,
        body: NodeId,
        span: Span,
    ) -> Atom {
        let ty = self.node_type(from);
        let (from, to) = (self.value(from), self.value(to));
        let (before, step) = match descending {
            true => (Primitive::GreaterEqual, Primitive::Subtract),
            false => (Primitive::LessEqual, Primitive::Add),
        };
        let bool = self.lowering.bool();
        let enter = self.bind(Rhs::Primitive(before, vec![from.clone(), to.clone()]), bool, span);
        let (value_slot, more_slot) = (self.slot("$", from, span), self.slot("$", enter, span));
        let condition =
            Box::new(self.block(|this| End::Yield(this.bind(Rhs::ReadSlot(more_slot.clone()), bool, span))));
        let body = Box::new(self.block(|this| {
            let value = this.bind(Rhs::ReadSlot(value_slot.clone()), ty, span);
            this.bind_variable(variable, value.clone());
            this.effect(body);
            let more = this.bind(Rhs::Primitive(Primitive::NotEqual, vec![value.clone(), to]), bool, span);
            this.run(Rhs::WriteSlot(more_slot, more), span);
            let next = this.bind(Rhs::Primitive(step, vec![value, Atom::Integer(1, ty)]), ty, span);
            this.run(Rhs::WriteSlot(value_slot, next), span);
            End::Yield(Atom::Unit)
        }));
        self.run(Rhs::While { condition, body }, span);
        Atom::Unit
    }
}
