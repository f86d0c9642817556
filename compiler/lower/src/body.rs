//! The lowering of one function body: a part of the graph becomes the body of a function of Core.
//!
//! In: nodes of the graph. Out: the body of a declared function. One file per construct extends [`Body`].

use super::{Lowering, builder::Builder, environment::Environment, instance::Substitution};
use clef_base::{Span, Symbol};
use clef_core::{
    Allocation, AllocationId, AllocationKind, Atom, Block, Call, Callee, End, FunctionId, Join, JoinId, LocalId, Rhs,
};
use clef_psg::Psg;
use clef_types::{IntegerType, Intrinsic, Type, TypeKind};
use std::rc::Rc;

/// The position of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Position {
    /// It returns from the function: calls are tail calls.
    Tail,
    /// It yields the value of a scope.
    Scope,
}

/// The outcome of an expression: a value, or a pending call that becomes a statement or a tail call.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// A value.
    Value(Atom),
    /// A call.
    Call(Call),
}

/// A function under construction.
pub(super) struct Body<'lowering, 'psg> {
    pub(super) lowering: &'lowering mut Lowering<'psg>,
    pub(super) psg: &'psg Psg,
    /// What is written.
    pub(super) builder: Builder,
    /// What variables and type parameters stand for.
    pub(super) environment: Environment,
}

impl<'lowering, 'psg> Body<'lowering, 'psg> {
    /// Opens the body of a declared function.
    pub(super) fn new(
        lowering: &'lowering mut Lowering<'psg>,
        id: FunctionId,
        substitution: Rc<Substitution>,
    ) -> Body<'lowering, 'psg> {
        let builder = Builder::new(id, &lowering.core.functions[id]);
        let psg = lowering.psg;
        Body { lowering, psg, builder, environment: Environment::new(substitution) }
    }

    /// Closes the body.
    pub(super) fn finish(self, end: End) {
        let function = &mut self.lowering.core.functions[self.builder.id()];
        self.builder.finish(function, end);
    }

    /// Specialises a type of the PSG to this instance.
    pub(super) fn mono(&mut self, ty: Type) -> Type {
        self.environment.substitution().apply(&mut self.lowering.types, ty)
    }

    /// The kind of a type.
    pub(super) fn kind(&self, ty: Type) -> &TypeKind {
        self.lowering.types.kind(ty)
    }

    /// The type of an operand.
    pub(super) fn type_of(&mut self, atom: &Atom) -> Type {
        match atom {
            Atom::Local(local) => self.builder.type_of(*local),
            Atom::Integer(_, ty) | Atom::Float(_, ty) | Atom::Function(_, ty) => *ty,
            Atom::Unit => self.lowering.unit(),
            Atom::Bool(_) => self.lowering.bool(),
            Atom::Char(_) => self.lowering.types.intern(TypeKind::Char),
            Atom::String(_) => self.lowering.string(),
            Atom::ProgramRegion => self.lowering.types.intern(TypeKind::Region),
        }
    }

    /// A fresh local.
    pub(super) fn local(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        self.builder.local(Symbol::new(name), ty, span)
    }

    /// Adds a statement that binds a local.
    pub(super) fn let_(&mut self, local: LocalId, rhs: Rhs, span: Span) {
        self.builder.let_(local, rhs, span);
    }

    /// Adds a statement that binds a fresh unnamed local.
    pub(super) fn bind(&mut self, rhs: Rhs, ty: Type, span: Span) -> Atom {
        self.builder.bind(rhs, ty, span)
    }

    /// Adds a statement for its effect.
    pub(super) fn run(&mut self, rhs: Rhs, span: Span) {
        let unit = self.lowering.unit();
        self.bind(rhs, unit, span);
    }

    /// A new allocation entry of this function.
    pub(super) fn allocation(&mut self, kind: AllocationKind, span: Span) -> AllocationId {
        self.lowering.core.allocations.alloc(Allocation::new(kind, self.builder.id(), span))
    }

