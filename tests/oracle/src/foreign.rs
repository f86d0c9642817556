//! Objects of C files for a target.

use crate::process::{call, find};
use clef_base::SourceMap;
use clef_descriptors::{LinkerEmulation, Resolver, Target};
use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    time::Duration,
};

/// The C source of foreign functions that programs call.
pub(crate) const SOURCE: &str = include_str!("foreign.c");

/// The C compiler of the LLVM that the compiler is built with: it supports every target.
static CLANG: LazyLock<Option<PathBuf>> = LazyLock::new(|| of_llvm("clang"));

/// The time limit for compiling a file.
const LONGEST: Duration = Duration::from_secs(60);

/// A program of LLVM 22: from the one that is built with, or from the search path.
pub fn of_llvm(program: &str) -> Option<PathBuf> {
    let prefix = std::env::var_os("MLIR_SYS_220_PREFIX");
    let beside = prefix.map(|prefix| Path::new(&prefix).join("bin").join(program)).filter(|file| file.is_file());
    beside.or_else(|| find(&format!("{program}-22")))
}

/// Whether the C compiler is installed.
pub fn is_there() -> bool {
    CLANG.is_some()
}

/// The shipped target with this name.
pub(crate) fn target(name: &str) -> io::Result<Target> {
    let nothing = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let mut sources = SourceMap::default();
    let target = Resolver::new(&mut sources, &nothing).target(name);
    target.map(|target| target.value).map_err(|_| io::Error::other(format!("unknown target `{name}`")))
}

/// Compiles a C file for a target.
pub fn compile(source: &Path, target: &Target, object: &Path) -> io::Result<()> {
    let clang = CLANG.as_ref().ok_or_else(|| io::Error::other("cannot find clang of LLVM 22"))?;
    let processor = match target.linker {
        LinkerEmulation::ElfX86_64 => format!("-march={}", target.cpu),
        LinkerEmulation::Armelf | LinkerEmulation::Aarch64elf => format!("-mcpu={}", target.cpu),
    };
    let mut command = Command::new(clang);
    command.arg(format!("--target={}", target.triple)).arg(processor);
    command.args(["-std=c11", "-O1", "-ffreestanding", "-ffp-contract=off", "-Wall", "-Werror", "-c", "-o"]);
    command.arg(object).arg(source);
    let made = call(&mut command, b"", LONGEST)?;
    match made.status {
        Some(0) => Ok(()),
        status => Err(io::Error::other(format!("{command:?} ended with {status:?}:\n{}", made.errors))),
    }
}
