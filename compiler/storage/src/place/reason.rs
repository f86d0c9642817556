//! Why an allocation cannot be in the frame of its function.

use super::flow::{Depth, Escape, Flow, Sink, Step};
use clef_core::{LocalId, Reason};

/// Why the value of a local outlives its frame or its iteration of a loop; `None` if it does not.
pub(super) fn of(flow: &Flow, local: LocalId) -> Option<Reason> {
    match flow.escape(local, Depth::Itself, |_| true) {
        Some(escape) => Some(of_escape(escape)),
        None => flow.outlives_iteration(local).map(Reason::Loop),
    }
}

/// Why a value that is held by something outside of the frame outlives it, by the step that stored it there.
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
        (_, Sink::NextIteration(span)) => Reason::Loop(span),
        (Step::Captured(span), _) => Reason::Captured(span),
        (Step::Part(span), _) => Reason::Part(span),
        (Step::Same | Step::Content, Sink::Returned(span) | Sink::ReturnedWithin(span)) => Reason::Returned(span),
        (Step::Same | Step::Content, Sink::Stored(span)) => Reason::Stored(span),
        (Step::Same | Step::Content, Sink::Reused(span)) => Reason::Reused(span),
        (Step::Same | Step::Content, Sink::Passed(span)) => Reason::Passed(span),
        (Step::Same | Step::Content, Sink::Captured(span)) => Reason::Captured(span),
    }
}
