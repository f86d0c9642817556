//! The table of `docs/closures.md`: the storage of the closures of each example.

use crate::{compiler::clefc, examples, program::Program, stem};
use clef_golden::compare_with_file;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::path::Path;

/// The text before the table.
const HEAD: &str = "\
# Where closures go

The storage of the lambdas and local functions of each program of `examples/`, as counted by `clefc --emit storage-json` at the
default optimisation level, for this machine or for the first board that the example lists. A closure *vanishes* if its function is
only called directly, or is inlined; it is *constant* if it captures nothing, and is then in flash; *by value* it is part of a
variable, a ref cell, an array or a field that can be overwritten; *static* it is allocated once per program; *on the stack* it lives
until its frame ends; *in a region* it outlives its frame. Functions of modules are not counted.

| Example | Closures | Vanished | Constant | By value | Static | On the stack | In a region |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

/// The columns after the sum, as the compiler names them.
const COLUMNS: [&str; 6] = ["vanished", "constant", "stored", "static", "stack", "region"];

/// The trial of the document.
pub(crate) fn trial() -> Trial {
    Trial::test("storage::examples", || {
        Ok(compare_with_file(&Path::new(crate::ROOT).join("../docs/closures.md"), &table()?)?)
    })
}

fn table() -> Result<String, Failed> {
    let mut table = HEAD.to_owned();
    let mut sums = [0; COLUMNS.len()];
    for example in examples()? {
        let is_program = example.is_dir() || example.extension().is_some_and(|ending| ending == "clef");
        if !is_program {
            continue;
        }
        let counts = counts(&example)?;
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        table += &row(&stem(&example), counts);
    }
    Ok(table + &row("all", sums))
}

fn row(name: &str, counts: [u64; COLUMNS.len()]) -> String {
    let cells: String = counts.iter().map(|count| format!(" {count} |")).collect();
    format!("| {name} | {} |{cells}\n", counts.iter().sum::<u64>())
}

fn counts(example: &Path) -> Result<[u64; COLUMNS.len()], Failed> {
    let path = example.display().to_string();
    let board = Program::of_example(example)?.only_boards.and_then(|boards| boards.into_iter().next());
    let board = board.as_ref().map(|board| ["--board", board]);
    let arguments: Vec<&str> =
        ["--emit", "storage-json", "--output", "-"].into_iter().chain(board.into_iter().flatten()).collect();
    let call = clefc(&[&arguments[..], &[&path]].concat(), b"")?;
    if call.status != Some(0) {
        return Err(format!("{path}: {}", call.errors).into());
    }
    let listing: Value = serde_json::from_slice(&call.output).map_err(|error| format!("{path}: {error}"))?;
    let mut counts = [0; COLUMNS.len()];
    for (count, column) in counts.iter_mut().zip(COLUMNS) {
        *count = listing["closures"][column].as_u64().ok_or_else(|| format!("{path}: no count of {column}"))?;
    }
    Ok(counts)
}
