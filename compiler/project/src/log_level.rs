//! The minimum level of the `Log` messages in an image.

use crate::reader::Fields;
use clef_base::{Diagnostic, codes, nearest};

/// The log level of a project, from all messages to none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogLevel {
    /// All messages.
    Trace,
    /// Those of `Log.debug` and above.
    Debug,
    /// Those of `Log.info` and above.
    Info,
    /// Those of `Log.warn` and above.
    Warn,
    /// Those of `Log.error`.
    Error,
    /// None.
    Off,
}

/// The levels by name.
const WORDS: [(&str, LogLevel); 6] = [
    ("trace", LogLevel::Trace),
    ("debug", LogLevel::Debug),
    ("info", LogLevel::Info),
    ("warn", LogLevel::Warn),
    ("error", LogLevel::Error),
    ("off", LogLevel::Off),
];

/// The key `log_level`.
pub(crate) fn log_level(fields: &mut Fields<'_, '_>) -> Option<LogLevel> {
    let text = fields.text("log_level")?;
    let found = WORDS.into_iter().find(|(word, _)| *word == text.value);
    if found.is_none() {
        let words = WORDS.map(|(word, _)| word);
        let list = words.map(|word| format!("`{word}`")).join(", ");
        let message = format!("unknown log level `{}`", text.value.escape_debug());
        let diagnostic = Diagnostic::error(codes::INVALID_PROJECT_VALUE, text.span, message)
            .label(format!("expected one of {list}"));
        fields.report(match nearest(&text.value, words) {
            Some(word) => diagnostic.fix(format!("write `{word}`"), text.span, word),
            None => diagnostic,
        });
    }
    found.map(|(_, level)| level)
}
