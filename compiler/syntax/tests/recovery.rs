//! Invalid sources: the tree that is produced nevertheless, and the diagnostics as a user sees them.

mod goldens;

use clef_base::{SourceMap, codes, render};
use clef_syntax::{dump::dump, parse};

#[test]
fn recovery() {
    goldens::check("recovery.txt", |source| {
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", source);
        let (ast, diagnostics) = parse(&sources, file);
        assert!(!diagnostics.is_empty(), "{source}");
        let rendered: String =
            diagnostics.iter().map(|diagnostic| render::render(&sources, diagnostic, render::Colour::Plain)).collect();
        format!("{}-----\n{rendered}", dump(&ast))
    });
}

/// The number of reports is bounded, however invalid a file is.
#[test]
fn reports_are_bounded() {
    let mut sources = SourceMap::default();
    let file = sources.add("a.clef", "let x = 1 +\n".repeat(1000));
    let (ast, diagnostics) = parse(&sources, file);
    assert_eq!(diagnostics.len(), 50);
    assert_eq!(ast.declarations.len(), 1000);
}

/// The example on the page of each syntax error produces that error.
#[test]
fn pages_show_their_error() {
    for (code, page) in codes::PAGES.iter().filter(|(code, _)| code.0.starts_with("E02") && *code != codes::TOO_DEEP) {
        let example =
            page.split("```clef,error\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", example);
        let (_, diagnostics) = parse(&sources, file);
        let found: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect();
        assert!(found.contains(&code.0), "the example of {code} has {found:?}");
    }
}
