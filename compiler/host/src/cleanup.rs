//! What is undone when we end, by ourselves or by a signal: temporary files go, and what we have started ends.
//!
//! Signals that end a process are watched from the first use on. Two kinds of work answer signals themselves ([`Answer`]).

use crate::user_files::reason;
use clef_base::{Diagnostic, codes};
use rustix::process::{Pid, Signal, kill_process_group};
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
};

/// Who answers signals that end a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Answer {
    /// They end us, and what is to be undone is undone.
    End = 0,
    /// A flag is up, which somebody looks at; the second signal ends us with that status.
    Flag = 1,
    /// Somebody else, however many come.
    Other = 2,
}

/// The status with which the second signal ends us where the first is only noted.
pub const INTERRUPTED: u8 = 130;

static ANSWER: AtomicU8 = AtomicU8::new(Answer::End as u8);
static NOTED: AtomicUsize = AtomicUsize::new(0);
static WATCHED: Once = Once::new();
static SPAWNING: Mutex<()> = Mutex::new(());
static UNDONE: Mutex<Undone> = Mutex::new(Undone { paths: Vec::new(), groups: Vec::new() });

/// As long as this is held, no child is started. A child inherits what is open for writing at that moment, until it runs its
/// own program, and the kernel runs no program that is open for writing (`ETXTBSY`).
pub fn no_spawning() -> MutexGuard<'static, ()> {
    SPAWNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What is to be undone.
struct Undone {
    /// Files and directories.
    paths: Vec<PathBuf>,
    /// Groups of processes, by their leaders.
    groups: Vec<Pid>,
}

fn undone() -> MutexGuard<'static, Undone> {
    UNDONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Chooses who answers signals from now on.
pub fn answer(answer: Answer) {
    watch();
    ANSWER.store(answer as u8, Ordering::SeqCst);
}

/// Watches signals that end a process, but for those that whoever has started us wants ignored.
fn watch() {
    WATCHED.call_once(|| {
        let ignored = ignored();
        let watched = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        // Where signals cannot be watched they end us as they are.
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

/// The signals that are ignored, a bit for each.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Ends what we have started, and removes what we have made. Nothing is begun any more, since the list stays locked.
fn undo() {
    let undone = std::mem::ManuallyDrop::new(undone());
    for group in &undone.groups {
        let _ = kill_process_group(*group, Signal::KILL);
    }
    for path in &undone.paths {
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

/// A temporary directory, which goes with this or with us.
pub struct TemporaryDirectory(tempfile::TempDir);

impl TemporaryDirectory {
    /// A directory whose name begins with `clefc-` and that word.
    pub fn new(word: &str) -> Result<TemporaryDirectory, Diagnostic> {
        watch();
        // A signal that comes in between waits for the list.
        let mut undone = undone();
        let made = tempfile::Builder::new().prefix(&format!("clefc-{word}-")).tempdir();
        let made = made.map_err(|error| {
            let message = format!("cannot make a temporary directory: {}", reason(&error));
            Diagnostic::general(codes::NO_TEMPORARY_FILE, message)
                .help("make room in it, or name another by the environment variable TMPDIR")
        })?;
        undone.paths.push(made.path().to_owned());
        Ok(TemporaryDirectory(made))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        undone().paths.retain(|path| path != self.0.path());
    }
}

/// A child that does not outlive its guard; if it leads a group of processes, neither do they.
pub struct Guarded {
    /// The child.
    pub child: Child,
    group: Option<Pid>,
}

impl Guarded {
    /// Starts a command, in a group of its own if that is wanted: then what it starts ends with it, and a terminal's interrupts
    /// come to it through us.
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

impl Drop for Guarded {
    fn drop(&mut self) {
        // Both may have ended already; then there is nothing to do.
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
            undone().groups.retain(|known| *known != group);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
