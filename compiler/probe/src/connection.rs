//! A connection of a probe to a chip.
//!
//! In: a probe and a chip. Out: a [`Connection`] to one chip. When it ends, the chip either runs on as if there were no
//! probe, or stays halted.

use crate::{
    chip::other_processor,
    failure::{Doing, Failure},
    list::choose,
    model::{Afterwards, Chip, Permission},
    report::{causes, guarded, is_missing},
};
use probe_rs::{
    MemoryInterface, Permissions, Session,
    probe::{DebugProbeError, DebugProbeSelector, Probe, WireProtocol, list::Lister},
};
use std::{
    net::{SocketAddr, TcpStream},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

/// If a probe does not answer in this time, it is in use or does not work.
const OPENING: Duration = Duration::from_secs(10);

/// The time limit for a processor to halt.
pub(crate) const HALTING: Duration = Duration::from_millis(500);

/// The register that identifies a Cortex-M.
const CPUID: u64 = 0xe000_ed00;

/// A connection of a probe to a chip.
pub struct Connection {
    pub(crate) session: Session,
    pub(crate) chip: String,
}

impl Connection {
    /// Opens the selected probe, or the only one, and connects to the chip without halting it. Holds afterwards: its
    /// processor is of the kind that the chip has.
    pub fn open(selector: Option<&str>, chip: &Chip, permission: Permission) -> Result<Connection, Failure> {
        let (registry, target) = chip.find()?;
        let probe = open(choose(selector)?)?;
        let permissions = match permission {
            Permission::Keep => Permissions::new(),
            Permission::EraseAll => Permissions::new().allow_erase_all(),
        };
        let name = target.name.clone();
        guarded(Doing::Connecting, || {
            let failed = |error: probe_rs::Error| Failure::of(&error, Doing::Connecting, &name);
            let session = probe.attach_with_registry(target, permissions, &registry).map_err(failed)?;
            let mut connection = Connection { session, chip: name.clone() };
            connection.check_processor()?;
            Ok(connection)
        })
    }

    /// Resets the chip, and lets it run.
    pub fn reset(&mut self) -> Result<(), Failure> {
        self.work(Doing::Resetting, |session| session.core(0)?.reset())
    }

    /// Ends the connection.
    pub fn close(mut self, afterwards: Afterwards) -> Result<(), Failure> {
        match afterwards {
            Afterwards::Running => guarded(Doing::Resetting, || {
                drop(self.session);
                Ok(())
            }),
            Afterwards::Halted => {
                self.work(Doing::Running, |session| session.core(0)?.halt(HALTING).map(drop))?;
                // Dropping the session would detach the debugger, and the processor would run on.
                std::mem::forget(self.session);
                Ok(())
            }
        }
    }

    /// Runs an operation on the chip.
    pub(crate) fn work<T>(
        &mut self,
        doing: Doing,
        work: impl FnOnce(&mut Session) -> Result<T, probe_rs::Error>,
    ) -> Result<T, Failure> {
        guarded(doing, || work(&mut self.session).map_err(|error| self.failure(&error, doing)))
    }

    /// Converts an error to a failure: if the chip does not answer any more, the probe is lost.
    pub(crate) fn failure(&mut self, error: &(dyn std::error::Error + 'static), doing: Doing) -> Failure {
        let failure = Failure::of(error, doing, &self.chip);
        if let Failure::Broken { doing, causes } = &failure
            && !self.is_alive()
        {
            return Failure::Lost { doing: *doing, causes: causes.clone() };
        }
        failure
    }

    fn is_alive(&mut self) -> bool {
        self.session.core(0).and_then(|mut core| core.status()).is_ok()
    }

    fn check_processor(&mut self) -> Result<(), Failure> {
        let expected = self.session.target().default_core().core_type;
        if !expected.is_cortex_m() {
            return Ok(());
        }
        let cpuid = self.work(Doing::Connecting, |session| session.core(0)?.read_word_32(CPUID))?;
        match other_processor(expected, cpuid) {
            Some((expected, found)) => Err(Failure::WrongChip { chip: self.chip.clone(), expected, found }),
            None => Ok(()),
        }
    }
}

/// Opens a probe. A separate thread waits for its first answer, because the wait cannot be cancelled.
fn open(selector: DebugProbeSelector) -> Result<Probe, Failure> {
    let name = selector.to_string();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let probe = guarded(Doing::Connecting, || Ok(opened(selector)));
        // There is no receiver after the timeout.
        let _ = sender.send(probe);
    });
    let unopened = |causes| Failure::Unopened { selector: name.clone(), causes };
    match receiver.recv_timeout(OPENING) {
        Ok(Ok(Ok(probe))) => Ok(probe),
        Ok(Ok(Err(error))) if is_missing(&error) || is_deserted(&name) => {
            Err(Failure::ProbeNotFound { selector: name })
        }
        Ok(Ok(Err(error))) => Err(unopened(causes(&error))),
        Ok(Err(failure)) => Err(failure),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            Err(unopened(vec![format!("no response within {} s", OPENING.as_secs())]))
        }
    }
}

/// Whether the selector has an address instead of a serial number, and nothing listens there.
fn is_deserted(selector: &str) -> bool {
    let serial = selector.splitn(3, ':').nth(2).unwrap_or_default();
    serial.parse::<SocketAddr>().is_ok_and(|address| TcpStream::connect_timeout(&address, OPENING).is_err())
}

fn opened(selector: DebugProbeSelector) -> Result<Probe, DebugProbeError> {
    let mut probe = Lister::new().open(selector)?;
    // Some probes do not select one of their two wire protocols themselves.
    probe.select_protocol(WireProtocol::Swd)?;
    Ok(probe)
}
