//! The calls of a program as human-readable tables.

use super::calls::{Calls, Function};
use std::fmt::{self, Write};

/// The deepest calls of each root, and then the `most` functions with the largest needs.
pub fn text(calls: &Calls, most: usize) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut out, calls, most);
    out
}

fn write_all(out: &mut String, calls: &Calls, most: usize) -> fmt::Result {
    for root in &calls.roots {
        let first = &calls.functions[root.function];
        let Some(need) = first.need else {
            writeln!(out, "{}: no bound\n", first.name)?;
            continue;
        };
        write!(out, "{}: at most {} bytes", first.name, need + root.pushed)?;
        match (root.reports_fault, root.pushed) {
            (true, _) => writeln!(out, ", to report a fault")?,
            (false, 0) => writeln!(out)?,
            (false, pushed) => writeln!(out, ", of which {pushed} are beside its frames")?,
        }
        writeln!(out, "  {:>9}  {:>9}  deepest calls", "need", "frame")?;
        for index in calls.way(root.function) {
            row(out, &calls.functions[index])?;
        }
        writeln!(out)?;
    }
    let mut functions: Vec<&Function> = calls.functions.iter().collect();
    functions.sort_by_key(|function| (function.need.is_some(), std::cmp::Reverse((function.need, function.frame))));
    writeln!(out, "functions: {}", functions.len())?;
    writeln!(out, "  {:>9}  {:>9}  function", "need", "frame")?;
    for function in functions.iter().take(most) {
        row(out, function)?;
    }
    match functions.len().saturating_sub(most) {
        0 => Ok(()),
        more => writeln!(out, "  {:>9}  {:>9}  {more} more", "", ""),
    }
}

fn row(out: &mut String, function: &Function) -> fmt::Result {
    let need = function.need.map_or_else(|| "no bound".to_owned(), |need| need.to_string());
    write!(out, "  {need:>9}  {:>9}  {}", function.frame, function.name)?;
    if let Some(place) = &function.place {
        write!(out, " at {place}")?;
    }
    if let Some(cause) = function.cause {
        write!(out, ": {cause}")?;
    }
    writeln!(out)
}
