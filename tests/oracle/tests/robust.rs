//! Mutations of the shipped texts, the same in each run: none makes a panic, and none takes long.

use clef_oracle::{
    robust,
    trial::{texts, try_all},
};
use std::path::Path;

/// Where the text of a trial that fails is kept.
const KEPT: &str = env!("CARGO_TARGET_TMPDIR");

/// Projects in each format, with what a project file may say, and with mistakes.
const CLEF_TOML: [&str; 4] = [
    include_str!("project_files/full.toml"),
    include_str!("project_files/mistakes.toml"),
    include_str!("../../projects/inventory/clef.toml"),
    include_str!("../../projects/unusable_keys/clef.toml"),
];
const FIDPROJ: [&str; 2] = [include_str!("project_files/full.fidproj"), include_str!("project_files/mistakes.fidproj")];

#[test]
fn programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let texts = [texts(&root.join("run"), "clef"), texts(&root.join("ui"), "clef")].concat();
    try_all("program", texts, KEPT, robust::program);
}

#[test]
fn boards() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards");
    try_all("board", texts(&directory, "yaml"), KEPT, robust::board);
}

#[test]
fn targets() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../targets");
    try_all("target", texts(&directory, "yaml"), KEPT, robust::target);
}

#[test]
fn clef_toml() {
    try_all("clef.toml", CLEF_TOML.map(str::to_owned).into(), KEPT, |text| robust::project("clef.toml", text));
}

#[test]
fn fidproj() {
    try_all("fidproj", FIDPROJ.map(str::to_owned).into(), KEPT, |text| robust::project("Fuzz.fidproj", text));
}
