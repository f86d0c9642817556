//! `clefc fmt`: which files it reads and writes, and what it reports.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

const UNTIDY: &str = "let  x=1\n\n\n\nlet y=[2;3]   // why\n";
const TIDY: &str = "let x = 1\n\nlet y = [ 2; 3 ] // why\n";

fn clefc(directory: &Path, arguments: &[&str], input: &str) -> Output {
    let mut clefc = Command::new(env!("CARGO_BIN_EXE_clefc"));
    clefc.arg("fmt").args(arguments).current_dir(directory);
    clefc.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = clefc.spawn().expect("clefc starts");
    // A command that reads no input may have closed it.
    let _ = child.stdin.take().expect("it is a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("clefc ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    for (name, content) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it is writable");
        fs::write(path, content).expect("it is writable");
    }
    directory
}

fn content(directory: &TempDir, name: &str) -> String {
    fs::read_to_string(directory.path().join(name)).expect("it is readable")
}

#[test]
fn formats_the_files_of_the_directory() {
    let made =
        directory(&[("a.clef", UNTIDY), ("inner/b.fs", UNTIDY), ("tidy.clef", TIDY), (".hidden/c.clef", UNTIDY)]);
    let before = fs::metadata(made.path().join("tidy.clef")).and_then(|data| data.modified()).expect("it is there");
    let output = clefc(made.path(), &[], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "formatted a.clef\nformatted inner/b.fs\n");
    assert_eq!((content(&made, "a.clef").as_str(), content(&made, "inner/b.fs").as_str()), (TIDY, TIDY));
    assert_eq!(content(&made, ".hidden/c.clef"), UNTIDY);
    let after = fs::metadata(made.path().join("tidy.clef")).and_then(|data| data.modified()).expect("it is there");
    assert_eq!(before, after);
}

#[test]
fn check_writes_nothing() {
    let made = directory(&[("a.clef", UNTIDY), ("tidy.clef", TIDY)]);
    let output = clefc(made.path(), &["--check"], "");
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(shown.starts_with("a.clef\n@@ line 1 @@\n-let  x=1\n") && shown.contains("\n+let x = 1\n"), "{shown}");
    assert!(!shown.contains("tidy.clef"), "{shown}");
    assert_eq!(content(&made, "a.clef"), UNTIDY);
    assert!(clefc(made.path(), &["--check", "tidy.clef"], "").status.success());
}

#[test]
fn formats_standard_input_and_lines() {
    let made = directory(&[("a.clef", UNTIDY), ("b.clef", TIDY)]);
    let output = clefc(made.path(), &["--stdin"], UNTIDY);
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), (TIDY, Some(0)));
    assert_eq!(clefc(made.path(), &["--stdin", "--check"], UNTIDY).status.code(), Some(1));
    assert!(clefc(made.path(), &["--range", "1:1", "a.clef"], "").status.success());
    assert_eq!(content(&made, "a.clef"), "let x = 1\n\n\n\nlet y=[2;3]   // why\n");
    for (arguments, expected) in [
        (vec!["--lines", "1:1", "a.clef", "b.clef"], "`--lines` is for one file"),
        (vec!["--lines", "2:1", "a.clef"], "expected two line numbers"),
        (vec!["--lines", "0:1", "a.clef"], "expected two line numbers"),
        (vec!["--stdin", "a.clef"], "cannot be used with"),
    ] {
        let output = clefc(made.path(), &arguments, "");
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}\n{}", text(&output.stderr));
    }
}

#[test]
fn errors_leave_the_other_files_formatted() {
    let made = directory(&[("a.clef", "let x =\n"), ("b.clef", UNTIDY), ("c.txt", ""), ("empty/d.txt", "")]);
    let output = clefc(made.path(), &["a.clef", "b.clef"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--> a.clef:1:"), "{}", text(&output.stderr));
    assert_eq!((content(&made, "a.clef").as_str(), content(&made, "b.clef").as_str()), ("let x =\n", TIDY));
    for (argument, expected) in [
        ("c.txt", "error[E0004]"),
        ("none.clef", "error[E0001]"),
        ("empty", "error[E0001]: no source files in `empty`"),
    ] {
        let output = clefc(made.path(), &[argument], "");
        assert!(text(&output.stderr).contains(expected), "{argument}\n{}", text(&output.stderr));
    }
}
