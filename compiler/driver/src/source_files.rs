//! Reading source files.
//!
//! In: paths. Out: their text, which is valid UTF-8, or diagnostics that say why a file cannot be used, at the place that
//! names it where there is one.

use clef_base::{Diagnostic, Span, codes};
use clef_target::nearest;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Places are 32-bit offsets, and no program of people comes near.
const LARGEST_FILE: u64 = 1 << 30;

/// The text of a source file; `from` is the place that names it.
pub(crate) fn read_source(path: &Path, from: Option<Span>) -> Result<String, Diagnostic> {
    check_extension(path).map_err(|diagnostic| diagnostic.at_if(from))?;
    read_text(path, from)
}

/// The text of any file; `from` is the place that names it.
pub(crate) fn read_text(path: &Path, from: Option<Span>) -> Result<String, Diagnostic> {
    text(path).map_err(|diagnostic| diagnostic.at_if(from))
}

/// The bytes of an image.
pub(crate) fn read_image(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    read_bytes(path).map_err(|error| {
        let message = format!("cannot read `{}`: {}", path.display(), reason(&error));
        Diagnostic::general(codes::UNREADABLE_FILE, message)
    })
}

fn text(path: &Path) -> Result<String, Diagnostic> {
    let unreadable = |reason: &str| {
        Diagnostic::general(codes::UNREADABLE_FILE, format!("cannot read `{}`: {reason}", path.display()))
    };
    if path.is_dir() {
        return Err(unreadable("it is a directory").help("name the files in it"));
    }
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
