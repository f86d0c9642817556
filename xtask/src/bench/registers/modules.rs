//! What the module of a chip adds to the time of a build.

use super::{
    super::{
        compiler::{self, Work},
        sample::median,
    },
    Chip, Tools,
    descriptions::Description,
};
use crate::{Failure, toolchain::root};
use std::ffi::OsString;

/// Interleaved runs.
const RUNS: usize = 15;

/// The module of a chip.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Module {
    pub(crate) chip: &'static str,
    /// The lines of the description that it is made of.
    pub(crate) description: usize,
    pub(crate) lines: usize,
    /// Seconds of the processor that it adds to `clefc check`, and to a build at the default level.
    pub(crate) check: Added,
    pub(crate) build: Added,
}

/// Added seconds: the median of runs beside each other, and those of the fastest runs, which other work of the machine affects least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Added {
    pub(crate) median: f64,
    pub(crate) fastest: f64,
}

/// Measures the module of a chip.
pub(super) fn measured(tools: &Tools<'_>, chip: &Chip, description: &Description) -> Result<Module, Failure> {
    Ok(Module {
        chip: chip.name,
        description: description.lines,
        lines: description.module_lines,
        check: added(tools, chip, description, Work::Check)?,
        build: added(tools, chip, description, Work::Optimised)?,
    })
}

/// The seconds of the program with `Device` beyond those of the program with numbers.
fn added(tools: &Tools<'_>, chip: &Chip, description: &Description, work: Work) -> Result<Added, Failure> {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        with.push(seconds(tools, chip, Some(description), work)?);
        without.push(seconds(tools, chip, None, work)?);
    }
    of_runs(&with, &without).ok_or_else(|| "the compiler was not run".to_owned())
}

fn of_runs(with: &[f64], without: &[f64]) -> Option<Added> {
    let fastest = |runs: &[f64]| runs.iter().copied().reduce(f64::min);
    let differences = with.iter().zip(without).map(|(with, without)| with - without).collect();
    Some(Added { median: median(differences)?, fastest: fastest(with)? - fastest(without)? })
}

fn seconds(tools: &Tools<'_>, chip: &Chip, device: Option<&Description>, work: Work) -> Result<f64, Failure> {
    let product = tools.directory.join(chip.name).join("timed.elf");
    compiler::once(tools.clefc, &program(chip, device), &product, work).map(|(seconds, _)| seconds)
}

/// The arguments that name the board and the files of a program.
pub(super) fn program(chip: &Chip, device: Option<&Description>) -> Vec<OsString> {
    let sources = root().join("bench/registers");
    let mut arguments: Vec<OsString> = vec!["--board".into(), chip.board.into()];
    arguments.extend(device.and_then(|device| device.module.as_ref()).map(OsString::from));
    let source = if device.is_some() { chip.with_device() } else { chip.with_numbers() };
    arguments.push(sources.join(source).into());
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_a_median_and_a_fastest_one() {
        let added = of_runs(&[1.5, 1.25, 2.0], &[0.5, 0.75, 0.25]);
        assert_eq!(added, Some(Added { median: 1.0, fastest: 1.0 }));
        assert_eq!(of_runs(&[], &[]), None);
    }
}
