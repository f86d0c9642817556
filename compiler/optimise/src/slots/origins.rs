//! The origins of stored function values.
//!
//! In: a [`Content`]. Out: [`Traced`]: the lambdas whose values are stored there, and every local and result
//! on the path from creation to store, which then hold variants. Each store is traced backwards: through copies, scopes
//! and joins, and, as all calls of known functions and all creations of closures are in the program, through
//! parameters, captures and results. What is read from a position that can be overwritten is a variant already.

use super::{cells::Content, positions::Positions};
use clef_base::{HashMap, HashSet, Span};
use clef_core::{Atom, Block, Call, Callee, Convention, End, FunctionId, JoinId, LocalId, Program, Rhs, StatementKind};
use clef_types::Intrinsic;
use std::collections::BTreeSet;

/// What binds a local.
enum Binding<'program> {
    Let(&'program Rhs),
    Closure(FunctionId),
    Itself,
    Param(usize),
    Capture(usize),
    Join(JoinId, usize),
}

/// The program's data flow by source and destination.
#[derive(Default)]
pub(super) struct Index<'program> {
    bindings: HashMap<(FunctionId, LocalId), Binding<'program>>,
    /// The calls of each known function, its own iterations included: the caller and the arguments.
    calls: HashMap<FunctionId, Vec<(FunctionId, &'program [Atom])>>,
    /// The functions that end in a call of each known function.
    tail_callers: HashMap<FunctionId, Vec<FunctionId>>,
    /// The creations of closures of each code: the creator and the captures.
    creations: HashMap<FunctionId, Vec<(FunctionId, &'program [Atom])>>,
    /// The captures that are closures of the same group, which do not exist yet where the captures are made.
    siblings: HashSet<(FunctionId, usize)>,
    jumps: HashMap<(FunctionId, JoinId), Vec<&'program [Atom]>>,
    /// The locals that receive the result of each known function, except by tail calls.
    received: HashMap<FunctionId, Vec<(FunctionId, LocalId)>>,
    /// What is read from positions that can be overwritten.
    pub(super) reads: HashMap<Content, Vec<(FunctionId, LocalId)>>,
    /// What is stored in positions that can be overwritten, and where.
    stores: HashMap<Content, Vec<(FunctionId, &'program Atom, Span)>>,
}

impl<'program> Index<'program> {
    /// Indexes a program, once for the types of all stored functions.
    pub(super) fn of(program: &'program Program, positions: &Positions) -> Index<'program> {
        let mut index = Index::default();
        for (id, function) in program.functions.iter() {
            let mut bind = |local: LocalId, binding| {
                index.bindings.insert((id, local), binding);
            };
            function.params.iter().enumerate().for_each(|(place, param)| bind(*param, Binding::Param(place)));
            function.captures().iter().enumerate().for_each(|(place, local)| bind(*local, Binding::Capture(place)));
            function.itself().into_iter().for_each(|local| bind(local, Binding::Itself));
            function.body.each(&mut |block| index.block(id, block));
            function.body.each_statement(&mut |statement| {
                if let StatementKind::Let(local, rhs) = &statement.kind {
                    index.moved(program, positions, (id, *local), rhs, statement.place.span);
                }
            });
        }
        index
    }

    /// Records what a statement reads from or writes to positions that can be overwritten.
    fn moved(
        &mut self,
        program: &'program Program,
        positions: &Positions,
        (id, local): (FunctionId, LocalId),
        rhs: &'program Rhs,
        span: Span,
    ) {
        let function = &program.functions[id];
        if positions.reads(program, function, rhs) {
            let content = positions.accessed(id, local, rhs, function.locals[local].ty);
            self.reads.entry(content).or_default().push((id, local));
        }
        let stored = positions.writes(program, function, local, rhs);
        let mut place = 0;
        rhs.atoms(&mut |atom| {
            if stored.contains(&place) {
                let content = positions.accessed(id, local, rhs, positions.ty(atom, function));
                self.stores.entry(content).or_default().push((id, atom, span));
            }
            place += 1;
        });
    }

    fn block(&mut self, id: FunctionId, block: &'program Block) {
        for statement in &block.statements {
            for closure in statement.closures() {
                self.creations.entry(closure.function).or_default().push((id, &closure.captures));
            }
            match &statement.kind {
                StatementKind::Let(local, Rhs::Closure(closure)) => {
                    self.bindings.insert((id, *local), Binding::Closure(closure.function));
                }
                StatementKind::Let(local, rhs) => {
                    self.bindings.insert((id, *local), Binding::Let(rhs));
                }
                StatementKind::Group(members) => members.iter().for_each(|(local, closure)| {
                    self.bindings.insert((id, *local), Binding::Closure(closure.function));
                    let is_member = |atom: &Atom| members.iter().any(|(member, _)| *atom == Atom::Local(*member));
                    let captures = closure.captures.iter().enumerate().filter(|(_, atom)| is_member(atom));
                    self.siblings.extend(captures.map(|(place, _)| (closure.function, place)));
                }),
            }
            statement.call().into_iter().for_each(|call| self.call(id, call));
            if let StatementKind::Let(local, Rhs::Call(Call { callee: Callee::Known(callee), .. })) = &statement.kind {
                self.received.entry(*callee).or_default().push((id, *local));
            }
        }
        match &block.end {
            End::TailCall { call, .. } => {
                self.call(id, call);
                if let Callee::Known(callee) = call.callee {
                    self.tail_callers.entry(callee).or_default().push(id);
                }
            }
            End::Continue(arguments) => self.calls.entry(id).or_default().push((id, arguments)),
            End::Jump(join, arguments) => self.jumps.entry((id, *join)).or_default().push(arguments),
            End::Join { join, .. } => {
                for (place, param) in join.params.iter().enumerate() {
                    self.bindings.insert((id, *param), Binding::Join(join.id, place));
                }
            }
            End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Trap(..) => {}
        }
    }

    fn call(&mut self, id: FunctionId, call: &'program Call) {
        if let Callee::Known(callee) = call.callee {
            self.calls.entry(callee).or_default().push((id, &call.arguments));
        }
    }
}

/// The trace of stored function values.
#[derive(Default)]
pub(super) struct Traced {
    /// Their lambdas.
    pub(super) lambdas: BTreeSet<FunctionId>,
    /// The locals on the path.
    pub(super) locals: HashSet<(FunctionId, LocalId)>,
    /// The functions whose results are on the path.
    pub(super) results: HashSet<FunctionId>,
}

/// Traces stored values; fails with the place of a store whose origin is unknown.
pub(super) fn trace(program: &Program, index: &Index<'_>, positions: &Positions, of: Content) -> Result<Traced, Span> {
    let reads = index.reads.get(&of).into_iter().flatten().copied();
    let stores = index.stores.get(&of).into_iter().flatten();
    let mut tracer = Tracer {
        program,
        index,
        positions,
        found: Traced { locals: reads.collect(), ..Traced::default() },
        seen: HashSet::default(),
        due: stores.map(|&(id, atom, span)| (id, atom.clone(), span)).collect(),
    };
    tracer.run()?;
    let mut found = tracer.found;
    // A function that returns variants returns them to all its callers.
    for callee in &found.results {
        found.locals.extend(index.received.get(callee).into_iter().flatten());
    }
    Ok(found)
}

struct Tracer<'a, 'program> {
    program: &'program Program,
    index: &'a Index<'program>,
    positions: &'a Positions,
    found: Traced,
    seen: HashSet<(FunctionId, LocalId)>,
    /// Operands that are still to be traced, with the places of their stores.
    due: Vec<(FunctionId, Atom, Span)>,
}

impl Tracer<'_, '_> {
    fn run(&mut self) -> Result<(), Span> {
        while let Some((id, atom, stored)) = self.due.pop() {
            match atom {
                Atom::Function(lambda, _) => {
                    self.found.lambdas.insert(lambda);
                }
                Atom::Local(local) => {
                    if self.seen.insert((id, local)) {
                        self.local(id, local, stored)?;
                    }
                }
                Atom::Unit
                | Atom::Bool(_)
                | Atom::Integer(..)
                | Atom::Float(..)
                | Atom::Char(_)
                | Atom::String(_)
                | Atom::ProgramRegion => return Err(stored),
            }
        }
        Ok(())
    }

    fn local(&mut self, id: FunctionId, local: LocalId, stored: Span) -> Result<(), Span> {
        let function = &self.program.functions[id];
        match self.index.bindings.get(&(id, local)) {
            Some(Binding::Closure(lambda)) => {
                self.found.lambdas.insert(*lambda);
                return Ok(());
            }
            Some(Binding::Itself) => {
                self.found.lambdas.insert(id);
                return Ok(());
            }
            Some(Binding::Let(rhs)) => self.computed(id, rhs, stored)?,
            Some(Binding::Param(place)) => {
                if function.convention != Convention::Known {
                    return Err(stored);
                }
                let calls = self.index.calls.get(&id).into_iter().flatten();
                self.due.extend(calls.map(|(caller, arguments)| (*caller, arguments[*place].clone(), stored)));
            }
            Some(Binding::Capture(place)) => {
                if self.index.siblings.contains(&(id, *place)) {
                    return Err(stored);
                }
                let creations = self.index.creations.get(&id).into_iter().flatten();
                self.due.extend(creations.map(|(creator, captures)| (*creator, captures[*place].clone(), stored)));
            }
            Some(Binding::Join(join, place)) => {
                let jumps = self.index.jumps.get(&(id, *join)).into_iter().flatten();
                self.due.extend(jumps.map(|arguments| (id, arguments[*place].clone(), stored)));
            }
            None => return Err(stored),
        }
        self.found.locals.insert((id, local));
        Ok(())
    }

    /// Traces the result of an operation.
    fn computed(&mut self, id: FunctionId, rhs: &Rhs, stored: Span) -> Result<(), Span> {
        if self.positions.reads(self.program, &self.program.functions[id], rhs) {
            return Ok(());
        }
        if let Rhs::Atom(atom) = rhs {
            self.due.push((id, atom.clone(), stored));
        } else if let Rhs::Scope(block) = rhs {
            self.yields(id, block, stored);
        } else if let Rhs::Call(Call { callee: Callee::Known(callee), .. }) = rhs {
            return self.result(*callee, stored);
        } else if !yields_no_function(rhs) {
            return Err(stored);
        }
        Ok(())
    }

    /// Traces what a block, and the blocks of its end, yield.
    fn yields(&mut self, id: FunctionId, block: &Block, stored: Span) {
        if let End::Yield(atom) = &block.end {
            self.due.push((id, atom.clone(), stored));
        }
        block.end.blocks().into_iter().for_each(|block| self.yields(id, block, stored));
    }

    /// Traces the result of a known function, and every function that returns the same result by a tail call.
    fn result(&mut self, first: FunctionId, stored: Span) -> Result<(), Span> {
        let mut open = vec![first];
        while let Some(id) = open.pop() {
            let function = &self.program.functions[id];
            if function.convention != Convention::Known {
                return Err(stored);
            }
            if !self.found.results.insert(id) {
                continue;
            }
            self.yields(id, &function.body, stored);
            open.extend(self.index.tail_callers.get(&id).into_iter().flatten());
            let mut unknown = false;
            each_tail(&function.body, &mut |call| match call.callee {
                Callee::Known(callee) => open.push(callee),
                Callee::Direct(..) | Callee::Closure(_) => unknown = true,
            });
            if unknown {
                return Err(stored);
            }
        }
        Ok(())
    }
}

/// Whether the result of an intrinsic of any type is never a function value.
fn yields_no_function(rhs: &Rhs) -> bool {
    let Rhs::Intrinsic { intrinsic, .. } = rhs else { return false };
    *intrinsic == Intrinsic::Unset || intrinsic.properties().diverges
}

/// Visits the tail calls of a body.
fn each_tail(block: &Block, visit: &mut dyn FnMut(&Call)) {
    block.end.call().into_iter().for_each(&mut *visit);
    block.end.blocks().into_iter().for_each(|block| each_tail(block, visit));
}
