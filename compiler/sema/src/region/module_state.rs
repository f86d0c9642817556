//! State that module-level values hold: the program's region is evacuated at the back edges of the program's main loops.
//!
//! In: a program with its regions, and which locals may point into the program's region. Out: the same program, where a
//! loop evacuates that region if it may allocate there and overwrite what it held, and all that points into it is known:
//! the module-level values, and what the loop's own function holds. So it must be the one activation of its function, and those that wait for it must
//! hold nothing that they use afterwards. What the loop's function holds across the loop becomes slots, which evacuation
//! overwrites. Nothing is evacuated where addresses of memory are known to the program, or where other languages call
//! functions that use module-level values.

use super::{
    called_result, closure_type,
    loops::{Loops, Root, let_},
};
use crate::{
    core::{
        Atom, Block, Callee, ConstantTypes, Convention, End, Evacuation, Function, FunctionId, GlobalId, Local,
        LocalId, Move, Program, Region, Rhs, Statement, StatementKind, Storage,
    },
    intrinsic::Intrinsic,
    types::{Type, TypeKind, Types},
};
use clef_base::Symbol;
use std::collections::{BTreeSet, HashMap, HashSet};

/// For each function, the locals that may point into the program's region.
pub(super) type ProgramHolders = HashMap<FunctionId, BTreeSet<LocalId>>;

/// Evacuates the program's region in main loops.
pub(super) fn evacuate(program: &mut Program, holders: &ProgramHolders) {
    let mut types = program.types.clone();
    let constants = ConstantTypes::new(&mut types);
    let mut rewritten = Vec::new();
    {
        let evacuation = Evacuation::new(program);
        let touching = Transitive::new(program, &constants, &|function| allocates(program, &function.body));
        let overwriting = Transitive::new(program, &constants, &|function| {
            let mut found = false;
            function.body.each_statement(&mut |statement| {
                found |= overwrites(program, &evacuation, function, statement);
            });
            found
        });
        if knows_addresses(program) || called_from_outside(program, &constants, &touching) {
            return;
        }
        let globals: Vec<GlobalId> =
            program.globals.iter().filter(|(_, global)| evacuation.has_pointers(global.ty)).map(|(id, _)| id).collect();
        for id in main_functions(program, holders, &evacuation) {
            let held = &holders[&id];
            let mut function = program.functions[id].clone();
            let mut main = Main {
                evacuation: &evacuation,
                globals: &globals,
                touching: &touching,
                overwriting: &overwriting,
                program,
                held,
            };
            if main.rewrite(&mut function, &mut types) {
                rewritten.push((id, function));
            }
        }
    }
    program.types = types;
    for (id, function) in rewritten {
        program.functions[id] = function;
    }
}

/// The functions of which something holds, or that call one of which it does.
struct Transitive<'a> {
    program: &'a Program,
    constants: &'a ConstantTypes,
    functions: HashSet<FunctionId>,
    /// The types of those among them that are code of closures.
    closures: HashSet<(Vec<Type>, Type)>,
}

impl<'a> Transitive<'a> {
    fn new(program: &'a Program, constants: &'a ConstantTypes, holds: &dyn Fn(&Function) -> bool) -> Transitive<'a> {
        let mut found = Transitive { program, constants, functions: HashSet::new(), closures: HashSet::new() };
        program.functions.iter().filter(|(_, function)| holds(function)).for_each(|(id, _)| found.add(id));
        loop {
            let before = found.functions.len();
            for (id, function) in program.functions.iter() {
                if !found.functions.contains(&id) && found.in_block(function, &function.body) {
                    found.add(id);
                }
            }
            if found.functions.len() == before {
                return found;
            }
        }
    }

    fn add(&mut self, id: FunctionId) {
        self.functions.insert(id);
        if let Convention::Closure { .. } = self.program.functions[id].convention {
            self.closures.insert(closure_type(self.program, id));
        }
    }

    /// Whether one of them is called in a block of a function.
    fn in_block(&self, function: &Function, block: &Block) -> bool {
        let mut found = false;
        block.each_call(&mut |call| {
            found |= match &call.callee {
                Callee::Known(callee) | Callee::Direct(callee, _) => self.functions.contains(callee),
                Callee::Closure(closure) => {
                    let params = call.arguments.iter().map(|atom| self.constants.of(atom, function)).collect();
                    let closure = self.constants.of(closure, function);
                    self.closures.contains(&(params, called_result(self.program, closure, call.arguments.len())))
                }
            };
        });
        found
    }
}

