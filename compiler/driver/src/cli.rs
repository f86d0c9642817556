//! The command line: what can be asked for, as data. Nothing is done here.

mod debugging;
mod descriptors;
mod diagnostics;
mod documentation;
mod everyday;
mod formatting;
mod hardware;
mod measurements;
mod testing;

pub use debugging::{Decode, Gdb};
pub use descriptors::{BoardCommand, List, Show, ShowAction, TargetCommand};
pub use diagnostics::{ColourChoice, DiagnosticOptions, MessageFormat};
pub use documentation::Doc;
pub use everyday::{Add, Clean, Eval, Repl, Watch, WatchAction};
pub use formatting::{Fmt, Lines};
pub use hardware::{Attach, Erase, Flash, ProbeChoice, Probes, Reset};
pub use measurements::{MeasurementOptions, Size, Stack};
pub use testing::{PlaceOptions, Test};

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use clef_execution::{hardware::OnInterrupt, log::LogFormat};
use clef_session::{
    emit::{Emit, Format},
    machine::MachineChoice,
    options::{CodeChoice, DebugInfo, LogLevelChoice, Optimisation},
};
use std::{ffi::OsString, path::PathBuf, time::Duration};

const EXAMPLES: &str = "\
Examples:
  clefc hello.clef                                an ELF file for this machine, hello
  clefc --board microbit -O z hello.clef          an image for a micro:bit, hello.elf
  clefc --board rpi-pico --format uf2 hello.clef  the same for a Raspberry Pi Pico's boot loader, hello.uf2
  clefc --board microbit --deny unbounded a.clef  only if stack and regions have a bound
  clefc --target thumbv7em --emit storage a.clef  the storage of every closure, and why
  clefc run --board mps2-an386 hello.clef         compile and run in an emulator
  clefc run blinky                                the project blinky/clef.toml
  clefc flash --board microbit hello.clef         program a real board with a debug probe
  clefc test --board microbit tests               run the tests of the files in tests
  clefc size --board microbit hello.clef          the size of each part of the image
  clefc fmt                                       format the source files of this directory
  clefc explain E0601                             explain a diagnostic";

const BUILD_EXAMPLES: &str = "\
Examples:
  clefc build                               the project of this directory
  clefc build --board microbit -O z blinky  the project blinky/clef.toml, for a micro:bit
  clefc build hello.clef -o hello           a file; `clefc hello.clef -o hello` is the same";

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
    /// The command; without one, clefc compiles the program, as `clefc build` does
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
    /// Creates a new project
    New(New),
    /// Compiles a program, as clefc does without a command
    #[command(after_help = BUILD_EXAMPLES)]
    Build(Box<Build>),
    /// Checks source files without producing output
    Check(Check),
    /// Compiles and runs a program
    Run(Run),
    /// Evaluates an expression on the reference interpreter, and prints its value and its type
    Eval(Eval),
    /// Reads expressions and declarations, and runs each on the reference interpreter
    Repl(Repl),
    /// Checks, compiles, runs or tests a program again whenever its files change
    Watch(Watch),
    /// Adds a dependency to a project
    Add(Add),
    /// Removes what builds of a program wrote
    Clean(Clean),
    /// Compiles a program and writes it to the flash of a real board
    Flash(Flash),
    /// Connects to the console of a program that runs on a real board
    Attach(Attach),
    /// Shows a log of a program with the reports of its traps and faults as text
    Decode(Decode),
    /// Resets a real board and restarts its program
    Reset(Reset),
    /// Erases the whole flash of a real board
    Erase(Erase),
    /// Lists the connected debug probes
    Probes(Probes),
    /// Debugs a program with GDB: on this machine, in an emulator, or on a real board
    Gdb(Gdb),
    /// Runs tests: on this machine, in emulators, or on boards
    Test(Test),
    /// Compiles a program and reports the size of each part of the image
    Size(Size),
    /// Compiles a program and reports the stack that each function needs
    Stack(Stack),
    /// Lists the shipped targets
    Targets(List),
    /// Lists the shipped boards
    Boards(List),
    /// Shows a target
    Target(TargetCommand),
    /// Shows a board
    Board(BoardCommand),
    /// Checks that clefc works, and says which tools are missing, for what, and how to install them
    Doctor(Doctor),
    /// Formats source files
    Fmt(Fmt),
    /// Serves an editor, by the language server protocol over standard input and output
    Lsp(Lsp),
    /// Writes the registers of a chip as Clef, from a description in CMSIS-SVD
    Svd(Svd),
    /// Writes the declarations of a header of C as Clef
    Bind(Bind),
    /// Explains a diagnostic code
    Explain(Explain),
    /// Writes the documentation of a project, or of the library, as a static site
    Doc(Doc),
    /// Prints completions for a shell
    Completions(Completions),
    /// Writes the manual pages
    Man(Man),
}

