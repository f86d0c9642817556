//! Bindings of Clef to a library in C, from its header.
//!
//! In: a header, and the arguments of the C compiler, which libclang reads it with. Out: the source of a Clef module with a
//! foreign function for each function, a record for each struct, and so on; and what was left out, with the reason.
//!
//! Holds: the source has no errors, types have the size and the layout that they have in C for the target, and what is not bound
//! is named by a comment in the source. libclang is loaded when a header is read; nothing else needs it.

#![allow(clippy::wildcard_enum_match_arm, reason = "libclang adds kinds of types and declarations in any version")]

mod comment;
mod constants;
mod declarations;
mod enums;
mod filter;
mod names;
mod patterns;
mod records;
mod types;

use clang::{Clang, Entity, EntityKind, Index, TranslationUnit, diagnostic::Severity};
use clef_base::{Diagnostic, codes};
use declarations::Binder;
use filter::Filter;
use std::{fmt::Write as _, path::Path, sync::Mutex};

/// What to bind.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The header.
    pub header: &'a Path,
    /// The name of the Clef module.
    pub module: &'a str,
    /// The arguments of the C compiler, those for the target among them.
    pub arguments: &'a [String],
    /// The names to bind, with `*` for any characters, from all headers, with the types that they need; all names of the
    /// headers that are not the system's, if there is none.
    pub allowed: &'a [String],
}

/// A module, and what is not in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bindings {
    /// The source of the module.
    pub source: String,
    /// What was left out.
    pub omissions: Vec<Omission>,
}

/// A declaration that has no binding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Omission {
    /// Its name in C.
    pub name: String,
    /// Where it is: `crc.h:3:5`.
    pub place: String,
    /// Why it is left out.
    pub reason: String,
}

impl Omission {
    /// The warning.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("`{}` at {} is not bound: {}", self.name, self.place, self.reason);
        Diagnostic {
            severity: clef_base::Severity::Warning,
            ..Diagnostic::general(codes::UNBOUND_DECLARATION, message)
        }
    }
}

/// There is one libclang in a process.
static LIBRARY: Mutex<()> = Mutex::new(());

/// Reads a header.
///
/// # Errors
/// libclang is not installed, the header has errors, or a pattern matches no name.
pub fn bind(request: &Request<'_>) -> Result<Bindings, Vec<Diagnostic>> {
    let _alone = LIBRARY.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let clang = Clang::new().map_err(|reason| vec![missing(&reason)])?;
    let index = Index::new(&clang, false, false);
    let unit = parse(&index, request)?;
    let entities = unit.get_entity().get_children();
    let useless = patterns::useless(&entities, request);
    if !useless.is_empty() {
        return Err(useless);
    }
    let constants = constants::read(&index, &unit, request);
    let filter = Filter::new(request.allowed);
    let values = declarations::values(&entities, &filter, &constants);
    let mut binder = Binder::new(filter, values);
    for entity in entities {
        if let EntityKind::MacroDefinition = entity.get_kind() {
            binder.constant(&entity, &constants);
        } else {
            binder.declaration(&entity);
        }
    }
    Ok(written(binder, request))
}

/// The version of the libclang that [`bind`] would load.
///
/// # Errors
/// libclang is not installed.
pub fn library() -> Result<String, Diagnostic> {
    let _alone = LIBRARY.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let _loaded = Clang::new().map_err(|reason| missing(&reason))?;
    Ok(clang::get_version())
}

fn missing(reason: &str) -> Diagnostic {
    Diagnostic::general(codes::LIBCLANG_MISSING, "cannot load libclang, which reads headers of C")
        .note(reason.lines().next().unwrap_or_default().to_owned())
        .help("install it: `apt install libclang1-22`, or set LIBCLANG_PATH to the directory with libclang.so")
}

/// Parses the header; its errors are reported as those of a file that cannot be used.
fn parse<'i>(index: &'i Index<'_>, request: &Request<'_>) -> Result<TranslationUnit<'i>, Vec<Diagnostic>> {
    let unusable = |message: String| Diagnostic::general(codes::MALFORMED_HEADER, message);
    let name = request.header.display();
    let mut parser = index.parser(request.header);
    parser.arguments(request.arguments).detailed_preprocessing_record(true).skip_function_bodies(true);
    let unit = parser.parse().map_err(|error| vec![unusable(format!("cannot read the header `{name}`: {error}"))])?;
    let errors: Vec<Diagnostic> = unit
        .get_diagnostics()
        .iter()
        .filter(|diagnostic| matches!(diagnostic.get_severity(), Severity::Error | Severity::Fatal))
        .take(MOST_ERRORS)
        .map(|diagnostic| {
            let location = diagnostic.get_location().get_file_location();
            let file = location.file.map(|file| file.get_path().display().to_string());
            let file = file.unwrap_or_else(|| name.to_string());
            let text = diagnostic.get_text();
            let error = unusable(format!("{file}:{}:{}: {text}", location.line, location.column));
            match text.contains("file not found") {
                true => {
                    error.help("name the directory of the file after `--`: `clefc bind a.h -o A.clef -- -I DIRECTORY`")
                }
                false => error.help("pass what the header needs after `--`, for example `-DNAME` or `-include FILE`"),
            }
        })
        .collect();
    if errors.is_empty() { Ok(unit) } else { Err(errors) }
}

/// The number of errors of a header that are reported.
const MOST_ERRORS: usize = 5;

/// The text of the module.
fn written(binder: Binder<'_>, request: &Request<'_>) -> Bindings {
    let file = request.header.file_name().unwrap_or_default().to_string_lossy();
    let mut source = format!("/// Bindings of {file}, generated by `clefc bind`.\nmodule {}\n", request.module);
    let (items, omissions) = binder.finish();
    for item in items {
        let _ = write!(source, "\n{item}");
    }
    Bindings { source: clef_format::generated(source), omissions }
}

/// The place of a declaration, with the name of its file only.
pub(crate) fn place(entity: &Entity<'_>) -> String {
    let Some(location) = entity.get_location() else { return "an unknown place".to_owned() };
    let location = location.get_file_location();
    let path = location.file.map(|file| file.get_path()).unwrap_or_default();
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("{file}:{}:{}", location.line, location.column)
}
