//! Every program of the repository that is meant to compile is parsed without a diagnostic.

use clef_base::{SourceMap, render};
use std::{fs, path::Path};

#[test]
fn programs_parse() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut wrong = String::new();
    let mut count = 0;
    for folder in ["tests/run", "examples", "compiler/library/src"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        for entry in entries.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "clef")) {
            let text = fs::read_to_string(entry.path()).expect("a readable program");
            let mut sources = SourceMap::default();
            let file = sources.add(entry.path().display().to_string(), text);
            let (_, diagnostics) = clef_syntax::parse(&sources, file);
            count += 1;
            for diagnostic in diagnostics {
                wrong.push_str(&render::render(&sources, &diagnostic, render::Colour::Plain));
            }
        }
    }
    assert!(count > 0, "no programs were found");
    assert_eq!(wrong, "");
}
