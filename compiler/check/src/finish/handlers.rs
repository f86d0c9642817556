//! `Interrupt.on`: handlers that are closures.
//!
//! In: a graph whose types are known. Out: the same with a ref cell for each interrupt that a program installs handlers of, an
//! exported function that calls what is in the cell, and `Interrupt.install cell number handler` in place of
//! `Interrupt.on number handler`. The cell is static memory, and so are the captures of the closures that are stored in it.
//!
//! Drivers of the library install handlers too, of interrupts that depend on what the program passes them. Where the program also
//! handles one of these interrupts, the calls become such that trap before one side replaces the handler of the other.
//!
//! A driver that has no handler of its device's interrupt claims it (`Interrupt.claim`): then no other driver, and no function of the
//! program, has the interrupt. Where nothing else in the program has a handler, the claim is the literal `true`.

use crate::checker::Checker;
use crate::declarations::attributes::LARGEST_INTERRUPT;
use clef_analysis::reached::reached;
use clef_base::{Diagnostic, FileId, HashMap, HashSet, Span, Symbol, codes};
use clef_psg::{
    Binding, Export, Item, Lambda, Literal, Marks, Mutability, Node, NodeId, NodeKind, Pattern, PatternKind, Scope,
    Variable, VariableId,
};
use clef_types::interrupt_symbol::{INTERRUPT, TIMER};
use clef_types::{IntegerType, Primitive, Type, TypeKind};
use std::collections::BTreeMap;

/// What to write for a handler of an interrupt.
const NUMBERED: &str = "write `Interrupt.on 3 (fun () -> …)`, with a number or the name of a `[<Literal>]`";

/// The functions of the library.
struct Functions {
    /// What programs call, with what replaces it.
    on: [(VariableId, VariableId); 2],
    /// What drivers without a handler call, with what replaces it.
    claim: (VariableId, VariableId),
    /// What replaces calls for an interrupt that a driver claims.
    install_unclaimed: VariableId,
    /// What replaces calls for an interrupt that both the program and the library install handlers of.
    install_for: VariableId,
    /// What replaces calls of the library for an interrupt of which a function of the program is the handler.
    taken: VariableId,
    /// Calls what is in a cell.
    run: VariableId,
}

/// A call that installs a handler.
struct Call {
    node: NodeId,
    /// What replaces the function that it calls.
    install: VariableId,
    arguments: Vec<NodeId>,
    /// The symbol of the interrupt.
    symbol: Symbol,
    side: Side,
}

/// Who installs a handler, or claims the interrupt; the number is that of `Interrupt.installFor` and `claimFor`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Program = 1,
    Library = 2,
    Claim = 3,
}

/// What interrupts have whose handlers are closures.
#[derive(Default)]
struct Cells {
    /// The handler.
    handlers: BTreeMap<Symbol, VariableId>,
    /// Who has installed it, for an interrupt with several sides.
    owners: BTreeMap<Symbol, VariableId>,
}

/// The types of what is made.
struct Made {
    unit: Type,
    handler: Type,
    maybe: Type,
    cell: Type,
    int: Type,
    owner: Type,
}

