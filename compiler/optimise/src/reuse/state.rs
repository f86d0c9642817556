//! What has been moved out of the values of a function, on the paths to a point.
//!
//! In: moves and writes, in the order of the code. Out: the moves before a point. Branches are explored one after the
//! other: a log restores the state, and what each branch changed is merged where they meet. All of this takes time
//! proportional to the number of changes.

use super::held::Mask;
use clef_base::HashMap;
use clef_core::LocalId;
use std::{collections::BTreeMap, rc::Rc};

/// The way to a part of a value.
pub(super) type Path = Vec<(usize, usize)>;

/// What has happened to the value of a local, or to the content of a slot.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Root {
    /// The number of the content of a slot.
    pub(super) version: u32,
    /// Whether it is the content of a slot that was overwritten since.
    pub(super) is_former: bool,
    /// The parts that were moved.
    pub(super) moved: Vec<Moved>,
}

/// A part that was moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Moved {
    /// The way to the part.
    pub(super) path: Path,
    /// Whether only the node itself was moved, not what its fields lead to.
    pub(super) is_node: bool,
    /// The types of its nodes that count as moved.
    pub(super) types: Mask,
}

/// Locals with what has happened to them; `None` if that is nothing.
pub(super) type Changes = BTreeMap<LocalId, Option<Rc<Root>>>;

/// The state at a point.
#[derive(Default)]
pub(super) struct State {
    now: HashMap<LocalId, Rc<Root>>,
    log: Vec<(LocalId, Option<Rc<Root>>)>,
    versions: u32,
}

impl State {
    /// What has happened to a local.
    pub(super) fn root(&self, local: LocalId) -> Option<&Root> {
        self.now.get(&local).map(Rc::as_ref)
    }

    /// The number of the content of a slot.
    pub(super) fn version(&self, slot: LocalId) -> u32 {
        self.root(slot).map_or(0, |root| root.version)
    }

    /// Moves a part.
    pub(super) fn move_out(&mut self, root: LocalId, part: Moved) {
        let mut next = self.root(root).cloned().unwrap_or_default();
        next.moved.push(part);
        self.set(root, Some(Rc::new(next)));
    }

    /// Binds a local to a new value.
    pub(super) fn forget(&mut self, local: LocalId) {
        if self.now.contains_key(&local) {
            self.set(local, None);
        }
    }

    /// Overwrites a slot. What has happened to its content continues under the local that the content was read into.
    pub(super) fn write(&mut self, slot: LocalId, read: Option<LocalId>) {
        if let Some(read) = read {
            let moved = self.root(slot).map_or_else(Vec::new, |root| root.moved.clone());
            self.set(read, Some(Rc::new(Root { version: 0, is_former: true, moved })));
        }
        let version = self.fresh_version();
        self.set(slot, Some(Rc::new(Root { version, ..Root::default() })));
    }

    fn fresh_version(&mut self) -> u32 {
        self.versions += 1;
        self.versions
    }

    fn set(&mut self, local: LocalId, root: Option<Rc<Root>>) {
        let before = match root {
            Some(root) => self.now.insert(local, root),
            None => self.now.remove(&local),
        };
        self.log.push((local, before));
    }

    /// The present point.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// What has changed since a point.
    pub(super) fn changes(&self, mark: usize) -> Changes {
        self.log[mark..].iter().map(|(local, _)| (*local, self.now.get(local).cloned())).collect()
    }

    /// Returns to a point.
    pub(super) fn restore(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some((local, before)) = self.log.pop() else { return };
            match before {
                Some(root) => self.now.insert(local, root),
                None => self.now.remove(&local),
            };
        }
    }

    /// Continues where several paths from the present point meet.
    pub(super) fn meet(&mut self, paths: &[Changes]) {
        let mut ends: BTreeMap<LocalId, Vec<Option<Rc<Root>>>> = BTreeMap::new();
        for (local, root) in paths.iter().flatten() {
            ends.entry(*local).or_default().push(root.clone());
        }
        for (local, mut roots) in ends {
            if roots.len() < paths.len() {
                roots.push(self.now.get(&local).cloned());
            }
            let united = self.unite(&roots);
            self.set(local, united);
        }
    }

    fn unite(&mut self, roots: &[Option<Rc<Root>>]) -> Option<Rc<Root>> {
        if roots.windows(2).all(|pair| pair[0] == pair[1]) {
            return roots.first().cloned().flatten();
        }
        let version = |root: &Option<Rc<Root>>| root.as_ref().map_or(0, |root| root.version);
        let same = roots.windows(2).all(|pair| version(&pair[0]) == version(&pair[1]));
        let version = if same { version(&roots[0]) } else { self.fresh_version() };
        let mut moved: BTreeMap<(Path, bool), Mask> = BTreeMap::new();
        for Moved { path, is_node, types } in roots.iter().flatten().flat_map(|root| &root.moved) {
            *moved.entry((path.clone(), *is_node)).or_default() |= types;
        }
        let moved = moved.into_iter().map(|((path, is_node), types)| Moved { path, is_node, types }).collect();
        let is_former = roots.iter().all(|root| root.as_ref().is_some_and(|root| root.is_former));
        Some(Rc::new(Root { version, is_former, moved }))
    }
}
