//! Whether a board's memory map can hold a program.
//!
//! In: a board whose values are of the right types. Holds afterwards: no region is empty or overlaps another, flash and
//! RAM exist where nothing else places programs, and stack and region pool fit into the RAM.

use crate::{Board, Boot, MemoryKind, MemoryRegion, reader::Report, yaml::Node};
use clef_base::{Diagnostic, Span, codes};

/// Reports what is wrong with the memory map; true if nothing is.
pub(crate) fn check(node: &Node, place: Span, board: &Board, report: &mut Report) -> bool {
    let before = report.len();
    let places = Places { node, place };
    check_each(&places, board, report);
    check_overlaps(&places, board, report);
    if report.len() == before {
        match board.boot {
            Boot::CortexM | Boot::Aarch64 | Boot::Pvh => check_room(&places, board, report),
            Boot::Linux => {}
        }
    }
    report.len() == before
}

/// Where things stand in the file.
struct Places<'a> {
    node: &'a Node,
    place: Span,
}

impl Places<'_> {
    fn key(&self, key: &str) -> Span {
        self.node.get(key).map_or(self.place, |entry| entry.key_span)
    }

    fn region(&self, region: &MemoryRegion) -> Span {
        let entry = self.node.get("memory").and_then(|memory| memory.value.get(&region.name));
        entry.map_or(self.place, |entry| entry.key_span)
    }

    fn length(&self, region: &MemoryRegion) -> Span {
        let entry = self.node.get("memory").and_then(|memory| memory.value.get(&region.name));
        entry.and_then(|entry| entry.value.get("length")).map_or(self.place, |entry| entry.value.span)
    }
}

fn unusable(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::UNUSABLE_MEMORY_MAP, span, message)
}

fn check_each(places: &Places<'_>, board: &Board, report: &mut Report) {
    for region in &board.memory {
        if region.length.0 == 0 {
            report.push(unusable(places.length(region), format!("the memory region `{}` is empty", region.name)));
        } else if region.origin.checked_add(region.length).is_none() {
            let message = format!("the memory region `{}` goes beyond the end of the address space", region.name);
            report.push(unusable(places.length(region), message));
        }
    }
    if board.stack.0 == 0 || !board.stack.0.is_multiple_of(STACK_ALIGNMENT) {
        let message = format!("a stack is a multiple of {STACK_ALIGNMENT} bytes and not empty, not {}", board.stack.0);
        report.push(unusable(places.key("stack"), message));
    }
}

/// What the strictest of the calling conventions asks of a stack pointer.
const STACK_ALIGNMENT: u64 = 16;

fn check_overlaps(places: &Places<'_>, board: &Board, report: &mut Report) {
    for (index, second) in board.memory.iter().enumerate() {
        for first in &board.memory[..index] {
            let apart = |left: &MemoryRegion, right: &MemoryRegion| {
                left.origin.checked_add(left.length).is_some_and(|end| end <= right.origin)
            };
            if !apart(first, second) && !apart(second, first) {
                let message = format!("the memory regions `{}` and `{}` overlap", first.name, second.name);
                let range = |region: &MemoryRegion| format!("{} bytes from {}", region.length, region.origin);
                report.push(
                    unusable(places.region(second), message)
                        .label(range(second))
                        .also(places.region(first), range(first)),
                );
            }
        }
    }
}

fn check_room(places: &Places<'_>, board: &Board, report: &mut Report) {
    for (kind, word, present) in
        [(MemoryKind::Flash, "flash", board.flash().is_some()), (MemoryKind::Ram, "ram", board.ram().is_some())]
    {
        if !present {
            let message = format!("the board has no memory region of kind `{word}`");
            let note = match kind {
                MemoryKind::Flash => "code, constants and initial values go there",
                MemoryKind::Ram => "variables, the stack and the region pool go there",
            };
            report.push(unusable(places.key("memory"), message).note(note));
        }
    }
    let Some(ram) = board.ram() else { return };
    let (stack, pool) = (board.stack, board.region_pool.size);
    if stack.0.checked_add(pool.0).is_none_or(|needed| needed > ram.length.0) {
        let message = format!("stack and region pool do not fit into `{}`", ram.name);
        report.push(
            unusable(places.length(ram), message)
                .label(format!("{} bytes", ram.length))
                .also(places.key("stack"), format!("the stack takes {stack}"))
                .also(places.key("region_pool"), format!("the pool takes {pool}"))
                .help("make one of them smaller; global variables need room as well"),
        );
    }
}
