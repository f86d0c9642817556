//! Calls of functions whose arity is not known.
//!
//! A function type does not determine the arity of the code behind a value: a value of `int -> int -> int` may be of arity
//! two, or of arity one and return another closure. While bodies are lowered, each such call goes to an `apply` function for
//! the type and the number of arguments. When all closures of the program are known, either every closure of the type takes
//! exactly these arguments, and the calls become direct, or the `apply` function gets a body that switches on the arity.
//! (The eval/apply model of Marlow and Peyton Jones, "Making a fast curry: push/enter vs. eval/apply for higher-order
//! languages", 2006, with one function per type.)

use super::{
    Lowering,
    body::{Body, Outcome, Position},
    function::Signature,
    instance::{Key, Substitution},
    partial::Target,
};
use clef_base::{HashMap, Span, Symbol, internal};
use clef_core::{Atom, Call, Callee, Convention, End, FunctionId, Inlining, Local, LocalId, Rhs};
use clef_types::Type;
use la_arena::Arena;
use std::collections::{BTreeMap, BTreeSet};

/// The `apply` functions, and the closures that they may be given.
#[derive(Debug, Default)]
pub(super) struct Applications {
    requests: Vec<Application>,
    /// The closures of each function type, by arity.
    closures: HashMap<Type, BTreeMap<usize, Vec<FunctionId>>>,
    /// The closures whose arity is read.
    pub(super) tagged: BTreeSet<FunctionId>,
}

impl Applications {
    /// Registers the code of a closure with the calls of its type.
    pub(super) fn add_closure(&mut self, ty: Type, arity: usize, code: FunctionId) {
        self.closures.entry(ty).or_default().entry(arity).or_default().push(code);
    }

    /// The arities of the values of a function type, with their code.
    fn arities(&self, ty: Type) -> BTreeMap<usize, Vec<FunctionId>> {
        self.closures.get(&ty).cloned().unwrap_or_default()
    }

    /// The numbers of requests and of closures, which only grow.
    fn size(&self) -> (usize, usize) {
        (self.requests.len(), self.closures.values().flat_map(BTreeMap::values).map(Vec::len).sum())
    }
}

#[derive(Clone, Copy, Debug)]
struct Application {
    id: FunctionId,
    ty: Type,
    given: usize,
    span: Span,
}

impl Lowering<'_> {
    /// The function that applies a value of type `ty` to `given` arguments.
    pub(super) fn application(&mut self, ty: Type, given: usize, span: Span) -> FunctionId {
        let key = Key::Apply(ty, given);
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        let Some((arguments, result)) = self.types.uncurry(ty, given) else {
            internal::bug("lower", span, format!("{} arguments for a value of type {}", given, self.type_name(ty)))
        };
        let mut locals = Arena::new();
        let mut fresh = |name: &str, ty: Type| locals.alloc(Local { name: Symbol::new(name), ty, span });
        let mut params = vec![fresh("function$", ty)];
        params.extend(arguments.into_iter().map(|argument| fresh("argument$", argument)));
        let name = Symbol::new(&format!("apply<{}, {given}>", self.type_name(ty)));
        let (convention, inlining) = (Convention::Known, Inlining::Free);
        let signature = Signature { name, convention, params, leading_captures: 0, result, locals, inlining, span };
        let id = self.declare(signature);
        self.instances.insert(key, id);
        self.applications.requests.push(Application { id, ty, given, span });
        id
    }

    /// Builds the bodies of the `apply` functions, or makes their calls direct. All other functions are complete.
    pub(super) fn dispatch(&mut self) {
        self.close_applications();
        let mut direct = HashMap::default();
        for application in self.applications.requests.clone() {
            let arities = self.applications.arities(application.ty);
            if arities.keys().all(|arity| *arity == application.given) {
                direct.insert(application.id, ());
            } else {
                self.application_body(application, &arities);
            }
        }
        for (_, function) in self.core.functions.iter_mut() {
            function.body.each_mut(&mut |block| {
                let calls = block.statements.iter_mut().filter_map(|statement| statement.call_mut());
                for call in calls.chain(block.end.call_mut()) {
                    if matches!(call.callee, Callee::Known(id) if direct.contains_key(&id)) {
                        call.callee = Callee::Closure(call.arguments.remove(0));
                    }
                }
            });
        }
    }

    /// Requests all functions that `apply` functions call. Each may create closures of further arities; iterates to a fixpoint.
    fn close_applications(&mut self) {
        loop {
            let before = self.applications.size();
            for Application { ty, given, span, .. } in self.applications.requests.clone() {
                for arity in self.applications.arities(ty).into_keys() {
                    if arity < given {
                        self.remaining(ty, arity, given, span);
                    } else if arity > given {
                        self.partial_function(Target::Unknown(ty, arity), given, span);
                    }
                }
            }
            if before == self.applications.size() {
                return;
            }
        }
    }

    /// The function that applies the result of a call with `arity` arguments to the other arguments.
    fn remaining(&mut self, ty: Type, arity: usize, given: usize, span: Span) -> FunctionId {
        match self.types.uncurry(ty, arity) {
            Some((_, result)) => self.application(result, given - arity, span),
            None => internal::bug("lower", span, "a closure has more parameters than its type has arrows"),
        }
    }

    fn application_body(&mut self, application: Application, arities: &BTreeMap<usize, Vec<FunctionId>>) {
        let Application { id, span, .. } = application;
        let params = self.core.functions[id].params.clone();
        let mut body = Body::new(self, id, Substitution::new(&[], &[]));
        let closure = Atom::Local(params[0]);
        let only = if arities.len() == 1 { arities.keys().next() } else { None };
        let end = match only {
            Some(arity) => body.apply_with_arity(application, &params, *arity),
            None => {
                body.lowering.applications.tagged.extend(arities.values().flatten());
                let int = body.lowering.int();
                let scrutinee = body.bind(Rhs::Arity(closure), int, span);
                let cases = arities.keys().map(|arity| {
                    (*arity as i128, body.block(|body| body.apply_with_arity(application, &params, *arity)))
                });
                End::Switch { scrutinee, cases: cases.collect(), default: None }
            }
        };
        body.finish(end);
    }
}

impl Body<'_, '_> {
    /// Applies a closure of known arity.
    fn apply_with_arity(&mut self, application: Application, params: &[LocalId], arity: usize) -> End {
        let Application { id, ty, given, span } = application;
        let result = self.lowering.core.functions[id].result;
        let atoms: Vec<_> = params.iter().copied().map(Atom::Local).collect();
        if arity > given {
            let closure = self.partial(Target::Unknown(ty, arity), atoms, 1, span);
            return End::Yield(closure);
        }
        let arguments = atoms[1..=arity].to_vec();
        let call = Call::new(Callee::Closure(atoms[0].clone()), arguments);
        if arity == given {
            return self.end_with(Outcome::Call(call), result, span, Position::Tail);
        }
        let Some((_, between)) = self.lowering.types.uncurry(ty, arity) else {
            internal::bug("lower", span, "a closure has more parameters than its type has arrows")
        };
        let function = self.bind(Rhs::Call(call), between, span);
        let callee = Callee::Known(self.lowering.remaining(ty, arity, given, span));
        let arguments = std::iter::once(function).chain(atoms[arity + 1..].iter().cloned()).collect();
        self.end_with(Outcome::Call(Call::new(callee, arguments)), result, span, Position::Tail)
    }
}