/// Whether a statement overwrites something that may live as long as the program.
fn overwrites(program: &Program, evacuation: &Evacuation<'_>, function: &Function, statement: &Statement) -> bool {
    let has_pointers = |atom: &Atom| match atom {
        Atom::Local(local) => evacuation.has_pointers(function.locals[*local].ty),
        Atom::String(_) | Atom::Function(..) => true,
        Atom::Unit | Atom::Bool(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Char(_) | Atom::ProgramRegion => false,
    };
    let StatementKind::Let(_, rhs) = &statement.kind else { return false };
    if let Rhs::WriteGlobal(global, value) = rhs {
        return program.globals[*global].mutable && has_pointers(value);
    }
    if let Rhs::WriteReference(_, content) | Rhs::WriteField { content, .. } = rhs {
        return has_pointers(content);
    }
    matches!(rhs, Rhs::Intrinsic { intrinsic: Intrinsic::ArraySet, arguments, .. } if has_pointers(&arguments[2]))
}

/// Whether something is allocated in the program's region in a body, or its handle is handed on.
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

/// Whether the program gets the address of memory that may lie in a region.
fn knows_addresses(program: &Program) -> bool {
    let mut known = false;
    for (_, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            known |= matches!(
                statement.kind,
                StatementKind::Let(
                    _,
                    Rhs::Intrinsic { intrinsic: Intrinsic::StringPointer | Intrinsic::StackAllocate, .. }
                )
            );
        });
    }
    known
}

/// Whether other languages call a function that uses module-level values or the program's region.
fn called_from_outside(program: &Program, constants: &ConstantTypes, touching: &Transitive<'_>) -> bool {
    let uses = Transitive::new(program, constants, &|function| {
        let mut uses = false;
        function.body.each_statement(&mut |statement| {
            uses |= matches!(statement.kind, StatementKind::Let(_, Rhs::ReadGlobal(_) | Rhs::WriteGlobal(..)));
        });
        uses
    });
    let exported =
        program.functions.iter().filter(|(_, function)| matches!(function.convention, Convention::Exported(_)));
    exported.map(|(id, _)| id).any(|id| uses.functions.contains(&id) || touching.functions.contains(&id))
}

/// The functions of which there is one activation, below which nothing points into the program's region.
fn main_functions(program: &Program, holders: &ProgramHolders, evacuation: &Evacuation<'_>) -> Vec<FunctionId> {
    let mut sites: HashMap<FunctionId, usize> = HashMap::new();
    for (_, function) in program.functions.iter() {
        function.body.each_call(&mut |call| {
            if let Callee::Known(callee) = call.callee {
                *sites.entry(callee).or_default() += 1;
            }
        });
    }
    let mut found = vec![program.start];
    let mut next = 0;
    while let Some(&id) = found.get(next) {
        next += 1;
        let function = &program.functions[id];
        let order = Order::of(function);
        for (callee, at) in &order.calls {
            let holds = |local: &LocalId| {
                holders[&id].contains(local)
                    && evacuation.has_pointers(function.locals[*local].ty)
                    && order.lives_across(*local, *at)
            };
            let known = program.functions[*callee].convention == Convention::Known;
            let free = !order.within_text(*at) && !holders[&id].iter().any(holds);
            if known && sites.get(callee) == Some(&1) && free {
                found.push(*callee);
            }
        }
    }
    found
}

