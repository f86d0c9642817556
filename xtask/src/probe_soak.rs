//! `cargo xtask probe-soak`: runs the same programs repeatedly on one simulated board, through a simulated debug probe.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::cargo,
};

/// The default number of runs.
const RUNS: u32 = 50;

/// Builds the harness and runs its programs; `arguments` are `--runs N`.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let runs = parsed(arguments)?;
    let harness = ["test", "--quiet", "--package", "clef-tests", "--test", "harness", "--", "probe::"];
    let mut soak = cargo(&harness)?;
    soak.env("RUNS", runs.to_string());
    run_all(vec![Step { name: "run on a simulated board", command: soak }])
}

/// The number of runs.
fn parsed(arguments: &[String]) -> Result<u32, Failure> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => Ok(RUNS),
        ["--runs", runs] => runs
            .parse()
            .ok()
            .filter(|runs| (1..=100_000).contains(runs))
            .ok_or_else(|| format!("`--runs` takes a number up to a hundred thousand, not `{runs}`")),
        _ => Err(format!("this task takes `--runs N`, not `{}`", arguments.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_taken() {
        let parsed = |arguments: &[&str]| parsed(&arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(parsed(&[]), Ok(RUNS));
        assert_eq!(parsed(&["--runs", "5"]), Ok(5));
        for arguments in [&["--runs"][..], &["--runs", "0"], &["--runs", "x"], &["5"]] {
            assert!(parsed(arguments).is_err(), "{arguments:?}");
        }
    }
}
