//! Diagnostics: `clefc check` of each program of `ui/` writes what stands beside it, of a project what stands in it.

use crate::{compiler::clefc, expectation::compare_with_file, stem};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// The trial of a program.
pub(crate) fn trial(path: PathBuf) -> Trial {
    Trial::test(format!("ui::{}", stem(&path)), move || {
        check(&format!("ui/{}.clef", stem(&path)), &path.with_extension("stderr"))
    })
}

/// The trial of a project.
pub(crate) fn trial_of_project(directory: PathBuf) -> Trial {
    let name = format!("projects::{}", stem(&directory));
    Trial::test(name, move || check(&format!("projects/{}", stem(&directory)), &directory.join("expected.stderr")))
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
    compare_with_file(expected, &call.errors)
}
