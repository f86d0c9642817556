//! Measures the registers of chips: what their module `Device` adds to a build and to an image, and sequences of accesses
//! beside C's.
//!
//! In: the programs of `bench/registers`, each with its accesses through `Device`, with their addresses as numbers, and in C
//! over structures of volatile members. Out: times, bytes, and the instructions of both languages.
//!
//! - An image with `Device` has the bytes of the one with numbers: nothing unused stays.
//! - Clef and C have the same loads and stores in the same order. Where one of these does not hold, the task fails.

pub(crate) mod chips;
pub(crate) mod code;
mod descriptions;
pub(crate) mod modules;
pub(crate) mod sequences;
pub(crate) mod tables;

use super::{
    DIRECTORY,
    language::{Language, Platform},
    make_directory,
};
use crate::{Failure, toolchain::root};
use chips::{CHIPS, Chip};
use modules::Module;
use sequences::Sequence;
use std::path::{Path, PathBuf};

/// What was measured of the registers.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    pub(crate) modules: Vec<Module>,
    pub(crate) sequences: Vec<Sequence>,
}

/// The compiler, and the directory of the products.
struct Tools<'a> {
    clefc: &'a Path,
    directory: PathBuf,
}

/// Measures every chip. What fails is added to the failures, and does not keep other chips from being measured.
pub(crate) fn measured(clefc: &Path, failures: &mut Vec<String>) -> Result<Registers, Failure> {
    let tools = Tools { clefc, directory: root().join(DIRECTORY).join("registers") };
    make_directory(&tools.directory)?;
    let has_c = Language::C.is_present(Platform::CortexM4);
    if !has_c {
        eprintln!("registers: there is no compiler for C");
    }
    let mut registers = Registers::default();
    for chip in &CHIPS {
        eprintln!("registers: {}", chip.name);
        if let Err(failure) = chip_measured(&tools, chip, has_c, &mut registers) {
            failures.push(format!("registers of {}: {failure}", chip.name));
        }
    }
    failures.extend(registers.sequences.iter().filter_map(Sequence::fault));
    Ok(registers)
}

fn chip_measured(tools: &Tools<'_>, chip: &Chip, has_c: bool, registers: &mut Registers) -> Result<(), Failure> {
    let description = descriptions::of(tools, chip)?;
    registers.modules.push(modules::measured(tools, chip, &description)?);
    if has_c && !chip.clang.is_empty() {
        for level in Sequence::LEVELS {
            registers.sequences.push(sequences::measured(tools, chip, &description, level)?);
        }
    }
    Ok(())
}
