//! Upper bounds of the memory use of a program.
//!
//! In: an image, LLVM's data on the functions that it compiled for it, and the source of the program's functions. Out:
//! a [`Bound`] of the regions ([`regions`]), and one of the stack, with the calls that lead to the deepest point, or
//! with the causes of a missing bound: recursion, or code of other languages whose instructions do not determine it.
//! Then holds: no run of the image takes more stack than the bound, as long as no interrupt arrives while its own
//! handler runs.

mod calls;
mod code;
mod graph;
pub mod library;
mod longest;
mod nesting;
mod regions;
mod report;
mod step;
mod symbol;
mod table;
mod tree;

pub use calls::{Call, Calls, Function, Root};
pub use regions::regions;
pub use report::{Bound, Bounds};
pub use symbol::readable;
pub use table::text;
pub use tree::html;

use crate::link::CONSTRUCTORS;
use clef_base::{Diagnostic, HashMap, HashSet, SourceMap, Span, codes};
use clef_codegen::symbol::PROGRAM_START;
use clef_descriptors::{Board, Boot, FloatAbi, LinkerEmulation, Target};
use clef_mlir::llvm::{self, Objects};
use clef_psg::Priorities;
use clef_types::interrupt_symbol::{COUNTER_HANDLER, INTERRUPT, TIMER_HANDLER};
use goblin::elf::{Elf, SectionHeader};
use graph::Graph;
use longest::{Need, Needs};
use std::collections::BTreeSet;

/// The source of functions.
pub struct Origins {
    /// By symbol.
    pub of: HashMap<String, Origin>,
}

/// The source of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Its name in listings.
    pub name: String,
    /// Its location.
    pub span: Span,
    /// Whether it is in the library rather than in the program.
    pub is_library: bool,
    /// The symbols of the closures that its unknown calls reach.
    pub reaches: BTreeSet<String>,
}

/// The input of the analysis.
pub struct Question<'a> {
    /// The linked image.
    pub image: &'a [u8],
    /// The objects of program and runtime that it was linked from.
    pub objects: &'a Objects,
    /// The source of the program's functions.
    pub origins: &'a Origins,
    /// The files that it points into.
    pub sources: &'a SourceMap,
    /// The processor.
    pub target: &'a Target,
    /// The memory.
    pub board: &'a Board,
    /// The priorities that the program sets for interrupts.
    pub priorities: &'a Priorities,
}

/// Computes the bound of an image's stack, and what it follows from.
pub fn stack(question: &Question<'_>, machine: &llvm::Machine) -> Result<(Bound, Calls), Diagnostic> {
    let elf = crate::parse(question.image)?;
    let graph = graph(question, machine, &elf)?;
    let needs = longest::needs(&graph);
    let mut roots: Vec<usize> = graph.find(clef_runtime::START).into_iter().collect();
    if let Some(entry) = graph.find(clef_runtime::INTERRUPT_ENTRY) {
        // It calls one handler, which no other interrupt interrupts.
        roots.push(entry);
    } else {
        // The runtime's handler of the timer, if it exists, calls the program's.
        let called = graph.find(COUNTER_HANDLER).and_then(|_| graph.find(TIMER_HANDLER));
        let interrupts = graph.nodes.iter().enumerate().filter(|(_, node)| node.name.starts_with(INTERRUPT));
        roots.extend(interrupts.map(|(index, _)| index).filter(|index| Some(*index) != called));
    }
    // On Cortex-M a fault report starts at the top of the stack again if no space is left; elsewhere it has a separate
    // stack.
    let fault: Vec<usize> = graph.find(clef_runtime::FAULT_ENTRY).into_iter().collect();
    let reached = reached(&graph, roots.iter().chain(&fault).copied());
    let causes = causes(&graph, &needs, &reached, question.origins);
    let limit = question.board.stack.0;
    let pushed = pushed_beside(question.board, question.target);
    let begun = roots.iter().map(|&function| Root { function, pushed, reports_fault: false });
    let begun = begun.chain(fault.iter().map(|&function| Root { function, pushed: 0, reports_fault: true }));
    let calls = Calls::of(&graph, &needs, question, &begun.collect::<Vec<_>>(), &reached);
    let main = total(&graph, &needs, &roots, pushed, question.priorities);
    let of_fault = fault.first().and_then(|fault| Some((needs.bytes(*fault)?, *fault)));
    let fault = of_fault.filter(|_| question.board.boot == Boot::CortexM).unwrap_or((0, 0));
    let (Some((bytes, root)), true) = (main, causes.is_empty()) else {
        return Ok((Bound::Unknown { causes }, calls));
    };
    let (bytes, root) = if fault.0 > bytes { fault } else { (bytes, root) };
    Ok((Bound::Bytes { bytes, limit, way: way(&graph, &needs, root, question.origins) }, calls))
}

