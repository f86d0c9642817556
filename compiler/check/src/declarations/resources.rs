//! `use name = value`: the value is disposed of at the end of the block.
//!
//! Clef has no objects, so two kinds of types can be disposed of: a record with a field `Dispose: unit -> unit`, like
//! `IDisposable` in F#, and a declared type `T` with a function `T.dispose` in its companion module. The rest of the block
//! is evaluated first, then the value is disposed of, then the block returns its value. Resources are disposed of in
//! reverse order.

use crate::{checker::Checker, state::Expect};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Binding, NodeId, NodeKind, PatternKind, VariableId};
use clef_syntax::ast::{self, LetGroup, Name, Statement};

/// A resource bound by `use`.
pub(crate) struct Resource {
    variable: VariableId,
    pub(crate) binding: Binding,
}

impl Checker<'_> {
    /// `use` and the statements after it.
    pub(crate) fn use_block(&mut self, group: &LetGroup, rest: &[Statement], span: Span, expect: &Expect) -> NodeId {
        let Some(resource) = self.resource(group) else {
            self.statements(rest, span, expect);
            return self.graph.error_node(span);
        };
        let disposal = self.disposal(&resource, group.span);
        let body = self.statements(rest, span, expect);
        let ty = self.graph.type_of(body);
        let whole = group.span.to(span.at_end());
        let Some(disposal) = disposal else { return self.graph.error_node(whole) };
        let result = self.fresh_variable("result", ty.clone(), whole);
        let pattern = self.graph.pattern(PatternKind::Variable(result), ty.clone(), whole);
        let value = self.use_variable(result, whole);
        let end = self.graph.node(NodeKind::Sequence(vec![disposal, value]), ty.clone(), whole);
        let body =
            self.graph.node(NodeKind::Let { binding: Binding { pattern, value: body }, body: end }, ty.clone(), whole);
        self.graph.node(NodeKind::Let { binding: resource.binding, body }, ty, whole)
    }

    /// The variable of a `use`, in scope, and its binding; `use _ = value` has one without a name.
    pub(crate) fn resource(&mut self, group: &LetGroup) -> Option<Resource> {
        let ast = self.input.ast;
        let [binding] = group.bindings.as_slice() else {
            self.report_resource(group.span, "`use` must bind a single name");
            return None;
        };
        if let ast::BindingHead::Pattern(pattern) = binding.head
            && let ast::PatternKind::Wildcard = ast.patterns[pattern].kind
        {
            let value = self.infer(binding.body);
            let (ty, span) = (self.graph.type_of(value), ast.patterns[pattern].span);
            let variable = self.fresh_variable("resource", ty.clone(), span);
            let pattern = self.graph.pattern(PatternKind::Variable(variable), ty, span);
            return Some(Resource { variable, binding: Binding { pattern, value } });
        }
        let plain = LetGroup { resource: false, ..group.clone() };
        let bound = self.local_bindings(&plain);
        if let crate::declarations::bindings::Group::Plain(bindings) = bound
            && let [bound] = bindings.as_slice()
            && let PatternKind::Variable(variable) = self.graph.psg.patterns[bound.pattern].kind
        {
            return Some(Resource { variable, binding: *bound });
        }
        self.report_resource(group.span, "`use` must bind a single name");
        None
    }

    /// The call that disposes of a variable's value.
    pub(crate) fn disposal(&mut self, resource: &Resource, span: Span) -> Option<NodeId> {
        let variable = resource.variable;
        let ty = self.graph.facts(variable).ty.clone();
        let place = self.graph.psg.variables[variable].span;
        let value = self.use_variable(variable, place);
        let Ty::Constructor(constructor, _) = self.inference.shallow(&ty) else {
            self.report_resource(place, "the type of the value bound by `use` is not known here");
            return None;
        };
        if let TypeConstructor::Error = constructor {
            return None;
        }
        let dispose = Name { symbol: Symbol::new("Dispose"), span: place };
        if let Some(function) = self.record_field(value, dispose, place) {
            return Some(self.call_disposal(function, Ty::unit(), span));
        }
        if let TypeConstructor::Declared(declared) = constructor {
            let module = self.names.find_modules(&[self.graph.psg.declared_types[declared].name]);
            let name = Symbol::new("dispose");
            let found = module.into_iter().find_map(|module| self.names.modules[module].values.get(&name)).cloned();
            if let Some(entry) = found {
                self.check_visible(name, &entry, place);
                let function = self.meaning(entry.meaning, place);
                let wanted = Ty::function(ty, Ty::unit());
                self.expect(place, &Expect::anything(wanted), &self.graph.type_of(function));
                return Some(self.make_call(function, vec![value], span));
            }
        }
        let shown = self.show(&ty);
        let message = format!("the type `{shown}` is not disposable");
        let name = if let TypeConstructor::Declared(declared) = constructor {
            self.graph.psg.declared_types[declared].name.as_str()
        } else {
            "T"
        };
        self.report(
            Diagnostic::error(codes::NOT_DISPOSABLE, place, message)
                .note(
                    "`use` calls the field `Dispose: unit -> unit` of a record, or the function `dispose` in the \
                       module of the type",
                )
                .help(format!("define `dispose` in a `module {name}`, or use `let`")),
        );
        None
    }

    fn call_disposal(&mut self, function: NodeId, argument: Ty, span: Span) -> NodeId {
        let wanted = Ty::function(argument, Ty::unit());
        self.expect(self.graph.span_of(function), &Expect::anything(wanted), &self.graph.type_of(function));
        let unit = self.graph.unit_node(span);
        self.make_call(function, vec![unit], span)
    }

    /// Reports a `use` in `seq { }`.
    pub(crate) fn report_resource_of_sequence(&mut self, span: Span) {
        self.report(
            Diagnostic::error(codes::NOT_DISPOSABLE, span, "`use` is not supported in a sequence")
                .note("the consumer may stop before the end of the sequence, so the value might not be disposed of")
                .help("move the `use` around the code that consumes the sequence, or build a list instead: `[ … ]`"),
        );
    }

    fn report_resource(&mut self, span: Span, message: &str) {
        self.report(
            Diagnostic::error(codes::NOT_DISPOSABLE, span, message)
                .help("write `use name = value` in a function, with a value of known type"),
        );
    }
}
