//! `cargo xtask probe-soak`: runs the same programs repeatedly on one simulated board, through a simulated debug probe.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::cargo,
};

/// Builds the harness and runs its programs repeatedly.
pub(crate) fn run(runs: u32) -> Result<(), Failure> {
    let harness = ["test", "--quiet", "--package", "clef-tests", "--test", "harness", "--", "probe::"];
    let mut soak = cargo(&harness)?;
    soak.env("RUNS", runs.to_string());
    run_all(vec![Step { name: "run on a simulated board", command: soak }])
}
