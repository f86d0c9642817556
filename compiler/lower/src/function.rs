//! Functions and their signatures: named functions in either convention, and function literals.
//!
//! A function is declared when it is first requested; its body is lowered later.

use super::{
    Lowering,
    body::{Body, Position},
    environment::Place,
    instance::{Key, Substitution},
    partial::Target,
};
use clef_base::{HashMap, Span, Symbol, internal};
use clef_core::{Atom, Block, Convention, End, Function, FunctionId, Inlining, Local, LocalId, Placement};
use clef_psg::{LambdaId, Mutability, VariableId};
use clef_types::{Type, TypeKind};
use la_arena::Arena;
use std::rc::Rc;

/// A body to be lowered.
pub(super) struct Job {
    id: FunctionId,
    lambda: LambdaId,
    substitution: Rc<Substitution>,
    /// The variables of its captures, in order.
    captured: Vec<VariableId>,
    /// The variable of the closure itself.
    itself: Option<VariableId>,
}

/// A function to be declared.
struct Request {
    name: Symbol,
    lambda: LambdaId,
    substitution: Rc<Substitution>,
    captured: Vec<VariableId>,
    itself: Option<VariableId>,
    closure: bool,
}

impl Lowering<'_> {
    /// A named function that is called directly, with its captures as leading parameters.
    pub(super) fn known(
        &mut self,
        variable: VariableId,
        outer: &Substitution,
        instantiation: &[Type],
        span: Span,
    ) -> FunctionId {
        let generics = self.function_binding(variable).generics.clone();
        let arguments = self.arguments(variable, &generics, outer, instantiation);
        let key = Key::Known(variable, arguments.clone());
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        self.count_instance(variable, &arguments, span);
        let captured = self.captures.of(variable).to_vec();
        let request = self.request(variable, &arguments, captured, None, false);
        self.reserve(Some(key), request)
    }

    /// The code of a named function as a closure.
    pub(super) fn closure_of(
        &mut self,
        variable: VariableId,
        outer: &Substitution,
        instantiation: &[Type],
        span: Span,
    ) -> FunctionId {
        let binding = self.function_binding(variable).clone();
        let member = self.captures.is_member(variable);
        if binding.called && !member {
            let known = self.known(variable, outer, instantiation, span);
            return self.partial_function(Target::Known(known), 0, span);
        }
        let arguments = self.arguments(variable, &binding.generics, outer, instantiation);
        let key = Key::Closure(variable, arguments.clone());
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        self.count_instance(variable, &arguments, span);
        let all = self.captures.of(variable);
        let itself = all.contains(&variable).then_some(variable);
        let captured = all.iter().copied().filter(|other| *other != variable).collect();
        let request = self.request(variable, &arguments, captured, itself, true);
        self.reserve(Some(key), request)
    }

    /// The code of a function literal.
    pub(super) fn literal(
        &mut self,
        lambda: LambdaId,
        captured: Vec<VariableId>,
        substitution: Rc<Substitution>,
    ) -> FunctionId {
        let name = self.usage.lambda_paths.get(&lambda).copied().unwrap_or_else(|| Symbol::new("fun"));
        self.reserve(None, Request { name, lambda, substitution, captured, itself: None, closure: true })
    }

    fn request(
        &mut self,
        variable: VariableId,
        arguments: &[Type],
        captured: Vec<VariableId>,
        itself: Option<VariableId>,
        closure: bool,
    ) -> Request {
        let binding = self.function_binding(variable);
        let (lambda, path) = (binding.lambda, binding.path);
        let substitution = Substitution::new(&binding.generics, arguments);
        let name = self.instance_name(path, arguments);
        Request { name, lambda, substitution, captured, itself, closure }
    }

    /// `path<types>`.
    pub(super) fn instance_name(&self, path: Symbol, arguments: &[Type]) -> Symbol {
        if arguments.is_empty() {
            return path;
        }
        let arguments: Vec<_> = arguments.iter().map(|ty| self.type_name(*ty)).collect();
        Symbol::new(&format!("{path}<{}>", arguments.join(", ")))
    }

    fn reserve(&mut self, key: Option<Key>, request: Request) -> FunctionId {
        let Request { name, lambda, substitution, captured, itself, closure } = request;
        let data = &self.psg.lambdas[lambda];
        let mut locals = Arena::new();
        let captures: Vec<_> =
            captured.iter().map(|variable| self.variable_local(&mut locals, *variable, &substitution)).collect();
        let owned = self.psg.owned(lambda).iter();
        let owned: Vec<_> =
            owned.map(|(variable, _)| self.owned_local(&mut locals, *variable, &substitution)).collect();
        let captures = [captures, owned].concat();
        let params = data.params.iter().map(|variable| self.variable_local(&mut locals, *variable, &substitution));
        let params: Vec<_> = params.collect();
        let itself_local = itself.map(|variable| self.variable_local(&mut locals, variable, &substitution));
        let result = substitution.apply(&mut self.types, self.psg.nodes[data.body].ty);
        let marks = data.name.map(|variable| self.psg.variables[variable].marks).unwrap_or_default();
        let inlining = match (marks.inline, marks.no_inline) {
            _ if marks.trap_at_call => Inlining::AtCall,
            (true, _) => Inlining::Always,
            (false, true) => Inlining::Never,
            (false, false) => Inlining::Free,
        };
        let placement = Placement { section: marks.section, align: marks.align };
        let inlining = if placement.section.is_some() { Inlining::Never } else { inlining };
        let (convention, params, leading_captures) = if closure {
            (Convention::Closure { captures, owned: Vec::new(), itself: itself_local }, params, 0)
        } else {
            let leading_captures = captures.len();
            (Convention::Known, [captures, params].concat(), leading_captures)
        };
        let span = data.span;
        let signature = Signature { name, convention, params, leading_captures, result, locals, inlining, span };
        let id = self.declare(signature);
        self.core.functions[id].placement = placement;
        if let Some(key) = key {
            self.instances.insert(key, id);
        }
        self.jobs.push_back(Job { id, lambda, substitution, captured, itself });
        id
    }

    /// Declares a function; a closure is registered with the calls of its type.
    pub(super) fn declare(&mut self, signature: Signature) -> FunctionId {
        let Signature { name, convention, params, leading_captures, result, locals, inlining, span } = signature;
        let name = self.core.unique_name(name.as_str());
        let closure = matches!(convention, Convention::Closure { .. });
        let body = Block { statements: Vec::new(), end: End::Yield(Atom::Unit) };
        let (regions, placement) = (Vec::new(), Placement::default());
        let function = Function {
            name,
            origin: name,
            convention,
            params,
            leading_captures,
            result,
            regions,
            locals,
            joins: 0,
            inlined: Arena::new(),
            copied: Vec::new(),
            held: HashMap::default(),
            body,
            inlining,
            placement,
            span,
        };
        let arity = function.params.len();
        let ty = closure.then(|| function.closure_type(&mut self.types));
        let id = self.core.functions.alloc(function);
        if let Some(ty) = ty {
            self.applications.add_closure(ty, arity, id);
        }
        id
    }

    /// A local for a variable: of its type, or of the type of its slot.
    fn variable_local(
        &mut self,
        locals: &mut Arena<Local>,
        variable: VariableId,
        substitution: &Substitution,
    ) -> LocalId {
        let data = &self.psg.variables[variable];
        let content = substitution.apply(&mut self.types, data.ty);
        let ty = match data.mutability {
            Mutability::Immutable => content,
            Mutability::Mutable => self.types.intern(TypeKind::Slot(content)),
        };
        locals.alloc(Local { name: data.name, ty, span: data.span })
    }

    /// A local for the cell of a variable that the closure owns.
    fn owned_local(&mut self, locals: &mut Arena<Local>, variable: VariableId, substitution: &Substitution) -> LocalId {
        let data = &self.psg.variables[variable];
        let content = substitution.apply(&mut self.types, data.ty);
        let ty = self.types.intern(TypeKind::Reference(content));
        locals.alloc(Local { name: data.name, ty, span: data.span })
    }

    /// Lowers a pending body.
    pub(super) fn body(&mut self, job: Job) {
        let Job { id, lambda, substitution, captured, itself } = job;
        let function = &self.core.functions[id];
        let captures: Vec<_> = match &function.convention {
            Convention::Known => function.params[..function.leading_captures].to_vec(),
            Convention::Closure { captures, .. } => captures.clone(),
            Convention::Exported(_) => internal::bug("lower", function.span, "an exported function has no lambda"),
        };
        let (explicit, itself_local) = (function.params[function.leading_captures..].to_vec(), function.itself());
        let psg = self.psg;
        let data = &psg.lambdas[lambda];
        let owned: Vec<_> =
            psg.owned(lambda).iter().map(|(variable, _)| *variable).zip(captures[captured.len()..].to_vec()).collect();
        let mut body = Body::new(self, id, substitution);
        owned.into_iter().for_each(|(variable, cell)| body.environment.set(variable, Place::Cell(cell)));
        for (variable, local) in captured.iter().zip(captures).chain(data.params.iter().zip(explicit)) {
            body.place(*variable, local);
        }
        if let (Some(variable), Some(local)) = (itself, itself_local) {
            body.place(variable, local);
        }
        let end = body.end(data.body, Position::Tail);
        body.finish(end);
    }
}

/// A function without its body.
pub(super) struct Signature {
    pub(super) name: Symbol,
    pub(super) convention: Convention,
    pub(super) params: Vec<LocalId>,
    pub(super) leading_captures: usize,
    pub(super) result: Type,
    pub(super) locals: Arena<Local>,
    pub(super) inlining: Inlining,
    pub(super) span: Span,
}

impl Body<'_, '_> {
    /// Records the local that holds a variable or its slot.
    fn place(&mut self, variable: VariableId, local: LocalId) {
        let place = Place::held(self.psg.variables[variable].mutability, local);
        self.environment.set(variable, place);
    }
}
