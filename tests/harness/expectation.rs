//! Comparison with expectations, and their update.

use libtest_mimic::Failed;
use std::path::Path;

/// Whether to write expectations rather than compare with them.
pub(crate) fn updating() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value != "0")
}

/// Compares with the content of a file, or writes it.
pub(crate) fn compare_with_file(path: &Path, actual: &str) -> Result<(), Failed> {
    if updating() {
        return Ok(std::fs::write(path, actual)?);
    }
    let expected = std::fs::read_to_string(path).map_err(|error| {
        format!("{}: {error}; `UPDATE=1 cargo test -p clef-tests` writes it. What came:\n{actual}", path.display())
    })?;
    compare(&expected, actual)
}

/// If the texts differ, fails with both, from the first line that differs.
pub(crate) fn compare(expected: &str, actual: &str) -> Result<(), Failed> {
    if expected == actual {
        return Ok(());
    }
    let same = expected.lines().zip(actual.lines()).take_while(|(expected, actual)| expected == actual).count();
    let rest = |text: &str| -> String { text.lines().skip(same).map(|line| format!("    {line}\n")).collect() };
    let ending =
        if expected.trim_end_matches('\n') == actual.trim_end_matches('\n') { " (only in line ends)" } else { "" };
    Err(format!("from line {} on{ending}, expected:\n{}got:\n{}", same + 1, rest(expected), rest(actual)).into())
}
