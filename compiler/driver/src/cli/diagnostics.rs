//! How diagnostics are shown, and which of them are errors.

use clap::Args;
use clef_base::Code;
use clef_session::options::{ColourChoice, DenyChoice, MessageFormat, Reporting, WarningChoice};

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
    /// How a session reports.
    pub fn reporting(&self) -> Reporting {
        Reporting {
            colour: self.color,
            format: self.message_format,
            deny: self.deny.clone(),
            allow: self.allow.clone(),
            timings: self.timings,
        }
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
