//! `clefc stack`: shows the stack that the functions of a program need.

use crate::{
    cli::Stack,
    commands::{
        Outcome,
        job::{job, title},
    },
    terminal::Terminal,
};
use clef_base::internal::bug;
use clef_host::output::{self, Mode};
use clef_image::bound::{self, Bound, Bounds, Calls};
use clef_session::{Session, emit::Emit, pipeline, products::Compilation, program};
use serde::Serialize;

/// Compiles, and prints the calls and their needs.
pub(crate) fn stack(session: &mut Session, terminal: Terminal, stack: &Stack) -> Outcome {
    let options = &stack.measurement;
    let program = program::read(session, &options.program.files)?;
    let job = job(session, &program, &options.program.machine, &options.code)?;
    let Compilation { bounds, calls, .. } = pipeline::compile(session, &job, &[Emit::Elf])?;
    let (Some(bounds), Some(calls)) = (bounds, calls) else { bug("stack", None, "the pipeline produced no image") };
    let text = match &options.html {
        None if options.json => json(&bounds.stack, &calls),
        None => {
            terminal.bounds(&session.sources, &bounds);
            bound::text(&calls, options.top)
        }
        Some(path) => {
            let Bounds { stack, .. } = &bounds;
            let page = bound::html(&calls, &title(&program, &job), &stack.text("stack", &session.sources));
            session.files.write(path, page.as_bytes(), Mode::Plain)?;
            return Ok(0);
        }
    };
    output::print(&text)?;
    Ok(0)
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Listing<'a> {
    /// The bytes that the program may need; nothing if there is no bound.
    bytes: Option<u64>,
    #[serde(flatten)]
    calls: &'a Calls,
}

fn json(bound: &Bound, calls: &Calls) -> String {
    match serde_json::to_string_pretty(&Listing { bytes: bound.bytes(), calls }) {
        Ok(text) => text + "\n",
        Err(error) => bug("stack", None, format!("calls are always valid JSON: {error}")),
    }
}
