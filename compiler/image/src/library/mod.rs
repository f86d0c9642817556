//! Static libraries: from the program's objects and the builtin routines to an archive that other languages link.
//!
//! In: the objects that program and runtime were compiled to, the archive of builtin routines, and objects of other languages. Out:
//! an archive whose first member is one relocatable object.
//!
//! Holds: that object defines no symbol for the linker but the exported functions, the function that initialises the
//! library, and weak functions that the host may replace. All that it leaves undefined is foreign functions of the
//! program and functions of the host.

mod archive;
mod symbols;

use crate::link::{LinkInput, POOL, POOL_PAGES, POOL_START, relocatable};
use clef_base::{Bytes, Diagnostic, Span, codes, internal::bug};
use clef_descriptors::Target;
use clef_psg::Import;
use clef_types::host_symbol;
use goblin::elf::Elf;
use std::collections::BTreeSet;

/// What a library is made of.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The objects of program and runtime.
    pub objects: &'a [Vec<u8>],
    /// Objects and archives of other languages.
    pub inputs: &'a [LinkInput],
    /// The archives of routines that compiled code calls; the first that has one is used.
    pub routines: &'a [&'a [u8]],
    /// The symbols that the library exports, that of its initialisation among them.
    pub exports: &'a [&'a str],
    /// The program's `Extern` symbols.
    pub imports: &'a [Import],
    /// The size of the pool of regions.
    pub pool: Bytes,
    /// The processor.
    pub target: &'a Target,
}

/// A library.
#[derive(Debug)]
pub struct Library {
    /// The archive.
    pub archive: Vec<u8>,
    /// The functions of the host that it calls.
    pub host: BTreeSet<&'static str>,
    /// The size of the pool of regions that is in it.
    pub pool: Bytes,
    /// The object with all of the library but the objects of other languages.
    pub object: Vec<u8>,
}

/// The prefix of the symbols that linker scripts define in images.
const OF_SCRIPT: &str = "__clef_";

/// Makes a library.
pub fn library(parts: &Parts<'_>) -> Result<Library, Diagnostic> {
    let undefined = of_script(parts.objects);
    let has_pool = undefined.contains(POOL);
    let definition = |symbol: &String| match symbol.as_str() {
        POOL => format!("{POOL}={POOL_PAGES}+{:#x}", parts.pool.0),
        // Nested regions have no table of pages before them.
        POOL_START => format!("{POOL_START}={POOL_PAGES}"),
        // Only code that a library never reaches refers to it, which remains without optimisation.
        other => format!("{other}={}", parts.exports.first().copied().unwrap_or("0")),
    };
    let definitions: Vec<String> = undefined.iter().map(definition).collect();
    let whole = relocatable(parts.objects, parts.routines, parts.exports, &definitions, parts.target)?;
    let visible: BTreeSet<&str> = parts.exports.iter().copied().chain(host_symbol::WEAK).collect();
    let local = symbols::localise(whole, &visible).unwrap_or_else(|fault| bug("library", None::<Span>, fault));
    let host = host(&local.bytes);
    for symbol in &local.undefined {
        let is_import = parts.imports.iter().any(|import| import.symbol.as_str() == symbol);
        if !is_import && symbol != host_symbol::TIME {
            bug("library", None::<Span>, format!("the symbol `{symbol}` is undefined"));
        }
    }
    let mut members = vec![("clef.o".to_owned(), local.bytes.clone())];
    for (index, input) in parts.inputs.iter().enumerate() {
        let contents = archive::objects(&input.bytes).map_err(|reason| unusable(input, &reason))?;
        let names = (0..).map(|number| format!("link{index}.{number}.o"));
        members.extend(names.zip(contents));
    }
    let archive = archive::write(&members)
        .map_err(|reason| Diagnostic::general(codes::LINK_FAILED, format!("cannot make the archive: {reason}")))?;
    Ok(Library { archive, host, pool: if has_pool { parts.pool } else { Bytes(0) }, object: local.bytes })
}

fn unusable(input: &LinkInput, reason: &str) -> Diagnostic {
    Diagnostic::general(codes::LINK_FAILED, format!("cannot add `{}` to the library: {reason}", input.name))
}

/// The symbols of linker scripts that objects leave undefined.
fn of_script(objects: &[Vec<u8>]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // The linker reports what is not an object.
    for elf in objects.iter().filter_map(|object| Elf::parse(object).ok()) {
        let undefined = elf.syms.iter().filter(|symbol| symbol.st_shndx == 0);
        let names = undefined.filter_map(|symbol| elf.strtab.get_at(symbol.st_name));
        found.extend(names.filter(|name| name.starts_with(OF_SCRIPT)).map(str::to_owned));
    }
    found
}

/// The functions of the host that an object calls, whether it defines them or not.
fn host(object: &[u8]) -> BTreeSet<&'static str> {
    let Ok(elf) = Elf::parse(object) else { return BTreeSet::new() };
    let names: BTreeSet<&str> = elf.syms.iter().filter_map(|symbol| elf.strtab.get_at(symbol.st_name)).collect();
    host_symbol::WEAK.into_iter().chain([host_symbol::TIME]).filter(|name| names.contains(name)).collect()
}
