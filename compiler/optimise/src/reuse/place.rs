//! Places: the values that locals are parts of.
//!
//! In: a function. Out: for each local that is read out of another local or of a slot, that local and the path to the
//! part. Two locals with the same place are the same value, unless a slot was overwritten between.

use super::held::constant;
use clef_base::HashMap;
use clef_core::{Atom, Function, LocalId, Program, Rhs, StatementKind};

/// A step to a part: the tag and the position of a field, or zero and the index of a component.
type Step = (usize, usize);

/// The longest path; what is further inside has the place of the value around it.
const LONGEST: usize = 12;

/// A part of the value of a local.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The local, or the slot that holds the value.
    pub(super) root: LocalId,
    /// The way to the part.
    pub(super) path: Vec<Step>,
}

/// The local that an operation copies, or reads a part of.
fn read_out_of(rhs: &Rhs) -> Option<(LocalId, Option<Step>)> {
    if let Rhs::Atom(Atom::Local(of)) = rhs {
        Some((*of, None))
    } else if let Rhs::Component(Atom::Local(of), index) = rhs {
        Some((*of, Some((0, *index))))
    } else if let Rhs::Field { value: Atom::Local(of), case, field } = rhs {
        Some((*of, Some((*case, *field))))
    } else {
        None
    }
}

/// The places of the locals of a function.
pub(super) struct Places {
    places: HashMap<LocalId, Place>,
    /// The local that was read from a slot, for it and its parts.
    read: HashMap<LocalId, LocalId>,
    /// The local that a local is a copy of.
    copied: HashMap<LocalId, LocalId>,
}

impl Places {
    /// Those of a function.
    pub(super) fn of(program: &Program, function: &Function) -> Places {
        let mut places = Places { places: HashMap::default(), read: HashMap::default(), copied: HashMap::default() };
        // Statements come after those that bind their operands.
        function.body.each_statement(&mut |statement| {
            let StatementKind::Let(local, rhs) = &statement.kind else { return };
            if let Rhs::ReadSlot(Atom::Local(slot)) = rhs {
                places.read.insert(*local, *local);
                places.places.insert(*local, Place { root: *slot, path: Vec::new() });
            }
            let Some((of, step)) = read_out_of(rhs) else { return };
            if let Rhs::Field { .. } = rhs
                && constant(program, function.locals[of].ty).is_none()
            {
                return;
            }
            let Place { root, mut path } = places.place(of);
            if path.len() < LONGEST {
                path.extend(step);
            }
            if let Some(read) = places.read.get(&of) {
                places.read.insert(*local, *read);
            }
            places.places.insert(*local, Place { root, path });
            if step.is_none() {
                places.copied.insert(*local, of);
            }
        });
        places
    }

    /// The place of a local.
    pub(super) fn place(&self, local: LocalId) -> Place {
        self.places.get(&local).cloned().unwrap_or(Place { root: local, path: Vec::new() })
    }

    /// The local that a local is a copy of.
    pub(super) fn copied(&self, local: LocalId) -> Option<LocalId> {
        self.copied.get(&local).copied()
    }

    /// Whether a local is an operand or a part of it.
    pub(super) fn is_within(&self, local: LocalId, of: &Atom) -> bool {
        let Some(of) = of.local() else { return false };
        let (inner, outer) = (self.place(local), self.place(of));
        inner.root == outer.root && inner.path.starts_with(&outer.path)
    }

    /// Whether the value of a local is a part of another one, or the same.
    pub(super) fn is_part(&self, local: LocalId) -> bool {
        self.places.contains_key(&local)
    }

    /// The local that was read from a slot, if a local is that or a part of it.
    pub(super) fn read(&self, local: LocalId) -> Option<LocalId> {
        self.read.get(&local).copied()
    }

    /// Whether an operand is a field of a node.
    pub(super) fn is_field(&self, atom: &Atom, node: LocalId, case: usize, field: usize) -> bool {
        let Some(local) = atom.local() else { return false };
        let Place { root, mut path } = self.place(node);
        // Places of the longest path may be those of what is further inside.
        path.push((case, field));
        path.len() < LONGEST && self.read(local) == self.read(node) && self.place(local) == Place { root, path }
    }
}
