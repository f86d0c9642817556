//! A program that is entered part by part, and runs on the reference interpreter: what `clefc eval` and `clefc repl` share.

use crate::cli::MachineOptions;
use clef_base::{Diagnostic, codes};
use clef_host::{
    cleanup,
    input::{KnownLines, StandardInput},
    user_files::reason,
};
use clef_interpret::{
    Limits,
    live::{Ended, Live, Part, Streams},
};
use clef_psg::{Mutability, Psg, VariableId};
use clef_session::{Session, machine, pipeline::interactive::Interactive};
use clef_types::TypeKind;
use std::{io, sync::Arc};

use clef_check::entries::{Checked, Declared};
pub(crate) use clef_syntax::entry::VALUE;

/// A program so far, with its values.
pub(crate) struct Evaluator {
    program: Interactive,
    live: Live,
}

/// What an entry has declared.
pub(crate) enum Line {
    /// A value or a function.
    Value(Value),
    /// A type of that name.
    Type(String),
    /// A module of that name.
    Module(String),
}

/// A value or a function.
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) mutable: bool,
    pub(crate) ty: String,
    /// The value as `%A` writes it; functions have none.
    pub(crate) shown: Option<String>,
}

/// How an entry ended.
pub(crate) enum Evaluated {
    /// It has run to its end, and declares this.
    Declared(Vec<Line>),
    /// It called `exit`.
    Exited(i32),
    /// It trapped, was interrupted, or took too long.
    Stopped(clef_interpret::Outcome),
}

impl Evaluator {
    /// A program without entries.
    pub(crate) fn start(
        session: &mut Session,
        options: &MachineOptions,
        limits: Limits,
    ) -> Result<Evaluator, Vec<Diagnostic>> {
        let machine = machine::resolve(session, &options.choice(), None)?;
        let program = Interactive::new(session, machine);
        let live = Live::start(program.facts(), limits, cleanup::is_interrupted).map_err(|error| broken(&error))?;
        Ok(Evaluator { program, live })
    }

    /// Checks an entry and runs it; it reads the known lines, and then standard input. `name` is its file in messages.
    pub(crate) fn run(
        &mut self,
        session: &mut Session,
        (name, text): (&str, String),
        known: &KnownLines,
    ) -> Result<Evaluated, Vec<Diagnostic>> {
        let checked = self.program.check(session, name, text)?;
        session.enter("run");
        let psg = Arc::new(checked.psg().clone());
        let shown = values(&checked).filter(|variable| !is_function(&psg, *variable)).collect();
        let streams = Streams {
            input: Box::new(StandardInput::after(known)),
            output: Box::new(io::stdout()),
            errors: Box::new(io::stderr()),
            log: Box::new(io::stderr()),
        };
        let ended = self.live.run(Part { psg: Arc::clone(&psg), shown, streams });
        let lines = match &ended {
            Ok(Ended::Shown(texts)) => lines(&psg, &checked, texts),
            Ok(Ended::Exited(_) | Ended::Stopped(_)) | Err(_) => {
                self.program.add_unnamed(checked);
                return match ended {
                    Ok(Ended::Exited(status)) => Ok(Evaluated::Exited(status)),
                    Ok(Ended::Stopped(outcome)) => Ok(Evaluated::Stopped(outcome)),
                    Ok(Ended::Shown(_)) => Ok(Evaluated::Declared(Vec::new())),
                    Err(_) if cleanup::is_interrupted() => Ok(Evaluated::Stopped(clef_interpret::Outcome::OutOfFuel)),
                    Err(error) => Err(broken(&error).into()),
                };
            }
        };
        self.program.add(checked);
        Ok(Evaluated::Declared(lines))
    }

    /// The type of an expression, which does not run.
    pub(crate) fn type_of(
        &self,
        session: &mut Session,
        name: &str,
        text: String,
    ) -> Result<Option<String>, Vec<Diagnostic>> {
        let checked = self.program.check(session, name, text)?;
        let psg = checked.psg();
        let value = values(&checked).last().filter(|variable| psg.variables[*variable].name.as_str() == VALUE);
        Ok(value.map(|variable| checked.type_of(variable).to_owned()))
    }
}

fn broken(error: &io::Error) -> Diagnostic {
    let message = format!("the interpreter cannot go on: {}", reason(error));
    Diagnostic::general(codes::RUN_BROKE_OFF, message)
}

fn values(checked: &Checked) -> impl Iterator<Item = VariableId> {
    let value = |declared: &Declared| match declared {
        Declared::Value(variable) => Some(*variable),
        Declared::Type(_) | Declared::Module(_) => None,
    };
    checked.declared().iter().filter_map(value)
}

/// Whether a variable is a function.
fn is_function(psg: &Psg, variable: VariableId) -> bool {
    matches!(psg.types.kind(psg.variables[variable].ty), TypeKind::Function(..))
}

/// What an entry declares; `texts` are its values that are no functions.
fn lines(psg: &Psg, checked: &Checked, texts: &[String]) -> Vec<Line> {
    let mut texts = texts.iter();
    let line = |declared: &Declared| match declared {
        Declared::Type(name) => Line::Type(name.to_string()),
        Declared::Module(name) => Line::Module(name.to_string()),
        Declared::Value(variable) => {
            let data = &psg.variables[*variable];
            let shown = if is_function(psg, *variable) { None } else { texts.next().cloned() };
            let mutable = data.mutability == Mutability::Mutable;
            let is_operator = !data.name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_');
            let name = if is_operator { format!("({})", data.name) } else { data.name.to_string() };
            Line::Value(Value { name, mutable, ty: checked.type_of(*variable).to_owned(), shown })
        }
    };
    checked.declared().iter().map(line).collect()
}