impl Checker<'_> {
    /// Replaces each call of `Interrupt.on` and `Interrupt.onTimer`.
    pub(crate) fn expand_handlers(&mut self) {
        let Some(functions) = self.handler_functions() else { return };
        let called = [functions.on[0], functions.on[1], functions.claim];
        let replaced = |variable: VariableId| called.iter().find(|(on, _)| *on == variable).map(|(_, by)| *by);
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
        let calls = self.handler_calls(&functions, names);
        let named: HashSet<Symbol> = self.graph.psg.exports.iter().map(|export| export.symbol).collect();
        let made = self.handler_types();
        let mut cells = Cells::default();
        for call in &calls {
            let others: Vec<Side> = calls
                .iter()
                .filter(|other| other.symbol == call.symbol && other.side != call.side)
                .map(|other| other.side)
                .collect();
            match (call.side, named.contains(&call.symbol)) {
                (Side::Claim, false) if !others.is_empty() => self.expand_claim(&functions, &made, &mut cells, call),
                (Side::Claim, is_named) => {
                    self.graph.psg.nodes[call.node].kind = NodeKind::Literal(Literal::Bool(!is_named));
                }
                (Side::Library, true) => {
                    let ty = self.graph.psg.variables[functions.taken].ty;
                    let function = self.variable_node(functions.taken, ty, self.graph.psg.nodes[call.node].span);
                    self.graph.psg.nodes[call.node].kind =
                        NodeKind::Apply { function, arguments: call.arguments.clone() };
                }
                (Side::Library, false) | (Side::Program, _) => {
                    self.expand_handler(&functions, &made, &mut cells, call, &others);
                }
            }
        }
    }

    /// The calls whose functions have these nodes. Reports those whose interrupt is not known or that lack arguments, and nodes that
    /// are not called.
    fn handler_calls(&mut self, functions: &Functions, mut names: HashMap<NodeId, VariableId>) -> Vec<Call> {
        let psg = &self.graph.psg;
        let of_library = psg.variables.iter().filter(|(_, variable)| variable.marks.library);
        let library: HashSet<FileId> = of_library.map(|(_, variable)| variable.span.file).collect();
        let applied = psg.nodes.iter().filter_map(|(id, node)| {
            let NodeKind::Apply { function, arguments } = &node.kind else { return None };
            Some((id, names.remove(function)?, arguments.clone()))
        });
        let applied: Vec<(NodeId, VariableId, Vec<NodeId>)> = applied.collect();
        for (name, install) in names {
            self.report_no_call(self.graph.psg.nodes[name].span, install == functions.on[1].1);
        }
        let mut calls = Vec::new();
        for (node, install, arguments) in applied {
            let span = self.graph.psg.nodes[node].span;
            let is_timer = install == functions.on[1].1;
            let is_claim = install == functions.claim.1;
            let parameters = if is_timer || is_claim { 1 } else { 2 };
            if arguments.len() != parameters {
                self.report_no_call(span, is_timer);
                continue;
            }
            let name = if is_timer { Some(TIMER.to_owned()) } else { self.interrupt_number(arguments[0]) };
            let Some(name) = name else {
                self.report_no_number(arguments[0], span);
                continue;
            };
            let symbol = Symbol::new(&format!("{INTERRUPT}{name}"));
            let side = match library.contains(&span.file) {
                true if is_claim => Side::Claim,
                true => Side::Library,
                false => Side::Program,
            };
            calls.push(Call { node, install, arguments, symbol, side });
        }
        calls
    }

    fn handler_functions(&self) -> Option<Functions> {
        let of = |name| self.library_variable("Interrupt", name);
        let on = [(of("on")?, of("install")?), (of("onTimer")?, of("installTimer")?)];
        Some(Functions {
            on,
            claim: (of("claim")?, of("claimFor")?),
            install_unclaimed: of("installUnclaimed")?,
            install_for: of("installFor")?,
            taken: of("taken")?,
            run: of("run")?,
        })
    }

    fn handler_types(&mut self) -> Made {
        let none = self.library_case("Prelude", "None");
        let option = self.graph.psg.cases[none].owner;
        let types = &mut self.graph.psg.types;
        let unit = types.intern(TypeKind::Unit);
        let handler = types.intern(TypeKind::Function(unit, unit));
        let maybe = types.intern(TypeKind::Declared(option, vec![handler]));
        let int = types.intern(TypeKind::Integer(IntegerType::Int));
        let [cell, owner] = [maybe, int].map(|content| types.intern(TypeKind::Reference(content)));
        Made { unit, handler, maybe, cell, int, owner }
    }

    /// Replaces a call that installs a handler, of an interrupt with these other sides.
    fn expand_handler(&mut self, functions: &Functions, made: &Made, cells: &mut Cells, call: &Call, others: &[Side]) {
        let span = self.graph.psg.nodes[call.node].span;
        let handler = *cells
            .handlers
            .entry(call.symbol)
            .or_insert_with(|| self.handler_cell(functions.run, made, call.symbol, span));
        let mut arguments = vec![self.variable_node(handler, made.cell, span)];
        arguments.extend(&call.arguments);
        let install = if others.is_empty() {
            call.install
        } else {
            let owner = self.owner_of(made, cells, call);
            let side = NodeKind::Literal(Literal::Integer(call.side as i128));
            let side = self.handler_node(side, made.int, span);
            arguments.splice(0..0, [owner, side]);
            if others.contains(&Side::Claim) { functions.install_unclaimed } else { functions.install_for }
        };
        self.replace_call(call, install, arguments, made.unit);
    }

    /// Replaces a claim of an interrupt that others install handlers of.
    fn expand_claim(&mut self, functions: &Functions, made: &Made, cells: &mut Cells, call: &Call) {
        let owner = self.owner_of(made, cells, call);
        let result = self.graph.psg.nodes[call.node].ty;
        self.replace_call(call, functions.claim.1, vec![owner], result);
    }

    /// The cell for the side that has the interrupt of a call.
    fn owner_of(&mut self, made: &Made, cells: &mut Cells, call: &Call) -> NodeId {
        let span = self.graph.psg.nodes[call.node].span;
        let owner = *cells.owners.entry(call.symbol).or_insert_with(|| self.owner_cell(made, call.symbol, span));
        self.variable_node(owner, made.owner, span)
    }

    /// Makes a call one of a function with these arguments.
    fn replace_call(&mut self, call: &Call, by: VariableId, arguments: Vec<NodeId>, result: Type) {
        let types: Vec<Type> = arguments.iter().map(|argument| self.graph.psg.nodes[*argument].ty).collect();
        let mut ty = result;
        for parameter in types.into_iter().rev() {
            ty = self.graph.psg.types.intern(TypeKind::Function(parameter, ty));
        }
        let function = self.variable_node(by, ty, self.graph.psg.nodes[call.node].span);
        self.graph.psg.nodes[call.node].kind = NodeKind::Apply { function, arguments };
    }

    /// The number of an interrupt, if it is a constant.
    pub(super) fn interrupt_number(&self, argument: NodeId) -> Option<String> {
        let Literal::Integer(number) = self.constant_of(argument)? else { return None };
        (0..=LARGEST_INTERRUPT).contains(number).then(|| number.to_string())
    }

    /// The value of a literal, or of a variable that is `[<Literal>]`.
    pub(super) fn constant_of(&self, argument: NodeId) -> Option<&Literal> {
        let kind = &self.graph.psg.nodes[argument].kind;
        if let NodeKind::Variable { variable, .. } = kind {
            return self.declared.constants.get(variable).map(|(literal, ..)| literal);
        }
        let NodeKind::Literal(literal) = kind else { return None };
        Some(literal)
    }

    fn report_no_number(&mut self, argument: NodeId, span: Span) {
        let (message, help) = match self.constant_of(argument) {
            Some(Literal::Integer(number)) => (
                format!("no processor has an interrupt {number}"),
                format!("write a number from 0 to {LARGEST_INTERRUPT} that the board has"),
            ),
            _ => ("the interrupt of a handler must be known when the program is compiled".into(), NUMBERED.into()),
        };
        self.report_bad_handler(span, &message, &help);
    }

    /// Reports a function that installs handlers where it is a value or lacks arguments.
    fn report_no_call(&mut self, span: Span, is_timer: bool) {
        let (message, help) = if is_timer {
            ("`Interrupt.onTimer` must be called with its handler", "write `Interrupt.onTimer (fun () -> …)`")
        } else {
            ("`Interrupt.on` must be called with its interrupt and its handler", NUMBERED)
        };
        self.report_bad_handler(span, message, help);
    }

    fn report_bad_handler(&mut self, span: Span, message: &str, help: &str) {
        let note = "each interrupt that has handlers takes static memory for one of them";
        self.report(Diagnostic::error(codes::BAD_ATTRIBUTE_ARGUMENT, span, message).help(help).note(note));
    }

    /// A cell for the handler of an interrupt, and the function that calls it.
    fn handler_cell(&mut self, run: VariableId, made: &Made, symbol: Symbol, span: Span) -> VariableId {
        let none = NodeKind::Case { case: self.library_case("Prelude", "None"), instantiation: vec![made.handler] };
        let none = self.handler_node(none, made.maybe, span);
        let cell = self.static_cell(&format!("{symbol}$cell"), none, made.cell, span);

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
        // After the cell.
        self.add_item(1, handler, made.handler, value, span);
        self.graph.psg.exports.push(Export { variable: handler, symbol, span });
        cell
    }

    /// A cell for the side that has installed a handler: none yet.
    fn owner_cell(&mut self, made: &Made, symbol: Symbol, span: Span) -> VariableId {
        let none = self.handler_node(NodeKind::Literal(Literal::Integer(0)), made.int, span);
        self.static_cell(&format!("{symbol}$owner"), none, made.owner, span)
    }

    /// A module-level ref cell of a type, with this content.
    fn static_cell(&mut self, name: &str, content: NodeId, ty: Type, span: Span) -> VariableId {
        let make = self.graph.psg.nodes[content].ty;
        let make = self.graph.psg.types.intern(TypeKind::Function(make, ty));
        let function = self.handler_node(NodeKind::Primitive(Primitive::MakeReference), make, span);
        let made = self.handler_node(NodeKind::Apply { function, arguments: vec![content] }, ty, span);
        let cell = self.module_variable(name, ty, None, span);
        self.add_item(0, cell, ty, made, span);
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

    /// Binds a variable at an index among the first ones: it depends on nothing else that is initialised.
    fn add_item(&mut self, index: usize, variable: VariableId, ty: Type, value: NodeId, span: Span) {
        let pattern = Pattern { kind: PatternKind::Variable(variable), ty, span };
        let pattern = self.graph.psg.patterns.alloc(pattern);
        self.graph.psg.items.insert(index, Item::Let(Binding { pattern, value }));
    }
}
