//! The levels of log messages.

use crate::Intrinsic;

/// The severity of a log message, in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum LogLevel {
    /// `Log.trace`.
    #[default]
    Trace,
    /// `Log.debug`.
    Debug,
    /// `Log.info`.
    Info,
    /// `Log.warn`.
    Warn,
    /// `Log.error`.
    Error,
}

impl LogLevel {
    /// All of them, in ascending order.
    pub const ALL: [LogLevel; 5] = [LogLevel::Trace, LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error];

    /// The name of its function in `Log`.
    pub fn name(self) -> &'static str {
        match self {
            LogLevel::Trace => "trace",
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }

    /// The intrinsic of the function in `Log`.
    pub fn intrinsic(self) -> Intrinsic {
        match self {
            LogLevel::Trace => Intrinsic::LogTrace,
            LogLevel::Debug => Intrinsic::LogDebug,
            LogLevel::Info => Intrinsic::LogInfo,
            LogLevel::Warn => Intrinsic::LogWarn,
            LogLevel::Error => Intrinsic::LogError,
        }
    }

    /// The level of a number, as `log_begin` takes it.
    pub fn of_number(number: i128) -> Option<LogLevel> {
        usize::try_from(number).ok().and_then(|index| LogLevel::ALL.get(index).copied())
    }
}
