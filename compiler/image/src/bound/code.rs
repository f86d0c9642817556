//! The functions of an image, as far as calls and the stack are concerned.
//!
//! In: an image. Out: for each function the effects of its instructions, without irrelevant ones and without jumps
//! within it. Data between instructions, such as constants, is recognised by the mapping symbols of the ABIs.

use super::step::{Step, step};
use clef_base::parallel;
use clef_descriptors::LinkerEmulation;
use clef_mlir::{
    Fault,
    llvm::{self, Disassembler},
};
use goblin::elf::{Elf, sym::STT_FUNC};
use std::collections::BTreeMap;

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Code {
    /// Its symbols.
    pub(super) names: Vec<String>,
    /// Its start address.
    pub(super) start: u64,
    /// Its end address.
    pub(super) end: u64,
    /// The effects of its instructions.
    pub(super) steps: Vec<Step>,
}

impl Code {
    /// Whether the effect of an instruction is of interest: jumps within the function are not.
    fn is_relevant(&self, step: Step) -> bool {
        match step {
            Step::Other => false,
            Step::Jump(target) => !(self.start..self.end).contains(&target),
            // On Armv6-M a call is also used as the jump with the longest range.
            Step::Call(target) => !(self.start + 1..self.end).contains(&target),
            Step::CallUnknown | Step::JumpUnknown | Step::JumpTable | Step::Push(_) | Step::Unknown => true,
        }
    }
}

/// How many functions are disassembled at a time.
const TAKEN: usize = 512;

/// The functions by address.
pub(super) fn functions(
    elf: &Elf<'_>,
    image: &[u8],
    family: LinkerEmulation,
    machine: &llvm::Machine,
) -> Result<Vec<Code>, Fault> {
    let mut found: BTreeMap<u64, Code> = BTreeMap::new();
    for symbol in elf.syms.iter().filter(|symbol| symbol.st_type() == STT_FUNC && symbol.st_size > 0) {
        let start = address(family, symbol.st_value);
        let name = elf.strtab.get_at(symbol.st_name).unwrap_or_default().to_owned();
        let code = found.entry(start).or_insert(Code { names: Vec::new(), start, end: start, steps: Vec::new() });
        code.names.push(name);
        code.end = code.end.max(start + symbol.st_size);
    }
    let kinds = kinds(elf, family);
    let mut codes: Vec<Code> = found.into_values().collect();
    let taken: Vec<&[Code]> = codes.chunks(TAKEN).collect();
    let steps = parallel::map(&taken, |taken| -> Result<Vec<Vec<Step>>, Fault> {
        let mut disassembler = Disassembler::new(machine)?;
        let mut steps = |code: &Code| {
            let pieces = pieces(&kinds, code.start, code.end).into_iter();
            let read = pieces.flat_map(|(start, end)| disassembler.read(content(elf, image, start, end), start));
            let steps = read.map(|instruction| step(family, &instruction));
            steps.filter(|step| code.is_relevant(*step)).collect()
        };
        Ok(taken.iter().map(&mut steps).collect())
    });
    let steps: Vec<Vec<Vec<Step>>> = steps.into_iter().collect::<Result<_, _>>()?;
    for (code, steps) in codes.iter_mut().zip(steps.into_iter().flatten()) {
        code.steps = steps;
    }
    Ok(codes)
}

/// The code address of a symbol: the low bit marks Thumb code.
pub(super) fn address(family: LinkerEmulation, value: u64) -> u64 {
    match family {
        LinkerEmulation::Armelf => value & !1,
        LinkerEmulation::Aarch64elf | LinkerEmulation::ElfX86_64 => value,
    }
}

/// Where code (true) and where data (false) begins: ELF for the Arm Architecture, "Mapping symbols".
fn kinds(elf: &Elf<'_>, family: LinkerEmulation) -> BTreeMap<u64, bool> {
    let symbols = elf.syms.iter().filter_map(|symbol| {
        let name = elf.strtab.get_at(symbol.st_name)?;
        let kind = name.strip_prefix('$')?.split('.').next()?;
        match kind {
            "t" | "x" | "a" => Some((address(family, symbol.st_value), true)),
            "d" => Some((address(family, symbol.st_value), false)),
            _ => None,
        }
    });
    symbols.collect()
}

/// The parts of a range that are code.
fn pieces(kinds: &BTreeMap<u64, bool>, start: u64, end: u64) -> Vec<(u64, u64)> {
    let first = kinds.range(..=start).next_back().is_none_or(|(_, is_code)| *is_code);
    let inside = kinds.range(start + 1..end).map(|(at, is_code)| (*at, *is_code));
    let bounds: Vec<(u64, bool)> = [(start, first)].into_iter().chain(inside).chain([(end, false)]).collect();
    let pairs = bounds.windows(2).filter(|pair| pair[0].1);
    pairs.map(|pair| (pair[0].0, pair[1].0)).collect()
}

/// The bytes of the image in an address range; none if they are not loaded from it.
fn content<'a>(elf: &Elf<'_>, image: &'a [u8], start: u64, end: u64) -> &'a [u8] {
    let holds = |section: &&goblin::elf::SectionHeader| {
        section.is_executable() && section.sh_addr <= start && end <= section.sh_addr + section.sh_size
    };
    let Some(section) = elf.section_headers.iter().find(holds) else { return &[] };
    let offset = |at: u64| usize::try_from(section.sh_offset + (at - section.sh_addr)).unwrap_or(usize::MAX);
    image.get(offset(start)..offset(end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_between_instructions_are_left_out() {
        let kinds = BTreeMap::from([(0x10, true), (0x18, false), (0x20, true), (0x30, false)]);
        assert_eq!(pieces(&kinds, 0x10, 0x28), [(0x10, 0x18), (0x20, 0x28)]);
        assert_eq!(pieces(&kinds, 0x1a, 0x38), [(0x20, 0x30)]);
        assert_eq!(pieces(&BTreeMap::new(), 0x10, 0x20), [(0x10, 0x20)]);
    }
}
