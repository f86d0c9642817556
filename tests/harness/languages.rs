//! Compilers of other languages: the files of `foreign/` become objects and archives for a target.

use crate::{
    ROOT,
    compiler::{LONGEST, call},
    tool,
};
use clef_target::{LinkerEmulation, Target};
use libtest_mimic::Failed;
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

/// The C compiler of the LLVM that the compiler is built with: it knows every target.
static CLANG: LazyLock<Option<PathBuf>> = LazyLock::new(|| of_llvm("clang"));

/// What makes archives.
static ARCHIVER: LazyLock<Option<PathBuf>> = LazyLock::new(|| of_llvm("llvm-ar"));

static RUSTC: LazyLock<Option<PathBuf>> = LazyLock::new(|| tool::find("rustc"));

/// A program of LLVM 22: of the one that is built with, or on the search path.
fn of_llvm(program: &str) -> Option<PathBuf> {
    let prefix = std::env::var_os("MLIR_SYS_220_PREFIX");
    let beside = prefix.map(|prefix| Path::new(&prefix).join("bin").join(program)).filter(|file| file.is_file());
    beside.or_else(|| tool::find(&format!("{program}-22")))
}

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
    /// What is missing on this machine to make it.
    pub(crate) fn missing(&self) -> Option<&'static str> {
        let wanted = match self {
            Foreign::Object(_) => vec![(&CLANG, "clang of LLVM 22")],
            Foreign::Archive(_) => vec![(&CLANG, "clang of LLVM 22"), (&ARCHIVER, "llvm-ar of LLVM 22")],
            Foreign::Rust(_) => vec![(&RUSTC, "rustc")],
        };
        wanted.into_iter().find(|(program, _)| program.is_none()).map(|(_, name)| name)
    }

    /// Makes it for a target; the path of the object or archive.
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
    let processor = match target.linker {
        LinkerEmulation::ElfX86_64 => format!("-march={}", target.cpu),
        LinkerEmulation::Armelf | LinkerEmulation::Aarch64elf => format!("-mcpu={}", target.cpu),
    };
    let mut command = command(&CLANG)?;
    command.arg(format!("--target={}", target.triple)).arg(processor);
    command.args(["-std=c11", "-O1", "-ffreestanding", "-Wall", "-Werror", "-c", "-o"]).arg(&object);
    command.arg(source_path(source));
    finish(command, object)
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
