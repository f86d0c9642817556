//! The words of `clef-mode` in Emacs. Its rules are those of Emacs, in `editors/emacs/clef-mode.el`.

use super::NOTICE;
use crate::vocabulary::{Predefined, words};
use serde_json::Value;

/// The groups of words, each with its name in Emacs.
const GROUPS: [(&str, &[&str]); 3] =
    [("keywords", &["control", "declaration", "modifier"]), ("constants", &["constant"]), ("reserved", &["reserved"])];

/// A file of constants.
pub fn emacs(tokens: &Value, predefined: &Predefined) -> String {
    let mut text = format!(
        ";;; clef-words.el --- The words of Clef -*- lexical-binding: t -*-\n\n;;; Commentary:\n\n;; {NOTICE}\n\n;;; Code:\n"
    );
    let words = words(tokens);
    for (name, groups) in GROUPS {
        let of_group = words.iter().filter(|(group, _)| groups.contains(group)).map(|(_, word)| *word);
        text += &constant(name, of_group);
    }
    text += &constant("types", predefined.types.iter().map(String::as_str));
    text += &constant("functions", predefined.values.iter().map(String::as_str));
    text + "\n(provide 'clef-words)\n;;; clef-words.el ends here\n"
}

fn constant<'w>(name: &str, words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    format!("\n(defconst clef-words-{name}\n  '({})\n  \"The {name} of Clef.\")\n", words.join(" "))
}
