//! The allocations of one function, by region.

use super::{
    Amount, Bounds, Cause, Summary, Why,
    amount::{Held, called, most, plus},
    numbers::Numbers,
};
use crate::place::buffer;
use clef_base::{Bytes, Extent, HashMap, Span};
use clef_core::{
    AllocationId, Atom, Block, Call, End, Function, FunctionId, JoinId, LocalId, MakeClosure, Region, Rhs, Statement,
    StatementKind, Storage,
};
use std::collections::BTreeMap;

/// The walk over one function.
pub(super) struct Walk<'a, 'b> {
    bounds: &'a Bounds<'b>,
    id: FunctionId,
    function: &'a Function,
    /// The functions that are mutually recursive with this one.
    group: &'a [FunctionId],
    /// Whether they call one another at all.
    is_cycle: bool,
    /// Whether they do so other than in tail position.
    recursive: bool,
    /// For each region that it begins, the number of loops around its beginning.
    begun: HashMap<LocalId, usize>,
    /// The loops around the current statement.
    loops: Vec<Span>,
    /// The memory in regions of callees.
    below: Held,
    /// The locals that are known numbers.
    numbers: Numbers,
}

/// What is allocated in each region.
type Use = BTreeMap<Place, Amount>;

/// A region from a function's point of view.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Program,
    /// The region of a handle.
    Local(LocalId),
}

impl<'a, 'b> Walk<'a, 'b> {
    pub(super) fn new(
        bounds: &'a Bounds<'b>,
        id: FunctionId,
        group: &'a [FunctionId],
        is_cycle: bool,
        recursive: bool,
        numbers: Numbers,
    ) -> Walk<'a, 'b> {
        let function = &bounds.program.functions[id];
        Walk {
            bounds,
            id,
            function,
            group,
            is_cycle,
            recursive,
            begun: HashMap::default(),
            loops: Vec::new(),
            below: Ok(Bytes(0)),
            numbers,
        }
    }

    /// The memory use of a call of the function.
    pub(super) fn summary(mut self) -> Summary {
        let mut continues = false;
        self.function.body.each_end(&mut |end| continues |= matches!(end, End::Continue(_)));
        let mut uses = self.block(&self.function.body, &HashMap::default());
        let own = self.function.span;
        let mut program = uses.remove(&Place::Program).unwrap_or_default();
        let mut held = Ok(Bytes(0));
        let mut given = vec![Amount::default(); self.function.regions.len()];
        for (place, amount) in uses {
            let Place::Local(handle) = place else { continue };
            if self.begun.contains_key(&handle) {
                held = plus(held, amount.held(self.bounds.sizes.pages, false));
            } else if let Some(index) = self.function.regions.iter().position(|region| *region == handle) {
                given[index] = amount;
            } else if !amount.is_nothing() {
                program = program.and(amount.repeated(own, Why::Closure(own)));
            }
        }
        if self.is_cycle || continues {
            let why = if self.recursive { Why::Recursion(own) } else { Why::Loop(own) };
            program = program.repeated(own, why);
            given = given.into_iter().map(|amount| amount.repeated(own, why)).collect();
        }
        if self.recursive && held != Ok(Bytes(0)) {
            held = Err(held.err().unwrap_or_else(|| vec![Cause { spans: vec![own], why: Why::Recursion(own) }]));
        }
        Summary { given, program, held: plus(held, self.below), is_cycle: self.is_cycle }
    }

    /// What a block allocates; `joins` is what is allocated after each join in scope.
    fn block(&mut self, block: &Block, joins: &HashMap<JoinId, Use>) -> Use {
        let mut uses = Use::new();
        for statement in &block.statements {
            self.statement(statement, joins, &mut uses);
        }
        let end = match &block.end {
            End::Yield(_) | End::Continue(_) | End::Trap(..) => Use::new(),
            End::TailCall { call, place, .. } => self.call(call, place.span),
            End::If { then, otherwise, .. } => either(self.block(then, joins), self.block(otherwise, joins)),
            End::Switch { cases, default, .. } => {
                let blocks = cases.iter().map(|(_, block)| block).chain(default.as_deref());
                blocks.map(|block| self.block(block, joins)).reduce(either).unwrap_or_default()
            }
            End::Join { join, scope } => {
                let after = self.block(&join.body, joins);
                let mut inner = joins.clone();
                inner.insert(join.id, after);
                self.block(scope, &inner)
            }
            End::Jump(join, _) => joins.get(join).cloned().unwrap_or_default(),
        };
        both(uses, end)
    }

