//! Prints results as aligned tables.

use super::{
    compiler,
    language::Language,
    registers::tables,
    sample::{Metric, Results},
};

/// Every table of the results.
pub(crate) fn all(results: &Results) -> String {
    let measured = Metric::ALL.into_iter().filter(|metric| !results.programs(*metric).is_empty());
    let mut text: String =
        measured.map(|metric| format!("\n{}\n\n{}", metric.title(), aligned(&rows(results, metric)))).collect();
    if !results.compiler.is_empty() {
        text += &format!("\nThe compiler\n\n{}", aligned(&compiler::rows(&results.compiler)));
    }
    text + &registers(results)
}

/// The tables of the registers.
fn registers(results: &Results) -> String {
    let tables = [
        ("Device", tables::modules(&results.registers)),
        ("Bytes of images", tables::images(&results.registers)),
        ("Sequences of accesses", tables::sequences(&results.registers)),
    ];
    let measured = tables.into_iter().filter(|(_, rows)| rows.len() > 1);
    measured.map(|(title, rows)| format!("\n{title}\n\n{}", aligned(&rows))).collect()
}

/// The rows of a metric: a heading, the programs, and the geometric means. A value has its ratio to C beside it.
pub(crate) fn rows(results: &Results, metric: Metric) -> Vec<Vec<String>> {
    let languages = results.languages(metric);
    let mut rows = vec![heading(&languages)];
    for program in results.programs(metric) {
        let cells = languages.iter().map(|language| cell(results, metric, program, *language));
        rows.push([program.to_owned()].into_iter().chain(cells).collect());
    }
    if metric.has_ratios() {
        let mean = |language: &Language| results.mean(metric, *language).map_or("-".to_owned(), ratio);
        rows.push(["geometric mean".to_owned()].into_iter().chain(languages.iter().map(mean)).collect());
    }
    rows
}

fn heading(languages: &[Language]) -> Vec<String> {
    ["program".to_owned()].into_iter().chain(languages.iter().map(Language::to_string)).collect()
}

fn cell(results: &Results, metric: Metric, program: &str, language: Language) -> String {
    let Some(value) = results.value(metric, program, language) else { return "-".to_owned() };
    match results.ratio(metric, program, language).filter(|_| language != Language::C && metric.has_ratios()) {
        Some(multiple) => format!("{value:.0} ({})", ratio(multiple)),
        None => format!("{value:.0}"),
    }
}

fn ratio(value: f64) -> String {
    format!("{value:.2}")
}

/// Rows as lines: the first column is aligned to the left, the others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        cells.collect::<String>() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Rows as a table of Markdown.
pub(crate) fn markdown(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let Some((heading, rest)) = rows.split_first() else { return String::new() };
    let rule: Vec<&str> = (0..heading.len()).map(|column| if column == 0 { "---" } else { "--:" }).collect();
    format!("{}| {} |\n{}", line(heading), rule.join(" | "), rest.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::sample::example;

    #[test]
    fn a_table_has_ratios_and_means() {
        let text = aligned(&rows(&example(), Metric::LinuxInstructions));
        let cells: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect())
            .collect();
        assert_eq!(cells[0], ["program", "Clef", "C", "OCaml"]);
        assert_eq!(cells[1], ["cps", "400 (4.00)", "100", "200 (2.00)"]);
        assert_eq!(cells[2], ["fir", "100 (1.00)", "100", "-"]);
        assert_eq!(cells[3], ["geometric mean", "2.00", "1.00", "2.00"]);
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert!(lengths.iter().all(|length| *length == lengths[0]), "{text}");
    }

    #[test]
    fn markdown_has_a_rule() {
        let rows = vec![vec!["a".to_owned(), "b".to_owned()], vec!["1".to_owned(), "2".to_owned()]];
        assert_eq!(markdown(&rows), "| a | b |\n| --- | --: |\n| 1 | 2 |\n");
    }
}
