//! What is asked of targets and boards: `clefc targets`, `boards`, `target` and `board`.

use clap::{Args, Subcommand};

/// `clefc targets` and `clefc boards`.
#[derive(Args, Debug)]
pub struct List {
    /// Prints JSON, with everything that is known of each
    #[arg(long)]
    pub json: bool,
}

/// `clefc target …`.
#[derive(Args, Debug)]
pub struct TargetCommand {
    /// What to do with it
    #[command(subcommand)]
    pub action: ShowAction,
}

/// `clefc board …`.
#[derive(Args, Debug)]
pub struct BoardCommand {
    /// What to do with it
    #[command(subcommand)]
    pub action: ShowAction,
}

/// What can be done with a descriptor.
#[derive(Subcommand, Debug)]
pub enum ShowAction {
    /// Prints its descriptor
    Show(Show),
}

/// `show NAME`.
#[derive(Args, Debug)]
pub struct Show {
    /// A name, or the path of a descriptor
    pub name: String,

    /// Prints every value, inherited ones included, and where each was set
    #[arg(long)]
    pub resolved: bool,
}