/// Where in a function its locals are bound and used: numbers that grow in the order of the text.
#[derive(Default)]
struct Order {
    now: usize,
    bound: HashMap<LocalId, usize>,
    used: HashMap<LocalId, usize>,
    /// Known functions that are called, and where: from the beginning of the outermost loop around the call on.
    calls: Vec<(FunctionId, Place)>,
    /// Texts that are being written, whose memory nothing points to that evacuation follows.
    texts: Vec<LocalId>,
    /// Loops by the local that their statement binds.
    loops: HashMap<LocalId, Loop>,
    /// Where the loops begin that are being walked, outer before inner.
    open: Vec<usize>,
}

/// Where something begins and ends.
#[derive(Clone, Copy)]
struct Place {
    begin: usize,
    /// Uses behind here are after it.
    end: usize,
}

/// A loop.
struct Loop {
    place: Place,
    /// Where it begins, and where the loops around it do.
    begins: Vec<usize>,
}

impl Order {
    fn of(function: &Function) -> Order {
        let mut order = Order::default();
        for local in function.params.iter().chain(&function.regions) {
            order.bound.insert(*local, 0);
        }
        order.block(&function.body);
        order
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
        self.now += 1;
        let now = self.now;
        block.end.atoms(&mut |atom| self.use_at(atom, now));
        if let End::TailCall { call, .. } = &block.end {
            self.call(&call.callee, now);
        }
        if let End::Join { join, scope } = &block.end {
            self.block(scope);
            join.params.iter().for_each(|param| {
                self.bound.insert(*param, self.now);
            });
            self.block(&join.body);
        } else {
            block.end.blocks().into_iter().for_each(|block| self.block(block));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        self.now += 1;
        let now = self.now;
        statement.atoms(&mut |atom| self.use_at(atom, now));
        if let StatementKind::Let(local, Rhs::Intrinsic { intrinsic: Intrinsic::TextBegin, .. }) = &statement.kind {
            self.texts.push(*local);
        }
        if let StatementKind::Let(local, rhs) = &statement.kind {
            let is_loop = matches!(rhs, Rhs::While { .. });
            if is_loop {
                self.open.push(now);
            }
            rhs.blocks().into_iter().for_each(|block| self.block(block));
            if is_loop {
                let place = Place { begin: now, end: self.now };
                self.loops.insert(*local, Loop { place, begins: self.open.clone() });
                self.open.pop();
            }
            if let Rhs::Call(call) = rhs {
                self.call(&call.callee, now);
            }
        }
        self.now += 1;
        for local in statement.bound() {
            self.bound.insert(local, self.now);
        }
    }

    fn call(&mut self, callee: &Callee, now: usize) {
        if let Callee::Known(callee) = callee {
            // Within a loop, what is used before the call is used after it too.
            let place = Place { begin: now, end: self.open.first().map_or(now, |outermost| outermost - 1) };
            self.calls.push((*callee, place));
        }
    }

    fn use_at(&mut self, atom: &Atom, now: usize) {
        if let Atom::Local(local) = atom {
            self.used.insert(*local, now);
        }
    }

    /// Whether a text is begun before something and ended after it.
    fn within_text(&self, place: Place) -> bool {
        self.texts.iter().any(|text| self.lives_across(*text, place))
    }

    /// Whether a local is bound before a loop, or one around it, and used in that or behind it. Where a turn of an outer
    /// loop uses it before the inner loop begins, the next turn does so after it.
    fn lives_through(&self, local: LocalId, around: &Loop) -> bool {
        around.begins.iter().any(|begin| self.lives_across(local, Place { begin: *begin, end: *begin }))
    }

    /// Whether a local is bound before something begins and used after it ends.
    fn lives_across(&self, local: LocalId, place: Place) -> bool {
        self.bound.get(&local).is_some_and(|bound| *bound < place.begin)
            && self.used.get(&local).is_some_and(|used| *used > place.end)
    }
}

/// Rewrites one main function.
struct Main<'a> {
    evacuation: &'a Evacuation<'a>,
    globals: &'a [GlobalId],
    touching: &'a Transitive<'a>,
    overwriting: &'a Transitive<'a>,
    program: &'a Program,
    /// The locals that may point into the program's region.
    held: &'a BTreeSet<LocalId>,
}

