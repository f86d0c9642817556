//! The command line: what can be asked for, as data. Nothing is done here.

mod debugging;
mod descriptors;
mod diagnostics;
mod hardware;
mod testing;

pub use debugging::Gdb;
pub use descriptors::{BoardCommand, List, Show, ShowAction, TargetCommand};
pub use diagnostics::DiagnosticOptions;
pub use hardware::{Attach, Erase, Flash, ProbeChoice, Probes, Reset};
pub use testing::{PlaceOptions, Test};

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use clef_execution::{hardware::OnInterrupt, log::LogFormat};
use clef_session::{
    emit::{Emit, Format},
    machine::MachineChoice,
    options::{CodeChoice, LogLevelChoice, Optimisation},
};
use std::{ffi::OsString, path::PathBuf, time::Duration};

const EXAMPLES: &str = "\
Examples:
  clefc hello.clef                                an ELF file for this machine, hello
  clefc --board microbit -O z hello.clef          an image for a micro:bit, hello.elf
  clefc --board rpi-pico --format uf2 hello.clef  the same for a Raspberry Pi Pico's boot loader, hello.uf2
  clefc --board microbit --deny unbounded a.clef  only if its need of stack and regions has a bound
  clefc --target thumbv7em --emit storage a.clef  where every closure lives, and why
  clefc run --board mps2-an386 hello.clef         compile, and run in an emulator
  clefc run blinky                                the project blinky/clef.toml
  clefc flash --board microbit hello.clef         onto a real board, by a debug probe
  clefc test --board microbit tests               run the tests of the files in tests
  clefc size --board microbit hello.clef          what the bytes of the image are spent on
  clefc explain E0601                             what a diagnostic means";

/// Compiles Clef to bare metal: no heap, no garbage collector.
#[derive(Parser, Debug)]
#[command(
    name = "clefc",
    version,
    about = "Compiles Clef to bare metal: no heap, no garbage collector",
    after_help = EXAMPLES,
    override_usage = "clefc [OPTIONS] [FILE...]\n       clefc [OPTIONS] <COMMAND>",
)]
pub struct CommandLine {
    /// What to do; without a command the program is compiled
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Compilation
    #[command(flatten)]
    pub build: Build,

    /// Diagnostics
    #[command(flatten)]
    pub diagnostics: DiagnosticOptions,
}

/// The commands beside plain compilation.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Makes a project to begin with
    New(New),
    /// Reports what is wrong with source files, and makes nothing
    Check(Check),
    /// Compiles source files and runs the program
    Run(Run),
    /// Compiles, and programs the image into the flash of a real board
    Flash(Flash),
    /// Serves the console of a program that runs on a real board
    Attach(Attach),
    /// Resets a real board, whose program begins anew
    Reset(Reset),
    /// Erases the whole flash of a real board
    Erase(Erase),
    /// Lists the debug probes that are connected
    Probes(Probes),
    /// Runs the program under GDB: here, in an emulator, or on a real board
    Gdb(Gdb),
    /// Runs tests: on this machine, in emulators, or on boards
    Test(Test),
    /// Compiles, and says what the bytes of the image are spent on
    Size(Size),
    /// Lists the shipped targets
    Targets(List),
    /// Lists the shipped boards
    Boards(List),
    /// Shows a target
    Target(TargetCommand),
    /// Shows a board
    Board(BoardCommand),
    /// Says whether all that clefc needs is installed, and what to do where it is not
    Doctor(Doctor),
    /// Explains a diagnostic code
    Explain(Explain),
    /// Prints completions for a shell
    Completions(Completions),
}

/// Compilation.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The program
    #[command(flatten)]
    pub program: ProgramChoice,

    /// Where the product goes; `-` is standard output, for products that are text
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// How the code is made
    #[command(flatten)]
    pub code: CodeOptions,

    /// What to produce; text goes to standard output unless `-o` is given
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub emit: Vec<Emit>,

    /// How the image is written [default: elf]
    #[arg(long, value_name = "FORMAT", conflicts_with = "emit")]
    pub format: Option<Format>,
}

/// Which program is meant, and for what.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct ProgramChoice {
    /// Source files (.clef or .fs) in the order of their dependencies, or a project: its directory, its clef.toml or its
    /// .fidproj [default: the project of this directory]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What the program is made for
    #[command(flatten)]
    pub machine: MachineOptions,
}

/// What the program is made for.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct MachineOptions {
    /// The target: a name (`clefc targets`), a triple, or the path of a descriptor
    #[arg(short, long, value_name = "TARGET", conflicts_with = "board")]
    pub target: Option<String>,

    /// The board: a name (`clefc boards`) or the path of a descriptor [default: the target's, or this machine]
    #[arg(short, long, value_name = "BOARD")]
    pub board: Option<String>,
}

impl MachineOptions {
    /// What is asked for.
    pub fn choice(&self) -> MachineChoice {
        MachineChoice { target: self.target.clone(), board: self.board.clone() }
    }
}

/// How the code is made.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct CodeOptions {
    /// How far to optimise [default: what the project says, or 2]
    #[arg(short = 'O', value_name = "LEVEL")]
    pub optimisation: Option<Optimisation>,

    /// Adds line tables for debuggers
    #[arg(short = 'g')]
    pub debug: bool,

    /// Lets the program say at its end, with its errors, how much region memory it held, and how much stack it took,
    /// at most
    #[arg(long)]
    pub stats: bool,

    /// Leaves out the calls of `Log` below this level, with their arguments [default: what the project says, or trace]
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<LogLevelChoice>,

    /// Links an object (.o) or an archive (.a) of another language; may be repeated
    #[arg(long, value_name = "FILE")]
    pub link: Vec<PathBuf>,
}

