//! Whether regions nest: wherever something is allocated, the region is the newest one that has not ended.
//!
//! In: a program with its regions. Out: the same program, in which regions end in the reverse order of their beginnings where
//! nothing is allocated in between ([`ends`]), and [`Program::nesting`]. If they nest, a region needs no pages: each begins where the one around
//! it has stopped growing, and ends by forgetting what follows its beginning.
//!
//! Each function is summarised by the regions of its callers in which it allocates: the least solution over the program.
//! Regions nest if in each function the newest region that it has begun takes all allocations, and those of calls; if it has
//! begun none, the same holds of its caller. Handles that closures capture are not followed, and nothing that is evacuated
//! nests, because a copy needs memory next to the original.

mod ends;
mod texts;

use super::fewer::{begins, ends as ended};
use clef_base::HashMap;
use clef_core::{
    AllocationId, Atom, Block, Call, ConstantTypes, Convention, End, Function, FunctionId, LocalId, Nesting, Program,
    Region, Rhs, Statement, StatementKind, Storage, callees::Callees,
};
use clef_types::Intrinsic;
use std::collections::BTreeSet;

/// Orders the ends of regions, and finds out whether they nest.
pub(super) fn apply(program: &mut Program, constants: ConstantTypes) {
    ends::order(program, constants);
    program.nesting = nest(program).then(|| Nesting { texts_are_alone: texts::are_alone(program, constants) });
}

/// A region from the point of view of a function that did not begin it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outer {
    Program,
    /// That of a handle among [`Function::regions`].
    Given(usize),
    /// That of the text whose address is this parameter.
    Text(usize),
}

/// Where something is allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// In a region that the function has begun.
    Own(LocalId),
    Outer(Outer),
    /// Somewhere else.
    Unknown,
}

/// The regions of its callers in which a function allocates.
type Summary = BTreeSet<Outer>;

fn nest(program: &Program) -> bool {
    let callees = Callees::of(program);
    let mut callers: HashMap<FunctionId, BTreeSet<FunctionId>> = HashMap::default();
    let exported: Vec<FunctionId> = program.functions.iter().filter(is_exported).map(|(id, _)| id).collect();
    for (id, function) in program.functions.iter() {
        let mut reached = BTreeSet::new();
        function.body.each_call(&mut |call| reached.extend(callees.of_call(program, id, call)));
        function.body.each_statement(&mut |statement| {
            if let Some(Rhs::Foreign { .. }) = statement.rhs() {
                reached.extend(&exported);
            }
        });
        for callee in reached {
            callers.entry(callee).or_default().insert(id);
        }
    }
    let mut summaries: HashMap<FunctionId, Summary> = HashMap::default();
    let mut work: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    while let Some(id) = work.pop() {
        let Some(summary) = Walk::new(program, &callees, &exported, &summaries, id).summary() else { return false };
        if summaries.get(&id).is_none_or(|before| *before != summary) {
            let is_new = !summary.is_empty();
            summaries.insert(id, summary);
            work.extend(callers.get(&id).into_iter().flatten().filter(|_| is_new));
        }
    }
    true
}

fn is_exported((_, function): &(FunctionId, &Function)) -> bool {
    matches!(function.convention, Convention::Exported(_))
}

/// The walk over one function, in the order of execution.
struct Walk<'a> {
    program: &'a Program,
    callees: &'a Callees,
    exported: &'a [FunctionId],
    summaries: &'a HashMap<FunctionId, Summary>,
    id: FunctionId,
    function: &'a Function,
    /// The regions that the function has begun and not ended, the newest last.
    open: Vec<LocalId>,
    /// The texts that the function has begun; nothing for those that are in no region.
    texts: HashMap<LocalId, Option<Place>>,
    found: Summary,
    nests: bool,
}

