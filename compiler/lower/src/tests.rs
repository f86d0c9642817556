//! Errors that are detected only when types are specialised.

use super::{Names, lower};
use clef_testing::{checked, with_large_stack};
use clef_types::TargetFacts;

/// The codes of the errors of a program that the checker accepts.
fn errors(text: &str) -> Vec<clef_base::Code> {
    let checked = checked("test.clef", text);
    match lower(&checked.psg, TargetFacts { word_bits: 32 }, Names::Needed) {
        Ok(_) => Vec::new(),
        Err(found) => found.iter().map(|diagnostic| diagnostic.code).collect(),
    }
}

#[test]
fn types_that_grow_with_each_use_are_lowered() {
    with_large_stack(|| {
        let nested = |depth: usize| {
            let (opened, closed) = ("twice (".repeat(depth), ")".repeat(depth));
            format!("let twice value = (value, value)\nlet all = {opened}1{closed}")
        };
        // Another level has too many parts, which checking reports.
        assert_eq!(errors(&nested(4)), []);
        assert_eq!(errors(&nested(11)), []);
    });
}
