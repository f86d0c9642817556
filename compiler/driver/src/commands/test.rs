//! `clefc test`: builds the suites, runs their tests, and reports.

use crate::{
    cli::{ProbeChoice, Test},
    commands::{
        Outcome, built,
        gdb::{self, Debugged},
    },
    terminal::Terminal,
};
use clef_base::{Diagnostic, codes, render::Colour};
use clef_execution::hardware::{self, OnInterrupt};
use clef_host::output::{self, Mode};
use clef_probe::Begin;
use clef_session::Session;
use clef_test_runner::{
    Order, TestName, TestResult,
    boot::TestImage,
    json, junit,
    place::{Place, PlaceChoice},
    plan::{self, Defaults, TESTPLAN},
    progress::Progress,
    queue::{self, Cutter, Item, Queue},
    suite::{self, Suite},
};
use std::{
    num::NonZeroUsize,
    path::Path,
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};

/// The status if tests failed; 1 is for tests that could not be run.
const TESTS_FAILED: u8 = 100;

/// Runs the selected tests. The status says whether all passed.
pub(crate) fn test(session: &mut Session, terminal: Terminal, test: &Test) -> Outcome {
    let orders = orders(session, test)?;
    for probe in orders.iter().flat_map(|order| &order.places).filter_map(|place| place.probe.as_ref()) {
        probe.chip_description.iter().for_each(|path| session.files.will_read(path));
    }
    let runs = runs(session, &orders)?;
    // Checked before the tests run, so that long runs are not lost.
    session.files.check_outputs(&reports(test))?;
    if test.list {
        return list(session, test, &runs);
    }
    if test.gdb {
        return debug(session, terminal, test, &runs);
    }
    let start = Instant::now();
    let progress = Progress::new(terminal.colour() == Colour::Ansi);
    let (sender, results) = mpsc::channel();
    let jobs = test.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let printer = thread::spawn(move || {
        let shown = results.into_iter().inspect(|(_, result)| progress.result(result));
        let mut shown: Vec<(usize, TestResult)> = shown.collect();
        // The results of a boot arrive in order.
        shown.sort_by_key(|(number, _)| *number);
        (progress, shown.into_iter().map(|(_, result)| result).collect::<Vec<_>>())
    });
    let built = queue::work(jobs, test.retries, sender, |queue| build(session, test, &runs, queue));
    let Ok((progress, results)) = printer.join() else {
        clef_base::internal::bug("test", None, "the progress display failed")
    };
    if hardware::is_interrupted() {
        terminal.progress("interrupted; the remaining tests did not run");
        return Ok(hardware::INTERRUPTED);
    }
    if built? == 0 {
        return Err(vec![no_tests(test)]);
    }
    progress.summary(&results, start.elapsed());
    write_reports(session, test, &results)?;
    let passed = results.iter().all(|result| result.failure.is_none());
    Ok(if passed { 0 } else { TESTS_FAILED })
}

/// What to test where, from the plan or from the command line.
fn orders(session: &mut Session, test: &Test) -> Result<Vec<Order>, Vec<Diagnostic>> {
    let defaults = Defaults { timeout: test.timeout, boot: test.boot };
    let here = Path::new(TESTPLAN);
    let by_plan = test.plan.is_none() && test.paths.is_empty() && test.places.is_default() && here.is_file();
    if let Some(path) = test.plan.as_deref().or(by_plan.then_some(here)) {
        return plan::read(session, path, &defaults, test.filter.as_ref());
    }
    let choice = |board: Option<&String>| PlaceChoice {
        name: None,
        board: board.cloned(),
        way: test.places.on,
        probe: (test.places.probe != ProbeChoice::default())
            .then(|| built::probe(&test.places.probe, OnInterrupt::default())),
    };
    let places = match test.places.board.as_slice() {
        [] => vec![choice(None)],
        boards => boards.iter().map(|board| choice(Some(board))).collect(),
    };
    let filter = test.filter.clone();
    Ok(vec![Order { paths: test.paths.clone(), places, timeout: test.timeout, boot: test.boot, filter }])
}

/// Builds an image of each suite for each place, and returns the number of tests to run.
fn build(session: &mut Session, test: &Test, runs: &[SuiteRun<'_>], queue: &Queue) -> Result<usize, Vec<Diagnostic>> {
    let mut cutter = Cutter::new(test.shard);
    let mut count = 0;
    let built = each(session, test, runs, |image, place, order| {
        let (items, tests) = cutter.cut(image, place, order);
        count += tests;
        queue.add(items);
    });
    match built {
        Ok(()) => Ok(count),
        Err(diagnostics) => {
            queue.abandon();
            Err(diagnostics)
        }
    }
}

/// A suite and the place where it is tested.
struct SuiteRun<'a> {
    order: &'a Order,
    suite: Suite,
    places: Vec<Arc<Place>>,
}

