//! Runs of the oracle: batch after batch on the interpreter and on the boards, and the differences.

use crate::{
    batch::Batch,
    compiled::{BOARDS, Board, Compiler, Input, LEVELS, MACHINE, OnBoard},
    generate::{self, Purpose, Setting},
    ocaml::{self, Judged},
    peaks::{self, Peaks},
    random::Random,
    reference::{End, Ran, Rejected, interpret},
    tree::{Program, Surroundings},
};
use std::{
    fmt, io,
    ops::Range,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of everything.
    pub seed: u64,
    /// The number of the first program.
    pub first: u64,
    /// The number of programs.
    pub count: u64,
    /// The number of programs per image.
    pub batch: u64,
    /// The boards.
    pub boards: Vec<Board>,
    /// The optimisation levels, or alternating ones.
    pub levels: Vec<String>,
    /// The number of levels, if they alternate.
    pub level_count: usize,
    /// The number of batches in parallel.
    pub jobs: usize,
    /// Whether OCaml judges the interpreter.
    pub judged: bool,
    /// What is compared.
    pub purpose: Purpose,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct Summary {
    /// Programs that ran everywhere.
    pub compared: u64,
    /// Runs of programs: on the interpreter one for each, and one on each board at each level.
    pub executions: u64,
    /// Programs that OCaml judged.
    pub judged: u64,
    /// Programs that were skipped, and why.
    pub left_out: Vec<(u64, String)>,
    /// The differences.
    pub findings: Vec<Finding>,
}

/// A program that misbehaves.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The programs of the image; the last is the cause.
    pub programs: Vec<Program>,
    /// Where it differs: a board and an optimisation level; none if the front end rejects it.
    pub place: Option<(Board, String)>,
    /// The difference.
    pub difference: Difference,
}

/// How a program differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The front end rejects it, with this code.
    Rejected(&'static str, String),
    /// The compiler fails.
    Broken(String),
    /// OCaml and the interpreter differ.
    Judged {
        /// With OCaml.
        expected: String,
        /// With the interpreter.
        found: String,
    },
    /// It needs more memory with more iterations.
    Grown {
        /// The peaks with fewer iterations.
        few: Peaks,
        /// The peaks with ten times the iterations.
        many: Peaks,
        /// What the compiler reports as unbounded.
        announced: Vec<String>,
    },
    /// It ends unexpectedly when peaks are compared.
    Stopped(String),
    /// Its output differs.
    Output {
        /// On the interpreter.
        expected: String,
        /// On the board.
        found: String,
    },
}

impl Summary {
    fn add(&mut self, other: Summary) {
        self.compared += other.compared;
        self.executions += other.executions;
        self.judged += other.judged;
        self.left_out.extend(other.left_out);
        self.findings.extend(other.findings);
    }
}

impl Finding {
    /// The number of the program that is the cause.
    pub fn index(&self) -> Option<u64> {
        self.programs.last().map(|program| program.index)
    }
}

/// The stack of a worker thread, which checks programs.
const STACK: usize = 512 << 20;

/// The number of characters shown around a difference.
const SHOWN: usize = 400;

/// The average number of expressions that a program may evaluate on the interpreter.
const FUEL: u64 = 150_000;

/// The number of expressions that some programs may evaluate together; one alone may take more than most.
pub(crate) fn fuel(programs: usize) -> u64 {
    FUEL * programs.max(30) as u64
}

/// The error codes for closures that outlive their captures, or that capture a variable of a sequence: the generator is
/// not exact there, and skips such programs.
pub const ESCAPES: [&str; 2] = ["E0601", "E0421"];

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Rejected(_, errors) => write!(formatter, "the front end rejects it:\n{errors}"),
            Difference::Broken(errors) => write!(formatter, "the compiler fails:\n{errors}"),
            Difference::Judged { expected, found } => {
                write!(formatter, "OCaml writes\n{expected}\nand the interpreter writes\n{found}")
            }
            Difference::Grown { few, many, announced } => {
                write!(formatter, "the peak is {few}, and with ten times the iterations {many}")?;
                announced.iter().try_for_each(|line| write!(formatter, "\n{line}"))
            }
            Difference::Stopped(end) => write!(formatter, "it does not end: {end}"),
            Difference::Output { expected, found } => {
                write!(formatter, "the interpreter writes\n{expected}\nand the board writes\n{found}")
            }
        }
    }
}