impl Main<'_> {
    /// Whether there was anything to do.
    fn rewrite(&mut self, function: &mut Function, types: &mut Types) -> bool {
        let order = Order::of(function);
        let mut loops = HashSet::new();
        function.body.each_statement(&mut |statement| {
            if let StatementKind::Let(local, rhs @ Rhs::While { .. }) = &statement.kind
                && !order.within_text(order.loops[local].place)
                && rhs.blocks().into_iter().any(|block| self.turns_over(function, block))
            {
                loops.insert(*local);
            }
        });
        let mut continues = false;
        function.body.each_end(&mut |end| continues |= matches!(end, End::Continue(_)));
        let turns = continues && self.turns_over(function, &function.body);
        if loops.is_empty() && !turns {
            return false;
        }
        let mut slots: HashMap<LocalId, Vec<LocalId>> = HashMap::new();
        let mut demoted = HashSet::new();
        for local in self.held {
            let ty = function.locals[*local].ty;
            let is_slot = matches!(types.kind(ty), TypeKind::Slot(_));
            for of in &loops {
                if order.lives_through(*local, &order.loops[of]) && self.evacuation.has_pointers(ty) {
                    slots.entry(*of).or_default().push(*local);
                    if !is_slot {
                        demoted.insert(*local);
                    }
                }
            }
        }
        let demoted = Demotion::new(function, types, &demoted);
        demoted.rewrite(function);
        let mentions = HashMap::new();
        let allocators = HashSet::new();
        let handle = types.intern(TypeKind::Region);
        let mut rewriting =
            Loops { evacuation: self.evacuation, types, handle, mentions: &mentions, allocators: &allocators };
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        let roots = |locals: &[LocalId]| -> Vec<LocalId> {
            locals.iter().map(|local| demoted.slots.get(local).copied().unwrap_or(*local)).collect()
        };
        let slots = slots.into_iter().map(|(of, locals)| (of, roots(&locals))).collect();
        self.block(function, &mut rewriting, &mut body, &slots, &loops, turns);
        function.body = body;
        true
    }

    /// Whether a block of a function may allocate in the program's region, and overwrite what it held before.
    fn turns_over(&self, function: &Function, block: &Block) -> bool {
        let mut overwritten = self.overwriting.in_block(function, block);
        block.each_statement(&mut |statement| {
            overwritten |= overwrites(self.program, self.evacuation, function, statement);
        });
        overwritten && (allocates(self.program, block) || self.touching.in_block(function, block))
    }

    /// Evacuates at the back edges within a block.
    fn block(
        &self,
        function: &mut Function,
        rewriting: &mut Loops<'_>,
        block: &mut Block,
        slots: &HashMap<LocalId, Vec<LocalId>>,
        loops: &HashSet<LocalId>,
        turns: bool,
    ) {
        for statement in &mut block.statements {
            let StatementKind::Let(local, rhs) = &mut statement.kind else { continue };
            for block in rhs.blocks_mut() {
                self.block(function, rewriting, block, slots, loops, turns);
            }
            if let Rhs::While { body, .. } = rhs
                && loops.contains(local)
            {
                let slots = slots.get(local).map_or(&[][..], Vec::as_slice);
                let roots: Vec<Root> = slots.iter().filter_map(|slot| rewriting.root(function, *slot)).collect();
                let turn = std::mem::replace(&mut **body, Block::empty());
                rewriting.append_turn(function, body, turn, statement.span);
                let moves = vec![Move { from: Atom::ProgramRegion, to: None }];
                let mut statements = rewriting.evacuate(function, moves, (&roots, true), statement.span);
                self.add_globals(&mut statements);
                body.statements.extend(statements);
            }
        }
        if let End::Continue(next) = &mut block.end
            && turns
        {
            let mut roots = Vec::new();
            let mut set = Vec::new();
            for (argument, param) in next.iter_mut().zip(function.params.clone()) {
                let Local { ty, span, .. } = function.locals[param].clone();
                if let Atom::Local(local) = argument
                    && self.held.contains(&param)
                    && self.evacuation.has_pointers(ty)
                {
                    let moved = function.locals.alloc(Local { name: Symbol::new("moved$"), ty, span });
                    set.push((moved, roots.len()));
                    roots.push(*local);
                    *argument = Atom::Local(moved);
                }
            }
            let moves = vec![Move { from: Atom::ProgramRegion, to: None }];
            let span = function.span;
            let (evacuation, after) = rewriting.evacuation_of(function, moves, &roots, true, span);
            let mut statements = vec![evacuation];
            self.add_globals(&mut statements);
            block.statements.extend(statements);
            for (moved, index) in set {
                block.statements.push(let_(moved, Rhs::Component(Atom::Local(after), index), span));
            }
        }
        for block in block.end.blocks_mut() {
            self.block(function, rewriting, block, slots, loops, turns);
        }
    }

    fn add_globals(&self, statements: &mut [Statement]) {
        for statement in statements {
            if let StatementKind::Let(_, Rhs::Evacuate { globals, .. }) = &mut statement.kind {
                *globals = self.globals.to_vec();
            }
        }
    }
}

