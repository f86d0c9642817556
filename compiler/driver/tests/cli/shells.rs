//! What is typed: completions of shells, and expressions.

use crate::{clefc, output, refused, workshop};
use std::{fs, path::Path};

/// The words that clefc proposes for the last of these.
fn proposals(directory: &Path, words: &[&str]) -> Vec<String> {
    let index = (words.len() - 1).to_string();
    let asked = [&["--", "clefc"], &words[1..]].concat();
    let mut command = clefc(directory, &asked);
    command.env("CLEFC_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
    let (status, printed, stderr) = output(&mut command);
    assert_eq!(status, 0, "{stderr}");
    printed.lines().map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn completions_ask_clefc() {
    let directory = workshop();
    let path = directory.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, script, _) = output(&mut clefc(path, &["completions", shell]));
        assert!(status == 0 && script.contains("CLEFC_COMPLETE"), "{shell}");
    }
    fs::write(path.join("notes.txt"), "").expect("it is writable");
    fs::write(path.join("own.yaml"), "").expect("it is writable");
    for (words, expected) in [
        (&["clefc", "expl"][..], &["explain"][..]),
        (&["clefc", "run", "--board", "micr"], &["microbit", "microbit-v2"]),
        (&["clefc", "test", "-b", "own"], &["own.yaml"]),
        (&["clefc", "--target", "thumbv7em"], &["thumbv7em", "thumbv7em-hf"]),
        (&["clefc", "board", "show", "rpi-pico-"], &["rpi-pico-2"]),
        (&["clefc", "target", "show", "x86_64-l"], &["x86_64-linux"]),
        (&["clefc", "explain", "E060"], &["E0601", "E0602", "E0603", "E0604", "E0605", "E0606"]),
        (&["clefc", "check", ""], &["good.clef"]),
        (&["clefc", "build", "--format", "u"], &["uf2"]),
    ] {
        let found = proposals(path, words);
        let arguments: Vec<&String> = found.iter().filter(|word| !word.starts_with('-')).collect();
        assert_eq!(arguments, expected, "{words:?}");
    }
}

#[test]
fn expressions_are_evaluated() {
    let directory = workshop();
    let path = directory.path();
    for (expression, expected) in [
        ("List.sum [1; 2; 3]", "6 : int\n"),
        ("let f x = x * 2\nf 21, \"a\"", "(42, \"a\") : int * string\n"),
        ("printfn \"hi\"", "hi\n"),
        ("-5", "-5 : int\n"),
        ("let size<'a> = sizeof<'a>\nsize<int16>, size<int64 * byte>", "(2, 16) : int * int\n"),
        (FIELD, "Fast : Speed\n"),
    ] {
        let (status, printed, stderr) = output(&mut clefc(path, &["eval", expression]));
        assert_eq!((status, printed.as_str()), (0, expected), "{stderr}");
    }
    let (status, printed, stderr) = output(&mut clefc(path, &["eval", "1 / (2 - 2)"]));
    assert_eq!((status, printed.as_str(), stderr.as_str()), (101, "", "trap: division by zero at <eval>:1:1\n"));
    refused(path, &["eval", "1 + \"a\""], &["<eval>:1:5"]);
    let narrow = "let inline narrow x = Checked.byte x\nnarrow 255, narrow 256";
    let (status, _, stderr) = output(&mut clefc(path, &["eval", narrow]));
    assert_eq!((status, stderr.as_str()), (101, "trap: arithmetic overflow at <eval>:1:23\n"));
    refused(
        path,
        &["eval", &FIELD.replace("Register.readable,", "Register.notReadable,")],
        &["<eval>:6:14", "notReadable"],
    );
}

/// A field of a register whose values are an enum.
const FIELD: &str = "\
[<Measure>] type control
type Speed =
    | Slow = 0
    | Fast = 2
let speed: Register.Field<control, Speed, Register.readable, Register.writable> = { Shift = 1; Width = 2 }
Register.get speed (Register.ofBits 5u)";
