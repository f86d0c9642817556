//! Test plans: which suites run on which boards, and at which probes those boards are.
//!
//! ```yaml
//! devices:
//!   bench: { board: microbit, probe: "0d28:0204:9901000051634e45" }
//! suites:
//!   - paths: [tests]
//!     on: [host-linux, mps2-an386, bench]
//!     timeout: 10
//! ```

use super::{Order, place::PlaceChoice};
use crate::{
    cli::BootChoice,
    hardware::{OnInterrupt, Probe},
    session::Session,
    source_files::read_text,
};
use clef_base::{Diagnostic, FileId, Span, codes};
use regex::Regex;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

/// The plan of a directory.
pub(crate) const TESTPLAN: &str = "testplan.yaml";

/// A plan as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    /// The boards that are connected, by the names that suites call them.
    #[serde(default)]
    devices: BTreeMap<String, Device>,
    /// What is tested where.
    suites: Vec<PlannedSuite>,
}

/// A board at a probe.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Device {
    board: String,
    probe: String,
    /// What is known of a chip that the probe library does not know; from the plan's directory on.
    chip_description: Option<PathBuf>,
}

/// Programs that are tested at the same places.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedSuite {
    /// From the plan's directory on.
    paths: Vec<PathBuf>,
    /// Boards, or names of devices.
    on: Vec<String>,
    /// Seconds that a boot may take.
    timeout: Option<f64>,
    boot: Option<BootChoice>,
    /// Which tests run.
    filter: Option<String>,
}

/// What the command line says for all suites that say nothing else.
pub(crate) struct Defaults {
    /// How long a boot may take.
    pub(crate) timeout: Duration,
    /// How many tests a boot runs.
    pub(crate) boot: BootChoice,
}

/// Reads a plan. `filter` is the command line's, which holds in place of the plan's.
pub(crate) fn read(
    session: &mut Session,
    path: &Path,
    defaults: &Defaults,
    filter: Option<&Regex>,
) -> Result<Vec<Order>, Vec<Diagnostic>> {
    let text = read_text(path, None)?;
    let file = session.sources.add(path.display().to_string(), text.clone());
    let plan: Plan = serde_yaml::from_str(&text).map_err(|error| unreadable(file, &text, &error))?;
    if plan.suites.is_empty() {
        return Err(vec![invalid(file, "a plan without suites tests nothing".to_owned())]);
    }
    let directory = path.parent().unwrap_or(Path::new(""));
    let orders = plan.suites.iter().map(|suite| order(suite, &plan.devices, directory, file, defaults, filter));
    orders.collect::<Result<Vec<Order>, Diagnostic>>().map_err(|diagnostic| vec![diagnostic])
}

fn order(
    suite: &PlannedSuite,
    devices: &BTreeMap<String, Device>,
    directory: &Path,
    file: FileId,
    defaults: &Defaults,
    filter: Option<&Regex>,
) -> Result<Order, Diagnostic> {
    let shown = suite.paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    if suite.paths.is_empty() || suite.on.is_empty() {
        let lacks = if suite.paths.is_empty() { "`paths`" } else { "`on`" };
        return Err(invalid(file, format!("a suite names nothing in {lacks}")));
    }
    let timeout = match suite.timeout.map(Duration::try_from_secs_f64) {
        None => defaults.timeout,
        Some(Ok(timeout)) if !timeout.is_zero() => timeout,
        Some(_) => {
            return Err(invalid(file, format!("the timeout of `{shown}` is no number of seconds greater than zero")));
        }
    };
    let own = match &suite.filter {
        Some(text) => {
            let wrong = |error| invalid(file, format!("the filter of `{shown}` is no regular expression: {error}"));
            Some(Regex::new(text).map_err(wrong)?)
        }
        None => None,
    };
    Ok(Order {
        paths: suite.paths.iter().map(|path| directory.join(path)).collect(),
        places: suite.on.iter().map(|name| place(name, devices, directory)).collect(),
        timeout,
        boot: suite.boot.unwrap_or(defaults.boot),
        filter: filter.cloned().or(own),
    })
}

/// The device of that name, or the board.
fn place(name: &str, devices: &BTreeMap<String, Device>, directory: &Path) -> PlaceChoice {
    // A descriptor's path is meant from the plan on.
    let board = |board: &str| {
        let file = directory.join(board);
        if file.is_file() { file.display().to_string() } else { board.to_owned() }
    };
    match devices.get(name) {
        Some(device) => PlaceChoice {
            name: Some(name.to_owned()),
            board: Some(board(&device.board)),
            way: None,
            probe: Some(Probe {
                selector: Some(device.probe.clone()),
                chip_description: device.chip_description.as_ref().map(|path| directory.join(path)),
                on_interrupt: OnInterrupt::default(),
            }),
        },
        None => PlaceChoice { board: Some(board(name)), ..PlaceChoice::default() },
    }
}

fn invalid(file: FileId, message: String) -> Diagnostic {
    Diagnostic::error(codes::INVALID_PROJECT_VALUE, Span::new(file, 0, 0), message)
        .help("a plan has `devices` (`name: { board: …, probe: … }`, perhaps `chip_description`) and `suites` (`paths`, `on`, `timeout`, `boot`, `filter`)")
}

/// What the reader of YAML says, at its place.
fn unreadable(file: FileId, text: &str, error: &serde_yaml::Error) -> Vec<Diagnostic> {
    let start = error.location().map_or(0, |location| location.index().min(text.len()));
    let message = error.to_string();
    // The place is shown by the diagnostic.
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    let mut diagnostic = invalid(file, format!("this is no test plan: {message}"));
    if let Some(label) = &mut diagnostic.primary {
        label.span = Span::new(file, start, start);
    }
    vec![diagnostic]
}
