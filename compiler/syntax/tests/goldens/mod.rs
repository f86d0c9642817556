//! Golden documents in this folder.

use std::path::Path;

/// Compares each case of a document with the output of `make` for its source.
pub(crate) fn check(document: &str, make: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(document);
    clef_golden::assert(clef_golden::compare_document(&path, make));
}
