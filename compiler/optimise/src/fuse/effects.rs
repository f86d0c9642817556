//! Whether work can be done in another order.
//!
//! In: statements of a function. Out: what they access and do. Two pieces of work commute if neither writes what the other
//! accesses, and at most one of them acts: writes memory that others see, traps, may not end, or has an effect outside.
//! Memory that runs out does not count.

use super::Uses;
use super::lists::reads_list;
use super::loops::Counting;
use clef_base::{HashMap, HashSet};
use clef_core::{Action, Atom, Block, Callee, End, FunctionId, LocalId, Memory, Program, Rhs, Statement};
use clef_types::{Effect, Intrinsic};

/// Where a piece of work is.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The program; the body of the function is not looked at.
    pub(super) program: &'a Program,
    /// The function.
    pub(super) function: FunctionId,
    /// How often its locals are used.
    pub(super) uses: &'a Uses,
    /// Whether interrupt handlers may change memory at any time.
    pub(super) is_interrupted: bool,
}

/// What a piece of work accesses and does.
#[derive(Default)]
pub(super) struct Effects {
    /// The private slots and ref cells that it reads, and those that it writes.
    reads: HashSet<LocalId>,
    writes: HashSet<LocalId>,
    /// Whether it reads other memory that can be overwritten.
    looks: bool,
    /// Whether it does anything else that can be observed.
    acts: bool,
    /// The cells and arrays whose content does not count.
    ignored: HashSet<LocalId>,
}

impl Effects {
    /// None yet; the content of some cells and arrays will not count.
    pub(super) fn ignoring(ignored: impl Iterator<Item = LocalId>) -> Effects {
        Effects { ignored: ignored.collect(), ..Effects::default() }
    }

    /// Adds those of a statement and of its nested blocks.
    pub(super) fn add_statement(&mut self, statement: &Statement, place: Place<'_>, purity: &mut Purity) {
        self.operation(statement, place, purity);
        for block in statement.rhs().into_iter().flat_map(Rhs::blocks) {
            self.add_block(block, place, purity);
        }
    }

    /// Adds those of a block.
    pub(super) fn add_block(&mut self, block: &Block, place: Place<'_>, purity: &mut Purity) {
        block.each(&mut |block| {
            block.statements.iter().for_each(|statement| self.operation(statement, place, purity));
            match &block.end {
                End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) => {}
                End::TailCall { call, .. } => self.acts |= !purity.is_pure_callee(&call.callee, place.program),
                End::Continue(_) | End::Trap(..) => self.acts = true,
            }
        });
    }

    /// Whether nobody can tell in which order both are done.
    pub(super) fn commutes_with(&self, other: &Effects) -> bool {
        let writes = |one: &Effects, other: &Effects| {
            one.writes.iter().any(|slot| other.reads.contains(slot) || other.writes.contains(slot))
        };
        let sees = |one: &Effects, other: &Effects| one.acts && (other.acts || other.looks);
        !writes(self, other) && !writes(other, self) && !sees(self, other) && !sees(other, self)
    }

    fn operation(&mut self, statement: &Statement, place: Place<'_>, purity: &mut Purity) {
        let Some(rhs) = statement.rhs() else { return };
        match rhs.action() {
            Action::Nothing(effect) => {
                self.acts |= effect != Effect::Nothing && place.uses.lengths.count_of_new(statement).is_none();
            }
            Action::Reads(memory) => {
                if let Memory::Element(_) = memory {
                    self.acts |= !statement.bound().iter().all(|got| place.uses.in_range.contains(got));
                }
                match place.private(memory) {
                    _ if self.ignores(memory) => {}
                    Some(slot) => drop(self.reads.insert(slot)),
                    None if place.is_constant(memory) => {}
                    None => (self.looks, self.acts) = (true, self.acts || place.is_interrupted),
                }
            }
            Action::Writes(memory, _) => match place.private(memory) {
                // A put, other than a set, is in range.
                _ if self.ignores(memory) && !is_set(rhs) => {}
                Some(slot) => drop(self.writes.insert(slot)),
                None => self.acts = true,
            },
            Action::Calls => {
                let callee = statement.call().map(|call| &call.callee);
                self.acts |= !callee.is_some_and(|callee| purity.is_pure_callee(callee, place.program));
            }
            Action::Regions => self.acts = true,
            Action::Nests => {}
            Action::Repeats => {
                let ends = |counting: Counting| place.uses.lengths.is_entered_in_order(&counting, place.uses);
                self.acts |= !(reads_list(rhs, place.uses) || Counting::of(rhs, place.uses).is_some_and(ends));
            }
        }
    }

    fn ignores(&self, memory: Memory<'_>) -> bool {
        memory.holder().and_then(Atom::local).is_some_and(|holder| self.ignored.contains(&holder))
    }
}

fn is_set(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Intrinsic { intrinsic: Intrinsic::ArraySet, .. })
}

impl Place<'_> {
    /// The private slot or ref cell that an operation accesses.
    fn private(&self, memory: Memory<'_>) -> Option<LocalId> {
        let (Memory::Slot(slot) | Memory::Reference(slot)) = memory else { return None };
        slot.local().filter(|slot| self.uses.private.contains(slot))
    }

    /// Whether memory is never overwritten after it was first filled.
    fn is_constant(&self, memory: Memory<'_>) -> bool {
        let program = self.program;
        match memory {
            Memory::Field { value, case, field } => value.local().is_some_and(|value| {
                let ty = program.functions[self.function].locals[value].ty;
                program.declared.get(&ty).is_some_and(|declared| !declared.cases[case].mutable.contains(&field))
            }),
            // An initialiser fills it, which does not run twice; but it may be what runs.
            Memory::Global(_) | Memory::Slot(_) | Memory::Reference(_) | Memory::Element(_) => false,
        }
    }
}

/// The functions that only compute: whose calls nobody can observe, and which return.
#[derive(Default)]
pub(super) struct Purity {
    /// False for those that are being looked at, which call themselves.
    known: HashMap<FunctionId, bool>,
    depth: usize,
}

/// How deep calls are followed.
const DEEPEST: usize = 16;

impl Purity {
    /// Finds out whether a function only computes, while its body is there.
    pub(super) fn learn(&mut self, function: FunctionId, program: &Program) {
        self.is_pure(function, program);
    }

    fn is_pure_callee(&mut self, callee: &Callee, program: &Program) -> bool {
        match callee {
            Callee::Known(function) | Callee::Direct(function, _) => self.is_pure(*function, program),
            Callee::Closure(_) => false,
        }
    }

    fn is_pure(&mut self, function: FunctionId, program: &Program) -> bool {
        if let Some(&known) = self.known.get(&function) {
            return known;
        }
        if self.depth == DEEPEST {
            return false;
        }
        self.known.insert(function, false);
        self.depth += 1;
        let body = &program.functions[function].body;
        let mut effects = Effects::default();
        // A function that looks at memory is not pure anyway.
        let place = Place { program, function, uses: &Uses::of(body), is_interrupted: false };
        effects.add_block(body, place, self);
        self.depth -= 1;
        let is_pure = !effects.acts && !effects.looks;
        self.known.insert(function, is_pure);
        is_pure
    }
}
