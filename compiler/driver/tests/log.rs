//! The log from outside: what `clefc run` shows of it, and streams of frames that are damaged.

use clef_execution::log::{LogEvent, LogMessage, LogTable};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tempfile::TempDir;

const PROGRAM: &str = "let limit = 30\n\nLog.info \"started\"\nfor reading in [ 20; 40 ] do\n    \
                       if reading > limit then Log.warn $\"{reading} is {1.0} too hot\"\n    \
                       else Log.debug $\"{reading} is \\\"fine\\\"\"\n";

/// A board that sends its log nowhere.
const SILENT: &str = "inherits: qemu-q35\nlog: { kind: none }\n";

fn workshop(program: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("main.clef"), program).expect("it is writable");
    directory
}

fn clefc(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clefc"));
    let Output { status, stdout, stderr } =
        command.args(arguments).current_dir(directory).output().expect("clefc can be started");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn messages_are_shown_with_their_places() {
    let directory = workshop(PROGRAM);
    let shown = |arguments: &[&str]| {
        let (status, output, errors) = clefc(directory.path(), arguments);
        assert_eq!((status, output.as_str()), (Some(0), ""), "{errors}");
        errors
    };
    assert_eq!(
        shown(&["run", "main.clef"]),
        "INFO  main.clef:3  started\nDEBUG main.clef:6  20 is \"fine\"\nWARN  main.clef:5  40 is 1 too hot\n"
    );
    assert_eq!(
        shown(&["run", "-g", "--log", "plain", "main.clef"]),
        "INFO  started\nDEBUG 20 is \"fine\"\nWARN  40 is 1 too hot\n"
    );
    assert_eq!(shown(&["run", "--log", "off", "main.clef"]), "");
    assert_eq!(shown(&["run", "--log-level", "warn", "main.clef"]), "WARN  main.clef:5  40 is 1 too hot\n");
    assert_eq!(shown(&["run", "--log-level", "off", "main.clef"]), "");
    assert!(shown(&["run", "--color", "always", "main.clef"]).contains("\u{1b}[1;33mWARN "));
    let json = shown(&["run", "--log", "json", "main.clef"]);
    let objects: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("each line is an object")).collect();
    let expected = serde_json::json!({
        "reason": "log", "level": "debug", "file": "main.clef", "line": 6, "message": "20 is \"fine\"",
    });
    assert_eq!((objects.len(), &objects[1]), (3, &expected));
}

#[test]
fn a_program_that_tells_the_time_logs_it() {
    let directory = workshop("Time.sleep 2\nLog.info \"later\"\n");
    let (_, _, errors) = clefc(directory.path(), &["run", "--log", "json", "main.clef"]);
    let object: serde_json::Value = serde_json::from_str(&errors).expect("it is an object");
    let time: f64 = object["time"].as_str().and_then(|time| time.parse().ok()).expect("it has a time");
    assert!(time > 0.0, "{errors}");
}

#[test]
fn a_log_that_nobody_hears_is_refused() {
    let directory = workshop(PROGRAM);
    fs::write(directory.path().join("silent.yaml"), SILENT).expect("it is writable");
    let arguments = ["--board", "./silent.yaml", "-o", "main.elf", "main.clef"];
    let (status, _, errors) = clefc(directory.path(), &arguments);
    assert_eq!(status, Some(1));
    assert!(errors.contains("error[E0606]") && errors.contains("main.clef:"), "{errors}");
    assert!(!directory.path().join("main.elf").exists());
    let (status, _, errors) = clefc(directory.path(), &[&arguments[..], &["--log-level", "off"]].concat());
    assert_eq!(status, Some(0), "{errors}");
}

#[test]
fn a_project_says_what_it_logs() {
    let directory = workshop(PROGRAM);
    let project = |level: &str| {
        let text = format!("name = \"pump\"\nsources = [\"main.clef\"]\nlog_level = {level}\n");
        fs::write(directory.path().join("clef.toml"), text).expect("it is writable");
    };
    let shown = |arguments: &[&str]| clefc(directory.path(), &[&["run", "--log", "plain"], arguments].concat());
    project("\"warn\"");
    assert_eq!(shown(&[]), (Some(0), String::new(), "WARN  40 is 1 too hot\n".to_owned()));
    let (_, _, errors) = shown(&["--log-level", "info"]);
    assert_eq!(errors, "INFO  started\nWARN  40 is 1 too hot\n");
    project("\"off\"");
    assert_eq!(shown(&[]), (Some(0), String::new(), String::new()));
    for (wrong, expected) in [
        ("\"wran\"", "unknown log level `wran`\n --> clef.toml:3:14"),
        ("3", "expected a string, found an integer\n --> clef.toml:3:13"),
    ] {
        project(wrong);
        let (status, output, errors) = shown(&[]);
        assert_eq!((status, output.as_str()), (Some(1), ""), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    }
}

/// What a program sends, and the formats in its image. File descriptor 191 is a file, as with `191>frames`.
fn sent(directory: &Path) -> (LogTable, Vec<u8>) {
    let (status, _, errors) = clefc(directory, &["-o", "main", "main.clef"]);
    assert_eq!(status, Some(0), "{errors}");
    let status = Command::new("bash").args(["-c", "./main 191>frames"]).current_dir(directory).status();
    assert!(status.expect("there is a shell").success());
    let image = fs::read(directory.join("main")).expect("it was created");
    let table = LogTable::read(&image).expect("it can be read").expect("it logs");
    (table, fs::read(directory.join("frames")).expect("the shell has created it"))
}

fn texts(events: &[LogEvent]) -> Vec<&str> {
    events.iter().map(text).collect()
}

fn text(event: &LogEvent) -> &str {
    match event {
        LogEvent::Message(LogMessage { text, .. }) => text,
        LogEvent::Test(_) => "test",
        LogEvent::Lost => "lost",
    }
}

#[test]
fn damaged_streams_are_read_on() {
    let directory = workshop(PROGRAM);
    let (table, frames) = sent(directory.path());
    assert_eq!(texts(&table.decoder().receive(&frames)), ["started", "20 is \"fine\"", "40 is 1 too hot"]);
    // Byte by byte.
    let mut decoder = table.decoder();
    let events: Vec<LogEvent> = frames.iter().flat_map(|byte| decoder.receive(&[*byte])).collect();
    assert_eq!(events.len(), 3);
    // From the middle of a frame on, the frames behind are whole.
    let first = frames.iter().position(|byte| *byte == 0).expect("a frame has an end");
    let behind = table.decoder().receive(&frames[first + 3..]);
    assert_eq!(texts(&behind).last(), Some(&"40 is 1 too hot"));
    // Whatever comes, nothing panics, and what is no message is told.
    for position in 0..frames.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut damaged = frames.clone();
            damaged[position] = value;
            let mut decoder = table.decoder();
            let mut events = decoder.receive(&damaged);
            events.extend(decoder.receive(&[0]));
            events.extend(decoder.receive(&frames));
            assert_eq!(texts(&events).last(), Some(&"40 is 1 too hot"), "{position} {value}");
        }
    }
    assert_eq!(texts(&table.decoder().receive(&[5, 5, 5, 0])), ["lost"]);
}
