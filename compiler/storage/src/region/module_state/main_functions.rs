//! Main functions: those during whose activations all pointers into the program's region are known.
//!
//! In: a program with its regions. Out: the functions, and what their waiting callers hold across calls. A function is
//! a main function if each of its callers is one too, and either holds nothing across the call that points into the
//! region, or runs once, so that what it holds can be registered. The start function is one. Exported functions are
//! not, nor is the code of closures with cells of their own, to which no root may lead. [`Callees`] says which code a
//! call of a closure reaches. Mutually recursive functions may all be main functions: the greatest such set is found by
//! removing functions until nothing changes.
//!
//! What is held is registered as in a shadow stack (Henderson, "Accurate garbage collection in an uncooperative
//! environment", ISMM 2002): it is in a slot of the frame, whose address is in a module-level value during the call.

use super::{
    super::loops::let_,
    ProgramHolders,
    demotion::Demotion,
    liveness::{CallSite, calls},
};
use clef_base::{HashMap, HashSet, Symbol};
use clef_core::{
    Atom, Block, Call, Convention, Evacuation, Function, FunctionId, Global, GlobalId, Local, LocalId, Placement,
    Program, Rhs, Statement, StatementKind, callees::Callees,
};
use clef_types::{Intrinsic, Type, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// For each waiting function, what it holds across calls, by the locals of the calls' results.
pub(super) type Held = BTreeMap<FunctionId, BTreeMap<LocalId, BTreeSet<LocalId>>>;

/// A call that may reach a main function.
struct Site {
    caller: FunctionId,
    /// The local of the result; `None` for a tail call.
    result: Option<LocalId>,
    /// What the caller holds across it that points into the program's region.
    held: BTreeSet<LocalId>,
}

/// The main functions of a program, each with its calls.
pub(super) struct MainFunctions {
    sites: BTreeMap<FunctionId, Vec<Site>>,
}

impl MainFunctions {
    /// Finds the main functions.
    pub(super) fn find(program: &Program, holders: &ProgramHolders, evacuation: &Evacuation<'_>) -> MainFunctions {
        let once = clef_core::functions_that_run_once(program);
        let reached = Callees::of(program);
        let mut sites: BTreeMap<FunctionId, Vec<Site>> = BTreeMap::new();
        let mut unsuitable: BTreeSet<FunctionId> = BTreeSet::new();
        for (id, function) in program.functions.iter() {
            let is_own = match &function.convention {
                Convention::Known => true,
                Convention::Closure { owned, .. } => owned.is_empty(),
                Convention::Exported(_) => false,
            };
            if is_own {
                sites.entry(id).or_default();
            } else {
                unsuitable.insert(id);
            }
            let strings = strings(function);
            let mut followed: HashSet<LocalId> = holders[&id].iter().copied().collect();
            followed.retain(|local| evacuation.has_pointers(function.locals[*local].ty));
            followed.extend(&strings);
            let reached = |call: &Call| reached.of_call(program, id, call);
            for CallSite { callees, result, live: mut held } in calls(function, &followed, &reached) {
                let within_string = !held.is_disjoint(&strings);
                held.retain(|local| !strings.contains(local));
                for callee in callees {
                    if !is_own || within_string || !(held.is_empty() || once.contains(&id)) {
                        unsuitable.insert(callee);
                    }
                    sites.entry(callee).or_default().push(Site { caller: id, result, held: held.clone() });
                }
            }
        }
        let mut functions = MainFunctions { sites };
        functions.take_out(unsuitable);
        functions
    }

    /// Removes functions, and those that they call.
    fn take_out(&mut self, mut unsuitable: BTreeSet<FunctionId>) {
        while !unsuitable.is_empty() {
            self.sites.retain(|id, _| !unsuitable.contains(id));
            let called_by_others = |sites: &Vec<Site>| sites.iter().any(|site| !self.sites.contains_key(&site.caller));
            let next = self.sites.iter().filter(|(_, sites)| called_by_others(sites));
            unsuitable = next.map(|(id, _)| *id).collect();
        }
    }

    /// The functions.
    pub(super) fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.sites.keys().copied()
    }

    /// What the waiting callers of these functions hold.
    pub(super) fn held(&self, functions: &[FunctionId]) -> Held {
        let mut all = Held::new();
        let mut seen: HashSet<FunctionId> = functions.iter().copied().collect();
        let mut due = functions.to_vec();
        while let Some(id) = due.pop() {
            for Site { caller, result, held } in &self.sites[&id] {
                if let Some(result) = result
                    && !held.is_empty()
                {
                    all.entry(*caller).or_default().entry(*result).or_default().extend(held);
                }
                if seen.insert(*caller) {
                    due.push(*caller);
                }
            }
        }
        all
    }
}

