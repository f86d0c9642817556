//! Fuzzes the parser: any input produces a tree, its listing and its diagnostics, all of which can be shown.

use clef_base::{SourceMap, render};
use clef_syntax::{ast::Ast, dump::dump, parse, print::print};
use proptest::prelude::*;

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
}

fn spans_are_within(ast: &Ast, text: &str) {
    let spans = ast.exprs.values().map(|expr| expr.span);
    let spans = spans.chain(ast.patterns.values().map(|pattern| pattern.span));
    for span in spans.chain(ast.types.values().map(|type_expr| type_expr.span)) {
        assert!(span.start <= span.end, "{span:?}");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
    }
}

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
