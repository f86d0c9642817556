//! Deep nesting of every kind produces one error, on a stack of 2 MiB.

use clef_base::{SourceMap, codes};
use clef_syntax::{lexer::lex, offside::lay_out, parser::parse_tokens};

const STACK: usize = 2 << 20;

/// The codes of the parser's diagnostics.
fn diagnostics(source: String) -> Vec<clef_base::Code> {
    let run = move || {
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", source);
        let (tokens, _) = lex(file, &sources.file(file).text, &|_| false);
        let (tokens, _) = lay_out(tokens);
        let (_, diagnostics) = parse_tokens(file, tokens);
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    };
    std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread").join().expect("no panic")
}

fn nested(opener: &str, inside: &str, closer: &str, depth: usize) -> String {
    format!("let x = {}{inside}{}", opener.repeat(depth), closer.repeat(depth))
}

#[test]
fn nesting_is_bounded() {
    for (opener, inside, closer) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("[| ", "1", " |]"),
        ("{ a = ", "1", " }"),
        ("seq { ", "1", " }"),
        ("f (", "1", ")"),
        ("f(a)(", "1", ")"),
        ("a[", "1", "]"),
        ("struct (1, ", "1", ")"),
        ("(fun x -> ", "1", ")"),
        ("fun x -> ", "1", ""),
        ("- ", "1", ""),
        ("! ", "1", ""),
        ("lazy ", "1", ""),
        ("a <- ", "1", ""),
        ("a := ", "1", ""),
        ("a :: ", "1", ""),
        ("a ** ", "1", ""),
        ("a; let b = ", "1", ""),
        ("let a = 1 in f <| fun x -> ", "1", ""),
        ("if a then ", "1", ""),
        ("if ", "a", " then 1"),
        ("match a with _ -> ", "1", ""),
        ("match ", "a", " with _ -> 1"),
        ("while a do ", "1", ""),
        ("for x in ", "xs", " do ()"),
        ("try ", "1", " with _ -> 2"),
        ("a.b + (if a then [fun x -> { x = ", "1", " }] else 1)"),
        ("f<", "int", ">"),
    ] {
        for depth in [2000, 20_000] {
            let codes = diagnostics(nested(opener, inside, closer, depth));
            assert_eq!(codes, [codes::TOO_DEEP], "{opener}…{closer}, {depth} times");
        }
    }
}

#[test]
fn nesting_of_patterns_is_bounded() {
    for (opener, closer) in [("(", ")"), ("[", "]"), ("Some (a, [", "])"), ("{ a = ", " }"), ("a :: ", "")] {
        for depth in [2000, 20_000] {
            let source = format!("let f x = match x with {}a{} -> 1", opener.repeat(depth), closer.repeat(depth));
            assert_eq!(diagnostics(source), [codes::TOO_DEEP], "{opener}…{closer}, {depth} times");
        }
    }
}

#[test]
fn nesting_of_types_is_bounded() {
    for (opener, closer) in [("(", ")"), ("int -> ", ""), ("list<", ">"), ("struct (int * ", ")")] {
        for depth in [2000, 20_000] {
            let source = format!("let f (x: {}int{}) = 1", opener.repeat(depth), closer.repeat(depth));
            assert_eq!(diagnostics(source), [codes::TOO_DEEP], "{opener}…{closer}, {depth} times");
        }
    }
}

#[test]
fn strings_within_strings_are_bounded() {
    let run = || {
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", format!("let x = {}", "$\"{".repeat(20_000)));
        let (_, diagnostics) = clef_syntax::parse(&sources, file);
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>()
    };
    let codes = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread").join().expect("no panic");
    assert_eq!(codes.first(), Some(&codes::BAD_INTERPOLATION));
    assert_eq!(diagnostics(format!("let x = {}1{}", "$\"{".repeat(90), "}\"".repeat(90))), []);
}

#[test]
fn chains_are_bounded() {
    for (first, link) in [
        ("a", " + a"),
        ("f", " a"),
        ("a", ".[0]"),
        ("f()", ".a"),
        ("if a then b", " elif a then b"),
        ("(a : int", " list"),
        ("(a : m", "[]"),
        ("match x with a", " | a"),
    ] {
        let source = format!("let x = {first}{}", link.repeat(20_000));
        let codes = diagnostics(source);
        assert_eq!(codes, [codes::TOO_DEEP], "{first}{link}…");
    }
}

#[test]
fn what_people_write_is_not_too_deep() {
    assert_eq!(diagnostics(nested("(", "1", ")", 100)), []);
    assert_eq!(diagnostics(format!("let x = 1{}", " + 1".repeat(900))), []);
    assert_eq!(diagnostics(format!("let x =\n    if a then b\n{}    else c", "    elif a then b\n".repeat(900))), []);
    assert_eq!(diagnostics(format!("let x =\n{}    1", "    let a = 1 in\n".repeat(20_000))), []);
    assert_eq!(diagnostics(format!("let x = {}1", "let a = 1 in ".repeat(20_000))), []);
    assert_eq!(diagnostics(format!("let x = [{}1]", "1; ".repeat(20_000))), []);
}
