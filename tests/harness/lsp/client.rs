//! An editor with one document: the server as a child process, and what was said.

use super::shown;
use crate::compiler::binary;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// A server as a child process, a document, and what was said.
pub(super) struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
    text: String,
    version: u32,
    /// Notifications and requests of the server that nobody has waited for.
    received: Vec<Value>,
    legend: Value,
    record: String,
    next: i32,
}

impl Session {
    /// Starts a server for a document in a folder.
    pub(super) fn start(folder: &Path, text: &str) -> Result<Session, Failed> {
        let mut command = Command::new(binary()?);
        command.arg("lsp").env("XDG_CACHE_HOME", folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let input = child.stdin.take().ok_or("it has an input")?;
        let output = BufReader::new(child.stdout.take().ok_or("it has an output")?);
        Ok(Session {
            child,
            input,
            output,
            folder: folder.to_owned(),
            text: text.to_owned(),
            version: 1,
            received: Vec::new(),
            legend: Value::Null,
            record: String::new(),
            next: 0,
        })
    }

    /// What was said.
    pub(super) fn record(&self) -> &str {
        &self.record
    }

    /// The document.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The names of the types and modifiers of semantic tokens.
    pub(super) fn legend(&self) -> &Value {
        &self.legend
    }

    /// The name of the document in the protocol.
    pub(super) fn uri(&self) -> String {
        format!("file://{}/main.clef", self.folder.display())
    }

    /// The parameters of a request about the document.
    pub(super) fn document(&self) -> Value {
        json!({ "textDocument": { "uri": self.uri() } })
    }

    /// The parameters of a request about a place: a text that is in the document, with `‸` at the cursor.
    pub(super) fn place(&self, cursor: &str) -> Result<Value, Failed> {
        let (before, after) = cursor.split_once('‸').ok_or("a place has a cursor")?;
        let start = self.text.find(&format!("{before}{after}")).ok_or_else(|| format!("`{cursor}` is not there"))?;
        let until = &self.text[..start + before.len()];
        let column = until.len() - until.rfind('\n').map_or(0, |end| end + 1);
        let mut params = self.document();
        params["position"] = json!({ "line": until.matches('\n').count(), "character": column });
        Ok(params)
    }

    /// Records a title.
    pub(super) fn heading(&mut self, title: &str) {
        self.record.push_str(&format!("## {title}\n"));
    }

    /// Records what an editor shows.
    pub(super) fn show(&mut self, text: &str) {
        for line in text.replace(&self.folder.display().to_string(), "FOLDER").lines() {
            self.record.push_str(format!("← {line}").trim_end());
            self.record.push('\n');
        }
    }

    /// Sends a notification.
    pub(super) fn tell(&mut self, method: &str, params: Value) -> Result<(), Failed> {
        self.record.push_str(&format!("→ {method}\n"));
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Sends a request, which the record describes; returns its result.
    pub(super) fn ask(&mut self, method: &str, described: &str, params: Value) -> Result<Value, Failed> {
        self.record.push_str(format!("→ {method} {described}").trim_end());
        self.record.push('\n');
        let id = self.request(method, params)?;
        let mut response = self.response(id)?;
        if response.get("error").is_some() {
            return Err(format!("the answer to {method} is {response}").into());
        }
        let result = response["result"].take();
        if method == "initialize" {
            self.legend = result["capabilities"]["semanticTokensProvider"]["legend"].clone();
        }
        Ok(result)
    }

    /// Asks about a place in the document.
    pub(super) fn at(&mut self, method: &str, cursor: &str) -> Result<Value, Failed> {
        let params = self.place(cursor)?;
        self.ask(method, &format!("at {cursor}"), params)
    }

    /// Sends a request and cancels it; returns its error.
    pub(super) fn cancelled(&mut self, method: &str, params: Value) -> Result<Value, Failed> {
        self.record.push_str(&format!("→ {method}\n"));
        let id = self.request(method, params)?;
        self.tell("$/cancelRequest", json!({ "id": id }))?;
        Ok(self.response(id)?["error"].take())
    }

    /// Opens the document.
    pub(super) fn open(&mut self) -> Result<(), Failed> {
        let document = json!({ "uri": self.uri(), "languageId": "clef", "version": self.version, "text": self.text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }))
    }

    /// Makes the edits of the document, as an editor does, and shows the changed lines.
    pub(super) fn apply(&mut self, changes: &Value) -> Result<(), Failed> {
        let edits: Vec<&Value> = shown::list(&changes[self.uri()]).collect();
        let edited = shown::edited(&self.text, &edits);
        self.show(&shown::difference(&self.text, &edited));
        // Each change is one to the result of those before it, so the last one is first.
        let mut edits: Vec<Value> = edits.into_iter().cloned().collect();
        edits.sort_by_key(|edit| shown::position(&edit["range"]["start"]));
        let changes: Vec<Value> =
            edits.iter().rev().map(|edit| json!({ "range": edit["range"], "text": edit["newText"] })).collect();
        self.text = edited;
        self.version += 1;
        let document = json!({ "uri": self.uri(), "version": self.version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }))
    }

    /// Waits for the diagnostics of the document as it is now.
    pub(super) fn diagnostics(&mut self) -> Result<Value, Failed> {
        loop {
            let mut params = self.receive("textDocument/publishDiagnostics")?;
            if params["version"] == self.version {
                return Ok(params["diagnostics"].take());
            }
        }
    }

    /// Waits for a notification or a request of the server; returns its parameters.
    pub(super) fn receive(&mut self, method: &str) -> Result<Value, Failed> {
        loop {
            if let Some(place) = self.received.iter().position(|message| message["method"] == method) {
                return Ok(self.received.remove(place)["params"].take());
            }
            let message = self.read()?;
            self.received.push(message);
        }
    }

    /// The line of a location: of the document with its number, of a file of the library without, since that changes often.
    pub(super) fn line_at(&self, location: &Value) -> Result<String, Failed> {
        let start = &location["range"]["start"];
        let line = start["line"].as_u64().unwrap_or_default() as usize;
        let uri = location["uri"].as_str().unwrap_or_default();
        if uri == self.uri() {
            return Ok(format!("{}: {}", line + 1, self.text.lines().nth(line).unwrap_or_default()));
        }
        let path = Path::new(uri.strip_prefix("file://").ok_or_else(|| format!("the place is {location}"))?);
        let text = fs::read_to_string(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(format!("{name} of the library: {}", text.lines().nth(line).unwrap_or_default()))
    }

    /// Waits for the end of the server; returns its status.
    pub(super) fn status(&mut self) -> Result<Option<i32>, Failed> {
        Ok(self.child.wait()?.code())
    }

    fn request(&mut self, method: &str, params: Value) -> Result<i32, Failed> {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }))?;
        Ok(self.next)
    }

    fn response(&mut self, id: i32) -> Result<Value, Failed> {
        loop {
            let message = self.read()?;
            if message.get("method").is_none() && message["id"] == id {
                return Ok(message);
            }
            self.received.push(message);
        }
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
    /// Ends the process where a test fails.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
