//! Running the tests of programs: on this machine, in emulators, and on boards.
//!
//! In: [`Order`]s, what is to be tested and where. [`suite`] finds the programs and builds one image of each for each
//! [`place`]; [`boot`] starts an image for one test or for several, and [`marks`] tells from what it wrote how each of them
//! ended. Out: a [`TestResult`] for each test and place, in the order of the orders, which [`progress`] shows, and
//! [`junit`] and [`json`] write. A test that hangs or brings its machine down ends its own boot only.

pub mod boot;
mod choice;
pub mod json;
pub mod junit;
mod marks;
pub mod place;
pub mod plan;
pub mod progress;
pub mod queue;
pub mod suite;

pub use choice::{BootChoice, Shard, Where};
use regex::Regex;
use std::{path::PathBuf, time::Duration};

/// What is to be tested, and where.
pub struct Order {
    /// Source files of one program, or projects and directories; none for the project of this directory.
    pub paths: Vec<PathBuf>,
    /// Where each test runs.
    pub places: Vec<place::PlaceChoice>,
    /// How long a boot may take.
    pub timeout: Duration,
    /// How many tests a boot runs.
    pub boot: BootChoice,
    /// Which tests run, by their full names; all if there is none.
    pub filter: Option<Regex>,
}

/// What came of a test at a place.
#[derive(Clone, PartialEq, Debug)]
pub struct TestResult {
    /// Which test, and where.
    pub(crate) test: TestName,
    /// Why it failed in the last attempt; nothing if it passed.
    pub failure: Option<Failure>,
    /// Why it failed in earlier attempts.
    pub(crate) earlier: Vec<Failure>,
    /// How long the last attempt took, from the start of the image on; of a boot that tests share, its part.
    pub(crate) time: Duration,
    /// What it wrote to standard output in the last attempt.
    pub(crate) output: String,
    /// What it wrote to standard error in the last attempt.
    pub(crate) errors: String,
    /// What it logged in the last attempt.
    pub(crate) log: String,
}

impl TestResult {
    /// Whether it passed, but not at once.
    pub(crate) fn is_flaky(&self) -> bool {
        self.failure.is_none() && !self.earlier.is_empty()
    }
}

/// A test at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestName {
    /// The program that it belongs to.
    pub(crate) suite: String,
    /// Where it runs: a board, or a device of a plan.
    pub place: String,
    /// Its function, with its modules.
    pub(crate) name: String,
    /// The file of the function.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
}

impl TestName {
    /// What filters look at: `suite::Module.test`.
    pub fn full(&self) -> String {
        format!("{}::{}", self.suite, self.name)
    }
}

/// Why a test failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// In a word or two, the same for all failures of its kind: `trap`, `timeout`.
    pub(crate) kind: &'static str,
    /// What happened.
    pub(crate) message: String,
    /// Where, if that is known: `file:line:column`.
    pub(crate) at: Option<String>,
}
