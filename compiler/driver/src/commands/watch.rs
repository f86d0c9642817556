//! `clefc watch`: runs a command again whenever the files of a program change.
//!
//! The command is a process of its own, which is ended like one at a terminal. Files are watched by their times and sizes:
//! this works on every file system, and a program has few files.

use crate::{
    cli::{Watch, WatchAction},
    commands::Outcome,
    terminal::Terminal,
};
use clef_base::{Diagnostic, codes};
use clef_host::{
    cleanup::{self, Answer, Guarded},
    user_files::reason,
};
use clef_session::{Session, options::SessionOptions, program};
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, SystemTime},
};

/// The time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(200);

/// The extensions of files that a program is made from.
const EXTENSIONS: [&str; 6] = ["clef", "fs", "toml", "fidproj", "yaml", "yml"];

/// Directories that other tools fill with files.
const FOREIGN: [&str; 2] = ["target", "node_modules"];

/// The most changed files that are named.
const MAX_NAMED: usize = 5;

/// Runs the command until a signal ends us.
pub(crate) fn watch(terminal: Terminal, watch: &Watch) -> Outcome {
    cleanup::answer(Answer::Flag);
    let paths = paths(watch);
    loop {
        let watched = watched(&paths);
        let before = Snapshot::of(&watched);
        let mut child = started(watch)?;
        let changed = loop {
            if cleanup::is_interrupted() {
                child.end();
                return Ok(cleanup::INTERRUPTED);
            }
            if let Some(status) = child.ended() {
                terminal.status(&format!("{status}; waiting for changes"));
            }
            let now = Snapshot::of(&watched);
            if now != before {
                break settled(&watched, now).changes(&before);
            }
            thread::sleep(PAUSE);
        };
        child.end();
        terminal.clear();
        terminal.status(&format!("changed: {}", named(&changed)));
    }
}

/// The command as it was given, in a process.
struct Running {
    child: Guarded,
    is_over: bool,
}

impl Running {
    /// How it ended, once.
    fn ended(&mut self) -> Option<&'static str> {
        if self.is_over {
            return None;
        }
        let status = self.child.child.try_wait().ok().flatten()?;
        self.is_over = true;
        Some(if status.success() { "done" } else { "failed" })
    }

    /// Ends it, if it still runs.
    fn end(&mut self) {
        if !self.is_over {
            self.child.terminate();
        }
    }
}

fn started(watch: &Watch) -> Result<Running, Diagnostic> {
    let unstartable = |error: std::io::Error| {
        let message = format!("cannot start the command: {}", reason(&error));
        Diagnostic::general(codes::NOT_RUNNABLE, message).help("start it without `watch`")
    };
    let clefc = env::current_exe().map_err(unstartable)?;
    let mut command = Command::new(clefc);
    command.args(arguments(env::args_os().skip(1), watch.action.is_some()));
    let child = Guarded::spawn(&mut command, false).map_err(unstartable)?;
    Ok(Running { child, is_over: false })
}

/// Our arguments without the word `watch`; the command is `check` if there is none.
fn arguments(own: impl Iterator<Item = OsString>, has_action: bool) -> Vec<OsString> {
    let mut seen = false;
    let mut rest = Vec::new();
    for argument in own {
        if argument == "watch" && !seen {
            seen = true;
            rest.extend((!has_action).then(|| OsString::from("check")));
        } else {
            rest.push(argument);
        }
    }
    rest
}