/// Runs a plan; `report` is called after each batch; batches of parallel workers end in any order.
pub fn run(plan: &Plan, compiler: &Compiler, mut report: impl FnMut(&Summary)) -> io::Result<Summary> {
    let mut summary = Summary::default();
    let batches = batches(plan);
    let next = AtomicUsize::new(0);
    let (sender, done) = mpsc::channel();
    std::thread::scope(|scope| {
        for worker in 0..plan.jobs.clamp(1, batches.len().max(1)) {
            let (sender, next, batches) = (sender.clone(), &next, &batches);
            let work = move || {
                let compiler = compiler.of_worker(worker);
                while let Some(indices) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ran = compiler.as_ref().map_err(|failure| io::Error::other(failure.to_string()));
                    // The receiver is gone if another batch has failed.
                    if sender.send(ran.and_then(|compiler| run_batch(plan, compiler, indices.clone()))).is_err() {
                        break;
                    }
                }
            };
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        }
        drop(sender);
        for batch in done {
            summary.add(batch?);
            report(&summary);
        }
        summary.findings.sort_by_key(Finding::index);
        summary.left_out.sort();
        Ok(summary)
    })
}

/// The numbers of the programs of each batch. Batches start at multiples of their size, so that a program's neighbours
/// do not depend on where a run starts.
fn batches(plan: &Plan) -> Vec<Range<u64>> {
    let end = plan.first + plan.count;
    let start = |number: u64| (number * plan.batch).max(plan.first);
    (plan.first / plan.batch..end.div_ceil(plan.batch))
        .map(|number| start(number)..start(number + 1).min(end))
        .collect()
}

/// The setting of a program, the same for a whole batch except that the last one may trap, since a trap ends the image.
pub fn setting_of(plan: &Plan, index: u64) -> Setting {
    let mut random = Random::new(plan.seed, u64::MAX / 2 - index / plan.batch);
    let surroundings = match (plan.purpose, random.below(16)) {
        (Purpose::Compare, 10) => Surroundings::Files,
        (Purpose::Compare, 11) => Surroundings::Log,
        (Purpose::Compare, 12 | 13) => Surroundings::Native,
        (_, 14 | 15) => Surroundings::Interrupts,
        _ => Surroundings::Plain,
    };
    // The report of a trap cannot be separated from concurrent log output.
    let is_told = plan.purpose == Purpose::Compare && surroundings != Surroundings::Log;
    let may_trap = is_told && (index + 1).is_multiple_of(plan.batch);
    Setting { purpose: plan.purpose, may_trap, surroundings }
}

/// The levels of the batch of a program, without duplicates.
pub fn levels_of(plan: &Plan, index: u64) -> Vec<String> {
    if !plan.levels.is_empty() {
        return plan.levels.clone();
    }
    let mut random = Random::new(plan.seed, u64::MAX - index / plan.batch);
    let mut levels = LEVELS.map(str::to_owned).to_vec();
    random.shuffle(&mut levels);
    levels.truncate(plan.level_count.max(1));
    levels
}

fn run_batch(plan: &Plan, compiler: &Compiler, indices: Range<u64>) -> io::Result<Summary> {
    if plan.purpose == Purpose::Peaks {
        return peaks::run_batch(plan, compiler, indices);
    }
    let mut summary = Summary::default();
    let levels = levels_of(plan, indices.start);
    let programs = indices.map(|index| generate::program(plan.seed, index, setting_of(plan, index))).collect();
    let Some(sound) = references(programs, &mut summary) else { return Ok(summary) };
    let count = sound.batch.programs.len() as u64;
    summary.compared = count;
    summary.executions = count;
    if plan.judged {
        judge(&sound, compiler, &mut summary)?;
    }
    for (&board, level) in plan.boards.iter().flat_map(|board| levels.iter().map(move |level| (board, level))) {
        let on_board = compiler.run(&sound.batch, board, level, Input::default())?;
        summary.executions += count;
        let Some((place, difference)) = compare(&sound.batch, sound.expected(board), &on_board) else { continue };
        let programs = sound.batch.programs[..=place].to_vec();
        summary.findings.push(Finding { programs, place: Some((board, level.clone())), difference });
    }
    Ok(summary)
}