impl CodeOptions {
    /// What is asked for.
    pub fn choice(&self) -> CodeChoice {
        CodeChoice {
            optimisation: self.optimisation,
            debug: self.debug,
            statistics: self.stats,
            log_level: self.log_level,
            link: self.link.clone(),
        }
    }
}

/// `clefc new`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  clefc new hello
  clefc new blinky --board microbit
  clefc run blinky")]
pub struct New {
    /// The directory that is made; its name is the project's
    #[arg(value_name = "NAME")]
    pub path: PathBuf,

    /// The board that the project is for: a name (`clefc boards`) or the path of a descriptor [default: this machine]
    #[arg(short, long, value_name = "BOARD")]
    pub board: Option<String>,
}

/// `clefc check`.
#[derive(Args, Debug)]
pub struct Check {
    /// The program
    #[command(flatten)]
    pub program: ProgramChoice,
}

/// `clefc run`.
#[derive(Args, Debug)]
#[command(after_help = "\
The program's standard output is ours, and so is its exit status.

Examples:
  clefc run hello.clef
  clefc run --board microbit --timeout 10 hello.clef
  clefc run --board microbit --probe 0d28:0204 hello.clef
  clefc run echo.clef -- one \"two words\"

What follows -- are the arguments that the program's entry point is given, in an array: from the process on Linux, by semihosting, or
by the loader of an x86-64 machine in QEMU. They cannot be given to a program on a real board.

With --probe, and for boards without an emulator, it runs on a real board: the image is programmed into flash and verified,
and its console is served until it ends.")]
pub struct Run {
    /// The program; with --probe also a finished image (.elf)
    #[command(flatten)]
    pub program: ProgramChoice,

    /// How the code is made
    #[command(flatten)]
    pub code: CodeOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,

    /// What becomes of the program on a real board when control C ends the run [default: halt]
    #[arg(long, value_name = "WHAT")]
    pub on_interrupt: Option<OnInterrupt>,

    /// How the messages of the program's log are shown, on standard error
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub log: LogFormat,

    /// Ends the program after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Arguments for the program's entry point, after `--`; each arrives as it is given
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

/// `clefc size`.
#[derive(Args, Debug)]
#[command(after_help = "\
For each region of memory: what each source file, the runtime and the builtin routines take, and the largest functions and
values; then the structs of the program's closures. The rows of a region add up to what is used of it.

Examples:
  clefc size --board microbit -O z blinky.clef
  clefc size --json blinky.clef > before.json
  clefc size --diff before.json blinky.clef")]
pub struct Size {
    /// The program
    #[command(flatten)]
    pub program: ProgramChoice,

    /// How the code is made
    #[command(flatten)]
    pub code: CodeOptions,

    /// Prints JSON, with all rows
    #[arg(long)]
    pub json: bool,

    /// Says what has changed since an earlier `clefc size --json`
    #[arg(long, value_name = "BASE")]
    pub diff: Option<PathBuf>,

    /// How many of the largest functions and values are shown
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "json")]
    pub top: usize,
}

/// `clefc doctor`.
#[derive(Args, Debug)]
pub struct Doctor {
    /// Looks only at what this board needs: a name (`clefc boards`) or the path of a descriptor
    #[arg(short, long, value_name = "BOARD")]
    pub board: Option<String>,

    /// Prints JSON
    #[arg(long)]
    pub json: bool,
}

/// `clefc explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// A code as diagnostics show it, for example E0601
    pub code: String,
}

/// `clefc completions`.
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// Seconds, as a positive decimal number.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        Ok(_) | Err(_) => Err("expected a number of seconds greater than zero".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parsed(arguments: &[&str]) -> Result<CommandLine, clap::Error> {
        CommandLine::try_parse_from([&["clefc"], arguments].concat())
    }

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn levels_and_kinds_are_read() {
        let line = parsed(&["-Oz", "-g", "--emit", "ast,core", "--emit=elf", "a.clef", "b.clef"]).expect("it is right");
        assert_eq!(line.build.code.optimisation, Some(Optimisation::MinimalSize));
        assert!(line.build.code.debug);
        assert_eq!(line.build.emit, [Emit::Ast, Emit::Core, Emit::Elf]);
        assert_eq!(line.build.program.files.len(), 2);
    }

    #[test]
    fn a_program_keeps_its_arguments() {
        let line = parsed(&["run", "a.clef", "--timeout", "0.5", "--", "-O", "--board"]).expect("it is right");
        let Some(Command::Run(run)) = line.command else { panic!("{line:?}") };
        assert_eq!(run.arguments, ["-O", "--board"]);
        assert_eq!(run.timeout, Some(Duration::from_millis(500)));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for arguments in [
            &["--target", "a", "--board", "b", "x.clef"][..],
            &["-O", "4", "x.clef"],
            &["--emit", "llvm", "x.clef"],
            &["check", "-o", "y", "x.clef"],
            &["check", "--deny", "E0301", "x.clef"],
            &["check", "--allow", "W9999", "x.clef"],
            &["--allow", "unbounded", "x.clef"],
            &["check", "--message-format", "xml", "x.clef"],
            &["run", "--emit", "ast", "x.clef"],
            &["run", "--timeout", "0", "x.clef"],
            &["run", "--timeout", "-1", "x.clef"],
            &["run", "--timeout", "nan", "x.clef"],
            &["explain"],
            &["target", "thumbv7em"],
        ] {
            assert!(parsed(arguments).is_err(), "{arguments:?}");
        }
    }
}
