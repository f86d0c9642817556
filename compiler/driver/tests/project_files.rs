//! Mutations of project files, the same in each run: each is a project, or its diagnostics can be shown.

use clef_base::{
    SourceMap,
    render::{Colour, render},
};
use clef_oracle::trial::try_all;
use clefc::project::read;
use std::path::Path;

/// Where the text of a trial that fails is kept.
const KEPT: &str = env!("CARGO_TARGET_TMPDIR");

/// Projects in each format, with what a project file may say, and with mistakes.
const CLEF_TOML: [&str; 4] = [
    include_str!("project_files/full.toml"),
    include_str!("project_files/mistakes.toml"),
    include_str!("../../../tests/projects/inventory/clef.toml"),
    include_str!("../../../tests/projects/unusable_keys/clef.toml"),
];
const FIDPROJ: [&str; 2] = [include_str!("project_files/full.fidproj"), include_str!("project_files/mistakes.fidproj")];

#[test]
fn clef_toml() {
    try_all("clef.toml", CLEF_TOML.map(str::to_owned).into(), KEPT, |text| show("clef.toml", text));
}

#[test]
fn fidproj() {
    try_all("fidproj", FIDPROJ.map(str::to_owned).into(), KEPT, |text| show("Fuzz.fidproj", text));
}

/// Reads a text as the project file of that name, and shows what is wrong with it.
fn show(name: &str, text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let mut found = Vec::new();
    match read(&sources, file, Path::new(name), &mut found) {
        Ok(project) => assert!(!project.name.is_empty() && !project.sources.is_empty(), "the project is complete"),
        Err(errors) => {
            assert!(!errors.is_empty(), "it is said what is wrong");
            found.extend(errors);
        }
    }
    for diagnostic in &found {
        render(&sources, diagnostic, Colour::Plain);
    }
}
