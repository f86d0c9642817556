//! `clefc lsp`: serves an editor.

use super::Outcome;
use clef_base::{Diagnostic, codes};

/// Serves the editor at standard input and output until it ends.
pub(crate) fn lsp() -> Outcome {
    match clef_language_server::serve_stdio() {
        Ok(true) => Ok(0),
        // The protocol demands it for an editor that ends without saying so before.
        Ok(false) => Ok(crate::USER_ERROR),
        Err(error) => {
            let message = format!("the editor does not follow the language server protocol: {error}");
            let help = "start `clefc lsp` from an editor; see docs/editors.md";
            Err(vec![Diagnostic::general(codes::UNSUITABLE_OPTION, message).help(help)])
        }
    }
}
