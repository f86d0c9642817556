//! State in module-level values: the program's region is evacuated at the back edges of the program's main loops.
//!
//! In: a program with its regions, and which locals may point into the program's region. Out: the same program, where a
//! loop evacuates that region if it may allocate there and overwrite previous content, and all pointers into it are
//! known: the module-level values, the locals of the loop's own function, and those of the functions that wait for it
//! ([`main_functions`]). What the loop's function holds across the loop becomes slots, which evacuation overwrites;
//! what the waiting functions hold is registered in module-level values. Nothing is evacuated if the program knows
//! addresses of memory, or if other languages call functions that use what may be moved. If an interrupt handler uses
//! such a value, interrupts are masked while it is moved; see [`outside`]. In a library the main loop is that of its host;
//! see [`host`].

mod demotion;
mod host;
mod left_behind;
mod liveness;
mod main_functions;
mod outside;

use super::{
    loops::let_,
    order::Order,
    roots::{Root, Writer},
    self_calls::implicit_inputs,
    transitive::Transitive,
};
use clef_base::{HashMap, HashSet, Span, Symbol};
use clef_core::{
    Atom, Block, ConstantTypes, End, Evacuation, Function, FunctionId, GlobalId, Local, LocalId, Memory, Move, Program,
    Region, Rhs, Statement, StatementKind, Storage,
};
use clef_types::{Intrinsic, TypeKind, Types};
use demotion::Demotion;
use left_behind::is_left_behind;
use main_functions::{Held, MainFunctions};
use std::collections::BTreeSet;

/// For each function, the locals that may point into the program's region.
pub(super) type ProgramHolders = HashMap<FunctionId, BTreeSet<LocalId>>;

/// Evacuates the program's region in main loops.
pub(super) fn evacuate(program: &mut Program, mut holders: ProgramHolders) {
    if program.is_library {
        if !knows_addresses(program) {
            host::evacuate(program, &holders);
        }
        return;
    }
    let Some(plan) = plan(program, &holders) else { return };
    main_functions::register(program, &plan.waiting, &mut holders);
    let mut types = program.types.clone();
    let constants = ConstantTypes::new(&mut types);
    let mut rewritten = Vec::new();
    {
        let evacuation = Evacuation::new(program);
        let touching = touching(program, constants);
        let overwriting = overwriting(program, constants, &evacuation, &holders);
        let globals = outside::moved(program, &evacuation);
        for id in plan.functions {
            let mut function = program.functions[id].clone();
            let main = Main {
                evacuation: &evacuation,
                globals: &globals,
                masked: plan.masked,
                touching: &touching,
                overwriting: &overwriting,
                program,
                held: &holders[&id],
            };
            main.rewrite(&mut function, &mut types);
            rewritten.push((id, function));
        }
    }
    program.types = types;
    for (id, function) in rewritten {
        program.functions[id] = function;
    }
}

/// How a program is transformed.
struct Plan {
    /// The main functions with loops that evacuate.
    functions: Vec<FunctionId>,
    /// What the functions that wait for them hold.
    waiting: Held,
    /// Whether interrupts are masked while module-level values are moved.
    masked: bool,
}

fn plan(program: &mut Program, holders: &ProgramHolders) -> Option<Plan> {
    let constants = ConstantTypes::new(&mut program.types);
    let evacuation = Evacuation::new(program);
    let touching = touching(program, constants);
    let overwriting = overwriting(program, constants, &evacuation, holders);
    let globals = outside::moved(program, &evacuation);
    let outside = outside::uses(program, constants, &touching, &globals);
    if knows_addresses(program) || outside == outside::Uses::AnyTime {
        return None;
    }
    let masked = outside == outside::Uses::Handlers;
    let repeats = |(id, function): &(FunctionId, &Function)| {
        let held = &holders[id];
        let (evacuation, globals, touching, overwriting) = (&evacuation, &globals[..], &touching, &overwriting);
        let main = Main { evacuation, globals, masked, touching, overwriting, program, held };
        !main.loops(function, &Order::of(function)).is_empty() || main.iterates(function)
    };
    let repeating: HashSet<FunctionId> = program.functions.iter().filter(repeats).map(|(id, _)| id).collect();
    if repeating.is_empty() {
        return None;
    }
    let sites = MainFunctions::find(program, holders, &evacuation);
    let functions: Vec<FunctionId> = sites.functions().filter(|id| repeating.contains(id)).collect();
    let waiting = sites.held(&functions);
    Some(Plan { functions, waiting, masked })
}

/// The functions that may allocate in the program's region.
fn touching<'a>(program: &'a Program, constants: ConstantTypes) -> Transitive<'a> {
    Transitive::new(program, constants, &|_, function| {
        allocates(program, &function.body) || captures_handle(program, function)
    })
}

