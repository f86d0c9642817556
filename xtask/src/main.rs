//! `cargo xtask`: sets up a machine, demonstrates clefc, and runs every test. Needs no LLVM.

mod bench;
mod chips;
mod coverage;
mod decoders;
mod demo;
mod dist;
mod docs;
mod fuzz;
mod latency;
mod miri;
mod nightly;
mod oracle;
mod packages;
mod pictures;
mod probe_soak;
mod scale;
mod setup;
mod soak;
mod step;
mod test;
mod toolchain;
mod vsix;

use clap::{Parser, Subcommand};
use setup::Consent;
use std::{env, path::PathBuf, process::ExitCode};

/// Why a task failed, as a sentence for the user.
type Failure = String;

/// Tasks around clefc
#[derive(Parser, Debug)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
struct CommandLine {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Installs what is missing: LLVM and MLIR 22, QEMU, Rust targets
    Setup {
        #[command(flatten)]
        consent: Consent,
    },
    /// Sets up, builds clefc, compiles an example for a Cortex-M4 and runs it
    Demo {
        #[command(flatten)]
        consent: Consent,
    },
    /// Sets up, checks format and lints, and runs every test
    Test {
        #[command(flatten)]
        consent: Consent,
        /// Arguments of `cargo test`
        #[command(flatten)]
        rest: Rest,
    },
    /// Describes the registers of ST's chips from crates of crates.io, in CMSIS-SVD
    Chips,
    /// Compares generated programs on the interpreter and on boards; `oracle --help` lists ARGS
    #[command(disable_help_flag = true)]
    Oracle(Rest),
    /// Shows which lines of memory management generated programs reach; ARGS as for oracle
    #[command(disable_help_flag = true)]
    Coverage(Rest),
    /// Lets programs without an end run for many iterations, in constant memory
    Soak {
        /// The number of iterations of each
        #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
        iterations: u64,
    },
    /// Runs programs through a simulated debug probe
    ProbeSoak {
        /// How often each runs
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        runs: u32,
    },
    /// Reads the log of programs by the tools of defmt and probe-rs; installs them
    Decoders {
        #[command(flatten)]
        consent: Consent,
    },
    /// Shows how time and memory of each step grow with programs of many kinds; `scale --help` lists ARGS
    #[command(disable_help_flag = true)]
    Scale(Rest),
    /// Measures how long the language server takes from a keystroke to diagnostics
    Latency,
    /// Compares programs in Clef with C, Rust and OCaml, measures the compiler and registers; `bench --help` lists ARGS
    #[command(disable_help_flag = true)]
    Bench(Rest),
    /// Writes the library, the pages of docs/, the commands and the diagnostics as one site
    Docs {
        /// The directory of the site [default: target/site]
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Fuzzes the parser, the checker, or the readers of descriptors or projects; installs nightly Rust and cargo-fuzz
    Fuzz {
        #[command(flatten)]
        consent: Consent,
        /// What to fuzz
        target: fuzz::Target,
        /// For how long
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        minutes: u32,
    },
    /// Packs the extension for VS Code, in target/clef.vsix; fetches packages of npm
    Vsix {
        #[command(flatten)]
        consent: Consent,
    },
    /// Takes the pictures of VS Code and of the site in docs/pictures, in Chromium without a window; fetches VS Code by npm
    Pictures {
        #[command(flatten)]
        consent: Consent,
    },
    /// Builds clefc without dependencies, packs an archive and a package for Debian, and tests them in an empty root
    Dist {
        #[command(flatten)]
        consent: Consent,
    },
    /// Looks for undefined behaviour in the region runtime; installs nightly Rust and Miri
    Miri {
        #[command(flatten)]
        consent: Consent,
    },
}

/// Arguments for another program.
#[derive(clap::Args, Debug)]
struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some(code) = coverage::emulate().or_else(|| coverage::compile(&arguments)) {
        return code;
    }
    match dispatch(CommandLine::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(task: Task) -> Result<(), Failure> {
    match task {
        Task::Setup { consent } => setup::run(consent),
        Task::Demo { consent } => demo::run(consent),
        Task::Test { consent, rest } => test::run(consent, &rest.arguments),
        Task::Oracle(rest) => oracle::run(&rest.arguments),
        Task::Coverage(rest) => coverage::run(&rest.arguments),
        Task::Soak { iterations } => soak::run(iterations),
        Task::ProbeSoak { runs } => probe_soak::run(runs),
        Task::Decoders { consent } => decoders::run(consent),
        Task::Scale(rest) => scale::run(&rest.arguments),
        Task::Latency => latency::run(),
        Task::Bench(rest) => bench::run(&rest.arguments),
        Task::Docs { output } => docs::run(output),
        Task::Fuzz { consent, target, minutes } => fuzz::run(consent, target, minutes),
        Task::Chips => chips::run(),
        Task::Vsix { consent } => vsix::run(consent),
        Task::Pictures { consent } => pictures::run(consent),
        Task::Dist { consent } => dist::run(consent),
        Task::Miri { consent } => miri::run(consent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parsed(arguments: &[&str]) -> Result<Task, clap::Error> {
        CommandLine::try_parse_from([&["xtask"], arguments].concat()).map(|line| line.task)
    }

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused() {
        for arguments in [
            &["demo", "--fast"][..],
            &["setup", "now"],
            &["tset"],
            &["soak", "--iterations", "0"],
            &["probe-soak", "5"],
            &["fuzz"],
            &["fuzz", "lexer"],
            &["fuzz", "parser", "--minutes", "0"],
        ] {
            assert!(parsed(arguments).is_err(), "{arguments:?}");
        }
    }

    #[test]
    fn other_programs_get_their_arguments() {
        let Ok(Task::Oracle(rest)) = parsed(&["oracle", "--count", "5", "--help"]) else { panic!("it is a task") };
        assert_eq!(rest.arguments, ["--count", "5", "--help"]);
        let Ok(Task::Test { consent, rest }) = parsed(&["test", "--yes", "-p", "clef-base"]) else {
            panic!("it is a task")
        };
        assert!(consent.yes);
        assert_eq!(rest.arguments, ["-p", "clef-base"]);
    }

    #[test]
    fn fuzzing_has_a_target_and_minutes() {
        let Ok(Task::Fuzz { target, minutes, .. }) = parsed(&["fuzz", "--minutes", "3", "projects"]) else {
            panic!("it is a task")
        };
        assert_eq!((target, minutes), (fuzz::Target::Projects, 3));
    }
}