    /// A nested block.
    pub(super) fn block(&mut self, build: impl FnOnce(&mut Self) -> End) -> Block {
        let outer = self.builder.open();
        let end = build(self);
        self.builder.close(outer, end)
    }

    /// A conditional end.
    pub(super) fn if_(
        &mut self,
        condition: Atom,
        then: impl FnOnce(&mut Self) -> End,
        otherwise: impl FnOnce(&mut Self) -> End,
    ) -> End {
        let then = Box::new(self.block(then));
        let otherwise = Box::new(self.block(otherwise));
        End::If { condition, then, otherwise }
    }

    /// A statement with control flow of its own.
    pub(super) fn scope(&mut self, ty: Type, span: Span, build: impl FnOnce(&mut Self) -> End) -> Atom {
        let block = self.block(build);
        self.bind(Rhs::Scope(Box::new(block)), ty, span)
    }

    /// An end with a join.
    pub(super) fn join(
        &mut self,
        params: Vec<LocalId>,
        body: impl FnOnce(&mut Self) -> End,
        scope: impl FnOnce(&mut Self, JoinId) -> End,
    ) -> End {
        let id = self.builder.join();
        let body = Box::new(self.block(body));
        let scope = Box::new(self.block(|this| scope(this, id)));
        End::Join { join: Join { id, params, body }, scope }
    }

    /// Emits the call, if it is one, and returns the value.
    pub(super) fn value_of(&mut self, outcome: Outcome, ty: Type, span: Span) -> Atom {
        match outcome {
            Outcome::Value(atom) => atom,
            Outcome::Call(call) => self.bind(Rhs::Call(call), ty, span),
        }
    }

    /// Ends a block with the value or the call.
    pub(super) fn end_with(&mut self, outcome: Outcome, ty: Type, span: Span, position: Position) -> End {
        match (outcome, position) {
            (Outcome::Value(atom), _) => End::Yield(atom),
            (Outcome::Call(call), Position::Scope) => End::Yield(self.bind(Rhs::Call(call), ty, span)),
            (Outcome::Call(call), Position::Tail) => self.tail_call(call, span),
        }
    }

    fn tail_call(&mut self, call: Call, span: Span) -> End {
        let function = &self.lowering.core.functions[self.builder.id()];
        let itself = match &call.callee {
            Callee::Known(callee) => {
                let captures = function.params.iter().take(function.leading_captures);
                let same = captures.zip(&call.arguments).all(|(param, atom)| *atom == Atom::Local(*param));
                *callee == self.builder.id() && same
            }
            Callee::Direct(callee, closure) => {
                *callee == self.builder.id() && function.itself().is_some_and(|itself| *closure == Atom::Local(itself))
            }
            Callee::Closure(_) => false,
        };
        if itself { End::Continue(call.arguments) } else { End::TailCall { call, required: false, place: span.into() } }
    }

    /// The number of elements of an array, as `int`.
    pub(super) fn array_length(&mut self, array: Atom, span: Span) -> Atom {
        let int = self.lowering.int();
        let (intrinsic, arguments) = (Intrinsic::ArrayLength, vec![array]);
        self.bind(Rhs::Intrinsic { intrinsic, arguments, allocation: None }, int, span)
    }

    /// An element of an array of type `of`.
    pub(super) fn array_element(&mut self, array: Atom, index: Atom, of: Type, span: Span) -> Atom {
        let (intrinsic, arguments) = (Intrinsic::ArrayGet, vec![array, index]);
        self.bind(Rhs::Intrinsic { intrinsic, arguments, allocation: None }, of, span)
    }

    /// An `int`.
    pub(super) fn integer(&mut self, value: i128) -> Atom {
        let int = self.lowering.types.intern(TypeKind::Integer(IntegerType::Int));
        Atom::Integer(value, int)
    }
}
