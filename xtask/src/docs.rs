//! `cargo xtask docs`: the library, the pages of `docs/`, the commands and the diagnostics as one site, by `clefc doc`.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::{cargo, root, target_directory},
};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Writes the site to a directory, `target/site` by default.
pub(crate) fn run(output: Option<PathBuf>) -> Result<(), Failure> {
    let output = output.unwrap_or_else(|| target_directory().join("site"));
    run_all(vec![
        Step { name: "build clefc", command: cargo(&["build", "--quiet", "--release", "--package", "clefc"])? },
        site(&output),
    ])?;
    eprintln!("the site starts with {}", output.join("index.html").display());
    Ok(())
}

/// The step that writes the site to a directory, by the program that Cargo has built.
pub(crate) fn site(output: &Path) -> Step {
    let mut command = Command::new(target_directory().join("release/clefc"));
    command.args(["doc", "--library", "--pages"]).arg(root().join("docs")).arg("-o").arg(output);
    Step { name: "write the site", command }
}
