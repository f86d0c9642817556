//! Storage assignment: decides once where each allocation of a program is stored, and why.
//!
//! In: Core that verifies, and the limits of a frame. Out: the same program where each allocation that is performed has a [`Decision`], each tail
//! call on a cycle of tail calls is `required`, and the tail calls that would drop a frame still in use are plain
//! calls. Guarantee, checked by [`verify`]: nothing on the stack outlives its frame or is passed to a tail call; static
//! objects exist once. The analysis follows the structure of the escape analysis of Park and Goldberg ("Escape analysis
//! on lists", 1992), with one summary per function. What does not stay in its frame goes to a region, which
//! [`crate::region`] then chooses; until it has run, the program's region.

mod build;
mod cells;
mod closures;
mod constants;
mod flow;
mod homes;
mod limits;
mod listing;
mod reason;
mod summary;
mod tail;
#[cfg(test)]
mod tests;
mod verify;
mod zeros;

pub use closures::{Closures, Representation, closures, representations};
pub use limits::FrameLimits;
pub use listing::{Evacuated, Lambda, Listing, Row, Stored, Summary, listing, storage};
pub use verify::{Violation, verify};

use clef_base::{Bytes, HashSet};
use clef_core::{
    AllocationId, AllocationKind, Decision, FunctionId, Holders, InlinedId, LocalId, Place, Program, Reason, Region,
    Rhs, Statement, StatementKind, Storage, constants::Constants, functions_that_run_once,
};
use clef_types::Type;
use constants::Unwritten;
use flow::Flow;
use summary::Summaries;

/// Decides the storage of every allocation.
pub fn place(program: &mut Program, limits: FrameLimits) {
    let mut holders = Holders::default();
    let summaries = Summaries::of_program(program, limits, &mut holders);
    tail::mark(program, &summaries);
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for &id in &ids {
        let flow = Flow::of(program, id, &summaries, &mut holders);
        let framed = flow.slots.iter().flat_map(|&slot| flow.reached(slot)).collect();
        tail::keep_frame(program, id, &framed);
    }
    let once = functions_that_run_once(program);
    let reused = reused_types(program);
    let constants = constants(program, &reused);
    for &id in &ids {
        let flow = Flow::of(program, id, &summaries, &mut holders);
        let framed = decide(program, id, &flow, (once.contains(&id), &reused, &constants), limits);
        tail::keep_frame(program, id, &framed);
    }
    keep_reuse_in_regions(program);
    zeros::remove(program);
    if cfg!(debug_assertions)
        && let Err(violation) = verify(program, limits)
    {
        clef_base::internal::bug("place", violation.span, violation.message);
    }
    cells::move_into_closures(program);
}

/// What is known when the program is compiled, and can be in flash.
fn constants(program: &Program, reused: &HashSet<Type>) -> Constants {
    let unwritten = Unwritten::of(program, reused);
    Constants::of(program, &|allocation| {
        unwritten.contains(program, allocation) && program.allocations[allocation].placement.section.is_none()
    })
}

/// The types whose nodes may be reused. These are not static, since a static node is not in the region of the one that
/// would take its memory.
fn reused_types(program: &Program) -> HashSet<Type> {
    let mut types = HashSet::default();
    for function in program.functions.values() {
        function.body.each_statement(&mut |statement| {
            if let Some(Rhs::Inject { ty, reuse: Some(_), .. }) = statement.rhs() {
                types.insert(*ty);
            }
        });
    }
    types
}

/// Removes the nodes whose memory could be used for others that are not in regions.
fn keep_reuse_in_regions(program: &mut Program) {
    let Program { functions, allocations, .. } = program;
    for function in functions.values_mut() {
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                let StatementKind::Let(_, Rhs::Inject { allocation: Some(allocation), reuse, .. }) =
                    &mut statement.kind
                else {
                    continue;
                };
                let decision = allocations[*allocation].decision.as_ref();
                if !decision.is_some_and(|decision| matches!(decision.storage, Storage::Region(_))) {
                    *reuse = None;
                }
            }
        });
    }
}

/// An allocation where it is performed.
struct Site {
    allocation: AllocationId,
    local: LocalId,
    /// The size of a buffer that its text always fits in.
    buffer: Option<Bytes>,
    /// The number of elements of an array or of memory, if it is known.
    elements: Option<u64>,
    statement: clef_base::Span,
    /// The call whose callee's body the statement is in.
    inlined: Option<InlinedId>,
}

