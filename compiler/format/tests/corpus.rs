//! All programs of the repository: each is formatted without a defect, and formatting again changes nothing. All but a few
//! are formatted already.

#![allow(clippy::disallowed_methods, reason = "a test reads the programs of the repository")]

use clef_base::{SourceMap, codes};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The files and folders that are not formatted, and why.
const EXCEPTIONS: [(&str, &str); 26] = [
    ("compiler/bind/tests", "written by `clefc bind`"),
    ("compiler/svd/tests", "written by `clefc svd`"),
    ("compiler/syntax/tests", "tests forms of layout"),
    ("compiler/library/clef/interrupt.clef", "a part of a module"),
    ("compiler/library/clef/devices/gpio_edges.clef", "a part of a module"),
    ("compiler/library/clef/devices/gpio_pulls.clef", "a part of a module"),
    ("compiler/library/clef/devices/interrupt_apic.clef", "a part of a module"),
    ("compiler/library/clef/devices/interrupt_controller.clef", "a part of a module"),
    ("compiler/library/clef/devices/interrupt_gic.clef", "a part of a module"),
    ("compiler/library/clef/devices/spi_background.clef", "a part of a module"),
    ("compiler/library/clef/devices/spi_select.clef", "a part of a module"),
    ("compiler/library/clef/devices/timer_handlers.clef", "a part of a module"),
    ("compiler/library/clef/devices/uart_background.clef", "a part of a module"),
    ("compiler/library/clef/devices/uart_interrupts.clef", "a part of a module"),
    ("compiler/library/clef/devices/uart_reading.clef", "a part of a module"),
    ("compiler/library/clef/devices/uart_service_shared.clef", "a part of a module"),
    ("compiler/library/clef/devices/uart_service_split.clef", "a part of a module"),
    ("tests/debugger", "places in the expected output"),
    ("tests/faults/interrupt.clef", "lines of expected output end with spaces"),
    ("tests/run/collections_of_any.clef", "tests forms of layout"),
    ("tests/run/comprehensions.clef", "tests forms of layout"),
    ("tests/run/conditions.clef", "tests forms of layout"),
    ("tests/run/declarations_forms.clef", "tests forms of layout"),
    ("tests/run/layout.clef", "tests forms of layout"),
    ("tests/run/type_declarations.clef", "tests forms of layout"),
    ("tests/ui", "places in the expected diagnostics"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "clef" || extension == "fs") {
            found.push(path);
        }
    }
}

fn format(text: &str) -> Result<String, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("program.clef", text);
    clef_format::format(&sources, file, None).map_err(|diagnostics| {
        let defect = diagnostics.iter().find(|diagnostic| diagnostic.code == codes::FORMATTER_DEFECT);
        defect.map_or(String::new(), |defect| {
            let place = defect.primary.as_ref().map_or(String::new(), |label| sources.place(label.span));
            format!("{place}: {}", defect.message)
        })
    })
}

#[test]
fn every_program_is_formatted_once() {
    let mut files = Vec::new();
    programs(&root(), &mut files);
    files.sort();
    let (mut formatted, mut failures) = (0, Vec::new());
    for path in &files {
        let Ok(text) = fs::read_to_string(path) else { continue };
        match format(&text) {
            Err(defect) if defect.is_empty() => {}
            Err(defect) => failures.push(format!("{}: {defect}", path.display())),
            Ok(once) => {
                formatted += 1;
                match format(&once) {
                    Ok(twice) if twice == once => {}
                    Ok(twice) => failures.push(format!(
                        "{}: changes again\n{}",
                        path.display(),
                        clef_format::difference(&once, &twice)
                    )),
                    Err(defect) => failures.push(format!("{}: again: {defect}", path.display())),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {}\n{}", failures.len(), files.len(), failures.join("\n"));
    assert!(formatted > 300, "only {formatted} programs parse");
}

#[test]
fn programs_are_formatted() {
    let mut files = Vec::new();
    programs(&root(), &mut files);
    let others: Vec<&PathBuf> = files.iter().filter(|path| !is_formatted(path)).collect();
    let excepted = |path: &Path| EXCEPTIONS.iter().any(|(name, _)| path.starts_with(root().join(name)));
    let unexpected: Vec<String> =
        others.iter().filter(|path| !excepted(path)).map(|path| path.display().to_string()).collect();
    assert!(unexpected.is_empty(), "format these by `clefc fmt`:\n{}", unexpected.join("\n"));
    for (name, why) in EXCEPTIONS {
        assert!(others.iter().any(|path| path.starts_with(root().join(name))), "{name} is formatted: {why}");
    }
}

/// Whether formatting changes nothing. Programs with syntax errors are not formatted.
fn is_formatted(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| format(&text).is_ok_and(|formatted| formatted == text))
}
