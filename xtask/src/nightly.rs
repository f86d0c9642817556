//! Nightly Rust and its tools, installed if missing.

use crate::{
    Failure,
    setup::{Consent, agreed},
    step::{Step, output, shown},
    toolchain::rustup,
};
use std::process::Command;

/// A command with nightly Rust.
pub(crate) fn nightly(arguments: &[&str]) -> Command {
    let mut command = rustup();
    command.args(["run", "nightly"]).args(arguments);
    command
}

/// Installs nightly Rust, unless it is installed.
pub(crate) fn ensure_nightly(consent: Consent) -> Result<(), Failure> {
    let mut list = rustup();
    list.args(["toolchain", "list"]);
    let Some(toolchains) = output(list) else {
        return Err(
            "this requires nightly Rust, which rustup installs, but rustup is not installed (https://rustup.rs)".into(),
        );
    };
    if toolchains.lines().any(|toolchain| toolchain.starts_with("nightly-")) {
        return Ok(());
    }
    let mut install = rustup();
    install.args(["toolchain", "install", "nightly", "--profile", "minimal"]);
    ensured(consent, "install nightly Rust", install)
}

/// Installs cargo-fuzz, unless it is installed.
pub(crate) fn ensure_cargo_fuzz(consent: Consent) -> Result<(), Failure> {
    if output(nightly(&["cargo", "fuzz", "--version"])).is_some() {
        return Ok(());
    }
    ensured(consent, "install cargo-fuzz", nightly(&["cargo", "install", "cargo-fuzz"]))
}

/// Installs Miri, unless it is installed.
pub(crate) fn ensure_miri(consent: Consent) -> Result<(), Failure> {
    if output(nightly(&["cargo", "miri", "--version"])).is_some() {
        return Ok(());
    }
    let mut add = rustup();
    add.args(["component", "add", "--toolchain", "nightly", "miri", "rust-src"]);
    ensured(consent, "install Miri", add)
}

/// Installs something, if the user agrees.
fn ensured(consent: Consent, name: &'static str, command: Command) -> Result<(), Failure> {
    eprintln!("to {name}, by the command:\n    {}", shown(&command));
    if !agreed(consent)? {
        return Err("nothing was installed; run the command above yourself, then try again".to_owned());
    }
    Step { name, command }.run().map(|_| ())
}
