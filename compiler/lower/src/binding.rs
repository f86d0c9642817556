//! Binding, reading, assigning and capturing variables.

use super::{Names, body::Body, environment::Place, instance::Substitution, partial::Target, usage::variables};
use clef_base::{Span, internal};
use clef_core::{Atom, Rhs};
use clef_psg::{Binding, Mutability, NodeKind, PatternKind, Scope, VariableId};
use clef_types::{Type, TypeKind};
use std::rc::Rc;

impl Body<'_, '_> {
    /// `let pattern = value`.
    pub(super) fn binding(&mut self, binding: Binding) {
        let bound = variables(self.psg, binding.pattern);
        if let ([variable], PatternKind::Variable(_)) = (bound.as_slice(), &self.psg.patterns[binding.pattern].kind)
            && self.lowering.usage.functions.contains_key(variable)
        {
            return self.members(&[*variable]);
        }
        // A generalised value is evaluated at each use, at the types of that use.
        if !bound.is_empty() && bound.iter().all(|variable| self.lowering.usage.templates.contains_key(variable)) {
            return;
        }
        self.destructure(binding);
    }

    /// `let rec … and …`.
    pub(super) fn recursive(&mut self, bindings: &[Binding]) {
        let bound: Vec<_> = bindings.iter().flat_map(|binding| variables(self.psg, binding.pattern)).collect();
        self.members(&bound);
    }

    /// Creates the closures of those functions of a group that are members.
    fn members(&mut self, group: &[VariableId]) {
        let members: Vec<_> =
            group.iter().copied().filter(|variable| self.lowering.captures.is_member(*variable)).collect();
        if members.is_empty() {
            return;
        }
        let substitution = self.environment.substitution().clone();
        let mut codes = Vec::new();
        for &variable in &members {
            let data = &self.psg.variables[variable];
            let code = self.lowering.closure_of(variable, &substitution, &[], data.span);
            let ty = self.mono(data.ty);
            let local = self.local(data.name.as_str(), ty, data.span);
            self.environment.set(variable, Place::Value(Atom::Local(local)));
            codes.push((variable, code, local));
        }
        let mut made = Vec::new();
        for (variable, code, local) in codes {
            let span = self.psg.variables[variable].span;
            let captured = self.lowering.captures.of(variable).iter().copied();
            let captured: Vec<_> = captured.filter(|captured| *captured != variable).collect();
            let captures = self.captured_all(&captured, span);
            made.push((local, self.make_closure(code, captures, span)));
        }
        let span = self.psg.variables[members[0]].span;
        match <[_; 1]>::try_from(made) {
            Ok([(local, closure)]) if !closure.captures.is_empty() => self.let_(local, Rhs::Closure(closure), span),
            Ok([(local, closure)]) => {
                let atom = self.constant_closure(closure.function);
                self.let_(local, Rhs::Atom(atom), span);
            }
            Err(made) => self.builder.group(made, span),
        }
    }

    /// Binds a variable to a value.
    pub(super) fn bind_variable(&mut self, variable: VariableId, value: Atom) {
        let data = &self.psg.variables[variable];
        if data.scope == Scope::Module {
            return self.initialise(variable, value);
        }
        let place = match data.mutability {
            Mutability::Mutable => {
                let Atom::Local(slot) = self.slot(data.name.as_str(), value, data.span) else {
                    internal::bug("lower", data.span, "a slot is not a local")
                };
                Place::Slot(slot)
            }
            Mutability::Immutable => {
                // An unnamed local takes the name of the variable.
                let local = if let Atom::Local(local) = value { Some(local) } else { None };
                let takes_name = local.is_some_and(|local| self.builder.name(local, data.name, data.span));
                if !takes_name && self.lowering.names == Names::All {
                    let ty = self.type_of(&value);
                    let local = self.local(data.name.as_str(), ty, data.span);
                    self.let_(local, Rhs::Atom(value.clone()), data.span);
                }
                Place::Value(value)
            }
        };
        self.environment.set(variable, place);
    }

    /// A fresh slot with its initial content.
    pub(super) fn slot(&mut self, name: &str, value: Atom, span: Span) -> Atom {
        let content = self.type_of(&value);
        let ty = self.lowering.types.intern(TypeKind::Slot(content));
        let local = self.local(name, ty, span);
        self.let_(local, Rhs::Slot(value), span);
        Atom::Local(local)
    }

