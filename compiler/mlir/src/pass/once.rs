//! Static slots: each is filled by one operation that runs at most once, and read only after that.
//!
//! A function with `clef.once` is external and not referenced in the module, or is called directly at one place, which
//! is outside loops and in another such function. So the operations that may run before a slot is filled are those
//! before it in its function, those before the call of that function in the next, and so on, with all functions that
//! they refer to.

use clef_base::{HashMap, HashSet};
use melior::ir::Module as MlirModule;

use super::{
    code::{functions, static_slots},
    flow::{address, may_precede, may_repeat, reaching},
    verify::fault,
};
use crate::{
    Fault,
    build::view::{Op, operations},
};

/// The faults of all static slots of a module.
pub(super) fn verify<'m>(module: &'m MlirModule<'m>) -> Vec<Fault> {
    let mut slots: Vec<_> = static_slots(module).into_iter().collect();
    if slots.is_empty() {
        return Vec::new();
    }
    slots.sort_by_key(|(name, _)| *name);
    let pass = Once::new(module);
    slots.into_iter().filter_map(|(name, slot)| pass.slot(name, slot).err()).collect()
}

/// A module indexed by the symbols that its operations refer to, so that slots need no walk of their own.
struct Once<'m> {
    /// The operations that fill each slot.
    fills: HashMap<&'m str, Vec<Op<'m>>>,
    /// The operations that read each slot.
    reads: HashMap<&'m str, Vec<Op<'m>>>,
    /// The operations that refer to each function.
    users: HashMap<&'m str, Vec<Op<'m>>>,
    /// The functions that each function refers to, and where.
    named: HashMap<&'m str, Vec<(Op<'m>, &'m str)>>,
    /// The functions that others may call at any time.
    external: HashSet<&'m str>,
}

impl<'m> Once<'m> {
    fn new(module: &'m MlirModule<'m>) -> Once<'m> {
        let functions = functions(module);
        let (mut fills, mut reads, mut users) = (HashMap::default(), HashMap::default(), HashMap::default());
        let mut named: HashMap<&'m str, Vec<(Op<'m>, &'m str)>> = HashMap::default();
        for op in operations(module) {
            let by = |symbols: &mut HashMap<&'m str, Vec<Op<'m>>>, symbol| symbols.entry(symbol).or_default().push(op);
            let (fill, read, function) = match op.name() {
                "llvm.call" => (None, None, op.symbol("callee")),
                "llvm.mlir.addressof" => (None, None, op.symbol("global_name")),
                "clef.static_closure" => (None, op.symbol("slot"), None),
                "clef.closure_make" | "clef.closure_allocate" => (op.symbol("storage"), None, op.symbol("callee")),
                "clef.closure_patch" | "clef.static_slot" => (None, None, op.symbol("callee")),
                _ => continue,
            };
            fill.into_iter().for_each(|slot| by(&mut fills, slot));
            read.into_iter().for_each(|slot| by(&mut reads, slot));
            if let Some(name) = function {
                by(&mut users, name);
                let around = op.function().and_then(Op::sym_name);
                around.into_iter().for_each(|around| named.entry(around).or_default().push((op, name)));
            }
        }
        let external = functions.iter().filter(|(_, function)| is_external(**function)).map(|(name, _)| *name);
        Once { fills, reads, users, named, external: external.collect() }
    }

    fn slot(&self, name: &str, slot: Op<'m>) -> Result<(), Fault> {
        let [fill] = of(&self.fills, name) else {
            return Err(fault(slot, format!("@{name} is not filled at exactly one place")));
        };
        let reads = of(&self.reads, name);
        let chain = self.chain(*fill)?;
        let early = self.early(&chain);
        for &read in reads {
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
                return Err(fault(fill, format!("fills a static slot, but is in a loop of @{name}")));
            }
            match *of(&self.users, name) {
                [] if self.external.contains(name) => return Ok(chain),
                [call]
                    if call.is("llvm.call") && call.symbol("callee") == Some(name) && !self.external.contains(name) =>
                {
                    if chain.contains(&call) {
                        return Err(fault(fill, format!("fills a static slot, but @{name} is recursive")));
                    }
                    chain.push(call);
                    step = call;
                }
                _ => {
                    return Err(fault(
                        fill,
                        format!("fills a static slot, but @{name} does not have exactly one call"),
                    ));
                }
            }
        }
    }

    /// The functions that may run before the slot is filled. Functions that others may call at any time are among them.
    fn early(&self, chain: &[Op<'m>]) -> HashSet<&'m str> {
        let function_of = |step: &Op<'m>| step.function().and_then(Op::sym_name);
        let of_chain: Vec<_> = chain.iter().filter_map(function_of).collect();
        let mut waiting: Vec<&str> = self.external.iter().copied().filter(|name| !of_chain.contains(name)).collect();
        for step in chain {
            let (Some(function), Some(name)) = (step.function(), function_of(step)) else { continue };
            let reaching = reaching(function, step.block());
            let is_before = |op: Op<'m>| {
                reaching.contains(&address(op.block())) || (op.block() == step.block() && op.is_before(*step))
            };
            let named = self.named.get(name).into_iter().flatten();
            waiting.extend(named.filter(|(op, _)| is_before(*op)).map(|(_, name)| *name));
        }
        let mut early = HashSet::default();
        while let Some(name) = waiting.pop() {
            if early.insert(name) {
                waiting.extend(self.named.get(name).into_iter().flatten().map(|(_, name)| *name));
            }
        }
        early
    }
}

/// The operations that refer to a symbol.
fn of<'a, 'm>(operations: &'a HashMap<&'m str, Vec<Op<'m>>>, symbol: &str) -> &'a [Op<'m>] {
    operations.get(symbol).map_or(&[], Vec::as_slice)
}

/// Whether, in one call of their function, `read` runs only after `step`, and never before it in a loop.
fn is_only_after(read: Op<'_>, step: Op<'_>) -> bool {
    !may_precede(read, step) && dominates(step, read)
}

/// Whether every path from the entry of the function to `second` passes `first`.
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

fn is_external(function: Op<'_>) -> bool {
    function.attribute("linkage").is_none_or(|linkage| linkage.to_string().contains("external"))
}
