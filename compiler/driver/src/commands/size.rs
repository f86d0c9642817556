//! `clefc size`: shows what the bytes of an image are used for.

use crate::{
    cli::Size,
    commands::{
        Outcome,
        job::{job, title},
    },
};
use clef_base::{Diagnostic, codes, internal::bug};
use clef_host::output::{self, Mode};
use clef_image::size::{self, Sizes};
use clef_session::{Session, emit::Emit, pipeline, products::Compilation, program};
use serde::Serialize;
use std::path::Path;

/// Compiles, and prints the sizes or their changes.
pub(crate) fn size(session: &mut Session, size: &Size) -> Outcome {
    let (options, before) = (&size.measurement, size.diff.as_deref());
    let before = before.map(|path| read(session, path)).transpose()?;
    let program = program::read(session, &options.program.files)?;
    let job = job(session, &program, &options.program.machine, &options.code)?;
    let Compilation { sizes, .. } = pipeline::compile(session, &job, &[Emit::Elf])?;
    let Some(sizes) = sizes else { bug("size", None, "the pipeline produced no image") };
    if let Some(path) = &options.html {
        let page = size::html(&sizes, &title(&program, &job));
        session.files.write(path, page.as_bytes(), Mode::Plain)?;
        return Ok(0);
    }
    let text = match before {
        None if options.json => json(&sizes),
        None => size::text(&sizes, options.top),
        Some(before) => {
            let changes = size::changes(&before, &sizes);
            if options.json { json(&changes) } else { size::changes_text(&changes, options.top) }
        }
    };
    output::print(&text)?;
    Ok(0)
}

/// Reads the sizes that an earlier run printed.
fn read(session: &Session, path: &Path) -> Result<Sizes, Diagnostic> {
    let bytes = session.files.bytes(path)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let shown = path.display();
        let message = match bytes.starts_with(b"\x7fELF") {
            true => format!("`{shown}` is an image; the changes are those to the output of `clefc size --json`"),
            false => format!("`{shown}` is not the output of `clefc size --json`: {error}"),
        };
        Diagnostic::general(codes::UNSUITABLE_OPTION, message)
            .help("create it from the earlier program: `clefc size --json FILE > before.json`")
    })
}

fn json(value: &impl Serialize) -> String {
    match serde_json::to_string_pretty(value) {
        Ok(text) => text + "\n",
        Err(error) => bug("size", None, format!("sizes are always valid JSON: {error}")),
    }
}
