//! `clefc man DIRECTORY`: the manual pages.

use crate::{
    cli::{CommandLine, Man},
    commands::Outcome,
};
use clap::CommandFactory;
use clef_base::{Diagnostic, codes};

/// Writes a page for clefc, `clefc.1`, and one for each command, such as `clefc-run.1`.
pub(crate) fn man(man: &Man) -> Outcome {
    let directory = man.directory.display();
    clap_mangen::generate_to(CommandLine::command(), &man.directory).map(|()| 0).map_err(|error| {
        let message = format!("cannot write manual pages to `{directory}`: {error}");
        vec![
            Diagnostic::general(codes::UNWRITABLE_FILE, message)
                .help("name a directory that exists and can be written to"),
        ]
    })
}
