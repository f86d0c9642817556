//! Any text is parsed, and what is made of it can be shown: the diagnostics, the listing, and the tree as source, which
//! parses to the same tree if the text had no error.

#![no_main]

use clef_base::{SourceMap, diagnostic::has_errors, render};
use clef_syntax::{dump::dump, parse, print::print};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.clef", text);
    let (ast, diagnostics) = parse(&sources, file);
    for diagnostic in &diagnostics {
        render::render(&sources, diagnostic, render::Colour::Plain);
    }
    let (listing, printed) = (dump(&ast), print(&ast));
    if !has_errors(&diagnostics) {
        let again = sources.add("printed.clef", printed);
        let (ast, _) = parse(&sources, again);
        assert_eq!(listing, dump(&ast));
    }
});
