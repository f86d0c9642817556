//! The names in scope of one kind, as a stack with an undo log.

use clef_base::{HashMap, Symbol};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Whether a name that an `open` brought into scope was looked up.
pub(crate) type OpenUse = Arc<AtomicBool>;

/// A meaning in scope, and the `open` that brought it there.
#[derive(Clone, Debug)]
struct InScope<T> {
    meaning: T,
    open: Option<OpenUse>,
}

impl<T> InScope<T> {
    fn looked_up(&self) -> &T {
        if let Some(open) = &self.open {
            open.store(true, Ordering::Relaxed);
        }
        &self.meaning
    }
}

/// The names in scope of one kind, with an undo log.
#[derive(Clone, Debug)]
pub struct Scoped<T> {
    stacks: HashMap<Symbol, Vec<InScope<T>>>,
    log: Vec<Symbol>,
}

impl<T> Default for Scoped<T> {
    fn default() -> Scoped<T> {
        Scoped { stacks: HashMap::default(), log: Vec::new() }
    }
}

impl<T> Scoped<T> {
    /// Adds a meaning, which hides earlier ones of the name.
    pub fn add(&mut self, name: Symbol, meaning: T) {
        self.add_from(name, meaning, None);
    }

    /// Adds a meaning that an `open` brought into scope.
    pub(crate) fn add_from(&mut self, name: Symbol, meaning: T, open: Option<&OpenUse>) {
        self.stacks.entry(name).or_default().push(InScope { meaning, open: open.cloned() });
        self.log.push(name);
    }

    /// Adds meanings in alphabetical order, so that the result does not depend on the order of a hash table.
    pub(crate) fn add_all(&mut self, mut entries: Vec<(Symbol, T)>, open: Option<&OpenUse>) {
        entries.sort_by_key(|(name, _)| *name);
        for (name, entry) in entries {
            self.add_from(name, entry, open);
        }
    }

    /// The latest meaning of a name.
    pub fn get(&self, name: Symbol) -> Option<&T> {
        Some(self.stacks.get(&name)?.last()?.looked_up())
    }

    /// The latest meaning of a name; does not count as a use.
    pub fn shown(&self, name: Symbol) -> Option<&T> {
        Some(&self.stacks.get(&name)?.last()?.meaning)
    }

    /// All meanings, the latest first.
    pub fn all(&self, name: Symbol) -> impl Iterator<Item = &T> {
        self.stacks.get(&name).into_iter().flat_map(|stack| stack.iter().rev().map(InScope::looked_up))
    }

    /// The number of meanings of a name.
    pub fn count(&self, name: Symbol) -> usize {
        self.stacks.get(&name).map_or(0, Vec::len)
    }

    /// A point to which [`Scoped::reset`] returns.
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes the names added since a point out of scope.
    pub(crate) fn reset(&mut self, mark: usize) {
        while self.log.len() > mark {
            let name = self.log.pop().expect("longer than the marker");
            if let Some(stack) = self.stacks.get_mut(&name) {
                stack.pop();
            }
        }
    }

    /// Every name in scope; does not count as a use.
    pub fn names(&self) -> impl Iterator<Item = (Symbol, &T)> {
        self.stacks.iter().filter_map(|(name, stack)| Some((*name, &stack.last()?.meaning)))
    }
}