    /// The value of a variable.
    pub(super) fn variable(&mut self, variable: VariableId, instantiation: &[Type], ty: Type, span: Span) -> Atom {
        if self.lowering.usage.functions.contains_key(&variable) {
            return self.function_value(variable, instantiation, span);
        }
        if self.lowering.usage.templates.contains_key(&variable) {
            return self.template(variable, instantiation, ty, span);
        }
        match self.environment.place(variable) {
            Some(Place::Value(atom)) => atom.clone(),
            Some(Place::Slot(slot)) => {
                let slot = Atom::Local(*slot);
                self.bind(Rhs::ReadSlot(slot), ty, span)
            }
            Some(Place::Cell(cell)) => {
                let cell = Atom::Local(*cell);
                self.bind(Rhs::ReadReference(cell), ty, span)
            }
            None => self.module_value(variable, ty, span),
        }
    }

    /// A named function as a value.
    fn function_value(&mut self, variable: VariableId, instantiation: &[Type], span: Span) -> Atom {
        if self.lowering.captures.is_member(variable) {
            return self.captured(variable, span);
        }
        let substitution = self.environment.substitution().clone();
        let captured = self.lowering.captures.of(variable).to_vec();
        let captures = self.captured_all(&captured, span);
        if self.lowering.function_binding(variable).called {
            let known = self.lowering.known(variable, &substitution, instantiation, span);
            let leading = captures.len();
            return self.partial(Target::Known(known), captures, leading, span);
        }
        let code = self.lowering.closure_of(variable, &substitution, instantiation, span);
        self.closure(code, captures, span)
    }

    /// A generalised value, at the types of a use.
    fn template(&mut self, variable: VariableId, instantiation: &[Type], ty: Type, span: Span) -> Atom {
        let template = self.lowering.usage.templates[&variable].clone();
        let outer = self.environment.substitution().clone();
        let arguments = self.lowering.arguments(variable, &template.generics, &outer, instantiation);
        if self.psg.variables[variable].scope == Scope::Module {
            return self.module_template(variable, arguments, ty, span);
        }
        let inner = Substitution::new(&template.generics, &arguments);
        self.evaluate_template(variable, template.binding, inner)
    }

    /// Evaluates a generalised value here.
    pub(super) fn evaluate_template(
        &mut self,
        variable: VariableId,
        binding: Binding,
        substitution: Rc<Substitution>,
    ) -> Atom {
        let outer = self.environment.substitute(substitution);
        let value = if let PatternKind::Variable(_) = self.psg.patterns[binding.pattern].kind {
            self.value(binding.value)
        } else {
            self.destructured(binding, variable)
        };
        self.environment.substitute(outer);
        value
    }

    /// `variable <- value`.
    pub(super) fn assign(&mut self, variable: VariableId, value: Atom, span: Span) {
        match self.environment.place(variable) {
            Some(Place::Slot(slot)) => {
                let slot = Atom::Local(*slot);
                self.run(Rhs::WriteSlot(slot, value), span);
            }
            Some(Place::Cell(cell)) => {
                let cell = Atom::Local(*cell);
                self.run(Rhs::WriteReference(cell, value), span);
            }
            Some(Place::Value(_)) => internal::bug("lower", span, "assignment to an immutable variable"),
            None => self.assign_global(variable, value, span),
        }
    }

    /// The operand that a closure captures for a variable: its value, or the address of its slot.
    pub(super) fn captured(&mut self, variable: VariableId, span: Span) -> Atom {
        match self.environment.place(variable) {
            Some(Place::Value(atom)) => atom.clone(),
            Some(Place::Slot(slot) | Place::Cell(slot)) => Atom::Local(*slot),
            None => {
                let name = self.psg.variables[variable].name;
                internal::bug("lower", span, format!("`{name}` is not available where it is used"))
            }
        }
    }

    /// The operands that a closure captures for variables.
    pub(super) fn captured_all(&mut self, variables: &[VariableId], span: Span) -> Vec<Atom> {
        variables.iter().map(|variable| self.captured(*variable, span)).collect()
    }

    /// Whether a binding defines a named function.
    pub(super) fn is_function_binding(&self, binding: Binding) -> bool {
        match (&self.psg.patterns[binding.pattern].kind, &self.psg.nodes[binding.value].kind) {
            (PatternKind::Variable(variable), NodeKind::Lambda(_)) => {
                self.lowering.usage.functions.contains_key(variable)
            }
            _ => false,
        }
    }
}