/// The paths that the command is for, and the descriptors that it names.
#[derive(Default)]
struct Paths {
    program: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

fn paths(watch: &Watch) -> Paths {
    let (program, descriptors, plan) = match &watch.action {
        None => (&watch.check.program.files, machine(&watch.check.program.machine), None),
        Some(WatchAction::Check(check)) => (&check.program.files, machine(&check.program.machine), None),
        Some(WatchAction::Build(build)) => (&build.program.files, machine(&build.program.machine), None),
        Some(WatchAction::Run(run)) => (&run.program.files, machine(&run.program.machine), None),
        Some(WatchAction::Test(test)) => (&test.paths, test.places.board.clone(), test.plan.clone()),
    };
    let others = descriptors.into_iter().map(PathBuf::from).chain(plan).filter(|path| path.is_file());
    Paths { program: program.clone(), others: others.collect() }
}

fn machine(options: &crate::cli::MachineOptions) -> Vec<String> {
    options.board.iter().chain(&options.target).cloned().collect()
}

/// The files and directories to watch. A program that cannot be read now is watched by the paths that name it.
fn watched(paths: &Paths) -> BTreeSet<PathBuf> {
    let mut session = Session::new(SessionOptions::default(), |_, _| {});
    let (outline, _) = session.collect(|session| program::outline(session, &paths.program));
    let mut found: BTreeSet<PathBuf> = paths.others.iter().cloned().collect();
    let directory = |path: &Path| match path.parent() {
        _ if path.is_dir() => path.to_owned(),
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    };
    if paths.program.is_empty() {
        found.insert(PathBuf::from("."));
    }
    found.extend(paths.program.iter().map(|path| directory(path)));
    for input in outline.into_iter().flat_map(|outline| outline.inputs) {
        found.insert(directory(&input));
        found.insert(input);
    }
    found
}

/// The files that are watched, with their times and sizes.
#[derive(PartialEq, Eq, Debug, Default)]
struct Snapshot(BTreeMap<PathBuf, (Option<SystemTime>, u64)>);

impl Snapshot {
    fn of(watched: &BTreeSet<PathBuf>) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for path in watched {
            match path.is_dir() {
                true => snapshot.directory(path),
                false => snapshot.file(path),
            }
        }
        snapshot
    }

    fn file(&mut self, path: &Path) {
        if let Ok(metadata) = fs::metadata(path) {
            let path = path.strip_prefix(".").unwrap_or(path);
            self.0.insert(path.to_owned(), (metadata.modified().ok(), metadata.len()));
        }
    }

    /// The source files, project files and descriptors in a directory. Links to directories are not followed, since they may
    /// lead back.
    fn directory(&mut self, path: &Path) {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = entry.path();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if name.starts_with('.') || is_directory && FOREIGN.contains(&name.as_ref()) {
                continue;
            }
            if is_directory {
                self.directory(&path);
            } else if path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known)) {
                self.file(&path);
            }
        }
    }

    /// The files that differ.
    fn changes(&self, before: &Snapshot) -> Vec<PathBuf> {
        let is_new = |path: &&PathBuf| before.0.get(*path) != self.0.get(*path);
        let gone = before.0.keys().filter(|path| !self.0.contains_key(*path));
        self.0.keys().filter(is_new).chain(gone).cloned().collect()
    }
}

/// The files when nothing changes any more: editors and version control write several.
fn settled(watched: &BTreeSet<PathBuf>, mut last: Snapshot) -> Snapshot {
    loop {
        thread::sleep(PAUSE / 2);
        let now = Snapshot::of(watched);
        if now == last {
            return now;
        }
        last = now;
    }
}

fn named(paths: &[PathBuf]) -> String {
    let mut names: Vec<String> = paths.iter().take(MAX_NAMED).map(|path| path.display().to_string()).collect();
    if paths.len() > MAX_NAMED {
        names.push(format!("{} more", paths.len() - MAX_NAMED));
    }
    match names.is_empty() {
        // A file was changed back meanwhile.
        true => "a file, and back".to_owned(),
        false => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_command_is_what_follows() {
        let given = |text: &str, has_action| arguments(words(text).into_iter(), has_action);
        assert_eq!(given("--color never watch run a.clef -- watch", true), words("--color never run a.clef -- watch"));
        assert_eq!(given("watch --timings", false), words("check --timings"));
    }

    #[test]
    fn changes_are_seen() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        fs::create_dir(path("inner")).expect("it is writable");
        fs::create_dir(path("target")).expect("it is writable");
        let watched = BTreeSet::from([directory.path().to_owned()]);
        fs::write(path("a.clef"), "1").expect("it is writable");
        let first = Snapshot::of(&watched);
        for ignored in ["notes.txt", ".hidden.clef", "target/b.clef", "image.elf"] {
            fs::write(path(ignored), "text").expect("it is writable");
        }
        assert_eq!(Snapshot::of(&watched), first);
        fs::write(path("inner/c.clef"), "text").expect("it is writable");
        fs::write(path("a.clef"), "12").expect("it is writable");
        let second = Snapshot::of(&watched);
        assert_eq!(second.changes(&first), [path("a.clef"), path("inner/c.clef")]);
        fs::remove_file(path("a.clef")).expect("it is ours");
        assert_eq!(Snapshot::of(&watched).changes(&second), [path("a.clef")]);
    }
}
