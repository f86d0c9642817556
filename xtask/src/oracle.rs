//! `cargo xtask oracle`: compares generated programs on the reference interpreter and on boards.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::cargo,
};

/// The path of the compiler: optimised, since it compiles thousands of programs.
const COMPILER: &str = "target/release/clefc";

/// Builds the compiler and runs the oracle; `arguments` are the oracle's.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let oracle = ["run", "--quiet", "--release", "--package", "clef-oracle", "--bin", "oracle", "--"];
    let arguments = ["--clefc", COMPILER].into_iter().chain(arguments.iter().map(String::as_str));
    let arguments: Vec<&str> = oracle.into_iter().chain(arguments).collect();
    run_all(vec![
        Step { name: "build clefc", command: cargo(&["build", "--quiet", "--release", "--package", "clefc"])? },
        Step { name: "compare generated programs", command: cargo(&arguments)? },
    ])
}
