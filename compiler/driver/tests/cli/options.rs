//! Options that do not fit, and where the output goes.

use crate::{clefc, listing, output, refused, workshop};
use std::fs::{self, File};

#[test]
fn a_mistyped_command_is_recognised() {
    let directory = workshop();
    refused(directory.path(), &["chekc"], &["E0004", "did you mean the command `clefc check`?"]);
}

#[test]
fn unusable_outputs() {
    let directory = workshop();
    let path = directory.path();
    fs::create_dir(path.join("folder")).expect("it is writable");
    let refused = |out: &str, parts: &[&str]| refused(path, &["--emit", "tokens", "-o", out, "good.clef"], parts);
    refused("folder", &["E0003", "it is a directory"]);
    refused("none/out", &["E0003", "no such directory"]);
    refused("good.clef", &["E0005", "would overwrite the input"]);
    refused("./good.clef", &["E0005", "would overwrite the input"]);
    refused("good.clef/out", &["E0003"]);
    refused("/proc/out", &["E0003"]);
    assert_eq!(fs::read_to_string(path.join("good.clef")).expect("it is there"), "let x = 1\n");
}

#[test]
fn options_that_do_not_fit() {
    let directory = workshop();
    let path = directory.path();
    for (arguments, part) in [
        (&["--emit", "tokens,ast", "-o", "x", "good.clef"][..], "E0005"),
        (&["--emit", "elf", "-o", "-", "good.clef"], "cannot write `elf` to standard output"),
        (&["--emit", "tokens", "-O", "s", "good.clef"], "`-O` has no effect"),
        (&["--emit", "tokens", "-g", "good.clef"], "`-g` has no effect"),
        (&["--board", "microbit", "check", "good.clef"], "before a command"),
        (&["--target", "thumbv6m", "--board", "microbit", "good.clef"], "cannot be used with"),
        (&["-O", "4", "good.clef"], "possible values: 0, g, 1, 2, 3, s, z"),
        (&["--emit", "llvm", "good.clef"], "llvm-ir"),
        (&["--optimise", "good.clef"], "--optimise"),
        (&["run", "--timeout", "never", "good.clef"], "a number of seconds"),
        (&["run", "--timeout", "0", "good.clef"], "greater than zero"),
        (&["check"], "E0012"),
        (&["run"], "no project in this directory"),
        (&["--emit", "ast"], "no source file given"),
        (&["explain", "E99999"], "E0006"),
        (&["completions", "klingon"], "possible values"),
    ] {
        refused(path, arguments, &[part]);
    }
    let (status, _, stderr) = output(&mut clefc::<&str>(path, &[]));
    assert_eq!(status, 1);
    assert!(stderr.contains("Usage:"), "{stderr}");
}

#[test]
fn text_goes_to_standard_output_or_a_file() {
    let directory = workshop();
    let path = directory.path();
    let (status, printed, _) = output(&mut clefc(path, &["--emit", "tokens", "good.clef"]));
    assert_eq!(status, 0);
    assert!(printed.contains("let x"), "{printed}");
    let (status, dash, _) = output(&mut clefc(path, &["--emit", "tokens", "-o", "-", "good.clef"]));
    assert_eq!((status, &dash), (0, &printed));
    let (status, nothing, _) = output(&mut clefc(path, &["--emit", "tokens", "-o", "t", "good.clef"]));
    assert_eq!((status, nothing.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(path.join("t")).expect("it was written"), printed);
    assert_eq!(listing(path), ["good.clef", "t"]);
}

#[test]
fn colour_is_for_terminals_or_by_request() {
    let directory = workshop();
    let coloured = |arguments: &[&str]| output(&mut clefc(directory.path(), arguments)).2.contains('\u{1b}');
    assert!(!coloured(&["check", "none.clef"]));
    assert!(coloured(&["check", "none.clef", "--color", "always"]));
    assert!(!coloured(&["check", "none.clef", "--color", "never"]));
}

#[test]
fn a_reader_that_goes_away_is_no_error_and_a_full_disk_is_one() {
    let directory = workshop();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status =
        clefc(directory.path(), &["completions", "zsh"]).stdout(writer).status().expect("clefc can be started");
    assert_eq!(status.code(), Some(0));
    if let Ok(full) = File::options().write(true).open("/dev/full") {
        let (status, _, stderr) = output(clefc(directory.path(), &["targets"]).stdout(full));
        assert_eq!(status, 1);
        assert!(stderr.contains("E0003"), "{stderr}");
    }
}
