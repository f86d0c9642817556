//! Compilers of other languages: compile the files of `foreign/` to objects and archives for a target.

use crate::{
    ROOT,
    compiler::{LONGEST, call},
    tool,
};
use clef_descriptors::Target;
use clef_oracle::foreign::{compile, is_there, of_llvm};
use libtest_mimic::Failed;
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

/// The archiver.
static ARCHIVER: LazyLock<Option<PathBuf>> = LazyLock::new(|| of_llvm("llvm-ar"));

static RUSTC: LazyLock<Option<PathBuf>> = LazyLock::new(|| tool::find("rustc"));

/// What a program is linked with.
#[derive(Clone, Debug)]
pub(crate) enum Foreign {
    /// The object of a C file.
    Object(String),
    /// An archive of the objects of C files.
    Archive(Vec<String>),
    /// The archive of a Rust file with the library that it needs.
    Rust(String),
}

impl Foreign {
    /// What is missing on this machine to compile it.
    pub(crate) fn missing(&self) -> Option<&'static str> {
        let clang = (is_there(), "clang of LLVM 22");
        let wanted = match self {
            Foreign::Object(_) => vec![clang],
            Foreign::Archive(_) => vec![clang, (ARCHIVER.is_some(), "llvm-ar of LLVM 22")],
            Foreign::Rust(_) => vec![(RUSTC.is_some(), "rustc")],
        };
        wanted.into_iter().find(|(is_there, _)| !is_there).map(|(_, name)| name)
    }

    /// Compiles it for a target; returns the path of the object or archive.
    pub(crate) fn make(&self, target: &Target, directory: &Path) -> Result<PathBuf, Failed> {
        match self {
            Foreign::Object(source) => object(source, target, directory),
            Foreign::Archive(sources) => {
                let archive = directory.join("library.a");
                let mut command = command(&ARCHIVER)?;
                command.arg("rc").arg(&archive);
                for source in sources {
                    command.arg(object(source, target, directory)?);
                }
                finish(command, archive)
            }
            Foreign::Rust(source) => {
                let archive = directory.join("library.a");
                let mut command = command(&RUSTC)?;
                command.args(["--edition", "2024", "--crate-type", "staticlib", "-C", "panic=abort", "-O"]);
                command.args(["--target", &target.runtime, "-o"]).arg(&archive).arg(source_path(source));
                // The toolchain of the workspace has the library for every target.
                command.current_dir(ROOT);
                finish(command, archive)
            }
        }
    }
}

/// Compiles a C file.
fn object(source: &str, target: &Target, directory: &Path) -> Result<PathBuf, Failed> {
    let object = directory.join(source).with_extension("o");
    compile(&source_path(source), target, &object)?;
    Ok(object)
}

fn source_path(source: &str) -> PathBuf {
    Path::new(ROOT).join("foreign").join(source)
}

fn command(program: &Option<PathBuf>) -> Result<Command, Failed> {
    Ok(Command::new(program.as_ref().ok_or("a tool is missing")?))
}

/// Runs a tool that makes a file.
fn finish(mut command: Command, product: PathBuf) -> Result<PathBuf, Failed> {
    let made = call(&mut command, b"", LONGEST)?;
    match made.status {
        Some(0) => Ok(product),
        status => Err(format!("{command:?} ended with {status:?}:\n{}", made.errors).into()),
    }
}
