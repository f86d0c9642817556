//! `cargo xtask demo`: from a clean clone to a Clef program running on a Cortex-M4.

use crate::{
    Failure,
    setup::{self, Consent},
    step::{Step, run_all},
    toolchain::{cargo, root},
};
use std::fs;

/// The program that is shown.
const EXAMPLE: &str = "examples/hello.clef";

/// A Cortex-M4F that QEMU emulates.
const BOARD: &str = "mps2-an386";

/// Sets up, builds, compiles and runs.
pub(crate) fn run(consent: Consent) -> Result<(), Failure> {
    setup::run(consent)?;
    let directory = root().join("target");
    fs::create_dir_all(&directory).map_err(|error| format!("cannot create {}: {error}", directory.display()))?;
    let clefc = ["run", "--quiet", "--package", "clefc", "--"];
    let with = |arguments: &[&str]| cargo(&[&clefc, arguments].concat());
    run_all(vec![
        Step { name: "build clefc", command: cargo(&["build", "--package", "clefc"])? },
        Step {
            name: "compile the example for size",
            command: with(&["--board", BOARD, "-O", "z", "-o", "target/hello.elf", EXAMPLE])?,
        },
        Step { name: "run the example on an emulated Cortex-M4", command: with(&["run", "--board", BOARD, EXAMPLE])? },
    ])
}
