//! `cargo xtask latency`: measures how long the language server takes from a keystroke to diagnostics.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::{cargo, target_directory},
};

/// Builds the compiler, optimised, and measures its server with files of growing length.
pub(crate) fn run() -> Result<(), Failure> {
    let clefc = target_directory().join("release/clefc");
    let clefc = clefc.to_string_lossy();
    let example =
        ["run", "--quiet", "--release", "--package", "clef-language-server", "--example", "latency", "--", &clefc];
    run_all(vec![
        Step { name: "build clefc", command: cargo(&["build", "--quiet", "--release", "--package", "clefc"])? },
        Step { name: "measure its language server", command: cargo(&example)? },
    ])
}
