//! `clefc doctor`: checks that clefc works, and says what the tools are for that are not installed.
//!
//! Those tools are optional: clefc compiles without them. For one board its emulator is required.

use crate::{
    cli::Doctor,
    commands::{Outcome, gdb},
};
use clef_base::{Diagnostic, codes, internal::bug};
use clef_descriptors::{Board, Described, Machine, Request, Target};
use clef_execution::{emulator, hardware};
use clef_host::output;
use clef_probe::ProbeInformation;
use clef_session::{Session, machine};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

/// The result of one check.
struct Finding {
    /// What was checked.
    what: String,
    /// What was found, or what is wrong.
    found: Result<String, Diagnostic>,
}

/// Checks everything, or what one board needs; the status is 0 if nothing is wrong.
pub(crate) fn doctor(session: &mut Session, doctor: &Doctor) -> Outcome {
    session.enter("doctor");
    let Wanted { targets, boards } = wanted(session, doctor.board.as_deref())?;
    let mut findings = vec![itself(), code_generator(&targets), temporary_files()];
    findings.extend(emulators(&boards, doctor.board.is_some()));
    findings.extend(probes(&boards));
    findings.extend([debugger(), header_reader()]);
    if doctor.json {
        output::print(&text(&findings))?;
        return Ok(u8::from(findings.iter().any(|finding| finding.found.is_err())));
    }
    let mut faults = Vec::new();
    for Finding { what, found } in findings {
        match found {
            Ok(found) => output::print(&format!("{what}: {found}\n"))?,
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(0) } else { Err(faults) }
}

/// The targets and boards to check.
struct Wanted {
    targets: Vec<Described<Target>>,
    boards: Vec<Board>,
}

/// All targets and boards, or one board and its target.
fn wanted(session: &mut Session, board: Option<&str>) -> Result<Wanted, Vec<Diagnostic>> {
    let mut resolver = session.resolver();
    if let Some(board) = board {
        let Machine { target, board, .. } = resolver.machine(Request::Board(board))?;
        return Ok(Wanted { targets: vec![target], boards: vec![board.value] });
    }
    let mut targets = Vec::new();
    for target in resolver.shipped_targets()? {
        targets.push(resolver.target(&target.name)?);
    }
    Ok(Wanted { targets, boards: resolver.shipped_boards()? })
}

fn itself() -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    Finding {
        what: "clefc".to_owned(),
        found: Ok(format!("{version}, with LLVM {} and {}", clef_mlir::llvm::version(), clef_lld::version())),
    }
}

/// GDB, which only `clefc gdb` needs.
fn debugger() -> Finding {
    let found = gdb::debugger().map_or_else(
        |_| "none; required by `clefc gdb`: `apt install gdb-multiarch`".to_owned(),
        |path| path.display().to_string(),
    );
    Finding { what: "GDB".to_owned(), found: Ok(found) }
}

/// libclang, which only `clefc bind` needs.
fn header_reader() -> Finding {
    let found =
        clef_bind::library().unwrap_or_else(|fault| format!("none; required by `clefc bind`; {}", help(&fault)));
    Finding { what: "libclang".to_owned(), found: Ok(found) }
}

/// Whether code can be generated for all targets.
fn code_generator(targets: &[Described<Target>]) -> Finding {
    let names: Vec<&str> = targets.iter().map(|target| target.value.name.as_str()).collect();
    let wrong = targets.iter().find_map(|target| machine::check_target(target).err());
    Finding { what: "targets".to_owned(), found: wrong.map_or_else(|| Ok(names.join(", ")), Err) }
}

/// Whether temporary files can be made, which the linker needs.
fn temporary_files() -> Finding {
    let found = tempfile::tempdir().map(|_| std::env::temp_dir().display().to_string()).map_err(|error| {
        Diagnostic::general(codes::NO_TEMPORARY_FILE, format!("cannot create a temporary directory: {error}"))
            .help("free space in it, or choose another one with the environment variable TMPDIR")
    });
    Finding { what: "temporary files".to_owned(), found }
}

/// The debug probes, if any of the boards supports one.
fn probes(boards: &[Board]) -> Vec<Finding> {
    if boards.iter().all(|board| board.chip.is_none()) {
        return Vec::new();
    }
    let what = || "debug probe".to_owned();
    let none = |why: &str| vec![Finding { what: what(), found: Ok(why.to_owned()) }];
    let probes = match clef_probe::list() {
        Some(probes) if probes.is_empty() => return none("none connected by USB"),
        Some(probes) => probes,
        // A build without the feature does not need them.
        None => return none("not supported, because the feature `probe` is disabled"),
    };
    let found = |probe: ProbeInformation| match probe.is_permitted {
        true => Ok(format!("{}, {}", probe.selector, probe.name)),
        false => Err(hardware::permission(&probe)),
    };
    probes.into_iter().map(|probe| Finding { what: what(), found: found(probe) }).collect()
}

/// The emulators of the boards, each once. A missing one is a fault only if it is required.
fn emulators(boards: &[Board], required: bool) -> Vec<Finding> {
    let mut found: BTreeMap<String, (Result<PathBuf, Diagnostic>, Vec<&str>)> = BTreeMap::new();
    for board in boards {
        let Some(emulator) = emulator(board) else { continue };
        // A missing program is one finding, whatever boards need it.
        let key = match &emulator {
            Ok(path) => path.display().to_string(),
            Err(fault) => help(fault),
        };
        found.entry(key).or_insert_with(|| (emulator, Vec::new())).1.push(&board.name);
    }
    let finding = |(emulator, boards): (Result<PathBuf, Diagnostic>, Vec<&str>)| {
        let boards = boards.join(", ");
        let found = match emulator {
            Ok(path) => version(&path).map(|version| format!("{}, {version}, for {boards}", path.display())),
            Err(fault) if required => Err(fault.note(format!("required for {boards}"))),
            Err(fault) => {
                Ok(format!("none for {boards}; required by `clefc run`, `test` and `gdb` for them; {}", help(&fault)))
            }
        };
        Finding { what: "emulator".to_owned(), found }
    };
    found.into_values().map(finding).collect()
}

/// What the proposals of a fault say.
fn help(fault: &Diagnostic) -> String {
    fault.proposals.iter().map(|proposal| proposal.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// The first line of a program's `--version` output.
fn version(program: &Path) -> Result<String, Diagnostic> {
    let broken = |reason: String| {
        Diagnostic::general(codes::EMULATOR_MISSING, format!("cannot run `{}`: {reason}", program.display()))
            .help("reinstall it")
    };
    let output = Command::new(program).arg("--version").output().map_err(|error| broken(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().next() {
        Some(line) if output.status.success() => Ok(line.to_owned()),
        Some(_) | None => Err(broken(format!("it exited with {}", output.status))),
    }
}

fn text(findings: &[Finding]) -> String {
    let value = |Finding { what, found }: &Finding| -> Value {
        match found {
            Ok(found) => json!({ "what": what, "good": true, "found": found }),
            Err(fault) => {
                let help: Vec<&str> = fault.proposals.iter().map(|proposal| proposal.message.as_str()).collect();
                json!({ "what": what, "good": false, "code": fault.code.0, "message": fault.message, "notes": fault.notes, "help": help })
            }
        }
    };
    match serde_json::to_string_pretty(&findings.iter().map(value).collect::<Vec<_>>()) {
        Ok(text) => text + "\n",
        Err(error) => bug("doctor", None, format!("findings are always valid JSON: {error}")),
    }
}