/// The allocations that a function performs, in order.
fn sites(program: &Program, id: FunctionId) -> Vec<Site> {
    let mut sites = Vec::new();
    program.functions[id].body.each_statement(&mut |statement: &Statement| {
        let mut add = |allocation, local, buffer, elements| {
            let Place { span, inlined } = statement.place;
            sites.push(Site { allocation, local, buffer, elements, statement: span, inlined });
        };
        match &statement.kind {
            StatementKind::Let(local, rhs) => {
                if let Some(allocation) = rhs.allocation() {
                    add(allocation, *local, buffer(rhs), elements(rhs));
                }
            }
            StatementKind::Group(members) => {
                members.iter().for_each(|(local, closure)| add(closure.allocation, *local, None, None));
            }
        }
    });
    sites
}

/// The size of a buffer that the string created by an operation always fits in; `None` if there is no bound.
pub(crate) fn buffer(rhs: &Rhs) -> Option<Bytes> {
    if let Rhs::Intrinsic { intrinsic, .. } = rhs { intrinsic.properties().largest } else { None }
}

/// Decides the allocations of one function; returns the locals that may hold something in its frame.
fn decide(
    program: &mut Program,
    id: FunctionId,
    flow: &Flow,
    (once, reused, constants): (bool, &HashSet<Type>, &Constants),
    limits: FrameLimits,
) -> HashSet<LocalId> {
    let mut framed: HashSet<LocalId> = HashSet::default();
    let mut buffers = 0;
    let decided: Vec<(Site, Decision)> = sites(program, id)
        .into_iter()
        .map(|site| {
            let kind = program.allocations[site.allocation].kind;
            let is_reused = matches!(kind, AllocationKind::Node(ty, _) if reused.contains(&ty));
            let decision = match constants.allocation(site.allocation) {
                Some(_) => Decision { storage: Storage::Static, reason: Reason::Constant },
                None => decision(kind, &site, flow, once && !is_reused, limits),
            };
            (site, decision)
        })
        .collect();
    let outside = decided.iter().filter(|(_, decision)| decision.storage != Storage::Stack);
    let outside: HashSet<LocalId> = outside.map(|(site, _)| site.local).collect();
    for (site, mut decision) in decided {
        if decision.storage == Storage::Stack
            && let Some(reason) = flow.held_by(site.local, &outside).and_then(reason::of_holder)
        {
            decision = region(reason);
        }
        if decision.storage == Storage::Stack {
            buffers += usize::from(site.buffer.is_some());
            if site.buffer.is_some() && buffers > limits.buffers {
                decision = region(Reason::FrameLimit);
            } else {
                framed.extend(flow.reached(site.local));
            }
        }
        let allocation = &mut program.allocations[site.allocation];
        allocation.function = id;
        allocation.decision = Some(decision);
    }
    framed
}

fn region(reason: Reason) -> Decision {
    Decision { storage: Storage::Region(Region::Program), reason }
}

/// The number of elements of an array, if it is known.
fn elements(rhs: &Rhs) -> Option<u64> {
    u64::try_from(rhs.element_count()?).ok()
}

fn decision(kind: AllocationKind, site: &Site, flow: &Flow, once: bool, limits: FrameLimits) -> Decision {
    let single = once && !flow.in_loop(site.local);
    let escape = reason::of(flow, site.local);
    match (kind, escape) {
        (AllocationKind::String, _) if site.buffer.is_none() => region(Reason::UnboundedSize),
        (AllocationKind::Memory(extent), None) => match site.elements {
            None => region(Reason::UnboundedSize),
            Some(count) if extent.size.saturating_mul(count) > limits.memory => region(Reason::TooLarge),
            Some(_) => Decision { storage: Storage::Stack, reason: Reason::DoesNotEscape },
        },
        (AllocationKind::Memory(_), Some(_)) if single && site.elements.is_some() => {
            Decision { storage: Storage::Static, reason: Reason::OncePerProgram }
        }
        (AllocationKind::Array(_), _) if site.elements.is_none() => region(Reason::UnboundedSize),
        (AllocationKind::Array(_), None) if site.elements <= Some(limits.elements) => {
            Decision { storage: Storage::Stack, reason: Reason::DoesNotEscape }
        }
        (AllocationKind::Array(_), _) if single => {
            Decision { storage: Storage::Static, reason: Reason::OncePerProgram }
        }
        (AllocationKind::Array(_), _) if site.elements > Some(limits.elements) => region(Reason::FrameLimit),
        (AllocationKind::Closure(_) | AllocationKind::Reference(_) | AllocationKind::Node(..), Some(_)) if single => {
            Decision { storage: Storage::Static, reason: Reason::OncePerProgram }
        }
        (_, Some(reason)) => region(reason),
        (_, None) => Decision { storage: Storage::Stack, reason: Reason::DoesNotEscape },
    }
}
