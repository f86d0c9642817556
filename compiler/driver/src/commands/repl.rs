//! `clefc repl`: entries are read, checked and run one after the other, by the reference interpreter.
//!
//! In: lines. Out: the values of expressions and what is declared, on standard output; errors and traps on standard error. What an
//! entry declares and changes stays, in the graph and in the memory of the interpreter: no entry runs again. An entry that has an
//! error is not run; one that traps or is interrupted declares nothing, but what it has done is done.

mod entries;
mod lines;

use crate::{
    cli::Repl,
    commands::{
        Outcome,
        interactive::{Evaluated, Evaluator, Line, Value},
    },
    terminal::Terminal,
};
use clef_base::Diagnostic;
use clef_host::{
    cleanup::{self, Answer},
    input::KnownLines,
    output, say,
};
use clef_interpret::{Limits, Outcome as End};
use clef_session::Session;
use entries::Read;
use lines::Lines;
use std::path::Path;

const GREETING: &str = concat!("clefc ", env!("CARGO_PKG_VERSION"), "; :help explains the commands, Ctrl-D ends\n");

const HELP: &str = "\
An expression prints its value, which is named `it`; declarations stay. An entry of several
lines ends with an empty line or with `;;`. Ctrl-C ends a running entry.

:help        prints this
:type EXPR   prints the type of an expression, and does not evaluate it
:load FILE   runs the declarations of a file
:quit        ends, as Ctrl-D does
";

/// The state of a session.
struct Conversation<'a> {
    session: &'a mut Session,
    terminal: Terminal,
    evaluator: Evaluator,
    /// What a running entry reads first.
    known: KnownLines,
    is_terminal: bool,
    /// The number of entries so far.
    entries: usize,
    /// Whether some entry had an error or trapped.
    failed: bool,
}

/// What follows an entry.
enum Next {
    Read,
    /// The end, with a status if the program has one.
    End(Option<i32>),
}

/// Runs entries until the input is over.
pub(crate) fn repl(session: &mut Session, terminal: Terminal, options: &Repl) -> Outcome {
    let limits = Limits { fuel: u64::MAX, ..Limits::default() };
    let evaluator = Evaluator::start(session, &options.machine, limits)?;
    let mut lines = Lines::open()?;
    let (known, is_terminal) = (lines.known().clone(), lines.is_terminal());
    let mut conversation = Conversation { session, terminal, evaluator, known, is_terminal, entries: 0, failed: false };
    for file in &options.files {
        if let Next::End(Some(status)) = conversation.load(file)? {
            return Ok(status as u8);
        }
    }
    if is_terminal {
        output::print(GREETING)?;
    }
    let status = loop {
        let next = match entries::next(&mut lines)? {
            Read::End => break None,
            Read::Entry(text) => {
                lines.remember(&text);
                conversation.entry(text)?
            }
            Read::Command(command) => {
                lines.remember(&format!(":{command}"));
                conversation.command(&command)?
            }
        };
        if let Next::End(status) = next {
            break status;
        }
    };
    let failed = conversation.failed && !is_terminal;
    Ok(status.map_or(if failed { crate::USER_ERROR } else { 0 }, |status| status as u8))
}

