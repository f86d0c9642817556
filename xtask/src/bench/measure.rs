//! Builds the programs, compares their checksums, and measures them.

use super::{
    board,
    build::Tools,
    callgrind,
    elf::{self, Bytes},
    language::{Goal, Language, Platform},
    linux,
    options::Options,
    programs::{self, Program, SIZE_ONLY},
    sample::{Metric, Results, Sample, median},
};
use crate::{Failure, toolchain::root};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Interleaved runs for times.
const RUNS: usize = 5;

/// An executable and its language.
type Executable = (Language, PathBuf);

/// Measures the programs that the options ask for. What fails is among the results, and does not keep others from being
/// measured.
pub(crate) fn programs(options: &Options, clefc: &Path) -> Result<Results, Failure> {
    let programs = programs::selected(&options.programs)?;
    let tools = Tools::build(clefc, &options.platforms)?;
    let mut results = Results::default();
    for platform in &options.platforms {
        note_absent(*platform);
        let mut measure = Measure { tools: &tools, platform: *platform, results: &mut results };
        match platform {
            Platform::Linux => programs.iter().for_each(|program| measure.on_linux(program)),
            Platform::CortexM4 => {
                let empty = measure.empty()?;
                programs.iter().for_each(|program| measure.on_board(program, &empty));
                if options.programs.is_empty() {
                    SIZE_ONLY[1..].iter().for_each(|program| measure.sizes(program, &empty));
                }
            }
        }
    }
    Ok(results)
}

fn note_absent(platform: Platform) {
    for language in Language::ALL.into_iter().filter(|language| !language.is_present(platform)) {
        eprintln!("{}: there is no compiler for {language}", platform.key());
    }
}

struct Measure<'a> {
    tools: &'a Tools,
    platform: Platform,
    results: &'a mut Results,
}

impl Measure<'_> {
    fn on_linux(&mut self, program: &Program) {
        let Some(size) = program.work(self.platform) else { return };
        let built = self.built(program, Goal::Speed);
        let mut checksums = Vec::new();
        for (language, executable) in &built {
            match linux::run(executable, size).and_then(|run| Ok((run, callgrind::instructions(executable, size)?))) {
                Ok((run, instructions)) => {
                    checksums.push((*language, run.checksum));
                    self.record(program, *language, Metric::LinuxInstructions, instructions as f64);
                    self.record(program, *language, Metric::LinuxPeakKibibytes, run.peak_kibibytes as f64);
                }
                Err(failure) => self.fail(program, *language, &failure),
            }
        }
        self.compare(program, &checksums);
        let complete: Vec<Executable> =
            built.into_iter().filter(|(language, _)| checksums.iter().any(|(other, _)| other == language)).collect();
        self.times(program, &complete, size);
    }

    /// Times are ratios to C of runs beside each other, so that a slow moment of the machine affects both.
    fn times(&mut self, program: &Program, executables: &[Executable], size: u32) {
        let mut runs: Vec<Vec<f64>> = vec![Vec::new(); executables.len()];
        for _ in 0..RUNS {
            for ((_, executable), runs) in executables.iter().zip(&mut runs) {
                runs.extend(linux::run(executable, size).map(|run| run.nanoseconds.max(1) as f64));
            }
        }
        let base = executables.iter().position(|(language, _)| *language == Language::C);
        let Some(base) = base.map(|index| runs[index].clone()) else { return };
        let Some(unit) = median(base.clone()) else { return };
        for ((language, _), runs) in executables.iter().zip(runs) {
            let ratios = runs.iter().zip(&base).map(|(own, base)| own / base).collect();
            if let Some(ratio) = median(ratios) {
                self.record(program, *language, Metric::LinuxNanoseconds, (ratio * unit).round());
            }
        }
    }

    fn on_board(&mut self, program: &Program, empty: &[(Language, Bytes)]) {
        let Some(size) = program.work(self.platform) else { return };
        let mut checksums = Vec::new();
        for (language, image) in self.built(program, Goal::Speed) {
            match board::run(&image, size, self.tools) {
                Ok(run) => {
                    checksums.push((language, run.checksum));
                    self.record(program, language, Metric::BoardInstructions, run.instructions as f64);
                }
                Err(failure) => self.fail(program, language, &failure),
            }
        }
        self.compare(program, &checksums);
        self.sizes(program, empty);
    }

    /// What a program takes of the board beyond an empty one.
    fn sizes(&mut self, program: &Program, empty: &[(Language, Bytes)]) {
        for (language, image) in self.built(program, Goal::Size) {
            let base = empty.iter().find(|(other, _)| *other == language.base()).map(|(_, bytes)| *bytes);
            match size_of(&image) {
                Ok(own) => {
                    let base = base.unwrap_or_default();
                    self.record(program, language, Metric::BoardFlash, f64::from(own.flash) - f64::from(base.flash));
                    self.record(program, language, Metric::BoardRam, f64::from(own.ram) - f64::from(base.ram));
                }
                Err(failure) => self.fail(program, language, &failure),
            }
        }
    }

    /// What the empty program takes in each language.
    fn empty(&mut self) -> Result<Vec<(Language, Bytes)>, Failure> {
        let built = self.built(&SIZE_ONLY[0], Goal::Size);
        built.into_iter().map(|(language, image)| Ok((language, size_of(&image)?))).collect()
    }

    /// The program in each language that it is written in, and that has a compiler.
    fn built(&mut self, program: &Program, goal: Goal) -> Vec<Executable> {
        eprintln!("{}: {}", self.platform.key(), program.name);
        let mut built = Vec::new();
        for language in Language::ALL {
            let is_written = root().join("bench/programs").join(language.source(program.name)).is_file();
            if !is_written || !language.is_present(self.platform) {
                continue;
            }
            match self.tools.program(program.name, language, self.platform, goal) {
                Ok(path) => built.push((language, path)),
                Err(failure) => self.fail(program, language, &failure),
            }
        }
        built
    }

    fn compare(&mut self, program: &Program, checksums: &[(Language, i32)]) {
        if let Some(difference) = difference(checksums) {
            self.results.failures.push(format!("{} on {}: {difference}", program.name, self.platform.key()));
        }
    }

    fn record(&mut self, program: &Program, language: Language, metric: Metric, value: f64) {
        self.results.samples.push(Sample { program: program.name, language, metric, value });
    }

    fn fail(&mut self, program: &Program, language: Language, failure: &str) {
        let on = self.platform.key();
        self.results.failures.push(format!("{} in {language} on {on}: {failure}", program.name));
    }
}

/// A sentence about checksums that differ.
fn difference(checksums: &[(Language, i32)]) -> Option<String> {
    let (_, first) = checksums.first()?;
    if checksums.iter().all(|(_, checksum)| checksum == first) {
        return None;
    }
    let each: Vec<String> = checksums.iter().map(|(language, checksum)| format!("{checksum} in {language}")).collect();
    Some(format!("the checksums differ: {}", each.join(", ")))
}

fn size_of(image: &Path) -> Result<Bytes, Failure> {
    let file = fs::read(image).map_err(|error| format!("cannot read `{}`: {error}", image.display()))?;
    elf::bytes(&file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_checksums_are_no_difference() {
        assert_eq!(difference(&[]), None);
        assert_eq!(difference(&[(Language::Clef, 3), (Language::C, 3)]), None);
        let difference = difference(&[(Language::Clef, 4), (Language::C, 3)]).unwrap();
        assert_eq!(difference, "the checksums differ: 4 in Clef, 3 in C");
    }
}
