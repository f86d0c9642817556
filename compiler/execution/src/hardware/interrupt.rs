//! Control C while a probe is in use: flash programming is completed, the run ends normally, and the chip is left as it
//! should be. A second interrupt ends us at once, whatever the state of the chip.

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

/// The status that shells report for a program that the user has interrupted.
pub const STATUS: u8 = cleanup::INTERRUPTED;

/// The watcher of signals; made when a probe is first used.
static WATCH: OnceLock<Watch> = OnceLock::new();

struct Watch {
    /// Set when the user asks us to end.
    flag: Arc<AtomicBool>,
    actions: Vec<SigId>,
}

/// Whether the user asks us to end. From the first call on, interrupts do not end us by themselves.
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

/// The signal that asked us to end while GDB is running; 0 if none did.
static TERMINATION: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// From now on an interrupt is for the program under the debugger; GDB handles it. Other signals end GDB first, and
/// then us.
pub fn leave() {
    for action in WATCH.get().iter().flat_map(|watch| &watch.actions) {
        low_level::unregister(*action);
    }
    cleanup::answer(Answer::Other);
    // Otherwise GDB loses its connection, or outlives us.
    for signal in [SIGHUP, SIGTERM] {
        let _ = flag::register_usize(signal, TERMINATION.clone(), signal as usize);
    }
}

/// The number of the signal that asked us to end while GDB is running.
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

/// Whether the user has interrupted the use of a probe.
pub fn has_come() -> bool {
    WATCH.get().is_some_and(|watch| is_up(&watch.flag))
}

/// Whether the flag is set.
pub(super) fn is_up(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}