/// The functions that overwrite something that may live as long as the program with a value that has pointers, or drop
/// something in the program's region.
pub(super) fn overwriting<'a>(
    program: &'a Program,
    constants: ConstantTypes,
    evacuation: &Evacuation<'_>,
    holders: &ProgramHolders,
) -> Transitive<'a> {
    Transitive::new(program, constants, &|id, function| {
        let held = holders.get(&id);
        let mut found = held.is_some_and(|held| is_left_behind(function, &function.body, held, evacuation));
        function.body.each_statement(&mut |statement| {
            found |= overwrites(program, evacuation, function, statement);
        });
        found
    })
}

/// Whether a statement overwrites something that may live as long as the program.
fn overwrites(program: &Program, evacuation: &Evacuation<'_>, function: &Function, statement: &Statement) -> bool {
    match statement.rhs().and_then(|rhs| evacuation.overwritten(rhs, function)) {
        Some(Memory::Global(global)) => program.globals[global].mutable,
        Some(Memory::Reference(_) | Memory::Field { .. } | Memory::Element(_)) => true,
        None | Some(Memory::Slot(_)) => false,
    }
}

/// Whether a body allocates in the program's region, or passes its handle on.
fn allocates(program: &Program, body: &Block) -> bool {
    let in_program = |statement: &Statement| {
        statement.allocations().into_iter().any(|allocation| {
            let decision = &program.allocations[allocation].decision;
            decision.as_ref().is_some_and(|decision| decision.storage == Storage::Region(Region::Program))
        })
    };
    let mut found = false;
    body.each_statement(&mut |statement| found |= in_program(statement));
    body.each_atom(&mut |atom| found |= *atom == Atom::ProgramRegion);
    found
}

/// Whether a closure's code may allocate in regions whose handles it captured: one may be the program's.
fn captures_handle(program: &Program, function: &Function) -> bool {
    let is_handle = |capture: &LocalId| matches!(program.types.kind(function.locals[*capture].ty), TypeKind::Region);
    function.captures().iter().any(is_handle)
}

/// Whether the program takes the address of memory that may be in a region.
fn knows_addresses(program: &Program) -> bool {
    let mut known = false;
    for (_, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            let Some(Rhs::Intrinsic { intrinsic, allocation, .. }) = statement.rhs() else { return };
            let decision = allocation.and_then(|allocation| program.allocations[allocation].decision.as_ref());
            let is_static = decision.is_some_and(|decision| decision.storage == Storage::Static);
            known |= matches!(intrinsic, Intrinsic::StringPointer | Intrinsic::ArrayPointer)
                || *intrinsic == Intrinsic::StackAllocate && !is_static;
        });
    }
    known
}

/// Rewrites one main function.
struct Main<'a> {
    evacuation: &'a Evacuation<'a>,
    globals: &'a [GlobalId],
    /// Whether interrupts are masked while they are moved.
    masked: bool,
    touching: &'a Transitive<'a>,
    overwriting: &'a Transitive<'a>,
    program: &'a Program,
    /// The locals that may point into the program's region.
    held: &'a BTreeSet<LocalId>,
}

impl Main<'_> {
    /// Evacuates at the back edges.
    fn rewrite(&self, function: &mut Function, types: &mut Types) {
        let order = Order::of(function);
        let mut slots: HashMap<LocalId, Vec<LocalId>> = HashMap::default();
        for local in self.loops(function, &order) {
            slots.insert(local, self.held_through(function, &order, local));
        }
        let iterates = self.iterates(function);
        let is_slot = |local: &LocalId| matches!(types.kind(function.locals[*local].ty), TypeKind::Slot(_));
        let demoted: HashSet<LocalId> = slots.values().flatten().copied().filter(|local| !is_slot(local)).collect();
        let demoted = Demotion::new(function, types, &demoted);
        demoted.rewrite(function);
        for local in slots.values_mut().flatten() {
            *local = demoted.slots.get(local).copied().unwrap_or(*local);
        }
        let writer = Writer { evacuation: self.evacuation, types };
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        BackEdges { main: self, function, writer, slots, iterates }.block(&mut body);
        function.body = body;
    }

    /// The loops of a function that are to evacuate, by the locals that their statements bind.
    fn loops(&self, function: &Function, order: &Order) -> Vec<LocalId> {
        let mut found = Vec::new();
        function.body.each_statement(&mut |statement| {
            if let StatementKind::Let(local, rhs @ Rhs::While { .. }) = &statement.kind
                && !order.within_string(order.loops[local].place)
                && rhs.blocks().into_iter().any(|block| self.replaces_state(function, block))
            {
                found.push(*local);
            }
        });
        found
    }

    /// Whether a function is to evacuate before its next iteration, which it starts itself or through its tail calls.
    fn iterates(&self, function: &Function) -> bool {
        let mut iterates = false;
        function.body.each_end(&mut |end| iterates |= self.is_back_edge(function, end));
        iterates && self.replaces_state(function, &function.body)
    }

    /// Whether a function may evacuate at an end after which its next iteration starts, directly or through a tail
    /// call. A closure's code starts its next iteration with the same captures.
    fn is_back_edge(&self, function: &Function, end: &End) -> bool {
        let is_held =
            |local: &LocalId| self.held.contains(local) && self.evacuation.has_pointers(function.locals[*local].ty);
        match end {
            End::Continue(_) => !implicit_inputs(function).iter().any(is_held),
            End::TailCall { required, .. } => *required,
            End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) | End::Trap(..) => {
                false
            }
        }
    }

    /// The locals that may point into the program's region, are bound before a loop, and are used in it or after it.
    fn held_through(&self, function: &Function, order: &Order, of: LocalId) -> Vec<LocalId> {
        let lives = |local: &LocalId| {
            order.lives_through(*local, &order.loops[&of]) && self.evacuation.has_pointers(function.locals[*local].ty)
        };
        self.held.iter().copied().filter(lives).collect()
    }

    /// Whether a block of a function may allocate in the program's region, and overwrite or drop its previous content.
    fn replaces_state(&self, function: &Function, block: &Block) -> bool {
        let mut overwritten =
            self.overwriting.in_block(function, block) || is_left_behind(function, block, self.held, self.evacuation);
        block.each_statement(&mut |statement| {
            overwritten |= overwrites(self.program, self.evacuation, function, statement);
        });
        overwritten && (allocates(self.program, block) || self.touching.in_block(function, block))
    }
}

