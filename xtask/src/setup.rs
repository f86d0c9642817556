//! `cargo xtask setup`: installs everything that building and testing needs.

use crate::{Failure, packages, toolchain};
use std::{
    env,
    io::{self, BufRead, IsTerminal, Write},
};

/// Whether the user has already agreed to installations.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Consent {
    /// Installs without asking (also where CI is set or there is no terminal to ask on)
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Installs what is missing, and prints what that is.
pub(crate) fn run(consent: Consent) -> Result<(), Failure> {
    packages::ensure(consent)?;
    toolchain::ensure_targets(consent)
}

/// Whether installation may go on. Only a person at a terminal is asked; continuous integration is not.
pub(crate) fn agreed(consent: Consent) -> Result<bool, Failure> {
    let unattended =
        env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false") || !io::stdin().is_terminal();
    if consent.yes || unattended {
        return Ok(true);
    }
    eprint!("Install? [y/N] ");
    io::stderr().flush().map_err(|error| error.to_string())?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|error| format!("cannot read the answer: {error}"))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
