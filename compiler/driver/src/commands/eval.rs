//! `clefc eval`: the value of an expression, by the reference interpreter.

use crate::{
    cli::Eval,
    commands::{
        Outcome,
        interactive::{Evaluated, Evaluator, Line, VALUE},
    },
};
use clef_base::{Diagnostic, codes};
use clef_host::{input::KnownLines, output, say, user_files::reason};
use clef_interpret::{Limits, Outcome as End, TRAP_STATUS};
use clef_session::Session;
use std::io::{self, Read};

/// The name of the text in diagnostics.
const NAME: &str = "<eval>";

/// Checks the text and runs it; prints the value and the type of the expression at its end, unless that is `unit`.
pub(crate) fn eval(session: &mut Session, eval: &Eval) -> Outcome {
    session.enter("read");
    let text = text(eval)?;
    let limits = Limits::default();
    let mut evaluator = Evaluator::start(session, &eval.machine, limits)?;
    match evaluator.run(session, (NAME, text), &KnownLines::default())? {
        Evaluated::Declared(lines) => {
            if let Some(Line::Value(value)) = lines.last()
                && value.name == VALUE
                && value.ty != "unit"
            {
                let shown = value.shown.as_deref().unwrap_or("<fun>");
                output::print(&format!("{shown} : {}\n", value.ty))?;
            }
            Ok(0)
        }
        Evaluated::Exited(status) | Evaluated::Stopped(End::Finished { status }) => Ok(status as u8),
        Evaluated::Stopped(End::Trapped(trap)) => {
            say(&format!("{}\n", trap.report(&session.sources)));
            Ok(TRAP_STATUS as u8)
        }
        Evaluated::Stopped(End::OutOfFuel) => {
            let message = format!("the expression did not end within {} steps", limits.fuel);
            Err(Diagnostic::general(codes::TIMED_OUT, message).help("compile it: `clefc run` has no such limit").into())
        }
    }
}

/// The text of the command line, or of standard input.
fn text(eval: &Eval) -> Result<String, Diagnostic> {
    if eval.expression != "-" {
        return Ok(eval.expression.clone());
    }
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text).map_err(|error| {
        let message = format!("cannot read standard input: {}", reason(&error));
        Diagnostic::general(codes::UNREADABLE_FILE, message).help("pass the expression: `clefc eval '1 + 2'`")
    })?;
    Ok(text)
}
