//! Where the values of one function may flow.
//!
//! In: the edges and sinks of a function. Out: a [`Flow`], which answers queries: a graph over the function's locals
//! with an edge `a → b` when what `b` holds may include what `a` is or holds, and the places where a local leaves the
//! frame. Guarantee: if an allocation is reachable from a value that outlives the frame, that value's sink is reachable
//! from the local that names the allocation. The graph ignores the order of statements and does not tell fields apart,
//! but it does distinguish a value from its content: reading a cell does not yield the cell. [`super::build`] creates
//! it.

use clef_base::{HashMap, HashSet, Span};
use clef_core::LocalId;
use std::collections::VecDeque;

/// How a value flows from one local to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// It is the same value.
    Same,
    /// It was within the value and is read out of it: the content of a cell, a component, a capture.
    Content,
    /// It becomes a capture of a closure.
    Captured(Span),
    /// It becomes a part of a tuple or case, or the content of a cell.
    Part(Span),
}

/// Where a value leaves the frame, or stays alive while the frame's code starts again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sink {
    /// It is the function's result.
    Returned(Span),
    /// The function's result holds it.
    ReturnedWithin(Span),
    /// It is stored where it outlives the frame.
    Stored(Span),
    /// Its memory may be used for another value.
    Reused(Span),
    /// A callee may keep it.
    Passed(Span),
    /// It is captured by a closure whose body lets its captures escape.
    Captured(Span),
    /// It is passed to the next iteration of the function as a loop.
    NextIteration(Span),
    /// It is passed to a required tail call.
    TailCall(Span),
}

/// Whether the value itself is meant, or its content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Depth {
    /// The value.
    Itself,
    /// What it holds, at any depth.
    Within,
}

/// A `while` loop, numbered within its function; zero is none.
pub(super) type LoopId = usize;

/// The graph of one function.
#[derive(Debug, Default)]
pub(super) struct Flow {
    edges: HashMap<LocalId, Vec<(LocalId, Step)>>,
    sources: HashMap<LocalId, Vec<(LocalId, Step)>>,
    /// The sinks of each local, with whether they take the value itself or only its content.
    sinks: HashMap<LocalId, Vec<(Sink, Depth)>>,
    /// The innermost loop in which a local is bound.
    pub(super) loops: HashMap<LocalId, LoopId>,
    /// The loop around each loop, and its place; the first is unused.
    pub(super) parents: Vec<(LoopId, Span)>,
    /// The `let mutable` slots of the frame.
    pub(super) slots: Vec<LocalId>,
}

/// The result of a walk from a local.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escape {
    /// Where it ends.
    pub(super) sink: Sink,
    /// The first step that put the value into another.
    pub(super) first: Step,
}

impl Flow {
    /// A graph without edges; `span` is the function's.
    pub(super) fn new(span: Span) -> Flow {
        Flow { parents: vec![(0, span)], ..Flow::default() }
    }

    /// Everything that may be or hold what a local is, the local itself first.
    pub(super) fn reached(&self, from: LocalId) -> Vec<LocalId> {
        self.walk(from, Depth::Itself).into_iter().map(|(local, ..)| local).collect()
    }

    /// The nearest sink of what a local is or holds that passes the test.
    pub(super) fn escape(&self, from: LocalId, depth: Depth, test: impl Fn(&Sink) -> bool) -> Option<Escape> {
        self.walk(from, depth).into_iter().find_map(|(local, depth, first)| {
            let sinks = self.sinks.get(&local)?.iter();
            let (sink, _) = sinks.copied().find(|(sink, takes)| takes_from(*takes, depth) && test(sink))?;
            Some(Escape { sink, first })
        })
    }

    /// Whether the function's result may be what a local is or holds, and whether it may hold it.
    pub(super) fn returned(&self, from: LocalId, depth: Depth) -> (bool, bool) {
        let (mut itself, mut within) = (false, false);
        for (local, depth, _) in self.walk(from, depth) {
            for (sink, takes) in self.sinks.get(&local).into_iter().flatten() {
                if takes_from(*takes, depth) {
                    itself |= matches!(sink, Sink::Returned(_)) && depth == Depth::Itself;
                    within |= matches!(sink, Sink::Returned(_)) && depth == Depth::Within;
                    within |= matches!(sink, Sink::ReturnedWithin(_));
                }
            }
        }
        (itself, within)
    }

