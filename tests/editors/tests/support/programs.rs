//! The programs of the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Folders that contain no programs of the repository.
const SKIPPED: [&str; 2] = ["target", ".git"];

/// The fewest programs that are compared: fewer mean that they are no longer found.
pub(crate) const FEWEST: usize = 500;

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("a readable entry").path());
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !path.is_symlink() {
            if !SKIPPED.contains(&&*name) {
                collect(&path, into);
            }
        } else if name.ends_with(".clef") {
            into.push(path);
        }
    }
}

/// Each with its path in the repository, in order.
pub(crate) fn programs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let named = paths.iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        (name, fs::read_to_string(path).unwrap_or_default())
    });
    named.collect()
}
