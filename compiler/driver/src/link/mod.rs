//! Linking: one object and the builtin routines become an image.
//!
//! In: an object that program and runtime were compiled to, the archive of builtin routines, target and board. Out: an ELF
//! image that has passed every check of [`crate::image`], and its memory table. An image that is too large has a table as
//! well: it is linked a second time with more room than the board has.

mod linker;
mod script;

use crate::image::{self, MemoryTable};
use clef_base::{Diagnostic, codes};
use clef_target::{Board, Target};
use linker::Complaint;

pub use script::{Room, linker_script};

/// What is linked, and for what.
#[derive(Clone, Copy)]
pub struct Link<'a> {
    /// The object of program and runtime.
    pub object: &'a [u8],
    /// The archive of routines that LLVM calls.
    pub builtins: &'a [u8],
    /// The processor.
    pub target: &'a Target,
    /// The memory.
    pub board: &'a Board,
    /// Whether the object is as small as it can be made.
    pub smallest: bool,
}

/// An image that has been checked.
#[derive(Debug)]
pub struct Image {
    /// The ELF file.
    pub bytes: Vec<u8>,
    /// What it takes of the board's memory.
    pub memory: MemoryTable,
}

/// Why there is no image.
#[derive(Debug)]
pub struct LinkFailure {
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// What the image would take, if the linker came that far.
    pub memory: Option<MemoryTable>,
}

impl From<Diagnostic> for LinkFailure {
    fn from(diagnostic: Diagnostic) -> LinkFailure {
        LinkFailure { diagnostics: vec![diagnostic], memory: None }
    }
}

/// Links and checks.
pub fn link(link: &Link<'_>) -> Result<Image, LinkFailure> {
    script::check_board(link.board)?;
    match linker::run(link, &linker_script(link.board, Room::OfTheBoard))? {
        Ok(bytes) => {
            let memory = MemoryTable::of(&bytes, link.board)?;
            let diagnostics = image::check(&bytes, link.target, link.board);
            if diagnostics.is_empty() {
                Ok(Image { bytes, memory })
            } else {
                Err(LinkFailure { diagnostics, memory: Some(memory) })
            }
        }
        Err(complaints) if complaints.iter().any(Complaint::is_overflow) => Err(too_large(link)),
        Err(complaints) => {
            let diagnostics = complaints.into_iter().map(Complaint::into_diagnostic).collect();
            Err(LinkFailure { diagnostics, memory: None })
        }
    }
}

/// Links once more with ample room, to say what takes how much.
fn too_large(link: &Link<'_>) -> LinkFailure {
    let memory = match linker::run(link, &linker_script(link.board, Room::Ample)) {
        Ok(Ok(bytes)) => MemoryTable::of(&bytes, link.board).ok(),
        Ok(Err(_)) | Err(_) => None,
    };
    let board = &link.board.name;
    let mut diagnostic =
        Diagnostic::general(codes::IMAGE_TOO_LARGE, format!("the program does not fit into `{board}`"));
    for region in memory.iter().flat_map(|table| &table.regions) {
        if let Some(excess) = region.excess() {
            diagnostic = diagnostic.note(format!("`{}` lacks {excess} bytes", region.name));
        }
    }
    if !link.smallest {
        diagnostic = diagnostic.help("optimise for size with `-O z`");
    }
    diagnostic = diagnostic.help("make `stack` or `region_pool` smaller in a board descriptor of your own");
    LinkFailure { diagnostics: vec![diagnostic], memory }
}

#[cfg(test)]
mod tests;
