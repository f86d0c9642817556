//! Diagnostics: the output of `clefc check` for each program of `ui/` is in a file next to it, and for a project in a
//! file inside it. A program with a comment `// build: OPTIONS` is compiled with these options, and rejected.

use crate::{compiler::clefc, directives, stem};
use clef_golden::compare_with_file;
use libtest_mimic::{Failed, Trial};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The trial of a program.
pub(crate) fn trial(path: PathBuf) -> Trial {
    Trial::test(format!("ui::{}", stem(&path)), move || {
        let program = format!("ui/{}.clef", stem(&path));
        let expected = path.with_extension("stderr");
        match directives(&fs::read_to_string(&path)?, "build").first() {
            Some(options) => refused(&program, options, &expected),
            None => check(&program, &expected),
        }
    })
}

/// The trial of a project.
pub(crate) fn trial_of_project(directory: PathBuf) -> Trial {
    let name = format!("projects::{}", stem(&directory));
    Trial::test(name, move || check(&format!("projects/{}", stem(&directory)), &directory.join("expected.stderr")))
}

/// Compiles a program that must be rejected; its diagnostics must be those of the file `expected`.
fn refused(program: &str, options: &str, expected: &Path) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let image = directory.path().join("image");
    let options: Vec<&Path> = options.split_whitespace().map(Path::new).collect();
    let call = clefc(&[&options[..], &[Path::new("-o"), &image, Path::new(program)]].concat(), b"")?;
    if call.status != Some(1) || image.exists() {
        return Err(format!("status {:?} with\n{}", call.status, call.errors).into());
    }
    Ok(compare_with_file(expected, &call.errors)?)
}

/// Checks a program or project; its diagnostics must be those of the file `expected`.
fn check(program: &str, expected: &Path) -> Result<(), Failed> {
    let call = clefc(&["check", program], b"")?;
    let refused = call.errors.lines().any(|line| line.starts_with("error"));
    if call.status != Some(i32::from(refused)) {
        return Err(format!("status {:?} with\n{}", call.status, call.errors).into());
    }
    if !call.output.is_empty() {
        return Err(format!("there is standard output:\n{}", String::from_utf8_lossy(&call.output)).into());
    }
    Ok(compare_with_file(expected, &call.errors)?)
}
