//! Checks that a board has the memory for a program's one-time allocations, as far as possible before linking.
//!
//! In: a program with storage, and the board. Out: an error at the location of what cannot fit. If it fits alone but
//! not together with the rest, the linker reports that with a table of sizes.

use clef_base::{Bytes, Diagnostic, FileId, HashSet, codes};
use clef_codegen::{Static, statics};
use clef_core::Program;
use clef_descriptors::{Board, Target};

/// The limit for static data of a process, which code addresses by 32 bits.
const MAX_PROCESS_DATA: Bytes = Bytes(1 << 30);

/// The error of a program whose static data exceeds the memory, or in total exceeds `countable`: more than that the
/// linker does not lay out even to make a table of sizes.
pub(crate) fn excess(
    program: &Program,
    target: &Target,
    board: &Board,
    own: &HashSet<FileId>,
    countable: Bytes,
) -> Option<Diagnostic> {
    let all = statics(program, target, &|file| own.contains(&file));
    let total = all.iter().fold(Bytes(0), |total, one| total.saturating_add(one.size));
    let Static { span, size } = *all.iter().max_by_key(|one| one.size)?;
    let (most, there) = match board.ram() {
        Some(ram) => {
            let most = ram.length.saturating_sub(board.stack);
            (most, format!("`{}` has {} bytes, of which the stack uses {}", ram.name, ram.length.0, board.stack.0))
        }
        None => (MAX_PROCESS_DATA, format!("a process has {} bytes for static data", MAX_PROCESS_DATA.0)),
    };
    let alone = size > most;
    if !alone && total <= most.max(countable) {
        return None;
    }
    let size = if size == Bytes::MAX { "more than 2^64".to_owned() } else { size.0.to_string() };
    let message = format!("{size} bytes of static data do not fit into `{}`", board.name);
    let diagnostic = match own.contains(&span.file) {
        true => Diagnostic::error(codes::IMAGE_TOO_LARGE, span, message),
        false => Diagnostic::general(codes::IMAGE_TOO_LARGE, message),
    };
    let diagnostic =
        if alone { diagnostic } else { diagnostic.note(format!("all static data takes {} bytes", total.0)) };
    let help = "make it smaller, or choose a board with more memory by `--board`";
    Some(diagnostic.note(there).help(help))
}