/// Evacuates at the back edges of one main function.
struct BackEdges<'a, 'types> {
    main: &'a Main<'a>,
    function: &'a mut Function,
    writer: Writer<'types>,
    /// For each loop that is to evacuate, the slots of what its function holds across it.
    slots: HashMap<LocalId, Vec<LocalId>>,
    /// Whether the function does so before its own next iteration.
    iterates: bool,
}

impl BackEdges<'_, '_> {
    /// Evacuates at the back edges within a block.
    fn block(&mut self, block: &mut Block) {
        for statement in &mut block.statements {
            let StatementKind::Let(local, rhs) = &mut statement.kind else { continue };
            for block in rhs.blocks_mut() {
                self.block(block);
            }
            if let Rhs::While { body, .. } = rhs
                && let Some(slots) = self.slots.get(local).cloned()
            {
                self.repeat(body, &slots, statement.place.span);
            }
        }
        if self.iterates && self.main.is_back_edge(self.function, &block.end) {
            self.next_iteration(block);
        }
        for block in block.end.blocks_mut() {
            self.block(block);
        }
    }

    /// Evacuates at the end of the body of a loop.
    fn repeat(&mut self, body: &mut Block, slots: &[LocalId], span: Span) {
        let roots: Vec<Root> = slots.iter().filter_map(|slot| self.writer.root(self.function, *slot)).collect();
        let iteration = std::mem::replace(body, Block::empty());
        self.writer.append_iteration(self.function, body, iteration, span);
        let moves = vec![Move { from: Atom::ProgramRegion, to: None }];
        let mut statements = self.writer.evacuate(self.function, moves, (&roots, true), span);
        self.add_globals(&mut statements);
        body.statements.extend(statements);
    }

    /// Evacuates where a block ends with the function's next iteration, or with a call that may lead to it.
    fn next_iteration(&mut self, block: &mut Block) {
        let next: Vec<&mut Atom> = match &mut block.end {
            End::Continue(arguments) => {
                let held = arguments.iter_mut().zip(&self.function.params);
                held.filter(|(_, param)| self.main.held.contains(param)).map(|(argument, _)| argument).collect()
            }
            End::TailCall { call, .. } => call.arguments.iter_mut().chain(call.callee.closure_mut()).collect(),
            End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) | End::Trap(..) => {
                return;
            }
        };
        let (mut roots, mut set) = (Vec::new(), Vec::new());
        for argument in next {
            let Atom::Local(local) = argument else { continue };
            let Local { ty, span, .. } = self.function.locals[*local].clone();
            if self.main.evacuation.has_pointers(ty) {
                let moved = self.function.locals.alloc(Local { name: Symbol::new("moved$"), ty, span });
                set.push((moved, roots.len()));
                roots.push(*local);
                *argument = Atom::Local(moved);
            }
        }
        let moves = vec![Move { from: Atom::ProgramRegion, to: None }];
        let span = self.function.span;
        let (evacuation, after) = self.writer.evacuation_of(self.function, moves, &roots, true, span);
        let mut statements = vec![evacuation];
        self.add_globals(&mut statements);
        block.statements.extend(statements);
        for (moved, index) in set {
            block.statements.push(let_(moved, Rhs::Component(Atom::Local(after), index), span));
        }
    }

    /// Adds the module-level values to the roots of evacuations.
    fn add_globals(&self, statements: &mut [Statement]) {
        for statement in statements {
            if let StatementKind::Let(_, Rhs::Evacuate { globals, masked, .. }) = &mut statement.kind {
                *globals = self.main.globals.to_vec();
                *masked = self.main.masked;
            }
        }
    }
}
