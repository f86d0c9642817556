//! What GDB shows of a Clef program: calls through closures, also inlined ones, captures, parameters, variables, unions,
//! lists and text, variables whose regions have ended, module-level values by their names, and the source of the library. It is the same on every family and at a debug probe, apart from addresses.

use super::{Bench, debugger, said_in};
use crate::{ROOT, tool};
use clef_golden::compare_with_file;
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path};

/// The boards, and the emulators that they need.
const BOARDS: [(&str, Option<&str>); 5] = [
    ("host-linux", None),
    ("qemu-q35", Some("qemu-system-x86_64")),
    ("qemu-virt-aarch64", Some("qemu-system-aarch64")),
    ("mps2-an386", Some("qemu-system-arm")),
    ("microbit", Some("qemu-system-arm")),
];

/// A session: the name of its program, of GDB's commands and of what GDB says to them in `debugger/`; where the program
/// stops first; and the level of optimisation.
#[derive(Clone, Copy)]
struct Script {
    name: &'static str,
    stop: &'static str,
    level: &'static str,
}

const SCRIPTS: [Script; 4] = [
    Script { name: "values", stop: "Values.stop", level: "-Og" },
    Script { name: "regions", stop: "Regions.stop", level: "-Og" },
    Script { name: "modules", stop: "Modules.stop", level: "-Og" },
    Script { name: "inlined", stop: "Inlined.stop", level: "-O2" },
];

/// The trials; those that lack something are ignored.
pub(super) fn trials() -> Vec<Trial> {
    let all = SCRIPTS.into_iter().flat_map(|script| {
        let name = script.name;
        let here = BOARDS.map(|(board, emulator)| {
            (Trial::test(format!("gdb::{name}::{board}"), move || shows(script, board, &[])), emulator)
        });
        let at_probe = (Trial::test(format!("gdb::{name}::probe"), move || probe(script)), Some("qemu-system-arm"));
        here.into_iter().chain([at_probe])
    });
    let ready = all.map(|(trial, emulator)| {
        let emulator = emulator.filter(|name| tool::find(name).is_none()).map(str::to_owned);
        match debugger().or(emulator) {
            Some(missing) => tool::ignored(trial, &missing),
            None => trial,
        }
    });
    ready.collect()
}

fn probe(script: Script) -> Result<(), Failed> {
    let bench = Bench::new("")?;
    let selector = bench.simulator.selector();
    shows(script, "microbit", &["--probe", &selector])
}

/// Compares what GDB says to the commands of a script with what it must say.
fn shows(script: Script, board: &str, more: &[&str]) -> Result<(), Failed> {
    let sources = Path::new(ROOT).join("debugger");
    let directory = tempfile::tempdir()?;
    let [program, commands, expected] = ["clef", "gdb", "txt"].map(|kind| format!("{}.{kind}", script.name));
    for name in [&program, &commands] {
        fs::copy(sources.join(name), directory.path().join(name))?;
    }
    let arguments = ["gdb", script.level, "--board", board, "--break", script.stop, &program];
    let (_, said) = said_in(directory.path(), &[&arguments[..], more, &["--", "-batch", "-x", &commands]].concat())?;
    let Some(begin) = said.find("--- ") else { return Err(said.into()) };
    let Some(end) = said.find("--- end") else { return Err(said.into()) };
    let text: String = said[begin..end].lines().filter_map(without_numbers).collect();
    compare_with_file(&sources.join(expected), &text).map_err(Failed::from)
}

/// A line without what differs between boards: addresses, and the numbers of breakpoints; nothing for a line that
/// only says where a breakpoint is.
fn without_numbers(line: &str) -> Option<String> {
    let is_set = line.starts_with("Breakpoint ") || line.starts_with("Hardware assisted breakpoint ");
    if is_set && line.contains(" at 0x") || line.starts_with("Note: automatically using hardware breakpoints") {
        return None;
    }
    let mut parts = line.split("0x");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| format!("0x…{}", part.trim_start_matches(|c: char| c.is_ascii_hexdigit())));
    let line = std::iter::once(first.to_owned()).chain(rest).collect::<String>();
    let line = match line.split_once(", ") {
        Some((breakpoint, place)) if breakpoint.starts_with("Breakpoint ") => format!("Breakpoint, {place}"),
        _ => line,
    };
    Some(line + "\n")
}
