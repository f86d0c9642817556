//! How diagnostics are shown, and which of them are errors.

use clap::{Args, ValueEnum};
use clef_base::Code;
use clef_session::options::{DenyChoice, SessionOptions, WarningChoice};

/// How diagnostics are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum MessageFormat {
    /// Text with excerpts of the source
    #[default]
    Human,
    /// One JSON object per line
    Json,
}

/// When diagnostics are coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ColourChoice {
    /// On terminals, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How diagnostics are shown, and what becomes of warnings.
#[derive(Args, Clone, Debug, Default)]
pub struct DiagnosticOptions {
    /// When to colour diagnostics
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColourChoice,

    /// The format of diagnostics: text, or one JSON object per line
    #[arg(long, global = true, value_name = "FORMAT", default_value = "human")]
    pub message_format: MessageFormat,

    /// Treats warnings as errors: `warnings` for all, or their codes; `unbounded` rejects programs whose use of stack or
    /// regions has no bound or exceeds the board's
    #[arg(long, global = true, value_name = "WARNING", value_delimiter = ',', value_parser = denied)]
    pub deny: Vec<DenyChoice>,

    /// Hides warnings: `warnings` for all, or their codes
    #[arg(long, global = true, value_name = "WARNING", value_delimiter = ',', value_parser = warning)]
    pub allow: Vec<WarningChoice>,

    /// Prints the time of each step, and the peak memory of clefc until its end
    #[arg(long, global = true)]
    pub timings: bool,
}

impl DiagnosticOptions {
    /// How the session treats warnings, and what it records. It suggests `commands` for files that do not exist.
    pub fn session(&self, commands: Vec<String>) -> SessionOptions {
        SessionOptions { deny: self.deny.clone(), allow: self.allow.clone(), timings: self.timings, commands }
    }
}

/// What [`warning`] takes, or `unbounded`.
fn denied(text: &str) -> Result<DenyChoice, String> {
    match text {
        "unbounded" => Ok(DenyChoice::Unbounded),
        other => match warning(other) {
            Ok(choice) => Ok(DenyChoice::Warning(choice)),
            Err(message) => Err(message.replace("`warnings`", "`warnings`, `unbounded`")),
        },
    }
}

/// `warnings`, or the code of one.
fn warning(text: &str) -> Result<WarningChoice, String> {
    match Code::named(text) {
        _ if text == "warnings" => Ok(WarningChoice::All),
        Some(code) if code.0.starts_with('W') => Ok(WarningChoice::Code(code)),
        Some(code) => Err(format!("{code} is an error, not a warning")),
        None => Err("expected `warnings` or the code of a warning, such as `W0301`".to_owned()),
    }
}
