//! Independently checks the storage of a placed program, from the program and the decisions alone.
//!
//! Out: the first violation of: each allocation that is performed has a decision; nothing on the stack can reach a
//! place that outlives the frame or its iteration of a loop; no tail call and no next iteration takes something in the
//! frame; what is static is made in a function that runs at most once, outside of loops, and is no node whose memory may
//! be used for another one, or it is a constant that nothing writes to.

use super::{FrameLimits, Site, flow::Flow, reason, sites, summary::Summaries};
use clef_base::{HashSet, Span};
use clef_core::{AllocationKind, Atom, End, FunctionId, Holders, LocalId, Program, Storage, functions_that_run_once};
use clef_types::Type;

/// A violation in the storage of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Where.
    pub span: Span,
    /// Which rule is broken.
    pub message: String,
}

/// Checks the storage of a program, which was decided with these limits.
pub fn verify(program: &Program, limits: FrameLimits) -> Result<(), Violation> {
    let mut holders = Holders::default();
    let summaries = Summaries::of_program(program, limits, &mut holders);
    let once = functions_that_run_once(program);
    let reused = super::reused_types(program);
    let constants = super::constants(program, &reused);
    for (id, _) in program.functions.iter() {
        let flow = Flow::of(program, id, &summaries, &mut holders);
        let mut framed: HashSet<LocalId> = flow.slots.iter().flat_map(|&slot| flow.reached(slot)).collect();
        for site in sites(program, id) {
            let is_reused = reused_by_type(program, &site, &reused);
            let is_constant = constants.allocation(site.allocation).is_some();
            site_holds(program, &flow, &site, once.contains(&id) && !is_reused, is_constant)?;
            if storage(program, &site)? == Storage::Stack {
                framed.extend(flow.reached(site.local));
            }
        }
        tail_calls_hold(program, id, &framed)?;
    }
    Ok(())
}

fn reused_by_type(program: &Program, site: &Site, reused: &HashSet<Type>) -> bool {
    matches!(program.allocations[site.allocation].kind, AllocationKind::Node(ty, _) if reused.contains(&ty))
}

fn storage(program: &Program, site: &Site) -> Result<Storage, Violation> {
    match &program.allocations[site.allocation].decision {
        Some(decision) => Ok(decision.storage),
        None => violation(site.statement, "an allocation has no storage"),
    }
}

fn site_holds(program: &Program, flow: &Flow, site: &Site, once: bool, is_constant: bool) -> Result<(), Violation> {
    match storage(program, site)? {
        Storage::Stack => match reason::of(flow, site.local) {
            Some(reason) => {
                let function = program.allocations[site.allocation].function;
                let name = program.functions[function].name;
                violation(site.statement, format!("a stack allocation in `{name}` outlives its frame: {reason:?}"))
            }
            None => Ok(()),
        },
        Storage::Static if !is_constant && (!once || flow.in_loop(site.local)) => {
            violation(site.statement, "a static allocation may be made more than once")
        }
        Storage::Static | Storage::Region(_) => Ok(()),
    }
}

fn tail_calls_hold(program: &Program, id: FunctionId, framed: &HashSet<LocalId>) -> Result<(), Violation> {
    let function = &program.functions[id];
    let mut result = Ok(());
    function.body.each_end(&mut |end| match end {
        End::TailCall { .. } | End::Continue(_) => end.atoms(&mut |atom| {
            if matches!(atom, Atom::Local(local) if framed.contains(local)) {
                result = violation(
                    function.span,
                    format!("a tail call in `{}` receives an address of the frame", function.name),
                );
            }
        }),
        End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) | End::Trap(..) => {}
    });
    result
}

fn violation<T>(span: Span, message: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { span, message: message.into() })
}
