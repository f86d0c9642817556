//! Documentation comments of C as those of Clef.

use clang::Entity;
use std::fmt::Write as _;

/// The comment above a declaration; each line ends in a line break. Nothing if it has none.
pub(crate) fn documentation(entity: &Entity<'_>, indent: &str) -> String {
    let mut text = String::new();
    for line in entity.get_comment().iter().flat_map(|comment| comment.lines()).filter_map(plain) {
        let _ = writeln!(text, "{indent}/// {line}");
    }
    text
}

/// A line without the marks of a comment and the commonest commands of Doxygen; nothing if it has no words.
fn plain(line: &str) -> Option<String> {
    let mut text = line.trim();
    for mark in ["/**<", "/*!<", "///<", "//!<", "/**", "/*!", "/*", "///", "//!", "//"] {
        if let Some(rest) = text.strip_prefix(mark) {
            text = rest;
            break;
        }
    }
    text = text.strip_suffix("*/").unwrap_or(text).trim();
    text = text.strip_prefix('*').unwrap_or(text).trim();
    for command in ["@brief", "\\brief", "@details", "\\details", "@note", "\\note"] {
        text = text.strip_prefix(command).unwrap_or(text).trim();
    }
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_removed() {
        for (line, expected) in [
            ("/** Adds. */", Some("Adds.")),
            (" * @brief Adds.", Some("Adds.")),
            (" * @param a the number", Some("@param a the number")),
            ("/**", None),
            (" */", None),
            ("//! Adds.", Some("Adds.")),
        ] {
            assert_eq!(plain(line).as_deref(), expected, "{line}");
        }
    }
}
