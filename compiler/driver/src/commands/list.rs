//! `clefc targets` and `clefc boards`: list what is shipped.

use crate::{cli::List, commands::Outcome};
use clef_base::internal::bug;
use clef_descriptors::{Board, MemoryKind, Run, Target};
use clef_host::output;
use clef_session::Session;
use serde::Serialize;

/// Lists the targets.
pub(crate) fn targets(session: &mut Session, list: &List) -> Outcome {
    let targets = session.resolver().shipped_targets()?;
    let row = |target: &Target| {
        [target.name.clone(), target.default_board.clone(), target.triple.to_string(), target.description.clone()]
    };
    print(list, &targets, ["TARGET", "DEFAULT BOARD", "TRIPLE", "DESCRIPTION"], row)
}

/// Lists the boards.
pub(crate) fn boards(session: &mut Session, list: &List) -> Outcome {
    let boards = session.resolver().shipped_boards()?;
    let row = |board: &Board| {
        let size =
            |kind| match board.memory.iter().filter(|region| region.kind == kind).map(|region| region.length.0).sum() {
                0 => "-".to_owned(),
                bytes => clef_descriptors::Bytes(bytes).to_string(),
            };
        let run = match &board.run {
            Run::Native => "natively",
            Run::Qemu(qemu) => &qemu.program,
            Run::QemuUser(qemu) => &qemu.program,
            Run::None => "-",
        };
        [
            board.name.clone(),
            board.target.clone(),
            size(MemoryKind::Flash),
            size(MemoryKind::Ram),
            run.to_owned(),
            board.description.clone(),
        ]
    };
    print(list, &boards, ["BOARD", "TARGET", "FLASH", "RAM", "RUNS IN", "DESCRIPTION"], row)
}

fn print<T: Serialize, const N: usize>(
    list: &List,
    items: &[T],
    heading: [&str; N],
    row: impl Fn(&T) -> [String; N],
) -> Outcome {
    let text = if list.json {
        match serde_json::to_string_pretty(items) {
            Ok(json) => json + "\n",
            Err(error) => bug("list", None, format!("descriptors are always valid JSON: {error}")),
        }
    } else {
        table(heading, &items.iter().map(row).collect::<Vec<_>>())
    };
    output::print(&text)?;
    Ok(0)
}

/// Columns as wide as their widest cell; the last one is not padded.
fn table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let heading = heading.map(str::to_owned);
    let lines: Vec<&[String; N]> = std::iter::once(&heading).chain(rows).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_are_aligned() {
        let rows = [["a".to_owned(), "first".to_owned()], ["long".to_owned(), "second".to_owned()]];
        assert_eq!(table(["X", "WHAT"], &rows), "X     WHAT\na     first\nlong  second\n");
    }
}
