//! The thread that checks.
//!
//! In: the newest state of the documents after each change. Out: findings, and the diagnostics that the editor shows. Holds: the
//! unit of the last change is checked first; a state that a newer one replaces is not checked.

use crate::{
    check::{Checked, Libraries},
    client::Client,
    documents::Documents,
    findings::Findings,
    publish::Published,
    workspace::Unit,
};
use clef_base::{HashMap, diagnostic::has_errors};
use clef_session::{library_files, machine::MachineChoice};
use crossbeam_channel::{Receiver, Sender};
use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, Mutex},
};

/// A change.
pub(crate) struct Change {
    /// The documents after it.
    pub(crate) documents: Documents,
    /// The file that has changed; nothing if it may be any.
    pub(crate) path: Option<PathBuf>,
}

/// The state of the thread.
struct Checking<'a> {
    changes: &'a Receiver<Change>,
    findings: &'a Findings,
    client: &'a Client,
    storage: Sender<Arc<Mutex<Checked>>>,
    libraries: Libraries,
    published: Published,
    /// The units that are to be checked.
    dirty: BTreeSet<Unit>,
    /// The files that have changed since they were checked.
    changed: BTreeSet<PathBuf>,
}

/// Checks what changes, until there are no more changes.
pub(crate) fn run(
    changes: &Receiver<Change>,
    findings: &Findings,
    client: &Client,
    storage: Sender<Arc<Mutex<Checked>>>,
    choice: MachineChoice,
) {
    let mut state = Checking {
        changes,
        findings,
        client,
        storage,
        libraries: Libraries::new(choice),
        published: Published::default(),
        dirty: BTreeSet::new(),
        changed: BTreeSet::new(),
    };
    while let Ok(first) = changes.recv() {
        state.handle(first);
    }
}

impl Checking<'_> {
    /// Checks the newest state of the documents, or less if they change in the meantime.
    fn handle(&mut self, first: Change) {
        let mut all = vec![first];
        all.extend(self.changes.try_iter());
        let Some(Change { documents, path: last }) = all.pop() else { return };
        // A file of the library is a part of the programs that use it, and none of its own.
        let of_users = documents.paths().into_iter().filter(|path| !library_files::is_of_library(path));
        let of_files: HashMap<PathBuf, Unit> =
            of_users.map(|path| (path.clone(), Unit::of(&path, &documents))).collect();
        let open: BTreeSet<Unit> = of_files.values().cloned().collect();
        for path in all.into_iter().map(|change| change.path).chain([last.clone()]) {
            match path {
                Some(path) => self.mark(path, &of_files),
                None => self.dirty.extend(open.iter().cloned()),
            }
        }
        let known: BTreeSet<Unit> = self.findings.all().into_iter().map(|finding| finding.unit).collect();
        self.dirty.extend(open.difference(&known).cloned());
        self.dirty.retain(|unit| open.contains(unit));
        let mut next = last.and_then(|path| of_files.get(&path)).cloned();
        while let Some(unit) =
            next.take().filter(|unit| self.dirty.contains(unit)).or_else(|| self.dirty.first().cloned())
        {
            self.check(&unit, &documents);
            self.dirty.remove(&unit);
            if !self.changes.is_empty() && !self.dirty.is_empty() {
                return;
            }
        }
        self.changed.clear();
        self.published.keep(|unit| open.contains(unit), &documents, self.client);
        self.findings.finish(documents.revision, of_files);
    }

    /// Marks the units with a file.
    fn mark(&mut self, path: PathBuf, of_files: &HashMap<PathBuf, Unit>) {
        self.dirty.extend(of_files.get(&path).cloned());
        let all = self.findings.all().into_iter();
        self.dirty.extend(all.filter(|finding| finding.paths.contains(&path)).map(|finding| finding.unit));
        self.changed.insert(path);
    }

    fn check(&mut self, unit: &Unit, documents: &Documents) {
        let libraries = &mut self.libraries;
        let Ok(checked) = self.client.guarded("check", || libraries.check(unit.clone(), documents)) else { return };
        self.published.update(&checked, &self.changed, documents, self.client);
        let sound = checked.program.is_some() && !has_errors(&checked.diagnostics);
        let finding = self.findings.add(checked);
        if sound {
            let _ = self.storage.send(finding.checked);
        }
    }
}
