//! The thread that computes what the frames of functions take.
//!
//! In: checks of programs without errors whose storage is known. Out: the frames of their functions, among the findings. They are those
//! of `clefc stack`: only generated code has frames, so the program is compiled, once nobody has typed for a while. Nobody waits for it.

use crate::{
    check::Checked,
    client::Client,
    findings::{Findings, lock},
    storage::newest,
};
use clef_base::HashMap;
use clef_image::bound::Function;
use clef_session::{
    Session,
    emit::Emit,
    job::{Job, Purpose},
    options::{CodeChoice, SessionOptions},
    pipeline,
    products::Compilation,
};
use crossbeam_channel::Receiver;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// The frames of a program's functions.
pub(crate) struct Frames {
    /// The name of the board.
    pub(crate) board: String,
    /// The optimisation level, as the command line spells it.
    pub(crate) level: String,
    /// The functions of the image, by their places. A generic function is there for each of its instances.
    pub(crate) functions: HashMap<String, Vec<Frame>>,
}

/// The frame of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    /// Its bytes.
    pub(crate) bytes: u64,
    /// The bytes with the deepest calls below it; nothing if there is no bound.
    pub(crate) need: Option<u64>,
}

/// How long nobody types before it begins.
const QUIET: Duration = Duration::from_millis(500);

/// Computes the frames of the newest check of each unit, until there are no more.
pub(crate) fn run(checks: &Receiver<Arc<Mutex<Checked>>>, findings: &Findings, client: &Client) {
    while let Ok(first) = checks.recv() {
        for (unit, checked) in newest(first, checks, QUIET) {
            if let Ok(Some(frames)) = client.guarded("frames", || of(&checked)) {
                findings.add_frames(&unit, &checked, Arc::new(frames));
            }
        }
    }
}

/// The frames of a program; nothing if it cannot be compiled, for example because it does not fit.
fn of(checked: &Mutex<Checked>) -> Option<Frames> {
    let checked = lock(checked);
    let machine = checked.program.as_ref()?.machine.clone();
    let (unit, documents) = (checked.unit.clone(), checked.documents.clone());
    // Others need the check in the meantime.
    drop(checked);
    let mut session = Session::with_unsaved(SessionOptions::default(), documents.texts(), |_, _| {});
    let purpose = if unit.runs_tests() { Purpose::Test } else { Purpose::Run };
    let (compiled, _) = session.collect(|session| {
        let program = unit.read(session, &documents)?;
        let job = Job::of(session, &program, machine, &CodeChoice::default(), purpose)?;
        let compilation = pipeline::compile(session, &job, &[Emit::Elf])?;
        Ok((job, compilation))
    });
    let (job, Compilation { calls, .. }) = compiled?;
    let mut functions: HashMap<String, Vec<Frame>> = HashMap::default();
    for Function { place, frame, need, .. } in calls?.functions {
        if let Some(place) = place {
            functions.entry(place).or_default().push(Frame { bytes: frame, need });
        }
    }
    Some(Frames { board: job.machine.board.value.name, level: job.optimisation.option(), functions })
}
