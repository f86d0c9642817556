//! `clefc`: the command line.
//!
//! [`cli`] defines the command line, and `commands` has one file per command, each of which calls the libraries below:
//! a [session](clef_session::Session) and its [`pipeline`](clef_session::pipeline), [`clef_execution`] and [`clef_test_runner`].

pub mod cli;
mod commands;
mod internal_error;
mod messages;
mod terminal;

use clap::Parser;
use clef_base::{Diagnostic, codes};
use clef_host::say;
use cli::CommandLine;
use std::{ffi::OsString, process::ExitCode};
use terminal::Terminal;

/// The status for errors in the user's input.
const USER_ERROR: u8 = 1;

/// The status if a program could not be run to its end, which leaves no status of its own. Programs that run others,
/// such as `env` and `timeout`, use it for their own failures.
const RUN_FAILURE: u8 = 125;

/// The status for errors.
fn status(diagnostics: &[Diagnostic]) -> u8 {
    let is_of_run = |diagnostic: &Diagnostic| codes::OF_RUNS.contains(&diagnostic.code);
    if diagnostics.iter().any(is_of_run) { RUN_FAILURE } else { USER_ERROR }
}

/// Runs the command that the arguments ask for; the program's name comes first.
pub fn run_command_line(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(status) = commands::answer_shell(&arguments) {
        return status;
    }
    let line = match CommandLine::try_parse_from(&arguments) {
        Ok(line) => line,
        Err(message) if message.use_stderr() && asks_for_json(&arguments) => {
            say(&messages::command_line(&message.to_string()));
            return ExitCode::from(USER_ERROR);
        }
        Err(message) => {
            // Help and version go to standard output and are no errors. A closed pipe is ignored.
            let _ = message.print();
            return if message.use_stderr() { ExitCode::from(USER_ERROR) } else { ExitCode::SUCCESS };
        }
    };
    let options = line.diagnostics.session(commands::names());
    let terminal = Terminal::new(&line.diagnostics);
    internal_error::guarded(terminal, options, move |session| commands::dispatch(session, terminal, &line))
}

/// Whether a command line that cannot be parsed asks for JSON errors.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let own = arguments.iter().take_while(|argument| *argument != "--");
    let own: Vec<_> = own.map(|argument| argument.to_string_lossy()).collect();
    own.iter().any(|argument| argument == "--message-format=json")
        || own.windows(2).any(|pair| pair[0] == "--message-format" && pair[1] == "json")
}