/// Compares the interpreter, with 32-bit words, with OCaml.
fn judge(sound: &Sound, compiler: &Compiler, summary: &mut Summary) -> io::Result<()> {
    let programs = &sound.batch.programs;
    let modules: Vec<Option<String>> = programs.iter().map(ocaml::module).collect();
    let translated: Vec<Program> = programs
        .iter()
        .zip(&modules)
        .filter(|(_, module)| module.is_some())
        .map(|(program, _)| program.clone())
        .collect();
    let modules: Vec<String> = modules.into_iter().flatten().collect();
    summary.judged = modules.len() as u64;
    let [_, (_, ran)] = &sound.words;
    let seen = sound.batch.parts(&ran.output);
    let seen: Vec<Option<&str>> = programs
        .iter()
        .zip(seen)
        .filter(|(program, _)| translated.iter().any(|other| other.index == program.index))
        .map(|(_, part)| part)
        .collect();
    let found = |programs: Vec<Program>, expected: String, found: String| Finding {
        programs,
        place: None,
        difference: Difference::Judged { expected, found },
    };
    match ocaml::run(&modules, compiler.directory())? {
        Judged::Failed(errors) => {
            summary.findings.push(found(translated, errors, "(OCaml fails)".to_owned()));
        }
        Judged::Wrote(output) => {
            let batch = Batch::unprinted(translated);
            for (place, (wanted, got)) in batch.parts(&output).into_iter().zip(seen).enumerate() {
                // Output between two programs belongs to neither.
                let (wanted, got) = (wanted.unwrap_or_default().trim_end(), got.unwrap_or_default().trim_end());
                if wanted != got {
                    let program = vec![batch.programs[place].clone()];
                    let [wanted, got] = around(wanted, got);
                    summary.findings.push(found(program, wanted, got));
                }
            }
        }
    }
    Ok(())
}

/// The first difference between OCaml and the interpreter, if the program has a translation.
pub(crate) fn judged(programs: &[Program], ran: &Ran, compiler: &Compiler) -> io::Result<Option<Difference>> {
    let [program] = programs else { return Ok(None) };
    let Some(module) = ocaml::module(program) else { return Ok(None) };
    let batch = Batch::unprinted(programs.to_vec());
    let Judged::Wrote(output) = ocaml::run(&[module], compiler.directory())? else { return Ok(None) };
    let part = |output: &str| batch.parts(output)[0].unwrap_or_default().trim_end().to_owned();
    let (expected, found) = (part(&output), part(&ran.output));
    Ok((expected != found).then_some(Difference::Judged { expected, found }))
}

/// A batch that the interpreter runs, with its outcome at each word size.
struct Sound {
    batch: Batch,
    words: [(u32, Ran); 2],
}

impl Sound {
    fn expected(&self, board: Board) -> &Ran {
        let [(bits, ran), (_, other)] = &self.words;
        if *bits == board.word_bits { ran } else { other }
    }
}

/// Runs programs on the interpreter; removes those that cannot take part, until the rest runs.
fn references(mut programs: Vec<Program>, summary: &mut Summary) -> Option<Sound> {
    loop {
        if programs.is_empty() {
            return None;
        }
        let batch = Batch::new(std::mem::take(&mut programs));
        let fuel = fuel(batch.programs.len());
        let ran = [64, 32].map(|bits| (bits, interpret(&batch.files, bits, fuel)));
        let wrong = ran.iter().find_map(|(_, ran)| unsuitable(&batch, ran));
        match (wrong, ran) {
            (None, [(_, Ok(wide)), (_, Ok(narrow))]) => {
                return Some(Sound { batch, words: [(64, wide), (32, narrow)] });
            }
            (Some((place, why)), _) => {
                programs = batch.programs;
                let program = programs.remove(place);
                match why {
                    Unsuitable::Rejected(rejected) if !ESCAPES.contains(&rejected.code) => {
                        summary.findings.push(Finding {
                            programs: vec![program],
                            place: None,
                            difference: Difference::Rejected(rejected.code, rejected.rendered),
                        })
                    }
                    Unsuitable::Ended(End::Broken(message)) => summary.findings.push(Finding {
                        programs: vec![program],
                        place: None,
                        difference: Difference::Broken(message),
                    }),
                    Unsuitable::Rejected(_) => summary.left_out.push((program.index, "a closure escapes".to_owned())),
                    Unsuitable::Ended(end) => summary.left_out.push((program.index, format!("it ends with {end:?}"))),
                }
            }
            (None, _) => return None,
        }
    }
}

