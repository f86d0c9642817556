//! Source files that cannot be used, and difficult ones.

use crate::{clefc, output, refused, workshop};
use std::fs;

#[test]
fn unusable_source_files() {
    let directory = workshop();
    let path = directory.path();
    fs::create_dir(path.join("folder.clef")).expect("it is writable");
    fs::write(path.join("latin.clef"), b"let x = \"gr\xfc\xdfe\"\n").expect("it is writable");
    fs::write(path.join("notes.txt"), "let x = 1\n").expect("it is writable");
    for command in [&["--emit", "tokens"][..], &["check"], &["run"], &["--emit", "elf", "-o", "out"], &[]] {
        let refused = |file: &str, parts: &[&str]| refused(path, &[command, &[file]].concat(), parts);
        refused("none.clef", &["E0001", "none.clef", "no such file"]);
        refused("folder.clef", &["E0012", "no project in `folder.clef`"]);
        refused("latin.clef", &["E0002", "not valid UTF-8", "0xfc", "offset 11", "line 1"]);
        refused("notes.txt", &["E0004", "`.clef`"]);
    }
}

#[test]
fn every_unusable_file_is_named() {
    let directory = workshop();
    let arguments = ["--emit", "tokens", "a.clef", "good.clef", "b.txt", "good.clef"];
    refused(directory.path(), &arguments, &["a.clef", "b.txt", "`good.clef` is given twice"]);
}

#[test]
fn difficult_texts_do_no_harm() {
    let directory = workshop();
    let path = directory.path();
    fs::write(path.join("line.clef"), format!("let x = {}\n", "1 + ".repeat(250_000) + "1")).expect("it is writable");
    let nested = format!("let x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000));
    fs::write(path.join("nested.clef"), nested).expect("it is writable");
    fs::write(path.join("open.clef"), format!("let x = {}", "([{".repeat(10_000))).expect("it is writable");
    fs::write(path.join("empty.clef"), "").expect("it is writable");
    fs::write(path.join("nul.clef"), "let \0 = \u{feff}1\n").expect("it is writable");
    for file in ["line.clef", "nested.clef", "open.clef", "empty.clef", "nul.clef"] {
        let (status, _, stderr) = output(&mut clefc(path, &["check", file]));
        assert!(status == 0 || status == 1, "{file}: {status}\n{stderr}");
        assert!(!stderr.contains("internal compiler error"), "{file}\n{stderr}");
        assert!(stderr.len() < 200_000, "{file}: {} bytes of diagnostics", stderr.len());
    }
}
