//! Golden tests: each case of `goldens.txt` is a source and, after the line, the listing of its laid-out tokens with
//! the diagnostics.

use super::*;
use clef_base::{SourceMap, render};
use proptest::prelude::*;
use std::path::Path;

fn laid_out(source: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("a.clef", source);
    let (tokens, lexical) = crate::lexer::lex(file, source, &|_| false);
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
fn goldens() {
    clef_golden::assert(clef_golden::compare_document(Path::new(GOLDENS), laid_out));
}

/// Lines of tokens that affect the layout, with random indentation.
fn soup() -> impl Strategy<Value = String> {
    const WORDS: [&str; 34] = [
        "let", "x", "=", "fun", "->", "match", "with", "|", "if", "then", "else", "elif", "(", ")", "[", "]", "[|",
        "|]", "{", "}", "begin", "end", "do", "while", "for", "in", "and", "type", "module", "+", ",", ";", "function",
        "$\"{x}\"",
    ];
    let line = (0usize..12, proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..8));
    proptest::collection::vec(line, 0..12).prop_map(|lines| {
        lines.iter().map(|(indentation, words)| format!("{}{}\n", " ".repeat(*indentation), words.join(" "))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each `Begin` has its `End`, they nest with the matched brackets, and the only source tokens lost are closing
    /// brackets that close nothing.
    #[test]
    fn blocks_are_balanced(source in soup()) {
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", source.clone());
        let (tokens, _) = crate::lexer::lex(file, &source, &|_| false);
        let openers = tokens.iter().filter(|token| closer_of(token).is_none()).count();
        let (laid_out, _) = lay_out(tokens);
        let mut depth = 0i64;
        for token in &laid_out {
            match token.kind {
                TokenKind::Begin => depth += 1,
                TokenKind::End => depth -= 1,
                _ => {}
            }
            prop_assert!(depth >= 0, "an end without its begin in\n{source}");
        }
        prop_assert_eq!(depth, 0, "a begin without its end in\n{}", source);
        let is_virtual = |kind: &TokenKind| matches!(kind, TokenKind::Begin | TokenKind::Separator | TokenKind::End);
        let kept = laid_out.iter().filter(|token| !is_virtual(&token.kind) && closer_of(token).is_none()).count();
        prop_assert_eq!(kept, openers);
        prop_assert!(matches!(laid_out.last().map(|token| &token.kind), Some(TokenKind::EndOfFile)));
    }
}
