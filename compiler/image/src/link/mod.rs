//! Linking: from the program's objects and the builtin routines to an image.
//!
//! In: the objects that program and runtime were compiled to, the archive of builtin routines, target and board. Out: an
//! ELF image that has passed every check of [`crate`], and its memory table. For an image that is too large the table
//! is available as well: it is linked a second time with more memory than the board has.

mod attributes;
mod foreign;
mod input;
mod linker;
mod script;

use crate::MemoryTable;
use clef_base::{Diagnostic, codes};
use clef_core::Program;
use clef_descriptors::{Board, MemoryKind, Target};
use clef_psg::{Export, Import};
use goblin::elf::Elf;
use linker::Complaint;

pub use foreign::ForeignVariables;
pub(crate) use input::CONSTRUCTORS;
pub use input::LinkInput;
pub use input::read_inputs;
pub(crate) use linker::{placed, relocatable};
pub use script::AMPLE;
pub use script::{MemoryLimit, Pool, linker_script};

/// The input of the linker.
#[derive(Clone, Copy)]
pub struct Link<'a> {
    /// The objects of program and runtime.
    pub objects: &'a [Vec<u8>],
    /// Objects and archives of other languages.
    pub inputs: &'a [LinkInput],
    /// The archive of routines that LLVM calls.
    pub builtins: &'a [u8],
    /// An archive of routines that replace those of `builtins` in the smallest images.
    pub memory_routines: &'a [u8],
    /// The program's `Extern` symbols.
    pub imports: &'a [Import],
    /// The program's `Export` symbols.
    pub exports: &'a [Export],
    /// The sections that the program names.
    pub sections: &'a Sections,
    /// The processor.
    pub target: &'a Target,
    /// The memory.
    pub board: &'a Board,
    /// Whether the objects are optimised for minimal size.
    pub smallest: bool,
}

/// What the program's own functions and values need of the linker: the sections that their attributes name, and the interrupts that
/// they handle, each once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sections {
    /// Those of functions.
    pub code: Vec<String>,
    /// Those of values.
    pub variables: Vec<String>,
    /// Those of variables of linked objects of other languages.
    pub foreign: ForeignVariables,
    /// The numbers of the interrupts that have handlers, or the name of the timer's.
    pub interrupts: Vec<String>,
    /// Whether interrupts may come.
    pub uses_interrupts: bool,
    /// Whether linked objects of other languages have constructors.
    pub has_constructors: bool,
}

impl Sections {
    /// Those of a program, and the constructors of the objects that it is linked with.
    pub fn of(program: &Program, inputs: &[LinkInput]) -> Sections {
        let unique = |names: &mut dyn Iterator<Item = &'static str>| {
            let mut names: Vec<String> = names.map(str::to_owned).collect();
            names.sort();
            names.dedup();
            names
        };
        let functions = program.functions.iter().filter_map(|(_, function)| function.placement.section);
        let globals = program.globals.iter().filter_map(|(_, global)| global.placement.section);
        let memory = program.allocations.iter().filter_map(|(_, allocation)| allocation.placement.section);
        let handlers = program.functions.values().filter_map(|function| function.convention.interrupt());
        Sections {
            uses_interrupts: program.uses_interrupts(),
            interrupts: unique(&mut handlers.map(|name| name.as_str())),
            code: unique(&mut functions.map(|name| name.as_str())),
            variables: unique(&mut globals.chain(memory).map(|name| name.as_str())),
            foreign: ForeignVariables::of(inputs),
            has_constructors: inputs.iter().any(LinkInput::has_constructors),
        }
    }
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
    /// The memory that the image would take, if the linker came that far.
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
    let pool = pool(link.objects);
    match linker::run(link, &linker_script(link.board, link.sections, pool, MemoryLimit::Board))? {
        Ok(bytes) => {
            let memory = MemoryTable::of(&bytes, link.board)?;
            let diagnostics = crate::check(&bytes, link.target, link.board);
            if diagnostics.is_empty() {
                Ok(Image { bytes, memory })
            } else {
                Err(LinkFailure { diagnostics, memory: Some(memory) })
            }
        }
        Err(complaints) if complaints.iter().any(Complaint::is_overflow) => Err(too_large(link, pool)),
        Err(complaints) => {
            let diagnostics = complaints.into_iter().map(|complaint| complaint.into_diagnostic(link)).collect();
            Err(LinkFailure { diagnostics, memory: None })
        }
    }
}

/// The symbol at the end of the pool.
pub(crate) const POOL: &str = "__clef_pool_end";

/// The symbol of its first page.
pub const POOL_PAGES: &str = "__clef_pool_pages";

/// The symbol of the bytes about its pages.
pub const POOL_START: &str = "__clef_pool_start";

/// A program that allocates nothing in regions has no reference to the pool: the allocation functions have been removed.
fn pool(objects: &[Vec<u8>]) -> Pool {
    let asks = |elf: Elf<'_>| elf.syms.iter().any(|symbol| elf.strtab.get_at(symbol.st_name) == Some(POOL));
    // The linker reports what is not an object.
    if objects.iter().any(|object| Elf::parse(object).is_ok_and(asks)) { Pool::Board } else { Pool::None }
}

/// Links again with ample memory, to report the size of each part.
fn too_large(link: &Link<'_>, pool: Pool) -> LinkFailure {
    let memory = match linker::run(link, &linker_script(link.board, link.sections, pool, MemoryLimit::Ample)) {
        Ok(Ok(bytes)) => MemoryTable::of(&bytes, link.board).ok(),
        Ok(Err(_)) | Err(_) => None,
    };
    let board = &link.board.name;
    let mut diagnostic = Diagnostic::general(codes::IMAGE_TOO_LARGE, format!("the program does not fit in `{board}`"));
    let mut lacks_ram = memory.is_none();
    for region in memory.iter().flat_map(|table| &table.regions) {
        if let Some(excess) = region.excess() {
            diagnostic = diagnostic.note(format!("`{}` is too small by {excess} bytes", region.name));
            let described = link.board.memory.iter().find(|described| described.name == region.name);
            lacks_ram |= described.is_some_and(|described| described.kind == MemoryKind::Ram);
        }
    }
    if !link.smallest {
        diagnostic = diagnostic.help("optimise for size with `-O z`");
    }
    let help = match (pool, link.board.region_pool.size) {
        _ if !lacks_ram => "reduce the program, or choose a chip with more flash",
        (Pool::Board, Some(_)) => "reduce `stack` or `region_pool` in a board descriptor of your own",
        (Pool::Board, None) | (Pool::None, _) => "reduce `stack` in a board descriptor of your own",
    };
    diagnostic = diagnostic.help(help);
    LinkFailure { diagnostics: vec![diagnostic], memory }
}

#[cfg(test)]
mod tests;
