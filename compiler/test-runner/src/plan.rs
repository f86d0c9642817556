//! Test plans: which suites run on which boards, and the probes of those boards.
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
use crate::BootChoice;
use clap::ValueEnum;
use clef_base::{Diagnostic, FileId, Span, codes};
use clef_execution::hardware::{OnInterrupt, Probe};
use clef_session::Session;
use regex::Regex;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, Unexpected, Visitor},
};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The name of the plan of a directory.
pub const TESTPLAN: &str = "testplan.yaml";

/// A plan as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with `suites`")]
struct Plan {
    /// The connected boards, by the names that suites use.
    #[serde(default)]
    devices: BTreeMap<String, Device>,
    /// What to test where.
    suites: Vec<PlannedSuite>,
}

/// A board at a probe.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a device, `{ board: …, probe: … }`")]
struct Device {
    board: String,
    probe: String,
    /// The description of a chip that the probe library does not know; relative to the plan's directory.
    chip_description: Option<PathBuf>,
}

/// Programs that are tested at the same places.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a suite, `{ paths: […], on: […] }`")]
struct PlannedSuite {
    /// Relative to the plan's directory.
    paths: Vec<PathBuf>,
    /// Boards, or names of devices.
    on: Vec<String>,
    /// The time limit of a boot in seconds.
    #[serde(default, deserialize_with = "seconds")]
    timeout: Option<Duration>,
    #[serde(default, deserialize_with = "boot")]
    boot: Option<BootChoice>,
    /// The filter on tests.
    filter: Option<String>,
}

/// A number of seconds.
fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    struct Seconds;
    impl Visitor<'_> for Seconds {
        type Value = Duration;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a number of seconds greater than zero")
        }

        fn visit_f64<E: serde::de::Error>(self, seconds: f64) -> Result<Duration, E> {
            let duration = Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero());
            duration.ok_or_else(|| E::invalid_value(Unexpected::Float(seconds), &self))
        }

        fn visit_u64<E: serde::de::Error>(self, seconds: u64) -> Result<Duration, E> {
            self.visit_f64(seconds as f64)
        }

        fn visit_i64<E: serde::de::Error>(self, seconds: i64) -> Result<Duration, E> {
            self.visit_f64(seconds as f64)
        }
    }
    from.deserialize_any(Seconds).map(Some)
}

/// A value of `--boot`.
fn boot<'de, D: Deserializer<'de>>(from: D) -> Result<Option<BootChoice>, D::Error> {
    let word = String::deserialize(from)?;
    let choice = BootChoice::from_str(&word, false);
    choice.map(Some).map_err(|_| D::Error::custom(format!("`boot` must be `test` or `shared`, not `{word}`")))
}

/// The command line's defaults for suites.
pub struct Defaults {
    /// The time limit of a boot.
    pub timeout: Duration,
    /// The number of tests per boot.
    pub boot: BootChoice,
}

/// Reads a plan. `filter` is the command line's, which overrides the plan's.
pub fn read(
    session: &mut Session,
    path: &Path,
    defaults: &Defaults,
    filter: Option<&Regex>,
) -> Result<Vec<Order>, Vec<Diagnostic>> {
    let text = session.files.description(path, None)?;
    let file = session.sources.add(path.display().to_string(), text.clone());
    let plan: Plan = serde_yaml::from_str(&text).map_err(|error| unreadable(file, &text, &error))?;
    if plan.suites.is_empty() {
        return Err(vec![invalid(file, "the plan has no suites".to_owned())]);
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
        return Err(invalid(file, format!("a suite has an empty {lacks}")));
    }
    let own = match &suite.filter {
        Some(text) => {
            let wrong =
                |error| invalid(file, format!("the filter of `{shown}` is not a valid regular expression: {error}"));
            Some(Regex::new(text).map_err(wrong)?)
        }
        None => None,
    };
    Ok(Order {
        paths: suite.paths.iter().map(|path| directory.join(path)).collect(),
        places: suite.on.iter().map(|name| place(name, devices, directory)).collect(),
        timeout: suite.timeout.unwrap_or(defaults.timeout),
        boot: suite.boot.unwrap_or(defaults.boot),
        filter: filter.cloned().or(own),
    })
}

/// The device with that name, or the board.
fn place(name: &str, devices: &BTreeMap<String, Device>, directory: &Path) -> PlaceChoice {
    // A descriptor's path is relative to the plan.
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
    Diagnostic::error(codes::INVALID_PROJECT_VALUE, Span::new(file, 0, 0), message).help(
        "a plan has `devices` (`name: { board: …, probe: … }`, with an optional `chip_description`) and `suites` \
               (`paths`, `on`, `timeout`, `boot`, `filter`)",
    )
}

/// The YAML reader's terms, and the plan's.
const WORDS: [(&str, &str); 9] = [
    ("unit value", "nothing"),
    ("floating point", "the number"),
    ("integer", "the number"),
    ("path string", "a path"),
    ("a map,", "a mapping,"),
    ("type: map", "type: mapping"),
    ("sequence", "list"),
    ("struct Plan", "a mapping with `suites`"),
    ("unit variant", "a word"),
];

/// Translates a message of the YAML reader to the terms of plans.
fn in_words(message: &str) -> String {
    WORDS.iter().fold(message.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// The diagnostic for an error of the YAML reader.
fn unreadable(file: FileId, text: &str, error: &serde_yaml::Error) -> Vec<Diagnostic> {
    let start = error.location().map_or(0, |location| location.index().min(text.len()));
    let message = error.to_string();
    // The diagnostic shows the location.
    let message = in_words(message.split(" at line ").next().unwrap_or_default());
    let mut diagnostic = invalid(file, format!("invalid test plan: {message}"));
    if let Some(label) = &mut diagnostic.primary {
        label.span = Span::new(file, start, start);
    }
    vec![diagnostic]
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_session::options::SessionOptions;
    use std::fs;

    const PLAN: &str = "devices:\n  bench: { board: microbit, probe: \"0d28:0204\" }\nsuites:\n  - paths: [tests]\n    \
                        on: [host-linux, bench]\n    timeout: 10\n    boot: shared\n    filter: 'a.*b'\n";

    /// Each line removed, duplicated, or with another value: the plan is read, or the error is in terms of the plan.
    #[test]
    fn plans_that_are_nearly_right() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("testplan.yaml");
        let lines: Vec<&str> = PLAN.lines().collect();
        let mut plans: Vec<String> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let mut with = |replacement: &[&str]| {
                plans.push([&lines[..index], replacement, &lines[index + 1..]].concat().join("\n") + "\n");
            };
            with(&[]);
            with(&[line, line]);
            with(&[&line[..line.len() / 2]]);
            for value in ["5", "-1", "1e400", ".nan", "[]", "{}", "~", "&a *a", "[[[", "\"\\e\"", "!!x y", "true", "|"]
            {
                with(&[&format!("{}: {value}", line.split(':').next().unwrap_or_default())]);
            }
        }
        let defaults = Defaults { timeout: Duration::from_secs(1), boot: BootChoice::Test };
        for plan in plans {
            fs::write(&path, &plan).expect("it is writable");
            let mut session = Session::new(SessionOptions::default(), |_, _| {});
            let Err(errors) = read(&mut session, &path, &defaults, None) else { continue };
            assert!(!errors.is_empty(), "{plan}");
            for error in errors {
                for word in ["struct ", "f64", "u64", "i64", "enum ", "Option", "unit ", " map,"] {
                    assert!(!error.message.contains(word), "{word} is of Rust, in {plan}: {}", error.message);
                }
            }
        }
    }
}
