//! Static slots: each is filled by one operation that runs at most once, and read only after that.
//!
//! A function with `clef.once` is external and named nowhere in the module, or is called directly at one place, which is
//! outside loops and in another such function. So the operations that may run before a slot is filled are those before it
//! in its function, those before the call of that function in the next, and so on, with all functions that they name.

use std::collections::{HashMap, HashSet};

use melior::ir::Module as MlirModule;

use super::{
    code::{functions, static_slots},
    flow::{may_precede, may_repeat},
    verify::fault,
};
use crate::{
    Fault,
    view::{Op, operations},
};

/// The faults of all static slots of a module.
pub(super) fn verify<'m>(module: &'m MlirModule<'m>) -> Vec<Fault> {
    let all = operations(module);
    let pass = Once { functions: functions(module), all: &all };
    let mut slots: Vec<_> = static_slots(module).into_iter().collect();
    slots.sort_by_key(|(name, _)| *name);
    slots.into_iter().filter_map(|(name, slot)| pass.slot(name, slot).err()).collect()
}

struct Once<'a, 'm> {
    functions: HashMap<&'m str, Op<'m>>,
    all: &'a [Op<'m>],
}

impl<'m> Once<'_, 'm> {
    fn slot(&self, name: &str, slot: Op<'m>) -> Result<(), Fault> {
        let fills = self.all.iter().copied().filter(|op| op.symbol("storage") == Some(name));
        let [fill] = fills.collect::<Vec<_>>()[..] else {
            return Err(fault(slot, format!("@{name} is not filled at exactly one place")));
        };
        let chain = self.chain(fill)?;
        let early = self.early(&chain);
        let reads = self.all.iter().copied().filter(|op| op.symbol("slot") == Some(name));
        for read in reads {
            let function = read.function().and_then(Op::sym_name).unwrap_or_default();
            let before_in_chain =
                chain.iter().any(|step| step.function() == read.function() && !is_only_after(read, *step));
            if before_in_chain || early.contains(function) {
                return Err(fault(read, format!("may read @{name} before it is filled")));
            }
        }
        Ok(())
    }

    /// The operation that fills a slot, the call of the function around it, the call of the function around that, …
    fn chain(&self, fill: Op<'m>) -> Result<Vec<Op<'m>>, Fault> {
        let mut chain = vec![fill];
        let mut step = fill;
        loop {
            let function = step.function().ok_or_else(|| fault(fill, "fills a static slot outside any function"))?;
            let name = function.sym_name().unwrap_or_default();
            if function.attribute("clef.once").is_none() {
                return Err(fault(fill, format!("fills a static slot, but @{name} may run more than once")));
            }
            if may_repeat(step) {
                return Err(fault(fill, format!("fills a static slot, but a loop of @{name} leads to it")));
            }
            let users: Vec<_> = self.all.iter().copied().filter(|op| names(*op).contains(&name)).collect();
            match users[..] {
                [] if is_external(function) => return Ok(chain),
                [call] if call.is("llvm.call") && call.symbol("callee") == Some(name) && !is_external(function) => {
                    if chain.contains(&call) {
                        return Err(fault(fill, format!("fills a static slot, but @{name} is recursive")));
                    }
                    chain.push(call);
                    step = call;
                }
                _ => return Err(fault(fill, format!("fills a static slot, but @{name} is not called at one place"))),
            }
        }
    }

    /// The functions that may run before the slot is filled. Functions that others may call at any time are among them.
    fn early(&self, chain: &[Op<'m>]) -> HashSet<&'m str> {
        let of_chain: Vec<_> = chain.iter().filter_map(|step| step.function()).collect();
        let foreign =
            self.functions.iter().filter(|(_, function)| is_external(**function) && !of_chain.contains(function));
        let mut waiting: Vec<&str> = foreign.map(|(name, _)| *name).collect();
        for step in chain {
            let inner = step.function().map(Op::inner).unwrap_or_default();
            waiting.extend(inner.into_iter().filter(|op| may_precede(*op, *step)).flat_map(names));
        }
        let mut early = HashSet::new();
        while let Some(name) = waiting.pop() {
            if let Some(function) = self.functions.get(name).filter(|_| early.insert(name)) {
                waiting.extend(function.inner().into_iter().flat_map(names));
            }
        }
        early
    }
}

/// Whether, in one call of their function, `read` runs only after `step`, and never before it in a loop.
fn is_only_after(read: Op<'_>, step: Op<'_>) -> bool {
    !may_precede(read, step) && dominates(step, read)
}

/// Whether every way from the entry of the function to `second` leads over `first`.
fn dominates<'m>(first: Op<'m>, second: Op<'m>) -> bool {
    if first.block() == second.block() {
        return first.is_before(second);
    }
    let entry = first.function().and_then(|function| function.blocks().first().copied());
    let mut seen = vec![first.block()];
    let mut waiting: Vec<_> = entry.into_iter().collect();
    while let Some(block) = waiting.pop() {
        if seen.contains(&block) {
            continue;
        }
        if block == second.block() {
            return false;
        }
        seen.push(block);
        waiting.extend(Op::terminator_of(block).map(Op::successors).unwrap_or_default());
    }
    true
}

/// The functions that an operation refers to.
fn names<'m>(op: Op<'m>) -> Vec<&'m str> {
    ["callee", "global_name"].into_iter().filter_map(|attribute| op.symbol(attribute)).collect()
}

fn is_external(function: Op<'_>) -> bool {
    function.attribute("linkage").is_none_or(|linkage| linkage.to_string().contains("external"))
}
