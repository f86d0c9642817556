//! Measures the time and the memory of the compiler with the length of a program.
//!
//! The programs are generated, so that they are always the same. Times are of the processor, as `--timings` reports them.

use super::{DIRECTORY, make_directory, write};
use crate::{Failure, toolchain::root};
use std::{
    ffi::OsString,
    fmt::Write,
    path::Path,
    process::{Command, Stdio},
};

/// The lengths of the programs, which show whether the time grows linearly.
const LINES: [usize; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];

/// Each time is the best of this many runs, for programs up to `REPEATED` lines.
const RUNS: usize = 3;
const REPEATED: usize = 10_000;

/// What the compiler does with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// The front end alone.
    Check,
    Unoptimised,
    /// The level that is used where none is asked for.
    Optimised,
}

impl Work {
    pub(crate) const ALL: [Work; 3] = [Work::Check, Work::Unoptimised, Work::Optimised];

    pub(crate) fn key(self) -> &'static str {
        match self {
            Work::Check => "check",
            Work::Unoptimised => "-O0",
            Work::Optimised => "default level",
        }
    }
}

/// What the compiler needed for a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Build {
    pub(crate) lines: usize,
    pub(crate) work: Work,
    pub(crate) seconds: f64,
    /// Peak memory.
    pub(crate) bytes: u64,
}

/// Compiles programs of every length.
pub(crate) fn measured(clefc: &Path) -> Result<Vec<Build>, Failure> {
    let directory = root().join(DIRECTORY).join("compiler");
    make_directory(&directory)?;
    let mut builds = Vec::new();
    for lines in LINES {
        let source = directory.join(format!("lines{lines}.clef"));
        write(&source, &program(lines))?;
        for work in Work::ALL {
            eprintln!("compiler: {lines} lines, {}", work.key());
            builds.push(best(clefc, &source, lines, work)?);
        }
    }
    Ok(builds)
}

/// The fastest of some runs.
fn best(clefc: &Path, source: &Path, lines: usize, work: Work) -> Result<Build, Failure> {
    let runs = if lines > REPEATED { 1 } else { RUNS };
    let mut best: Option<Build> = None;
    for _ in 0..runs {
        let (seconds, bytes) = once(clefc, &[source.into()], &source.with_extension("elf"), work)?;
        if best.as_ref().is_none_or(|best| seconds < best.seconds) {
            best = Some(Build { lines, work, seconds, bytes });
        }
    }
    best.ok_or_else(|| "the compiler was not run".to_owned())
}

/// The seconds and the peak memory of a run. The program is its files, and other arguments that belong to it.
pub(crate) fn once(clefc: &Path, program: &[OsString], product: &Path, work: Work) -> Result<(f64, u64), Failure> {
    let mut command = Command::new(clefc);
    match work {
        Work::Check => command.arg("check"),
        Work::Unoptimised => command.arg("-O0"),
        Work::Optimised => &mut command,
    };
    if work != Work::Check {
        command.arg("-o").arg(product);
    }
    command.args(["--timings", "--message-format", "json"]).args(program).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("cannot start `{}`: {error}", clefc.display()))?;
    let text = String::from_utf8_lossy(&output.stderr);
    timings(&text).filter(|_| output.status.success()).ok_or_else(|| format!("clefc fails ({}): {text}", output.status))
}

