//! `scale`: shows how the costs of `clefc` grow with programs of many kinds.

use clap::Parser;
use clef_scale::{
    families::{FAMILIES, Family},
    measure::{Compiler, GROWTH, Growth, Table, excessive},
};
use std::{path::PathBuf, process::ExitCode};

/// Measures how the time and memory of clefc grow with programs of many kinds
#[derive(Parser, Debug)]
#[command(name = "scale", about)]
struct Options {
    /// The families [default: all]; `scale --list` lists them
    families: Vec<String>,

    /// Lists the families
    #[arg(long)]
    list: bool,

    /// Prints a family's program of the given size
    #[arg(long, value_name = "COUNT")]
    print: Option<usize>,

    /// The factor by which the programs are larger than usual
    #[arg(long, value_name = "FACTOR", default_value_t = 1)]
    times: usize,

    /// The optimisation level
    #[arg(short = 'O', long = "level", value_name = "LEVEL", default_value = "2")]
    level: String,

    /// The board
    #[arg(long, value_name = "BOARD", default_value = "mps2-an386")]
    board: String,

    /// The compiler
    #[arg(long, value_name = "PATH", default_value = "target/release/clefc")]
    clefc: PathBuf,

    /// Shows every step, not only slow ones
    #[arg(long)]
    steps: bool,

    /// The maximum cost of an element of the larger program, relative to one of the smaller
    ///
    /// A quadratic step costs 8 times as much per element. One that only walks the program costs up to 3 times as much
    /// once the program exceeds the caches.
    #[arg(long, value_name = "FACTOR", default_value_t = 3.5)]
    most: f64,
}

/// Steps below this many seconds are not judged.
const LEAST: f64 = 0.1;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("scale: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all growth is within the limit.
fn run(options: &Options) -> Result<bool, String> {
    if options.list {
        FAMILIES.iter().for_each(|family| println!("{:<16} {}", family.name, family.about));
        return Ok(true);
    }
    let families = chosen(&options.families)?;
    if let Some(count) = options.print {
        families.iter().for_each(|family| print!("{}", family.program(count)));
        return Ok(true);
    }
    let compiler = Compiler {
        binary: options.clefc.clone(),
        directory: PathBuf::from("target/scale"),
        options: ["-O", &options.level, "--board", &options.board].map(str::to_owned).to_vec(),
    };
    let nothing = compiler.nothing()?;
    println!("{:<16} {:>8} {:<14} {:>9} {:>9} {:>7}", "family", "count", "step", "seconds", "MB", "growth");
    let mut good = true;
    for family in families {
        let start = family.start * options.times;
        match compiler.table(family, start, &nothing) {
            Ok(table) => good &= show(family, start, &table, options),
            Err(message) => {
                println!("{message}");
                good = false;
            }
        }
    }
    Ok(good)
}

/// The families with these names.
fn chosen(names: &[String]) -> Result<Vec<&'static Family>, String> {
    if names.is_empty() {
        return Ok(FAMILIES.iter().collect());
    }
    let find = |name: &String| {
        let family = FAMILIES.iter().find(|family| family.name == name);
        family.ok_or_else(|| format!("unknown family `{name}`; `scale --list` lists them"))
    };
    names.iter().map(find).collect()
}

/// Shows the rows of a family; returns whether nothing grows faster than the program.
fn show(family: &Family, start: usize, table: &Table, options: &Options) -> bool {
    let found = excessive(table, options.most, LEAST);
    let memory = table.memory.large / 1e6;
    let total = table.total();
    println!(
        "{:<16} {:>8} {:<14} {:>9.3} {memory:>9.1} {:>7.2}",
        family.name,
        start * GROWTH,
        "all",
        total.large,
        total.factor(LEAST)
    );
    let shown = |step: &&Growth| options.steps || found.contains(step);
    for step in table.steps.iter().filter(shown) {
        let mark = if found.contains(step) { "  <- grows faster than the program" } else { "" };
        println!("{:<25} {:<14} {:>9.3} {:>9} {:>7.2}{mark}", "", step.step, step.large, "", step.factor(LEAST));
    }
    found.is_empty()
}
