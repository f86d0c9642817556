//! `clefc completions SHELL`: a script that lets a shell ask clefc for the words that fit at the cursor, and the answers.
//!
//! A shell asks by running clefc with the variable [`ASKED`] in its environment. So its proposals are those of this version
//! of clefc and of this moment: the shipped boards and targets, the connected probes, and files.

use crate::{
    cli::{CommandLine, Completions},
    commands::Outcome,
};
use clap::{Arg, Command, CommandFactory};
use clap_complete::{
    CompleteEnv,
    engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter},
    env::Shells,
};
use clef_base::codes;
use clef_execution::hardware;
use clef_host::{output, say};
use clef_session::{Session, options::SessionOptions};
use std::{
    env,
    ffi::{OsStr, OsString},
    path::Path,
    process::ExitCode,
};

/// The variable by which a shell asks for proposals; its value is the name of the shell.
const ASKED: &str = "CLEFC_COMPLETE";

/// Prints the script.
pub(crate) fn completions(completions: &Completions) -> Outcome {
    let name = completions.shell.to_string();
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(&name) else {
        clef_base::internal::bug("completions", None, format!("there is no script for {name}"))
    };
    let mut script = Vec::new();
    if let Err(error) = shell.write_registration(ASKED, "clefc", "clefc", "clefc", &mut script) {
        clef_base::internal::bug("completions", None, format!("cannot write to memory: {error}"));
    }
    output::print(&String::from_utf8_lossy(&script)).map(|()| 0).map_err(|diagnostic| vec![diagnostic])
}

/// Answers a shell that asks for proposals; nothing if none does.
pub(crate) fn answer_shell(arguments: &[OsString]) -> Option<ExitCode> {
    let asked = CompleteEnv::with_factory(|| completed(CommandLine::command(), "")).var(ASKED).completer("clefc");
    match asked.try_complete(arguments.iter().cloned(), env::current_dir().ok().as_deref()) {
        Ok(false) => None,
        Ok(true) => Some(ExitCode::SUCCESS),
        Err(error) => {
            say(&error.to_string());
            Some(ExitCode::from(crate::USER_ERROR))
        }
    }
}

/// A command and its own commands, with what completes the values of their arguments. `around` is the name of the command
/// that it belongs to.
fn completed(command: Command, around: &str) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|argument| match (argument.get_id().as_str(), name.as_str(), around) {
        ("board", ..) | ("name", "show", "board") => with(argument, boards),
        ("target", ..) | ("name", "show", "target") => with(argument, targets),
        ("probe", ..) => with(argument, probes),
        ("code", "explain", _) => with(argument, explanations),
        ("image", "decode", _) => with(argument, images),
        ("files" | "paths", ..) => with(argument, programs),
        _ => argument,
    });
    command.mut_subcommands(|inner| completed(inner, &name))
}

fn with(argument: Arg, complete: fn(&OsStr) -> Vec<CompletionCandidate>) -> Arg {
    argument.add(ArgValueCompleter::new(complete))
}

fn session() -> Session {
    Session::new(SessionOptions::default(), |_, _| {})
}

/// Those of the names that begin as the word does.
fn beginning(names: impl IntoIterator<Item = String>, word: &OsStr) -> Vec<CompletionCandidate> {
    let word = word.to_string_lossy().into_owned();
    let fits = |name: &String| name.starts_with(&word);
    names.into_iter().filter(fits).map(CompletionCandidate::new).collect()
}

/// Shipped boards, and files that may describe others.
fn boards(word: &OsStr) -> Vec<CompletionCandidate> {
    let shipped = session().resolver().shipped_boards().unwrap_or_default();
    with_descriptors(beginning(shipped.into_iter().map(|board| board.name), word), word)
}

/// Shipped targets, and files that may describe others.
fn targets(word: &OsStr) -> Vec<CompletionCandidate> {
    let shipped = session().resolver().shipped_targets().unwrap_or_default();
    with_descriptors(beginning(shipped.into_iter().map(|target| target.name), word), word)
}

fn with_descriptors(mut names: Vec<CompletionCandidate>, word: &OsStr) -> Vec<CompletionCandidate> {
    // Directories are only proposed where no name fits, so that names stand out.
    if names.is_empty() {
        names = PathCompleter::file().filter(|path| is_one_of(path, &["yaml", "yml"])).complete(word);
    }
    names
}

/// The connected probes.
fn probes(word: &OsStr) -> Vec<CompletionCandidate> {
    let connected = hardware::probes().unwrap_or_default();
    beginning(connected.into_iter().map(|probe| probe.selector), word)
}

/// The codes of diagnostics.
fn explanations(word: &OsStr) -> Vec<CompletionCandidate> {
    beginning(codes::PAGES.iter().map(|(code, _)| code.0.to_owned()), word)
}

/// Source files, project files, finished images, and directories.
fn programs(word: &OsStr) -> Vec<CompletionCandidate> {
    PathCompleter::file().filter(|path| is_one_of(path, &["clef", "fs", "toml", "fidproj", "elf"])).complete(word)
}

/// Finished images, and directories.
fn images(word: &OsStr) -> Vec<CompletionCandidate> {
    PathCompleter::file().filter(|path| is_one_of(path, &["elf"])).complete(word)
}

fn is_one_of(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known))
}
