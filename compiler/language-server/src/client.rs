//! The editor at the other end of the connection: what it supports, and what is sent to it.
//!
//! In: responses, notifications and requests from all threads. Out: messages of the protocol. A client that has gone is no error:
//! the main loop ends by itself.

use crate::positions::Encoding;
use clef_base::internal::Bug;
use crossbeam_channel::Sender;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    ClientCapabilities, LogMessageParams, MessageType,
    notification::{self, LogMessage},
    request,
};
use std::{
    any::Any,
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicI32, Ordering},
};

/// The client.
pub(crate) struct Client {
    sender: Sender<Message>,
    next: AtomicI32,
    /// What columns count.
    pub(crate) encoding: Encoding,
    refreshes: bool,
}

/// Why a request has no result.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Failure {
    /// A request that cannot be done, for a reason that the user should see.
    pub(crate) fn rejected(message: impl Into<String>) -> Failure {
        Failure { code: ErrorCode::RequestFailed, message: message.into() }
    }
}

impl Client {
    /// A client with these capabilities.
    pub(crate) fn new(sender: Sender<Message>, capabilities: &ClientCapabilities) -> Client {
        let general = capabilities.general.as_ref();
        let encoding = Encoding::of(general.and_then(|general| general.position_encodings.as_deref()));
        let hints = capabilities.workspace.as_ref().and_then(|workspace| workspace.inlay_hint.as_ref());
        let refreshes = hints.and_then(|hints| hints.refresh_support).unwrap_or(false);
        Client { sender, next: AtomicI32::new(1), encoding, refreshes }
    }

    /// Sends a notification.
    pub(crate) fn notify<N: notification::Notification>(&self, params: N::Params) {
        let _ = self.sender.send(Message::Notification(Notification::new(N::METHOD.into(), params)));
    }

    /// Answers a request.
    pub(crate) fn respond(&self, id: RequestId, result: Result<serde_json::Value, Failure>) {
        let response = match result {
            Ok(value) => Response::new_ok(id, value),
            Err(failure) => Response::new_err(id, failure.code as i32, failure.message),
        };
        let _ = self.sender.send(Message::Response(response));
    }

    /// Asks the client to request inlay hints again, if it can.
    pub(crate) fn refresh_hints(&self) {
        if self.refreshes {
            let id = RequestId::from(format!("clefc-{}", self.next.fetch_add(1, Ordering::Relaxed)));
            let method = <request::InlayHintRefreshRequest as request::Request>::METHOD;
            let _ = self.sender.send(Message::Request(Request::new(id, method.into(), ())));
        }
    }

    /// Writes to the log of the editor.
    pub(crate) fn log(&self, typ: MessageType, message: String) {
        self.notify::<LogMessage>(LogMessageParams { typ, message });
    }

    /// Runs `work`. A panic is a bug of the compiler: it is logged and returned as a text.
    pub(crate) fn guarded<T>(&self, what: &str, work: impl FnOnce() -> T) -> Result<T, String> {
        panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
            let message = format!("internal error in {what}: {}; please report it", text(payload.as_ref()));
            self.log(MessageType::ERROR, message.clone());
            message
        })
    }
}

/// What a panic says.
fn text(payload: &(dyn Any + Send)) -> String {
    if let Some(bug) = payload.downcast_ref::<Bug>() {
        return format!("{}: {}", bug.phase, bug.message);
    }
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without message".to_owned())
}
