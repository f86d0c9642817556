//! What is expected of an expression, and why.
//!
//! Expectations are propagated downwards, so that a mismatch is reported where it arises, with the place that caused the
//! expectation.

use clef_base::{Span, Symbol};
use clef_infer::Ty;
use std::sync::Arc;

/// The expected type of an expression, and the reason.
#[derive(Clone)]
pub(crate) struct Expect {
    pub(crate) ty: Ty,
    pub(crate) reason: Reason,
}

impl Expect {
    /// An expectation without a reason.
    pub(crate) fn anything(ty: Ty) -> Expect {
        Expect { ty, reason: Reason::Nothing }
    }

    /// The same expectation; adds a reason if it has none.
    pub(crate) fn or_because(&self, reason: impl FnOnce() -> Reason) -> Expect {
        let reason = if let Reason::Nothing = self.reason { reason() } else { self.reason.clone() };
        Expect { ty: self.ty.clone(), reason }
    }

    /// The expectation on a part: a component, or the result of a function.
    pub(crate) fn part(&self, ty: Ty) -> Expect {
        #[allow(clippy::wildcard_enum_match_arm, reason = "the other reasons hold for parts too")]
        let reason = match self.reason {
            Reason::Argument { place, .. } => Reason::Within(place),
            // A piped value says nothing about the result of a function.
            Reason::Piped(_) => Reason::Nothing,
            _ => self.reason.clone(),
        };
        Expect { ty, reason }
    }
}

/// The reason for an expected type.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    /// None.
    Nothing,
    /// A parameter: the name of the function if it has one, the argument number, and the spans of the function and its
    /// definition.
    Argument { function: Option<Arc<str>>, number: usize, place: Span, definition: Option<Span> },
    /// Part of a parameter of the function at a span.
    Within(Span),
    /// The other operand of an operator.
    Operand { operator: Symbol, other: Span },
    /// An operator that works on one type only.
    Operator { operator: Symbol, place: Span },
    /// `if`, `while`, `when`, `assert`.
    Condition(&'static str),
    /// The previous branch.
    Branch(Span),
    /// The first arm of a `match`.
    Arm { number: usize, first: Span },
    /// An `if` without `else`.
    NoElse,
    /// An annotation.
    Annotation(Span),
    /// The declaration of a mutable variable or of a ref cell.
    Assigned(Span),
    /// The bounds of a loop.
    Bound,
    /// The first element of a list or an array.
    Element(Span),
    /// An index.
    Index,
    /// The scrutinee.
    Scrutinee(Span),
    /// The value to the left of `|>`.
    Piped(Span),
    /// The function to the right of `|>`.
    PipedInto(Span),
    /// A format, and its span.
    Format(Symbol, Span),
    /// The result of `[<EntryPoint>]`.
    EntryPoint,
    /// The field of a record.
    Field(Symbol),
    /// The first of two alternatives of a pattern.
    Alternative(Span),
}
