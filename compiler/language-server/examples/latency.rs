//! Measures the server: the time from a keystroke in the middle of a file to its diagnostics, and that of a completion there.
//!
//! In: the path of `clefc`. Out: a table. `cargo xtask latency` builds `clefc` and runs this.

#![allow(clippy::disallowed_macros, reason = "it prints a table")]

use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};
use std::{
    env,
    error::Error,
    fmt::Write,
    io::{BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

const LINES: [usize; 3] = [1_000, 5_000, 20_000];
const KEYSTROKES: i32 = 20;
const URI: &str = "file:///clefc-latency/main.clef";

/// A server as a child process.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let clefc = env::args().nth(1).unwrap_or_else(|| "clefc".into());
    println!(
        "{:>7}  {:>9}  {:>18}  {:>18}  {:>10}",
        "lines", "opened", "keystroke, median", "keystroke, longest", "completion"
    );
    for lines in LINES {
        let text = program(lines);
        let mut server = Server::start(&clefc)?;
        let opened = server.open(&text)?;
        let mut times = Vec::new();
        for number in 0..KEYSTROKES {
            times.push(server.keystroke(lines / 2, number + 2)?);
        }
        times.sort();
        let completion = server.completion(lines / 2)?;
        let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
        println!("{lines:>7}  {:>9}  {:>18}  {:>18}  {:>10}", ms(opened), ms(median), ms(longest), ms(completion));
        server.child.kill()?;
        server.child.wait()?;
    }
    Ok(())
}

fn ms(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// A program with about this number of lines.
fn program(lines: usize) -> String {
    let mut text =
        String::from("type Shape = Circle of float | Square of float\ntype Point = { x: int; mutable y: int }\n\n");
    for number in 0..lines / 11 {
        let _ = write!(
            text,
            "let area{number} shape =
    match shape with
    | Circle radius -> radius * radius * 3.0
    | Square side -> side * side

let step{number} (left: int) right =
    let point = {{ x = left; y = right }}
    let mapped = List.map (fun item -> item + point.x) [ left; right; {number} ]
    if left > right then List.sum mapped
    else point.y + {number}

"
        );
    }
    text + "printfn \"%d\" (step1 1 2)\n"
}

impl Server {
    fn start(clefc: &str) -> Result<Server, Box<dyn Error>> {
        let mut child = Command::new(clefc).arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("it has an input")?;
        let output = BufReader::new(child.stdout.take().ok_or("it has an output")?);
        let mut server = Server { child, input, output };
        server.ask("initialize", json!({ "capabilities": {} }))?;
        server.tell("initialized", json!({}))?;
        Ok(server)
    }

    fn open(&mut self, text: &str) -> Result<Duration, Box<dyn Error>> {
        let document = json!({ "uri": URI, "languageId": "clef", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }))?;
        self.diagnostics(1)
    }

    /// Adds a character to a number, in a line near this one.
    fn keystroke(&mut self, line: usize, version: i32) -> Result<Duration, Box<dyn Error>> {
        let line = line - line % 11 + 12;
        let at = json!({ "line": line, "character": 18 });
        let change = json!({ "range": { "start": at, "end": at }, "text": " " });
        let document = json!({ "uri": URI, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }))?;
        self.diagnostics(version)
    }

    fn completion(&mut self, line: usize) -> Result<Duration, Box<dyn Error>> {
        let line = line - line % 11 + 12;
        let started = Instant::now();
        let place = json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": 11 } });
        self.ask("textDocument/completion", place)?;
        Ok(started.elapsed())
    }

    fn tell(&mut self, method: &str, params: Value) -> Result<(), Box<dyn Error>> {
        Message::Notification(Notification { method: method.into(), params }).write(&mut self.input)?;
        Ok(self.input.flush()?)
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Box<dyn Error>> {
        Message::Request(Request { id: 1.into(), method: method.into(), params }).write(&mut self.input)?;
        self.input.flush()?;
        loop {
            match Message::read(&mut self.output)?.ok_or("the server has ended")? {
                Message::Response(response) => return Ok(response.result.unwrap_or_default()),
                Message::Request(_) | Message::Notification(_) => {}
            }
        }
    }

    /// The time until the diagnostics of a version.
    fn diagnostics(&mut self, version: i32) -> Result<Duration, Box<dyn Error>> {
        let started = Instant::now();
        loop {
            let message = Message::read(&mut self.output)?.ok_or("the server has ended")?;
            if let Message::Notification(one) = message
                && one.method == "textDocument/publishDiagnostics"
                && one.params["version"] == version
            {
                return Ok(started.elapsed());
            }
        }
    }
}
