//! The optimisation level of a project.

use crate::reader::Fields;
use clef_base::{Diagnostic, codes};

/// The optimisation level, with the values of `-O`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Optimisation {
    /// `0`: none.
    None,
    /// `g`: as far as a debugger still shows all variables.
    Debugging,
    /// `1`: little.
    Less,
    /// `2`: for speed, without much growth.
    Default,
    /// `3`: for speed.
    Aggressive,
    /// `s`: for size, without much loss of speed.
    Size,
    /// `z`: for size.
    MinimalSize,
}

/// The levels by name.
const WORDS: [(&str, Optimisation); 7] = [
    ("0", Optimisation::None),
    ("g", Optimisation::Debugging),
    ("1", Optimisation::Less),
    ("2", Optimisation::Default),
    ("3", Optimisation::Aggressive),
    ("s", Optimisation::Size),
    ("z", Optimisation::MinimalSize),
];

/// The key `optimisation`.
pub(crate) fn optimisation(fields: &mut Fields<'_, '_>) -> Option<Optimisation> {
    let text = fields.word("optimisation", "a level such as \"z\" or 2")?;
    let found = WORDS.into_iter().find(|(word, _)| *word == text.value);
    if found.is_none() {
        let list = WORDS.map(|(word, _)| format!("`{word}`")).join(", ");
        let message = format!("unknown optimisation level `{}`", text.value.escape_debug());
        fields.report(
            Diagnostic::error(codes::INVALID_PROJECT_VALUE, text.span, message)
                .label(format!("expected one of {list}")),
        );
    }
    found.map(|(_, level)| level)
}
