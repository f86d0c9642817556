//! Control C while a probe is at work: flash that is being programmed is programmed to its end, the run ends in order, and the
//! chip is left as it should be. A second time it ends us at once, whatever becomes of the chip.

use clef_base::{Diagnostic, codes};
use clef_host::cleanup::{self, Answer};
use signal_hook::{
    SigId,
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag, low_level,
};
use std::{
    io,
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// What shells report for a program that the user has interrupted.
pub const STATUS: u8 = cleanup::INTERRUPTED;

/// What watches signals; made when a probe is first used.
static WATCH: OnceLock<Watch> = OnceLock::new();

struct Watch {
    /// Up when the user wants us to end.
    flag: Arc<AtomicBool>,
    actions: Vec<SigId>,
}

/// Whether the user wants us to end. From the first call on, interrupts do not end us by themselves.
pub(super) fn watch() -> Result<Arc<AtomicBool>, Diagnostic> {
    if let Some(watch) = WATCH.get() {
        return Ok(watch.flag.clone());
    }
    cleanup::answer(Answer::Flag);
    let mut watch = Watch { flag: Arc::new(AtomicBool::new(false)), actions: Vec::new() };
    for signal in [SIGINT, SIGTERM] {
        watch.register(signal).map_err(|error| {
            Diagnostic::general(codes::RUN_BROKE_OFF, format!("signals cannot be handled: {error}"))
        })?;
    }
    Ok(WATCH.get_or_init(|| watch).flag.clone())
}

/// The signal that asks us to end while GDB is at work; 0 if none does.
static TERMINATION: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// From now on an interrupt is for the program that is debugged; GDB sees to it. Other signals end GDB first, and then us.
pub fn leave() {
    for action in WATCH.get().iter().flat_map(|watch| &watch.actions) {
        low_level::unregister(*action);
    }
    cleanup::answer(Answer::Other);
    // Without them, GDB loses what it talks to, or stays when we are gone.
    for signal in [SIGHUP, SIGTERM] {
        let _ = flag::register_usize(signal, TERMINATION.clone(), signal as usize);
    }
}

/// The number of the signal that asks us to end while GDB is at work.
pub fn termination() -> Option<u8> {
    u8::try_from(TERMINATION.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
}

impl Watch {
    /// The second signal ends us ([`Answer::Flag`]).
    fn register(&mut self, signal: i32) -> io::Result<()> {
        self.actions.push(flag::register(signal, self.flag.clone())?);
        Ok(())
    }
}

/// Whether the user has interrupted work at a probe.
pub fn has_come() -> bool {
    WATCH.get().is_some_and(|watch| is_up(&watch.flag))
}

/// Whether the flag is up.
pub(super) fn is_up(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}
