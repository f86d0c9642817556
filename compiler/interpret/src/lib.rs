//! The reference interpreter of the typed PSG: the oracle that every compiled program is compared with.
//!
//! In: a [`Psg`] that was checked without errors. Out: what the program writes, and how it ends. It knows nothing of Core,
//! closures' layout or storage, and shares no code with the runtime but the crate of functions such as `sin`, whose last
//! digit no standard decides; where the two differ, one of them is wrong. Values
//! carry their own types, so that polymorphic code needs no instances. A lambda sees nothing but its parameters and the
//! captures that the PSG lists for it, so that a capture that was not found shows here.
//!
//! Tail calls are returned to a loop (a trampoline) and take no host stack. Other nesting takes host stack, which is
//! counted: too much of it is the trap "stack overflow", never a crash.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "values are dynamic: what a checked program cannot hold is one broken invariant, whatever it is"
)]

mod apply;
mod bits;
mod conversion;
mod evaluate;
mod hash;
mod integer;
mod intrinsic;
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
use clef_types::TargetFacts;
use la_arena::ArenaMap;
use std::io::{self, BufRead, Write};
use value::Slot;

/// Where a program reads and writes.
pub struct Console<'a> {
    /// What the entry point is given.
    pub arguments: &'a [String],
    /// Standard input.
    pub input: &'a mut (dyn BufRead + Send),
    /// Standard output.
    pub output: &'a mut (dyn Write + Send),
    /// Standard error; the report of a trap is not written here, but is part of the [`Outcome`].
    pub errors: &'a mut (dyn Write + Send),
    /// Messages of the log, a line each: the level and the text.
    pub log: &'a mut (dyn Write + Send),
}

/// What a run may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How many expressions are evaluated before the run is given up.
    pub fuel: u64,
    /// How deep evaluations that are not tail calls may nest; each level takes up to [`BYTES_PER_LEVEL`] of host memory.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { fuel: 2_000_000_000, depth: 100_000 }
    }
}

/// Host stack reserved for each level of nesting, with ample reserve for builds that are not optimised.
pub const BYTES_PER_LEVEL: usize = 16 * 1024;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program ended by itself.
    Finished {
        /// Its exit status.
        status: i32,
    },
    /// The program stopped itself.
    Trapped(Trap),
    /// The fuel was used up.
    OutOfFuel,
}

/// Why and where a program stopped itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// Why.
    pub kind: TrapKind,
    /// Where; a stack overflow has no place.
    pub span: Option<Span>,
}

/// Why a program stopped itself.
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
    /// The result of checked arithmetic does not fit.
    Overflow,
    /// An assertion did not hold.
    AssertionFailed,
    /// An array was to have fewer than no elements.
    NegativeLength,
    /// `failwith`.
    Message(String),
    /// The program does what only a machine can.
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

    /// The line that the runtime writes to standard error, without its end.
    pub fn report(&self, sources: &SourceMap) -> String {
        let message = match &self.kind {
            TrapKind::DivisionByZero => "division by zero",
            TrapKind::IndexOutOfRange => "index out of range",
            TrapKind::NoMatch => "no match",
            TrapKind::Overflow => "arithmetic overflow",
            TrapKind::StackOverflow => "stack overflow",
            TrapKind::AssertionFailed => "assertion failed",
            TrapKind::NegativeLength => "negative length",
            TrapKind::Message(message) => message,
            TrapKind::OnlyOnMachines(what) => return self.only_on_machines(what, sources),
        };
        match self.span {
            Some(span) => format!("trap: {message} at {}", sources.place(span)),
            None => format!("trap: {message}"),
        }
    }
}

/// Runs a program. Fails only where the console does, or where the host gives no memory for the stack.
pub fn run<'a>(psg: &'a Psg, facts: TargetFacts, console: Console<'a>, limits: Limits) -> io::Result<Outcome> {
    let stack = (limits.depth + 1).saturating_mul(BYTES_PER_LEVEL).saturating_add(1 << 20);
    std::thread::scope(|scope| {
        let interpreter = std::thread::Builder::new()
            .name("interpreter".to_owned())
            .stack_size(stack)
            .spawn_scoped(scope, || Interpreter::new(psg, facts, console, limits).program())?;
        match interpreter.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The state of a run.
struct Interpreter<'a> {
    psg: &'a Psg,
    facts: TargetFacts,
    console: Console<'a>,
    /// The module-level variables that are initialised.
    globals: ArenaMap<VariableId, Slot>,
    /// The strings that are being put together, in the order in which they were begun.
    texts: Vec<Vec<u8>>,
    /// The functions that run whose traps name another place: where each stands, and that place.
    places: Vec<(Span, Span)>,
    /// Microseconds: each look at the clock takes one, and waiting what it is told.
    clock: i128,
    fuel: u64,
    /// How many further levels may be nested.
    depth: usize,
}

/// Why evaluation does not go on.
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

    /// A trap within some code, at another place.
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
            depth: limits.depth,
        }
    }

    /// Initialises the modules in order, then runs the entry point.
    fn program(mut self) -> io::Result<Outcome> {
        let end = self.items().and_then(|()| self.entry_point());
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
