//! `cargo xtask fuzz`: fuzzes the parser, the checker and the readers of descriptors and project files.
//!
//! It needs nightly Rust and cargo-fuzz, and installs what is missing. Failing inputs are kept in `fuzz/artifacts`, and
//! inputs with new coverage in `fuzz/corpus`.

use crate::{
    Failure,
    nightly::{ensure_cargo_fuzz, ensure_nightly, nightly},
    setup::Consent,
    step::Step,
    toolchain::root,
};
use std::fs;

/// A fuzz target.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Parser,
    Checker,
    Descriptors,
    Projects,
}

impl Target {
    /// Its name, directories of texts to start from, and the dictionary, of `fuzz/dictionaries`.
    fn parts(self) -> (&'static str, &'static [&'static str], &'static str) {
        const PROGRAMS: &[&str] = &["tests/run", "tests/ui", "compiler/syntax/tests/programs", "examples"];
        const PROJECTS: &[&str] = &["tests/oracle/tests/project_files", "tests/projects"];
        match self {
            Target::Parser => ("parser", PROGRAMS, "programs"),
            Target::Checker => ("checker", PROGRAMS, "programs"),
            Target::Descriptors => ("descriptors", &["boards", "targets"], "descriptors"),
            Target::Projects => ("projects", PROJECTS, "projects"),
        }
    }
}

/// Fuzzes a target.
pub(crate) fn run(consent: Consent, target: Target, minutes: u32) -> Result<(), Failure> {
    let (name, texts, dictionary) = target.parts();
    ensure_nightly(consent)?;
    ensure_cargo_fuzz(consent)?;
    let corpus = format!("fuzz/corpus/{name}");
    fs::create_dir_all(root().join(&corpus)).map_err(|error| format!("cannot create `{corpus}`: {error}"))?;
    // Nothing that is fuzzed is unsafe.
    let mut command = nightly(&["cargo", "fuzz", "run", "--sanitizer", "none", "--target-dir", "target/fuzz"]);
    command.args([name, &corpus]).args(texts).arg("--");
    command.arg(format!("-dict=fuzz/dictionaries/{dictionary}.dict"));
    command.arg(format!("-max_total_time={}", minutes * 60));
    command.args(["-max_len=8000", "-timeout=10", "-rss_limit_mb=2048"]);
    Step { name: "fuzz", command }.run().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn what_targets_start_with_is_there() {
        for target in Target::value_variants() {
            let (name, texts, dictionary) = target.parts();
            let dictionary = format!("fuzz/dictionaries/{dictionary}.dict");
            let source = format!("fuzz/fuzz_targets/{name}.rs");
            for path in texts.iter().copied().chain([dictionary.as_str(), source.as_str()]) {
                assert!(root().join(path).exists(), "{path}");
            }
        }
    }
}
