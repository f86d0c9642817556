//! What is known at a time: the newest check of each unit, and the storage of its allocations.
//!
//! In: finished work of the threads. Out: the newest result for a file. Holds: who waits for a revision sees results that are at
//! least as new. The thread that checks never waits for a check that another one uses.

use crate::{check::Checked, frames::Frames, storage::Allocations, workspace::Unit};
use clef_base::HashMap;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// What is known, shared by all threads.
#[derive(Default)]
pub(crate) struct Findings {
    state: Mutex<State>,
    changed: Condvar,
}

/// The newest check of a unit.
#[derive(Clone)]
pub(crate) struct Finding {
    /// The unit.
    pub(crate) unit: Unit,
    /// The paths of its source files.
    pub(crate) paths: Arc<Vec<PathBuf>>,
    /// What the check found.
    pub(crate) checked: Arc<Mutex<Checked>>,
    /// The storage of its allocations, once it is known.
    pub(crate) storage: Option<Arc<Allocations>>,
    /// The frames of its functions, once they are known.
    pub(crate) frames: Option<Arc<Frames>>,
}

#[derive(Default)]
struct State {
    /// Everything is checked up to this revision of the documents.
    done: u64,
    units: HashMap<Unit, Finding>,
    /// The units of open files.
    of_files: HashMap<PathBuf, Unit>,
}

impl Findings {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Adds the result of a check.
    pub(crate) fn add(&self, checked: Checked) -> Finding {
        let (unit, paths) = (checked.unit.clone(), Arc::clone(&checked.paths));
        let checked = Arc::new(Mutex::new(checked));
        let finding = Finding { unit: unit.clone(), paths, checked, storage: None, frames: None };
        self.state().units.insert(unit, finding.clone());
        finding
    }

    /// Adds the storage of a check, if that is still the newest of its unit.
    pub(crate) fn add_storage(&self, unit: &Unit, of: &Arc<Mutex<Checked>>, storage: Arc<Allocations>) -> bool {
        self.complete(unit, of, |finding| finding.storage = Some(storage))
    }

    /// Adds the frames of a check, if that is still the newest of its unit.
    pub(crate) fn add_frames(&self, unit: &Unit, of: &Arc<Mutex<Checked>>, frames: Arc<Frames>) -> bool {
        self.complete(unit, of, |finding| finding.frames = Some(frames))
    }

    fn complete(&self, unit: &Unit, of: &Arc<Mutex<Checked>>, add: impl FnOnce(&mut Finding)) -> bool {
        let mut state = self.state();
        let newest = state.units.get_mut(unit).filter(|finding| Arc::ptr_eq(&finding.checked, of));
        newest.map(add).is_some()
    }

    /// Everything is checked up to a revision, and these are the units of all open files.
    pub(crate) fn finish(&self, revision: u64, of_files: HashMap<PathBuf, Unit>) {
        let mut state = self.state();
        state.done = revision;
        state.units.retain(|unit, _| of_files.values().any(|used| used == unit));
        state.of_files = of_files;
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until everything is checked up to a revision, or `gave_up`.
    pub(crate) fn wait(&self, revision: u64, gave_up: impl Fn() -> bool) {
        let mut state = self.state();
        while state.done < revision && !gave_up() {
            let waited = self.changed.wait_timeout(state, Duration::from_millis(50));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The newest check of a file's unit; of any unit for a file of the library.
    pub(crate) fn of(&self, path: &Path) -> Option<Finding> {
        let state = self.state();
        let contains = |finding: &&Finding| finding.paths.iter().any(|own| own == path);
        let own = state.of_files.get(path).and_then(|unit| state.units.get(unit)).filter(contains);
        let mut others: Vec<&Finding> = state.units.values().filter(contains).collect();
        others.sort_by_key(|finding| &finding.unit);
        own.or(others.first().copied()).cloned()
    }

    /// The newest checks of all units.
    pub(crate) fn all(&self) -> Vec<Finding> {
        let mut units: Vec<Finding> = self.state().units.values().cloned().collect();
        units.sort_by(|one, other| one.unit.cmp(&other.unit));
        units
    }
}

/// Locks what a panic may have left locked: a panic never leaves a check half written.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
