//! Functions as values: closures of directly called functions and of partial applications.
//!
//! For a target and a number of arguments there is one function, whose captures are those arguments, and whose parameters
//! are the rest. Without arguments it is the target itself as a value. If all captures are constant, they are part of the
//! code, and the closure is a constant. A target whose traps have no place of their own has one function for each place
//! where it is used, which its traps report.

use super::{
    Lowering,
    body::{Body, Outcome, Position},
    function::Signature,
    instance::{Key, Substitution},
};
use clef_base::{Span, Symbol, internal};
use clef_core::{
    AllocationKind, Atom, Call, Callee, Convention, FunctionId, Inlining, Local, LocalId, MakeClosure, Rhs,
};
use clef_types::{CaseId, Intrinsic, Primitive, Type, TypeKind};
use la_arena::Arena;

/// The callee of a partial application.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Target {
    /// A known function.
    Known(FunctionId),
    /// A closure of this code.
    Closure(FunctionId),
    /// A closure of this type, of this arity.
    Unknown(Type, usize),
    /// An operator of this type.
    Primitive(Primitive, Type),
    /// An intrinsic of this type.
    Intrinsic(Intrinsic, Type),
    /// A case, as a function of this type.
    Case(CaseId, Type),
}

/// The types of a target's arguments.
struct Shape {
    /// Lifted captures, or the closure.
    leading: Vec<Type>,
    /// The arguments.
    params: Vec<Type>,
    result: Type,
}

impl Lowering<'_> {
    fn shape(&mut self, target: Target, span: Span) -> Shape {
        let (leading, ty, arity) = match target {
            Target::Known(id) => {
                let function = &self.core.functions[id];
                let ty = |local: &LocalId| function.locals[*local].ty;
                let (leading, params) = function.params.split_at(function.leading_captures);
                let (leading, params) = (leading.iter().map(ty).collect(), params.iter().map(ty).collect());
                return Shape { leading, params, result: function.result };
            }
            Target::Closure(id) => {
                let arity = self.core.functions[id].params.len();
                let ty = self.core.functions[id].closure_type(&mut self.types);
                (vec![ty], ty, arity)
            }
            Target::Unknown(ty, arity) => (vec![ty], ty, arity),
            Target::Primitive(primitive, ty) => (Vec::new(), ty, primitive.arity()),
            Target::Intrinsic(intrinsic, ty) => (Vec::new(), ty, intrinsic.arity()),
            Target::Case(_, ty) => (Vec::new(), ty, 1),
        };
        match self.types.uncurry(ty, arity) {
            Some((params, result)) => Shape { leading, params, result },
            None => internal::bug("lower", span, "a function's type has fewer arrows than its arity"),
        }
    }

    fn target_name(&self, target: Target) -> String {
        match target {
            Target::Known(id) | Target::Closure(id) => self.core.functions[id].name.to_string(),
            Target::Unknown(ty, _) => self.type_name(ty),
            Target::Primitive(primitive, ty) => format!("{primitive:?}<{}>", self.type_name(ty)),
            Target::Intrinsic(intrinsic, ty) => format!("{}<{}>", intrinsic.name(), self.type_name(ty)),
            Target::Case(case, ty) => format!("{}<{}>", self.psg.cases[case].name, self.type_name(ty)),
        }
    }

    fn partial_name(&self, target: Target, given: usize) -> Symbol {
        let name = self.target_name(target);
        Symbol::new(&if given == 0 { format!("value<{name}>") } else { format!("partial<{name}, {given}>") })
    }

    /// The code of the closure of a target and its first `given` arguments.
    pub(super) fn partial_function(&mut self, target: Target, given: usize, span: Span) -> FunctionId {
        let key = Key::Partial(target, given, self.trap_place(target, span));
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        let shape = self.shape(target, span);
        let (captures, rest) = shape.params.split_at(given);
        let captures: Vec<_> = shape.leading.iter().chain(captures).copied().collect();
        let name = self.partial_name(target, given);
        let (id, captures, params) = self.partial_signature(name, &captures, rest, shape.result, span);
        self.instances.insert(key, id);
        let atoms = captures.into_iter().chain(params).map(Atom::Local).collect();
        self.partial_body(id, target, atoms, span);
        id
    }

    /// The code of the constant closure of a target with constant `captures`, which include the leading ones.
    fn constant_partial(&mut self, target: Target, captures: Vec<Atom>, span: Span) -> FunctionId {
        let shape = self.shape(target, span);
        let given = captures.len() - shape.leading.len();
        let name = self.partial_name(target, given);
        let (id, _, params) = self.partial_signature(name, &[], &shape.params[given..], shape.result, span);
        let atoms = captures.into_iter().chain(params.into_iter().map(Atom::Local)).collect();
        self.partial_body(id, target, atoms, span);
        id
    }

    fn partial_signature(
        &mut self,
        name: Symbol,
        captures: &[Type],
        rest: &[Type],
        result: Type,
        span: Span,
    ) -> (FunctionId, Vec<LocalId>, Vec<LocalId>) {
        let mut locals = Arena::new();
        let mut fresh = |name: &str, ty: Type| locals.alloc(Local { name: Symbol::new(name), ty, span });
        let captures: Vec<_> = captures.iter().map(|ty| fresh("held$", *ty)).collect();
        let params: Vec<_> = rest.iter().map(|ty| fresh("argument$", *ty)).collect();
        let convention = Convention::Closure { captures: captures.clone(), owned: Vec::new(), itself: None };
        let inlining = Inlining::Free;
        let signature =
            Signature { name, convention, params: params.clone(), leading_captures: 0, result, locals, inlining, span };
        (self.declare(signature), captures, params)
    }

    /// The span that traps of a target report, if it has none of its own.
    fn trap_place(&self, target: Target, span: Span) -> Option<Span> {
        let may_trap = match target {
            Target::Known(known) => self.core.functions[known].inlining == Inlining::AtCall,
            Target::Primitive(primitive, _) => primitive.may_trap(),
            Target::Intrinsic(..) => true,
            Target::Closure(_) | Target::Unknown(..) | Target::Case(..) => false,
        };
        may_trap.then_some(span)
    }

    fn partial_body(&mut self, id: FunctionId, target: Target, atoms: Vec<Atom>, span: Span) {
        let result = self.core.functions[id].result;
        let mut body = Body::new(self, id, Substitution::new(&[], &[]));
        let outcome = body.invoke(target, atoms, result, span);
        let end = body.end_with(outcome, result, span, Position::Tail);
        body.finish(end);
    }
}

