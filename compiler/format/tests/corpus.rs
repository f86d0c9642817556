//! All programs of the repository: each is formatted without a defect, and formatting again changes nothing. All but a few
//! are formatted already.

#![allow(clippy::disallowed_methods, reason = "a test reads the programs of the repository")]

use clef_base::{SourceMap, codes};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The files and folders that are not formatted, and why.
const EXCEPTIONS: [(&str, &str); 24] = [
    ("compiler/svd/tests", "formatted by `clefc svd`, not by its library"),
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
    ("tests/run/collections_of_any.clef", "tests forms of layout"),
    ("tests/run/comprehensions.clef", "tests forms of layout"),
    ("tests/run/conditions.clef", "tests forms of layout"),
    ("tests/run/declarations_forms.clef", "tests forms of layout"),
    ("tests/run/layout.clef", "tests forms of layout"),
    ("tests/run/type_declarations.clef", "tests forms of layout"),
    ("tests/ui", "places in the expected diagnostics"),
];

/// The number of changed texts of each program.
const CHOICES: usize = 7;

/// Lines with these are not changed: strings, characters, comments, directives, and `let … in let …`, which is not
/// formatted if a line ends in it.
const EXCLUDED: [&str; 6] = ["\"", "'", "#", "//", "*)", " in let "];

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

/// Whether a text has no syntax errors, or how it is formatted wrongly.
fn format_twice(text: &str) -> Result<bool, String> {
    let once = match format(text) {
        Ok(once) => once,
        Err(defect) if defect.is_empty() => return Ok(false),
        Err(defect) => return Err(defect),
    };
    let twice = format(&once).map_err(|defect| format!("again: {defect}"))?;
    if twice != once {
        return Err(format!("changes again\n{}", clef_format::difference(&once, &twice)));
    }
    Ok(true)
}

#[test]
fn every_program_is_formatted_once() {
    let mut files = Vec::new();
    programs(&root(), &mut files);
    files.sort();
    let (mut formatted, mut failures) = (0, Vec::new());
    for path in &files {
        let Ok(text) = fs::read_to_string(path) else { continue };
        match format_twice(&text) {
            Ok(is_formatted) => formatted += usize::from(is_formatted),
            Err(failure) => failures.push(format!("{}: {failure}", path.display())),
        }
    }
    assert!(failures.is_empty(), "{} of {}\n{}", failures.len(), files.len(), failures.join("\n"));
    assert!(formatted > 300, "only {formatted} programs parse");
}

/// Versions of a program: in each, some closing brackets start a line, and comments are before them.
fn with_comments(text: &str) -> Vec<String> {
    (0..CHOICES).map(|choice| with_comments_before(text, |count| count % CHOICES == choice)).collect()
}

/// A program with comments before the closing brackets that are chosen by their numbers.
fn with_comments_before(text: &str, is_chosen: impl Fn(usize) -> bool) -> String {
    let (mut changed, mut count) = (String::with_capacity(2 * text.len()), 0);
    for line in text.lines() {
        let indentation = &line[..line.len() - line.trim_start().len()];
        let is_plain = !EXCLUDED.iter().any(|excluded| line.contains(excluded));
        for (at, sign) in line.char_indices() {
            let rest = &line[at..];
            let closes = rest.starts_with("|]") || matches!(sign, ')' | ']' | '}') && !line[..at].ends_with('|');
            if is_plain && closes && !line[..at].trim().is_empty() {
                let further = " ".repeat(count % 11);
                match count % 5 {
                    _ if !is_chosen(count) => {}
                    0 => changed.push_str(&format!(" // c\n{indentation}")),
                    1 => changed.push_str(&format!("\n{indentation}{further}(* c *)\n{indentation}")),
                    2 => changed.push_str(&format!("\n\n{indentation}{further}// c\n{indentation}// d\n{indentation}")),
                    _ => changed.push_str(&format!("\n{indentation}{further}// c\n{indentation}")),
                }
                count += 1;
            }
            changed.push(sign);
        }
        changed.push('\n');
    }
    changed
}

#[test]
fn comments_before_closing_brackets_stay() {
    let mut files = Vec::new();
    programs(&root(), &mut files);
    files.sort();
    let (mut formatted, mut failures) = (0, Vec::new());
    for path in &files {
        let Ok(text) = fs::read_to_string(path) else { continue };
        for changed in with_comments(&text) {
            match format_twice(&changed) {
                Ok(is_formatted) => formatted += usize::from(is_formatted),
                Err(failure) => failures.push(format!("{}: {failure}", path.display())),
            }
        }
    }
    assert!(failures.is_empty(), "{} of {formatted}\n{}", failures.len(), failures.join("\n"));
    assert!(formatted > 2000, "only {formatted} changed programs parse");
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
