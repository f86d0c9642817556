//! Programs on boards: compiled and run by `clefc run`, as a process of this machine or in an emulator. No run may
//! exceed the memory bounds that the compiler reports.

use crate::{
    compiler::{Call, clefc_fed},
    program::Program,
    tool,
};
use clef_base::{Bytes, Diagnostic, SourceMap};
use clef_descriptors::{Board, Console, Machine, Request, Resolver, Run};
use clef_golden::{compare, is_updating};
use libtest_mimic::{Failed, Trial};
use std::path::PathBuf;

/// The boards on which every program runs: one of each family, with and without an operating system.
pub(crate) const BOARDS: [&str; 5] = ["host-linux", "mps2-an386", "microbit", "qemu-virt-aarch64", "qemu-q35"];

/// The boards on which only programs that name them run.
const OTHERS: [&str; 5] = ["lm3s6965evb", "mps2-an505", "netduino2", "netduinoplus2", "linux-aarch64"];

/// The optimisation levels, which alternate over programs and boards.
pub(crate) const LEVELS: [&str; 3] = ["0", "2", "z"];

/// Those of the boards on which all variables of a program fit into the stack.
const ROOMY_LEVELS: [&str; 4] = ["0", "g", "2", "z"];

/// The stack of a roomy board, in bytes.
const ROOMY: Bytes = Bytes(16 * 1024);

/// The time limit of a program in seconds.
pub(crate) const TIMEOUT: &str = "30";

/// The descriptors of the boards: those of [`BOARDS`] first.
pub(crate) fn boards() -> Result<Vec<Machine>, Failed> {
    let mut sources = SourceMap::default();
    let mut resolver = Resolver::new(&mut sources, &|path| std::fs::read_to_string(path));
    let boards = BOARDS.iter().chain(&OTHERS).map(|name| resolver.machine(Request::Board(name)));
    boards.collect::<Result<_, _>>().map_err(|wrong: Vec<Diagnostic>| Failed::from(format!("{wrong:?}")))
}

/// The shipped boards without an emulator.
pub(crate) fn unemulated() -> Result<Vec<Board>, Failed> {
    let mut sources = SourceMap::default();
    let boards = Resolver::new(&mut sources, &|path| std::fs::read_to_string(path)).shipped_boards();
    let boards = boards.map_err(|wrong| Failed::from(format!("{wrong:?}")))?;
    Ok(boards.into_iter().filter(|board| board.run == Run::None).collect())
}

/// The boards on which examples run unless they name others: from two families.
const BOARDS_OF_EXAMPLES: [&str; 2] = ["host-linux", "mps2-an386"];

/// The trials of an example.
pub(crate) fn trials_of_example(index: usize, mut example: Program, boards: &[Machine]) -> Vec<Trial> {
    if example.on_models {
        return Vec::new();
    }
    example.only_boards.get_or_insert_with(|| BOARDS_OF_EXAMPLES.map(str::to_owned).to_vec());
    trials(index, &example, boards)
}

/// The trials of a program on all its boards.
pub(crate) fn trials(index: usize, program: &Program, boards: &[Machine]) -> Vec<Trial> {
    let mut trials = Vec::new();
    let unknown = |name: &&String| !boards.iter().any(|board| board.board.value.name == **name);
    if let Some(name) = program.only_boards.iter().flatten().find(unknown) {
        let message = format!("no program runs on the board `{name}`");
        return vec![Trial::test(format!("{}::{name}", program.name), move || Err(message.into()))];
    }
    for (turn, machine) in boards.iter().enumerate() {
        let board = &machine.board.value;
        let usual = BOARDS.contains(&board.name.as_str());
        let listed = program.only_boards.as_ref().map_or(usual, |only| only.contains(&board.name));
        if !listed || !program.fits_word(machine.target.value.pointer_bits.bits()) {
            continue;
        }
        // Constant stack must hold at every level.
        let all = program.stack.is_some() || std::env::var("LEVELS").is_ok_and(|levels| levels == "all");
        let is_roomy = board.stack >= ROOMY;
        let levels = if is_roomy { &ROOMY_LEVELS[..] } else { &LEVELS };
        let levels = if all { levels } else { std::slice::from_ref(&levels[(index + turn) % levels.len()]) };
        trials.extend(levels.iter().map(|level| trial(program, board, level)));
    }
    trials
}

fn trial(program: &Program, board: &Board, level: &'static str) -> Trial {
    let missing = missing(board);
    let name = format!("{}::{}-O{level}", program.name, board.name);
    let (program, board) = (program.clone(), board.clone());
    let trial = Trial::test(name, move || run(&program, &board, level));
    match missing {
        Some(emulator) => tool::ignored(trial, &emulator),
        None => trial,
    }
}

/// What must be installed to run images of a board and is missing.
pub(crate) fn missing(board: &Board) -> Option<String> {
    let emulator = match &board.run {
        Run::Native => return None,
        Run::Qemu(system) => &system.program,
        Run::QemuUser(user) => &user.program,
        Run::None => return Some("emulator exists".to_owned()),
    };
    tool::find(emulator).is_none().then(|| emulator.clone())
}

