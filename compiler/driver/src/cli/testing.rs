//! `clefc test`.

use super::{CodeOptions, ProbeChoice, seconds};
use clap::Args;
use clef_test_runner::{BootChoice, Shard, Where};
use regex::Regex;
use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf, time::Duration};

/// `clefc test`.
#[derive(Args, Debug)]
#[command(after_help = "\
Tests are functions marked `[<Test>]`. A test passes when it returns, and fails when it traps, hangs or ends the program; one
that is also marked `[<ShouldTrap(\"text\")>]` has to trap. They run in place of the entry point, each in a boot of its own.

Source files are one program. Of a project, its own files are tested, and each file in its directory `tests` behind them; of
another directory, each file that has tests. Without paths, testplan.yaml says what is tested where:

  devices:
    bench: { board: microbit, probe: \"0d28:0204:9901000051634e45\" }
  suites:
    - paths: [tests]
      on: [host-linux, mps2-an386, bench]
      timeout: 10

The status is 0 if all tests passed, 100 if some failed, and 1 if they could not be run.

Examples:
  clefc test
  clefc test --board mps2-an386 --board microbit --junit results.xml tests
  clefc test --filter 'ring.*wraps' --retries 1
  clefc test --shard 1/4 --json -
  clefc test --filter 'ring.*wraps' --board microbit --gdb
  clefc test --filter 'ring.*wraps' --board microbit --probe 0d28:0204 --gdb -- -batch -ex backtrace")]
pub struct Test {
    /// Source files of one program, or projects and directories [default: testplan.yaml, or the project of this directory]
    #[arg(value_name = "PATH", conflicts_with = "plan")]
    pub paths: Vec<PathBuf>,

    /// Where tests run
    #[command(flatten)]
    pub places: PlaceOptions,

    /// What is tested where [default: testplan.yaml, if neither paths nor places are given]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "on", "probe", "chip_description"])]
    pub plan: Option<PathBuf>,

    /// Runs the tests whose names (`suite::Module.test`) match a regular expression
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<Regex>,

    /// Runs one of N equal parts of the tests
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// How many tests run at once [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,

    /// Runs a test that failed again, so many times
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,

    /// Ends a boot after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "30")]
    pub timeout: Duration,

    /// How many tests a boot runs
    #[arg(long, value_name = "WHICH", default_value = "test")]
    pub boot: BootChoice,

    /// Writes the results as JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Writes the results as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Prints the names of the tests, and runs none
    #[arg(long, conflicts_with_all = ["junit", "json"])]
    pub list: bool,

    /// Runs the only test that `--filter` leaves under GDB, up to its beginning
    #[arg(long, conflicts_with_all = ["junit", "json", "list", "jobs", "retries", "timeout", "boot"])]
    pub gdb: bool,

    /// How the code is made
    #[command(flatten)]
    pub code: CodeOptions,

    /// With `--gdb`: arguments for GDB, after `--`
    #[arg(last = true, value_name = "ARGS", requires = "gdb")]
    pub arguments: Vec<OsString>,
}

/// Where tests run.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct PlaceOptions {
    /// A board: a name (`clefc boards`) or the path of a descriptor; may be repeated [default: the project's, or this machine]
    #[arg(short, long, value_name = "BOARD")]
    pub board: Vec<String>,

    /// How images get there [default: as the board's descriptor says]
    #[arg(long, value_name = "WHERE")]
    pub on: Option<Where>,

    /// The debug probe that the board is connected to
    #[command(flatten)]
    pub probe: ProbeChoice,
}

impl PlaceOptions {
    /// Whether nothing is said.
    pub fn is_default(&self) -> bool {
        *self == PlaceOptions::default()
    }
}

/// More threads than any machine has processors.
const MOST_JOBS: usize = 1000;

/// How many tests run at once.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let jobs = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= MOST_JOBS);
    jobs.ok_or_else(|| format!("expected a number from 1 to {MOST_JOBS}"))
}
