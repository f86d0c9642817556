//! The language server: `clefc lsp`.
//!
//! In: the messages of an editor, by the [language server protocol](https://microsoft.github.io/language-server-protocol). Out:
//! diagnostics after each change, and answers.
//!
//! - `server`: the loop that reads messages and passes them on.
//! - `documents`, `positions`, `workspace`: the texts of the editor, places in them, and the project of a file.
//! - `check`, `checking`, `publish`: checks the newest texts, in a thread, and shows the diagnostics.
//! - `storage`: computes where allocations live, in a thread.
//! - `frames`: computes what the frames of functions take, in a thread.
//! - `findings`: what the threads know.
//! - `answering`: answers requests, in a thread; `view` is what the features see, and [`features`] has one file for each.
//! - `outline`: declarations.
//! - `related`: uses in the tests of a project.
//!
//! Holds: an answer is about the text that the editor had when it asked, or says that the text has changed since; a bug of the
//! compiler ends one request or one check, never the server.

mod answering;
mod capabilities;
mod check;
mod checking;
mod client;
mod documents;
mod features;
mod findings;
mod frames;
mod outline;
mod positions;
mod publish;
mod related;
mod server;
mod settings;
mod storage;
mod view;
mod workspace;

use lsp_server::{Connection, ProtocolError};
pub use server::serve;

/// Serves the editor at standard input and output. Returns whether it ended as the protocol demands.
///
/// # Errors
/// An editor that does not follow the protocol while it starts.
pub fn serve_stdio() -> Result<bool, ProtocolError> {
    let (connection, _threads) = Connection::stdio();
    serve(&connection)
}
