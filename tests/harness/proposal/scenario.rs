//! Scenarios: messages about commands, projects, descriptors, images and boards, followed in a new directory.
//!
//! A section of a document in `proposals/` with a block `command` is a scenario. Its blocks are
//! - `file PATH`: a file;
//! - `command`: lines for `sh`. The last one calls `clefc` and is followed; the others prepare something, and succeed;
//! - `error`: lines `CODE: proposal`, which the diagnostics of the last line must contain. A line `CODE` is for a diagnostic
//!   without proposals, whose page says what to do;
//! - after it, `file PATH` and `command`: what following that leads to, in the same directory. Without `command`, the last line
//!   is called again. If all proposals have edits, the files are what these make of the earlier ones;
//! - `outcome`: `succeeds`, or the code of the first error that the last line leads to then;
//! - `probe`: a simulated micro:bit with its debug probe, whose selector is `$PROBE`. The block may name a fault, which occurs once;
//! - `needs`: the programs that the commands call, one a line; if one is missing, the trial is ignored.

use super::message::{self, Followed, Message, check_outcome, edited};
use crate::{
    compiler::{Call, LONGEST, binary, call},
    phase::{Block, blocks},
    tool,
};
use libtest_mimic::{Failed, Trial};
use probe_sim::{Options, Simulator};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The emulator of the simulated board.
const SIMULATES: &str = "qemu-system-arm";

/// Whether a section is a scenario.
pub(super) fn is_one(section: &str) -> bool {
    blocks(section).iter().any(|block| block.mark == "command")
}

/// The trial of a scenario.
pub(super) fn trial(name: String, section: String) -> Trial {
    let missing = needs(&section).into_iter().find(|program| tool::find(program).is_none());
    let trial = Trial::test(name, move || check(&section));
    match missing {
        Some(missing) => tool::ignored(trial, &missing),
        None => trial,
    }
}

fn needs(section: &str) -> Vec<String> {
    let blocks = blocks(section);
    let listed = blocks.iter().filter(|block| block.mark == "needs").flat_map(|block| block.text.lines());
    let simulates = blocks.iter().any(|block| block.mark == "probe").then_some(SIMULATES);
    listed.chain(simulates).map(str::to_owned).collect()
}

fn check(section: &str) -> Result<(), Failed> {
    let blocks = blocks(section);
    let block = |name: &str| blocks.iter().position(|block| block.mark == name);
    let missing = |name: &str| Failed::from(format!("the scenario has no block `{name}`"));
    let error = block("error").ok_or_else(|| missing("error"))?;
    let outcome = &blocks[block("outcome").ok_or_else(|| missing("outcome"))?];
    let (first, then) = blocks.split_at(error);
    let commands = text(first, "command").ok_or_else(|| missing("command"))?;
    let home = tempfile::tempdir()?;
    let place = Place::new(home.path(), block("probe").map(|index| blocks[index].text.trim()))?;

    place.write(first)?;
    let (before, _) = place.run(commands)?;
    let followed = Followed::of(&blocks[error].text, &before)?;
    place.check_edits(&followed, then)?;
    place.write(then)?;
    let (after, ended) = place.run(text(then, "command").or(commands.lines().last()).unwrap_or_default())?;
    followed.check(&after)?;
    let found = after.iter().find(|message| message.is_error).map(|message| message.code.as_str());
    match (found, ended.status) {
        (None, Some(0)) => check_outcome(&outcome.text, "succeeds", &after),
        (Some(code), _) => check_outcome(&outcome.text, code, &after),
        (None, status) => Err(format!("the end is {status:?}:\n{}", ended.errors).into()),
    }
}

/// The text of the block with a mark.
fn text<'b>(blocks: &'b [Block<'_>], mark: &str) -> Option<&'b str> {
    blocks.iter().find(|block| block.mark == mark).map(|block| block.text.as_str())
}

/// The files of some blocks, with their paths.
fn files<'b>(blocks: &'b [Block<'_>]) -> impl Iterator<Item = (&'b str, &'b str)> {
    blocks.iter().filter_map(|block| Some((block.mark.strip_prefix("file ")?, block.text.as_str())))
}

/// Where a scenario takes place: a directory, and a board if it has one.
struct Place {
    directory: PathBuf,
    /// The path of commands: `clefc` alone, before what else there is.
    path: String,
    board: Option<Simulator>,
}

impl Place {
    /// An empty directory, and a board with the named fault.
    fn new(home: &Path, fault: Option<&str>) -> Result<Place, Failed> {
        let (programs, directory) = (home.join("bin"), home.join("work"));
        fs::create_dir(&programs)?;
        fs::create_dir(&directory)?;
        let clefc = programs.join("clefc");
        let real = fs::canonicalize(binary()?)?;
        fs::write(&clefc, format!("#!/bin/sh\nexec '{}' --message-format json \"$@\"\n", real.display()))?;
        fs::set_permissions(&clefc, fs::Permissions::from_mode(0o755))?;
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
        let start = |fault: &str| -> Result<Simulator, Failed> {
            let fault = if fault.is_empty() { None } else { Some(fault.parse()?) };
            Ok(Simulator::start(&Options { fault, ..Options::microbit() })?)
        };
        Ok(Place { directory, path, board: fault.map(start).transpose()? })
    }

    fn write(&self, blocks: &[Block<'_>]) -> Result<(), Failed> {
        for (name, text) in files(blocks) {
            let path = self.directory.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&self.directory))?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// Runs the lines of a block; returns the diagnostics of the last one, and how it ended.
    fn run(&self, commands: &str) -> Result<(Vec<Message>, Call), Failed> {
        let commands = commands.trim_end();
        let (earlier, last) = commands.rsplit_once('\n').unwrap_or(("", commands));
        let prepared = self.shell(earlier)?;
        if prepared.status != Some(0) {
            let output = String::from_utf8_lossy(&prepared.output);
            return Err(format!("the preparation fails:\n{earlier}\n{output}{}", prepared.errors).into());
        }
        let ended = self.shell(last)?;
        Ok((message::read(&ended.errors)?, ended))
    }

    fn shell(&self, commands: &str) -> Result<Call, Failed> {
        let mut shell = Command::new("sh");
        shell.args(["-ec", commands]).current_dir(&self.directory).env("PATH", &self.path).env("HOME", &self.directory);
        if let Some(board) = &self.board {
            shell.env("PROBE", board.selector());
        }
        call(&mut shell, b"", LONGEST)
    }

    /// The files after following edits are what these make of those before.
    fn check_edits(&self, followed: &Followed<'_>, then: &[Block<'_>]) -> Result<(), Failed> {
        let edits = followed.edits();
        for edit in &edits {
            let before = fs::read_to_string(self.directory.join(&edit.file))?;
            let own = edits.iter().copied().filter(|other| other.file == edit.file);
            let after = files(then).find(|(name, _)| *name == edit.file);
            let (_, after) = after.ok_or_else(|| format!("no block `file {}` follows the edit", edit.file))?;
            clef_golden::compare(after, &edited(&before, own))?;
        }
        Ok(())
    }
}
