//! The options of a compilation, with their names on the command line and in project files.

use clap::ValueEnum;
use clef_base::{Code, codes};
use clef_types::LogLevel;
use std::path::PathBuf;

/// How a session treats warnings, and what it records.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// What is treated as an error.
    pub deny: Vec<DenyChoice>,
    /// Which warnings are dropped.
    pub allow: Vec<WarningChoice>,
    /// Whether to measure the time of each step.
    pub timings: bool,
    /// Names of commands, which are suggested if a source file does not exist.
    pub commands: Vec<String>,
}

/// The options of code generation, as far as given.
#[derive(Clone, Debug, Default)]
pub struct CodeChoice {
    /// The optimisation level.
    pub optimisation: Option<Optimisation>,
    /// The debug information to add.
    pub debug: DebugInfo,
    /// Whether the program prints peak region and stack use on exit.
    pub statistics: bool,
    /// Whether images report traps themselves, even if a debugger could.
    pub trap_messages: bool,
    /// The lowest level of messages that are logged.
    pub log_level: Option<LogLevelChoice>,
    /// Objects and archives of other languages.
    pub link: Vec<PathBuf>,
}

/// What an image tells of its source text. None of it is in the program's memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum DebugInfo {
    /// Nothing.
    #[default]
    None,
    /// What a backtrace shows, without any effect on the code.
    Places,
    /// What a debugger shows: without optimisation, variables keep their values in the frame, which becomes larger.
    Variables,
}

/// The optimisation level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Optimisation {
    /// No optimisation
    #[value(name = "0")]
    None,
    /// Optimises as far as a debugger still shows all variables; implies `-g`
    #[value(name = "g")]
    Debugging,
    /// Basic optimisation
    #[value(name = "1")]
    Less,
    /// Optimises for speed, with little growth
    #[default]
    #[value(name = "2")]
    Default,
    /// Optimises for speed
    #[value(name = "3")]
    Aggressive,
    /// Optimises for size, with little loss of speed
    #[value(name = "s")]
    Size,
    /// Optimises for size
    #[value(name = "z")]
    MinimalSize,
}

impl Optimisation {
    /// Its effect before code generation.
    pub fn simplification(self) -> clef_optimise::Level {
        match self {
            Optimisation::None | Optimisation::Debugging => clef_optimise::Level::Debug,
            Optimisation::Less | Optimisation::Default | Optimisation::Aggressive => clef_optimise::Level::Speed,
            Optimisation::Size | Optimisation::MinimalSize => clef_optimise::Level::Size,
        }
    }

    /// Whether variables keep their values to the end of their scopes, for a debugger.
    pub fn keeps_variables(self) -> bool {
        matches!(self, Optimisation::None | Optimisation::Debugging)
    }

    /// The option of the command line: `-O2`.
    pub fn option(self) -> String {
        format!("-O{}", self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default())
    }

    /// Its effect in LLVM.
    pub fn level(self) -> clef_mlir::llvm::Level {
        match self {
            Optimisation::None => clef_mlir::llvm::Level::O0,
            Optimisation::Debugging => clef_mlir::llvm::Level::Og,
            Optimisation::Less => clef_mlir::llvm::Level::O1,
            Optimisation::Default => clef_mlir::llvm::Level::O2,
            Optimisation::Aggressive => clef_mlir::llvm::Level::O3,
            Optimisation::Size => clef_mlir::llvm::Level::Os,
            Optimisation::MinimalSize => clef_mlir::llvm::Level::Oz,
        }
    }
}

/// The lowest level of messages in an image.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogLevelChoice {
    /// All messages
    Trace,
    /// `Log.debug` and above
    Debug,
    /// `Log.info` and above
    Info,
    /// `Log.warn` and above
    Warn,
    /// `Log.error` only
    Error,
    /// No messages
    Off,
}

impl LogLevelChoice {
    /// The highest level whose messages are omitted.
    pub fn omitted(self) -> Option<LogLevel> {
        match self {
            LogLevelChoice::Trace => None,
            LogLevelChoice::Debug => Some(LogLevel::Trace),
            LogLevelChoice::Info => Some(LogLevel::Debug),
            LogLevelChoice::Warn => Some(LogLevel::Info),
            LogLevelChoice::Error => Some(LogLevel::Warn),
            LogLevelChoice::Off => Some(LogLevel::Error),
        }
    }
}

impl From<clef_project::LogLevel> for LogLevelChoice {
    fn from(level: clef_project::LogLevel) -> LogLevelChoice {
        match level {
            clef_project::LogLevel::Trace => LogLevelChoice::Trace,
            clef_project::LogLevel::Debug => LogLevelChoice::Debug,
            clef_project::LogLevel::Info => LogLevelChoice::Info,
            clef_project::LogLevel::Warn => LogLevelChoice::Warn,
            clef_project::LogLevel::Error => LogLevelChoice::Error,
            clef_project::LogLevel::Off => LogLevelChoice::Off,
        }
    }
}

impl From<clef_project::Optimisation> for Optimisation {
    fn from(level: clef_project::Optimisation) -> Optimisation {
        match level {
            clef_project::Optimisation::None => Optimisation::None,
            clef_project::Optimisation::Debugging => Optimisation::Debugging,
            clef_project::Optimisation::Less => Optimisation::Less,
            clef_project::Optimisation::Default => Optimisation::Default,
            clef_project::Optimisation::Aggressive => Optimisation::Aggressive,
            clef_project::Optimisation::Size => Optimisation::Size,
            clef_project::Optimisation::MinimalSize => Optimisation::MinimalSize,
        }
    }
}

/// The warnings that an option applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarningChoice {
    /// All of them.
    All,
    /// Those of one code.
    Code(Code),
}

impl WarningChoice {
    /// Whether it applies to warnings of a code.
    pub fn holds(self, code: Code) -> bool {
        match self {
            WarningChoice::All => true,
            WarningChoice::Code(own) => own == code,
        }
    }
}

/// What is treated as an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DenyChoice {
    /// Warnings.
    Warning(WarningChoice),
    /// Memory use without a bound, or beyond what the board has.
    Unbounded,
}

impl DenyChoice {
    /// Whether it applies to warnings of a code.
    pub fn holds(self, code: Code) -> bool {
        match self {
            DenyChoice::Warning(choice) => choice.holds(code),
            DenyChoice::Unbounded => code == codes::SMALL_MEMORY,
        }
    }
}
