//! `Interrupt.on`: handlers that are closures.
//!
//! In: a graph whose types are known. Out: the same with a ref cell for each interrupt that a program installs handlers of, an
//! exported function that calls what is in the cell, and `Interrupt.install cell number handler` in place of
//! `Interrupt.on number handler`. The cell is static memory, and so are the captures of the closures that are stored in it.

use crate::checker::Checker;
use crate::declarations::attributes::LARGEST_INTERRUPT;
use clef_analysis::reached::reached;
use clef_base::{Diagnostic, HashMap, Span, Symbol, codes};
use clef_psg::{
    Binding, Export, Item, Lambda, Literal, Marks, Mutability, Node, NodeId, NodeKind, Pattern, PatternKind, Scope,
    Variable, VariableId,
};
use clef_types::interrupt_symbol::{INTERRUPT, TIMER};
use clef_types::{Primitive, Type, TypeKind};
use std::collections::BTreeMap;

/// The functions of the library.
struct Functions {
    /// What programs call, with what replaces it.
    on: [(VariableId, VariableId); 2],
    /// Calls what is in a cell.
    run: VariableId,
}

/// The types of what is made.
struct Made {
    unit: Type,
    handler: Type,
    maybe: Type,
    cell: Type,
}

impl Checker<'_> {
    /// Replaces each call of `Interrupt.on` and `Interrupt.onTimer`.
    pub(crate) fn expand_handlers(&mut self) {
        let Some(functions) = self.handler_functions() else { return };
        let replaced = |variable: VariableId| functions.on.iter().find(|(on, _)| *on == variable).map(|(_, by)| *by);
        let names = self.graph.psg.nodes.iter().filter_map(|(id, node)| {
            let NodeKind::Variable { variable, .. } = &node.kind else { return None };
            Some((id, replaced(*variable)?))
        });
        let mut names: HashMap<NodeId, VariableId> = names.collect();
        if names.is_empty() {
            return;
        }
        // The library's own handlers are only for programs that use them.
        let reached = reached(&self.graph.psg);
        names.retain(|name, _| reached.contains(name));
        let calls = self.graph.psg.nodes.iter().filter_map(|(id, node)| {
            let NodeKind::Apply { function, arguments } = &node.kind else { return None };
            Some((id, names.remove(function)?, arguments.clone()))
        });
        let calls: Vec<(NodeId, VariableId, Vec<NodeId>)> = calls.collect();
        for name in names.into_keys().collect::<Vec<_>>() {
            self.report_no_number(self.graph.psg.nodes[name].span);
        }
        let made = self.handler_types();
        let mut cells = BTreeMap::new();
        for (call, install, arguments) in calls {
            self.expand_handler(&functions, &made, &mut cells, call, install, arguments);
        }
    }

    fn handler_functions(&self) -> Option<Functions> {
        let of = |name| self.library_variable("Interrupt", name);
        let on = [(of("on")?, of("install")?), (of("onTimer")?, of("installTimer")?)];
        Some(Functions { on, run: of("run")? })
    }

    fn handler_types(&mut self) -> Made {
        let none = self.library_case("Prelude", "None");
        let option = self.graph.psg.cases[none].owner;
        let types = &mut self.graph.psg.types;
        let unit = types.intern(TypeKind::Unit);
        let handler = types.intern(TypeKind::Function(unit, unit));
        let maybe = types.intern(TypeKind::Declared(option, vec![handler]));
        Made { unit, handler, maybe, cell: types.intern(TypeKind::Reference(maybe)) }
    }

    fn expand_handler(
        &mut self,
        functions: &Functions,
        made: &Made,
        cells: &mut BTreeMap<Symbol, VariableId>,
        call: NodeId,
        install: VariableId,
        arguments: Vec<NodeId>,
    ) {
        let span = self.graph.psg.nodes[call].span;
        let is_timer = install == functions.on[1].1;
        let parameters = if is_timer { 1 } else { 2 };
        let name = if is_timer { Some(TIMER.to_owned()) } else { self.interrupt_number(arguments[0]) };
        let Some(name) = name.filter(|_| arguments.len() == parameters) else {
            return self.report_no_number(span);
        };
        let symbol = Symbol::new(&format!("{INTERRUPT}{name}"));
        let cell = match cells.get(&symbol) {
            Some(cell) => *cell,
            None => {
                let cell = self.handler_cell(functions.run, made, symbol, span);
                cells.insert(symbol, cell);
                cell
            }
        };
        let types: Vec<Type> = arguments.iter().map(|argument| self.graph.psg.nodes[*argument].ty).collect();
        let types = std::iter::once(made.cell).chain(types).collect::<Vec<_>>();
        let mut ty = made.unit;
        for parameter in types.into_iter().rev() {
            ty = self.graph.psg.types.intern(TypeKind::Function(parameter, ty));
        }
        let function = self.variable_node(install, ty, span);
        let cell = self.variable_node(cell, made.cell, span);
        let arguments = std::iter::once(cell).chain(arguments).collect();
        self.graph.psg.nodes[call].kind = NodeKind::Apply { function, arguments };
    }

    /// The number of an interrupt, if it is a constant.
    fn interrupt_number(&self, argument: NodeId) -> Option<String> {
        let kind = &self.graph.psg.nodes[argument].kind;
        let literal = if let NodeKind::Variable { variable, .. } = kind {
            &self.declared.constants.get(variable)?.0
        } else {
            let NodeKind::Literal(literal) = kind else { return None };
            literal
        };
        let Literal::Integer(number) = literal else { return None };
        (0..=LARGEST_INTERRUPT).contains(number).then(|| number.to_string())
    }

    fn report_no_number(&mut self, span: Span) {
        let message = "the interrupt of a handler must be known when the program is compiled";
        self.report(
            Diagnostic::error(codes::BAD_ATTRIBUTE_ARGUMENT, span, message)
                .help("write `Interrupt.on 3 (fun () -> …)`, with a number or the name of a `[<Literal>]`")
                .note("each interrupt that has handlers takes static memory for one of them"),
        );
    }

    /// A cell for the handler of an interrupt, and the function that calls it.
    fn handler_cell(&mut self, run: VariableId, made: &Made, symbol: Symbol, span: Span) -> VariableId {
        let none = NodeKind::Case { case: self.library_case("Prelude", "None"), instantiation: vec![made.handler] };
        let none = self.handler_node(none, made.maybe, span);
        let make = self.graph.psg.types.intern(TypeKind::Function(made.maybe, made.cell));
        let function = self.handler_node(NodeKind::Primitive(Primitive::MakeReference), make, span);
        let empty = self.handler_node(NodeKind::Apply { function, arguments: vec![none] }, made.cell, span);
        let cell = self.module_variable(&format!("{symbol}$cell"), made.cell, None, span);

        let parameter = self
            .graph
            .psg
            .variables
            .alloc(Variable { scope: Scope::Local, ..self.handler_variable("_", made.unit, None, span) });
        let argument = self.variable_node(cell, made.cell, span);
        let ty = self.graph.psg.types.intern(TypeKind::Function(made.cell, made.unit));
        let function = self.variable_node(run, ty, span);
        let body = self.handler_node(NodeKind::Apply { function, arguments: vec![argument] }, made.unit, span);
        let handler = self.module_variable(&format!("{symbol}$handler"), made.handler, Some(1), span);
        let lambda = Lambda { name: Some(handler), params: vec![parameter], body, captures: Vec::new(), span };
        let lambda = self.graph.psg.lambdas.alloc(lambda);
        let value = self.handler_node(NodeKind::Lambda(lambda), made.handler, span);
        self.add_item(handler, made.handler, value, span);
        self.add_item(cell, made.cell, empty, span);
        self.graph.psg.exports.push(Export { variable: handler, symbol, span });
        cell
    }

    fn handler_node(&mut self, kind: NodeKind, ty: Type, span: Span) -> NodeId {
        self.graph.psg.nodes.alloc(Node { kind, ty, span })
    }

    fn variable_node(&mut self, variable: VariableId, ty: Type, span: Span) -> NodeId {
        self.handler_node(NodeKind::Variable { variable, instantiation: Vec::new() }, ty, span)
    }

    fn handler_variable(&self, name: &str, ty: Type, arity: Option<usize>, span: Span) -> Variable {
        Variable {
            name: Symbol::new(name),
            path: Symbol::new(name),
            ty,
            generics: Vec::new(),
            mutability: Mutability::Immutable,
            scope: Scope::Module,
            arity,
            marks: Marks::default(),
            span,
        }
    }

    fn module_variable(&mut self, name: &str, ty: Type, arity: Option<usize>, span: Span) -> VariableId {
        let variable = self.handler_variable(name, ty, arity, span);
        self.graph.psg.variables.alloc(variable)
    }

    /// Binds a variable before all others: it depends on nothing that is initialised.
    fn add_item(&mut self, variable: VariableId, ty: Type, value: NodeId, span: Span) {
        let pattern = Pattern { kind: PatternKind::Variable(variable), ty, span };
        let pattern = self.graph.psg.patterns.alloc(pattern);
        self.graph.psg.items.insert(0, Item::Let(Binding { pattern, value }));
    }
}
