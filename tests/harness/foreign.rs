//! Programs that are linked with other languages, on every board.
//!
//! `foreign/name.clef` is linked with the object of `foreign/name.c`, or as a comment says:
//!
//! - `// archive: a.c b.c` is an archive of the objects of these files;
//! - `// rust: a.rs` is compiled by `rustc` as a library;
//! - `// bind: a.h` is a header, which `clefc bind` turns into the module `A`.
//!
//! An object is passed by `--link`, an archive by `link` in the `clef.toml` of a project.

use crate::{
    ROOT,
    board::{LEVELS, TIMEOUT, missing, within_bounds},
    compiler::clefc_in,
    directives,
    languages::Foreign,
    stem, tool,
};
use clef_descriptors::{Machine, Target};
use clef_golden::compare_with_file;
use libtest_mimic::{Failed, Trial};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The trials of a program on all boards; the optimisation levels alternate.
pub(crate) fn trials(path: &Path, boards: &[Machine]) -> Result<Vec<Trial>, Failed> {
    let (name, source) = (stem(path), fs::read_to_string(path)?);
    let archive = directives(&source, "archive").pop();
    let foreign = match (archive, directives(&source, "rust").pop()) {
        (Some(archive), _) => Foreign::Archive(archive.split_whitespace().map(str::to_owned).collect()),
        (None, Some(rust)) => Foreign::Rust(rust),
        (None, None) => Foreign::Object(format!("{name}.c")),
    };
    let header = directives(&source, "bind").pop();
    let one = |(turn, machine): (usize, &Machine)| {
        trial(&name, &foreign, header.as_deref(), machine, LEVELS[turn % LEVELS.len()])
    };
    Ok(boards.iter().enumerate().map(one).collect())
}

fn trial(name: &str, foreign: &Foreign, header: Option<&str>, machine: &Machine, level: &'static str) -> Trial {
    let board = machine.board.value.name.clone();
    let emulator = missing(&machine.board.value);
    let absent = foreign.missing().map(str::to_owned).or(emulator);
    let (name, foreign, target) = (name.to_owned(), foreign.clone(), machine.target.value.clone());
    let header = header.map(str::to_owned);
    let title = format!("foreign::{name}::{board}-O{level}");
    let trial = Trial::test(title, move || run(&name, &foreign, header.as_deref(), &target, &board, level));
    match absent {
        Some(absent) => tool::ignored(trial, &absent),
        None => trial,
    }
}

fn run(
    name: &str,
    foreign: &Foreign,
    header: Option<&str>,
    target: &Target,
    board: &str,
    level: &str,
) -> Result<(), Failed> {
    let directory = directory(&format!("{name}-{board}"))?;
    let file = format!("{name}.clef");
    fs::copy(Path::new(ROOT).join("foreign").join(&file), directory.join(&file))?;
    let made = foreign.make(target, &directory)?;
    let made = made.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let level = format!("-O{level}");
    let module = header.map(|header| bind(header, board, &directory)).transpose()?;
    let mut arguments = vec!["run", "--stats", "--board", board, &level, "--timeout", TIMEOUT];
    match foreign {
        Foreign::Object(_) => {
            arguments.extend(["--link", &made]);
            arguments.extend(module.as_deref().into_iter().chain([file.as_str()]));
        }
        Foreign::Archive(_) | Foreign::Rust(_) => {
            let project = format!("name = \"{name}\"\nsources = [\"{file}\"]\nlink = [\"{made}\"]\n");
            fs::write(directory.join("clef.toml"), project)?;
            arguments.push("clef.toml");
        }
    }
    let call = clefc_in(&directory, &arguments, b"")?;
    if call.status != Some(0) {
        let line = arguments.join(" ");
        return Err(format!("clefc {line} ended with {:?}:\n{}", call.status, call.errors).into());
    }
    within_bounds(&call.errors, &[])?;
    let expected = Path::new(ROOT).join(format!("foreign/{name}.out"));
    Ok(compare_with_file(&expected, &String::from_utf8_lossy(&call.output))?)
}

/// Binds a header; returns the file of the module. Nothing of it may be left out.
fn bind(header: &str, board: &str, directory: &Path) -> Result<String, Failed> {
    let module = format!("{}.clef", stem(Path::new(header)));
    let path = Path::new(ROOT).join("foreign").join(header);
    let arguments = ["bind", "--board", board, "--deny", "warnings", &path.to_string_lossy(), "-o", &module];
    let call = clefc_in(directory, &arguments, b"")?;
    match call.status {
        Some(0) => Ok(module),
        status => Err(format!("clefc {} ended with {status:?}:\n{}", arguments.join(" "), call.errors).into()),
    }
}

/// An empty directory for products.
fn directory(name: &str) -> Result<PathBuf, Failed> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign").join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    Ok(directory)
}
