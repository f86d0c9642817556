//! The command line from outside: every bad input gets a clear error and status 1, and leaves no file behind.

mod descriptors;
mod diagnostics;
mod images;
mod libraries;
mod options;
mod projects;
mod shells;
mod sources;

use std::{
    ffi::OsStr,
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// A directory with one good source file, `good.clef`.
fn workshop() -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("good.clef"), "let x = 1\n").expect("it is writable");
    directory
}

fn clefc<Argument: AsRef<OsStr>>(directory: &Path, arguments: &[Argument]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clefc"));
    command.args(arguments).current_dir(directory).stdin(Stdio::null()).env_remove("NO_COLOR");
    command
}

fn output(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("clefc can be started");
    let text = |bytes| String::from_utf8(bytes).expect("clefc writes UTF-8");
    (status.code().expect("clefc ends by itself"), text(stdout), text(stderr))
}

/// Writes files into a directory, which may be in directories of their own.
fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("it is writable");
        fs::write(path, text).expect("it is writable");
    }
}

/// The names in a directory.
fn listing(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Asserts that clefc rejects the arguments with status 1, prints each part to standard error, and writes no file.
fn refused(directory: &Path, arguments: &[&str], parts: &[&str]) {
    let before = listing(directory);
    let (status, stdout, stderr) = output(&mut clefc(directory, arguments));
    assert_eq!(status, 1, "{arguments:?}\n{stderr}");
    assert_eq!(stdout, "", "{arguments:?}");
    for part in parts {
        assert!(stderr.contains(part), "{arguments:?}: {part:?} is missing in\n{stderr}");
    }
    assert!(!stderr.contains("panicked") && !stderr.contains("internal compiler error"), "{arguments:?}\n{stderr}");
    assert_eq!(listing(directory), before, "{arguments:?}");
}

/// The JSON objects on standard error, one a line.
fn messages(stderr: &str) -> Vec<serde_json::Value> {
    stderr.lines().map(|line| serde_json::from_str(line).expect("each line is an object")).collect()
}