/// Compilation.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The program
    #[command(flatten)]
    pub program: ProgramChoice,

    /// The output file; `-` is standard output, for text only
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Code generation
    #[command(flatten)]
    pub code: CodeOptions,

    /// What to produce; text goes to standard output unless `-o` is given
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub emit: Vec<Emit>,

    /// The format of the image [default: elf]
    #[arg(long, value_name = "FORMAT", conflicts_with = "emit")]
    pub format: Option<Format>,
}

/// The program, and the machine to compile for.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct ProgramChoice {
    /// Source files (.clef or .fs) in the order of their dependencies, or a project: its directory, its clef.toml or its
    /// .fidproj [default: the project of this directory]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The machine to compile for
    #[command(flatten)]
    pub machine: MachineOptions,
}

/// The machine to compile for.
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
    /// The requested choice.
    pub fn choice(&self) -> MachineChoice {
        MachineChoice { target: self.target.clone(), board: self.board.clone() }
    }
}

/// Code generation.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct CodeOptions {
    /// The optimisation level [default: that of the project, or 2]
    #[arg(short = 'O', value_name = "LEVEL")]
    pub optimisation: Option<Optimisation>,

    /// Adds debug information: lines, variables and types
    #[arg(short = 'g')]
    pub debug: bool,

    /// Prints peak region and stack use on exit, to standard error
    #[arg(long)]
    pub stats: bool,

    /// Keeps the messages of traps in the memory of the image, which then reports traps without `clefc`
    #[arg(long)]
    pub trap_messages: bool,

    /// Removes calls of `Log` below this level, with their arguments [default: that of the project, or trace]
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<LogLevelChoice>,

    /// Links an object (.o) or an archive (.a) of another language; may be repeated
    #[arg(long, value_name = "FILE")]
    pub link: Vec<PathBuf>,
}

