//! `clefc test`.

use super::{CodeOptions, ProbeChoice, seconds};
use clap::Args;
use clef_test_runner::{BootChoice, Shard, Where};
use regex::Regex;
use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf, time::Duration};

/// `clefc test`.
#[derive(Args, Debug)]
#[command(after_help = "\
Tests are functions marked `[<Test>]`. A test passes if it returns, and fails if it traps, hangs or ends the program. A test
that is also marked `[<ShouldTrap(\"text\")>]` must trap. Tests run instead of the entry point, each in its own boot.

Source files form one program. For a project, its own files are tested, and then each file in its directory `tests`; for another
directory, each file that has tests. Without paths, testplan.yaml specifies what to test where:

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

    /// Where to run the tests
    #[command(flatten)]
    pub places: PlaceOptions,

    /// The test plan [default: testplan.yaml, if neither paths nor boards are given]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "on", "probe", "chip_description"])]
    pub plan: Option<PathBuf>,

    /// Runs the tests whose names (`suite::Module.test`) match a regular expression
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<Regex>,

    /// Runs one of N equal parts of the tests
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// The number of parallel tests [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,

    /// Retries a failed test up to N times
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,

    /// Stops a boot after this number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "30")]
    pub timeout: Duration,

    /// Whether each test has its own boot, or tests share boots
    #[arg(long, value_name = "WHICH", default_value = "test")]
    pub boot: BootChoice,

    /// Writes the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Writes the results as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Prints the names of the tests without running them
    #[arg(long, conflicts_with_all = ["junit", "json"])]
    pub list: bool,

    /// Debugs the single test that `--filter` selects with GDB, from the start of the test
    #[arg(long, conflicts_with_all = ["junit", "json", "list", "jobs", "retries", "timeout", "boot"])]
    pub gdb: bool,

    /// Code generation
    #[command(flatten)]
    pub code: CodeOptions,

    /// With `--gdb`: arguments for GDB, after `--`
    #[arg(last = true, value_name = "ARGS", requires = "gdb")]
    pub arguments: Vec<OsString>,
}

/// Where to run the tests.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct PlaceOptions {
    /// A board: a name (`clefc boards`) or the path of a descriptor; may be repeated [default: the project's, or this machine]
    #[arg(short, long, value_name = "BOARD")]
    pub board: Vec<String>,

    /// How to run images [default: that of the board's descriptor]
    #[arg(long, value_name = "WHERE")]
    pub on: Option<Where>,

    /// The debug probe of the board
    #[command(flatten)]
    pub probe: ProbeChoice,
}

impl PlaceOptions {
    /// Whether all options are absent.
    pub fn is_default(&self) -> bool {
        *self == PlaceOptions::default()
    }
}

/// More threads than any machine has processors.
const MAX_JOBS: usize = 1000;

/// The number of parallel tests.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let jobs = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= MAX_JOBS);
    jobs.ok_or_else(|| format!("expected a number from 1 to {MAX_JOBS}"))
}
