//! Lowering: the resulting Core.
//!
//! `lower/*.clef` are short programs whose Core is compared with the text next to them; `UPDATE=1` rewrites it.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

use clef_base::{
    SourceMap,
    diagnostic::has_errors,
    render::{Colour, render},
};
use clef_check::{Owner, Unit, check};
use clef_core::print::print;
use clef_lower::{Names, lower};
use clef_types::TargetFacts;
use std::{fs, path::Path};

/// The functions of a program in Core, those of the program before those of the library.
fn core(name: &str, source: &str) -> String {
    let mut sources = SourceMap::default();
    let library = clef_library::SOURCES.iter().map(|(name, text)| (*name, *text, Owner::Library));
    let mut files = Vec::new();
    for (name, text, owner) in library.chain([(name, source, Owner::Project(0))]) {
        files.push((sources.add(name, text), owner));
    }
    let mut found = Vec::new();
    let mut asts = Vec::new();
    for (file, owner) in files {
        let (ast, diagnostics) = clef_syntax::parse(&sources, file);
        found.extend(diagnostics);
        asts.push((ast, owner));
    }
    let units: Vec<_> = asts.iter().map(|(ast, owner)| Unit { ast, owner: *owner }).collect();
    let facts = TargetFacts { word_bits: 32 };
    let (psg, diagnostics) = check(&units, &sources, facts);
    found.extend(diagnostics);
    let lowered = match psg {
        Some(psg) if !has_errors(&found) => lower(&psg, facts, Names::Needed),
        Some(_) | None => Err(found),
    };
    match lowered {
        Ok(program) => print(&program),
        Err(found) => found.iter().map(|diagnostic| render(&sources, diagnostic, Colour::Plain)).collect(),
    }
}

#[test]
fn core_is_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let mut different = String::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the programs are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "clef") {
            continue;
        }
        count += 1;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let printed = core(&name, &fs::read_to_string(&path).expect("a program"));
        if let Err(difference) = clef_golden::compare_with_file(&path.with_extension("core"), &printed) {
            different += &difference;
        }
    }
    assert!(count > 0, "there are no programs");
    assert!(different.is_empty(), "{different}");
}
