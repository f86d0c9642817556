//! An editor in the process of the test: sends messages over a connection in memory, and waits for what the server sends.

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    thread::{self, JoinHandle},
    time::Duration,
};
use tempfile::TempDir;

/// How long the editor waits for a message.
const PATIENCE: Duration = Duration::from_secs(120);

/// An editor with a folder of its own.
pub(crate) struct Editor {
    connection: Connection,
    server: Option<JoinHandle<bool>>,
    next: i32,
    folder: TempDir,
    versions: HashMap<String, i32>,
    /// The last diagnostics of each file, by its name.
    pub(crate) diagnostics: HashMap<String, Vec<Value>>,
    /// What the server can do.
    pub(crate) capabilities: Value,
    /// The number of requests to refresh inlay hints.
    pub(crate) refreshes: usize,
}

impl Editor {
    /// An editor that counts columns in units of 16 bits.
    pub(crate) fn new() -> Editor {
        Editor::with(json!({}), Value::Null)
    }

    /// An editor with capabilities and options.
    pub(crate) fn with(capabilities: Value, options: Value) -> Editor {
        let (server, connection) = Connection::memory();
        let serve = move || clef_language_server::serve(&server).expect("the editor follows the protocol");
        let server = thread::Builder::new().spawn(serve).expect("a thread");
        let folder = tempfile::tempdir().expect("a folder");
        let mut editor = Editor {
            connection,
            server: Some(server),
            next: 0,
            folder,
            versions: HashMap::new(),
            diagnostics: HashMap::new(),
            capabilities: Value::Null,
            refreshes: 0,
        };
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": options });
        editor.capabilities = editor.ask("initialize", params)["capabilities"].clone();
        editor.tell("initialized", json!({}));
        editor
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).expect("it exists").join(name)
    }

    /// The name of a file in the protocol.
    pub(crate) fn uri(&self, name: &str) -> String {
        if name.starts_with("untitled:") { name.to_owned() } else { format!("file://{}", self.path(name).display()) }
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is writable");
        fs::write(path, text).expect("it is writable");
    }

    /// Opens a file with a text.
    pub(crate) fn open(&mut self, name: &str, text: &str) {
        if !name.starts_with("untitled:") && !self.path(name).exists() {
            self.write(name, text);
        }
        self.versions.insert(name.to_owned(), 1);
        let document = json!({ "uri": self.uri(name), "languageId": "clef", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range of a document, or all of it.
    pub(crate) fn change(&mut self, name: &str, range: Option<[u32; 4]>, text: &str) {
        let version = self.versions.get_mut(name).expect("it is open");
        *version += 1;
        let document = json!({ "version": *version, "uri": self.uri(name) });
        let change = match range {
            Some(range) => json!({ "range": self::range(range), "text": text }),
            None => json!({ "text": text }),
        };
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    }

    /// Sends a notification.
    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        let message = Message::Notification(Notification { method: method.into(), params });
        self.connection.sender.send(message).expect("the server listens");
    }

    /// Sends a request; returns its number.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        let message = Message::Request(Request { id: id.clone(), method: method.into(), params });
        self.connection.sender.send(message).expect("the server listens");
        id
    }

    /// The response to a request.
    pub(crate) fn response(&mut self, id: &RequestId) -> Response {
        loop {
            match self.receive() {
                Message::Response(response) if response.id == *id => return response,
                Message::Response(_) => {}
                other @ (Message::Request(_) | Message::Notification(_)) => self.received(other),
            }
        }
    }

    /// The result of a request, which must have one.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let response = self.response(&id);
        match response.error {
            Some(error) => panic!("{method}: {}", error.message),
            None => response.result.unwrap_or_default(),
        }
    }

    /// The error of a request, which must have one.
    pub(crate) fn fails(&mut self, method: &str, params: Value) -> String {
        let id = self.send(method, params);
        self.response(&id).error.expect("it fails").message
    }

    /// The result of a request about a place.
    pub(crate) fn at(&mut self, method: &str, name: &str, line: u32, character: u32) -> Value {
        let params = self.place(name, line, character);
        self.ask(method, params)
    }

    /// The parameters of a request about a place.
    pub(crate) fn place(&self, name: &str, line: u32, character: u32) -> Value {
        json!({ "textDocument": { "uri": self.uri(name) }, "position": { "line": line, "character": character } })
    }

    /// Waits until all changes are checked.
    pub(crate) fn settle(&mut self) {
        self.ask("workspace/symbol", json!({ "query": "" }));
    }

    /// Waits until the storage of allocations is known.
    pub(crate) fn wait_for_storage(&mut self) {
        while self.refreshes == 0 {
            let message = self.receive();
            self.received(message);
        }
    }

    /// The codes of the diagnostics of a file, with their lines.
    pub(crate) fn codes(&mut self, name: &str) -> Vec<String> {
        self.settle();
        let found = self.diagnostics.get(name).cloned().unwrap_or_default();
        let text =
            |one: &Value| format!("{} at {}", one["code"].as_str().unwrap_or_default(), one["range"]["start"]["line"]);
        found.iter().map(text).collect()
    }

    fn receive(&self) -> Message {
        self.connection.receiver.recv_timeout(PATIENCE).expect("the server answers")
    }

    fn received(&mut self, message: Message) {
        match message {
            Message::Notification(one) if one.method == "textDocument/publishDiagnostics" => {
                let uri = one.params["uri"].as_str().expect("a name").to_owned();
                let root = format!("file://{}/", self.path("").display().to_string().trim_end_matches('/'));
                let name = uri.strip_prefix(&root).unwrap_or(&uri).to_owned();
                let found = one.params["diagnostics"].as_array().expect("a list").clone();
                self.diagnostics.insert(name, found);
            }
            Message::Notification(one) if one.method == "window/logMessage" => {
                panic!("the server reports: {}", one.params["message"]);
            }
            Message::Request(request) if request.method == "workspace/inlayHint/refresh" => {
                self.refreshes += 1;
                let response = Response::new_ok(request.id, Value::Null);
                self.connection.sender.send(Message::Response(response)).expect("the server listens");
            }
            Message::Notification(_) | Message::Request(_) | Message::Response(_) => {}
        }
    }
}

impl Drop for Editor {
    /// Ends the server as the protocol demands.
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        let ended = self.server.take().expect("it runs").join().expect("no panic");
        assert!(ended, "the server ended without being asked to");
    }
}

/// A range: line and column of its start, then of its end.
pub(crate) fn range([line, column, last, end]: [u32; 4]) -> Value {
    json!({ "start": { "line": line, "character": column }, "end": { "line": last, "character": end } })
}

/// A range as text.
pub(crate) fn shown(range: &Value) -> String {
    let place = |place: &Value| format!("{}:{}", place["line"], place["character"]);
    format!("{}-{}", place(&range["start"]), place(&range["end"]))
}

/// A text with edits.
pub(crate) fn edited(text: &str, edits: &[Value]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let offset = |place: &Value| {
        let line = place["line"].as_u64().expect("a number") as usize;
        let start: usize = lines[..line.min(lines.len())].iter().map(|line| line.len()).sum();
        start + place["character"].as_u64().expect("a number") as usize
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().expect("a text"))
        })
        .collect();
    edits.sort();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

/// The labels of items or hints.
pub(crate) fn labels(items: &Value) -> Vec<&str> {
    items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect()
}

/// The text of a hover.
pub(crate) fn markdown(hover: &Value) -> String {
    hover["contents"]["value"].as_str().unwrap_or("").to_owned()
}
