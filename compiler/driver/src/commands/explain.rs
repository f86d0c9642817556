//! `clefc explain CODE`: prints the explanation of a diagnostic.

use crate::{cli::Explain, commands::Outcome};
use clef_base::{Code, Diagnostic, codes, nearest};
use clef_host::output;

/// Prints the explanation.
pub(crate) fn explain(explain: &Explain) -> Outcome {
    match Code::named(&explain.code).and_then(Code::explanation) {
        Some(page) => {
            output::print(&format!("{}\n", page.trim_end())).map(|()| 0).map_err(|diagnostic| vec![diagnostic])
        }
        None => Err(vec![unknown(&explain.code)]),
    }
}

fn unknown(code: &str) -> Diagnostic {
    let diagnostic = Diagnostic::general(codes::UNKNOWN_CODE, format!("unknown diagnostic code `{code}`"));
    match nearest(code, codes::PAGES.iter().map(|(code, _)| code.0)) {
        Some(known) => diagnostic.help(format!("did you mean `{known}`?")),
        None => diagnostic.note("a code such as `E0401` is in brackets at the start of a diagnostic"),
    }
}
