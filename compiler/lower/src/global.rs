//! Module-level values, and the function that initialises them and runs the program.

use super::{
    Lowering,
    body::{Body, Outcome, Position},
    function::Signature,
    instance::{Key, Substitution},
    usage::variables,
};
use clef_base::{Span, Symbol};
use clef_core::{Atom, Call, Callee, Convention, End, FunctionId, Global, GlobalId, Inlining, Placement, Rhs};
use clef_psg::{Item, Mutability, NodeKind, VariableId};
use clef_types::{IntegerType, Type, TypeKind};
use la_arena::Arena;

impl Lowering<'_> {
    /// Lowers the module level and the call of the entry point.
    pub(super) fn start(&mut self) -> FunctionId {
        let span = self.psg.entry.map(|entry| self.psg.variables[entry].span).unwrap_or_default();
        let result = self.int();
        let id = self.without_params(Symbol::new("start"), result, span);
        let psg = self.psg;
        let mut body = Body::new(self, id, Substitution::new(&[], &[]));
        let items = psg.items.iter().enumerate();
        let items: Vec<&Item> =
            items.filter(|(index, item)| body.does_something(*index, item)).map(|(_, item)| item).collect();
        for item in &items {
            if items.len() == 1 || body.only_stores(item) {
                body.item(item);
            } else {
                body.item_function(item);
            }
        }
        let status = match psg.entry {
            Some(entry) => body.entry(entry),
            None => body.integer(0),
        };
        body.finish(End::Yield(status));
        id
    }

    fn without_params(&mut self, name: Symbol, result: Type, span: Span) -> FunctionId {
        self.declare(Signature {
            name,
            convention: Convention::Known,
            params: Vec::new(),
            leading_captures: 0,
            result,
            locals: Arena::new(),
            inlining: Inlining::Free,
            span,
        })
    }

    /// The global of a module-level variable.
    fn global(&mut self, variable: VariableId) -> GlobalId {
        if let Some(global) = self.instances.global(variable) {
            return global;
        }
        let data = &self.psg.variables[variable];
        let name = self.core.unique_name(data.path.as_str());
        let ty = Substitution::default().apply(&mut self.types, data.ty);
        let mutable = data.mutability == Mutability::Mutable;
        let placement = Placement { section: data.marks.section, align: data.marks.align };
        let global = self.core.globals.alloc(Global { name, ty, mutable, placement, span: data.span });
        self.instances.insert_global(variable, global);
        global
    }
}

impl Body<'_, '_> {
    /// Whether an item has to run at program start: functions and constants do not.
    fn does_something(&self, index: usize, item: &Item) -> bool {
        let usage = &self.lowering.usage;
        let runs = match item {
            Item::Let(binding) => {
                let bound = variables(self.psg, binding.pattern);
                let constant = bound.iter().any(|variable| usage.constants.contains_key(variable));
                let template = !bound.is_empty() && bound.iter().all(|variable| usage.templates.contains_key(variable));
                !constant && !template && !self.is_function_binding(*binding)
            }
            Item::Recursive(_) => false,
            Item::Effect(_) => true,
        };
        runs && usage.needed_items.contains(&index)
    }

    /// Whether an item initialises a variable with a literal.
    fn only_stores(&self, item: &Item) -> bool {
        match item {
            Item::Let(binding) => matches!(self.psg.nodes[binding.value].kind, NodeKind::Literal(_)),
            Item::Recursive(_) | Item::Effect(_) => false,
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Let(binding) => self.binding(*binding),
            Item::Recursive(_) => {}
            Item::Effect(node) => self.effect(*node),
        }
    }

    /// Lowers an item as a function of its own, and calls it: the frame of an item is gone before the next one, and code
    /// generation takes time linear in the number of items. Never inlined, which would defeat this.
    fn item_function(&mut self, item: &Item) {
        let span = match item {
            Item::Let(binding) => self.psg.patterns[binding.pattern].span,
            Item::Recursive(_) => Span::default(),
            Item::Effect(node) => self.psg.nodes[*node].span,
        };
        let unit = self.lowering.unit();
        let id = self.lowering.without_params(Symbol::new("start.item"), unit, span);
        self.lowering.core.functions[id].inlining = Inlining::Never;
        let mut body = Body::new(self.lowering, id, self.environment.substitution().clone());
        body.item(item);
        body.finish(End::Yield(Atom::Unit));
        self.run(Rhs::Call(Call::new(Callee::Known(id), Vec::new())), span);
    }

