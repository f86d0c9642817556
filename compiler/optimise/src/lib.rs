//! Rewriting of Core: fewer closures, fewer captures, more known calls.
//!
//! In: Core that verifies. Out: Core that verifies and does the same, in the same order of effects, calls and traps. Each
//! rewrite is a file that states its condition. Without optimisation only what is never reached is removed and function
//! values are stored by value, so that a debugger finds the functions and variables of the source.

mod at_call;
mod dead;
mod dispatch;
mod inline;
mod inputs;
mod lift;
mod names;
mod propagate;
mod rename;
mod size;
mod slots;
mod specialise;

use clef_core::{FunctionId, Program, capture_parts, dead_functions, verify};

/// How much is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Nothing that a debugger would notice: `-O0`.
    Debug,
    /// For speed: `-O1` to `-O3`.
    Speed,
    /// For size: `-Os` and `-Oz`.
    Size,
}

/// How far code may grow.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The largest function that is inlined everywhere.
    small: usize,
    /// The largest function that is inlined where it is called from one place only.
    once: usize,
    /// The largest function marked `inline` that is inlined.
    marked: usize,
    /// The largest function into which is inlined.
    caller: usize,
    /// The size of all specialised copies together.
    specialised: usize,
    /// How often a copy may be specialised again.
    depth: usize,
}

impl Limits {
    fn of(level: Level, program: &Program) -> Limits {
        let total: usize = program.functions.iter().map(|(_, function)| size::size(&function.body)).sum();
        match level {
            Level::Debug | Level::Size => {
                Limits { small: 3, once: 400, marked: 40, caller: 2000, specialised: total / 4 + 50, depth: 2 }
            }
            Level::Speed => {
                Limits { small: 15, once: 600, marked: 200, caller: 4000, specialised: 2 * total + 500, depth: 8 }
            }
        }
    }
}

/// How often the rewrites that open ways for each other are tried.
const ROUNDS: usize = 5;

/// How often at most, as long as specialisation finds something: each round opens one closure that another one holds.
const MOST_ROUNDS: usize = 12;

/// Simplifies a program.
pub fn simplify(mut program: Program, level: Level) -> Program {
    step(&mut program, "at call", at_call::expand);
    match level {
        Level::Debug => step(&mut program, "slots", slots::store_by_value),
        Level::Speed | Level::Size => optimise(&mut program, level),
    }
    step(&mut program, "dead functions", dead_functions::remove);
    program
}

fn optimise(program: &mut Program, level: Level) {
    let limits = Limits::of(level, program);
    let mut specialisations = specialise::Specialisations::default();
    for round in 1..=MOST_ROUNDS {
        step(program, "propagate", propagate::propagate);
        step(program, "dead", dead::remove);
        step(program, "lift", lift::lift);
        step(program, "inline", |program| inline::inline(program, &limits));
        step(program, "propagate", propagate::propagate);
        let mut found = false;
        step(program, "specialise", |program| found = specialisations.run(program, &limits));
        if round >= ROUNDS && !found {
            break;
        }
    }
    // From here on the signatures of functions change, so no copy for a call made before can be used again.
    for round in 0..ROUNDS {
        step(program, "propagate", propagate::propagate);
        step(program, "dead", dead::remove);
        step(program, "dead functions", dead_functions::remove);
        step(program, "dispatch", dispatch::resolve);
        step(program, "capture parts", |program| {
            capture_parts(program);
        });
        step(program, "propagate", propagate::propagate);
        step(program, "inputs", inputs::drop_inputs);
        step(program, "lift", lift::lift);
        step(program, "inline", |program| inline::inline(program, &limits));
        // Before, it is not seen where most stored values were made; afterwards, what is called is known.
        if round == 0 {
            step(program, "slots", slots::store_by_value);
        }
    }
    step(program, "propagate", propagate::propagate);
    step(program, "dead", dead::remove);
}

/// Does one rewrite; while the compiler is being tested, with a check of what it left.
fn step(program: &mut Program, name: &'static str, rewrite: impl FnOnce(&mut Program)) {
    rewrite(program);
    if cfg!(debug_assertions) {
        verify::assert_valid(program, name);
    }
}

/// Says of every allocation in a function that it is the function's.
fn adopt_allocations(program: &mut Program, id: FunctionId) {
    let Program { functions, allocations, .. } = program;
    functions[id].body.each_statement(&mut |statement| {
        for allocation in statement.allocations() {
            allocations[allocation].function = id;
        }
    });
}
