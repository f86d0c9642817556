//! `oracle`: runs generated programs on the reference interpreter and on boards, and reports differences.

use clap::Parser;
use clef_oracle::{
    batch::Batch,
    compiled::{Compiler, MACHINE},
    generate::Purpose,
    minimise::minimise,
    ocaml,
    run::{Difference, Finding, Plan, Summary, boards, run, setting_of},
};
use std::{
    io::{self, Write},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

/// Compares generated programs on the reference interpreter, on this machine, on a Cortex-M4 and on AArch64
#[derive(Parser, Debug)]
#[command(name = "oracle")]
struct CommandLine {
    /// The seed of all programs [default: from the clock]
    #[arg(long)]
    seed: Option<u64>,
    /// The number of the first program
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The number of programs
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The number of programs per image
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// The boards, or only the `interpreter` [default: all]
    #[arg(long, value_name = "BOARD", value_delimiter = ',')]
    on: Vec<String>,
    /// The number of parallel batches [default: the number of processors]
    #[arg(long)]
    jobs: Option<usize>,
    /// The optimisation levels [default: varying]
    #[arg(long, value_delimiter = ',', value_parser = ["0", "1", "2", "3", "s", "z"])]
    level: Vec<String>,
    /// The number of levels per program, if they vary
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=6))]
    levels: u8,
    /// Compares the peak memory of loops with that of ten times the iterations
    #[arg(long)]
    peaks: bool,
    /// Does not compare the interpreter with OCaml, which is the default if OCaml is installed
    #[arg(long)]
    no_judge: bool,
    /// Minimises the programs that differ
    #[arg(long, alias = "minimize")]
    minimise: bool,
    /// Prints the programs instead of running them
    #[arg(long)]
    print: bool,
    /// The compiler
    #[arg(long, env = "CLEFC", value_name = "PATH", default_value = "target/debug/clefc")]
    clefc: PathBuf,
    /// The directory of files
    #[arg(long, value_name = "PATH", default_value = "target/oracle")]
    directory: PathBuf,
}

fn main() -> ExitCode {
    let line = CommandLine::parse();
    match oracle(&line) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("oracle: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether nothing differs.
fn oracle(line: &CommandLine) -> Result<bool, String> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let seed = line.seed.unwrap_or(clock);
    let mut boards = boards(&line.on)?;
    if line.peaks {
        // Only images measure their memory.
        boards.retain(|board| *board != MACHINE);
        if boards.is_empty() {
            return Err("`--peaks` compares images: name a board with `--on`".to_owned());
        }
    }
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let plan = Plan {
        seed,
        first: line.first,
        count: line.count,
        batch: line.batch,
        boards,
        levels: line.level.clone(),
        level_count: line.levels.into(),
        jobs: line.jobs.unwrap_or_else(processors),
        judged: !line.no_judge && !line.peaks && ocaml::is_there(),
        purpose: if line.peaks { Purpose::Peaks } else { Purpose::Compare },
    };
    if line.print {
        return print(&plan).map(|()| true).map_err(|error| error.to_string());
    }
    let failed = |error: io::Error| error.to_string();
    let compiler = Compiler::new(&line.clefc, &line.directory).map_err(failed)?;
    let names: Vec<&str> = plan.boards.iter().map(|board| board.name).collect();
    let judge = if plan.judged { ", judged by OCaml" } else { "" };
    let interpreter = if line.peaks { "memory of".to_owned() } else { format!("on the interpreter{judge},") };
    println!("seed {seed}: {} programs {interpreter} {}", plan.count, names.join(", "));
    io::stdout().flush().map_err(failed)?;
    let start = Instant::now();
    let mut shown = 0;
    let summary = run(&plan, &compiler, |summary| {
        for finding in &summary.findings[shown..] {
            println!("{}", described(&plan, finding));
        }
        shown = summary.findings.len();
        let done = summary.compared + summary.left_out.len() as u64;
        let found = summary.findings.len();
        eprintln!("{done} of {}, {found} mismatches, {:.0} s", plan.count, start.elapsed().as_secs_f64());
    })
    .map_err(failed)?;
    for (index, why) in &summary.left_out {
        println!("left out: program {index}, because {why}");
    }
    if line.minimise {
        for (number, finding) in summary.findings.iter().enumerate() {
            write_minimised(&compiler, finding, &line.directory, number).map_err(failed)?;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{}, {:.1} programs/s", summed_up(seed, &summary), summary.compared as f64 / seconds.max(0.001));
    Ok(summary.findings.is_empty())
}

fn print(plan: &Plan) -> io::Result<()> {
    let numbers = plan.first..plan.first + plan.count;
    let programs = numbers.map(|index| clef_oracle::generate::program(plan.seed, index, setting_of(plan, index)));
    io::stdout().write_all(Batch::new(programs.collect()).text().as_bytes())
}

fn summed_up(seed: u64, summary: &Summary) -> String {
    let Summary { compared, executions, judged, left_out, findings } = summary;
    let found = if findings.is_empty() { "no mismatch".to_owned() } else { format!("{} mismatches", findings.len()) };
    let left_out = left_out.len();
    let judged = format!("{judged} judged by OCaml");
    format!(
        "seed {seed}: {compared} programs compared in {executions} executions, {judged}, {left_out} left out, {found}"
    )
}

/// A finding with the command that reproduces it.
fn described(plan: &Plan, finding: &Finding) -> String {
    let Some(program) = finding.programs.last() else { return String::new() };
    let (place, on) = match &finding.place {
        Some((board, level)) => {
            (format!("on {} at -O{level}", board.name), format!(" --on {} --level {level}", board.name))
        }
        None if matches!(finding.difference, Difference::Judged { .. }) => {
            ("on the interpreter".to_owned(), String::new())
        }
        None => ("in the front end".to_owned(), String::new()),
    };
    let (seed, batch, index) = (plan.seed, plan.batch, program.index);
    let peaks = if plan.purpose == Purpose::Peaks { " --peaks" } else { "" };
    let of = |first: u64, count: u64, minimise: &str| {
        format!("cargo xtask oracle{peaks} --seed {seed} --batch {batch} --first {first} --count {count}{on}{minimise}")
    };
    let image = plan.first + (index - plan.first) / batch * batch;
    let (alone, among_others) = (of(index, 1, " --minimise"), of(image, batch, ""));
    format!(
        "program {index} differs {place}: {}\n    {alone}\nor, if it differs only beside the other programs of its image:\n    {among_others}",
        finding.difference
    )
}

fn write_minimised(compiler: &Compiler, finding: &Finding, directory: &Path, number: usize) -> io::Result<()> {
    let least = minimise(finding, compiler)?;
    let directory = directory.join(format!("minimised{number}"));
    std::fs::create_dir_all(&directory)?;
    let compiled = Batch::new(least.programs).write(&directory)?;
    println!("minimised: {}\n{}", directory.join(compiled).display(), least.difference);
    Ok(())
}
