//! What callers and creators of closures know of a function: the slots of its signature, and the summary over them.
//!
//! In: a function. Out: a [`Signature`], which assigns a position to each slot of its parameters, its result, its own
//! closure and its captures; and, once inferred, a [`Summary`]: which positions are one region, which are allocated in,
//! and what effects keep alive. A call or the creation of a closure *instantiates* a summary: it takes fresh regions
//! for the positions, so that each use of a function chooses its regions, recursive uses too (region polymorphism).

use super::{
    classes::{Class, Classes},
    shape::{EFFECT, KEPT, Shapes, Slot},
};
use clef_core::{Convention, Function};
use clef_types::Type;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// The positions of the slots of a function. The captures come last, so that callers see a prefix.
pub(super) struct Signature {
    /// The kind of each position.
    pub(super) slots: Vec<Slot>,
    /// Each parameter.
    pub(super) params: Vec<Range<usize>>,
    /// The result.
    pub(super) result: Range<usize>,
    /// The region of what a chain of tail calls passes on from one iteration to the next.
    pub(super) iteration: usize,
    /// The closure itself; empty for a known function.
    pub(super) itself: Range<usize>,
    /// Each capture.
    pub(super) captures: Vec<Range<usize>>,
}

impl Signature {
    /// The signature of a function.
    pub(super) fn new(shapes: &mut Shapes<'_>, function: &Function) -> Signature {
        let types = |locals: &[clef_core::LocalId]| -> Vec<Type> {
            locals.iter().map(|local| function.locals[*local].ty).collect()
        };
        let mut signature = Signature::of_call(shapes, &types(&function.params), function.result);
        if let Convention::Closure { captures, .. } = &function.convention {
            signature.add_closure();
            for ty in types(captures) {
                let range = signature.add(shapes, ty);
                signature.captures.push(range);
            }
        }
        signature
    }

    /// The signature of any closure with such parameters and such a result: what its callers know.
    pub(super) fn of_closure(shapes: &mut Shapes<'_>, params: &[Type], result: Type) -> Signature {
        let mut signature = Signature::of_call(shapes, params, result);
        signature.add_closure();
        signature
    }

    fn of_call(shapes: &mut Shapes<'_>, params: &[Type], result: Type) -> Signature {
        let mut signature = Signature {
            slots: Vec::new(),
            params: Vec::new(),
            result: 0..0,
            iteration: 0,
            itself: 0..0,
            captures: Vec::new(),
        };
        for param in params {
            let range = signature.add(shapes, *param);
            signature.params.push(range);
        }
        signature.result = signature.add(shapes, result);
        signature.iteration = signature.slots.len();
        signature.slots.push(Slot::Region);
        signature.itself = signature.slots.len()..signature.slots.len();
        signature
    }

    fn add(&mut self, shapes: &mut Shapes<'_>, ty: Type) -> Range<usize> {
        let start = self.slots.len();
        self.slots.extend(shapes.of(ty).iter());
        start..self.slots.len()
    }

    fn add_closure(&mut self) {
        let start = self.slots.len();
        self.slots.extend([Slot::Region, Slot::Kept, Slot::Effect]);
        self.itself = start..self.slots.len();
    }

    /// The positions that a call chooses: parameters, result and iteration.
    pub(super) fn of_each_call(&self) -> Range<usize> {
        0..self.iteration + 1
    }

    /// The positions that all closures of one type have.
    pub(super) fn of_type(&self) -> Range<usize> {
        0..self.itself.end
    }

    /// The positions chosen where the closure is created: the closure itself and its captures.
    pub(super) fn of_creation(&self) -> Range<usize> {
        self.itself.start..self.slots.len()
    }

    /// The position of the kept region of the function value whose effect is at a position; only a [`Slot::Effect`] has one.
    pub(super) fn kept_beside(effect: usize) -> usize {
        effect - EFFECT + KEPT
    }

    /// Fresh classes for all positions.
    pub(super) fn fresh(&self, classes: &mut Classes) -> Vec<Class> {
        self.slots.iter().map(|slot| classes.fresh(*slot)).collect()
    }
}

/// What is known of the regions of a function, over the positions of its signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Summary {
    /// For each position the first one that is the same region or effect; `None` if it is the program's.
    pub(super) same: Vec<Option<usize>>,
    /// The regions that are allocated in, each by its first position; not the program's.
    pub(super) allocated: BTreeSet<usize>,
    /// Effects and what they keep alive, each by its first position.
    pub(super) contains: BTreeSet<(usize, usize)>,
}

impl Summary {
    /// The summary of a function with no equalities and no effects.
    pub(super) fn least(slots: usize) -> Summary {
        Summary { same: (0..slots).map(Some).collect(), allocated: BTreeSet::new(), contains: BTreeSet::new() }
    }

    /// Reads the summary of a list of classes, one for each position.
    pub(super) fn read(classes: &mut Classes, positions: &[Class]) -> Summary {
        let mut first: BTreeMap<Class, usize> = BTreeMap::new();
        let mut same = Vec::with_capacity(positions.len());
        for (position, class) in positions.iter().enumerate() {
            let root = classes.find(*class);
            let program = classes.is_program(root);
            same.push((!program).then(|| *first.entry(root).or_insert(position)));
        }
        let allocated = classes.allocated().iter().filter_map(|class| first.get(class).copied()).collect();
        let memberships = classes.memberships();
        let mut contains = BTreeSet::new();
        for (effect, members) in &memberships {
            let Some(&effect) = first.get(effect) else { continue };
            // What an effect without a position keeps alive counts for the effects that it belongs to.
            let members: Vec<Class> = members.iter().copied().collect();
            let reached = classes.reached(&members, &memberships, |class| !first.contains_key(&class));
            contains.extend(reached.iter().filter_map(|member| first.get(member)).map(|member| (effect, *member)));
        }
        Summary { same, allocated, contains }
    }

    /// The summary of a prefix of the positions.
    pub(super) fn prefix(&self, end: usize) -> Summary {
        Summary {
            same: self.same[..end].to_vec(),
            allocated: self.allocated.range(..end).copied().collect(),
            contains: self.contains.iter().filter(|(effect, member)| *effect < end && *member < end).copied().collect(),
        }
    }

    /// Applies the summary to classes for some of the positions, which start at `start`.
    pub(super) fn instantiate(&self, classes: &mut Classes, start: usize, positions: &[Class]) {
        let slots = start..start + positions.len();
        let mut first: BTreeMap<usize, Class> = BTreeMap::new();
        for (same, class) in self.same[slots].iter().zip(positions) {
            match same {
                None => {
                    let slot = if classes.is_effect(*class) { Slot::Effect } else { Slot::Region };
                    classes.unify(*class, Classes::program(slot));
                }
                Some(same) => {
                    let first = *first.entry(*same).or_insert(*class);
                    classes.unify(first, *class);
                }
            }
        }
        for allocated in &self.allocated {
            if let Some(class) = first.get(allocated) {
                classes.allocate(*class);
            }
        }
        for (effect, member) in &self.contains {
            if let (Some(effect), Some(member)) = (first.get(effect), first.get(member)) {
                classes.contain(*effect, *member);
            }
        }
    }
}
