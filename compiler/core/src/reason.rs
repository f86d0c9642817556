//! The reasons for storage, in words.

use crate::Reason;
use clef_base::{SourceMap, Span};

impl Reason {
    /// The reason as it follows "because": `it is returned at main.clef:12:5`.
    pub fn sentence(&self, sources: &SourceMap) -> String {
        let at = |what: &str, span: &Span| format!("{what} at {}", sources.place(*span));
        match self {
            Reason::Constant => "it is known when the program is compiled, and never written".into(),
            Reason::DoesNotEscape => "no use outlives the frame".into(),
            Reason::Returned(span) => at("returned", span),
            Reason::Stored(span) => at("stored", span),
            Reason::Captured(span) => at("captured by a closure that outlives the frame", span),
            Reason::Reused(span) => at("its memory may be used for another value", span),
            Reason::Passed(span) => at("passed to a function that may store it", span),
            Reason::TailCall(span) => at("an argument of the tail call", span),
            Reason::Part(span) => at("part of a value that outlives the frame, allocated", span),
            Reason::UnboundedSize => "its size is known only at run time".into(),
            Reason::Loop(span) => at("allocated in each iteration while earlier ones may be in use, in the loop", span),
            Reason::OncePerProgram => "it is allocated at most once per program".into(),
            Reason::TooLarge => "it is too large for a frame".into(),
            Reason::FrameLimit => "the buffers of the frame are full".into(),
        }
    }
}
