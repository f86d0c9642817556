//! `cargo xtask decoders`: tests that the tools of defmt and probe-rs, as published on crates.io, read the log of a
//! program.

use crate::{
    Failure,
    setup::{Consent, agreed},
    step::{Step, run_all, shown},
    toolchain::{cargo, root},
};
use std::{env, path::Path, process::Command};

/// The installation directory of the tools.
const DIRECTORY: &str = "target/decoders";

/// A tool: its package, its version, and its programs.
const TOOLS: [(&str, &str, &str); 2] =
    [("defmt-print", "1.2.0", "defmt-print"), ("probe-rs-tools", "0.32.0", "probe-rs")];

/// Installs what is missing and runs the trials.
pub(crate) fn run(consent: Consent) -> Result<(), Failure> {
    let directory = root().join(DIRECTORY);
    let missing = TOOLS.iter().filter(|(_, _, program)| !directory.join("bin").join(program).exists());
    let installs: Vec<Command> =
        missing.map(|(package, version, _)| install(package, version, &directory)).collect::<Result<_, _>>()?;
    if !installs.is_empty() {
        eprintln!("to install the missing packages, with the commands:");
        installs.iter().for_each(|install| eprintln!("    {}", shown(install)));
        if !agreed(consent)? {
            return Err("nothing was installed; run the commands above yourself, then try again".to_owned());
        }
    }
    let harness = ["test", "--quiet", "--package", "clef-tests", "--test", "harness", "--", "decoders::"];
    let mut test = cargo(&harness)?;
    test.env("PATH", search_path(&directory)?);
    let installs = installs.into_iter().map(|command| Step { name: "install a tool", command });
    run_all(installs.chain([Step { name: "read the log by other tools", command: test }]).collect())
}

fn install(package: &str, version: &str, directory: &Path) -> Result<Command, Failure> {
    let mut install = cargo(&["install", package, "--version", version, "--locked", "--debug", "--root"])?;
    install.arg(directory);
    // They are not debugged.
    install.env("CARGO_PROFILE_DEV_DEBUG", "0");
    Ok(install)
}

/// The search path with the tools first.
fn search_path(directory: &Path) -> Result<std::ffi::OsString, Failure> {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = [directory.join("bin")].into_iter().chain(env::split_paths(&path));
    env::join_paths(directories).map_err(|error| format!("the search path cannot be extended: {error}"))
}
