//! Diagnostics: `clefc check` of each program of `ui/` writes what stands beside it.

use crate::{compiler::clefc, expectation::compare_with_file, stem};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// The trial of a program.
pub(crate) fn trial(path: PathBuf) -> Trial {
    Trial::test(format!("ui::{}", stem(&path)), move || check(&path))
}

fn check(path: &Path) -> Result<(), Failed> {
    let file = format!("ui/{}.clef", stem(path));
    let call = clefc(&["check", &file], b"")?;
    let refused = call.errors.lines().any(|line| line.starts_with("error"));
    if call.status != Some(i32::from(refused)) {
        return Err(format!("status {:?} with\n{}", call.status, call.errors).into());
    }
    if !call.output.is_empty() {
        return Err(format!("there is standard output:\n{}", String::from_utf8_lossy(&call.output)).into());
    }
    compare_with_file(&path.with_extension("stderr"), &call.errors)
}
