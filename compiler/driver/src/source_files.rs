//! Reading source files.
//!
//! In: paths. Out: files of the source map, whose text is valid UTF-8, or diagnostics, one for each file that cannot be
//! used.

use clef_base::{Diagnostic, FileId, SourceMap, codes};
use clef_target::nearest;
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Places are 32-bit offsets, and no program of people comes near.
const LARGEST_FILE: u64 = 1 << 30;

/// Reads all files in order.
pub(crate) fn read_all(sources: &mut SourceMap, paths: &[PathBuf]) -> Result<Vec<FileId>, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut files = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        if paths[..index].contains(path) {
            let message = format!("`{}` is given twice", path.display());
            diagnostics.push(Diagnostic::general(codes::UNFIT_OPTION, message).help("name each source file once"));
            continue;
        }
        match read(path) {
            Ok(text) => files.push(sources.add(path.display().to_string(), text)),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if diagnostics.is_empty() { Ok(files) } else { Err(diagnostics) }
}

fn read(path: &Path) -> Result<String, Diagnostic> {
    let unreadable = |reason: &str| {
        Diagnostic::general(codes::UNREADABLE_FILE, format!("cannot read `{}`: {reason}", path.display()))
    };
    if path.is_dir() {
        return Err(unreadable("it is a directory").help("name the source files themselves"));
    }
    check_extension(path)?;
    let bytes = read_bytes(path).map_err(|error| unreadable(&reason(&error)))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(unreadable("it is larger than 1 GiB"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[offset];
        let line = error.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = format!("`{}` is not valid UTF-8", path.display());
        Diagnostic::general(codes::NOT_UTF8, message)
            .note(format!("the first wrong byte is 0x{byte:02x}, at offset {offset}, in line {line}"))
            .help("save the file with the encoding UTF-8")
    })
}

fn check_extension(path: &Path) -> Result<(), Diagnostic> {
    let extension = path.extension().unwrap_or_default();
    if extension == "clef" || extension == "fs" {
        return Ok(());
    }
    let message = format!("`{}` is not a source file: its name ends neither in `.clef` nor in `.fs`", path.display());
    let diagnostic = Diagnostic::general(codes::UNKNOWN_EXTENSION, message);
    let word = path.to_string_lossy();
    let commands = crate::commands::names();
    Err(match nearest(&word, commands.iter().map(String::as_str)) {
        Some(command) if !path.exists() => diagnostic.help(format!("did you mean the command `clefc {command}`?")),
        Some(_) | None => diagnostic,
    })
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a descriptor; an error says why in the same words as for source files.
pub(crate) fn read_descriptor(path: &Path) -> io::Result<String> {
    let explained = |error: io::Error| io::Error::new(error.kind(), reason(&error));
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    String::from_utf8(read_bytes(path).map_err(explained)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("it is not valid UTF-8 from offset {offset}"))
    })
}

/// The reason without the number of the system's error.
pub(crate) fn reason(error: &io::Error) -> String {
    let kind = error.kind();
    if kind == io::ErrorKind::NotFound {
        "there is no such file".to_owned()
    } else if kind == io::ErrorKind::PermissionDenied {
        "permission denied".to_owned()
    } else {
        error.to_string()
    }
}
