//! Goldens: each case of `goldens.txt` is a source, and behind the line the listing of its laid-out tokens with the
//! diagnostics.

use super::*;
use clef_base::{SourceMap, render};

fn laid_out(source: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("a.clef", source);
    let (tokens, lexical) = crate::lexer::lex(file, source);
    let (tokens, diagnostics) = lay_out(tokens);
    let mut text = crate::list::list(&tokens);
    for diagnostic in lexical.iter().chain(&diagnostics) {
        text.push_str(&render::render(&sources, diagnostic, render::Colour::Plain));
    }
    text
}

/// The document, next to this file.
const GOLDENS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/offside/goldens.txt");

#[test]
#[allow(clippy::disallowed_methods, reason = "a test reads its document, and writes it when it is asked to")]
fn goldens() {
    let expected = std::fs::read_to_string(GOLDENS).expect("a readable document");
    let mut actual = String::new();
    for case in expected.split("=====\n").filter(|case| !case.trim().is_empty()) {
        let (source, _) = case.split_once("-----\n").expect("a case has source and listing");
        actual.push_str(&format!("=====\n{source}-----\n{}", laid_out(source)));
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(GOLDENS, actual).expect("a writable document");
    } else {
        assert_eq!(actual, expected, "the listings have changed; `UPDATE=1 cargo test -p clef-syntax` rewrites them");
    }
}
