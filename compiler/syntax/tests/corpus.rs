//! Every program of the repository that is meant to compile parses without a diagnostic, and its tree, printed and
//! parsed again, is the same.

#![allow(clippy::disallowed_methods, reason = "the programs that are parsed are files of the repository")]

use clef_base::{SourceMap, render};
use clef_syntax::{dump::dump, print::print};
use std::{fs, path::Path};

/// The listing of a program's tree, the program in canonical layout, and its diagnostics.
fn parse(name: &str, text: &str) -> (String, String, String) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let (ast, diagnostics) = clef_syntax::parse(&sources, file);
    let rendered =
        diagnostics.iter().map(|diagnostic| render::render(&sources, diagnostic, render::Colour::Plain)).collect();
    (dump(&ast), print(&ast), rendered)
}

#[test]
fn programs_parse_and_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for folder in ["tests/run", "examples", "compiler/library/src", "compiler/syntax/tests/programs"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        for entry in entries.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "clef")) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let text = fs::read_to_string(entry.path()).expect("a readable program");
            let (listing, printed, diagnostics) = parse(&name, &text);
            assert!(diagnostics.is_empty(), "{diagnostics}");
            let (again, twice, diagnostics) = parse(&format!("{name} (printed)"), &printed);
            assert!(diagnostics.is_empty(), "{diagnostics}\n{printed}");
            assert!(
                listing == again,
                "{name} is printed as\n{printed}\nwhich parses as\n{again}\nrather than\n{listing}"
            );
            assert_eq!(printed, twice, "{name} is printed differently the second time");
            count += 1;
        }
    }
    assert!(count > 0, "no programs were found");
}
