//! The main loop: reads messages, and passes them on.
//!
//! In: the messages of the client. Out: changes for the thread that checks, requests for the thread that answers. Holds: the loop never
//! computes anything itself, so that a cancellation is seen at once.

use crate::{
    answering::{self, Question},
    capabilities,
    checking::{self, Change},
    client::{Client, Failure},
    documents::Documents,
    findings::Findings,
    frames,
    settings::Settings,
    storage,
};
use clef_base::HashSet;
use crossbeam_channel::{Sender, unbounded};
use lsp_server::{Connection, ErrorCode, ExtractError, Message, Notification, ProtocolError, RequestId};
use lsp_types::{
    CancelParams, InitializeParams, NumberOrString,
    notification::{
        Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
        DidSaveTextDocument, Notification as _,
    },
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    thread,
};

/// Stack space for recursion over deeply nested programs.
const STACK_BYTES: usize = 256 << 20;

/// The requests that the client no longer wants an answer to.
pub(crate) type Cancelled = Mutex<HashSet<RequestId>>;

/// Serves a client until it says that it has ended. Returns whether it asked for that before.
pub fn serve(connection: &Connection) -> Result<bool, ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let settings = Settings::of(params.initialization_options);
    let client = Arc::new(Client::new(connection.sender.clone(), &params.capabilities));
    connection.initialize_finish(id, capabilities::answer(&client))?;
    let mut server = Server::start(client, settings);
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(true);
                }
                let _ = server.questions.send(Question { request, documents: server.documents.clone() });
            }
            Message::Notification(notification) => {
                if notification.method == "exit" {
                    return Ok(false);
                }
                server.notified(notification);
            }
            Message::Response(_) => {}
        }
    }
    Ok(false)
}

/// The state of the loop.
struct Server {
    client: Arc<Client>,
    documents: Documents,
    changes: Sender<Change>,
    questions: Sender<Question>,
    cancelled: Arc<Cancelled>,
}

impl Server {
    /// Starts the threads. They end when the loop does.
    fn start(client: Arc<Client>, settings: Settings) -> Server {
        let findings = Arc::new(Findings::default());
        let cancelled = Arc::new(Cancelled::default());
        let (changes, changed) = unbounded();
        let (checks, checked) = unbounded();
        let (placed, compilable) = unbounded();
        let (questions, asked) = unbounded();
        let (of_checking, own, choice) = (Arc::clone(&findings), Arc::clone(&client), settings.machine());
        spawn("check", move || checking::run(&changed, &of_checking, &own, checks, choice));
        let (of_storage, own) = (Arc::clone(&findings), Arc::clone(&client));
        spawn("storage", move || storage::run(&checked, &of_storage, &own, &placed));
        let (of_frames, own) = (Arc::clone(&findings), Arc::clone(&client));
        spawn("frames", move || frames::run(&compilable, &of_frames, &own));
        let (own, seen) = (Arc::clone(&client), Arc::clone(&cancelled));
        spawn("answer", move || answering::run(&asked, &findings, &own, &seen, &settings));
        Server { client, documents: Documents::default(), changes, questions, cancelled }
    }

    /// Handles a notification. One that is malformed is ignored, as the protocol demands.
    fn notified(&mut self, notification: Notification) {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(params) = read::<DidOpenTextDocument>(notification) else { return };
                let document = params.text_document;
                let path = self.documents.open(document.uri, document.version, document.text);
                self.changed(Some(path));
            }
            DidChangeTextDocument::METHOD => {
                let Some(params) = read::<DidChangeTextDocument>(notification) else { return };
                let of = params.text_document;
                let encoding = self.client.encoding;
                let path = self.documents.change(&of.uri, of.version, params.content_changes, encoding);
                self.changed(Some(path));
            }
            DidCloseTextDocument::METHOD => {
                let Some(params) = read::<DidCloseTextDocument>(notification) else { return };
                let path = self.documents.close(&params.text_document.uri);
                self.changed(Some(path));
            }
            // A project file or a dependency that is not open may be what was saved.
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                self.documents.touch();
                self.changed(None);
            }
            Cancel::METHOD => {
                let Some(CancelParams { id }) = read::<Cancel>(notification) else { return };
                let id = match id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                };
                crate::findings::lock(&self.cancelled).insert(id);
            }
            _ => {}
        }
    }

    fn changed(&self, path: Option<PathBuf>) {
        let _ = self.changes.send(Change { documents: self.documents.clone(), path });
    }
}

fn read<N: lsp_types::notification::Notification>(notification: Notification) -> Option<N::Params> {
    let params: Result<N::Params, ExtractError<Notification>> = notification.extract(N::METHOD);
    params.ok()
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().name(name.into()).stack_size(STACK_BYTES).spawn(work);
    // Without its threads a server is of no use.
    thread.expect("a thread can be started");
}

/// The failure of a request that was cancelled.
pub(crate) fn cancelled() -> Failure {
    Failure { code: ErrorCode::RequestCanceled, message: "cancelled".into() }
}
