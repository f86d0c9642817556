//! The memory that an image takes in each region, as data and as text.

use super::parse;
use clef_base::Diagnostic;
use clef_descriptors::{Board, MemoryRegion};
use goblin::elf::program_header::PT_LOAD;
use goblin::elf::section_header::{SHF_ALLOC, SHT_NOBITS};
use goblin::elf::{Elf, SectionHeader};
use std::fmt;

/// One part of a region: a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its name: `.text`, `stack`, or `.data (initial values)` for content in flash.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// The used bytes of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionUse {
    /// Its name.
    pub name: String,
    /// Its size; `None` if the operating system provides as much as is requested.
    pub total: Option<u64>,
    /// From its start to the end of the last part, alignment included.
    pub used: u64,
    /// The parts, by address.
    pub parts: Vec<Part>,
}

impl RegionUse {
    /// The unused bytes.
    pub fn free(&self) -> Option<u64> {
        self.total.map(|total| total.saturating_sub(self.used))
    }

    /// The missing bytes, if it is too small.
    pub fn excess(&self) -> Option<u64> {
        self.total.and_then(|total| self.used.checked_sub(total)).filter(|excess| *excess > 0)
    }
}

/// The used bytes of each region of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryTable {
    /// The regions in the board's order.
    pub regions: Vec<RegionUse>,
}

impl MemoryTable {
    /// The table of an image.
    pub fn of(image: &[u8], board: &Board) -> Result<MemoryTable, Diagnostic> {
        let elf = parse(image)?;
        let placed = placed_parts(&elf);
        let regions = match board.memory.is_empty() {
            true => vec![unlimited(&placed)],
            false => board.memory.iter().map(|region| used(region, &board.memory, &placed)).collect(),
        };
        Ok(MemoryTable { regions })
    }
}

/// A part with its address.
pub(super) struct Placed {
    pub(super) address: u64,
    pub(super) part: Part,
    /// The index of its section.
    pub(super) section: usize,
}

impl Placed {
    fn end(&self) -> u64 {
        self.address.saturating_add(self.part.bytes)
    }
}

/// The parts of an image, by address.
pub(super) fn placed_parts(elf: &Elf<'_>) -> Vec<Placed> {
    let mut placed = Vec::new();
    for (number, section) in elf.section_headers.iter().enumerate() {
        if section.sh_flags & u64::from(SHF_ALLOC) == 0 || section.sh_size == 0 {
            continue;
        }
        let name = match elf.shdr_strtab.get_at(section.sh_name).unwrap_or("?") {
            ".stack" => "stack",
            ".pool" => "region pool",
            other => other,
        };
        let part = |name: String| Part { name, bytes: section.sh_size };
        placed.push(Placed { address: section.sh_addr, part: part(name.to_owned()), section: number });
        if let Some(load_address) = load_address(elf, section).filter(|address| *address != section.sh_addr) {
            let part = part(format!("{name} (initial values)"));
            placed.push(Placed { address: load_address, part, section: number });
        }
    }
    placed.sort_by_key(|placed| placed.address);
    placed
}

/// The load address of a section, which for `.data` is in flash.
fn load_address(elf: &Elf<'_>, section: &SectionHeader) -> Option<u64> {
    if section.sh_type == SHT_NOBITS {
        return None;
    }
    let headers = elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD);
    let header = headers.into_iter().find(|header| {
        header.p_vaddr <= section.sh_addr
            && section.sh_addr.saturating_add(section.sh_size) <= header.p_vaddr.saturating_add(header.p_filesz)
    })?;
    Some((section.sh_addr - header.p_vaddr).saturating_add(header.p_paddr))
}

/// The parts in a region. Those beyond its end, which do not fit, belong to it unless they are in another region.
pub(super) fn inside<'a>(region: &MemoryRegion, all: &[MemoryRegion], placed: &'a [Placed]) -> Vec<&'a Placed> {
    let start = region.origin.0;
    let next = all.iter().map(|other| other.origin.0).filter(|origin| *origin > start).min().unwrap_or(u64::MAX);
    placed.iter().filter(|placed| (start..next).contains(&placed.address)).collect()
}

/// The used bytes of one region.
fn used(region: &MemoryRegion, all: &[MemoryRegion], placed: &[Placed]) -> RegionUse {
    let start = region.origin.0;
    let inside = inside(region, all, placed);
    let end = inside.iter().map(|placed| placed.end()).max().unwrap_or(start);
    let parts = inside.into_iter().map(|placed| placed.part.clone()).collect();
    RegionUse { name: region.name.clone(), total: Some(region.length.0), used: end - start, parts }
}

fn unlimited(placed: &[Placed]) -> RegionUse {
    let parts: Vec<_> = placed.iter().map(|placed| placed.part.clone()).collect();
    let used = parts.iter().fold(0, |used: u64, part| used.saturating_add(part.bytes));
    RegionUse { name: "memory".to_owned(), total: None, used, parts }
}

/// One line per region with its parts below; sizes in bytes.
impl fmt::Display for MemoryTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.regions.iter().flat_map(|region| {
            let parts = region.parts.iter().map(|part| part.name.len() + 2);
            parts.chain([region.name.len()])
        });
        let width = names.max().unwrap_or(0).max("region".len());
        writeln!(formatter, "{:width$}  {:>10}  {:>10}  {:>10}  {:>6}", "region", "used", "free", "total", "use")?;
        for region in &self.regions {
            write!(formatter, "{:width$}  {:>10}", region.name, region.used)?;
            if let (Some(total), Some(free)) = (region.total, region.free()) {
                let percent = region.used as f64 * 100.0 / total as f64;
                write!(formatter, "  {free:>10}  {total:>10}  {percent:>5.1}%")?;
            }
            writeln!(formatter)?;
            for part in &region.parts {
                writeln!(formatter, "  {:inner$}  {:>10}", part.name, part.bytes, inner = width - 2)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_elf::{Section, TestElf, cortex_m3};
    use super::*;

    #[test]
    fn data_counts_in_flash_and_in_ram() {
        let mut elf = TestElf::arm();
        elf.load_address = Some(0x200);
        elf.sections.push(Section::loaded(".data", 0x2000_1000, 1, vec![1; 24]));
        elf.sections.push(Section::loaded(".text", 0x40, 4, vec![0; 16]));
        elf.sections.push(Section::zeroed(".stack", 0x2000_0000, 0x1000));
        let (_, board) = cortex_m3();
        let table = MemoryTable::of(&elf.bytes(), &board).expect("it is an ELF file");
        let expected = "\
region                          used        free       total     use
flash                            536      261608      262144    0.2%
  .text                           16
  .data (initial values)          24
ram                             4120       61416       65536    6.3%
  stack                         4096
  .data                           24
";
        assert_eq!(table.to_string(), expected);
        assert_eq!(table.regions[0].excess(), None);
    }

    #[test]
    fn what_does_not_fit_is_excess() {
        let mut elf = TestElf::arm();
        elf.sections.push(Section::zeroed(".bss", 0x2000_0000, 0x1_0010));
        let (_, board) = cortex_m3();
        let table = MemoryTable::of(&elf.bytes(), &board).expect("it is an ELF file");
        assert_eq!(table.regions[1].excess(), Some(16));
        assert_eq!(table.regions[1].free(), Some(0));
    }
}
