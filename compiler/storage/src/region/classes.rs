//! The regions of one function during inference: classes of slots that must be one region.
//!
//! In: equalities between classes, memberships of regions in effects, and which regions are allocated in. Out: which
//! classes are one region, and which regions an effect keeps alive. Invariant: the program's region has two classes,
//! one for regions and one for effects; whatever its effect keeps alive is in the program's region.

use super::shape::Slot;
use clef_base::HashMap;
use ena::unify::{InPlaceUnificationTable, UnifyKey};
use std::collections::BTreeSet;

/// A region, or an effect, that may later be unified with another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Class(u32);

impl UnifyKey for Class {
    type Value = ();
    fn index(&self) -> u32 {
        self.0
    }
    fn from_index(index: u32) -> Class {
        Class(index)
    }
    fn tag() -> &'static str {
        "Class"
    }
}

/// What each effect keeps alive.
pub(super) type Memberships = HashMap<Class, BTreeSet<Class>>;

/// The classes of one function.
pub(super) struct Classes {
    table: InPlaceUnificationTable<Class>,
    effects: BTreeSet<Class>,
    /// An effect, and a region or effect that it keeps alive.
    contains: BTreeSet<(Class, Class)>,
    allocated: BTreeSet<Class>,
}

/// The program's region.
pub(super) const PROGRAM: Class = Class(0);
/// The effect that keeps the program's region alive, and nothing else.
const PROGRAM_EFFECT: Class = Class(1);

impl Classes {
    /// Only the classes of the program.
    pub(super) fn new() -> Classes {
        let mut table = InPlaceUnificationTable::new();
        table.new_key(());
        table.new_key(());
        let effects = BTreeSet::from([PROGRAM_EFFECT]);
        Classes { table, effects, contains: BTreeSet::new(), allocated: BTreeSet::new() }
    }

    /// A fresh class for a slot.
    pub(super) fn fresh(&mut self, slot: Slot) -> Class {
        let class = self.table.new_key(());
        if slot == Slot::Effect {
            self.effects.insert(class);
        }
        class
    }

    /// The class of the program for a slot.
    pub(super) fn program(slot: Slot) -> Class {
        match slot {
            Slot::Region | Slot::Kept => PROGRAM,
            Slot::Effect => PROGRAM_EFFECT,
        }
    }

    /// The representative of a class.
    pub(super) fn find(&mut self, class: Class) -> Class {
        self.table.find(class)
    }

    /// Unifies two classes; returns whether they were different.
    pub(super) fn unify(&mut self, a: Class, b: Class) -> bool {
        let differ = !self.table.unioned(a, b);
        self.table.union(a, b);
        differ
    }

    /// Unifies two lists of classes pairwise.
    pub(super) fn unify_all(&mut self, a: &[Class], b: &[Class]) {
        debug_assert_eq!(a.len(), b.len(), "unification of shapes of different lengths");
        a.iter().zip(b).for_each(|(a, b)| {
            self.unify(*a, *b);
        });
    }

    /// Whether a class belongs to the program.
    pub(super) fn is_program(&mut self, class: Class) -> bool {
        self.table.unioned(class, PROGRAM) || self.table.unioned(class, PROGRAM_EFFECT)
    }

    /// Whether a class is a set of regions.
    pub(super) fn is_effect(&self, class: Class) -> bool {
        self.effects.contains(&class)
    }

    /// Records that an effect keeps a region, or what another effect keeps, alive.
    pub(super) fn contain(&mut self, effect: Class, member: Class) {
        self.contains.insert((effect, member));
    }

    /// Records that something is allocated in a region.
    pub(super) fn allocate(&mut self, class: Class) {
        self.allocated.insert(class);
    }

    /// The regions that are allocated in, except the program's.
    pub(super) fn allocated(&mut self) -> BTreeSet<Class> {
        let all = std::mem::take(&mut self.allocated);
        self.allocated = all.into_iter().map(|class| self.table.find(class)).collect();
        let program = self.table.find(PROGRAM);
        self.allocated.iter().copied().filter(|class| *class != program).collect()
    }

    /// What each effect keeps alive directly, by its representative.
    pub(super) fn memberships(&mut self) -> Memberships {
        let pairs: Vec<(Class, Class)> = self.contains.iter().copied().collect();
        let mut memberships = Memberships::default();
        for (effect, member) in pairs {
            let (effect, member) = (self.find(effect), self.find(member));
            memberships.entry(effect).or_default().insert(member);
        }
        memberships
    }

    /// The regions of classes, with all that the effects among them keep alive.
    pub(super) fn regions(&mut self, classes: &[Class], memberships: &Memberships) -> BTreeSet<Class> {
        let reached = self.reached(classes, memberships, |_| true);
        reached.into_iter().filter(|class| !self.is_effect(*class)).collect()
    }

    /// The representatives of classes, and what the effects among them keep alive, expanding those that `opens` accepts.
    pub(super) fn reached(
        &mut self,
        classes: &[Class],
        memberships: &Memberships,
        opens: impl Fn(Class) -> bool,
    ) -> BTreeSet<Class> {
        let mut reached = BTreeSet::new();
        let mut queue: Vec<Class> = classes.to_vec();
        while let Some(class) = queue.pop() {
            let root = self.find(class);
            if reached.insert(root) && opens(root) {
                queue.extend(memberships.get(&root).into_iter().flatten());
            }
        }
        reached
    }

    /// Unifies what an effect of the program keeps alive with the program's region; returns whether anything changed.
    pub(super) fn close_program(&mut self) -> bool {
        let pairs: Vec<(Class, Class)> = self.contains.iter().copied().collect();
        let mut changed = false;
        for (effect, member) in pairs {
            if self.table.unioned(effect, PROGRAM_EFFECT) {
                let whole = if self.is_effect(member) { PROGRAM_EFFECT } else { PROGRAM };
                changed |= self.unify(member, whole);
            }
        }
        changed
    }
}
