//! Why an allocation cannot lie in the frame of its function, and how that is said.

use super::flow::{Depth, Escape, Flow, Sink, Step};
use crate::core::{LocalId, Reason};
use clef_base::{SourceMap, Span};

/// The reason why what a local names outlives its frame or its turn of a loop; `None` if it does not.
pub(super) fn of(flow: &Flow, local: LocalId) -> Option<Reason> {
    match flow.escape(local, Depth::Itself, |_| true) {
        Some(escape) => Some(of_escape(escape)),
        None => flow.outlives_turn(local).map(Reason::Loop),
    }
}

/// The reason of what something holds that lies elsewhere than in the frame, by the step that put it there.
pub(super) fn of_holder(step: Step) -> Option<Reason> {
    match step {
        Step::Captured(span) => Some(Reason::Captured(span)),
        Step::Part(span) => Some(Reason::Part(span)),
        Step::Same | Step::Content => None,
    }
}

fn of_escape(escape: Escape) -> Reason {
    match (escape.first, escape.sink) {
        (_, Sink::TailCall(span)) => Reason::TailCall(span),
        (_, Sink::NextTurn(span)) => Reason::Loop(span),
        (Step::Captured(span), _) => Reason::Captured(span),
        (Step::Part(span), _) => Reason::Part(span),
        (Step::Same | Step::Content, Sink::Returned(span) | Sink::ReturnedWithin(span)) => Reason::Returned(span),
        (Step::Same | Step::Content, Sink::Stored(span)) => Reason::Stored(span),
        (Step::Same | Step::Content, Sink::Passed(span)) => Reason::Passed(span),
        (Step::Same | Step::Content, Sink::Captured(span)) => Reason::Captured(span),
    }
}

impl Reason {
    /// The reason as it follows "because": `it is returned at main.clef:12:5`.
    pub fn sentence(&self, sources: &SourceMap) -> String {
        let at = |what: &str, span: &Span| format!("{what} at {}", sources.place(*span));
        match self {
            Reason::Constant => "it captures nothing".into(),
            Reason::DoesNotEscape => "no use outlives the frame".into(),
            Reason::Returned(span) => at("returned", span),
            Reason::Stored(span) => at("stored", span),
            Reason::Captured(span) => at("captured by a closure that outlives the frame", span),
            Reason::Passed(span) => at("passed to a function that may keep it", span),
            Reason::TailCall(span) => at("an argument of the tail call", span),
            Reason::Part(span) => at("part of a value that outlives the frame, made", span),
            Reason::UnboundedSize => "its size is only known at run time".into(),
            Reason::Loop(span) => at("made anew in a loop while an earlier one may be in use, from", span),
            Reason::OncePerProgram => "it is made at most once per program".into(),
            Reason::TooLarge => "it is too large for a frame".into(),
            Reason::FrameLimit => "the frame holds no more or no larger buffers".into(),
        }
    }
}
