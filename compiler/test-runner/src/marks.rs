//! Separates the output of a boot by test, and determines how each test ended.
//!
//! The library writes a line to both streams when a test begins and when it has returned (`Testing.run`): a byte 1, a
//! word and the test's number. The output between the two lines is the test's.

use super::Failure;
use clef_execution::Ending;
use clef_psg::ExpectedTrap;

/// The byte at the start of marks; output of programs does not contain it.
const MARK: u8 = 1;

/// The exit status of a program that trapped.
const TRAPPED: u8 = 101;

/// The output of one test on a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Section {
    /// The test's number.
    pub(super) test: u32,
    pub(super) text: String,
    /// Whether it returned.
    pub(super) is_ended: bool,
}

/// A stream, split at its marks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Stream {
    /// The output before the first test began.
    pub(super) before: String,
    pub(super) sections: Vec<Section>,
}

impl Stream {
    pub(super) fn read(bytes: &[u8]) -> Stream {
        let mut stream = Stream::default();
        let mut pieces = bytes.split(|byte| *byte == MARK);
        stream.before = text(pieces.next().unwrap_or_default());
        for piece in pieces {
            let end = piece.iter().position(|byte| *byte == b'\n').unwrap_or(piece.len());
            let (mark, rest) = piece.split_at(end);
            let rest = text(rest.get(1..).unwrap_or_default());
            match mark_of(mark) {
                Some(("begin", test)) => stream.sections.push(Section { test, text: rest, is_ended: false }),
                // Output after the end of a test belongs to none; both streams may be one, so that marks come twice.
                Some(("end", test)) => match stream.sections.iter_mut().rfind(|section| section.test == test) {
                    Some(section) => section.is_ended = true,
                    None => stream.before.push_str(&rest),
                },
                Some(_) | None => stream.append(&text(&[&[MARK], piece].concat())),
            }
        }
        stream
    }

    /// Adds output to the current section.
    fn append(&mut self, text: &str) {
        match self.sections.last_mut() {
            Some(section) => section.text.push_str(text),
            None => self.before.push_str(text),
        }
    }

    /// The output of a test.
    pub(super) fn text(&self, test: u32) -> String {
        self.sections.iter().filter(|section| section.test == test).map(|section| section.text.as_str()).collect()
    }

    /// Whether a test began.
    pub(super) fn has_begun(&self, test: u32) -> bool {
        self.sections.iter().any(|section| section.test == test)
    }

