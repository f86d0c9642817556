//! `cargo xtask scale`: measures how the time and the memory of each step grow with programs of many kinds.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::cargo,
};

/// Builds the compiler, optimised, and measures it; `arguments` are those of `scale`.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let scale = ["run", "--quiet", "--release", "--package", "clef-scale", "--bin", "scale", "--"];
    let arguments: Vec<&str> = scale.into_iter().chain(arguments.iter().map(String::as_str)).collect();
    run_all(vec![
        Step { name: "build clefc", command: cargo(&["build", "--quiet", "--release", "--package", "clefc"])? },
        Step { name: "measure how its time and memory grow", command: cargo(&arguments)? },
    ])
}
