//! Captures that the code of a closure never reads are not stored.
//!
//! Out: `clef.captures`, the loads' indices and the operands of makes and patches agree again. A closure that is left
//! without captures becomes a constant. Captures of one closure may be read only to be captured by another, so the pass
//! repeats until nothing changes.

use std::collections::BTreeSet;

use melior::{Context, ir::Module as MlirModule};

use super::code::{callee, captures, first_capture, functions, set_captures};
use crate::{
    Module,
    build::attribute::{integer, segments, string},
    view::{Op, operations},
};

/// A capture that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The symbol of the closure's code.
    pub code: String,
    /// How many of its captures were never read.
    pub count: usize,
}

/// Runs the pass.
pub fn drop_captures(module: &mut Module<'_>) -> Vec<Dropped> {
    let mut dropped: Vec<Dropped> = Vec::new();
    loop {
        erase_unused(&module.module);
        let found = drop_once(module.context, &module.module);
        if found.is_empty() {
            dropped.sort_by(|a, b| a.code.cmp(&b.code));
            return dropped;
        }
        for one in found {
            match dropped.iter_mut().find(|other| other.code == one.code) {
                Some(other) => other.count += one.count,
                None => dropped.push(one),
            }
        }
    }
}

/// Erases pure operations whose results nothing uses, backwards, so that most go in one sweep, until nothing changes.
fn erase_unused<'m>(module: &'m MlirModule<'m>) {
    let pure = [
        "clef.capture",
        "clef.capture_address",
        "clef.as_operand",
        "clef.closure_from_pointer",
        "clef.closure_to_pointer",
        "clef.region_from_pointer",
    ];
    let mut changed = true;
    while changed {
        changed = false;
        for op in operations(module).into_iter().rev() {
            if pure.contains(&op.name()) && op.result().is_some_and(|result| result.is_unused()) {
                op.erase();
                changed = true;
            }
        }
    }
}

fn drop_once<'m>(context: &'m Context, module: &'m MlirModule<'m>) -> Vec<Dropped> {
    let all = operations(module);
    let stores: Vec<_> =
        all.iter().copied().filter(|op| ["clef.closure_make", "clef.closure_patch"].contains(&op.name())).collect();
    let mut dropped = Vec::new();
    for (code, function) in functions(module) {
        let kept = function.blocks().is_empty() || function.attribute("clef.fixed").is_some();
        let Some(declared) = captures(function).filter(|_| !kept) else { continue };
        let loads: Vec<_> = function
            .inner()
            .into_iter()
            .filter(|op| ["clef.capture", "clef.capture_address"].contains(&op.name()))
            .collect();
        let live: BTreeSet<usize> = loads.iter().map(|&load| index(load)).collect();
        if live.len() == declared.len() {
            continue;
        }
        let kept: Vec<_> = live.iter().filter_map(|&index| declared.get(index).copied()).collect();
        set_captures(context, function, &kept);
        for load in loads {
            let new = live.iter().position(|&old| old == index(load)).unwrap_or_default();
            load.set_attribute("index", integer(context, 64, i64::try_from(new).unwrap_or(i64::MAX)));
        }
        stores.iter().filter(|op| callee(**op) == code).for_each(|op| keep_captures(context, *op, &live));
        dropped.push(Dropped { code: code.to_owned(), count: declared.len() - live.len() });
    }
    dropped
}

fn index(load: Op<'_>) -> usize {
    load.integer("index").and_then(|index| usize::try_from(index).ok()).unwrap_or(usize::MAX)
}

/// Keeps the captures in `live` of an operation that stores all of them.
fn keep_captures<'m>(context: &'m Context, op: Op<'m>, live: &BTreeSet<usize>) {
    let first = first_capture(op);
    let constant = op.is("clef.closure_make") && live.is_empty() && op.symbol("storage").is_none();
    let others = if constant { 0 } else { first };
    let kept = op.raw_operands().into_iter().enumerate().filter(|(operand, _)| match operand.checked_sub(first) {
        Some(capture) => live.contains(&capture),
        None => !constant,
    });
    let kept: Vec<_> = kept.map(|(_, value)| value).collect();
    op.set_operands(&kept);
    if op.is("clef.closure_make") {
        let (name, sizes) = segments(context, &[others / 2, others / 2, live.len()]);
        op.set_attribute(name.as_string_ref().as_str().unwrap_or_default(), sizes);
        if constant {
            op.set_attribute("storage", string(context, "static"));
        }
    }
}