/// The strings that a function builds; evacuation follows no pointer to their memory.
fn strings(function: &Function) -> BTreeSet<LocalId> {
    let mut strings = BTreeSet::new();
    function.body.each_statement(&mut |statement| {
        if let Some(Rhs::Intrinsic { intrinsic: Intrinsic::TextBegin, .. }) = statement.rhs() {
            strings.extend(statement.bound());
        }
    });
    strings
}

/// Makes functions register what they hold during calls, each local in a module-level value of its own. These locals
/// then are in slots, which are added to the `holders`.
pub(super) fn register(program: &mut Program, held: &Held, holders: &mut ProgramHolders) {
    let unit = program.types.intern(TypeKind::Unit);
    for (id, calls) in held {
        let mut function = program.functions[*id].clone();
        let locals: BTreeSet<LocalId> = calls.values().flatten().copied().collect();
        let is_slot = |local: &LocalId| matches!(program.types.kind(function.locals[*local].ty), TypeKind::Slot(_));
        let values: HashSet<LocalId> = locals.iter().copied().filter(|local| !is_slot(local)).collect();
        let demotion = Demotion::new(&mut function, &mut program.types, &values);
        demotion.rewrite(&mut function);
        holders.entry(*id).or_default().extend(demotion.slots.values());
        let mut homes = HashMap::default();
        for local in locals {
            let slot = demotion.slots.get(&local).copied().unwrap_or(local);
            homes.insert(local, (slot, new_global(program, &function, slot)));
        }
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        body.each_mut(&mut |block| {
            for statement in std::mem::take(&mut block.statements) {
                let held = match &statement.kind {
                    StatementKind::Let(result, Rhs::Call(_)) => calls.get(result),
                    StatementKind::Let(..) | StatementKind::Group(_) => None,
                };
                let homes: Vec<(LocalId, GlobalId)> = held.into_iter().flatten().map(|held| homes[held]).collect();
                let registered = around(&mut function, unit, statement, &homes);
                block.statements.extend(registered);
            }
        });
        function.body = body;
        program.functions[*id] = function;
    }
}

/// A call, with slots registered before it and the registration cleared after it.
fn around(function: &mut Function, unit: Type, call: Statement, homes: &[(LocalId, GlobalId)]) -> Vec<Statement> {
    let span = call.place.span;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (slot, global) in homes {
        let ty = function.locals[*slot].ty;
        let mut new_local = |name: &str, ty| function.locals.alloc(Local { name: Symbol::new(name), ty, span });
        let earlier = new_local("earlier$", ty);
        before.push(let_(earlier, Rhs::ReadGlobal(*global), span));
        let registers = Rhs::WriteGlobal(*global, Atom::Local(*slot));
        before.push(let_(new_local("registered$", unit), registers, span));
        let restores = Rhs::WriteGlobal(*global, Atom::Local(earlier));
        after.push(let_(new_local("restored$", unit), restores, span));
    }
    before.push(call);
    before.extend(after);
    before
}

/// A module-level value for the address of a slot.
fn new_global(program: &mut Program, function: &Function, slot: LocalId) -> GlobalId {
    let Local { name, ty, span } = &function.locals[slot];
    let name = Symbol::new(&format!("{}.{name}${}", function.name, slot.into_raw().into_u32()));
    let global = Global { name, ty: *ty, mutable: true, placement: Placement::default(), span: *span };
    program.globals.alloc(global)
}
