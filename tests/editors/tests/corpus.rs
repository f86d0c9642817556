//! Every program of the repository that the compiler's parser accepts has the same tree in editors.

#[path = "support/programs.rs"]
mod programs;

use clef_editors::tree::{mistakes, outline, parse, tree};
use programs::{FEWEST, programs};

/// What differs in a program, if anything.
fn difference(name: &str, text: &str) -> Option<String> {
    let parsed = parse(name, text)?;
    let found = tree(&parsed.text);
    if let Some(mistake) = mistakes(&found).first() {
        return Some(format!("{name}:{}:{}: editors have an error here", mistake.line, mistake.column));
    }
    // The compiler sorts the declarations of a recursive module.
    if text.contains("module rec") || text.contains("namespace rec") {
        return None;
    }
    let (expected, actual) = (parsed.outline.to_string(), outline(&found, &parsed.text).to_string());
    if expected == actual {
        return None;
    }
    let line = expected.lines().zip(actual.lines()).take_while(|(wanted, got)| wanted == got).count();
    let at = |outline: &str| outline.lines().nth(line).unwrap_or("nothing more").to_owned();
    let (wanted, got) = (at(&expected), at(&actual));
    let before: Vec<&str> = expected.lines().take(line).collect();
    let context = before[before.len().saturating_sub(8)..].join("\n");
    Some(format!("{name}: after\n{context}\nthe compiler has\n{wanted}\nand editors have\n{got}"))
}

#[test]
fn editors_have_the_trees_of_the_compiler() {
    let mut differences = Vec::new();
    let mut accepted = 0;
    for (name, text) in programs() {
        accepted += usize::from(parse(&name, &text).is_some());
        differences.extend(difference(&name, &text));
    }
    assert!(
        differences.is_empty(),
        "{} of {accepted} programs differ:\n{}",
        differences.len(),
        differences.join("\n\n")
    );
    assert!(accepted >= FEWEST, "only {accepted} programs were found");
}

/// The scanner remembers a limited number of brackets; beyond it the tree has errors.
#[test]
fn deep_nesting_is_parsed_with_errors() {
    for (open, close) in [("(", ")"), ("[| ", " |]"), ("$\"{", "}\""), ("fun x -> ", "")] {
        let text = format!("let a = {}1{}\nlet b = 2\n", open.repeat(1000), close.repeat(1000));
        assert!(!mistakes(&tree(&text)).is_empty(), "{open}");
    }
}