impl Conversation<'_> {
    fn entry(&mut self, text: String) -> Result<Next, Diagnostic> {
        if let Some((directive, command)) = meant_command(&text) {
            self.misused(&format!("commands begin with a colon: write `:{command}`, not `#{directive}`"));
            return Ok(Next::Read);
        }
        let name = self.name();
        self.run(&name, text)
    }

    /// The name of the next entry in messages.
    fn name(&mut self) -> String {
        self.entries += 1;
        format!("<entry {}>", self.entries)
    }

    fn command(&mut self, command: &str) -> Result<Next, Diagnostic> {
        let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let argument = argument.trim();
        match (name, argument) {
            ("quit", "") => return Ok(Next::End(None)),
            ("help", "") => output::print(HELP)?,
            ("type", expression) if !expression.is_empty() => self.print_type(expression)?,
            ("load", file) if !file.is_empty() => return self.load(Path::new(file)),
            ("type" | "load", _) => self.misused(&format!("`:{name}` needs an argument; :help explains the commands")),
            ("quit" | "help", _) => self.misused(&format!("`:{name}` has no argument")),
            _ => self.misused(&format!("there is no command `:{name}`; :help lists those that there are")),
        }
        Ok(Next::Read)
    }

    fn misused(&mut self, message: &str) {
        self.failed = true;
        say(&format!("{message}\n"));
    }

    fn print_type(&mut self, expression: &str) -> Result<(), Diagnostic> {
        let name = self.name();
        match self.evaluator.type_of(self.session, &name, expression.trim_end_matches(";;").to_owned()) {
            Ok(Some(ty)) => output::print(&format!("{ty}\n"))?,
            Ok(None) => self.misused("`:type` needs an expression, not a declaration"),
            Err(errors) => self.report(errors),
        }
        Ok(())
    }

    fn load(&mut self, file: &Path) -> Result<Next, Diagnostic> {
        match self.session.files.source(file, None) {
            Ok(text) => self.run(&file.display().to_string(), text),
            Err(error) => {
                self.report(vec![error]);
                Ok(Next::Read)
            }
        }
    }

    /// Runs an entry, and prints what comes of it. A signal that would end us ends the entry.
    fn run(&mut self, name: &str, text: String) -> Result<Next, Diagnostic> {
        cleanup::answer(Answer::Flag);
        let evaluated = self.evaluator.run(self.session, (name, text), &self.known);
        let is_interrupted = cleanup::is_interrupted();
        cleanup::forget_interrupts();
        cleanup::answer(Answer::End);
        match evaluated {
            Ok(Evaluated::Declared(lines)) => {
                let texts: Vec<String> = lines.iter().filter_map(declaration).collect();
                output::print(&texts.concat())?;
            }
            Ok(Evaluated::Exited(status)) => return Ok(Next::End(Some(status))),
            Ok(Evaluated::Stopped(End::Trapped(trap))) => {
                self.failed = true;
                say(&format!("{}\n", trap.report(&self.session.sources)));
            }
            Ok(Evaluated::Stopped(End::OutOfFuel | End::Finished { .. })) => {
                self.failed = true;
                // A terminal shows `^C` before it.
                let line_end = if self.is_terminal { "\n" } else { "" };
                let why = if is_interrupted { "interrupted" } else { "the entry took too many steps" };
                say(&format!("{line_end}{why}\n"));
            }
            Err(errors) => self.report(errors),
        }
        Ok(Next::Read)
    }

    fn report(&mut self, errors: Vec<Diagnostic>) {
        self.failed = true;
        let errors = self.session.judged(errors);
        self.terminal.diagnostics(&self.session.sources, &errors);
    }
}

/// A directive of F# Interactive, and the command that does the same.
fn meant_command(entry: &str) -> Option<(&str, &'static str)> {
    let directive = entry.trim_start().strip_prefix('#')?.split(|c: char| !c.is_alphanumeric()).next()?;
    let command = match directive {
        "quit" | "q" => "quit",
        "help" | "h" => "help",
        "load" | "l" => "load FILE",
        _ => return None,
    };
    Some((directive, command))
}

/// The line that shows a declaration; the value of an effect is not shown.
fn declaration(line: &Line) -> Option<String> {
    match line {
        Line::Type(name) => Some(format!("type {name}\n")),
        Line::Module(name) => Some(format!("module {name}\n")),
        Line::Value(Value { ty, name, .. }) if ty == "unit" && name == super::interactive::VALUE => None,
        Line::Value(Value { name, mutable, ty, shown }) => {
            let mutable = if *mutable { "mutable " } else { "" };
            let shown = shown.as_ref().map(|shown| format!(" = {shown}")).unwrap_or_default();
            Some(format!("val {mutable}{name}: {ty}{shown}\n"))
        }
    }
}
