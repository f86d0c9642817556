//! `clefc eval`: the value of an expression, by the reference interpreter.

use crate::{cli::Eval, commands::Outcome, terminal::Terminal};
use clef_base::{Diagnostic, codes};
use clef_host::{output, say, user_files::reason};
use clef_interpret::{Console, Limits, Outcome as End, TRAP_STATUS};
use clef_psg::{Psg, print::types::type_text};
use clef_session::{Session, machine, pipeline, program::Program};
use clef_types::TargetFacts;
use std::io::{self, Read};

/// The name of the text in diagnostics.
const NAME: &str = "<eval>";

/// Checks the text and runs it; prints the value and the type of the expression at its end, unless that is `unit`.
pub(crate) fn eval(session: &mut Session, terminal: Terminal, eval: &Eval) -> Outcome {
    session.enter("read");
    let text = text(eval)?;
    let machine = machine::resolve(session, &eval.machine.choice(), None)?;
    let program = Program::in_memory(session, [(NAME, text.clone())]);
    let (psg, found) = session.collect(|session| pipeline::graph(session, &program.files, &machine));
    // The value at the end is what is wanted. The place of an expression leaves out parentheses around its last operand.
    let is_last = |diagnostic: &Diagnostic| {
        let ends = diagnostic.primary.as_ref().map(|label| label.span.end as usize);
        let rest = ends.and_then(|end| text.get(end..));
        diagnostic.code == codes::DROPPED_VALUE && rest.is_some_and(|rest| rest.trim_matches(')').trim().is_empty())
    };
    let found: Vec<Diagnostic> = found.into_iter().filter(|diagnostic| !is_last(diagnostic)).collect();
    let Some(psg) = psg else { return Err(found) };
    if !found.is_empty() {
        terminal.diagnostics(&session.sources, &found);
    }
    session.enter("run");
    run(session, &psg, TargetFacts { word_bits: machine.target.value.pointer_bits.bits() })
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

fn run(session: &Session, psg: &Psg, facts: TargetFacts) -> Outcome {
    let (mut input, mut output) = (io::BufReader::new(io::stdin()), io::stdout());
    let (mut errors, mut log) = (io::stderr(), io::stderr());
    let console =
        Console { arguments: &[], input: &mut input, output: &mut output, errors: &mut errors, log: &mut log };
    let limits = Limits::default();
    let (end, shown) = clef_interpret::evaluate(psg, facts, console, limits).map_err(|error| {
        let message = format!("the interpreter cannot go on: {}", reason(&error));
        Diagnostic::general(codes::RUN_BROKE_OFF, message)
    })?;
    if let Some(shown) = shown.filter(|shown| shown.value != "()") {
        output::print(&format!("{} : {}\n", shown.value, type_text(psg, shown.ty)))?;
    }
    match end {
        End::Finished { status } => Ok(status as u8),
        End::Trapped(trap) => {
            say(&format!("{}\n", trap.report(&session.sources)));
            Ok(TRAP_STATUS as u8)
        }
        End::OutOfFuel => {
            let message = format!("the expression did not end within {} steps", limits.fuel);
            Err(Diagnostic::general(codes::TIMED_OUT, message).help("compile it: `clefc run` has no such limit").into())
        }
    }
}
