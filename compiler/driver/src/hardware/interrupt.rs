//! Control C while a probe is at work: flash that is being programmed is programmed to its end, the run ends in order, and the
//! chip is left as it should be. A second time it ends us at once, whatever becomes of the chip.

use clef_base::{Diagnostic, codes};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    io,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// What shells report for a program that the user has interrupted.
pub(crate) const STATUS: u8 = 130;

/// Up when the user wants us to end; made when a probe is first used.
static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether the user wants us to end. From the first call on, interrupts do not end us by themselves.
pub(super) fn watch() -> Result<Arc<AtomicBool>, Diagnostic> {
    if let Some(flag) = FLAG.get() {
        return Ok(flag.clone());
    }
    let is_interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        register(signal, &is_interrupted).map_err(|error| {
            Diagnostic::general(codes::RUN_BROKE_OFF, format!("signals cannot be handled: {error}"))
        })?;
    }
    Ok(FLAG.get_or_init(|| is_interrupted).clone())
}

/// From now on an interrupt is for the program that is debugged; GDB sees to it.
pub(crate) fn leave() {
    // Without it, GDB loses what it talks to.
    let _ = flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
}

/// The flag is still down when the first signal comes, so that only the second ends us.
fn register(signal: i32, is_interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    flag::register_conditional_shutdown(signal, i32::from(STATUS), is_interrupted.clone())?;
    flag::register(signal, is_interrupted.clone())?;
    Ok(())
}

/// Whether the user has interrupted work at a probe.
pub(crate) fn has_come() -> bool {
    FLAG.get().is_some_and(|flag| is_up(flag))
}

/// Whether the flag is up.
pub(super) fn is_up(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}
