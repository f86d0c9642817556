//! The Rust toolchain: the targets of the pinned version, and the location of LLVM.

use crate::{
    Failure,
    setup::{Consent, agreed},
    step::{Step, output, shown},
};
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The Rust targets that the runtime is compiled for.
const RUST_TARGETS: &[&str] = &[
    "thumbv6m-none-eabi",
    "thumbv7m-none-eabi",
    "thumbv7em-none-eabi",
    "thumbv7em-none-eabihf",
    "thumbv8m.main-none-eabi",
    "thumbv8m.main-none-eabihf",
    "aarch64-unknown-none",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-none",
    "x86_64-unknown-linux-gnu",
];

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Where Cargo puts its products.
pub(crate) fn target_directory() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// Ensures that the pinned toolchain has every target.
pub(crate) fn ensure_targets(consent: Consent) -> Result<(), Failure> {
    let mut list = rustup();
    list.args(["target", "list", "--installed"]);
    let Some(installed) = output(list) else {
        return ensure_targets_without_rustup();
    };
    let missing: Vec<&str> =
        RUST_TARGETS.iter().filter(|target| !installed.lines().any(|line| line == **target)).copied().collect();
    if missing.is_empty() {
        eprintln!("Rust targets: all {} are installed", RUST_TARGETS.len());
        return Ok(());
    }
    let mut add = rustup();
    add.args(["target", "add"]).args(&missing);
    eprintln!("Rust targets to install, by the command:\n    {}", shown(&add));
    if !agreed(consent)? {
        return Err("nothing was installed; run the command above yourself, then try again".to_owned());
    }
    Step { name: "install Rust targets", command: add }.run().map(|_| ())
}

/// `rustup` in the workspace, so that it uses the pinned toolchain.
pub(crate) fn rustup() -> Command {
    let mut command = Command::new("rustup");
    command.current_dir(root());
    command
}

/// Without rustup nothing can be added, but everything may be installed.
fn ensure_targets_without_rustup() -> Result<(), Failure> {
    let missing: Vec<&str> = RUST_TARGETS.iter().filter(|target| !has_target(target)).copied().collect();
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(format!(
            "rustup is not installed (https://rustup.rs), and the Rust toolchain lacks the targets {}",
            missing.join(" ")
        )),
    }
}

/// Whether the compiler has a `core` library for a target.
pub(crate) fn has_target(target: &str) -> bool {
    let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(root()).args(["--print", "target-libdir", "--target", target]);
    output(command).is_some_and(|directory| Path::new(directory.trim()).is_dir())
}

/// `cargo` in the workspace, with the location of LLVM.
pub(crate) fn cargo(arguments: &[&str]) -> Result<Command, Failure> {
    let prefix = llvm_prefix()?;
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments);
    for variable in ["MLIR_SYS_220_PREFIX", "TABLEGEN_220_PREFIX", "LLVM_SYS_221_PREFIX"] {
        command.env(variable, &prefix);
    }
    Ok(command)
}

/// The prefix of LLVM 22, as it reports it.
pub(crate) fn llvm_prefix() -> Result<String, Failure> {
    ["llvm-config-22", "llvm-config"]
        .iter()
        .find_map(|program| {
            let ask = |argument: &str| {
                let mut command = Command::new(program);
                command.arg(argument);
                output(command).map(|text| text.trim().to_owned())
            };
            ask("--version").filter(|version| version.starts_with("22."))?;
            ask("--prefix")
        })
        .ok_or_else(|| "cannot find llvm-config of LLVM 22".to_owned())
}
