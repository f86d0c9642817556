//! What an image takes: `clefc size` and `clefc stack`.

use super::{CodeOptions, ProgramChoice};
use clap::Args;
use std::path::PathBuf;

/// What is measured, and how it is shown.
#[derive(Args, Debug)]
pub struct MeasurementOptions {
    /// The program
    #[command(flatten)]
    pub program: ProgramChoice,

    /// Code generation
    #[command(flatten)]
    pub code: CodeOptions,

    /// Prints JSON, with all rows
    #[arg(long)]
    pub json: bool,

    /// Draws a page of HTML in one file
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub html: Option<PathBuf>,

    /// The number of largest functions and values to show
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with_all = ["json", "html"])]
    pub top: usize,
}

/// `clefc size`.
#[derive(Args, Debug)]
#[command(after_help = "\
For each region of memory: the size of each source file, of the runtime and of the builtin routines, and the largest functions
and values; then the structs of the program's closures. The rows of a region add up to its used size.

Examples:
  clefc size --board microbit -O z blinky.clef
  clefc size --json blinky.clef > before.json
  clefc size --diff before.json blinky.clef
  clefc size --html size.html blinky.clef   a treemap for a browser")]
pub struct Size {
    /// What is measured
    #[command(flatten)]
    pub measurement: MeasurementOptions,

    /// Reports the changes since an earlier `clefc size --json`
    #[arg(long, value_name = "BASE", conflicts_with = "html")]
    pub diff: Option<PathBuf>,
}

/// `clefc stack`.
#[derive(Args, Debug)]
#[command(after_help = "\
For the start of the program, each handler of an interrupt and the report of a fault: the calls down to the deepest point. Then the
functions that need the most stack: `need` is the bytes of a function's frame and of the deepest calls below it.

Examples:
  clefc stack --board microbit -O z blinky.clef
  clefc stack --json blinky
  clefc stack --html stack.html blinky   the tree of calls for a browser")]
pub struct Stack {
    /// What is measured
    #[command(flatten)]
    pub measurement: MeasurementOptions,
}