fn run(program: &Program, board: &Board, level: &str) -> Result<(), Failed> {
    let descriptor = descriptor(program, board)?;
    let level = format!("-O{level}");
    // At its end a program prints its memory use to standard error; log messages may be interleaved.
    let logs = program.log().exists();
    let how = if logs { ["--log", "plain"].as_slice() } else { &["--stats"] };
    let arguments = ["run", "--board", &descriptor, &level, "--timeout", TIMEOUT, &program.path];
    let mut arguments = [&arguments[..1], how, &arguments[1..]].concat();
    if !program.arguments.is_empty() {
        arguments.push("--");
        arguments.extend(program.arguments.iter().map(String::as_str));
    }
    let call = clefc_fed(&arguments, &program.input, program.feed)?;
    let bounds = || if logs { Ok(()) } else { within_bounds(&call.errors, &program.bounded) };
    let judged = judge(program, board, &call).and_then(|()| bounds());
    judged.map_err(|failed| {
        let message = failed.message().unwrap_or("it differs");
        format!("clefc {}\n{message}\nstandard error:\n{}", arguments.join(" "), call.errors).into()
    })
}

/// The board's name, or the path of a descriptor of it with the program's stack size.
fn descriptor(program: &Program, board: &Board) -> Result<String, Failed> {
    let Some(stack) = program.stack.filter(|_| board.run != Run::Native) else { return Ok(board.name.clone()) };
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-stack-{stack}.yaml", board.name));
    let text = format!(
        "inherits: {}\ndescription: The same with another stack\ntarget: {}\nstack: {stack}\n",
        board.name, board.target
    );
    if std::fs::read_to_string(&path).is_ok_and(|present| present == text) {
        return Ok(path.to_string_lossy().into_owned());
    }
    // Trials run in parallel, so the file is renamed into place.
    let unfinished = path.with_extension(format!("{:?}", std::thread::current().id()));
    std::fs::write(&unfinished, text)?;
    std::fs::rename(unfinished, &path)?;
    Ok(path.to_string_lossy().into_owned())
}

fn judge(program: &Program, board: &Board, call: &Call) -> Result<(), Failed> {
    let output = String::from_utf8_lossy(&call.output).into_owned();
    let expected_output = std::fs::read_to_string(&program.output)?;
    let (output, report) = match board.console {
        Console::Semihosting | Console::Syscalls | Console::Rtt { .. } => (output, last_report(&call.errors)),
        Console::Pl011 { .. }
        | Console::Com { .. }
        | Console::CmsdkUart { .. }
        | Console::Kl25Uart { .. }
        | Console::Uart { .. } => {
            // Both streams may share one wire; then the report follows the output.
            match last_report(&call.errors) {
                None if program.trap.is_some() => take_report(output),
                report => (output, report),
            }
        }
    };
    if !is_updating() {
        compare(&expected_output, &output)?;
    }
    if program.log().exists() && !is_updating() {
        compare(&std::fs::read_to_string(program.log())?, &logged(&call.errors))?;
    }
    match (&program.trap, report) {
        (Some(_), Some(report)) if program.is_expected_trap(&report) => {}
        (Some(trap), report) => return Err(format!("expected the trap `{trap}`, got {report:?}").into()),
        (None, Some(report)) => return Err(format!("unexpected {report}").into()),
        (None, None) => {}
    }
    match call.status {
        Some(status) if status == program.status => Ok(()),
        status => Err(format!("expected status {}, got {status:?}", program.status).into()),
    }
}

/// The lines of the log, which begin with a level.
fn logged(errors: &str) -> String {
    const BEGINNINGS: [&str; 6] = ["TRACE ", "DEBUG ", "INFO  ", "WARN  ", "ERROR ", "log: "];
    let is_logged = |line: &&str| BEGINNINGS.iter().any(|beginning| line.starts_with(beginning));
    errors.lines().filter(is_logged).map(|line| format!("{line}\n")).collect()
}

/// Checks that a program's memory use is within its bounds, if it has any: `stack: at most 1184 of 4096 bytes (…)`,
/// then `stack: 1020 of 4096 bytes used`, and the same for `regions`. The kinds in `bounded` must have one.
pub(crate) fn within_bounds(errors: &str, bounded: &[String]) -> Result<(), Failed> {
    for what in ["stack", "regions"] {
        let bound = said(errors, what).find_map(|line| number(line.strip_prefix("at most ")?));
        match (bound, used(errors, what)) {
            (_, None) => return Err(format!("the program does not report its use of {what}").into()),
            (Some(bound), Some(used)) if used > bound => {
                return Err(format!("it took {used} bytes of {what}, and not {bound}").into());
            }
            (None, Some(_)) if bounded.iter().any(|kind| kind == what) => {
                return Err(format!("the compiler reports no bound of {what}").into());
            }
            (Some(_) | None, Some(_)) => {}
        }
    }
    Ok(())
}

/// The bytes of `stack` or `regions` that a program reports as used.
pub(crate) fn used(errors: &str, what: &str) -> Option<u64> {
    said(errors, what).find_map(|line| number(line.strip_suffix(" bytes used")?))
}

/// The lines about a kind of memory.
fn said<'a>(errors: &'a str, what: &str) -> impl Iterator<Item = &'a str> {
    errors.lines().filter_map(move |line| line.strip_prefix(what)?.strip_prefix(": "))
}

/// The number at the start of a text.
fn number(text: &str) -> Option<u64> {
    text.split_whitespace().next().and_then(|digits| digits.parse().ok())
}

/// The last line that reports a trap.
fn last_report(text: &str) -> Option<String> {
    text.lines().rev().find(|line| line.starts_with("trap: ")).map(str::to_owned)
}

/// Separates the output from the report after it.
fn take_report(output: String) -> (String, Option<String>) {
    match output.rfind("trap: ") {
        Some(start) => (output[..start].to_owned(), output[start..].lines().next().map(str::to_owned)),
        None => (output, None),
    }
}
