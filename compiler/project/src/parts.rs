//! Code shared by the readers of the project file formats.

use crate::{
    Placed,
    reader::{Fields, Report},
};
use clef_base::{Diagnostic, codes};
use clef_descriptors::normal;
use std::path::{Path, PathBuf};

/// The source files, at least one.
pub(crate) fn sources(fields: &mut Fields<'_, '_>, directory: &Path) -> Option<Vec<Placed<PathBuf>>> {
    fields.require("sources", "sources = [\"main.clef\"]");
    let sources = fields.texts("sources")?;
    if sources.value.is_empty() {
        let message = "a project needs at least one source file";
        fields.report(
            Diagnostic::error(codes::INVALID_PROJECT_VALUE, sources.span, message)
                .help("list them in the order of their dependencies: `sources = [\"main.clef\"]`"),
        );
        return None;
    }
    Some(sources.value.into_iter().map(|source| path(directory, source, fields.findings())).collect())
}

/// The directory of a project file.
pub(crate) fn directory(manifest: &Path) -> &Path {
    manifest.parent().unwrap_or(Path::new(""))
}

/// The path of a dependency.
pub(crate) fn dependency_path(fields: &mut Fields<'_, '_>, directory: &Path) -> Option<Placed<PathBuf>> {
    fields.require("path", "path = \"../util\"");
    let text = fields.text("path")?;
    Some(path(directory, text, fields.findings()))
}

/// Reports a name that is not valid as a file name.
pub(crate) fn check_name(name: &Placed<String>, report: &mut Report) {
    let reason = match name.value.as_str() {
        "" => "it is empty",
        "." | ".." => "it is a directory",
        text if text.contains(['/', '\\', '\0']) => "products are named after it, and it is not a valid file name",
        text if text.trim() != text => "it starts or ends with a space",
        _ => return,
    };
    let message = format!("`{}` is not a valid name", name.value.escape_debug());
    report.push(Diagnostic::error(codes::INVALID_PROJECT_VALUE, name.span, message).note(reason));
}

/// A path in the project file, relative to the working directory of `clefc`.
pub(crate) fn path(directory: &Path, text: Placed<String>, report: &mut Report) -> Placed<PathBuf> {
    if text.value.is_empty() || text.value.contains('\0') {
        let message = format!("`{}` is not a valid path", text.value.escape_debug());
        report.push(Diagnostic::error(codes::INVALID_PROJECT_VALUE, text.span, message));
    }
    Placed { value: normal(&directory.join(text.value)), span: text.span }
}
