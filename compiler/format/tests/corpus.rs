//! All programs of the repository: each is formatted without a defect, and formatting again changes nothing. Those that show
//! how to write Clef are formatted already.

#![allow(clippy::disallowed_methods, reason = "a test reads the programs of the repository")]

use clef_base::{SourceMap, codes};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folders of programs that show how to write Clef. The others test the compiler, also by their layout, or are written by
/// tools.
const FORMATTED: [&str; 2] = ["examples", "bench/programs"];

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
fn programs_to_read_are_formatted() {
    let mut files = Vec::new();
    FORMATTED.iter().for_each(|folder| programs(&root().join(folder), &mut files));
    assert!(files.len() > 60, "only {} programs", files.len());
    let is_other = |path: &&PathBuf| {
        let text = fs::read_to_string(path).expect("the program is readable");
        format(&text).unwrap_or_else(|defect| panic!("{}: {defect}", path.display())) != text
    };
    let others: Vec<String> = files.iter().filter(is_other).map(|path| path.display().to_string()).collect();
    assert!(others.is_empty(), "`clefc fmt {}` changes\n{}", FORMATTED.join(" "), others.join("\n"));
}
