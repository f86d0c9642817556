//! The dialect as others see it: `mlir-opt` reads the output of `clefc --emit mlir`, with only the shipped description
//! of the dialect.

use crate::{
    ROOT,
    compiler::{LONGEST, call, clefc},
    program::Program,
    stem, tool,
};
use libtest_mimic::{Failed, Trial};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

/// A board with 32-bit words, for programs that require them.
const BOARD_OF_32_BITS: &str = "microbit";

/// The tool of the LLVM that the compiler is built with.
static MLIR_OPT: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let prefix = std::env::var_os("MLIR_SYS_220_PREFIX");
    let beside = prefix.map(|prefix| Path::new(&prefix).join("bin/mlir-opt")).filter(|file| file.is_file());
    beside.or_else(|| tool::find("mlir-opt-22"))
});

/// The trials of a program of `mlir/`.
pub(crate) fn trials(path: &Path) -> Vec<Trial> {
    let name = format!("mlir::{}", stem(path));
    let file = format!("mlir/{}.clef", stem(path));
    ["0", "2"].iter().map(|level| trial(&name, &["-O", level], &file)).collect()
}

/// The trial of a program of `run/`.
pub(crate) fn trial_of(program: &Program) -> Trial {
    let other = (!program.fits_word(64)).then_some(BOARD_OF_32_BITS);
    let board = program.only_boards.iter().flatten().next().map(String::as_str).or(other);
    let arguments: Vec<&str> =
        ["-O", "2"].into_iter().chain(board.into_iter().flat_map(|name| ["--board", name])).collect();
    trial(&program.name, &arguments, &program.path)
}

fn trial(name: &str, arguments: &[&str], file: &str) -> Trial {
    let name = format!("{name}::mlir-opt{}", arguments.concat());
    let arguments: Vec<String> =
        ["--emit", "mlir", "-o", "-"].iter().chain(arguments).chain([&file]).map(|&text| text.to_owned()).collect();
    match &*MLIR_OPT {
        Some(tool) => Trial::test(name, move || check(tool, &arguments)),
        None => tool::ignored(Trial::test(name, || Ok(())), "mlir-opt of LLVM 22"),
    }
}

fn check(tool: &Path, arguments: &[String]) -> Result<(), Failed> {
    let module = clefc(arguments, b"")?;
    if module.status != Some(0) {
        return Err(format!("clefc {} ended with {:?}:\n{}", arguments.join(" "), module.status, module.errors).into());
    }
    let dialect = Path::new(ROOT).join("../compiler/mlir/clef.irdl.mlir");
    let read = call(Command::new(tool).arg(format!("--irdl-file={}", dialect.display())), &module.output, LONGEST)?;
    match read.status {
        Some(0) => Ok(()),
        status => Err(format!("mlir-opt ended with {status:?}:\n{}", read.errors).into()),
    }
}
