//! The page of every diagnostic about source text has an example, and compiling it leads to that diagnostic.

use std::{fs, process::Command};

/// The first ` ```clef ` block of a page.
fn example(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("```clef\n")?;
    Some(rest.split_once("```").expect("a block has an end").0)
}

#[test]
fn examples_lead_to_their_codes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut wrong = Vec::new();
    for (code, page) in clef_base::codes::PAGES {
        assert!(page.starts_with(&format!("# {}: ", code.0)), "the title of {}", code.0);
        let Some(example) = example(page) else { continue };
        let file = directory.path().join(format!("{}.clef", code.0));
        fs::write(&file, example).expect("it is writable");
        let output = Command::new(env!("CARGO_BIN_EXE_clefc")).arg("check").arg(&file).output().expect("clefc starts");
        let shown = String::from_utf8_lossy(&output.stderr);
        let first = shown.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(first, _)| first);
        if first != Some(code.0) {
            wrong.push(format!("{}: {}", code.0, first.unwrap_or("nothing")));
        }
    }
    assert!(wrong.is_empty(), "the first code of an example is another one: {wrong:?}");
}
