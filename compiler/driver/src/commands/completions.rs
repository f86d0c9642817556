//! `clefc completions SHELL`: a script for the shell.

use crate::{
    cli::{CommandLine, Completions},
    commands::Outcome,
};
use clap::CommandFactory;
use clef_host::output;

/// Prints the script.
pub(crate) fn completions(completions: &Completions) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut CommandLine::command(), "clefc", &mut script);
    output::print(&String::from_utf8_lossy(&script)).map(|()| 0).map_err(|diagnostic| vec![diagnostic])
}
