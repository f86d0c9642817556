//! Goldens: source on the left of the arrow, the listing of its laid-out tokens behind it.

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

fn cases() -> Vec<(String, String)> {
    let document = include_str!("goldens.txt");
    document
        .split("=====\n")
        .filter(|case| !case.trim().is_empty())
        .map(|case| {
            let (source, expected) = case.split_once("-----\n").expect("a case has source and listing");
            (source.to_owned(), expected.to_owned())
        })
        .collect()
}

#[test]
fn goldens() {
    let mut actual = String::new();
    let mut wrong = 0;
    for (source, expected) in cases() {
        let listing = laid_out(&source);
        wrong += usize::from(listing != expected);
        actual.push_str(&format!("=====\n{source}-----\n{listing}"));
    }
    assert_eq!(wrong, 0, "the listings are now:\n{actual}");
}
