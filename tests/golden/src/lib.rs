//! Golden files: what tests expect, in files next to them.
//!
//! In: a file and what a test makes. Out: nothing if they are the same, or else what differs. With `UPDATE=1` in the
//! environment the file is written instead.

use std::{env, fs, path::Path};

/// Begins each case of a document.
const CASE: &str = "=====\n";

/// Separates the source of a case from what is expected of it.
const EXPECTED: &str = "-----\n";

/// Whether files are written rather than compared.
pub fn is_updating() -> bool {
    env::var_os("UPDATE").is_some_and(|value| value != "0")
}

/// Compares with the content of a file, or writes it.
pub fn compare_with_file(path: &Path, actual: &str) -> Result<(), String> {
    let shown = path.display();
    if is_updating() {
        return fs::write(path, actual).map_err(|error| format!("cannot write {shown}: {error}"));
    }
    let expected = fs::read_to_string(path)
        .map_err(|error| format!("{shown}: {error}; `UPDATE=1` before the test writes it. What came:\n{actual}"))?;
    compare(&expected, actual).map_err(|difference| format!("{shown} (`UPDATE=1` rewrites it): {difference}"))
}

/// If the texts differ, fails with both, from the first line that differs.
pub fn compare(expected: &str, actual: &str) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    let same = expected.lines().zip(actual.lines()).take_while(|(expected, actual)| expected == actual).count();
    let rest = |text: &str| -> String { text.lines().skip(same).map(|line| format!("    {line}\n")).collect() };
    let ending =
        if expected.trim_end_matches('\n') == actual.trim_end_matches('\n') { " (only in line ends)" } else { "" };
    Err(format!("from line {} on{ending}, expected:\n{}got:\n{}", same + 1, rest(expected), rest(actual)))
}

/// Compares each case of a document with the output of `make` for its source, or rewrites the document. A case is a
/// line `=====`, a source, a line `-----`, and the output.
pub fn compare_document(path: &Path, make: impl Fn(&str) -> String) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let sources = text
        .split(CASE)
        .filter(|case| !case.trim().is_empty())
        .map(|case| case.split_once(EXPECTED).map_or(case, |(source, _)| source));
    let actual: String = sources.map(|source| format!("{CASE}{source}{EXPECTED}{}", make(source))).collect();
    compare_with_file(path, &actual)
}

/// Panics if a comparison failed, for tests that end by panics.
#[track_caller]
pub fn assert(comparison: Result<(), String>) {
    if let Err(difference) = comparison {
        panic!("{difference}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_begin_at_the_first_line_that_differs() {
        assert_eq!(compare("a\nb\n", "a\nb\n"), Ok(()));
        assert_eq!(compare("a\nb\n", "a\nc\n"), Err("from line 2 on, expected:\n    b\ngot:\n    c\n".to_owned()));
        assert!(compare("a\n", "a").is_err_and(|difference| difference.contains("only in line ends")));
    }
}
