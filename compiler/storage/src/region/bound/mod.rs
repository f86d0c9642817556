//! The maximum memory that the regions of a program hold at a time.
//!
//! In: a program with its regions, and the sizes of its allocations on a target. Out: the bytes of the pool that can be in
//! use at once, in whole pages if its regions need pages, or what has no bound: each allocation that is made in a loop, by recursion, through a closure
//! that allocates where it was created, or whose size is known only at run time, while its region lives on. Guarantee:
//! no run uses more. The count is coarse: of the paths through a function the one that takes most; all regions that a
//! function begins as if they were live together; and of its callees the one that takes most. A length may be computed from
//! parameters: a function without a bound for that reason is summarised again for the constants that a call passes.

mod amount;
mod function;
mod numbers;

pub use amount::{Cause, Pages, Why};

use amount::{Amount, Held};
use clef_base::{Bytes, Extent, HashMap, strongly_connected_components};
use clef_core::{AllocationKind, Call, Convention, FunctionId, Program, callees::Callees};
use function::Walk;
use numbers::{Arguments, Numbers};
use std::cell::RefCell;

/// What must be known of a target.
pub struct Sizes<'a> {
    /// The extent of an allocation; of an array, that of an element.
    pub of: &'a dyn Fn(AllocationKind) -> Extent,
    /// How regions hold them.
    pub pages: Pages,
}

/// The memory use of a call of a function.
#[derive(Clone, Debug)]
struct Summary {
    /// What it allocates in each region that it receives.
    given: Vec<Amount>,
    /// What it allocates in the program's region.
    program: Amount,
    /// The memory at a time of the regions that begin in it and in its callees.
    held: Held,
    /// Whether it may call itself.
    is_cycle: bool,
}

impl Summary {
    /// Whether something has no bound because its length is not known.
    fn has_lengths(&self) -> bool {
        let held = self.held.as_ref().err().map_or(&[][..], Vec::as_slice);
        let all = self.given.iter().chain([&self.program]).flat_map(Amount::causes).chain(held);
        all.into_iter().any(|cause| cause.why == Why::Length)
    }
}

/// The maximum memory that regions hold at a time; or all that has no bound.
pub fn bound(program: &Program, sizes: &Sizes<'_>) -> Result<Bytes, Vec<Cause>> {
    let callees = Callees::of(program);
    let (summaries, special) = (HashMap::default(), RefCell::default());
    let mut bounds = Bounds { program, sizes, callees, summaries, special };
    bounds.summarise();
    bounds.total()
}

struct Bounds<'a> {
    program: &'a Program,
    sizes: &'a Sizes<'a>,
    callees: Callees,
    summaries: HashMap<FunctionId, Summary>,
    /// The summaries of functions for the constants that calls pass.
    special: RefCell<HashMap<FunctionId, Vec<(Arguments, Summary)>>>,
}

/// The maximum number of summaries of a function for what calls pass.
const MAX_SPECIAL: usize = 64;

