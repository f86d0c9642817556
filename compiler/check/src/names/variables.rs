//! Variables and their uses; captures are computed during name resolution.
//!
//! A variable belongs to the function whose body defines it, identified by the number of enclosing lambdas. A use in a
//! deeper lambda makes every lambda in between capture it, in order of first use. Module-level variables are never
//! captured.

use crate::{
    checker::Checker,
    state::{VariableFacts, WrittenUse},
};
use clef_base::{Span, Symbol};
use clef_infer::Ty;
use clef_psg::{CaptureMode, Marks, Mutability, NodeId, NodeKind, Scope, Variable, VariableId};

impl Checker<'_> {
    /// Creates a variable; it is not in scope until its name is declared.
    pub(crate) fn new_variable(
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
        let marks = Marks { library: self.input.library, ..Marks::default() };
        let facts = VariableFacts::new(ty, self.frames.depth());
        self.graph.variable(facts, |ty| Variable {
            name,
            path,
            ty,
            generics: Vec::new(),
            mutability,
            scope,
            arity: None,
            marks,
            span,
        })
    }

    /// A compiler-generated variable, such as `argument$0`.
    pub(crate) fn fresh_variable(&mut self, stem: &str, ty: Ty, span: Span) -> VariableId {
        let name = Symbol::new(&self.graph.generated_name(stem));
        self.new_variable(name, ty, Mutability::Immutable, Scope::Local, span)
    }

    /// A use of a variable, instantiated with fresh types.
    pub(crate) fn use_variable(&mut self, variable: VariableId, span: Span) -> NodeId {
        self.capture(variable, span);
        let facts = self.graph.facts(variable);
        facts.used = true;
        let (ty, group_open) = (facts.ty.clone(), facts.group_open);
        if let Some((literal, ty)) = self.declared.constants.get(&variable).cloned() {
            return self.graph.node(NodeKind::Literal(literal), ty, span);
        }
        let generics = self.graph.psg.variables[variable].generics.clone();
        let types = self.inference.instantiate(&generics);
        let replace = generics.into_iter().zip(types.iter().cloned()).collect();
        let ty = self.inference.substitute(&ty, &replace);
        self.use_products(variable, &replace, span);
        let node = self.graph.node(NodeKind::Variable { variable, instantiation: Vec::new() }, ty, span);
        if self.graph.facts(variable).written {
            self.deferred.written_uses.push(WrittenUse { variable, types: types.clone(), span });
        }
        if group_open {
            self.deferred.group_uses.push((node, variable));
        } else if !types.is_empty() {
            self.graph.instantiations.push((node, types));
        }
        node
    }

    /// Makes every lambda between the definition of a variable and this use capture it.
    pub(crate) fn capture(&mut self, variable: VariableId, span: Span) {
        let described = &self.graph.psg.variables[variable];
        if described.scope == Scope::Module || self.declared.constants.contains_key(&variable) {
            return;
        }
        let mode = match described.mutability {
            Mutability::Immutable => CaptureMode::Value,
            Mutability::Mutable => CaptureMode::Reference,
        };
        let depth = self.graph.facts(variable).depth;
        self.frames.capture(variable, mode, depth, span);
    }
}
