//! Runs programs on this machine.

use crate::Failure;
use std::{ffi::OsStr, path::Path, process::Command};

/// What the harness reports of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) checksum: i32,
    pub(crate) nanoseconds: u64,
    pub(crate) peak_kibibytes: u64,
}

/// A command for a size of the work.
pub(crate) fn sized(program: &OsStr, size: u32) -> Command {
    let mut command = Command::new(program);
    command.env("BENCH_SIZE", size.to_string());
    command
}

/// Runs a program.
pub(crate) fn run(program: &Path, size: u32) -> Result<Report, Failure> {
    let output = sized(program.as_os_str(), size)
        .output()
        .map_err(|error| format!("cannot start `{}`: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    report(&text).ok_or_else(|| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("`{}` ends with {} and no result: {}", program.display(), output.status, errors.trim())
    })
}

/// Reads the line of the harness.
fn report(text: &str) -> Option<Report> {
    let mut words = text.split_whitespace();
    let checksum = words.next()?.parse().ok()?;
    let nanoseconds = words.next()?.parse().ok()?;
    let peak_kibibytes = words.next()?.parse().ok()?;
    Some(Report { checksum, nanoseconds, peak_kibibytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        assert_eq!(report("-7 1200 340\n"), Some(Report { checksum: -7, nanoseconds: 1200, peak_kibibytes: 340 }));
        assert_eq!(report(""), None);
        assert_eq!(report("12 x 1"), None);
    }
}
