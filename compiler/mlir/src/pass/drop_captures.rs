//! Drops captures that the code of a closure never reads.
//!
//! Out: `clef.captures`, the indices of loads, and the operands of makes and patches agree again. A closure that is
//! left without captures becomes a constant. A capture may be read only to be captured by another closure, so code
//! whose loads disappear with a dropped capture is visited again.

use clef_base::HashMap;
use std::collections::BTreeSet;

use melior::Context;

use super::code::{callee, captures, first_capture, functions, set_captures};
use crate::{
    Module, Value,
    build::attribute::{integer, segments, string},
    build::view::{Op, operations},
};

/// A capture that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The symbol of the closure's code.
    pub code: String,
    /// The number of its captures that were never read.
    pub count: usize,
}

/// Runs the pass.
pub fn drop_captures(module: &mut Module<'_>) -> Vec<Dropped> {
    let mut pass = Pass::new(module);
    let unused = operations(&module.module).into_iter().filter(|op| is_unused(*op)).collect();
    pass.erase(unused);
    pass.waiting = pass.codes.keys().copied().collect();
    while let Some(code) = pass.waiting.pop() {
        pass.drop_unread(code);
    }
    let mut dropped: Vec<_> =
        pass.dropped.into_iter().map(|(code, count)| Dropped { code: code.to_owned(), count }).collect();
    dropped.sort_by(|a, b| a.code.cmp(&b.code));
    dropped
}

/// Whether it is a pure operation whose result nothing uses.
fn is_unused(op: Op<'_>) -> bool {
    let pure = [
        "clef.capture",
        "clef.capture_address",
        "clef.as_operand",
        "clef.closure_from_pointer",
        "clef.closure_to_pointer",
        "clef.region_from_pointer",
    ];
    pure.contains(&op.name()) && op.result().is_some_and(Value::is_unused)
}

/// Whether it reads a capture of the closure that runs.
fn is_load(op: Op<'_>) -> bool {
    op.is("clef.capture") || op.is("clef.capture_address")
}

/// The operations that made some values, if their results are no longer used; each once.
fn makers_unused<'m>(values: &[Value<'m>]) -> Vec<Op<'m>> {
    let mut makers: Vec<Op<'m>> = Vec::new();
    for maker in values.iter().filter_map(|value| value.maker()).filter(|maker| is_unused(*maker)) {
        if !makers.contains(&maker) {
            makers.push(maker);
        }
    }
    makers
}

struct Pass<'m> {
    context: &'m Context,
    /// The code of closures whose captures may be dropped.
    codes: HashMap<&'m str, Op<'m>>,
    /// The operations that store the captures of each code.
    stores: HashMap<&'m str, Vec<Op<'m>>>,
    /// Codes that may read fewer captures than they declare: the worklist.
    waiting: Vec<&'m str>,
    dropped: HashMap<&'m str, usize>,
}

impl<'m> Pass<'m> {
    fn new(module: &'m Module<'_>) -> Self {
        let is_free = |function: &Op<'m>| {
            let kept = function.blocks().is_empty() || function.attribute("clef.fixed").is_some();
            !kept && function.attribute("clef.captures").is_some()
        };
        let codes = functions(&module.module).into_iter().filter(|(_, function)| is_free(function)).collect();
        let mut stores: HashMap<&str, Vec<Op<'m>>> = HashMap::default();
        for op in operations(&module.module) {
            if op.is("clef.closure_make") || op.is("clef.closure_patch") {
                stores.entry(callee(op)).or_default().push(op);
            }
        }
        Pass { context: module.context, codes, stores, waiting: Vec::new(), dropped: HashMap::default() }
    }

    /// Erases pure operations that nothing uses, and those that only they used. Code that no longer reads a capture is
    /// queued.
    fn erase(&mut self, mut unused: Vec<Op<'m>>) {
        while let Some(op) = unused.pop() {
            if is_load(op) {
                self.waiting.extend(op.function().and_then(Op::sym_name));
            }
            let operands = op.raw_operands();
            op.erase();
            unused.extend(makers_unused(&operands));
        }
    }

    /// Drops the captures that a code does not read.
    fn drop_unread(&mut self, code: &'m str) {
        let Some(&function) = self.codes.get(code) else { return };
        let Some(declared) = captures(function) else { return };
        let loads: Vec<_> = function.inner().into_iter().filter(|op| is_load(*op)).collect();
        let live: BTreeSet<usize> = loads.iter().map(|&load| index(load)).collect();
        if live.len() == declared.len() {
            return;
        }
        let kept: Vec<_> = live.iter().filter_map(|&index| declared.get(index).copied()).collect();
        set_captures(self.context, function, &kept);
        for load in loads {
            let new = live.iter().position(|&old| old == index(load)).unwrap_or_default();
            load.set_attribute("index", integer(self.context, 64, i64::try_from(new).unwrap_or(i64::MAX)));
        }
        for store in self.stores.get(code).cloned().unwrap_or_default() {
            let operands = store.raw_operands();
            keep_captures(self.context, store, &live);
            self.erase(makers_unused(&operands));
        }
        *self.dropped.entry(code).or_default() += declared.len() - live.len();
    }
}

fn index(load: Op<'_>) -> usize {
    load.integer("index").and_then(|index| usize::try_from(index).ok()).unwrap_or(usize::MAX)
}

/// Keeps only the captures in `live` of an operation that stores all of them.
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
