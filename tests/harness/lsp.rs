//! `clefc lsp` as an editor runs it: a session over standard input and output, recorded in `lsp/session.txt`.

use crate::{ROOT, compiler::binary};
use clef_golden::compare_with_file;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

const TEXT: &str = "/// Twice a number.\nlet twice n = n * 2\nprintfn \"%d\" (List.sum [ twice 1; twce 2 ])\n";

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::test("lsp::session", session)]
}

/// The session is the recorded one, the server ends as the protocol demands, and shows the library in the user's cache.
fn session() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let folder = std::fs::canonicalize(directory.path())?;
    let mut session = Session::start(&folder)?;
    session.ask("initialize", json!({ "capabilities": {} }))?;
    session.tell("initialized", json!({}))?;
    let uri = format!("file://{}/main.clef", folder.display());
    let document = json!({ "uri": uri, "languageId": "clef", "version": 1, "text": TEXT });
    session.tell("textDocument/didOpen", json!({ "textDocument": document }))?;
    session.receive()?;
    let range = json!({ "start": { "line": 2, "character": 34 }, "end": { "line": 2, "character": 38 } });
    let context = json!({ "diagnostics": [] });
    let of = json!({ "uri": uri });
    session.ask("textDocument/codeAction", json!({ "textDocument": of, "range": range, "context": context }))?;
    let document = json!({ "uri": uri, "version": 2 });
    let changes = json!([{ "range": range, "text": "twice" }]);
    session.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }))?;
    session.receive()?;
    session.ask("textDocument/hover", json!({ "textDocument": of, "position": { "line": 2, "character": 26 } }))?;
    session.ask("textDocument/documentSymbol", json!({ "textDocument": of }))?;
    let sum = json!({ "textDocument": of, "position": { "line": 2, "character": 20 } });
    let library = session.result("textDocument/definition", sum)?;
    let path = library["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).unwrap_or_default().to_owned();
    if !path.ends_with("/library/list.clef") || !std::fs::read_to_string(&path)?.contains("let inline sum") {
        return Err(format!("the definition of `List.sum` is at {library}").into());
    }
    session.ask("shutdown", Value::Null)?;
    session.tell("exit", Value::Null)?;
    let status = session.child.wait()?.code();
    if status != Some(0) {
        return Err(format!("the status is {status:?}").into());
    }
    let recorded = session.record.replace(&folder.display().to_string(), "FOLDER");
    Ok(compare_with_file(&Path::new(ROOT).join("lsp/session.txt"), &recorded)?)
}

/// A server as a child process, and what was said.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    record: String,
    next: i32,
}

impl Session {
    fn start(folder: &Path) -> Result<Session, Failed> {
        let mut command = Command::new(binary()?);
        command.arg("lsp").env("XDG_CACHE_HOME", folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let input = child.stdin.take().ok_or("it has an input")?;
        let output = BufReader::new(child.stdout.take().ok_or("it has an output")?);
        Ok(Session { child, input, output, record: String::new(), next: 0 })
    }

    fn tell(&mut self, method: &str, params: Value) -> Result<(), Failed> {
        self.record.push_str(&format!("→ {method}\n"));
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Sends a request, and records its result.
    fn ask(&mut self, method: &str, params: Value) -> Result<(), Failed> {
        self.record.push_str(&format!("→ {method}\n"));
        let result = self.result(method, params)?;
        self.record.push_str(&format!("← {result:#}\n"));
        Ok(())
    }

    fn result(&mut self, method: &str, params: Value) -> Result<Value, Failed> {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }))?;
        let message = self.read()?;
        if message["id"] != self.next || message.get("error").is_some() {
            return Err(format!("the answer to {method} is {message}").into());
        }
        Ok(message["result"].clone())
    }

    /// Waits for a notification, and records it.
    fn receive(&mut self) -> Result<(), Failed> {
        let message = self.read()?;
        let method = message["method"].as_str().ok_or("a notification has a method")?;
        self.record.push_str(&format!("← {method} {:#}\n", message["params"]));
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Result<(), Failed> {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        Ok(self.input.flush()?)
    }

    fn read(&mut self) -> Result<Value, Failed> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server has ended".into());
            }
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse()?,
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

impl Drop for Session {
    /// Leaves no process behind where a test fails.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
