//! Programs that are linked with C: `foreign/name.clef` with `foreign/name.c`, which clang compiles for each board.

use crate::{
    ROOT,
    board::{LEVELS, TIMEOUT, missing},
    compiler::{call, clefc},
    expectation::compare_with_file,
    stem, tool,
};
use clef_target::{LinkerEmulation, Machine, Target};
use libtest_mimic::{Failed, Trial};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

/// The C compiler of the LLVM that the compiler is built with: it knows every target.
static CLANG: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let prefix = std::env::var_os("MLIR_SYS_220_PREFIX");
    let beside = prefix.map(|prefix| Path::new(&prefix).join("bin/clang")).filter(|file| file.is_file());
    beside.or_else(|| tool::find("clang-22"))
});

/// The trials of a program on all boards; the levels of optimisation take turns.
pub(crate) fn trials(path: &Path, boards: &[Machine]) -> Vec<Trial> {
    let name = stem(path);
    let one = |(turn, machine): (usize, &Machine)| trial(&name, machine, LEVELS[turn % LEVELS.len()]);
    boards.iter().enumerate().map(one).collect()
}

fn trial(name: &str, machine: &Machine, level: &'static str) -> Trial {
    let board = machine.board.value.name.clone();
    let emulator = missing(&machine.board.value);
    let (name, target) = (name.to_owned(), machine.target.value.clone());
    let title = format!("foreign::{name}::{board}-O{level}");
    let Some(clang) = &*CLANG else { return tool::ignored(Trial::test(title, || Ok(())), "clang of LLVM 22") };
    let trial = Trial::test(title, move || run(clang, &name, &target, &board, level));
    match emulator {
        Some(emulator) => tool::ignored(trial, &emulator),
        None => trial,
    }
}

fn run(clang: &Path, name: &str, target: &Target, board: &str, level: &str) -> Result<(), Failed> {
    let object = object(clang, name, target, board)?;
    let (object, level, source) =
        (object.to_string_lossy().into_owned(), format!("-O{level}"), format!("foreign/{name}.clef"));
    let arguments = ["run", "--board", board, &level, "--timeout", TIMEOUT, "--link", &object, &source];
    let call = clefc(&arguments, b"")?;
    if call.status != Some(0) {
        let line = arguments.join(" ");
        return Err(format!("clefc {line} ended with {:?}:\n{}", call.status, call.errors).into());
    }
    let expected = Path::new(ROOT).join(format!("foreign/{name}.out"));
    compare_with_file(&expected, &String::from_utf8_lossy(&call.output))
}

/// Compiles the C file for a target.
fn object(clang: &Path, name: &str, target: &Target, board: &str) -> Result<PathBuf, Failed> {
    let object = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{board}.o"));
    let processor = match target.linker {
        LinkerEmulation::ElfX86_64 => format!("-march={}", target.cpu),
        LinkerEmulation::Armelf | LinkerEmulation::Aarch64elf => format!("-mcpu={}", target.cpu),
    };
    let mut command = Command::new(clang);
    command.arg(format!("--target={}", target.triple)).arg(processor);
    command.args(["-std=c11", "-O1", "-ffreestanding", "-Wall", "-Werror", "-c", "-o"]).arg(&object);
    let compiled = call(command.arg(Path::new(ROOT).join(format!("foreign/{name}.c"))), b"")?;
    match compiled.status {
        Some(0) => Ok(object),
        status => Err(format!("clang ended with {status:?}:\n{}", compiled.errors).into()),
    }
}
