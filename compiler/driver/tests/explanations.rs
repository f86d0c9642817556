//! The page of every diagnostic about source text has an example that leads to it (` ```clef,error `), and one that shows it
//! fixed (` ```clef `).

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// Codes without a fixed example, which would be too long to show.
const WITHOUT_FIXED: [&str; 1] = ["E0218"];

/// The blocks of a page that open with three backquotes and a word.
fn examples<'a>(page: &'a str, word: &str) -> Vec<&'a str> {
    let opener = format!("```{word}\n");
    let blocks = page.split(&opener).skip(1);
    blocks.map(|block| block.split_once("```").expect("a block has an end").0).collect()
}

fn check(directory: &Path, name: &str, example: &str) -> (bool, String) {
    let file = directory.join(format!("{name}.clef"));
    fs::write(&file, example).expect("it is writable");
    let Output { status, stderr, .. } =
        Command::new(env!("CARGO_BIN_EXE_clefc")).arg("check").arg(&file).output().expect("clefc starts");
    (status.success(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn wrong_examples_lead_to_their_codes_and_fixed_ones_do_not() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut wrong = Vec::new();
    for (code, page) in clef_base::codes::PAGES {
        assert!(page.starts_with(&format!("# {}: ", code.0)), "the title of {}", code.0);
        let (failing, fixed) = (examples(page, "clef,error"), examples(page, "clef"));
        for example in &failing {
            let (_, shown) = check(directory.path(), code.0, example);
            let first = shown.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(first, _)| first);
            if first != Some(code.0) {
                wrong.push(format!("{}: the first code of its example is {}", code.0, first.unwrap_or("nothing")));
            }
        }
        if !failing.is_empty() && fixed.is_empty() && !WITHOUT_FIXED.contains(&code.0) {
            wrong.push(format!("{}: no fixed example", code.0));
        }
        for example in fixed {
            let (good, shown) = check(directory.path(), code.0, example);
            if !good || shown.contains(code.0) {
                wrong.push(format!("{}: its fixed example is wrong\n{shown}", code.0));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
