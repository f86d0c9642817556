//! Everyday commands around a program: its dependencies and products, and expressions to try.

use super::{Build, Check, MachineOptions, Run, Test};
use clap::{Args, Subcommand};
use std::path::PathBuf;

const CLEAN_EXAMPLES: &str = "\
Removes the images, objects and libraries that `clefc build` and `clefc` write beside the project file, or for source files in this
directory: NAME, NAME.elf, NAME.bin, NAME.hex, NAME.uf2, NAME.o, libNAME.a and libNAME.h. Files that are named by `-o` are kept, and so
is a file whose content is not that of such a product. Other commands leave no files.

Examples:
  clefc clean            the project of this directory
  clefc clean blinky     the project blinky/clef.toml
  clefc clean --dry-run  prints what would be removed";

/// `clefc clean`.
#[derive(Args, Debug)]
#[command(after_help = CLEAN_EXAMPLES)]
pub struct Clean {
    /// Source files as they were compiled, or a project: its directory, its clef.toml or its .fidproj [default: the project of
    /// this directory]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Prints what would be removed, and removes nothing
    #[arg(long)]
    pub dry_run: bool,
}

const ADD_EXAMPLES: &str = "\
The dependency is a project on this machine whose files are modules. They are compiled before those of the project, which may use
them then.

Examples:
  clefc add ../util               a line in clef.toml: util = { path = \"../util\" }
  clefc add ../util --to app      for the project app/clef.toml
  clefc add ../util --name tools  a name of its own among the dependencies";

/// `clefc add`.
#[derive(Args, Debug)]
#[command(after_help = ADD_EXAMPLES)]
pub struct Add {
    /// The project to depend on: its directory, its clef.toml or its .fidproj
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// The project that gets the dependency: its directory or its file [default: the project of this directory]
    #[arg(long, value_name = "PROJECT")]
    pub to: Option<PathBuf>,

    /// The name of the dependency [default: the name of the project]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

const WATCH_EXAMPLES: &str = "\
Runs the command, and runs it again when a source file, a project file or a descriptor of the program changes, until Ctrl-C. A command
that still runs then is ended first.

Examples:
  clefc watch                          checks the project of this directory
  clefc watch test                     runs its tests
  clefc watch run --board microbit app in an emulator
  clefc watch a.clef b.clef            checks these files";

/// `clefc watch`.
#[derive(Args, Debug)]
#[command(after_help = WATCH_EXAMPLES, subcommand_value_name = "CHECK|BUILD|RUN|TEST", args_conflicts_with_subcommands = true)]
pub struct Watch {
    /// What to check without a command
    #[command(flatten)]
    pub check: Check,
    /// What to do on each change [default: check]
    #[command(subcommand)]
    pub action: Option<WatchAction>,
}

/// What to do on each change.
#[derive(Subcommand, Debug)]
pub enum WatchAction {
    /// Checks source files without producing output
    Check(Check),
    /// Compiles a program
    Build(Box<Build>),
    /// Compiles and runs a program
    Run(Box<Run>),
    /// Runs tests
    Test(Box<Test>),
}

const EVAL_EXAMPLES: &str = "\
The text may have several lines; declarations come before the expression. Nothing is compiled: the reference interpreter runs it, with
integers and addresses as wide as on the target. It has no devices.

Examples:
  clefc eval 'List.sum [1; 2; 3]'
  clefc eval --board microbit 'sizeof<nativeint>'
  clefc eval -                      reads the text from standard input";

/// `clefc eval`.
#[derive(Args, Debug)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct Eval {
    /// The expression; `-` reads it from standard input
    #[arg(value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub expression: String,

    /// The machine whose types it has
    #[command(flatten)]
    pub machine: MachineOptions,
}

const REPL_EXAMPLES: &str = "\
Each entry is an expression, whose value is printed with its type, or declarations, which stay. The last value is named `it`. A line
that is complete is an entry. An entry of several lines ends with an empty line, with `;;`, or before a line at the margin that begins
something new. An error or a trap ends the entry only, and Ctrl-C a running one. Nothing is compiled: the reference interpreter runs
the entries, with integers and addresses as wide as on the target. It has no devices.

  :help        explains the commands
  :type EXPR   the type of an expression, which is not evaluated
  :load FILE   runs the declarations of a file
  :quit        ends, as Ctrl-D does

Examples:
  clefc repl
  clefc repl geometry.clef       starts with what a file declares
  clefc repl --board microbit    with the types of a board
  clefc repl < entries.clef      runs entries; the status is 1 if one of them failed";

/// `clefc repl`.
#[derive(Args, Debug)]
#[command(after_help = REPL_EXAMPLES)]
pub struct Repl {
    /// Source files that are loaded first
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The machine whose types the entries have
    #[command(flatten)]
    pub machine: MachineOptions,
}
