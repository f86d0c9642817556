//! One boot of an image, which runs one or several of its tests.

use super::{
    Failure, TestName, TestResult,
    marks::{self, Stream},
    place::Place,
};
use clef_base::Diagnostic;
use clef_execution::{
    Ending, Execution, Outcome, Streams, execute, execute_logging,
    log::{Collected, LogView},
};
use clef_host::{
    cleanup::TemporaryDirectory,
    output::{self, Mode},
};
use clef_psg::ExpectedTrap;
use goblin::elf::Elf;
use std::{
    fs::File,
    ops::RangeInclusive,
    sync::Arc,
    time::{Duration, Instant},
};

/// The symbol of the numbers of the first and the last test to run (`interface::test` in the runtime).
const WANTED: &str = "clef_tests";

/// An image that runs its tests.
pub struct TestImage {
    bytes: Vec<u8>,
    /// The file offset of the numbers of the selected tests.
    wanted: usize,
    /// Whether it uses the board's serial line.
    uses_uart: bool,
    /// Its tests, in the order of their numbers.
    pub(crate) tests: Vec<Test>,
}

/// A test of an image.
pub(crate) struct Test {
    /// Which test, and where.
    pub(crate) name: TestName,
    /// Whether it must trap.
    pub(crate) should_trap: Option<ExpectedTrap>,
}

impl TestImage {
    /// An image as linked; nothing if it never reaches its tests, which then are not in it.
    pub(crate) fn new(bytes: Vec<u8>, uses_uart: bool, tests: Vec<Test>) -> Option<TestImage> {
        let wanted = offset(&bytes, WANTED)?;
        Some(TestImage { bytes, wanted, uses_uart, tests })
    }

    /// Whether it uses the board's serial line.
    pub fn uses_uart(&self) -> bool {
        self.uses_uart
    }

    /// The image, patched to run these tests.
    pub fn running(&self, tests: &RangeInclusive<u32>) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        let numbers = [tests.start().to_le_bytes(), tests.end().to_le_bytes()].concat();
        bytes[self.wanted..][..numbers.len()].copy_from_slice(&numbers);
        bytes
    }
}

/// The file offset of the value of a symbol.
fn offset(image: &[u8], symbol: &str) -> Option<usize> {
    let elf = Elf::parse(image).ok()?;
    let found = elf.syms.iter().find(|known| elf.strtab.get_at(known.st_name) == Some(symbol))?;
    let section = elf.section_headers.get(found.st_shndx)?;
    usize::try_from(section.sh_offset + (found.st_value - section.sh_addr)).ok()
}

/// Runs tests of an image in sequence, in as few boots as possible, and returns their results. `time` is the time limit
/// of a boot.
pub(crate) fn run(image: &TestImage, tests: RangeInclusive<u32>, place: &Place, time: Duration) -> Vec<TestResult> {
    let mut results = Vec::new();
    let mut next = *tests.start();
    while next <= *tests.end() {
        let found = boot(image, next..=*tests.end(), place, time);
        next += found.len() as u32;
        results.extend(found);
    }
    results
}

/// The results of the tests that one boot reached: at least the first.
fn boot(image: &TestImage, tests: RangeInclusive<u32>, place: &Place, time: Duration) -> Vec<TestResult> {
    let (first, last) = (*tests.start(), *tests.end());
    let lock = place.lock();
    let start = Instant::now();
    let log = Collected::default();
    let outcome = match lock.and_then(|lock| started(image, &tests, place, time, &log, lock)) {
        Ok(outcome) => outcome,
        Err(diagnostic) => return vec![not_run(image, first, &diagnostic, start.elapsed())],
    };
    let (output, errors) = (Stream::read(&outcome.output), Stream::read(&outcome.errors));
    // On a board whose streams are one line, the marks of both are in the output, and what the debugger reports follows.
    let is_shared = errors.sections.is_empty() && !output.sections.is_empty();
    let both = is_shared.then(|| Stream::read(&[&outcome.output[..], &outcome.errors].concat()));
    let marked = both.as_ref().unwrap_or(&errors);
    // The first one that did not return is the last one that the boot reached.
    let stopped = (first..=last).find(|test| !marked.has_ended(*test)).unwrap_or(last);
    // If all returned but the program ended abnormally, that is the last test's failure.
    let reached = first..=stopped;
    let share = start.elapsed() / reached.clone().count() as u32;
    let logged = log.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
    let result = |test: u32| {
        let Test { name, should_trap } = &image.tests[test as usize];
        let failure = marks::failure(marked, test, &outcome.ending, should_trap.as_ref())
            .or_else(|| if test == last { bad_end(&outcome.ending, should_trap.as_ref()) } else { None });
        TestResult {
            test: name.clone(),
            failure,
            earlier: Vec::new(),
            time: share,
            output: output.text(test),
            errors: errors.text(test),
            log: logged.text(test),
        }
    };
    reached.map(result).collect()
}

/// Why a boot failed although its last test returned.
fn bad_end(ending: &Ending, should_trap: Option<&ExpectedTrap>) -> Option<Failure> {
    match (ending, should_trap) {
        (Ending::Status(0), _) | (_, Some(_)) => None,
        (ending, None) => {
            let message = format!("the test returned, but the program did not end normally: {ending:?}");
            Some(Failure { kind: "bad end", message, at: None })
        }
    }
}

fn started(
    image: &TestImage,
    tests: &RangeInclusive<u32>,
    place: &Place,
    time: Duration,
    log: &Collected,
    // The place is locked while this is open.
    _lock: Option<File>,
) -> Result<Outcome, Diagnostic> {
    let directory = TemporaryDirectory::new("test")?;
    let path = directory.path().join("program");
    let bytes = image.running(tests);
    output::write_file(&path, &bytes, Mode::Executable)?;
    let streams = Streams::Captured { input: Vec::new() };
    let execution =
        Execution { arguments: &[], timeout: Some(time), streams, uses_uart: image.uses_uart, means: place.means() };
    let board = &place.machine.board.value;
    match LogView::collecting(&bytes, Arc::clone(log))? {
        Some(view) => execute_logging(&path, board, &execution, view),
        None => execute(&path, board, &execution),
    }
}

/// A test that could not be run.
fn not_run(image: &TestImage, test: u32, why: &Diagnostic, time: Duration) -> TestResult {
    let proposals = why.proposals.iter().map(|proposal| &proposal.message);
    let further: String = why.notes.iter().chain(proposals).map(|text| format!("; {text}")).collect();
    TestResult {
        test: image.tests[test as usize].name.clone(),
        failure: Some(Failure { kind: "not run", message: format!("{}{further}", why.message), at: None }),
        earlier: Vec::new(),
        time,
        output: String::new(),
        errors: String::new(),
        log: String::new(),
    }
}