    /// The step that puts the value of a local into another value, if one of `holders` then holds it.
    pub(super) fn held_by(&self, local: LocalId, holders: &HashSet<LocalId>) -> Option<Step> {
        let held = |(holder, depth, _): &(LocalId, Depth, Step)| *depth == Depth::Within && holders.contains(holder);
        self.walk(local, Depth::Itself).into_iter().find(held).map(|(_, _, first)| first)
    }

    /// The loop within which the local is bound, if its value may be held by something bound outside of that loop: then
    /// an earlier value may be in use when the next is made.
    pub(super) fn outlives_iteration(&self, of: LocalId) -> Option<Span> {
        let inside = self.loops.get(&of).copied().unwrap_or(0);
        if inside == 0 {
            return None;
        }
        let outside = |local: &LocalId| !self.within(self.loops.get(local).copied().unwrap_or(0), inside);
        self.reached(of).iter().any(outside).then(|| self.parents[inside].1)
    }

    /// Whether a local is bound in a `while` loop.
    pub(super) fn in_loop(&self, local: LocalId) -> bool {
        self.loops.get(&local).copied().unwrap_or(0) != 0
    }

    fn within(&self, mut inner: LoopId, outer: LoopId) -> bool {
        while inner != outer {
            if inner == 0 {
                return false;
            }
            inner = self.parents[inner].0;
        }
        true
    }

    fn walk(&self, from: LocalId, depth: Depth) -> Vec<(LocalId, Depth, Step)> {
        let mut seen = HashSet::from_iter([(from, depth)]);
        let mut order = Vec::new();
        let mut queue = VecDeque::from([(from, depth, Step::Same)]);
        while let Some((local, depth, first)) = queue.pop_front() {
            order.push((local, depth, first));
            for &(target, step) in self.edges.get(&local).into_iter().flatten() {
                let (next, first) = match step {
                    Step::Same => (depth, first),
                    Step::Content if depth == Depth::Itself => continue,
                    Step::Content => (Depth::Within, first),
                    Step::Captured(_) | Step::Part(_) if first == Step::Same => (Depth::Within, step),
                    Step::Captured(_) | Step::Part(_) => (Depth::Within, first),
                };
                if seen.insert((target, next)) {
                    queue.push_back((target, next, first));
                }
            }
        }
        order
    }

    /// The locals that a local's value may come from, as their value itself or as their content.
    pub(super) fn origins(&self, of: LocalId) -> HashSet<(LocalId, Depth)> {
        let mut seen = HashSet::from_iter([(of, Depth::Itself)]);
        let mut queue = vec![(of, Depth::Itself)];
        while let Some((local, depth)) = queue.pop() {
            for &(source, step) in self.sources.get(&local).into_iter().flatten() {
                let depths: &[Depth] = match (step, depth) {
                    (Step::Same, Depth::Itself) => &[Depth::Itself],
                    (Step::Same | Step::Content, _) => &[Depth::Within],
                    // What a value holds is not the value.
                    (Step::Captured(_) | Step::Part(_), Depth::Itself) => &[],
                    (Step::Captured(_) | Step::Part(_), Depth::Within) => &[Depth::Itself, Depth::Within],
                };
                queue.extend(depths.iter().map(|&depth| (source, depth)).filter(|&origin| seen.insert(origin)));
            }
        }
        seen
    }

    pub(super) fn edge(&mut self, from: LocalId, to: LocalId, step: Step) -> bool {
        let edges = self.edges.entry(from).or_default();
        if from == to || edges.contains(&(to, step)) {
            return false;
        }
        edges.push((to, step));
        self.sources.entry(to).or_default().push((from, step));
        true
    }

    pub(super) fn sink(&mut self, local: LocalId, sink: Sink, takes: Depth) {
        let sinks = self.sinks.entry(local).or_default();
        if !sinks.contains(&(sink, takes)) {
            sinks.push((sink, takes));
        }
    }
}

/// Whether a sink that takes a value itself, or only its content, takes something at a depth of the value.
fn takes_from(takes: Depth, depth: Depth) -> bool {
    takes == Depth::Itself || depth == Depth::Within
}
