//! The errors of probe-rs, sorted by what the user can do about them.

use crate::failure::{Doing, Failure};
use probe_rs::{
    Error,
    architecture::arm::ArmError,
    probe::{DebugProbeError, ProbeCreationError},
};
use std::{
    any::Any,
    io, iter,
    panic::{self, AssertUnwindSafe},
};

impl Failure {
    /// Converts an error of probe-rs to a failure.
    pub(crate) fn of(error: &(dyn std::error::Error + 'static), doing: Doing, chip: &str) -> Failure {
        let (causes, chip) = (causes(error), chip.to_owned());
        if chain(error).any(is_protection) {
            Failure::Protected { chip, causes }
        } else if chain(error).any(is_broken_link) {
            Failure::Lost { doing, causes }
        } else if doing == Doing::Connecting && chain(error).any(is_silence) {
            Failure::NoChip { causes }
        } else {
            Failure::Broken { doing, causes }
        }
    }
}

/// Runs an operation of probe-rs, and catches its panics: it asserts some expectations about probes and chips.
pub(crate) fn guarded<T>(doing: Doing, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let cause = format!("unexpected behaviour of the probe or the chip: {}", text(payload.as_ref()));
        Err(Failure::Broken { doing, causes: vec![cause] })
    })
}

fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown reason")
}

/// Messages that only lead to their cause.
const EMPTY_WORDS: [&str; 4] = [
    "An ARM specific error occurred.",
    "The debug probe encountered an error.",
    "An error which is specific to the debug probe in use occurred.",
    "Something during the interaction with the core went wrong",
];

/// The messages of an error and its causes, without repetitions.
pub(crate) fn causes(error: &(dyn std::error::Error + 'static)) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    for cause in chain(error) {
        let text = cause.to_string();
        let is_new = !causes.iter().any(|known| known.contains(&text));
        if is_new && !EMPTY_WORDS.contains(&text.as_str()) {
            causes.push(text);
        }
    }
    causes
}

fn chain<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    iter::successors(Some(error), |error| error.source())
}

fn is_protection(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(ArmError::MissingPermissions(_)))
        || matches!(error.downcast_ref(), Some(Error::MissingPermissions(_)))
}

/// Errors of the operating system come from the cable. Black Magic Probes report them only as text.
fn is_broken_link(error: &(dyn std::error::Error + 'static)) -> bool {
    error.is::<io::Error>()
        || matches!(error.downcast_ref(), Some(DebugProbeError::Usb(_)))
        || error.to_string().starts_with("Probe error ")
}

/// The chip does not answer on the wire.
fn is_silence(error: &(dyn std::error::Error + 'static)) -> bool {
    let arm = error.downcast_ref();
    matches!(
        arm,
        Some(ArmError::NoTargetResponse { .. } | ArmError::NoArmTarget | ArmError::Timeout | ArmError::Dap(_))
    ) || matches!(error.downcast_ref(), Some(DebugProbeError::TargetNotFound))
        || matches!(error.downcast_ref(), Some(Error::Timeout))
}

/// Whether an error of opening a probe means that it is not connected.
pub(crate) fn is_missing(error: &DebugProbeError) -> bool {
    matches!(error, DebugProbeError::ProbeCouldNotBeCreated(ProbeCreationError::NotFound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sorted_by_what_can_be_done() {
        let protection = Error::Arm(ArmError::MissingPermissions("erase_all".to_owned()));
        assert!(matches!(Failure::of(&protection, Doing::Connecting, "x"), Failure::Protected { .. }));
        let cable = Error::Probe(DebugProbeError::Usb(io::ErrorKind::BrokenPipe.into()));
        let lost = Failure::of(&cable, Doing::Programming, "x");
        assert!(matches!(lost, Failure::Lost { doing: Doing::Programming, .. }), "{lost:?}");
        let silence = Error::Probe(DebugProbeError::TargetNotFound);
        assert!(matches!(Failure::of(&silence, Doing::Connecting, "x"), Failure::NoChip { .. }));
        assert!(matches!(Failure::of(&silence, Doing::Running, "x"), Failure::Broken { .. }));
    }

    #[test]
    fn a_panic_is_a_failure() {
        let failure = guarded::<()>(Doing::Erasing, || panic!("too much"));
        let Err(Failure::Broken { doing: Doing::Erasing, causes }) = failure else { panic!("{failure:?}") };
        assert!(causes[0].ends_with("too much"));
    }
}
