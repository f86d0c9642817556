//! Running the tests of programs: on this machine, in emulators, and on boards.
//!
//! In: [`Order`]s, what to test and where. [`suite`] finds the programs and builds one image of each for each
//! [`place`]; [`boot`] starts an image for one test or for several, and [`marks`] determines from the output how each
//! of them ended. Out: a [`TestResult`] for each test and place, in the order of the orders, which [`progress`] shows,
//! and [`junit`] and [`json`] write. A test that hangs or crashes its machine ends only its own boot.

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

/// What to test, and where.
pub struct Order {
    /// Source files of one program, or projects and directories; none for the project of this directory.
    pub paths: Vec<PathBuf>,
    /// Where each test runs.
    pub places: Vec<place::PlaceChoice>,
    /// The time limit of a boot.
    pub timeout: Duration,
    /// The number of tests per boot.
    pub boot: BootChoice,
    /// A filter on the full names of tests; all run if there is none.
    pub filter: Option<Regex>,
}

/// The result of a test at a place.
#[derive(Clone, PartialEq, Debug)]
pub struct TestResult {
    /// Which test, and where.
    pub(crate) test: TestName,
    /// Why it failed in the last attempt; nothing if it passed.
    pub failure: Option<Failure>,
    /// Why it failed in earlier attempts.
    pub(crate) earlier: Vec<Failure>,
    /// The time of the last attempt, from the start of the image on; for a boot that tests share, its part.
    pub(crate) time: Duration,
    /// Its standard output in the last attempt.
    pub(crate) output: String,
    /// Its standard error in the last attempt.
    pub(crate) errors: String,
    /// Its log in the last attempt.
    pub(crate) log: String,
}

impl TestResult {
    /// Whether it passed, but not in the first attempt.
    pub(crate) fn is_flaky(&self) -> bool {
        self.failure.is_none() && !self.earlier.is_empty()
    }
}

/// A test at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestName {
    /// The program it belongs to.
    pub(crate) suite: String,
    /// Where it runs: a board, or a device of a plan.
    pub place: String,
    /// Its function, qualified by its modules.
    pub(crate) name: String,
    /// The file of the function.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
}

impl TestName {
    /// The full name that filters match: `suite::Module.test`.
    pub fn full(&self) -> String {
        format!("{}::{}", self.suite, self.name)
    }
}

/// Why a test failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// A word or two, the same for all failures of its kind: `trap`, `timeout`.
    pub(crate) kind: &'static str,
    /// What happened.
    pub(crate) message: String,
    /// The location, if known: `file:line:column`.
    pub(crate) at: Option<String>,
}
