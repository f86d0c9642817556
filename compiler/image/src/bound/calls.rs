//! The functions that a run may call, with their frames and the stack that each needs: `clefc stack`.
//!
//! In: the call graph, and the needs of its functions. Out: [`Calls`], as data that also serialises to JSON. Holds: the
//! roots come first, and each other function is called by one before it.

use super::{
    Question,
    graph::{Graph, Obstacle},
    longest::{Need, Needs},
};
use clef_base::{HashMap, HashSet};
use serde::Serialize;

/// The functions that a run may call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Calls {
    /// The functions that nothing calls: the start of the program, handlers of interrupts, and the report of a fault.
    pub roots: Vec<Root>,
    /// All functions.
    pub functions: Vec<Function>,
}

/// A function that nothing calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Root {
    /// Its index.
    pub function: usize,
    /// The bytes on the stack besides the frames of its calls: what the processor pushes before it begins.
    pub pushed: u64,
    /// Whether it reports a fault. On Cortex-M the stack begins again at its top for that, elsewhere it has a stack of its own, which
    /// is not in the bound.
    pub reports_fault: bool,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its location, `file:line:column`, if it is written in Clef.
    pub place: Option<String>,
    /// The bytes of its frame, and those that its caller pushes for it.
    pub frame: u64,
    /// The bytes of its frame and of the deepest calls below it; nothing if there is no bound.
    pub need: Option<u64>,
    /// The function that it calls at that depth.
    pub deepest: Option<usize>,
    /// Why it has no bound, if not because of what it calls.
    pub cause: Option<&'static str>,
    /// What it calls.
    pub calls: Vec<Call>,
}

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Call {
    /// The index of the callee.
    pub function: usize,
    /// Whether the frame of the caller is freed before.
    pub tail: bool,
}

impl Calls {
    /// The functions of a graph that `roots`, which are indices of its nodes, may call.
    pub(super) fn of(
        graph: &Graph,
        needs: &Needs,
        question: &Question<'_>,
        roots: &[Root],
        reached: &[(usize, Option<usize>)],
    ) -> Calls {
        let Question { origins, sources, .. } = question;
        let numbers: HashMap<usize, usize> =
            reached.iter().enumerate().map(|(number, (node, _))| (*node, number)).collect();
        let recursive: HashSet<usize> = needs.recursions.iter().flatten().copied().collect();
        let function = |&(index, _): &(usize, Option<usize>)| {
            let node = &graph.nodes[index];
            let (need, deepest) = match needs.of[index] {
                Need::Bytes { bytes, next } => (Some(bytes), next.and_then(|next| numbers.get(&next).copied())),
                Need::Unbounded => (None, None),
            };
            let cause = match node.obstacle {
                Some(obstacle) => Some(obstacle.text()),
                None => recursive.contains(&index).then_some("is recursive"),
            };
            let calls = node.edges.iter();
            let calls = calls.filter_map(|edge| Some(Call { function: *numbers.get(&edge.to)?, tail: edge.tail }));
            Function {
                name: origins.name(&node.name),
                place: origins.of.get(&node.name).map(|origin| sources.place(origin.span)),
                frame: node.arguments + node.frame,
                need,
                deepest,
                cause,
                calls: calls.collect(),
            }
        };
        let root = |root: &Root| Some(Root { function: *numbers.get(&root.function)?, ..*root });
        Calls { roots: roots.iter().filter_map(root).collect(), functions: reached.iter().map(function).collect() }
    }

    /// The indices of the functions on the way from a function to the deepest point below it.
    pub(super) fn way(&self, from: usize) -> Vec<usize> {
        let mut way = Vec::new();
        let mut next = Some(from);
        // Functions of a loop of tail calls have the same need, and may name each other.
        while let Some(function) = next.filter(|function| !way.contains(function)) {
            way.push(function);
            next = self.functions[function].deepest;
        }
        way
    }
}

impl Obstacle {
    /// What the function does.
    pub(super) fn text(self) -> &'static str {
        match self {
            Obstacle::StackPointer => "moves the stack pointer by an unknown amount",
            Obstacle::Callee => "has an indirect call",
        }
    }
}