    /// Whether a test returned.
    pub(super) fn has_ended(&self, test: u32) -> bool {
        self.sections.iter().any(|section| section.test == test && section.is_ended)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The word and the number of a mark.
fn mark_of(line: &[u8]) -> Option<(&str, u32)> {
    let (word, number) = std::str::from_utf8(line).ok()?.trim_end().split_once(' ')?;
    Some((word, number.parse().ok()?))
}

/// Why a test failed that began, or was the first of its boot; nothing if it passed.
pub(super) fn failure(errors: &Stream, test: u32, ending: &Ending, expected: Option<&ExpectedTrap>) -> Option<Failure> {
    if errors.has_ended(test) {
        return expected.map(|_| failed("no trap", "the test should trap, but it returned", None));
    }
    let has_begun = errors.has_begun(test);
    let said = if has_begun { errors.text(test) } else { errors.before.clone() };
    let before = if has_begun { "" } else { "before the test began: " };
    match (ending, trap(&said)) {
        (Ending::Status(TRAPPED), Some((message, at))) => match expected {
            Some(expected) if has_begun => unexpected(expected, message, at),
            Some(_) | None => Some(failed("trap", &format!("{before}{message}"), at)),
        },
        (Ending::Status(status), _) => {
            let kind = if has_begun { "exit" } else { "no start" };
            Some(failed(kind, &format!("{before}the program exited with status {status}"), None))
        }
        (Ending::TimedOut(time), _) => {
            let message = format!("{before}the test timed out after {} s", time.as_secs_f64());
            Some(failed("timeout", &message, None))
        }
        (Ending::Interrupted { .. }, _) => {
            Some(failed("interrupted", &format!("{before}the run was interrupted"), None))
        }
        (Ending::LockedUp { report }, _) => {
            let report = report.join("; ");
            Some(failed("lockup", &format!("{before}the processor locked up: {report}"), None))
        }
        (Ending::Died { reason, report }, _) => {
            let report: String = report.iter().map(|line| format!("; {line}")).collect();
            Some(failed("broken off", &format!("{before}the run ended abnormally: {reason}{report}"), None))
        }
    }
}

fn failed(kind: &'static str, message: &str, at: Option<&str>) -> Failure {
    Failure { kind, message: message.to_owned(), at: at.map(str::to_owned) }
}

/// The failure if a trap differs from the expected one.
fn unexpected(expected: &ExpectedTrap, message: &str, at: Option<&str>) -> Option<Failure> {
    match expected {
        ExpectedTrap::Saying(text) if !message.contains(text.as_str()) => {
            let message = format!("the test should trap with `{text}`, but it trapped with `{message}`");
            Some(failed("other trap", &message, at))
        }
        ExpectedTrap::Saying(_) | ExpectedTrap::Any => None,
    }
}

/// The message and the location of the trap that a text reports: `trap: MESSAGE at FILE:LINE:COLUMN`. A message may
/// have several lines; the first that ends in a location is its last. Processor faults have no location, and are one
/// line.
fn trap(text: &str) -> Option<(&str, Option<&str>)> {
    const START: &str = "trap: ";
    let start = if text.starts_with(START) { 0 } else { text.rfind("\ntrap: ")? + 1 };
    let report = &text[start + START.len()..];
    let mut ends = report.match_indices('\n').map(|(end, _)| end).chain([report.len()]);
    let placed = ends.find_map(|end| report[..end].rsplit_once(" at ").filter(|(_, place)| is_place(place)));
    match placed {
        Some((message, place)) => Some((message, Some(place))),
        None => report.lines().next().map(|message| (message, None)),
    }
}

/// Whether it is `file:line:column`.
fn is_place(text: &str) -> bool {
    if text.contains('\n') {
        return false;
    }
    let mut parts = text.rsplit(':');
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
    is_number(parts.next()) && is_number(parts.next()) && parts.next().is_some_and(|file| !file.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_base::Symbol;
    use std::time::Duration;

    fn failure_of(errors: &str, ending: Ending, expected: Option<&ExpectedTrap>) -> Option<Failure> {
        failure(&Stream::read(errors.as_bytes()), 3, &ending, expected)
    }

    #[test]
    fn streams_are_cut_at_marks() {
        let stream = Stream::read(b"start\n\x01begin 0\na\n\x01end 0\nbetween\n\x01begin 2\nb \x01 c");
        let section = |test, text: &str, is_ended| Section { test, text: text.to_owned(), is_ended };
        assert_eq!(stream.before, "start\n");
        assert_eq!(stream.sections, [section(0, "a\n", true), section(2, "b \x01 c", false)]);
        assert!(stream.has_ended(0) && stream.has_begun(2) && !stream.has_ended(2) && !stream.has_begun(1));
    }

    #[test]
    fn one_stream_for_both_says_it_twice() {
        let stream = Stream::read(b"\x01begin 0\n\x01begin 0\ntext\n\x01end 0\n\x01end 0\n");
        assert!(stream.has_ended(0));
        assert_eq!(stream.text(0), "text\n");
    }

    #[test]
    fn a_test_passes_when_it_returns() {
        assert_eq!(failure_of("\x01begin 3\n\x01end 3\n", Ending::Status(0), None), None);
        let ending = failure_of("\x01begin 3\n\x01end 3\n", Ending::Status(0), Some(&ExpectedTrap::Any));
        assert_eq!(ending.expect("it should have trapped").kind, "no trap");
        let ended = failure_of("\x01begin 3\n", Ending::Status(0), None).expect("it has not returned");
        assert_eq!((ended.kind, ended.message.as_str()), ("exit", "the program exited with status 0"));
    }

    #[test]
    fn traps_have_a_message_and_a_place() {
        let errors = "\x01begin 3\nhm\ntrap: expected 4, got\n5 at six at tests/a b.clef:7:5\nmore\n";
        let failed = failure_of(errors, Ending::Status(101), None).expect("it trapped");
        assert_eq!(failed.message, "expected 4, got\n5 at six");
        assert_eq!(failed.at.as_deref(), Some("tests/a b.clef:7:5"));
        let saying = |text| ExpectedTrap::Saying(Symbol::new(text));
        assert_eq!(failure_of(errors, Ending::Status(101), Some(&saying("expected 4"))), None);
        assert_eq!(failure_of(errors, Ending::Status(101), Some(&ExpectedTrap::Any)), None);
        let other = failure_of(errors, Ending::Status(101), Some(&saying("index"))).expect("it is another");
        assert_eq!(other.kind, "other trap");
    }

    #[test]
    fn what_the_processor_finds_has_no_place() {
        let errors = "\x01begin 3\nhm\ntrap: stack overflow\n\n";
        let failed = failure_of(errors, Ending::Status(101), None).expect("it trapped");
        assert_eq!((failed.kind, failed.message.as_str(), failed.at), ("trap", "stack overflow", None));
        let expected = ExpectedTrap::Saying(Symbol::new("overflow"));
        assert_eq!(failure_of(errors, Ending::Status(101), Some(&expected)), None);
    }

    #[test]
    fn what_comes_before_the_test_is_told_apart() {
        let errors = "trap: division by zero at a.clef:1:9\n";
        let failed = failure_of(errors, Ending::Status(101), Some(&ExpectedTrap::Any)).expect("it never began");
        assert_eq!(failed.message, "before the test began: division by zero");
        let hung = failure_of("\x01begin 3\n", Ending::TimedOut(Duration::from_secs(2)), None).expect("it hung");
        assert_eq!((hung.kind, hung.message.as_str()), ("timeout", "the test timed out after 2 s"));
    }
}
