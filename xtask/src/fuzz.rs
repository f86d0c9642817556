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

/// The default fuzzing time of a target.
const MINUTES: u32 = 10;

/// A fuzz target and its initial corpus.
struct Target {
    name: &'static str,
    /// Directories of texts to start from.
    texts: &'static [&'static str],
    /// The dictionary, of `fuzz/dictionaries`.
    dictionary: &'static str,
}

const PROGRAMS: &[&str] = &["tests/run", "tests/ui", "compiler/syntax/tests/programs", "examples"];

const TARGETS: [Target; 4] = [
    Target { name: "parser", texts: PROGRAMS, dictionary: "programs" },
    Target { name: "checker", texts: PROGRAMS, dictionary: "programs" },
    Target { name: "descriptors", texts: &["boards", "targets"], dictionary: "descriptors" },
    Target { name: "projects", texts: &["tests/oracle/tests/project_files", "tests/projects"], dictionary: "projects" },
];

/// Fuzzes a target; `arguments` are its name and `--minutes N`.
pub(crate) fn run(consent: Consent, arguments: &[String]) -> Result<(), Failure> {
    let (target, minutes) = parsed(arguments)?;
    ensure_nightly(consent)?;
    ensure_cargo_fuzz(consent)?;
    let corpus = format!("fuzz/corpus/{}", target.name);
    fs::create_dir_all(root().join(&corpus)).map_err(|error| format!("cannot create `{corpus}`: {error}"))?;
    // Nothing that is fuzzed is unsafe.
    let mut command = nightly(&["cargo", "fuzz", "run", "--sanitizer", "none", "--target-dir", "target/fuzz"]);
    command.args([target.name, &corpus]).args(target.texts).arg("--");
    command.arg(format!("-dict=fuzz/dictionaries/{}.dict", target.dictionary));
    command.arg(format!("-max_total_time={}", minutes * 60));
    command.args(["-max_len=8000", "-timeout=10", "-rss_limit_mb=2048"]);
    Step { name: "fuzz", command }.run().map(|_| ())
}

/// The target and the number of minutes.
fn parsed(arguments: &[String]) -> Result<(&'static Target, u32), Failure> {
    let names = || TARGETS.map(|target| target.name).join(", ");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (name, minutes) = match arguments.as_slice() {
        [name] => (*name, MINUTES),
        [name, "--minutes", minutes] | ["--minutes", minutes, name] => {
            let number = minutes.parse().ok().filter(|number| (1..=100_000).contains(number));
            (*name, number.ok_or_else(|| format!("`--minutes` takes a number of minutes, not `{minutes}`"))?)
        }
        _ => return Err(format!("specify a target and a duration: `fuzz TARGET [--minutes N]`, of {}", names())),
    };
    let target = TARGETS.iter().find(|target| target.name == name);
    Ok((target.ok_or_else(|| format!("unknown fuzz target `{name}`; there are {}", names()))?, minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(arguments: &[&str]) -> Result<(&'static str, u32), Failure> {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        parsed(&arguments).map(|(target, minutes)| (target.name, minutes))
    }

    #[test]
    fn a_target_and_minutes_are_taken() {
        assert_eq!(minutes(&["parser"]), Ok(("parser", MINUTES)));
        assert_eq!(minutes(&["--minutes", "3", "projects"]), Ok(("projects", 3)));
        for arguments in
            [&[][..], &["lexer"], &["parser", "--minutes", "0"], &["parser", "checker"], &["--minutes", "3"]]
        {
            assert!(minutes(arguments).is_err(), "{arguments:?}");
        }
    }

    #[test]
    fn what_targets_start_with_is_there() {
        for target in &TARGETS {
            let dictionary = format!("fuzz/dictionaries/{}.dict", target.dictionary);
            let source = format!("fuzz/fuzz_targets/{}.rs", target.name);
            for path in target.texts.iter().copied().chain([dictionary.as_str(), source.as_str()]) {
                assert!(root().join(path).exists(), "{path}");
            }
        }
    }
}
