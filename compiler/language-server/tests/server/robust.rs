//! No text that anybody types makes the server crash or hang: prefixes and mutations of the shipped programs, with requests at random
//! places. `LSP_EDITS=100000` or `LSP_MINUTES=60`, with another `LSP_SEED`, test more of them.

use crate::editor::Editor;
use fastrand::Rng;
use lsp_server::ErrorCode;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    str::FromStr,
    time::{Duration, Instant},
};

/// The number of edits that are tried by default.
const EDITS: usize = 150;

/// What is inserted.
const PIECES: &[&str] = &[
    "let ",
    "(",
    ")",
    "[",
    "\n",
    "    ",
    " = ",
    ".",
    "match x with",
    "| ",
    "->",
    "\"",
    "\"\"\"",
    "$\"{",
    "``",
    "(*",
    "type ",
    "{",
    "#if A\n",
    "😀",
    "ä",
    ":",
    "<",
    "module X =\n",
    "open ",
    "'a",
    "1.0",
    "rec ",
    "fun x -> ",
    "\r\n",
    "\t",
    "[<",
    "//",
    "/// ",
];

const AT_PLACES: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeAction",
    "textDocument/inlayHint",
    "textDocument/selectionRange",
    "textDocument/foldingRange",
    "textDocument/documentSymbol",
    "textDocument/semanticTokens/full",
    "textDocument/formatting",
    "textDocument/codeLens",
];

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["examples", "tests/run", "tests/ui"] {
        let entries = fs::read_dir(root.join(folder)).expect("it is readable");
        let paths = entries.map(|entry| entry.expect("it is readable").path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|extension| extension == "clef")));
    }
    found.sort();
    found
}

/// A prefix, or the text with a piece removed, inserted or repeated.
fn mutated(text: &str, random: &mut Rng) -> String {
    let boundary = |offset: usize| (0..=offset).rev().find(|&offset| text.is_char_boundary(offset)).unwrap_or(0);
    let (a, b) = (boundary(random.usize(0..=text.len())), boundary(random.usize(0..=text.len())));
    let (start, end) = (a.min(b), a.max(b).min(boundary((a.min(b) + 80).min(text.len()))));
    match random.u8(0..5) {
        0 => text[..start].to_owned(),
        1 => format!("{}{}", &text[..start], &text[end..]),
        2 => format!("{}{}{}", &text[..start], random.choice(PIECES).expect("there are some"), &text[start..]),
        3 => format!("{}{}{}", &text[..end], &text[start..end], &text[end..]),
        _ => format!("{}{}{}", &text[..start], random.choice(PIECES).expect("there are some"), &text[end..]),
    }
}

/// Prints a program if the test fails on it.
struct ShownOnPanic<'a>(&'a str);

impl Drop for ShownOnPanic<'_> {
    #[allow(clippy::disallowed_macros, reason = "the test is no server: its standard error is shown")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- the program\n{}\n---", self.0);
        }
    }
}

/// A number from the environment.
fn wanted<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
#[allow(clippy::disallowed_macros, reason = "the test is no server: its standard error is shown")]
fn nothing_typed_is_fatal() {
    let end = wanted("LSP_MINUTES").map(|minutes: u64| Instant::now() + Duration::from_secs(60 * minutes));
    let edits = wanted("LSP_EDITS").unwrap_or(if end.is_some() { usize::MAX } else { EDITS });
    let mut random = Rng::with_seed(wanted("LSP_SEED").unwrap_or(1));
    let programs = programs();
    let mut editor = Editor::new();
    editor.open("main.clef", "");
    let mut text = String::new();
    let mut done = 0;
    for number in 0..edits {
        if end.is_some_and(|end| Instant::now() >= end) {
            break;
        }
        done = number + 1;
        if number % 5 == 0 {
            let path = random.choice(&programs).expect("there are some");
            text = fs::read_to_string(path).expect("it is readable");
        }
        text = mutated(&text, &mut random);
        let _shown = ShownOnPanic(&text);
        editor.change("main.clef", None, &text);
        let method = AT_PLACES[number % AT_PLACES.len()];
        let (line, character) = (random.u32(0..40), random.u32(0..60));
        let mut params = editor.place("main.clef", line, character);
        params["newName"] = "renamed".into();
        params["context"] = json!({ "includeDeclaration": true, "diagnostics": [] });
        params["positions"] = json!([{ "line": line, "character": character }]);
        params["range"] =
            json!({ "start": { "line": line, "character": 0 }, "end": { "line": line + 9, "character": 0 } });
        params["options"] = json!({ "tabSize": 4, "insertSpaces": true });
        let id = editor.send(method, params);
        let response = editor.response(&id);
        let failed = response.error.filter(|error| error.code == ErrorCode::InternalError as i32);
        if let Some(error) = failed {
            panic!("{method} at {line}:{character}: {}", error.message);
        }
    }
    assert_eq!(editor.at("textDocument/hover", "main.clef", 9999, 9999), Value::Null);
    eprintln!("{done} edits");
}
