//! Variables and their uses; captures are computed during name resolution.
//!
//! A variable belongs to the function whose body defines it, identified by the number of enclosing lambdas. A use in a
//! deeper lambda makes every lambda in between capture it, in order of first use. Module-level variables are never
//! captured.

use super::{Checker, VariableFacts, polymorphic::WrittenUse};
use clef_base::{Span, Symbol};
use clef_infer::Ty;
use clef_psg::{Capture, CaptureMode, Marks, Mutability, NodeId, NodeKind, Scope, Variable, VariableId};
use std::collections::HashSet;

/// A lambda whose body is being checked.
#[derive(Clone, Default)]
pub(super) struct Frame {
    captures: Vec<Capture>,
    captured: HashSet<VariableId>,
}

impl Checker<'_> {
    /// Creates a variable; it is not in scope until its name is declared.
    pub(super) fn new_variable(
        &mut self,
        name: Symbol,
        ty: Ty,
        mutability: Mutability,
        scope: Scope,
        span: Span,
    ) -> VariableId {
        let module = self.names.modules[self.names.current].path.as_str();
        let path = match scope {
            Scope::Module if !module.is_empty() => Symbol::new(&format!("{module}.{name}")),
            Scope::Module | Scope::Local => name,
        };
        let marks = Marks { library: self.library, ..Marks::default() };
        self.variables.push(VariableFacts {
            ty,
            depth: self.frames.len(),
            group_open: false,
            written: false,
            used: false,
            computed: false,
            bound_by_let: false,
            warn_unused: false,
        });
        self.psg.variables.alloc(Variable {
            name,
            path,
            ty: self.unit_type,
            generics: Vec::new(),
            mutability,
            scope,
            arity: None,
            marks,
            span,
        })
    }

    /// A compiler-generated variable, such as `argument$0`.
    pub(super) fn fresh_variable(&mut self, stem: &str, ty: Ty, span: Span) -> VariableId {
        let name = Symbol::new(&format!("{stem}${}", self.counter));
        self.counter += 1;
        self.new_variable(name, ty, Mutability::Immutable, Scope::Local, span)
    }

    /// A use of a variable, instantiated with fresh types.
    pub(super) fn use_variable(&mut self, variable: VariableId, span: Span) -> NodeId {
        self.capture(variable, span);
        let facts = self.variable_facts(variable);
        facts.used = true;
        let (ty, group_open) = (facts.ty.clone(), facts.group_open);
        if let Some((literal, ty)) = self.constants.get(&variable).cloned() {
            return self.node(NodeKind::Literal(literal), ty, span);
        }
        let generics = self.psg.variables[variable].generics.clone();
        let types = self.inference.instantiate(&generics);
        let replace = generics.into_iter().zip(types.iter().cloned()).collect();
        let ty = self.inference.substitute(&ty, &replace);
        self.use_products(variable, &replace, span);
        let node = self.node(NodeKind::Variable { variable, instantiation: Vec::new() }, ty, span);
        if self.variable_facts(variable).written {
            self.written_uses.push(WrittenUse { variable, types: types.clone(), span });
        }
        if group_open {
            self.group_uses.push((node, variable));
        } else if !types.is_empty() {
            self.instantiations.push((node, types));
        }
        node
    }

    /// Makes every lambda between the definition of a variable and this use capture it.
    pub(super) fn capture(&mut self, variable: VariableId, span: Span) {
        let described = &self.psg.variables[variable];
        if described.scope == Scope::Module || self.constants.contains_key(&variable) {
            return;
        }
        let mode = match described.mutability {
            Mutability::Immutable => CaptureMode::Value,
            Mutability::Mutable => CaptureMode::Reference,
        };
        let depth = self.variable_facts(variable).depth;
        for frame in self.frames.iter_mut().skip(depth) {
            if frame.captured.insert(variable) {
                frame.captures.push(Capture { variable, mode, first_use: span });
            }
        }
    }

    /// Enters a lambda's body.
    pub(super) fn enter_frame(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Leaves the body of a lambda, and returns its captures.
    pub(super) fn leave_frame(&mut self) -> Vec<Capture> {
        self.frames.pop().map(|frame| frame.captures).unwrap_or_default()
    }
}