impl Body<'_, '_> {
    /// Calls a target with all its arguments; `result` is the result type.
    pub(super) fn invoke(&mut self, target: Target, mut atoms: Vec<Atom>, result: Type, span: Span) -> Outcome {
        match target {
            Target::Known(id) => Outcome::Call(Call::new(Callee::Known(id), atoms)),
            Target::Closure(id) => {
                let closure = atoms.remove(0);
                Outcome::Call(Call::new(Callee::Direct(id, closure), atoms))
            }
            Target::Unknown(..) => {
                let closure = atoms.remove(0);
                Outcome::Call(Call::new(Callee::Closure(closure), atoms))
            }
            Target::Primitive(primitive, _) => self.operation(primitive, atoms, result, span),
            Target::Intrinsic(intrinsic, _) => Outcome::Value(self.intrinsic(intrinsic, atoms, result, span)),
            Target::Case(case, _) => Outcome::Value(self.inject(case, &atoms[0], result, span)),
        }
    }

    /// The closure of a target with some arguments; `captures` begin with the leading ones.
    pub(super) fn partial(&mut self, target: Target, captures: Vec<Atom>, leading: usize, span: Span) -> Atom {
        if captures.iter().all(|atom| !matches!(atom, Atom::Local(_))) {
            let id = if captures.is_empty() {
                self.lowering.partial_function(target, 0, span)
            } else {
                self.lowering.constant_partial(target, captures, span)
            };
            return self.constant_closure(id);
        }
        let id = self.lowering.partial_function(target, captures.len() - leading, span);
        self.closure(id, captures, span)
    }

    /// The constant closure of code without captures.
    pub(super) fn constant_closure(&mut self, id: FunctionId) -> Atom {
        let ty = self.closure_type(id);
        Atom::Function(id, ty)
    }

    /// A closure of code with its captures.
    pub(super) fn closure(&mut self, id: FunctionId, captures: Vec<Atom>, span: Span) -> Atom {
        if captures.is_empty() {
            return self.constant_closure(id);
        }
        let closure = self.make_closure(id, captures, span);
        let ty = self.closure_type(id);
        self.bind(Rhs::Closure(closure), ty, span)
    }

    /// A closure to be created.
    pub(super) fn make_closure(&mut self, function: FunctionId, captures: Vec<Atom>, span: Span) -> MakeClosure {
        let allocation = self.allocation(AllocationKind::Closure(function), span);
        MakeClosure { function, captures, allocation }
    }

    fn closure_type(&mut self, id: FunctionId) -> Type {
        self.lowering.core.functions[id].closure_type(&mut self.lowering.types)
    }

    /// A value of a case from its argument: its field, or the tuple of its fields.
    pub(super) fn inject(&mut self, case: CaseId, argument: &Atom, ty: Type, span: Span) -> Atom {
        let declared = self.lowering.case_fields(case, ty);
        let fields = if declared.fields.len() == 1 {
            vec![argument.clone()]
        } else {
            let components = declared.fields.iter().enumerate();
            components.map(|(index, field)| self.bind(Rhs::Component(argument.clone(), index), *field, span)).collect()
        };
        let tag = self.psg.cases[case].tag as usize;
        self.make_case(ty, tag, fields, span)
    }

    /// A value of a case of a declared type; of a boxed type, a node unless it has no fields.
    pub(super) fn make_case(&mut self, ty: Type, case: usize, fields: Vec<Atom>, span: Span) -> Atom {
        let boxed = !fields.is_empty()
            && matches!(*self.kind(ty), TypeKind::Declared(declared, _) if self.psg.declared_types[declared].boxed);
        let allocation = boxed.then(|| self.allocation(AllocationKind::Node(ty, case), span));
        self.bind(Rhs::Inject { ty, case, fields, allocation, reuse: None }, ty, span)
    }

    /// Whether a type is a function type.
    pub(super) fn is_function(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Function(..))
    }
}
