//! The log of a program, read on the host.
//!
//! In: the image, whose section `.defmt` has the formats and whose debug information has their locations, and the bytes
//! that the program sends. Out: messages. Lost data is reported, and decoding continues after it.

mod show;

use clap::ValueEnum;
use clef_base::{Diagnostic, codes, render::Colour};
use clef_types::float_text::{shortest_float32, shortest_float64};
use defmt_decoder::{DecodeError, Frame, Locations, StreamDecoder, Table};
use defmt_parser::{Fragment, Level, Type};
use std::{
    io::{ErrorKind, PipeReader, Read},
    sync::{Arc, Mutex},
};

pub use show::LogPrinter;

/// How the messages of a program's log are shown, on standard error.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// Time, level, file and line, and message; in colour on a terminal
    #[default]
    Human,
    /// Level and message
    Plain,
    /// A JSON object on each line
    Json,
    /// Not shown
    Off,
}

/// The formats of an image, and their locations.
pub struct LogTable {
    table: Table,
    locations: Locations,
}

impl LogTable {
    /// The formats of an image; none if the program does not log.
    pub fn read(image: &[u8]) -> Result<Option<LogTable>, Diagnostic> {
        let malformed =
            |error| Diagnostic::general(codes::MALFORMED_IMAGE, format!("cannot read the formats of the log: {error}"));
        let Some(table) = Table::parse(image).map_err(malformed)? else { return Ok(None) };
        let locations = table.get_locations(image).map_err(malformed)?;
        Ok(Some(LogTable { table, locations }))
    }

    /// A decoder for the bytes that a program sends, from its start.
    pub fn decoder(&self) -> LogDecoder<'_> {
        LogDecoder { log: self, stream: self.table.new_stream_decoder() }
    }
}

/// A decoder of a log.
pub struct LogDecoder<'t> {
    log: &'t LogTable,
    stream: Box<dyn StreamDecoder + Send + Sync + 't>,
}

/// A result of decoding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogEvent {
    /// A message.
    Message(LogMessage),
    /// The test with this number begins.
    Test(u32),
    /// Bytes that are no message: some data was lost.
    Lost,
}

/// A message of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogMessage {
    /// `trace` to `error`.
    pub level: &'static str,
    /// In seconds, if the program sends timestamps.
    pub time: Option<String>,
    /// The file and the line of the call, if the image has them.
    pub place: Option<(String, u64)>,
    /// The text.
    pub text: String,
}

impl LogDecoder<'_> {
    /// The messages completed by these bytes.
    pub fn receive(&mut self, bytes: &[u8]) -> Vec<LogEvent> {
        self.stream.received(bytes);
        let mut events = Vec::new();
        loop {
            match self.stream.decode() {
                Ok(frame) => events.push(match test(&frame) {
                    Some(number) => LogEvent::Test(number),
                    None => LogEvent::Message(message(&frame, &self.log.locations)),
                }),
                Err(DecodeError::UnexpectedEof) => return events,
                Err(DecodeError::Malformed) if events.last() == Some(&LogEvent::Lost) => {}
                Err(DecodeError::Malformed) => events.push(LogEvent::Lost),
            }
            if !self.log.table.encoding().can_recover() && events.last() == Some(&LogEvent::Lost) {
                return events;
            }
        }
    }
}

/// The number of the test that a frame announces. Messages of programs have a level.
fn test(frame: &Frame<'_>) -> Option<u32> {
    let said = frame.level().is_none().then(|| frame.display_message().to_string())?;
    said.strip_prefix("\u{1}begin ")?.parse().ok()
}

fn message(frame: &Frame<'_>, locations: &Locations) -> LogMessage {
    let level = match frame.level() {
        Some(Level::Trace) => "trace",
        Some(Level::Debug) => "debug",
        Some(Level::Info) | None => "info",
        Some(Level::Warn) => "warn",
        Some(Level::Error) => "error",
    };
    let place = locations.get(&frame.index());
    LogMessage {
        level,
        time: frame.display_timestamp().map(|time| time.to_string()),
        place: place.map(|place| (place.file.display().to_string(), place.line)),
        text: text(frame),
    }
}

/// The text of a message, with floats as interpolated strings show them.
fn text(frame: &Frame<'_>) -> String {
    let shown = frame.display_fragments();
    frame.fragments().into_iter().zip(shown).map(|(fragment, text)| as_interpolated(&fragment, text)).collect()
}