impl Bounds<'_> {
    /// Summarises callees before their callers.
    fn summarise(&mut self) {
        let ids: Vec<FunctionId> = self.program.functions.iter().map(|(id, _)| id).collect();
        let numbers: HashMap<FunctionId, usize> = ids.iter().enumerate().map(|(number, id)| (*id, number)).collect();
        let mut edges = vec![Vec::new(); ids.len()];
        let mut own_calls = vec![false; ids.len()];
        for (number, &id) in ids.iter().enumerate() {
            self.program.functions[id].body.each_call(&mut |call| {
                edges[number].extend(self.callees(id, call).iter().map(|callee| numbers[callee]));
            });
        }
        let components = strongly_connected_components(&edges);
        for (number, &id) in ids.iter().enumerate() {
            self.program.functions[id].body.each_statement(&mut |statement| {
                if let Some(call) = statement.call() {
                    let callees = self.callees(id, call);
                    own_calls[components[number]] |=
                        callees.iter().any(|callee| components[numbers[callee]] == components[number]);
                }
            });
        }
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|&number| components[number]);
        for group in order.chunk_by(|&left, &right| components[left] == components[right]) {
            let is_cycle = group.len() > 1 || edges[group[0]].contains(&group[0]);
            let recursive = own_calls[components[group[0]]];
            let group: Vec<FunctionId> = group.iter().map(|&number| ids[number]).collect();
            let done: Vec<Summary> =
                group.iter().map(|&id| self.walk(id, &group, is_cycle, recursive).summary()).collect();
            let done = if is_cycle { shared(done, recursive) } else { done };
            self.summaries.extend(group.into_iter().zip(done));
        }
    }

    fn walk<'a>(&'a self, id: FunctionId, group: &'a [FunctionId], is_cycle: bool, recursive: bool) -> Walk<'a, 'a> {
        Walk::new(self, id, group, is_cycle, recursive, Numbers::default())
    }

    /// The summary of a function for a call with these arguments, as far as they are known; nothing while it is being made.
    fn summary_of(&self, callee: FunctionId, arguments: Arguments) -> Option<Summary> {
        let general = self.summaries.get(&callee)?;
        let function = &self.program.functions[callee];
        let is_worthwhile = general.has_lengths() && arguments.iter().any(Option::is_some);
        if !is_worthwhile || general.is_cycle || Numbers::change_in(function) {
            return Some(general.clone());
        }
        let special = self.special.borrow();
        let known = special.get(&callee).map_or(&[][..], Vec::as_slice);
        if let Some((_, summary)) = known.iter().find(|(passed, _)| *passed == arguments) {
            return Some(summary.clone());
        }
        if known.len() == MAX_SPECIAL {
            return Some(general.clone());
        }
        drop(special);
        let numbers = Numbers::of_parameters(function, &arguments);
        let summary = Walk::new(self, callee, &[callee], false, false, numbers).summary();
        self.special.borrow_mut().entry(callee).or_default().push((arguments, summary.clone()));
        Some(summary)
    }

    /// What a call may reach.
    fn callees(&self, caller: FunctionId, call: &Call) -> Vec<FunctionId> {
        self.callees.of_call(self.program, caller, call)
    }

    /// The memory use of the program, and of what other languages and interrupts may call while it runs.
    fn total(&self) -> Result<Bytes, Vec<Cause>> {
        let (mut size, mut causes) = (Bytes(0), Vec::new());
        for (id, function) in self.program.functions.iter() {
            let is_exported = matches!(function.convention, Convention::Exported(_));
            if id != self.program.start && !is_exported {
                continue;
            }
            let Some(summary) = self.summaries.get(&id) else { continue };
            // How often other languages call is not known.
            let program = match is_exported {
                true => summary.program.clone().repeated(function.span, Why::Foreign),
                false => summary.program.clone(),
            };
            for part in [program.held(self.sizes.pages, true), summary.held.clone()] {
                match part {
                    Ok(part) => size += part,
                    Err(found) => causes.extend(found),
                }
            }
        }
        causes.sort();
        causes.dedup_by_key(|cause| (cause.spans[0], cause.why));
        if causes.is_empty() { Ok(size) } else { Err(causes) }
    }
}

/// The summaries of mutually recursive functions: each may call any other.
fn shared(each: Vec<Summary>, recursive: bool) -> Vec<Summary> {
    let all = |of: &dyn Fn(&Summary) -> Vec<Amount>| each.iter().flat_map(of).reduce(Amount::and).unwrap_or_default();
    let given = all(&|summary| summary.given.clone());
    let program = all(&|summary| vec![summary.program.clone()]);
    let held = each.iter().map(|summary| summary.held.clone()).reduce(amount::most).unwrap_or(Ok(Bytes(0)));
    // A region that one begins may be one that it passes to another.
    let held = match (recursive, given.causes()) {
        (true, [_, ..]) => amount::most(held, Err(given.causes().to_vec())),
        (true, []) | (false, _) => held,
    };
    let given = |summary: Summary| vec![given.clone(); summary.given.len()];
    let share = |summary: Summary| Summary {
        given: given(summary),
        program: program.clone(),
        held: held.clone(),
        is_cycle: true,
    };
    each.clone().into_iter().map(share).collect()
}
