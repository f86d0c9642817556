//! Mutations of the shipped texts, the same in each run: none makes a panic, and none takes long.

use clef_oracle::{
    robust,
    trial::{texts, try_all},
};
use std::path::Path;

/// Where the text of a trial that fails is kept.
const KEPT: &str = env!("CARGO_TARGET_TMPDIR");

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
