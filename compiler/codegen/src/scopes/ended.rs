//! Variables whose memory was freed.
//!
//! In: ends and evacuations of regions, and slots that are overwritten. Out: notes. A variable that may point into a region has no
//! value after the region ends, and after it is evacuated until it gets a new value.

use super::{Scopes, Variable};
use crate::function::FunctionEmitter;
use clef_base::{HashSet, Span, Symbol};
use clef_core::{Atom, Function, InlinedId, Local, LocalId, Move, Rhs};
use clef_mlir::{Noted, Scope};

impl<'m> Scopes<'_, 'm> {
    /// The variables that may point into a region, except some, with their frames and scopes.
    fn pointing_into(&self, region: LocalId, except: &[Atom]) -> Vec<(Option<InlinedId>, Scope<'m>, usize)> {
        let locals: &[LocalId] = self.function.held.get(&region).map_or(&[], Vec::as_slice);
        let kept: HashSet<_> =
            except.iter().filter_map(Atom::local).map(|local| source(self.function, local)).collect();
        let held: HashSet<_> = locals.iter().map(|local| source(self.function, *local)).collect();
        let mut found = Vec::new();
        for level in &self.levels {
            for (name, variable) in &level.variables {
                let source = (*name, variable.span);
                let is_held = held.contains(&source) || variable.operand.is_some_and(|by| locals.contains(&by));
                if is_held && !variable.is_placed && !kept.contains(&source) {
                    found.push((level.inlined, level.scope, variable.number));
                }
            }
        }
        found.sort_by_key(|(_, _, number)| *number);
        found
    }
}

impl FunctionEmitter<'_, '_, '_> {
    /// Notes that a slot has new content.
    pub(crate) fn note_content(&mut self, slot: &Atom) {
        let (Some(scopes), Some(slot)) = (&self.scopes, slot.local()) else { return };
        let (name, span) = source(scopes.function, slot);
        let variable = scopes.visible(name).filter(|variable| variable.span == span && !variable.is_placed);
        if scopes.ending.contains(&(name, span))
            && let Some(Variable { number, home, .. }) = variable
        {
            match home {
                Some(home) => self.code.emit.note_variable(number, home, Noted::ValueAtAddressOfAddress),
                None => {
                    if let Some(address) = self.locals.value(slot) {
                        self.code.emit.note_variable(number, address, Noted::ValueAtAddress);
                    }
                }
            }
        }
    }

    /// Notes that a region ends here, or is evacuated: the variables that may point into it have no value, except the roots,
    /// which are outside.
    pub(crate) fn note_end(&mut self, region: &Atom, roots: &[Atom]) {
        let (Some(scopes), Some(region)) = (&self.scopes, region.local()) else { return };
        let (here, mut ended) = (scopes.inlined, scopes.pointing_into(region, roots));
        // The notes of one frame follow each other.
        ended.sort_by_key(|(inlined, ..)| *inlined != here);
        for (inlined, scope, number) in &ended {
            let Some(scopes) = &mut self.scopes else { return };
            let call = inlined.and_then(|inlined| scopes.frame(self.code.shared, inlined)).map(|frame| frame.call);
            self.code.emit.frame(Some(*scope), call);
            self.code.stay();
            let nothing = self.code.word_constant(0);
            self.code.emit.note_variable(*number, nothing, Noted::Nothing);
        }
        if let Some(scopes) = self.scopes.as_mut().filter(|_| !ended.is_empty()) {
            let call = here.and_then(|here| scopes.frame(self.code.shared, here)).map(|frame| frame.call);
            self.code.emit.frame(scopes.current(), call);
            self.code.stay();
        }
    }
}

/// The names and places of the variables that may point into a region which ends or is evacuated in a function.
pub(super) fn ending(function: &Function) -> HashSet<(Symbol, Span)> {
    let mut regions: Vec<&Atom> = Vec::new();
    function.body.each_statement(&mut |statement| {
        if let Some(Rhs::LeaveRegion(region)) = statement.rhs() {
            regions.push(region);
        } else if let Some(Rhs::Evacuate { moves, .. }) = statement.rhs() {
            regions.extend(moves.iter().map(|Move { from, .. }| from));
        }
    });
    let held = regions.into_iter().filter_map(|region| function.held.get(&region.local()?));
    held.flatten().map(|local| source(function, *local)).collect()
}

/// The name of a local, and its place.
fn source(function: &Function, local: LocalId) -> (Symbol, Span) {
    let Local { name, span, .. } = function.locals[local];
    (name, span)
}
