//! What each byte of an image belongs to.
//!
//! In: an image and its board. Out: pieces, each with its region, its section and its symbol. Holds: the pieces of a
//! region add up to its used bytes in [`super::MemoryTable`].

use super::{
    memory_table::{Placed, inside, placed_parts},
    parse,
};
use clef_base::Diagnostic;
use clef_descriptors::Board;
use goblin::elf::{
    Elf,
    header::EM_ARM,
    sym::{STT_FUNC, Sym},
};
use std::cmp::Reverse;

/// Bytes that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The region of memory.
    pub region: String,
    /// The part of the region, as a memory table names it; none for alignment gaps between parts.
    pub part: Option<String>,
    /// Its symbol in the image, if it has one.
    pub symbol: Option<String>,
    /// The number of bytes.
    pub bytes: u64,
}

/// The pieces of an image, by region and address.
pub fn contents(image: &[u8], board: &Board) -> Result<Vec<Piece>, Diagnostic> {
    let elf = parse(image)?;
    let placed = placed_parts(&elf);
    let mut pieces = Vec::new();
    if board.memory.is_empty() {
        // The operating system chooses the addresses.
        placed.iter().for_each(|placed| part(&elf, "memory", placed, &mut pieces));
    }
    for region in &board.memory {
        let mut end = region.origin.0;
        for placed in inside(region, &board.memory, &placed) {
            if placed.address > end {
                let bytes = placed.address - end;
                pieces.push(Piece { region: region.name.clone(), part: None, symbol: None, bytes });
            }
            part(&elf, &region.name, placed, &mut pieces);
            end = placed.address + placed.part.bytes;
        }
    }
    Ok(pieces)
}

/// The pieces of one part: those with symbols, and those between.
fn part(elf: &Elf<'_>, region: &str, placed: &Placed, pieces: &mut Vec<Piece>) {
    let mut push = |symbol: Option<&str>, bytes: u64| {
        if bytes > 0 {
            let part = Some(placed.part.name.clone());
            pieces.push(Piece { region: region.to_owned(), part, symbol: symbol.map(str::to_owned), bytes });
        }
    };
    let start = elf.section_headers[placed.section].sh_addr;
    let end = start.saturating_add(placed.part.bytes);
    let mut symbols: Vec<(u64, Sym)> = elf
        .syms
        .iter()
        .filter(|symbol| symbol.st_shndx == placed.section && symbol.st_size > 0)
        .map(|symbol| (address(elf, &symbol), symbol))
        .collect();
    symbols.sort_by_key(|(address, symbol)| (*address, Reverse(symbol.st_size)));
    let mut here = start;
    for (address, symbol) in symbols {
        let behind = address.saturating_add(symbol.st_size).min(end);
        // Several symbols of one address count once.
        if address < start || address >= end || behind <= here {
            continue;
        }
        push(None, address.saturating_sub(here));
        push(elf.strtab.get_at(symbol.st_name), behind - address.max(here));
        here = behind;
    }
    push(None, end - here);
}

/// The address of a symbol; the value of a Thumb function is one more.
fn address(elf: &Elf<'_>, symbol: &Sym) -> u64 {
    if elf.header.e_machine == EM_ARM && symbol.st_type() == STT_FUNC { symbol.st_value & !1 } else { symbol.st_value }
}
