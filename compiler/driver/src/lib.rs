//! `clefc`: the command line, the pipeline, and everything that touches files, processes and terminals.
//!
//! [`cli`] says what can be asked for, `commands` has one file per command, [`pipeline`] is the table of contents of a
//! compilation.

pub mod cli;
mod commands;
pub mod emit;
pub mod execution;
pub mod image;
mod internal_error;
pub mod link;
mod output;
pub mod pipeline;
pub mod platform;
mod program;
mod project;
mod session;
mod source_files;

use clap::Parser;
use cli::CommandLine;
use session::Session;
use std::{ffi::OsString, process::ExitCode};

/// The status for errors in what the user gave us.
const USER_ERROR: u8 = 1;

/// Does what the arguments, the program's name first, ask for.
pub fn run_command_line(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let line = match CommandLine::try_parse_from(arguments) {
        Ok(line) => line,
        Err(message) => {
            // Help and version go to standard output and are no errors. A closed pipe is nobody's concern.
            let _ = message.print();
            return if message.use_stderr() { ExitCode::from(USER_ERROR) } else { ExitCode::SUCCESS };
        }
    };
    internal_error::guarded(move || Session::new(line.color), move |session| commands::dispatch(session, &line))
}
