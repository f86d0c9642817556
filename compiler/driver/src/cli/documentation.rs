//! `clefc doc`: the documentation of a program.

use super::MachineOptions;
use clap::Args;
use std::path::PathBuf;

const DOC_EXAMPLES: &str = "\
A page for each module, with the types of its public declarations and the `///` comments above them; pages of the sources; and a
search, which works without a server. Code in comments that is indented by four spaces is an example: the reference interpreter runs
it, and an example that fails is an error. `a = b` in an example says that both are equal, and a comment after another statement is
the line that it prints.

Examples:
  clefc doc                           the project of this directory, in doc/
  clefc doc --pages guide blinky      the project blinky/clef.toml, with the pages guide/*.md
  clefc doc --library -o clef         the library, the commands and the diagnostics
  clefc doc --library --board rpi-pico  the library of a board";

/// `clefc doc`.
#[derive(Args, Debug)]
#[command(after_help = DOC_EXAMPLES)]
pub struct Doc {
    /// Source files (.clef or .fs) in the order of their dependencies, or a project: its directory, its clef.toml or its
    /// .fidproj [default: the project of this directory]
    #[arg(value_name = "FILE", conflicts_with = "library")]
    pub files: Vec<PathBuf>,

    /// Documents the library, the commands and the diagnostics of clefc in place of a program
    #[arg(long)]
    pub library: bool,

    /// Adds the Markdown files of a directory as pages, in the order of its SUMMARY.md if it has one
    #[arg(long, value_name = "DIR")]
    pub pages: Option<PathBuf>,

    /// The machine whose library the program uses, or whose library is documented
    #[command(flatten)]
    pub machine: MachineOptions,

    /// The directory of the site
    #[arg(short, long, value_name = "OUT", default_value = "doc")]
    pub output: PathBuf,
}
