//! Fuzzes the parser: any input produces a tree, its listing and its diagnostics, all of which can be shown.

#![allow(clippy::disallowed_methods, reason = "the programs that are damaged are files of the repository")]

use clef_base::{SourceMap, diagnostic::has_errors, render};
use clef_syntax::{
    ast::{Ast, ExprKind, PatternKind, TypeExprKind},
    dump::dump,
    lexer::lex,
    parse,
    print::print,
};
use proptest::prelude::*;
use std::{fs, path::Path};

fn survive(text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add("a.clef", text);
    let (ast, diagnostics) = parse(&sources, file);
    for diagnostic in &diagnostics {
        render::render(&sources, diagnostic, render::Colour::Plain);
    }
    dump(&ast);
    print(&ast);
    spans_are_within(&ast, text);
    let is_read = !has_unread(&ast) || has_errors(&diagnostics);
    assert!(is_read, "what is not read has no error: {text}");
}

/// Whether something in a tree could not be read.
fn has_unread(ast: &Ast) -> bool {
    ast.exprs.values().any(|expr| matches!(expr.kind, ExprKind::Error))
        || ast.patterns.values().any(|pattern| matches!(pattern.kind, PatternKind::Error))
        || ast.types.values().any(|type_expr| matches!(type_expr.kind, TypeExprKind::Error))
}

fn spans_are_within(ast: &Ast, text: &str) {
    let spans = ast.exprs.values().map(|expr| expr.span);
    let spans = spans.chain(ast.patterns.values().map(|pattern| pattern.span));
    for span in spans.chain(ast.types.values().map(|type_expr| type_expr.span)) {
        assert!(span.start <= span.end, "{span:?}");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
    }
}

/// The number of tokens that are taken from each program.
const LESS: usize = 20;

/// Keywords and punctuation of the language.
const WORDS: &[&str] = &[
    "let",
    "rec",
    "and",
    "in",
    "fun",
    "function",
    "match",
    "with",
    "if",
    "then",
    "else",
    "elif",
    "while",
    "for",
    "to",
    "downto",
    "do",
    "done",
    "type",
    "module",
    "namespace",
    "open",
    "of",
    "mutable",
    "inline",
    "private",
    "use",
    "lazy",
    "assert",
    "yield",
    "yield!",
    "begin",
    "end",
    "struct",
    "when",
    "as",
    "true",
    "null",
    "try",
    "finally",
    "member",
    "interface",
    "new",
    "class",
    "abstract",
    "exception",
    "extern",
    "let!",
    "return",
    "static",
    "inherit",
    "_",
    "x",
    "Some",
    "f",
    "'a",
    "1",
    "2.5",
    "\"s\"",
    "'c'",
    "$\"{x}\"",
    "$\"{\"",
    "(",
    ")",
    "[",
    "]",
    "[|",
    "|]",
    "{",
    "}",
    "{|",
    "|}",
    "[<",
    ">]",
    "<@",
    "@>",
    ",",
    ";",
    ":",
    ".",
    "..",
    "|",
    "->",
    "<-",
    "=",
    "+",
    "-",
    "*",
    "/",
    "**",
    "::",
    "@",
    "^",
    "&&",
    "||",
    "|>",
    "<",
    ">",
    ">>",
    "!",
    "~~~",
    ":=",
    ":?",
    ":>",
    "&",
    "(*)",
    "//",
    "///",
    "(*",
    "*)",
    "#if",
    "seq",
    "async",
    "<int>",
    "\n",
    "\n",
    "\n    ",
    "\n    ",
    "\n        ",
    "\n  ",
    "ä",
    "``q q``",
];

#[test]
fn a_type_whose_first_case_has_no_name() {
    survive("type A =\n    |\n    = 3\nlet x = 1\n");
}

/// Programs that lack one token, so that nothing else is wrong: what is missing is an error, or the rest means something.
#[test]
fn what_is_missing_is_an_error() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let mut random = 1_usize;
    for entry in fs::read_dir(programs).expect("the programs are there") {
        let path = entry.expect("it is readable").path();
        if path.extension().is_some_and(|extension| extension == "clef") {
            let text = fs::read_to_string(&path).expect("it is readable");
            let mut sources = SourceMap::default();
            let file = sources.add("a.clef", &text);
            let (tokens, _) = lex(file, &text, &|_| false);
            for _ in 0..LESS {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let span = tokens[(random >> 33) % tokens.len()].span;
                let mut less = text.clone();
                less.replace_range(span.start as usize..span.end as usize, "");
                survive(&less);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text(text in "\\PC{0,60}") {
        survive(&text);
    }

    #[test]
    fn arbitrary_lines(text in "[ \n\ta-c0-9(){}\\[\\]|<>=+\\-*:;.,'\"!&$@#%^~_/\\\\ä]{0,120}") {
        survive(&text);
    }

    #[test]
    fn words(words in prop::collection::vec((0..WORDS.len(), prop::bool::ANY), 0..60)) {
        let mut text = String::new();
        for (word, space) in words {
            text.push_str(WORDS[word]);
            if space {
                text.push(' ');
            }
        }
        survive(&text);
    }

    #[test]
    fn damaged_program(cuts in prop::collection::vec((0usize..7000, 0usize..40, 0..WORDS.len()), 1..6)) {
        let mut text = include_str!("programs/everything.clef").to_owned();
        for (place, length, word) in cuts {
            let start = (0..=place.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let end = (start + length..).find(|&at| at >= text.len() || text.is_char_boundary(at)).unwrap_or(0);
            text.replace_range(start..end.min(text.len()), WORDS[word]);
        }
        survive(&text);
    }
}
