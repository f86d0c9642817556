//! The one harness over everything: each file of test data is one or more trials.
//!
//! - `run/*.clef` are programs with what they write. Each runs on the reference interpreter with words of 32 and of 64
//!   bits, as a process of this machine, and in an emulator of every family; all must agree.
//! - `ui/*.clef` are programs with the rendering of their diagnostics.
//! - `phases/*.md` are documents that show what each phase makes of a source text.
//! - `mlir/*.clef` are programs with a few exact lines of what code generation makes of them.
//! - `image/*.clef` are programs with what their ELF files must be like.
//!
//! `UPDATE=1 cargo test -p clef-tests` writes the expectations anew. `LEVELS=all` runs every program at every level of
//! optimisation on every board. `CLEFC=path` tests that binary instead of building one.

mod board;
mod compiler;
mod expectation;
mod image;
mod interpreter;
mod phase;
mod program;
mod shape;
mod ui;

use libtest_mimic::{Arguments, Failed, Trial};
use program::Program;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The directory of the test data, from which the compiler is called, so that names of files are short.
pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(failed) => {
            eprintln!("the test data cannot be read: {}", failed.message().unwrap_or("for no known reason"));
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    let boards = board::boards()?;
    for (index, path) in files("run", "clef")?.iter().enumerate() {
        let program = Program::read(path)?;
        trials.extend(interpreter::trials(&program));
        trials.extend(board::trials(index, &program, &boards));
    }
    trials.extend(files("ui", "clef")?.into_iter().map(ui::trial));
    for document in files("phases", "md")? {
        trials.extend(phase::trials(&document)?);
    }
    trials.extend(files("mlir", "clef")?.into_iter().map(shape::trial));
    trials.extend(files("image", "clef")?.into_iter().map(image::trial));
    Ok(trials)
}

/// The files of a directory of the test data with that ending, in order.
fn files(directory: &str, extension: &str) -> Result<Vec<PathBuf>, Failed> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(Path::new(ROOT).join(directory))? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The name of a file without directory and ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The values of the comments `// key: value` of a source text.
pub(crate) fn directives(source: &str, key: &str) -> Vec<String> {
    let values = source.lines().filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(':'));
    values.map(|value| value.trim().to_owned()).collect()
}
