//! `clefc fmt`: formats source files.

use crate::{cli::Fmt, commands::Outcome};
use clef_base::{Diagnostic, codes};
use clef_format::{difference, format};
use clef_host::{output, say, user_files::reason};
use clef_session::Session;
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Formats files or standard input. A file with errors does not prevent others from being formatted.
pub(crate) fn fmt(session: &mut Session, options: &Fmt) -> Outcome {
    session.enter("format");
    if options.stdin {
        return standard_input(session, options);
    }
    let files = files(&options.files)?;
    if options.lines.is_some() && files.len() != 1 {
        let message = format!("`--lines` is for one file, and {} are given", files.len());
        return Err(vec![
            Diagnostic::general(codes::UNSUITABLE_OPTION, message)
                .help("name one file: `clefc fmt --lines 10:20 a.clef`"),
        ]);
    }
    let (mut changed, mut errors) = (false, Vec::new());
    for path in &files {
        match file(session, options, path) {
            Ok(differs) => changed |= differs,
            Err(diagnostics) => errors.extend(diagnostics),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(u8::from(changed && options.check))
}

/// Formats a file, or shows how it differs. Returns whether it does.
fn file(session: &mut Session, options: &Fmt, path: &Path) -> Result<bool, Vec<Diagnostic>> {
    let text = session.files.source(path, None)?;
    let name = path.display().to_string();
    let formatted = formatted(session, options, &name, text.clone())?;
    if formatted == text {
        return Ok(false);
    }
    if options.check {
        output::print(&format!("{name}\n{}", difference(&text, &formatted)))?;
    } else {
        output::replace(path, &formatted)?;
        say(&format!("formatted {name}\n"));
    }
    Ok(true)
}

fn formatted(session: &mut Session, options: &Fmt, name: &str, text: String) -> Result<String, Vec<Diagnostic>> {
    let file = session.sources.add(name, text);
    let lines = options.lines.map(|lines| lines.first..lines.last + 1);
    format(&session.sources, file, lines)
}

fn standard_input(session: &mut Session, options: &Fmt) -> Outcome {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|error| {
        vec![Diagnostic::general(codes::UNREADABLE_FILE, format!("cannot read standard input: {}", reason(&error)))]
    })?;
    let formatted = formatted(session, options, "<stdin>", text.clone())?;
    if !options.check {
        output::print(&formatted)?;
        return Ok(0);
    }
    output::print(&difference(&text, &formatted))?;
    Ok(u8::from(text != formatted))
}

/// The files that the paths name, and the source files in directories and their subdirectories.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let before = found.len();
        in_directory(path, &mut found).map_err(|error| {
            let message = format!("cannot read `{}`: {}", path.display(), reason(&error));
            vec![Diagnostic::general(codes::UNREADABLE_FILE, message)]
        })?;
        if found.len() == before {
            let message = format!("no source files in `{}`", path.display());
            return Err(vec![
                Diagnostic::general(codes::UNREADABLE_FILE, message)
                    .help("name files that end in `.clef` or `.fs`, or a directory with such files"),
            ]);
        }
    }
    Ok(found)
}

/// Adds the source files of a directory by name. Hidden directories and links to directories are left out.
fn in_directory(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = if directory == Path::new(".") { PathBuf::from(entry.file_name()) } else { entry.path() };
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let is_source = path.extension().is_some_and(|extension| extension == "clef" || extension == "fs");
        if entry.file_type()?.is_dir() && !is_hidden {
            in_directory(&path, found)?;
        } else if is_source && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}