impl CodeOptions {
    /// The requested choice.
    pub fn choice(&self) -> CodeChoice {
        CodeChoice {
            optimisation: self.optimisation,
            debug: if self.debug { DebugInfo::Variables } else { DebugInfo::None },
            statistics: self.stats,
            trap_messages: self.trap_messages,
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
    /// The directory to create; its name is that of the project
    #[arg(value_name = "NAME")]
    pub path: PathBuf,

    /// The board of the project: a name (`clefc boards`) or the path of a descriptor [default: this machine]
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
clefc passes on the program's standard output and exit status.

Examples:
  clefc run hello.clef
  clefc run --board microbit --timeout 10 hello.clef
  clefc run --board microbit --probe 0d28:0204 hello.clef
  clefc run echo.clef -- one \"two words\"

The arguments after -- are passed to the program's entry point as an array: by the process on Linux, by semihosting, or by the
loader of an x86-64 machine in QEMU. They cannot be passed to a program on a real board.

With --probe, and for boards without an emulator, the program runs on a real board: clefc programs the image into flash, verifies
it, and shows its console until it ends.")]
pub struct Run {
    /// The program; with --probe also a finished image (.elf)
    #[command(flatten)]
    pub program: ProgramChoice,

    /// Code generation
    #[command(flatten)]
    pub code: CodeOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,

    /// What to do with the program on a real board when Ctrl-C ends the run [default: halt]
    #[arg(long, value_name = "WHAT")]
    pub on_interrupt: Option<OnInterrupt>,

    /// The format of the program's log messages, on standard error
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub log: LogFormat,

    /// Stops the program after this number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Arguments for the program's entry point, after `--`, passed unchanged
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

/// `clefc doctor`.
#[derive(Args, Debug)]
pub struct Doctor {
    /// Checks what this board needs, and requires its emulator: a name (`clefc boards`) or the path of a descriptor
    #[arg(short, long, value_name = "BOARD")]
    pub board: Option<String>,

    /// Prints JSON
    #[arg(long)]
    pub json: bool,
}

const SVD_EXAMPLES: &str = "\
Examples:
  clefc svd nrf52840.svd -o Device.clef    the module Device, in the file Device.clef
  clefc svd rp2040.svd                     the same text, to standard output

In a program:
  Device.UART0.baudrate |> Register.write (Register.set Device.UART0.BAUDRATE.baudrate 3u)";

/// `clefc svd`.
#[derive(Args, Debug)]
#[command(after_help = SVD_EXAMPLES)]
pub struct Svd {
    /// The description of the chip
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The output file, whose name is that of the module; without it, the module `Device` goes to standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

const BIND_EXAMPLES: &str = "\
Examples:
  clefc bind crc.h -o Crc.clef                           the module Crc, for this machine
  clefc bind --board microbit crc.h -o Crc.clef          for the processor of a board
  clefc bind sensor.h -o Sensor.clef -- -I include -DV2  with arguments for the C compiler
  clefc bind unistd.h --allowlist 'getp*id' -o Os.clef   only some names, also of the system's headers

In a program, linked with the library:
  let checksum = Crc.crc16 (NativePtr.ofString text) (unativeint (String.length text))";

/// `clefc bind`.
#[derive(Args, Debug)]
#[command(after_help = BIND_EXAMPLES)]
pub struct Bind {
    /// The header
    #[arg(value_name = "HEADER")]
    pub header: PathBuf,

    /// The output file, whose name is that of the module; without it, the module `Bindings` goes to standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// The machine to bind for, which determines the sizes of types
    #[command(flatten)]
    pub machine: MachineOptions,

    /// Binds only names that match, in which `*` stands for any characters, from all headers, with the types that they need;
    /// may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub allowlist: Vec<String>,

    /// Arguments of the C compiler, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// `clefc lsp`.
#[derive(Args, Debug)]
pub struct Lsp {
    /// Accepted because editors pass it: there is no other transport
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// `clefc explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// The code of a diagnostic, for example E0601
    pub code: String,
}

const COMPLETIONS_EXAMPLES: &str = "\
The script asks clefc itself for the words that fit: commands, options, boards, targets, connected probes, diagnostics and files.

Examples:
  echo 'source <(clefc completions bash)' >> ~/.bashrc
  echo 'source <(clefc completions zsh)' >> ~/.zshrc
  clefc completions fish > ~/.config/fish/completions/clefc.fish";

/// `clefc completions`.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// `clefc man`.
#[derive(Args, Debug)]
pub struct Man {
    /// The directory, which exists
    pub directory: PathBuf,
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
    fn build_is_the_long_form() {
        let arguments = ["--board", "microbit", "-Oz", "-o", "a.elf", "a.clef"];
        let short = parsed(&arguments).expect("it is right");
        let long = parsed(&[&["build"], &arguments[..]].concat()).expect("it is right");
        let Some(Command::Build(build)) = long.command else { panic!("{long:?}") };
        assert_eq!(*build, short.build);
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