enum Unsuitable {
    Rejected(Rejected),
    Ended(End),
}

/// The index of the first program that cannot take part, and why.
fn unsuitable(batch: &Batch, ran: &Result<Ran, Rejected>) -> Option<(usize, Unsuitable)> {
    match ran {
        Err(rejected) => {
            let place = rejected.place.and_then(|place| batch.program_at(place)).unwrap_or(0);
            Some((place, Unsuitable::Rejected(rejected.clone())))
        }
        Ok(Ran { output, end, .. }) => {
            let started = batch.parts(output).iter().flatten().count().saturating_sub(1);
            let is_last = started + 1 == batch.programs.len();
            match end {
                End::Status(0) => None,
                End::Trap(_) if is_last && batch.programs[started].may_trap => None,
                End::Trap(_) | End::Status(_) | End::Never | End::Broken(_) => {
                    Some((started, Unsuitable::Ended(end.clone())))
                }
            }
        }
    }
}

/// The index of the first program that behaves differently on a board, and the difference.
pub(crate) fn compare(batch: &Batch, expected: &Ran, found: &OnBoard) -> Option<(usize, Difference)> {
    let last = batch.programs.len() - 1;
    if found.broken {
        return Some((last, Difference::Broken(tail(&found.errors))));
    }
    if *expected == found.ran {
        return None;
    }
    if expected.output == found.ran.output && expected.end == found.ran.end {
        let [expected, found] = around(&expected.log, &found.ran.log);
        return Some((last, Difference::Output { expected, found }));
    }
    let (wanted, got) = (batch.parts(&expected.output), batch.parts(&found.ran.output));
    let place = wanted.iter().zip(&got).position(|(wanted, got)| wanted != got).unwrap_or(last);
    let part = |parts: &[Option<&str>], ran: &Ran| {
        let end = if place == last { format!("\n{:?}", ran.end) } else { String::new() };
        parts[place].unwrap_or("(it does not start)").to_owned() + &end
    };
    let mut seen = part(&got, &found.ran);
    // Where the run stopped follows from its end.
    if got[place].is_none() || got[place + 1..].iter().all(Option::is_none) {
        seen = format!("{seen}\n{:?}\n{}", found.ran.end, tail(&found.errors));
    }
    let [expected, found] = around(&part(&wanted, expected), &seen);
    Some((place, Difference::Output { expected, found }))
}

/// Two texts from shortly before their first difference; at most a few lines of each.
fn around(one: &str, other: &str) -> [String; 2] {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    [one, other].map(|text| {
        let floor = |place: usize| (0..=place.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let (start, end) = (floor(same.saturating_sub(SHOWN / 2)), floor(same + SHOWN));
        let before = if start > 0 { "… " } else { "" };
        let after = if end < text.len() { " …" } else { "" };
        format!("{before}{}{after}", &text[start..end])
    })
}

/// The last lines of a text, after any warnings.
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

/// The machine that runs Core and the boards with these names, or all; `interpreter` always runs, and selects none.
pub fn boards(names: &[String]) -> Result<Vec<Board>, String> {
    let all: Vec<Board> = [MACHINE].into_iter().chain(BOARDS).collect();
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| all.iter().copied().find(|board| board.name == name);
    let known = || all.iter().map(|board| board.name).collect::<Vec<_>>().join(", ");
    names
        .iter()
        .filter(|name| *name != "interpreter")
        .map(|name| find(name).ok_or_else(|| format!("unknown board `{name}`; there are {}", known())))
        .collect()
}
