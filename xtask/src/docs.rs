//! `cargo xtask docs`: the library, the pages of `docs/`, the commands and the diagnostics as one site, by `clefc doc`.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::{cargo, root, target_directory},
};
use std::{path::PathBuf, process::Command};

/// Writes the site to a directory, `target/site` by default.
pub(crate) fn run(output: Option<PathBuf>) -> Result<(), Failure> {
    let output = output.unwrap_or_else(|| target_directory().join("site"));
    let mut doc = Command::new(target_directory().join("release/clefc"));
    doc.args(["doc", "--library", "--pages"]).arg(root().join("docs")).arg("-o").arg(&output);
    run_all(vec![
        Step { name: "build clefc", command: cargo(&["build", "--quiet", "--release", "--package", "clefc"])? },
        Step { name: "write the site", command: doc },
    ])?;
    eprintln!("the site starts with {}", output.join("index.html").display());
    Ok(())
}
