//! Golden documents: each case is a source, a line `-----`, and the expected output, with a line `=====` before each
//! case. With `UPDATE=1` in the environment a document is rewritten with the actual output.

#![allow(clippy::disallowed_methods, reason = "a test reads its documents, and writes them when it is asked to")]

use std::{env, fs, path::Path};

/// Compares each case of a document in this folder with the output of `make` for its source.
pub(crate) fn check(document: &str, make: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(document);
    let text = fs::read_to_string(&path).expect("a readable document");
    let mut actual = String::new();
    for case in text.split("=====\n").filter(|case| !case.trim().is_empty()) {
        let source = case.split("-----\n").next().unwrap_or_default();
        let made = make(source);
        actual.push_str(&format!("=====\n{source}-----\n{made}"));
    }
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, actual).expect("a writable document");
    } else {
        assert!(text == actual, "{document} is now (UPDATE=1 rewrites it):\n{actual}");
    }
}