    /// Calls the entry point; its result is the exit status.
    fn entry(&mut self, entry: VariableId) -> Atom {
        let span = self.psg.variables[entry].span;
        let substitution = self.environment.substitution().clone();
        let id = self.lowering.known(entry, &substitution, &[], span);
        let function = &self.lowering.core.functions[id];
        let (result, params) = (function.result, function.params.clone());
        let types: Vec<_> = params.iter().map(|param| function.locals[*param].ty).collect();
        let arguments = types.into_iter().map(|ty| self.start_argument(ty, span)).collect();
        let outcome = Outcome::Call(Call::new(Callee::Known(id), arguments));
        self.value_of(outcome, result, span)
    }

    /// The argument of the entry point: unit, or the program's arguments. If it does not use them, they are a global that is
    /// never written: the empty array.
    fn start_argument(&mut self, ty: Type, span: Span) -> Atom {
        if *self.kind(ty) == TypeKind::Unit {
            return Atom::Unit;
        }
        if self.lowering.usage.reads_arguments {
            let unit = Atom::Unit;
            return self.library_call("Arguments.all", vec![unit], span);
        }
        let name = self.lowering.core.unique_name("arguments$");
        let global = self.lowering.core.globals.alloc(Global {
            name,
            ty,
            mutable: false,
            placement: Placement::default(),
            span,
        });
        self.bind(Rhs::ReadGlobal(global), ty, span)
    }

    /// Initialises a module-level variable.
    pub(super) fn initialise(&mut self, variable: VariableId, value: Atom) {
        let global = self.lowering.global(variable);
        self.run(Rhs::WriteGlobal(global, value), self.psg.variables[variable].span);
    }

    /// The value of a module-level variable that is not a function.
    pub(super) fn module_value(&mut self, variable: VariableId, ty: Type, span: Span) -> Atom {
        if let Some(&node) = self.lowering.usage.constants.get(&variable) {
            return self.value(node);
        }
        let global = self.lowering.global(variable);
        self.bind(Rhs::ReadGlobal(global), ty, span)
    }

    /// Assigns to a module-level variable.
    pub(super) fn assign_global(&mut self, variable: VariableId, value: Atom, span: Span) {
        let global = self.lowering.global(variable);
        self.run(Rhs::WriteGlobal(global, value), span);
    }

    /// A generalised module-level value: a function without parameters, since its evaluation has no effect.
    pub(super) fn module_template(&mut self, variable: VariableId, arguments: Vec<Type>, ty: Type, span: Span) -> Atom {
        let key = Key::Template(variable, arguments.clone());
        let id = match self.lowering.instances.get(&key) {
            Some(id) => id,
            None => {
                self.lowering.count_instance(variable, &arguments, span);
                let name = self.lowering.instance_name(self.psg.variables[variable].path, &arguments);
                let id = self.lowering.without_params(name, ty, self.psg.variables[variable].span);
                self.lowering.instances.insert(key, id);
                let template = self.lowering.usage.templates[&variable].clone();
                let inner = Substitution::new(&template.generics, &arguments);
                let mut body = Body::new(self.lowering, id, inner.clone());
                let value = body.evaluate_template(variable, template.binding, inner);
                let end = body.end_with(Outcome::Value(value), ty, span, Position::Tail);
                body.finish(end);
                id
            }
        };
        self.bind(Rhs::Call(Call::new(Callee::Known(id), Vec::new())), ty, span)
    }

    /// The integer type of a type, if it is one.
    pub(super) fn integer_type(&self, ty: Type) -> Option<IntegerType> {
        if let TypeKind::Integer(integer) = self.kind(ty) { Some(*integer) } else { None }
    }
}