fn graph(question: &Question<'_>, machine: &llvm::Machine, elf: &Elf<'_>) -> Result<Graph, Diagnostic> {
    let family = question.target.linker;
    let functions = code::functions(elf, question.image, family, machine)
        .map_err(|fault| Diagnostic::general(codes::MALFORMED_IMAGE, fault.to_string()))?;
    let mut graph = Graph::of(&functions, question.objects, question.origins, return_address(family));
    graph.add_constructors(&functions, &constructors(elf, question.image, family));
    graph.trust_console();
    Ok(graph)
}

/// The bytes that a call pushes.
fn return_address(family: LinkerEmulation) -> graph::ReturnAddress {
    match family {
        LinkerEmulation::ElfX86_64 => 8,
        LinkerEmulation::Armelf | LinkerEmulation::Aarch64elf => 0,
    }
}

/// The bytes below the stack pointer that leaf functions use (System V ABI for x86-64, 3.2.2).
fn red_zone(board: &Board, target: &Target) -> u64 {
    match (board.boot, target.linker) {
        (Boot::Linux, LinkerEmulation::ElfX86_64) => 128,
        (Boot::Linux, LinkerEmulation::Armelf | LinkerEmulation::Aarch64elf) => 0,
        (Boot::CortexM | Boot::Aarch64 | Boot::Pvh, _) => 0,
    }
}

/// The addresses of the code of constructors.
fn constructors(elf: &Elf<'_>, image: &[u8], family: LinkerEmulation) -> Vec<u64> {
    let is_list = |section: &&SectionHeader| elf.shdr_strtab.get_at(section.sh_name) == Some(CONSTRUCTORS);
    let list = elf.section_headers.iter().find(is_list).and_then(SectionHeader::file_range);
    let list = list.and_then(|range| image.get(range)).unwrap_or_default();
    let word = if elf.is_64 { 8 } else { 4 };
    let address = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    list.chunks_exact(word).map(|bytes| code::address(family, address(bytes))).collect()
}

/// The bytes on the stack besides the frames of calls. On Cortex-M the processor pushes registers when an exception
/// begins, aligned (Armv7-M Architecture Reference Manual, B1.5.6); elsewhere exceptions have a separate stack, or
/// start at the top again.
fn pushed_beside(board: &Board, target: &Target) -> u64 {
    match (board.boot, target.float_abi) {
        (Boot::CortexM, FloatAbi::Soft) => 32 + 4,
        (Boot::CortexM, FloatAbi::Hard) => 104 + 4,
        (Boot::Linux | Boot::Aarch64 | Boot::Pvh, _) => red_zone(board, target),
    }
}

/// The most that roots need which may be active at once, with what is pushed when each begins, and the deepest of them. The first one is the
/// start of the program, the others are handlers.
fn total(graph: &Graph, needs: &Needs, roots: &[usize], pushed: u64, priorities: &Priorities) -> Option<(u64, usize)> {
    let taken: Option<Vec<(u64, usize)>> =
        roots.iter().map(|&root| Some((needs.bytes(root)? + pushed, root))).collect();
    let taken = taken?;
    let ((start, _), handlers) = taken.split_first()?;
    let handlers = handlers.iter().map(|(bytes, root)| (graph.nodes[*root].name.as_str(), *bytes));
    let (_, deepest) = taken.iter().max()?;
    Some((start + nesting::deepest(handlers, priorities), *deepest))
}

