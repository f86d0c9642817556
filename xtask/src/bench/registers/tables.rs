//! The tables of the registers, and a sequence of accesses of both languages side by side.

use super::{
    Registers, chips,
    code::Code,
    modules::{Added, Module},
    sequences::Sequence,
};

/// The rows of the table of modules.
pub(crate) fn modules(registers: &Registers) -> Vec<Vec<String>> {
    let heading = ["chip", "lines of the description", "lines of `Device`", "seconds of a check", "seconds of a build"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for Module { chip, description, lines, check, build } in &registers.modules {
        rows.push(vec![title(chip), description.to_string(), lines.to_string(), seconds(*check), seconds(*build)]);
    }
    rows
}

fn seconds(added: Added) -> String {
    format!("{:.2} ({:.2})", added.median, added.fastest)
}

/// The rows of the table of images.
pub(crate) fn images(registers: &Registers) -> Vec<Vec<String>> {
    let mut rows = vec![["chip", "level", "through `Device`", "with addresses"].map(str::to_owned).to_vec()];
    for Sequence { chip, level, device, numbers, .. } in &registers.sequences {
        rows.push(vec![title(chip), format!("-O{level}"), device.to_string(), numbers.to_string()]);
    }
    rows
}

/// The rows of the table of sequences.
pub(crate) fn sequences(registers: &Registers) -> Vec<Vec<String>> {
    let heading =
        ["chip", "level", "bytes", "bytes in C", "loads", "loads in C", "stores", "stores in C", "same instructions"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for Sequence { chip, level, clef, c, .. } in &registers.sequences {
        let is_same = if clef.instructions == c.instructions { "yes" } else { "no" };
        let mut row = vec![title(chip), format!("-O{level}"), clef.bytes.to_string(), c.bytes.to_string()];
        row.extend([clef.loads(), c.loads(), clef.stores(), c.stores()].map(|count| count.to_string()));
        row.push(is_same.to_owned());
        rows.push(row);
    }
    rows
}

/// The name of a chip, as its manufacturer writes it.
pub(crate) fn title(chip: &str) -> String {
    chips::named(chip).map_or(chip, |chip| chip.title).to_owned()
}

/// The sequence that is shown: the first one that is optimised for size.
pub(crate) fn shown(registers: &Registers) -> Option<&Sequence> {
    registers.sequences.iter().find(|sequence| sequence.level == "z")
}

/// A heading, and the instructions of both languages as columns.
pub(crate) fn listing(sequence: &Sequence) -> String {
    let (clef, c) = (column("Clef", &sequence.clef), column("C", &sequence.c));
    let width = clef.iter().map(String::len).max().unwrap_or_default() + 4;
    let lines = (0..clef.len().max(c.len())).map(|index| {
        let part = |column: &[String]| column.get(index).cloned().unwrap_or_default();
        format!("{:<width$}{}", part(&clef), part(&c)).trim_end().to_owned() + "\n"
    });
    lines.collect()
}

fn column(language: &str, code: &Code) -> Vec<String> {
    let instructions = code.instructions.iter().map(|text| match text.split_once(' ') {
        Some((operation, operands)) => format!("{operation:<6} {operands}"),
        None => text.clone(),
    });
    [language.to_owned()].into_iter().chain(instructions).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::sequences::example, *};

    #[test]
    fn both_languages_have_columns() {
        let registers = Registers { modules: Vec::new(), sequences: vec![example()] };
        assert_eq!(
            sequences(&registers)[1],
            ["nRF52840", "-Oz", "12", "12", "0", "0", "1", "1", "yes"].map(str::to_owned)
        );
        assert_eq!(images(&registers)[1], ["nRF52840", "-Oz", "400", "400"].map(str::to_owned));
        let text = listing(shown(&registers).unwrap());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Clef                     C");
        assert_eq!(lines[3], "str    r1, [r0, #0x4]    str    r1, [r0, #0x4]");
    }

    #[test]
    fn times_are_those_that_the_module_adds() {
        let (check, build) = (Added { median: 0.171, fastest: 0.125 }, Added { median: 0.199, fastest: 0.5 });
        let module = Module { chip: "rp2040", description: 46_400, lines: 12_448, check, build };
        let registers = Registers { modules: vec![module], sequences: Vec::new() };
        assert_eq!(
            modules(&registers)[1],
            ["RP2040", "46400", "12448", "0.17 (0.12)", "0.20 (0.50)"].map(str::to_owned)
        );
    }
}
