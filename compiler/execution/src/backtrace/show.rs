//! How calls are shown.

use super::{
    code::{Code, is_before_program},
    places::{Place, Places},
    unwind::{Call, End},
};
use std::fmt::Write as _;

/// A line of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// The function.
    pub(super) name: String,
    /// Where it is, if that is known.
    pub(super) place: Option<String>,
    /// Whether an exception interrupted it.
    pub(super) is_interrupted: bool,
    /// Whether it is none of the program's functions, but starts it, enters its handlers, or was added by the compiler.
    pub(super) is_hidden: bool,
}

/// The most rows that are shown: some of the innermost and of the outermost calls.
const INNER: usize = 24;
const OUTER: usize = 8;

/// The largest width of the column of names.
const WIDTH: usize = 40;

/// The rows of a call: one for each function whose code it is, the innermost one first. All but the last one are inlined.
pub(super) fn rows(call: &Call, code: &Code, places: &Places<'_>) -> Vec<Row> {
    let function = code.function(call.address);
    let name = || function.map_or_else(|| format!("0x{:x}", call.address), |function| function.name.clone());
    let mut places = places.at(call.address);
    if places.is_empty() {
        places.push(Place::default());
    }
    let outermost = places.len() - 1;
    let mut rows = Vec::new();
    for (index, Place { function: named, place }) in places.into_iter().enumerate() {
        // What the program begins with has the code that initialises its values as a part, or calls it.
        let is_start = named.as_deref().is_some_and(is_before_program);
        let is_outermost_hidden =
            || function.is_some_and(|function| function.is_boot || function.is_added || function.is_entry);
        let is_hidden = is_start || index == outermost && is_outermost_hidden();
        let is_interrupted = call.is_interrupted && index == 0;
        rows.push(Row { name: named.unwrap_or_else(name), place, is_interrupted, is_hidden });
    }
    rows
}

/// A row, and how often it is repeated.
type Repeated<'a> = (usize, &'a Row, usize);

/// The list of calls; nothing if there is none.
pub(super) fn text(rows: &[Row], end: End) -> String {
    let mut runs: Vec<Repeated<'_>> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        match runs.last_mut() {
            Some((_, last, count)) if *last == row => *count += 1,
            _ => runs.push((index, row, 1)),
        }
    }
    let left_out = runs.len().saturating_sub(INNER + OUTER);
    let shown = |index: usize| left_out == 0 || index < INNER || index >= INNER + left_out;
    let names = runs.iter().enumerate().filter(|(index, _)| shown(*index)).map(|(_, (_, row, _))| row);
    let width = names.map(|row| row.name.chars().count()).max().unwrap_or_default().min(WIDTH);
    let mut text = String::new();
    for (index, (number, row, count)) in runs.iter().enumerate() {
        if !shown(index) {
            if index == INNER {
                let calls: usize = runs[INNER..INNER + left_out].iter().map(|(_, _, count)| count).sum();
                let _ = writeln!(text, "     … {calls} other calls");
            }
            continue;
        }
        line(&mut text, *number, row, width);
        if *count > 1 {
            let _ = writeln!(text, "     … {} times in a row", count);
        }
    }
    if let Some(note) = note(end).filter(|_| !rows.is_empty()) {
        let _ = writeln!(text, "     ({note})");
    }
    text
}

fn line(text: &mut String, number: usize, row: &Row, width: usize) {
    if row.is_interrupted {
        text.push_str("     interrupted:\n");
    }
    let Row { name, place, .. } = row;
    let _ = match place {
        Some(place) => writeln!(text, "{number:3}  {name:width$}  {place}"),
        None => writeln!(text, "{number:3}  {name}"),
    };
}

/// What the reader must know about the end of the list.
fn note(end: End) -> Option<&'static str> {
    match end {
        End::Complete => None,
        End::NoTable => Some("its callers are unknown: the image has no unwind table for it"),
        End::Damaged => Some("its callers are unknown: the stack cannot be followed"),
        End::TooMany => Some("and further calls"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, place: Option<&str>) -> Row {
        Row { name: name.to_owned(), place: place.map(str::to_owned), is_interrupted: false, is_hidden: false }
    }

    #[test]
    fn names_and_places_are_columns() {
        let rows = [row("A.long", Some("a.clef:1:2")), row("A.f", Some("a.clef:3:4")), row("g", None)];
        let expected = "  0  A.long  a.clef:1:2\n  1  A.f     a.clef:3:4\n  2  g\n";
        assert_eq!(text(&rows, End::Complete), expected);
        let unknown = "     (its callers are unknown: the stack cannot be followed)\n";
        assert_eq!(text(&rows, End::Damaged), format!("{expected}{unknown}"));
        assert_eq!(text(&[], End::Damaged), "");
    }

    #[test]
    fn a_recursive_function_is_one_row() {
        let rows = [vec![row("f", None); 100], vec![row("main", None)]].concat();
        assert_eq!(text(&rows, End::Complete), "  0  f\n     … 100 times in a row\n100  main\n");
    }

    #[test]
    fn a_long_list_shows_both_ends() {
        let rows: Vec<Row> = (0..100).map(|number| row(&format!("f{number}"), None)).collect();
        let text = text(&rows, End::Complete);
        assert_eq!(text.lines().count(), INNER + 1 + OUTER);
        assert!(text.contains(" 23  f23\n     … 68 other calls\n 92  f92\n"), "{text}");
    }
}
