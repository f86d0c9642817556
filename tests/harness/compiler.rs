//! The `clefc` binary: built once, and called as a user calls it.

use crate::ROOT;
pub(crate) use clef_oracle::process::Call;
use clef_oracle::process::{self, Feed};
use libtest_mimic::Failed;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
    time::Duration,
};

/// The time limit of a call; beyond it, something hangs.
pub(crate) const LONGEST: Duration = Duration::from_secs(120);

/// The binary, or why there is none.
static BINARY: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| match std::env::var_os("CLEFC") {
    Some(path) => Ok(path.into()),
    None => build(),
});

/// The path of the binary.
pub(crate) fn binary() -> Result<&'static Path, Failed> {
    Ok(BINARY.as_deref().map_err(String::as_str)?)
}

/// Builds the binary, in the profile of this harness, and gets its path from Cargo.
fn build() -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--package", "clefc", "--bin", "clefc", "--message-format", "json-render-diagnostics"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let built = cargo.current_dir(ROOT).stderr(Stdio::piped()).output().map_err(|error| error.to_string())?;
    if !built.status.success() {
        return Err(format!("clefc cannot be built:\n{}", String::from_utf8_lossy(&built.stderr)));
    }
    let messages = String::from_utf8_lossy(&built.stdout).into_owned();
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "clefc")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| "Cargo names no executable of clefc".to_owned())
}

/// Calls the compiler in the root of the test data.
pub(crate) fn clefc<S: AsRef<std::ffi::OsStr>>(arguments: &[S], input: &[u8]) -> Result<Call, Failed> {
    clefc_in(Path::new(ROOT), arguments, input)
}

/// The same with an input that is given at this time.
pub(crate) fn clefc_fed<S: AsRef<std::ffi::OsStr>>(arguments: &[S], input: &[u8], feed: Feed) -> Result<Call, Failed> {
    let mut command = Command::new(binary()?);
    command.arg("--color=never").args(arguments).current_dir(ROOT);
    Ok(process::call_fed(&mut command, input, feed, LONGEST)?)
}

/// Calls the compiler in a directory.
pub(crate) fn clefc_in<S: AsRef<std::ffi::OsStr>>(
    directory: &Path,
    arguments: &[S],
    input: &[u8],
) -> Result<Call, Failed> {
    call(Command::new(binary()?).arg("--color=never").args(arguments).current_dir(directory), input, LONGEST)
}

/// Runs a program with this standard input, to its end.
pub(crate) fn call(command: &mut Command, input: &[u8], longest: Duration) -> Result<Call, Failed> {
    Ok(process::call(command, input, longest)?)
}
