//! The reference interpreter of the typed PSG: the oracle that every compiled program is compared with.
//!
//! In: a [`Psg`] that was checked without errors. Out: the output of the program, and how it ended. The interpreter knows
//! nothing of Core, closure layout or storage. It shares no code with the runtime except the crate of functions such as
//! `sin`, whose last digit no standard decides; where the two differ, one of them is wrong. Values carry their own types, and
//! functions the types of their type parameters, so that generic code needs no instances. A lambda sees only its parameters and the captures that the PSG lists for it,
//! so that a missing capture is detected here.
//!
//! Tail calls are returned to a loop (a trampoline) and take no host stack. Other nesting takes host stack and is counted:
//! too much of it is the trap "stack overflow", never a crash.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "values are dynamic: any value that a checked program cannot have is the same broken invariant"
)]

mod apply;
mod bits;
mod conversion;
mod evaluate;
mod hash;
mod instantiation;
mod integer;
mod intrinsic;
pub mod live;
pub mod machine;
mod order;
mod pattern;
mod pointer;
mod primitive;
mod show;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod view;

use clef_base::{SourceMap, Span};
use clef_psg::{Psg, VariableId};
use clef_types::{TargetFacts, trap::TrapCause};
use la_arena::ArenaMap;
use std::io::{self, BufRead, Write};
use value::Slot;

/// The input and output of a program.
pub struct Console<'a> {
    /// The arguments of the entry point.
    pub arguments: &'a [String],
    /// Standard input.
    pub input: &'a mut (dyn BufRead + Send),
    /// Standard output.
    pub output: &'a mut (dyn Write + Send),
    /// Standard error; the report of a trap is not written here, but is part of the [`Outcome`].
    pub errors: &'a mut (dyn Write + Send),
    /// Log messages, one line each: the level and the text.
    pub log: &'a mut (dyn Write + Send),
}

/// The limits of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of expressions that may be evaluated before the run is aborted.
    pub fuel: u64,
    /// The maximum nesting of evaluations other than tail calls; each level takes up to [`BYTES_PER_LEVEL`] of host memory.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { fuel: 2_000_000_000, depth: 100_000 }
    }
}

/// Host stack reserved for each level of nesting, with a margin for unoptimised builds.
pub const BYTES_PER_LEVEL: usize = 16 * 1024;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program ended normally.
    Finished {
        /// Its exit status.
        status: i32,
    },
    /// The program trapped.
    Trapped(Trap),
    /// The fuel ran out, or the run was interrupted.
    OutOfFuel,
}

/// The kind and the span of a trap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// Why.
    pub kind: TrapKind,
    /// Its span; a stack overflow has none.
    pub span: Option<Span>,
}

/// The kind of a trap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrapKind {
    /// An integer was divided by zero.
    DivisionByZero,
    /// An index was out of range.
    IndexOutOfRange,
    /// No arm of a match matched.
    NoMatch,
    /// Calls were nested too deeply.
    StackOverflow,
    /// The result of checked arithmetic did not fit.
    Overflow,
    /// An assertion failed.
    AssertionFailed,
    /// An array length was negative.
    NegativeLength,
    /// `failwith`.
    Message(String),
    /// The program used a feature that only real hardware has.
    OnlyOnMachines(&'static str),
}

/// The exit status of a program that trapped.
pub const TRAP_STATUS: i32 = 101;

impl Outcome {
    /// The exit status, if the run ended.
    pub fn status(&self) -> Option<i32> {
        match self {
            Outcome::Finished { status } => Some(*status),
            Outcome::Trapped(_) => Some(TRAP_STATUS),
            Outcome::OutOfFuel => None,
        }
    }
}

impl Trap {
    fn only_on_machines(&self, what: &str, sources: &SourceMap) -> String {
        let place = self.span.map(|span| format!(" at {}", sources.place(span))).unwrap_or_default();
        format!("trap: the interpreter has no {what}{place}")
    }

