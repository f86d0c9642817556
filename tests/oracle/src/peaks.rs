//! The memory use of loops: the peaks of a program at n and at 10 n iterations.
//!
//! In: programs whose loops keep states of bounded size. Out: those for which `--stats` prints more region memory or
//! more stack at ten times the iterations, although the language promises that it does not depend on them. The input
//! sets the number of iterations, so that both runs use one image.

use crate::{
    batch::Batch,
    compiled::{Board, Compiler, Input, OnBoard},
    generate,
    reference::{End, Rejected, check},
    run::{Difference, ESCAPES, Finding, Plan, Summary, levels_of, setting_of, tail},
    tree::{Expr, Kind, Program},
};
use std::{fmt, io, ops::Range};

/// The peak memory use of a run in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peaks {
    /// Of regions.
    pub regions: u64,
    /// Of the stack.
    pub stack: u64,
}

/// Smaller differences are ignored: pages are taken whole, an evacuation begins when a region has grown, and takes
/// stack.
const REGION_SLACK: u64 = 4096;
const STACK_SLACK: u64 = 4096;

impl fmt::Display for Peaks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bytes of regions and {} of stack", self.regions, self.stack)
    }
}

impl Peaks {
    /// The report of a program with `--stats` at its end.
    pub fn of(errors: &str) -> Option<Peaks> {
        let bytes = |what: &str| {
            let line = errors.lines().rev().find(|line| line.starts_with(what) && line.ends_with(" bytes used"))?;
            line[what.len()..].split(' ').next()?.parse().ok()
        };
        // A program that takes nothing from regions does not report them.
        Some(Peaks { regions: bytes("regions: ").unwrap_or(0), stack: bytes("stack: ")? })
    }

    /// Whether `self`, from fewer iterations, shows that memory grows with them.
    fn grow_to(self, more: Peaks) -> bool {
        let beyond = |few: u64, many: u64, slack: u64| many > few + few / 4 + slack;
        beyond(self.regions, more.regions, REGION_SLACK) || beyond(self.stack, more.stack, STACK_SLACK)
    }
}

/// Runs the batch of these programs according to a plan.
pub(crate) fn run_batch(plan: &Plan, compiler: &Compiler, indices: Range<u64>) -> io::Result<Summary> {
    let mut summary = Summary::default();
    let levels = levels_of(plan, indices.start);
    let programs = indices.map(|index| generate::program(plan.seed, index, setting_of(plan, index))).collect();
    let Some(batch) = accepted(programs, &mut summary) else { return Ok(summary) };
    let count = batch.programs.len() as u64;
    summary.compared = count;
    for &board in &plan.boards {
        for level in &levels {
            summary.executions += 2 * count;
            if growth(compiler, &batch, board, level)?.is_none() {
                continue;
            }
            // Growth of all together only indicates that each should be tried alone: the more is alive, the later
            // evacuations begin.
            for program in &batch.programs {
                let alone = Batch::new(vec![program.clone()]);
                summary.executions += 2;
                if let Some(difference) = growth(compiler, &alone, board, level)? {
                    let place = Some((board, level.clone()));
                    summary.findings.push(Finding { programs: alone.programs, place, difference });
                }
            }
        }
    }
    Ok(summary)
}

/// The programs that the front end accepts.
fn accepted(mut programs: Vec<Program>, summary: &mut Summary) -> Option<Batch> {
    loop {
        if programs.is_empty() {
            return None;
        }
        let batch = Batch::new(std::mem::take(&mut programs));
        let Err(rejected) = check(&batch.files, 32) else { return Some(batch) };
        let place = rejected.place.and_then(|place| batch.program_at(place)).unwrap_or(0);
        programs = batch.programs;
        let program = programs.remove(place);
        let Rejected { code, rendered, .. } = rejected;
        match code {
            _ if ESCAPES.contains(&code) => summary.left_out.push((program.index, "a closure escapes".to_owned())),
            _ => {
                let difference = Difference::Rejected(code, rendered);
                summary.findings.push(Finding { programs: vec![program], place: None, difference });
            }
        }
    }
}

/// The growth of memory with the iterations, if it grows.
pub(crate) fn growth(compiler: &Compiler, batch: &Batch, board: Board, level: &str) -> io::Result<Option<Difference>> {
    let scaled = batch.scaled();
    let run = |input| compiler.run(&scaled, board, level, Input { text: input, statistics: true });
    let few = run("")?;
    let Some(fewer) = peaks(&few) else { return Ok(Some(failed(&few))) };
    let many = run("more\n")?;
    let Some(more) = peaks(&many) else { return Ok(Some(failed(&many))) };
    let announced = announced(&few.errors);
    Ok(fewer.grow_to(more).then_some(Difference::Grown { few: fewer, many: more, announced }))
}

fn peaks(ran: &OnBoard) -> Option<Peaks> {
    Peaks::of(&ran.errors).filter(|_| ran.ran.end == End::Status(0))
}

fn failed(ran: &OnBoard) -> Difference {
    match ran.broken {
        true => Difference::Broken(tail(&ran.errors)),
        false => Difference::Stopped(format!("{:?}\n{}", ran.ran.end, tail(&ran.errors))),
    }
}

/// What the compiler reports as unbounded, except the size of what a loop keeps.
fn announced(errors: &str) -> Vec<String> {
    let unbounded =
        |line: &&str| line.starts_with("regions: no bound") && !line.contains("the state that a loop keeps");
    errors.lines().filter(unbounded).map(str::to_owned).collect()
}

/// The number of places in a program that restart a state every few iterations: without them states may grow without
/// bound.
pub(crate) fn renewals(program: &Program) -> usize {
    let mut program = program.clone();
    program.expressions_mut().into_iter().map(renewals_within).sum()
}

fn renewals_within(expr: &mut Expr) -> usize {
    let mut own = false;
    if let Kind::When(condition, body) = &expr.kind {
        own = matches!(body.kind, Kind::Assign(..) | Kind::SetIndex(..)) && is_now_and_then(condition);
    } else if let Kind::If(condition, ..) = &expr.kind {
        own = is_now_and_then(condition);
    }
    usize::from(own) + expr.children_mut().into_iter().map(renewals_within).sum::<usize>()
}

/// `i &&& 3 = 0`, `i % 5 = 0`
fn is_now_and_then(condition: &Expr) -> bool {
    let Kind::Binary("=", left, right) = &condition.kind else { return false };
    let constant = |expr: &Expr| matches!(expr.kind, Kind::Constant(_));
    let Kind::Binary("&&&" | "%", counter, every) = &left.kind else { return false };
    matches!(counter.kind, Kind::Name(_)) && constant(every) && constant(right)
}

#[cfg(test)]
mod tests {
    use super::Peaks;

    #[test]
    fn statistics_are_read() {
        let text = "regions: no bound: x\nregions: 512 of 8160 bytes used\nstack: 96 of 4096 bytes used\n";
        assert_eq!(Peaks::of(text), Some(Peaks { regions: 512, stack: 96 }));
        assert_eq!(Peaks::of("stack: 96 of 4096 bytes used\n"), Some(Peaks { regions: 0, stack: 96 }));
        assert_eq!(Peaks::of("regions: 512 of 8160 bytes used\n"), None);
    }

    #[test]
    fn growth_is_more_than_a_page_or_a_quarter() {
        let peaks = |regions, stack| Peaks { regions, stack };
        assert!(!peaks(1000, 100).grow_to(peaks(5000, 4000)));
        assert!(peaks(1000, 100).grow_to(peaks(10_000, 100)));
        assert!(peaks(1000, 100).grow_to(peaks(1000, 10_000)));
    }
}
