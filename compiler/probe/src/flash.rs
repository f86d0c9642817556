//! Programming: the chip's own flash algorithm erases and programs, and the result is read back and compared.

use crate::{
    connection::Connection,
    failure::{Doing, Failure},
    model::{Progress, Segment, Step},
    report::{causes, guarded},
};
use probe_rs::{
    MemoryInterface, Session,
    config::MemoryRegion,
    flashing::{DownloadOptions, FlashError, FlashProgress, ProgressEvent, ProgressOperation, erase_all},
};
use std::cell::Cell;

/// The number of bytes that are compared at once.
const COMPARED: usize = 4096;

impl Connection {
    /// Erases the flash that an image occupies, programs it, and verifies the readable parts. Holds afterwards: the
    /// flash contains the image, and the processor is halted.
    pub fn flash(&mut self, image: &[Segment], progress: &mut dyn FnMut(Progress)) -> Result<(), Failure> {
        self.check_readable()?;
        let doing = Cell::new(Doing::Preparing);
        guarded(Doing::Programming, || {
            let result = program(&mut self.session, image, FlashProgress::new(|event| note(&event, &doing, progress)));
            result.map_err(|error| self.programming_failure(&error, doing.get()))
        })
    }

    /// Whether the flash contains an image. The processor keeps running.
    pub fn holds(&mut self, image: &[Segment]) -> Result<bool, Failure> {
        self.work(Doing::Comparing, |session| {
            let mut core = session.core(0)?;
            for segment in image {
                let addresses = (segment.address..).step_by(COMPARED);
                for (address, wanted) in addresses.zip(segment.bytes.chunks(COMPARED)) {
                    let mut found = vec![0; wanted.len()];
                    core.read(address, &mut found)?;
                    if found != wanted {
                        return Ok(false);
                    }
                }
            }
            Ok(true)
        })
    }

    /// Erases the whole flash.
    pub fn erase(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Failure> {
        let doing = Cell::new(Doing::Erasing);
        guarded(Doing::Erasing, || {
            let mut progress = FlashProgress::new(|event| note(&event, &doing, progress));
            let result = erase_all(&mut self.session, &mut progress, false);
            result.map_err(|error| self.failure(&error, Doing::Erasing))
        })
    }

    /// Flash that cannot be read cannot be verified, and is not changed: it may be protected.
    fn check_readable(&mut self) -> Result<(), Failure> {
        let regions = self.session.target().memory_map.iter().filter_map(MemoryRegion::as_nvm_region);
        let Some(start) = regions.filter(|region| region.is_boot_memory()).map(|region| region.range.start).next()
        else {
            return Ok(());
        };
        match self.work(Doing::Preparing, |session| session.core(0)?.read_word_32(start)) {
            Ok(_) => Ok(()),
            Err(Failure::Broken { causes, .. }) => Err(Failure::Protected { chip: self.chip.clone(), causes }),
            Err(failure) => Err(failure),
        }
    }

    fn programming_failure(&mut self, error: &FlashError, doing: Doing) -> Failure {
        if matches!(error, FlashError::Verify) {
            return Failure::Mismatch;
        }
        if is_unsuitable(error) {
            return Failure::UnsuitableImage { chip: self.chip.clone(), causes: causes(error) };
        }
        self.failure(error, doing)
    }
}

fn program(session: &mut Session, image: &[Segment], progress: FlashProgress<'_>) -> Result<(), FlashError> {
    let mut loader = session.target().flash_loader();
    image.iter().try_for_each(|segment| loader.add_data(segment.address, &segment.bytes))?;
    let mut options = DownloadOptions::default();
    options.progress = progress;
    options.verify = true;
    loader.commit(session, options)
}

/// Whether the error is in the image, not the chip.
fn is_unsuitable(error: &FlashError) -> bool {
    matches!(
        error,
        FlashError::NoSuitableNvm { .. }
            | FlashError::DataOverlaps { .. }
            | FlashError::NoFlashLoaderAlgorithmAttached { .. }
            | FlashError::NoRamDefined { .. }
    )
}

/// Forwards the progress of programming, and records the current operation.
fn note(event: &ProgressEvent, doing: &Cell<Doing>, progress: &mut dyn FnMut(Progress)) {
    match event {
        ProgressEvent::AddProgressBar { operation, total } => {
            step(*operation).into_iter().for_each(|step| progress(Progress::Planned(step, *total)));
        }
        ProgressEvent::Started(operation) => doing.set(match operation {
            ProgressOperation::Fill => Doing::Preparing,
            ProgressOperation::Erase => Doing::Erasing,
            ProgressOperation::Program => Doing::Programming,
            ProgressOperation::Verify => Doing::Verifying,
        }),
        ProgressEvent::Progress { operation, size, .. } => {
            step(*operation).into_iter().for_each(|step| progress(Progress::Advanced(step, *size)));
        }
        ProgressEvent::Finished(operation) => {
            step(*operation).into_iter().for_each(|step| progress(Progress::Finished(step)));
        }
        ProgressEvent::FlashLayoutReady { .. } | ProgressEvent::Failed(_) | ProgressEvent::DiagnosticMessage { .. } => {
        }
    }
}

/// Reading beforehand is not a step.
fn step(operation: ProgressOperation) -> Option<Step> {
    match operation {
        ProgressOperation::Fill => None,
        ProgressOperation::Erase => Some(Step::Erase),
        ProgressOperation::Program => Some(Step::Program),
        ProgressOperation::Verify => Some(Step::Verify),
    }
}
