//! The lambdas around the current expression; captures are computed during name resolution.
//!
//! A variable belongs to the function whose body defines it, identified by the number of enclosing lambdas. A use in a
//! deeper lambda makes every lambda in between capture it, in order of first use.

use clef_base::{HashSet, Span, Symbol};
use clef_psg::{Capture, CaptureMode, VariableId};

/// A lambda whose body is being checked.
#[derive(Clone, Default)]
struct Frame {
    captures: Vec<Capture>,
    captured: HashSet<VariableId>,
}

/// The lambdas whose bodies are being checked, the innermost last, and the definitions around the current expression.
#[derive(Clone, Default)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// The functions whose own definitions are being checked and that are not recursive, with the `let` that binds each.
    being_bound: Vec<(Symbol, Span)>,
}

impl Frames {
    /// The number of lambdas around the current expression.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Enters the body of a lambda.
    pub(crate) fn enter(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Leaves the body of a lambda, and returns its captures.
    pub(crate) fn leave(&mut self) -> Vec<Capture> {
        self.frames.pop().map(|frame| frame.captures).unwrap_or_default()
    }

    /// Makes every lambda between the definition of a variable, at `depth`, and this use capture it.
    pub(crate) fn capture(&mut self, variable: VariableId, mode: CaptureMode, depth: usize, first_use: Span) {
        for frame in self.frames.iter_mut().skip(depth) {
            if frame.captured.insert(variable) {
                frame.captures.push(Capture { variable, mode, first_use });
            }
        }
    }

    /// Enters the definition of a function that is not recursive, bound by the `let` at a span.
    pub(crate) fn enter_definition(&mut self, name: Symbol, let_keyword: Span) {
        self.being_bound.push((name, let_keyword));
    }

    /// Leaves the definition entered last.
    pub(crate) fn leave_definition(&mut self) {
        self.being_bound.pop();
    }

    /// The `let` of a function whose own definition contains the current expression.
    pub(crate) fn definition(&self, name: Symbol) -> Option<Span> {
        self.being_bound.iter().rev().find(|(bound, _)| *bound == name).map(|(_, let_keyword)| *let_keyword)
    }
}
