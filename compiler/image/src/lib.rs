//! Linked images: what they must satisfy, the memory they take, and their other formats.
//!
//! Also static libraries, which other languages link ([`library`]).
//!
//! In: an ELF file. Out: its errors ([`check`]), its memory table ([`MemoryTable`]), what each of its bytes belongs to
//! ([`contents`]), and its bytes in the formats of flash programmers and boot loaders ([`binary`], [`intel_hex`],
//! [`uf2`]).

mod boot_block;
pub mod bound;
mod checks;
mod contents;
pub mod library;
pub mod link;
mod memory_table;
mod output;
mod page;
mod sites;
pub mod size;
mod uf2;

pub(crate) use boot_block::{FLASH_CONFIGURATION, FLASH_CONFIGURATION_OFFSET, IMAGE_DEFINITION};
pub use checks::check;
pub use contents::{Piece, contents};
pub use memory_table::{MemoryTable, Part, RegionUse};
pub use output::{binary, intel_hex};
pub use sites::{Site, Sites};
pub use uf2::uf2;

use clef_base::{Diagnostic, codes};
use goblin::elf::Elf;

/// Reads an image; one that is no ELF file is the linker's or the user's fault.
pub fn parse(image: &[u8]) -> Result<Elf<'_>, Diagnostic> {
    Elf::parse(image).map_err(|error| {
        Diagnostic::general(codes::MALFORMED_IMAGE, format!("the image is not a readable ELF file: {error}"))
    })
}

/// The bytes of a section; none if there is no such section.
pub fn section<'a>(elf: &Elf<'_>, bytes: &'a [u8], name: &str) -> &'a [u8] {
    let header = elf.section_headers.iter().find(|header| elf.shdr_strtab.get_at(header.sh_name) == Some(name));
    header.and_then(|header| bytes.get(header.file_range()?)).unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod test_elf;