/// The seconds of all steps and the peak memory, in the line of `--timings`.
fn timings(text: &str) -> Option<(f64, u64)> {
    let line = text.lines().find(|line| line.contains(r#""reason":"timings""#))?;
    let numbers = |key: &str| -> Vec<f64> {
        let number = |rest: &str| rest.split([',', '}']).next()?.parse().ok();
        line.split(key).skip(1).filter_map(number).collect()
    };
    let peak = numbers(r#""bytes":"#).into_iter().fold(0.0, f64::max);
    Some((numbers(r#""seconds":"#).into_iter().sum(), peak as u64))
}

/// How many modules share their types, and how many are called in a line.
const SHARING: usize = 8;

/// A program of about this many lines: records, unions, matches, lists and closures, in functions that all are called.
fn program(lines: usize) -> String {
    let mut text = String::new();
    let (mut written, mut units) = (0, 0);
    while written + units / SHARING + 2 < lines {
        let group = (units / SHARING).to_string();
        for part in if units % SHARING == 0 { &[TYPES, UNIT][..] } else { &[UNIT] } {
            text += &part.replace("{group}", &group).replace("{unit}", &units.to_string());
            written += part.lines().count();
        }
        units += 1;
    }
    text += "let mutable total = 0\n";
    for start in (0..units).step_by(SHARING) {
        let calls = (start..units.min(start + SHARING)).map(|unit| format!("Unit{unit}.work total"));
        let _ = writeln!(text, "total <- {}", calls.collect::<Vec<_>>().join(" + "));
    }
    text + "printfn \"%d\" total\n"
}

/// The types of a group of modules.
const TYPES: &str = "\
module Types{group} =
    type Event{group} = Started | Moved of dx: int * dy: int | Stopped of reason: int

    type State{group} = { Count: int; Sum: int; Last: int }

";

/// A module.
const UNIT: &str = "\
module Unit{unit} =
    open Types{group}

    let step state event =
        match event with
        | Started -> { state with Count = state.Count + 1 }
        | Moved (dx, dy) when dx > dy -> { state with Sum = state.Sum + dx - dy }
        | Moved (dx, dy) -> { state with Sum = (state.Sum ^^^ (dx * 3 + dy)) &&& 0xFFFF; Last = dx }
        | Stopped reason -> { state with Last = reason }

    let scaled factor offset = fun value -> (value * factor + offset) &&& 0xFFFF

    let work seed =
        let scale = scaled (seed + {unit}) 7 >> scaled 3 1
        let events = [ Started; Moved (scale 1, scale 2); Moved (seed, 4); Stopped (scale 3) ]
        let final = events |> List.fold step { Count = 0; Sum = seed; Last = 0 }
        let mutable sum = final.Count + final.Sum
        for value in events |> List.map (fun event -> (step final event).Sum) |> List.filter (fun sum -> sum > 10) do
            sum <- (sum + value) &&& 0xFFFF
        sum ^^^ final.Last

";

/// The rows of a table.
pub(crate) fn rows(builds: &[Build]) -> Vec<Vec<String>> {
    let mut rows = vec![["lines", "work", "seconds", "lines a second", "peak MiB"].map(str::to_owned).to_vec()];
    for Build { lines, work, seconds, bytes } in builds {
        let rate = *lines as f64 / seconds.max(1e-9);
        let mebibytes = *bytes as f64 / f64::from(1 << 20);
        rows.push(vec![
            lines.to_string(),
            work.key().to_owned(),
            format!("{seconds:.2}"),
            format!("{rate:.0}"),
            format!("{mebibytes:.0}"),
        ]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timings_are_added_up() {
        let text = "{\"reason\":\"memory\",\"bytes\":9}\n\
                    {\"reason\":\"timings\",\"steps\":[{\"name\":\"lex\",\"seconds\":0.25,\"bytes\":100},\
                    {\"name\":\"end\",\"seconds\":0.5,\"bytes\":300}]}\n";
        assert_eq!(timings(text), Some((0.75, 300)));
        assert_eq!(timings("error\n"), None);
    }

    #[test]
    fn programs_have_the_lines() {
        for lines in [1_000, 10_000] {
            let own = program(lines).lines().count();
            assert!(own.abs_diff(lines) < lines / 20, "{own} lines for {lines}");
        }
    }

    #[test]
    fn rates_are_of_the_time_taken() {
        let build = Build { lines: 5_000, work: Work::Check, seconds: 0.25, bytes: 3 << 20 };
        assert_eq!(rows(&[build])[1], ["5000", "check", "0.25", "20000", "3"]);
    }
}
