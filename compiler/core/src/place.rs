//! Where code comes from: a place in the source, and the calls whose callees' bodies it is in.

use clef_base::{HashMap, Span, Symbol};
use la_arena::{Arena, Idx};

/// The index of an [`Inlined`].
pub type InlinedId = Idx<Inlined>;

/// Where code comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The place in the source.
    pub span: Span,
    /// The call that was replaced by the body that the code is part of; `None` for the function's own code.
    pub inlined: Option<InlinedId>,
}

impl From<Span> for Place {
    fn from(span: Span) -> Place {
        Place { span, inlined: None }
    }
}

impl From<Place> for Option<Span> {
    fn from(place: Place) -> Option<Span> {
        Some(place.span)
    }
}

/// A call that was replaced by the body of its callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inlined {
    /// The callee's [`Function::origin`](crate::Function::origin).
    pub callee: Symbol,
    /// Where the callee comes from.
    pub definition: Span,
    /// Where it was called.
    pub call: Place,
}

/// The places of code that is copied from one function to another.
#[derive(Debug)]
pub struct Moved {
    /// The call that the whole code replaces, in the function that takes it.
    call: Option<InlinedId>,
    /// Of the calls that were replaced in the function that the code comes from: those in the one that takes it.
    inlined: HashMap<InlinedId, InlinedId>,
}

impl Moved {
    /// Of code that replaces a call, or no call.
    pub fn new(call: Option<Inlined>, to: &mut Arena<Inlined>) -> Moved {
        Moved { call: call.map(|call| to.alloc(call)), inlined: HashMap::default() }
    }

    /// The place of code that has moved, from a function with these replaced calls to one with those.
    pub fn place(&mut self, place: Place, from: &Arena<Inlined>, to: &mut Arena<Inlined>) -> Place {
        let mut unknown = Vec::new();
        let mut next = place.inlined;
        while let Some(id) = next.filter(|id| !self.inlined.contains_key(id)) {
            unknown.push(id);
            next = from[id].call.inlined;
        }
        let mut inlined = next.map_or(self.call, |id| self.inlined.get(&id).copied());
        for id in unknown.into_iter().rev() {
            let call = Place { inlined, ..from[id].call };
            let moved = to.alloc(Inlined { call, ..from[id] });
            self.inlined.insert(id, moved);
            inlined = Some(moved);
        }
        Place { inlined, ..place }
    }
}
