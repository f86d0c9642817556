//! `clefc svd FILE`: the registers of a chip as Clef.

use crate::{cli::Svd, commands::Outcome};
use clef_base::{Diagnostic, codes};
use clef_host::output::{self, Mode};
use clef_session::Session;
use clef_svd::Omission;
use std::path::Path;

/// The module if the text goes to standard output.
const MODULE: &str = "Device";

/// Writes the module.
pub(crate) fn svd(session: &Session, options: &Svd) -> Outcome {
    let module = options.output.as_deref().map_or(Ok(MODULE.to_owned()), module)?;
    let text = session.files.long_text(&options.file)?;
    let file = options.file.file_name().unwrap_or_default().to_string_lossy();
    let registers = clef_svd::registers(&file, &text, &module)?;
    session.settle(registers.omissions.iter().map(Omission::diagnostic).collect())?;
    let source = clef_format::generated(registers.source);
    match &options.output {
        Some(path) => session.files.write(path, source.as_bytes(), Mode::Plain)?,
        None => output::print(&source)?,
    }
    Ok(0)
}

/// The module that a source file contains.
pub(super) fn module(path: &Path) -> Result<String, Diagnostic> {
    let is_source = path.extension().is_some_and(|extension| extension == "clef" || extension == "fs");
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut characters = stem.chars();
    let is_name = characters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_');
    if !is_source || !is_name {
        let message = format!("`{}` is not the name of a source file with a module", path.display());
        return Err(Diagnostic::general(codes::UNSUITABLE_OPTION, message).help("for example `-o Device.clef`"));
    }
    let (first, others) = stem.split_at(1);
    Ok(first.to_ascii_uppercase() + others)
}
