//! Mutated programs: formatting them ends without a panic, and what is formatted is not changed again.

#![allow(clippy::disallowed_methods, reason = "a test reads the programs of the repository")]

use clef_base::SourceMap;
use fastrand::Rng;
use std::{fs, path::Path};

const SEED: u64 = 20;
const PIECES: &[&str] = &[
    "(* note *)",
    "// note\n",
    "\n",
    "\n\n",
    "    ",
    " ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    ";",
    "->",
    "=",
    "let x = 1\n",
    "match x with\n",
    "fun x -> ",
    "if a then b else c",
    "\"\"\"\n\"\"\"",
    "#if A\n",
    "#endif\n",
    ",",
    "::",
    ":",
    "..",
    "in ",
    "[<A>]",
    "begin ",
    " end",
    "else ",
    "then ",
    "do ",
    "'a",
    "<",
    ">",
    "é",
    "- ",
    "type T = A | B\n",
];

fn format(text: &str) -> Option<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("program.clef", text);
    clef_format::format(&sources, file, None).ok()
}

fn position(rng: &mut Rng, text: &str) -> usize {
    let mut at = rng.usize(..=text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutate(rng: &mut Rng, text: &mut String) {
    let at = position(rng, text);
    match rng.u8(..3) {
        0 => text.insert_str(at, PIECES[rng.usize(..PIECES.len())]),
        1 => {
            if let Some(c) = text[at..].chars().next() {
                text.replace_range(at..at + c.len_utf8(), "");
            }
        }
        _ => {
            let white = text[at..].find(' ').map(|offset| at + offset);
            if let Some(space) = white {
                text.replace_range(space..=space, ["\n", "  ", "", " (* note *) ", "\n        "][rng.usize(..5)]);
            }
        }
    }
}

#[test]
fn mutated_programs_never_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the folder exists").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "clef"));
    files.sort();
    let mut rng = Rng::with_seed(SEED);
    let (mut formatted, mut unstable) = (0, Vec::new());
    for path in &files {
        let Ok(original) = fs::read_to_string(path) else { continue };
        for _ in 0..6 {
            let mut text = original.clone();
            for _ in 0..rng.usize(1..4) {
                mutate(&mut rng, &mut text);
            }
            let Some(once) = format(&text) else { continue };
            formatted += 1;
            if format(&once).as_ref() != Some(&once) {
                unstable.push(path.display().to_string());
            }
        }
    }
    assert!(formatted > 200, "only {formatted} mutated programs parse");
    assert!(unstable.is_empty(), "these change again: {unstable:?}");
}
