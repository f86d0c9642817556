//! `clefc targets` and `clefc boards`: list what is shipped.

use crate::{cli::List, commands::Outcome};
use clef_base::internal::bug;
use clef_descriptors::{Board, MemoryKind, Run, Target};
use clef_host::output;
use clef_session::Session;
use comfy_table::{Table, presets};
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
        table(heading, items.iter().map(row).collect())
    };
    output::print(&text)?;
    Ok(0)
}

/// Columns as wide as their widest cell; the last one is not padded.
fn table<const N: usize>(heading: [&str; N], rows: Vec<[String; N]>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(heading).add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt() + "\n"
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_are_aligned() {
        let rows = [["a".to_owned(), "first".to_owned()], ["long".to_owned(), "second".to_owned()]];
        assert_eq!(table(["X", "WHAT"], rows.to_vec()), "X     WHAT\na     first\nlong  second\n");
    }
}