fn as_interpolated(fragment: &Fragment<'_>, text: String) -> String {
    let Fragment::Parameter(parameter) = fragment else { return text };
    let float = if parameter.ty == Type::F32 {
        text.parse().ok().map(shortest_float32)
    } else if parameter.ty == Type::F64 {
        text.parse().ok().map(shortest_float64)
    } else {
        None
    };
    float.unwrap_or(text)
}

/// A log, and how it is shown.
pub struct LogView {
    table: LogTable,
    printer: LogPrinter,
    /// Lines that are collected rather than shown.
    collected: Option<Collected>,
}

/// The collected lines of a log.
pub type Collected = Arc<Mutex<TestLog>>;

/// The log of a boot, separated by test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestLog {
    /// Lines before the first test began.
    before: String,
    /// The tests in the order in which they began.
    tests: Vec<(u32, String)>,
}

impl TestLog {
    fn take(&mut self, event: &LogEvent, printer: LogPrinter) {
        if let LogEvent::Test(number) = event {
            return self.tests.push((*number, String::new()));
        }
        let lines = self.tests.last_mut().map_or(&mut self.before, |(_, lines)| lines);
        lines.push_str(&printer.line(event));
    }

    /// The log of a test; if the boot did not get there, the lines before the first test.
    pub fn text(&self, test: u32) -> String {
        if self.tests.is_empty() {
            return self.before.clone();
        }
        let own = self.tests.iter().filter(|(number, _)| *number == test);
        own.map(|(_, lines)| lines.as_str()).collect()
    }
}

/// Reads the log of a program until its end.
pub type LogReader = Box<dyn FnOnce(PipeReader) + Send>;

impl LogView {
    /// Shows the log of a program.
    pub(crate) fn reader(self) -> LogReader {
        Box::new(move |source| self.follow(source))
    }

    /// The log of an image; none if its program does not log.
    pub fn of(image: &[u8], format: LogFormat, colour: Colour) -> Result<Option<LogView>, Diagnostic> {
        let printer = LogPrinter { format, colour };
        Ok(LogTable::read(image)?.map(|table| LogView { table, printer, collected: None }))
    }

    /// The log of an image, whose lines are collected for later.
    pub fn collecting(image: &[u8], collected: Collected) -> Result<Option<LogView>, Diagnostic> {
        let view = LogView::of(image, LogFormat::Human, Colour::Plain)?;
        Ok(view.map(|view| LogView { collected: Some(collected), ..view }))
    }

    /// Shows messages as they arrive.
    pub fn viewer(&self) -> LogViewer<'_> {
        LogViewer { decoder: self.table.decoder(), printer: self.printer, collected: self.collected.clone() }
    }

    /// Shows all messages of a stream until its end.
    pub fn follow(&self, mut source: impl Read) {
        let mut viewer = self.viewer();
        let mut buffer = [0; 4096];
        loop {
            match source.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => viewer.show(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}

/// Shows a log.
pub struct LogViewer<'t> {
    decoder: LogDecoder<'t>,
    printer: LogPrinter,
    collected: Option<Collected>,
}

impl LogViewer<'_> {
    /// Shows the messages completed by these bytes.
    pub fn show(&mut self, bytes: &[u8]) {
        for event in self.decoder.receive(bytes) {
            match &self.collected {
                Some(lines) => {
                    let mut lines = lines.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    lines.take(&event, self.printer);
                }
                None => self.printer.print(&event),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTER: LogPrinter = LogPrinter { format: LogFormat::Plain, colour: Colour::Plain };

    fn log(events: &[LogEvent]) -> TestLog {
        let mut log = TestLog::default();
        events.iter().for_each(|event| log.take(event, PRINTER));
        log
    }

    fn said(text: &str) -> LogEvent {
        LogEvent::Message(LogMessage { level: "info", time: None, place: None, text: text.to_owned() })
    }

    #[test]
    fn each_test_has_its_messages() {
        let log = log(&[said("before"), LogEvent::Test(3), said("a"), LogEvent::Lost, LogEvent::Test(4)]);
        assert_eq!(log.text(3), "INFO  a\nlog: messages were lost\n");
        assert_eq!((log.text(4), log.text(5)), (String::new(), String::new()));
    }

    #[test]
    fn where_no_test_began_what_came_before_is_told() {
        assert_eq!(log(&[said("before")]).text(3), "INFO  before\n");
        assert_eq!(log(&[]).text(3), "");
    }
}
