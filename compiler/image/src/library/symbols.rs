//! Makes the symbols of a relocatable object local, so that no other object can refer to them or define them again.
//!
//! In: an object, and the names that stay visible. Out: the same object with another symbol table. ELF demands that local
//! symbols come first, so the table is sorted, and all that refers to symbols by their index is changed: relocations and
//! section groups. No section changes its size or its place.

use clef_base::HashSet;
use goblin::elf::{Elf, SectionHeader, section_header, sym};
use std::collections::BTreeSet;

/// An object whose symbols are local.
pub(super) struct Localised {
    /// The object.
    pub(super) bytes: Vec<u8>,
    /// The names that it uses and does not define.
    pub(super) undefined: Vec<String>,
}

/// The type of sections with the addresses that matter to the linker, by symbol indices of variable length.
const ADDRESSES: u32 = 0x6fff_4c03;

/// Makes the symbols local except those in `visible`, and those that are undefined. Undefined symbols without a use lose
/// their names.
pub(super) fn localise(mut bytes: Vec<u8>, visible: &BTreeSet<&str>) -> Result<Localised, String> {
    let source = bytes.clone();
    let elf = Elf::parse(&source).map_err(|error| error.to_string())?;
    let headers = &elf.section_headers;
    if headers.iter().any(|header| header.sh_type == ADDRESSES) {
        return Err("the object has a table of significant addresses".to_owned());
    }
    let Some((place, table)) =
        headers.iter().enumerate().find(|(_, header)| header.sh_type == section_header::SHT_SYMTAB)
    else {
        return Err("the object has no symbols".to_owned());
    };
    let used = used(&elf);
    let mut undefined = Vec::new();
    let mut fates = Vec::new();
    for (index, symbol) in elf.syms.iter().enumerate() {
        let name = elf.strtab.get_at(symbol.st_name).unwrap_or_default();
        let fate = if symbol.st_bind() == sym::STB_LOCAL {
            Fate::Stays
        } else if symbol.st_shndx == 0 {
            if used.contains(&index) {
                undefined.push(name.to_owned());
                Fate::Visible
            } else {
                Fate::Nothing
            }
        } else if visible.contains(name) {
            Fate::Visible
        } else {
            Fate::Local
        };
        fates.push(fate);
    }
    let (mut order, global): (Vec<usize>, Vec<usize>) =
        (0..fates.len()).partition(|index| fates[*index] != Fate::Visible);
    let locals = order.len();
    order.extend(global);
    let mut moved = vec![0_u32; order.len()];
    for (new, old) in order.iter().enumerate() {
        moved[*old] = new as u32;
    }
    let form = Form { is_64: elf.is_64 };
    let size = form.symbol();
    for (new, old) in order.iter().enumerate() {
        let mut entry = piece(&source, table, *old, size)?.to_vec();
        match fates[*old] {
            Fate::Stays | Fate::Visible => {}
            Fate::Local => form.make_local(&mut entry),
            Fate::Nothing => entry.fill(0),
        }
        piece_mut(&mut bytes, table, new, size)?.copy_from_slice(&entry);
    }
    form.set_info(&mut bytes, elf.header.e_shoff as usize, place, locals as u32)?;
    for (number, header) in headers.iter().enumerate() {
        match header.sh_type {
            section_header::SHT_REL | section_header::SHT_RELA => form.renumber(&mut bytes, header, &moved)?,
            section_header::SHT_GROUP => {
                let signature = moved.get(header.sh_info as usize).ok_or("a group has no signature")?;
                form.set_info(&mut bytes, elf.header.e_shoff as usize, number, *signature)?;
            }
            section_header::SHT_SYMTAB_SHNDX => {
                for (new, old) in order.iter().enumerate() {
                    let entry = piece(&source, header, *old, 4)?.to_vec();
                    piece_mut(&mut bytes, header, new, 4)?.copy_from_slice(&entry);
                }
            }
            _ => {}
        }
    }
    Ok(Localised { bytes, undefined })
}

/// What becomes of a symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is local already.
    Stays,
    /// It becomes local.
    Local,
    /// It stays visible.
    Visible,
    /// It loses its name.
    Nothing,
}

/// The indices of the symbols that relocations refer to.
fn used(elf: &Elf<'_>) -> HashSet<usize> {
    elf.shdr_relocs.iter().flat_map(|(_, relocations)| relocations.iter().map(|relocation| relocation.r_sym)).collect()
}

/// An entry of a section.
fn piece<'a>(bytes: &'a [u8], section: &SectionHeader, index: usize, size: usize) -> Result<&'a [u8], String> {
    let start = section.sh_offset as usize + index * size;
    bytes.get(start..start + size).ok_or_else(|| "a section exceeds the file".to_owned())
}

fn piece_mut<'a>(
    bytes: &'a mut [u8],
    section: &SectionHeader,
    index: usize,
    size: usize,
) -> Result<&'a mut [u8], String> {
    let start = section.sh_offset as usize + index * size;
    bytes.get_mut(start..start + size).ok_or_else(|| "a section exceeds the file".to_owned())
}

/// The form of the tables in a file.
#[derive(Clone, Copy)]
struct Form {
    is_64: bool,
}

impl Form {
    /// The size of a symbol.
    fn symbol(self) -> usize {
        if self.is_64 { 24 } else { 16 }
    }

    /// Makes a symbol local, with default visibility.
    fn make_local(self, symbol: &mut [u8]) {
        let info = if self.is_64 { 4 } else { 12 };
        symbol[info] &= 0xf;
        symbol[info + 1] = sym::STV_DEFAULT;
    }

    /// Sets the field `sh_info` of the header of a section.
    fn set_info(self, bytes: &mut [u8], headers: usize, section: usize, value: u32) -> Result<(), String> {
        let (size, field) = if self.is_64 { (64, 44) } else { (40, 28) };
        let start = headers + section * size + field;
        let place = bytes.get_mut(start..start + 4).ok_or("the section headers exceed the file")?;
        place.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }

    /// Changes the symbols of relocations: the upper part of the field `r_info`.
    fn renumber(self, bytes: &mut [u8], section: &SectionHeader, moved: &[u32]) -> Result<(), String> {
        let explicit = section.sh_type == section_header::SHT_RELA;
        let word = if self.is_64 { 8 } else { 4 };
        let size = word * if explicit { 3 } else { 2 };
        for index in 0..section.sh_size as usize / size {
            let entry = piece_mut(bytes, section, index, size)?;
            // The upper 32 or 24 bits of a number in little-endian order.
            let symbol = if self.is_64 { &mut entry[12..16] } else { &mut entry[5..8] };
            let mut old = [0; 4];
            old[..symbol.len()].copy_from_slice(symbol);
            let new = moved.get(u32::from_le_bytes(old) as usize).ok_or("a relocation has no symbol")?;
            let width = symbol.len();
            symbol.copy_from_slice(&new.to_le_bytes()[..width]);
        }
        Ok(())
    }
}
