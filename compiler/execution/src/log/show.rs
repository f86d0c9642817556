//! How messages are shown: to people, to tests, and to tools.

use super::{LogEvent, LogMessage};
use crate::log::LogFormat;
use clef_base::render::Colour;
use clef_host::say;
use serde_json::json;

/// Writes messages to standard error.
#[derive(Clone, Copy, Debug)]
pub struct LogPrinter {
    /// How they are shown.
    pub format: LogFormat,
    /// Whether to use colour.
    pub colour: Colour,
}

impl LogPrinter {
    /// Writes a message.
    pub fn print(&self, event: &LogEvent) {
        say(&self.line(event));
    }

    /// A message as a line with its line end, or nothing.
    pub fn line(&self, event: &LogEvent) -> String {
        match (self.format, event) {
            (LogFormat::Off, _) | (_, LogEvent::Test(_)) => String::new(),
            (LogFormat::Human | LogFormat::Plain, LogEvent::Lost) => "log: messages were lost\n".to_owned(),
            (LogFormat::Human, LogEvent::Message(message)) => self.human(message),
            (LogFormat::Plain, LogEvent::Message(message)) => {
                format!("{:5} {}\n", message.level.to_uppercase(), message.text)
            }
            (LogFormat::Json, LogEvent::Lost) => format!("{}\n", json!({ "reason": "log-lost" })),
            (LogFormat::Json, LogEvent::Message(message)) => format!("{}\n", object(message)),
        }
    }

    fn human(&self, message: &LogMessage) -> String {
        let (level, gray, plain) = match self.colour {
            Colour::Ansi => (ansi(message.level), "\x1b[2m", "\x1b[0m"),
            Colour::Plain => ("", "", ""),
        };
        let time = message.time.iter().map(|time| format!("{gray}{time:>12}{plain} "));
        let place = message.place.iter().map(|(file, line)| format!("{gray}{file}:{line}{plain}  "));
        let name = message.level.to_uppercase();
        let parts: String =
            time.chain([format!("{level}{name:5}{plain} ")]).chain(place).chain([message.text.clone()]).collect();
        format!("{parts}\n")
    }
}

/// The colour of a level.
fn ansi(level: &str) -> &'static str {
    match level {
        "error" => "\x1b[1;31m",
        "warn" => "\x1b[1;33m",
        "info" => "\x1b[1;32m",
        "debug" => "\x1b[1;34m",
        _ => "\x1b[2m",
    }
}

/// A message for tools; unknown parts are omitted.
fn object(message: &LogMessage) -> serde_json::Value {
    let mut object = json!({ "reason": "log", "level": message.level, "message": message.text });
    if let Some(time) = &message.time {
        object["time"] = json!(time);
    }
    if let Some((file, line)) = &message.place {
        object["file"] = json!(file);
        object["line"] = json!(line);
    }
    object
}