    fn statement(&mut self, statement: &Statement, joins: &HashMap<JoinId, Use>, uses: &mut Use) {
        match &statement.kind {
            StatementKind::Let(local, Rhs::EnterRegion) => {
                self.begun.insert(*local, self.loops.len());
            }
            StatementKind::Let(_, Rhs::Scope(block)) => add(uses, self.block(block, joins)),
            StatementKind::Let(_, Rhs::While { condition, body }) => {
                self.loops.push(statement.place.span);
                add(uses, self.block(condition, joins));
                add(uses, self.block(body, joins));
                self.loops.pop();
            }
            StatementKind::Let(_, Rhs::Evacuate { moves, .. }) => {
                // How much survives from iteration to iteration depends on what the program does.
                for region in moves.iter().flat_map(|one| [Some(&one.from), one.to.as_ref()]).flatten() {
                    if let Some(place) = place(region) {
                        self.put(uses, place, Amount::unbounded(statement.place.span, Why::State));
                    }
                }
            }
            StatementKind::Let(_, Rhs::Call(call)) => add(uses, self.call(call, statement.place.span)),
            StatementKind::Let(local, rhs) => {
                self.numbers.learn(self.bounds.program, self.function, *local, rhs);
                if let Some(allocation) = rhs.allocation() {
                    self.allocation(allocation, self.size(rhs, allocation), uses);
                }
            }
            StatementKind::Group(members) => {
                for (_, MakeClosure { allocation, .. }) in members {
                    self.allocation(*allocation, self.one(*allocation, 1), uses);
                }
            }
        }
    }

    fn allocation(&self, allocation: AllocationId, amount: Amount, uses: &mut Use) {
        let decision = &self.bounds.program.allocations[allocation].decision;
        let place = match decision.as_ref().map(|decision| decision.storage) {
            Some(Storage::Region(Region::Program)) => Place::Program,
            Some(Storage::Region(Region::Local(handle))) => Place::Local(handle),
            Some(Storage::Static | Storage::Stack) | None => return,
        };
        self.put(uses, place, amount);
    }

    /// Adds an amount to a region, repeated by the loops between the region's beginning and here.
    fn put(&self, uses: &mut Use, place: Place, amount: Amount) {
        if amount.is_nothing() {
            return;
        }
        let outer = match place {
            Place::Program => 0,
            Place::Local(handle) => self.begun.get(&handle).copied().unwrap_or(0),
        };
        let amount = match self.loops.get(outer) {
            Some(&around) => amount.repeated(around, Why::Loop(around)),
            None => amount,
        };
        add(uses, Use::from([(place, amount)]));
    }

    /// What a call allocates in the regions that it receives and in the program's.
    fn call(&mut self, call: &Call, span: Span) -> Use {
        let mut worst = Use::new();
        for callee in self.bounds.callees(self.id, call) {
            if self.group.contains(&callee) {
                continue;
            }
            let arguments = call.arguments.iter().map(|argument| self.numbers.of(argument)).collect();
            let Some(summary) = self.bounds.summary_of(callee, arguments) else { continue };
            let held = summary.held.clone().map_err(|causes| called(causes, span));
            self.below = most(self.below.clone(), held);
            let mut uses = Use::new();
            self.put(&mut uses, Place::Program, summary.program.clone().called_at(span));
            for (region, amount) in call.regions.iter().zip(&summary.given) {
                let Some(place) = place(region) else { continue };
                self.put(&mut uses, place, amount.clone().called_at(span));
            }
            worst = either(worst, uses);
        }
        worst
    }

    /// What a statement allocates.
    fn size(&self, rhs: &Rhs, allocation: AllocationId) -> Amount {
        let span = self.bounds.program.allocations[allocation].span;
        let of_length = || Amount::unbounded(span, Why::Length);
        if let Rhs::Closure(_) | Rhs::Inject { .. } | Rhs::MakeReference { .. } = rhs {
            return self.one(allocation, 1);
        }
        if let Some(count) = rhs.element_count().or_else(|| self.numbers.of(rhs.counted()?)) {
            return u64::try_from(count).map_or_else(|_| Amount::default(), |count| self.one(allocation, count));
        }
        buffer(rhs).map_or_else(of_length, |size| self.one(allocation, size.0))
    }

    /// `count` units of an allocation.
    fn one(&self, allocation: AllocationId, count: u64) -> Amount {
        let allocation = &self.bounds.program.allocations[allocation];
        let Extent { size, align } = (self.bounds.sizes.of)(allocation.kind);
        let all = Extent { size: size.saturating_mul(count), align: align.max(Bytes(1)) };
        Amount::one(all, self.bounds.sizes.pages, allocation.span)
    }
}

/// The region of a handle.
fn place(handle: &Atom) -> Option<Place> {
    match handle {
        Atom::Local(handle) => Some(Place::Local(*handle)),
        Atom::ProgramRegion => Some(Place::Program),
        Atom::Unit
        | Atom::Bool(_)
        | Atom::Integer(..)
        | Atom::Float(..)
        | Atom::Char(_)
        | Atom::String(_)
        | Atom::Function(..) => None,
    }
}

/// Adds the uses of something that is executed as well.
fn add(uses: &mut Use, more: Use) {
    for (place, amount) in more {
        let sum = uses.remove(&place).unwrap_or_default().and(amount);
        uses.insert(place, sum);
    }
}

fn both(mut left: Use, right: Use) -> Use {
    add(&mut left, right);
    left
}

fn either(mut left: Use, right: Use) -> Use {
    for (place, amount) in right {
        let most = left.remove(&place).unwrap_or_default().or(amount);
        left.insert(place, most);
    }
    left
}
