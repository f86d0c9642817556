//! The output for people while tests run, and at the end.

use super::{Failure, TestResult};
use clef_host::say;
use std::{fmt::Write as _, time::Duration};

/// Shows results as they arrive.
pub struct Progress {
    is_coloured: bool,
}

const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

impl Progress {
    /// With or without colour.
    pub fn new(is_coloured: bool) -> Progress {
        Progress { is_coloured }
    }

    /// Prints a line for a result.
    pub fn result(&self, result: &TestResult) {
        let (word, colour) = match (&result.failure, result.is_flaky()) {
            (Some(_), _) => ("FAIL", RED),
            (None, true) => ("FLAKY", YELLOW),
            (None, false) => ("PASS", GREEN),
        };
        let test = &result.test;
        let (word, seconds) = (self.painted(&format!("{word:>6}"), colour), result.time.as_secs_f64());
        say(&format!("{word} {seconds:8.3} s  {:<16} {}\n", test.place, test.full()));
    }

    /// Prints why tests failed, and the number of results of each kind.
    pub fn summary(&self, results: &[TestResult], time: Duration) {
        let mut text = String::new();
        let failed: Vec<&TestResult> = results.iter().filter(|result| result.failure.is_some()).collect();
        for result in &failed {
            text.push_str(&self.failure(result));
        }
        let flaky = results.iter().filter(|result| result.is_flaky()).count();
        let passed = results.len() - failed.len();
        let flaky = if flaky > 0 { format!(", {flaky} of them after retries") } else { String::new() };
        let verdict = if failed.is_empty() { self.painted("passed", GREEN) } else { self.painted("failed", RED) };
        let count = results.len();
        let noun = if count == 1 { "test" } else { "tests" };
        let _ = writeln!(
            text,
            "\n{verdict}: {count} {noun} in {:.1} s, {passed} passed{flaky}, {} failed",
            time.as_secs_f64(),
            failed.len()
        );
        say(&text);
    }

    fn failure(&self, result: &TestResult) -> String {
        let test = &result.test;
        let mut text = format!("\n{} {} on {}\n", self.painted("FAIL", RED), test.full(), test.place);
        let failures = result.earlier.iter().chain(&result.failure);
        for Failure { message, at, .. } in failures {
            let at = at.clone().unwrap_or_else(|| format!("{}:{}", test.file, test.line));
            let _ = writeln!(text, "  {at}: {}", message.replace('\n', "\n    "));
        }
        for (name, written) in
            [("standard output", &result.output), ("standard error", &result.errors), ("log", &result.log)]
        {
            if !written.is_empty() {
                let _ = writeln!(text, "  {name}:\n    {}", written.trim_end().replace('\n', "\n    "));
            }
        }
        text
    }

    fn painted(&self, text: &str, colour: &str) -> String {
        if self.is_coloured { format!("\x1b[1;{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
