//! The thread that computes where allocations live.
//!
//! In: checks of programs without errors. Out: the storage of their allocations, among the findings. It takes longer than a check,
//! so it waits until nobody types, and nobody waits for it.

use crate::{
    check::Checked,
    client::Client,
    findings::{Findings, lock},
    workspace::Unit,
};
use clef_base::HashMap;
use clef_session::{
    Session,
    options::SessionOptions,
    pipeline::analysis::{Storage, storage},
};
use crossbeam_channel::{Receiver, Sender};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// The storage of a program's allocations.
pub(crate) type Allocations = Storage;

/// How long nobody types before it begins.
const QUIET: Duration = Duration::from_millis(300);

/// The newest check of each unit, once none has come for some time.
pub(crate) fn newest(
    first: Arc<Mutex<Checked>>,
    checks: &Receiver<Arc<Mutex<Checked>>>,
    quiet: Duration,
) -> HashMap<Unit, Arc<Mutex<Checked>>> {
    let mut newest = HashMap::default();
    let mut next = Some(first);
    while let Some(checked) = next {
        let unit = lock(&checked).unit.clone();
        newest.insert(unit, checked);
        next = checks.recv_timeout(quiet).ok();
    }
    newest
}

/// Computes the storage of the newest check of each unit, until there are no more. Each is then passed on to `placed`.
pub(crate) fn run(
    checks: &Receiver<Arc<Mutex<Checked>>>,
    findings: &Findings,
    client: &Client,
    placed: &Sender<Arc<Mutex<Checked>>>,
) {
    while let Ok(first) = checks.recv() {
        for (unit, checked) in newest(first, checks, QUIET) {
            let computed = client.guarded("storage", || of(&checked));
            if let Ok(Some(storage)) = computed
                && findings.add_storage(&unit, &checked, Arc::new(storage))
            {
                client.refresh_hints();
                let _ = placed.send(checked);
            }
        }
    }
}

/// The storage of a program without errors.
fn of(checked: &Mutex<Checked>) -> Option<Storage> {
    let checked = lock(checked);
    let program = checked.program.as_ref()?;
    let psg = program.analysis.index.psg()?.clone();
    let mut session = Session::new(SessionOptions::default(), |_, _| {});
    session.sources = checked.sources.clone();
    let (files, machine, optimisation) = (program.files.clone(), program.machine.clone(), program.optimisation);
    // Others need the check in the meantime.
    drop(checked);
    Some(storage(&mut session, &psg, &files, &machine, optimisation))
}