    /// The line that the runtime writes to standard error, without its terminator.
    pub fn report(&self, sources: &SourceMap) -> String {
        let message = match &self.kind {
            TrapKind::DivisionByZero => TrapCause::DivisionByZero.message(),
            TrapKind::IndexOutOfRange => TrapCause::IndexOutOfRange.message(),
            TrapKind::NoMatch => TrapCause::NoMatch.message(),
            TrapKind::Overflow => TrapCause::Overflow.message(),
            TrapKind::StackOverflow => TrapCause::StackOverflow.message(),
            TrapKind::AssertionFailed => TrapCause::AssertionFailed.message(),
            TrapKind::NegativeLength => TrapCause::NegativeLength.message(),
            TrapKind::Message(message) => message,
            TrapKind::OnlyOnMachines(what) => return self.only_on_machines(what, sources),
        };
        match self.span {
            Some(span) => format!("trap: {message} at {}", sources.place(span)),
            None => format!("trap: {message}"),
        }
    }
}

/// Runs a program. Fails only if the console does, or if the host cannot allocate the stack.
pub fn run<'a>(psg: &'a Psg, facts: TargetFacts, console: Console<'a>, limits: Limits) -> io::Result<Outcome> {
    on_large_stack(limits, || Interpreter::new(psg, facts, console, limits).program())
}

/// Runs `work` on a thread with the stack that the limits require.
fn on_large_stack<T: Send>(limits: Limits, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| match thread(limits).spawn_scoped(scope, work)?.join() {
        Ok(outcome) => outcome,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// A thread with the stack that the limits require.
fn thread(limits: Limits) -> std::thread::Builder {
    let stack = (limits.depth + 1).saturating_mul(BYTES_PER_LEVEL).saturating_add(1 << 20);
    std::thread::Builder::new().name("interpreter".to_owned()).stack_size(stack)
}

/// The state of a run.
struct Interpreter<'a> {
    psg: &'a Psg,
    facts: TargetFacts,
    console: Console<'a>,
    /// The module-level variables that are initialised.
    globals: ArenaMap<VariableId, Slot>,
    /// The string buffers in use, in the order of creation.
    texts: Vec<Vec<u8>>,
    /// The running functions whose traps report another span: the span of each, and that span.
    places: Vec<(Span, Span)>,
    /// The clock in microseconds: each reading adds one, and waiting adds its argument.
    clock: i128,
    fuel: u64,
    /// Whether the run is to be aborted.
    interrupted: fn() -> bool,
    /// The number of further levels that may be nested.
    depth: usize,
}

/// The reason why evaluation stops.
enum Stop {
    /// `exit`.
    Exit(i32),
    Trap(Trap),
    OutOfFuel,
    Console(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Console(error)
    }
}

impl Stop {
    fn trap(kind: TrapKind, span: Span) -> Stop {
        Stop::Trap(Trap { kind, span: Some(span) })
    }

    /// Moves a trap within some code to another span.
    fn moved(self, within: Span, place: Span) -> Stop {
        match self {
            Stop::Trap(Trap { kind, span: Some(span) }) if within.contains(span) => Stop::trap(kind, place),
            stop @ (Stop::Exit(_) | Stop::Trap(_) | Stop::OutOfFuel | Stop::Console(_)) => stop,
        }
    }
}

impl<'a> Interpreter<'a> {
    fn new(psg: &'a Psg, facts: TargetFacts, console: Console<'a>, limits: Limits) -> Interpreter<'a> {
        Interpreter {
            psg,
            facts,
            console,
            globals: ArenaMap::default(),
            texts: Vec::new(),
            places: Vec::new(),
            clock: 0,
            fuel: limits.fuel,
            interrupted: || false,
            depth: limits.depth,
        }
    }

    /// Initialises the modules in order, then runs the entry point.
    fn program(mut self) -> io::Result<Outcome> {
        let psg = self.psg;
        let end = self.items(&psg.items).and_then(|()| self.entry_point());
        self.outcome(end)
    }

    /// How a run ended. Writes what the console has buffered.
    fn outcome(&mut self, end: Result<i32, Stop>) -> io::Result<Outcome> {
        self.console.output.flush()?;
        self.console.errors.flush()?;
        match end {
            Ok(status) | Err(Stop::Exit(status)) => Ok(Outcome::Finished { status }),
            Err(Stop::Trap(trap)) => Ok(Outcome::Trapped(trap)),
            Err(Stop::OutOfFuel) => Ok(Outcome::OutOfFuel),
            Err(Stop::Console(error)) => Err(error),
        }
    }
}