/// The functions reachable from the roots, the roots first, each with its predecessor.
fn reached(graph: &Graph, roots: impl Iterator<Item = usize>) -> Vec<(usize, Option<usize>)> {
    let mut found: Vec<(usize, Option<usize>)> = roots.map(|root| (root, None)).collect();
    let mut seen: HashSet<usize> = found.iter().map(|(root, _)| *root).collect();
    let mut done = 0;
    while let Some(&(node, _)) = found.get(done) {
        let callees = graph.nodes[node].edges.iter().map(|edge| edge.to);
        found.extend(callees.filter(|callee| seen.insert(*callee)).map(|callee| (callee, Some(node))));
        done += 1;
    }
    found
}

/// The names of the functions on the path from a root to the deepest point.
fn way(graph: &Graph, needs: &Needs, root: usize, origins: &Origins) -> Vec<String> {
    let (mut names, mut seen, mut next) = (Vec::new(), HashSet::default(), Some(root));
    while let Some(node) = next.filter(|node| seen.insert(*node)) {
        names.push(origins.name(&graph.nodes[node].name));
        next = match needs.of[node] {
            Need::Bytes { next, .. } => next,
            Need::Unbounded => None,
        };
    }
    // The functions before the program's start are omitted.
    match names.iter().position(|name| name == PROGRAM_START).filter(|start| start + 1 < names.len()) {
        Some(start) => names.split_off(start + 1),
        None => names,
    }
}

/// Why there is no bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The location in the program.
    pub span: Option<Span>,
    /// What is there.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

fn causes(graph: &Graph, needs: &Needs, reached: &[(usize, Option<usize>)], origins: &Origins) -> Vec<Cause> {
    let before: HashMap<usize, Option<usize>> = reached.iter().copied().collect();
    let mut causes = Vec::new();
    for cycle in needs.recursions.iter().filter(|cycle| before.contains_key(&cycle[0])) {
        causes.push(recursion(graph, cycle, &before, origins));
    }
    for (index, node) in graph.nodes.iter().enumerate().filter(|(index, _)| before.contains_key(index)) {
        if let Some(obstacle) = node.obstacle {
            let what = obstacle.text();
            causes.push(Cause {
                span: leading(graph, index, &before, origins),
                message: format!("`{}` {what}", origins.name(&node.name)),
                help: "a bound requires direct calls and frames of known size".to_owned(),
            });
        }
    }
    causes.sort_by_key(|cause| (cause.span.is_none(), cause.span, cause.message.clone()));
    causes.dedup();
    causes
}

fn recursion(graph: &Graph, cycle: &[usize], before: &HashMap<usize, Option<usize>>, origins: &Origins) -> Cause {
    // Functions of the program are named first.
    let own = cycle.iter().position(|&node| origins.written(&graph.nodes[node].name).is_some()).unwrap_or(0);
    let names: Vec<String> = cycle[own..]
        .iter()
        .chain(&cycle[..own])
        .map(|&node| format!("`{}`", origins.name(&graph.nodes[node].name)))
        .collect();
    let message = match names.as_slice() {
        [one] => format!("{one} is recursive"),
        several => format!("{} are mutually recursive", several.join(", ")),
    };
    let span = origins.written(&graph.nodes[cycle[own]].name);
    let span = span.or_else(|| leading(graph, cycle[own], before, origins));
    Cause { span, message, help: "use a loop, or only tail calls".to_owned() }
}

/// The last location in the program on the path to a function.
fn leading(graph: &Graph, mut node: usize, before: &HashMap<usize, Option<usize>>, origins: &Origins) -> Option<Span> {
    loop {
        let span = origins.written(&graph.nodes[node].name);
        if span.is_some() {
            return span;
        }
        node = (*before.get(&node)?)?;
    }
}

impl Origins {
    /// The name of a function in listings.
    fn name(&self, symbol: &str) -> String {
        self.of.get(symbol).map_or_else(|| readable(symbol), |origin| origin.name.clone())
    }

    /// The location of a function, if it is in the program.
    fn written(&self, symbol: &str) -> Option<Span> {
        self.of.get(symbol).filter(|origin| !origin.is_library).map(|origin| origin.span)
    }
}
