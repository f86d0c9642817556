//! Cleanup when we exit, normally or by a signal: temporary files are removed, and child processes are ended.
//!
//! Signals that end a process are watched from the first use on. Two kinds of work handle signals themselves
//! ([`Answer`]).

use crate::user_files::reason;
use clef_base::{Diagnostic, codes};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level,
};
use std::{
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{self, Child, Command},
    sync::{
        Mutex, MutexGuard, Once,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How signals that end a process are handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Answer {
    /// They end us, after cleanup.
    End = 0,
    /// The first sets a flag that the work polls; the second ends us with status [`INTERRUPTED`].
    Flag = 1,
    /// They are handled elsewhere, however many come.
    Other = 2,
}

/// The exit status after a second signal, if the first only sets a flag.
pub const INTERRUPTED: u8 = 130;

/// How long a child that is asked to end may take.
const PATIENCE: Duration = Duration::from_secs(5);

static ANSWER: AtomicU8 = AtomicU8::new(Answer::End as u8);
static NOTED: AtomicUsize = AtomicUsize::new(0);
static WATCHED: Once = Once::new();
static SPAWNING: Mutex<()> = Mutex::new(());
static UNDONE: Mutex<Undone> = Mutex::new(Undone { paths: Vec::new(), groups: Vec::new() });

/// While this is held, no child is started. A child inherits files that are open for writing at that moment, until it
/// executes its own program, and the kernel executes no program that is open for writing (`ETXTBSY`).
pub fn no_spawning() -> MutexGuard<'static, ()> {
    SPAWNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What to clean up.
struct Undone {
    /// Files and directories.
    paths: Vec<PathBuf>,
    /// Process groups, by their leaders.
    groups: Vec<Pid>,
}

fn undone() -> MutexGuard<'static, Undone> {
    UNDONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Sets how signals are handled from now on.
pub fn answer(answer: Answer) {
    watch();
    ANSWER.store(answer as u8, Ordering::SeqCst);
}

/// Whether a signal has come that only sets a flag.
pub fn is_interrupted() -> bool {
    NOTED.load(Ordering::SeqCst) > 0
}

/// Forgets signals that have set the flag, so that the next one sets it again.
pub fn forget_interrupts() {
    NOTED.store(0, Ordering::SeqCst);
}

/// Watches signals that end a process, except those that our parent process ignores.
fn watch() {
    WATCHED.call_once(|| {
        let ignored = ignored();
        let watched = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        // If signals cannot be watched, they end us without cleanup.
        let Ok(mut signals) = Signals::new(watched) else { return };
        thread::spawn(move || {
            for signal in signals.forever() {
                let answer = ANSWER.load(Ordering::SeqCst);
                if answer == Answer::End as u8 {
                    undo();
                    let _ = low_level::emulate_default_handler(signal);
                } else if answer == Answer::Flag as u8 && NOTED.fetch_add(1, Ordering::SeqCst) > 0 {
                    undo();
                    process::exit(INTERRUPTED.into());
                }
            }
        });
    });
}

/// The ignored signals, one bit each.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Ends child processes, and removes temporary files. Nothing new can start, since the list stays locked.
fn undo() {
    let undone = std::mem::ManuallyDrop::new(undone());
    for group in &undone.groups {
        let _ = kill_process_group(*group, Signal::KILL);
    }
    for path in &undone.paths {
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

/// A temporary directory, which is removed when this is dropped or we exit.
pub struct TemporaryDirectory(tempfile::TempDir);

impl TemporaryDirectory {
    /// A directory whose name begins with `clefc-` and `word`.
    pub fn new(word: &str) -> Result<TemporaryDirectory, Diagnostic> {
        watch();
        // A signal meanwhile waits for the list.
        let mut undone = undone();
        let made = tempfile::Builder::new().prefix(&format!("clefc-{word}-")).tempdir();
        let made = made.map_err(|error| {
            let message = format!("cannot create a temporary directory: {}", reason(&error));
            Diagnostic::general(codes::NO_TEMPORARY_FILE, message)
                .help("free space in it, or choose another one with the environment variable TMPDIR")
        })?;
        undone.paths.push(made.path().to_owned());
        Ok(TemporaryDirectory(made))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        undone().paths.retain(|path| path != self.0.path());
    }
}

/// A child that does not outlive its guard; if it leads a process group, neither does the group.
pub struct Guarded {
    /// The child.
    pub child: Child,
    group: Option<Pid>,
}

impl Guarded {
    /// Starts a command, in a process group of its own if `leads`: then its descendants end with it, and it receives a
    /// terminal's interrupts only through us.
    pub fn spawn(command: &mut Command, leads: bool) -> std::io::Result<Guarded> {
        watch();
        if leads {
            command.process_group(0);
        }
        let _spawning = no_spawning();
        let mut undone = undone();
        let child = command.spawn()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).filter(|_| leads);
        undone.groups.extend(group);
        Ok(Guarded { child, group })
    }
}

impl Guarded {
    /// Asks the child to end, as a terminal does, and waits until it has. One that does not is killed.
    pub fn terminate(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let start = Instant::now();
        while start.elapsed() < PATIENCE && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // Both may have ended already, so errors are ignored.
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
            undone().groups.retain(|known| *known != group);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
