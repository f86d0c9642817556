//! Upper bounds of the stack that the functions of a library need.
//!
//! In: the relocatable object of a library, LLVM's data on the functions that it compiled, and their source. Out: for each function that the
//! host calls its [`Need`], without that of functions of the host and of other objects. Then holds: no call takes more stack than its own
//! need and theirs, beside what interrupts take. That of the handler of an interrupt includes what the processor pushes.

use super::{
    Origins, causes, code,
    code::Code,
    graph::Graph,
    longest::{self, Needs},
    pushed_beside, reached, red_zone, return_address,
};
use crate::link::placed;
use clef_base::{Diagnostic, Symbol, codes};
use clef_descriptors::{Board, Target};
use clef_mlir::{
    Fault,
    llvm::{self, Objects},
};
use clef_types::interrupt_symbol::interrupt;
use goblin::elf::Elf;
use std::collections::{BTreeMap, BTreeSet};

/// The stack that a function of a library needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need {
    /// An upper bound.
    Bytes {
        /// The bytes.
        bytes: u64,
        /// Whether it calls functions of the host or of other objects, whose stack is not in it.
        calls_others: bool,
    },
    /// There is no bound, for this reason.
    Unbounded(String),
}

/// What the needs of a library follow from.
pub struct Question<'a> {
    /// The relocatable object.
    pub object: &'a [u8],
    /// The objects of program and runtime that it was linked from.
    pub objects: &'a Objects,
    /// The source of the library's functions.
    pub origins: &'a Origins,
    /// The symbols that the host calls.
    pub exports: &'a [&'a str],
    /// The symbols that the host may define in place of the library.
    pub replaceable: &'a [&'a str],
    /// The processor.
    pub target: &'a Target,
    /// Whether it has an operating system.
    pub board: &'a Board,
}

/// The bytes reserved for a function elsewhere.
const GAP: u64 = 16;

/// Computes the needs of the exported functions.
pub fn needs(question: &Question<'_>, machine: &llvm::Machine) -> Result<BTreeMap<String, Need>, Diagnostic> {
    let Question { object, objects, origins, exports, replaceable, target, board } = question;
    let undefined = undefined(&crate::parse(object)?);
    let others: Vec<&str> = undefined.iter().map(String::as_str).collect();
    let image = match placed(object, &others, GAP, target)? {
        Ok(image) => image,
        Err(messages) => {
            let need = Need::Unbounded(format!("the linker cannot place the library: {messages}"));
            return Ok(exports.iter().map(|export| ((*export).to_owned(), need.clone())).collect());
        }
    };
    let elf = crate::parse(&image)?;
    let malformed = |fault: Fault| Diagnostic::general(codes::MALFORMED_IMAGE, fault.to_string());
    let mut functions = code::functions(&elf, &image, target.linker, machine).map_err(malformed)?;
    functions.extend(elsewhere(&elf, &undefined));
    functions.sort_by_key(|code| code.start);
    let graph = Graph::of(&functions, objects, origins, return_address(target.linker));
    let needs = longest::needs(&graph);
    let is_other = |name: &str| undefined.contains(name) || replaceable.contains(&name);
    let below = |export: &str| match interrupt(Symbol::new(export)) {
        Some(_) => pushed_beside(board, target),
        None => red_zone(board, target),
    };
    let need = |export: &str| need(&graph, &needs, graph.find(export), origins, &is_other, below(export));
    Ok(exports.iter().map(|export| ((*export).to_owned(), need(export))).collect())
}

/// The symbols that an object uses and does not define.
fn undefined(object: &Elf<'_>) -> BTreeSet<String> {
    let names = object.syms.iter().filter(|symbol| symbol.st_shndx == 0);
    let names = names.filter_map(|symbol| object.strtab.get_at(symbol.st_name));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The functions elsewhere, without instructions: they need nothing.
fn elsewhere<'a>(image: &'a Elf<'_>, names: &'a BTreeSet<String>) -> impl Iterator<Item = Code> + 'a {
    image.syms.iter().filter_map(|symbol| {
        let name = image.strtab.get_at(symbol.st_name).filter(|name| names.contains(*name))?;
        let start = symbol.st_value;
        Some(Code { names: vec![name.to_owned()], start, end: start + GAP, steps: Vec::new() })
    })
}

fn need(
    graph: &Graph,
    needs: &Needs,
    function: Option<usize>,
    origins: &Origins,
    is_other: &dyn Fn(&str) -> bool,
    below: u64,
) -> Need {
    let Some(function) = function else {
        return Need::Unbounded("its code is not in the library".to_owned());
    };
    let reached = reached(graph, [function].into_iter());
    let Some(bytes) = needs.bytes(function) else {
        let cause = causes(graph, needs, &reached, origins).into_iter().next();
        return Need::Unbounded(cause.map(|cause| cause.message).unwrap_or_default());
    };
    let calls_others = reached.iter().any(|(node, _)| is_other(&graph.nodes[*node].name));
    Need::Bytes { bytes: bytes + below, calls_others }
}