/// Reads the suites of all orders, and resolves their machines.
fn runs<'a>(session: &mut Session, orders: &'a [Order]) -> Result<Vec<SuiteRun<'a>>, Vec<Diagnostic>> {
    let mut runs = Vec::new();
    for order in orders {
        for suite in suite::find(session, &order.paths)? {
            let machine = suite.program.machine.as_ref();
            let places = order.places.iter().map(|choice| Place::resolve(session, choice, machine).map(Arc::new));
            let places = places.collect::<Result<_, _>>()?;
            runs.push(SuiteRun { order, suite, places });
        }
    }
    Ok(runs)
}

/// Builds the images of all suites that have tests, and passes each to `take`.
fn each(
    session: &mut Session,
    test: &Test,
    runs: &[SuiteRun<'_>],
    mut take: impl FnMut(TestImage, &Arc<Place>, &Order),
) -> Result<(), Vec<Diagnostic>> {
    for run in runs {
        for place in &run.places {
            if let Some(image) = suite::build(session, &run.suite, place, &test.code.choice(), test.gdb)? {
                take(image, place, run.order);
            }
        }
    }
    Ok(())
}

/// Prints the full names of the tests that would run, each with its location.
fn list(session: &mut Session, test: &Test, runs: &[SuiteRun<'_>]) -> Outcome {
    let mut names = Vec::new();
    let mut cutter = Cutter::new(test.shard);
    each(session, test, runs, |image, place, order| {
        for item in cutter.cut(image, place, order).0 {
            names.extend(item.names());
        }
    })?;
    if names.is_empty() {
        return Err(vec![no_tests(test)]);
    }
    let lines = names.iter().map(|name| format!("{}  {}\n", name.place, name.full()));
    output::print(&lines.collect::<String>())?;
    Ok(0)
}

/// Runs the only selected test under GDB.
fn debug(session: &mut Session, terminal: Terminal, test: &Test, runs: &[SuiteRun<'_>]) -> Outcome {
    let mut items: Vec<Item> = Vec::new();
    let mut cutter = Cutter::new(test.shard);
    each(session, test, runs, |image, place, order| items.extend(cutter.cut(image, place, order).0))?;
    let names: Vec<TestName> = items.iter().flat_map(Item::names).collect();
    let ([item], [name]) = (items.as_slice(), names.as_slice()) else {
        if names.is_empty() {
            return Err(vec![no_tests(test)]);
        }
        let message = format!("`--gdb` requires a single test on a single board, but there are {}", names.len());
        return Err(vec![
            Diagnostic::general(codes::UNSUITABLE_OPTION, message)
                .help("select it with `--filter` and `--board`; `--list` prints the names"),
        ]);
    };
    session.enter("gdb");
    let (image, number, place) = item.first();
    let breakpoint = format!("{}:{}", name.file, name.line);
    let debugged = Debugged {
        image: image.running(&(number..=number)),
        board: &place.machine.board.value,
        uses_uart: image.uses_uart(),
        means: place.means(),
        breakpoints: &[breakpoint],
        begin: Begin::Reset,
        arguments: &test.arguments,
    };
    let _lock = place.lock()?;
    gdb::under_debugger(terminal, &debugged)
}

fn no_tests(test: &Test) -> Diagnostic {
    if test.filter.is_some() || test.shard.is_some() {
        return Diagnostic::general(codes::NO_TESTS, "no tests match `--filter` and `--shard`")
            .help("`clefc test --list` prints the names that `--filter` matches");
    }
    Diagnostic::general(codes::NO_TESTS, "no tests found")
        .help("mark a function of type `unit -> unit` with `[<Test>]`: `[<Test>] let adds () = Assert.equal 4 (2 + 2)`")
}

/// The files of the requested reports.
fn reports(test: &Test) -> Vec<&Path> {
    let json = test.json.as_deref().filter(|path| *path != Path::new("-"));
    test.junit.as_deref().into_iter().chain(json).collect()
}

/// Writes the requested reports.
fn write_reports(session: &Session, test: &Test, results: &[TestResult]) -> Result<(), Diagnostic> {
    session.files.check_outputs(&reports(test))?;
    if let Some(path) = &test.junit {
        let report = junit::report(results).map_err(|error| {
            let message = format!("cannot write `{}`: {error}", path.display());
            Diagnostic::general(codes::UNWRITABLE_FILE, message)
        })?;
        session.files.write(path, report.as_bytes(), Mode::Plain)?;
    }
    match &test.json {
        Some(path) if path == Path::new("-") => output::print(&json::report(results)),
        Some(path) => session.files.write(path, json::report(results).as_bytes(), Mode::Plain),
        None => Ok(()),
    }
}
