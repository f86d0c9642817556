//! `cargo xtask soak`: runs the programs of `tests/long` for many iterations each, in constant memory.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::{cargo, root},
};

/// The compiler, optimised.
const COMPILER: &str = "target/release/clefc";

/// Builds the compiler and runs the programs for a number of iterations.
pub(crate) fn run(iterations: u64) -> Result<(), Failure> {
    let build = cargo(&["build", "--quiet", "--release", "--package", "clefc"])?;
    // In sequence, so that the times are meaningful.
    let harness =
        ["test", "--quiet", "--package", "clef-tests", "--test", "harness", "--", "long::", "--test-threads=1"];
    let mut soak = cargo(&harness)?;
    soak.env("ITERATIONS", iterations.to_string()).env("CLEFC", root().join(COMPILER));
    run_all(vec![
        Step { name: "build clefc", command: build },
        Step { name: "run long in constant memory", command: soak },
    ])
}