impl<'a> Walk<'a> {
    fn new(
        program: &'a Program,
        callees: &'a Callees,
        exported: &'a [FunctionId],
        summaries: &'a HashMap<FunctionId, Summary>,
        id: FunctionId,
    ) -> Walk<'a> {
        Walk {
            program,
            callees,
            exported,
            summaries,
            id,
            function: &program.functions[id],
            open: Vec::new(),
            texts: HashMap::default(),
            found: Summary::new(),
            nests: true,
        }
    }

    /// The summary of the function; nothing if its regions do not nest.
    fn summary(mut self) -> Option<Summary> {
        self.block(&self.function.body);
        self.nests.then_some(self.found)
    }

    /// A block, after which the same regions are open as before.
    fn block(&mut self, block: &'a Block) {
        let before = self.open.clone();
        for statement in &block.statements {
            self.statement(statement);
        }
        if let End::TailCall { call, .. } = &block.end {
            self.call(call);
        }
        for nested in block.end.blocks() {
            self.block(nested);
        }
        self.open = before;
    }

    fn statement(&mut self, statement: &'a Statement) {
        if let Some(handle) = begins(statement) {
            return self.open.push(handle);
        }
        if let Some(handle) = ended(statement) {
            self.nests &= self.open.pop() == Some(handle);
            return;
        }
        match &statement.kind {
            StatementKind::Let(local, Rhs::Intrinsic { intrinsic: Intrinsic::TextBegin, allocation, .. }) => {
                let place = allocation.and_then(|allocation| self.place_of(allocation));
                self.texts.insert(*local, place);
            }
            StatementKind::Let(_, rhs) => self.rhs(rhs),
            StatementKind::Group(_) => {}
        }
        for allocation in statement.allocations() {
            if let Some(place) = self.place_of(allocation) {
                self.allocate(place);
            }
        }
    }

    fn rhs(&mut self, rhs: &'a Rhs) {
        if let Rhs::Call(call) = rhs {
            self.call(call);
        } else if let Rhs::Foreign { .. } = rhs {
            self.exported.iter().for_each(|callee| self.callee(*callee, None));
        } else if let Rhs::PopClosure(handle) = rhs {
            self.allocate(self.region(handle));
        } else if let Rhs::Evacuate { .. } = rhs {
            self.nests = false;
        } else if let Rhs::Intrinsic { intrinsic, arguments, .. } = rhs
            && appends(*intrinsic)
            && let Some(place) = arguments.first().and_then(|target| self.text(target))
        {
            self.allocate(place);
        }
        rhs.blocks().into_iter().for_each(|block| self.block(block));
    }

    fn call(&mut self, call: &'a Call) {
        for callee in self.callees.of_call(self.program, self.id, call) {
            self.callee(callee, Some(call));
        }
    }

    fn callee(&mut self, callee: FunctionId, call: Option<&'a Call>) {
        let summaries = self.summaries;
        for outer in summaries.get(&callee).into_iter().flatten() {
            let place = match (outer, call) {
                (Outer::Program, _) => Place::Outer(Outer::Program),
                (Outer::Given(position), Some(call)) => self.region(&call.regions[*position]),
                (Outer::Text(position), Some(call)) => match self.text(&call.arguments[*position]) {
                    Some(place) => place,
                    None => continue,
                },
                (Outer::Given(_) | Outer::Text(_), None) => Place::Unknown,
            };
            self.allocate(place);
        }
    }

    fn allocate(&mut self, place: Place) {
        match place {
            Place::Own(handle) => self.nests &= self.open.last() == Some(&handle),
            Place::Outer(outer) => {
                self.nests &= self.open.is_empty();
                self.found.insert(outer);
            }
            Place::Unknown => self.nests = false,
        }
    }

    /// The region of an allocation that is in one.
    fn place_of(&self, allocation: AllocationId) -> Option<Place> {
        let decision = self.program.allocations[allocation].decision.as_ref()?;
        match decision.storage {
            Storage::Region(Region::Program) => Some(Place::Outer(Outer::Program)),
            Storage::Region(Region::Local(handle)) => Some(self.region(&Atom::Local(handle))),
            Storage::Static | Storage::Stack => None,
        }
    }

    /// The region of a handle.
    fn region(&self, handle: &Atom) -> Place {
        let Some(handle) = handle.local() else { return Place::Outer(Outer::Program) };
        if self.open.contains(&handle) {
            return Place::Own(handle);
        }
        let position = self.function.regions.iter().position(|given| *given == handle);
        position.map_or(Place::Unknown, |position| Place::Outer(Outer::Given(position)))
    }

    /// The region of the text that a target is; nothing for a stream of the console.
    fn text(&self, target: &Atom) -> Option<Place> {
        let target = target.local()?;
        if let Some(begun) = self.texts.get(&target) {
            return *begun;
        }
        let given = self.function.params.iter().position(|param| *param == target);
        Some(given.map_or(Place::Unknown, |position| Place::Outer(Outer::Text(position))))
    }
}

/// Whether an intrinsic may move the end of the text that is its first argument.
fn appends(intrinsic: Intrinsic) -> bool {
    matches!(
        intrinsic,
        Intrinsic::TextWrite
            | Intrinsic::TextAppend
            | Intrinsic::TextAppendInt
            | Intrinsic::TextAppendUInt
            | Intrinsic::TextAppendByte
            | Intrinsic::TextEnd
    )
}
