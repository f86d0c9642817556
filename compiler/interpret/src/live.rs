//! Programs that grow while they run: what they define and change stays from one part to the next.
//!
//! In: the graph of a program, and then graphs that extend it: each has the same variables, lambdas, cases and items as
//! the one before, and more. Out: for each, how its new items ended, and values as strings.
//!
//! Nothing runs twice. Values hold places in the graph, which stay valid in every later graph, and are kept in a thread
//! of their own between the parts. If a part ends early, its functions are defined nevertheless, since members of types
//! and values of earlier parts may refer to them.

use crate::{Console, Interpreter, Limits, Outcome, Stop, show, thread, value::Slot};
use clef_psg::{Item, NodeKind, Psg, VariableId};
use clef_types::TargetFacts;
use la_arena::ArenaMap;
use std::{
    io::{self, BufRead, Write},
    panic,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread::JoinHandle,
};

/// The next part of a program.
pub struct Part {
    /// The graph, which extends that of the last part.
    pub psg: Arc<Psg>,
    /// The variables whose values are wanted afterwards.
    pub shown: Vec<VariableId>,
    /// The input and output.
    pub streams: Streams,
}

/// The input and output of a part: those of a [`Console`].
pub struct Streams {
    /// Standard input.
    pub input: Box<dyn BufRead + Send>,
    /// Standard output.
    pub output: Box<dyn Write + Send>,
    /// Standard error.
    pub errors: Box<dyn Write + Send>,
    /// Log messages.
    pub log: Box<dyn Write + Send>,
}

/// How a part ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All of it has run. The wanted values, as `%A` writes them.
    Shown(Vec<String>),
    /// It called `exit`.
    Exited(i32),
    /// It trapped, or was aborted.
    Stopped(Outcome),
}

/// A running program.
pub struct Live {
    parts: Sender<Part>,
    results: Receiver<io::Result<Ended>>,
    /// `None` once it has ended.
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// Starts a program without parts. The limits are those of each part, which `interrupted` aborts too. Fails if the
    /// host cannot allocate the stack.
    pub fn start(facts: TargetFacts, limits: Limits, interrupted: fn() -> bool) -> io::Result<Live> {
        let (parts, received) = channel::<Part>();
        let (sender, results) = channel();
        let thread = thread(limits).spawn(move || {
            let mut memory = Memory { globals: ArenaMap::default(), clock: 0, items: 0 };
            for part in received {
                if sender.send(memory.run(part, facts, limits, interrupted)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Live { parts, results, thread: Some(thread) })
    }

    /// Runs the new items of the next part. Fails only if the console does.
    pub fn run(&mut self, part: Part) -> io::Result<Ended> {
        let sent = self.parts.send(part).ok();
        if let Some(ended) = sent.and_then(|()| self.results.recv().ok()) {
            return ended;
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(bug)) => panic::resume_unwind(bug),
            Some(Ok(())) | None => clef_base::internal::bug("interpret", None, "the interpreter ended early"),
        }
    }
}

/// What stays between two parts.
struct Memory {
    globals: ArenaMap<VariableId, Slot>,
    clock: i128,
    /// The number of items that have run.
    items: usize,
}

impl Memory {
    fn run(&mut self, part: Part, facts: TargetFacts, limits: Limits, interrupted: fn() -> bool) -> io::Result<Ended> {
        let Part { psg, shown, mut streams } = part;
        let console = Console {
            arguments: &[],
            input: &mut *streams.input,
            output: &mut *streams.output,
            errors: &mut *streams.errors,
            log: &mut *streams.log,
        };
        let mut interpreter = Interpreter {
            globals: std::mem::take(&mut self.globals),
            clock: self.clock,
            interrupted,
            ..Interpreter::new(&psg, facts, console, limits)
        };
        let end = interpreter.part(&psg.items[self.items..], &shown);
        self.items = psg.items.len();
        self.clock = interpreter.clock;
        let ended = match end {
            Ok(texts) => interpreter.outcome(Ok(0)).map(|_| Ended::Shown(texts)),
            Err(Stop::Exit(status)) => interpreter.outcome(Ok(status)).map(|_| Ended::Exited(status)),
            Err(stop) => interpreter.outcome(Err(stop)).map(Ended::Stopped),
        };
        self.globals = interpreter.globals;
        ended
    }
}

impl Interpreter<'_> {
    /// Runs items; returns the values of variables as strings.
    fn part(&mut self, items: &[Item], shown: &[VariableId]) -> Result<Vec<String>, Stop> {
        for (index, item) in items.iter().enumerate() {
            if let Err(stop) = self.item(item) {
                self.define_functions(&items[index + 1..]);
                return Err(stop);
            }
        }
        shown.iter().map(|&variable| self.shown(variable)).collect()
    }

    /// Defines the functions among some items, which runs nothing.
    fn define_functions(&mut self, items: &[Item]) {
        let is_function = |item: &&Item| match item {
            Item::Let(binding) => matches!(self.psg.nodes[binding.value].kind, NodeKind::Lambda(_)),
            Item::Recursive(_) => true,
            Item::Effect(_) => false,
        };
        let functions: Vec<&Item> = items.iter().filter(is_function).collect();
        (self.fuel, self.interrupted) = (u64::MAX, || false);
        for function in functions {
            if self.item(function).is_err() {
                return;
            }
        }
    }

    fn shown(&mut self, variable: VariableId) -> Result<String, Stop> {
        let span = self.psg.variables[variable].span;
        let value = self.module_value(variable, span)?;
        Ok(show::show(self.psg, &self.seen(&value, span)?))
    }
}