/// Locals that become slots.
struct Demotion {
    slots: HashMap<LocalId, LocalId>,
}

impl Demotion {
    fn new(function: &mut Function, types: &mut Types, locals: &HashSet<LocalId>) -> Demotion {
        let mut sorted: Vec<LocalId> = locals.iter().copied().collect();
        sorted.sort();
        let slots = sorted.into_iter().map(|local| {
            let Local { name, ty, span } = function.locals[local].clone();
            let ty = types.intern(TypeKind::Slot(ty));
            (local, function.locals.alloc(Local { name, ty, span }))
        });
        Demotion { slots: slots.collect() }
    }

    fn rewrite(&self, function: &mut Function) {
        if self.slots.is_empty() {
            return;
        }
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        self.block(function, &mut body);
        let params = function.params.clone();
        body.statements.splice(0..0, self.begin(function, &params));
        function.body = body;
    }

    /// The slots of those of the locals that become one.
    fn begin(&self, function: &Function, locals: &[LocalId]) -> Vec<Statement> {
        let with_slot = locals.iter().filter_map(|local| Some((*local, *self.slots.get(local)?)));
        with_slot.map(|(local, slot)| let_(slot, Rhs::Slot(Atom::Local(local)), function.locals[local].span)).collect()
    }

    fn block(&self, function: &mut Function, block: &mut Block) {
        for mut statement in std::mem::take(&mut block.statements) {
            let span = statement.span;
            statement.atoms_mut(&mut |atom| self.read(function, atom, &mut block.statements, span));
            if let StatementKind::Let(_, rhs) = &mut statement.kind {
                rhs.blocks_mut().into_iter().for_each(|block| self.block(function, block));
            }
            let bound = statement.bound();
            block.statements.push(statement);
            block.statements.extend(self.begin(function, &bound));
        }
        let span = function.span;
        let Block { statements, end } = block;
        end.atoms_mut(&mut |atom| self.read(function, atom, statements, span));
        end.blocks_mut().into_iter().for_each(|block| self.block(function, block));
        if let End::Join { join, .. } = end {
            join.body.statements.splice(0..0, self.begin(function, &join.params));
        }
    }

    /// Reads a slot in place of the local that became it.
    fn read(&self, function: &mut Function, atom: &mut Atom, before: &mut Vec<Statement>, span: clef_base::Span) {
        if let Atom::Local(local) = atom
            && let Some(slot) = self.slots.get(local)
        {
            let copy = function.locals[*local].clone();
            let read = function.locals.alloc(copy);
            before.push(let_(read, Rhs::ReadSlot(Atom::Local(*slot)), span));
            *atom = Atom::Local(read);
        }
    }
}
