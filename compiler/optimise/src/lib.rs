//! Optimisation of Core: fewer closures, fewer captures, more known calls.
//!
//! In: Core that verifies. Out: Core that verifies and behaves the same, with the same order of effects, calls and
//! traps. Each rewrite is a file that states its condition. Without optimisation only unreachable code is removed and
//! function values are stored by value, so that a debugger finds the functions and variables of the source.

mod appends;
mod arms;
mod at_call;
mod counts;
mod dead;
mod dispatch;
mod fingerprint;
mod flatten;
mod fuse;
mod guards;
mod inline;
mod inputs;
mod lift;
mod modulo_cons;
mod names;
mod propagate;
mod rename;
mod reuse;
mod size;
mod slots;
mod specialise;
mod texts;
mod writes;

use clef_core::{FunctionId, Program, capture_parts, dead_functions, verify};

/// The level of optimisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Nothing that is visible in a debugger: `-O0`.
    Debug,
    /// For speed: `-O1` to `-O3`.
    Speed,
    /// For size: `-Os` and `-Oz`.
    Size,
}

/// Limits on code growth.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The largest function that is inlined at every call.
    small: usize,
    /// The largest function that is inlined if it is called from one place only.
    once: usize,
    /// The largest function marked `inline` that is inlined.
    marked: usize,
    /// The maximum size of a function that others are inlined into.
    caller: usize,
    /// The total size of all specialised copies.
    specialised: usize,
    /// How often a copy may be specialised again.
    depth: usize,
}

impl Limits {
    fn of(level: Level, program: &Program) -> Limits {
        let total: usize = program.functions.iter().map(|(_, function)| size::size(&function.body)).sum();
        match level {
            Level::Debug | Level::Size => {
                Limits { small: 3, once: 400, marked: 2000, caller: 2000, specialised: total / 4 + 50, depth: 2 }
            }
            Level::Speed => {
                Limits { small: 15, once: 600, marked: 4000, caller: 4000, specialised: 2 * total + 500, depth: 8 }
            }
        }
    }
}

/// The maximum number of rounds of specialisation, each of which opens one closure that is held by another one.
const SPECIALISATION_ROUNDS: usize = 12;

/// The maximum number of rounds of the other rewrites that enable each other.
const ROUNDS: usize = 5;

/// The rewrites of every level, so that places of traps and the storage of arrays do not depend on the level. Running them again changes nothing.
pub fn substitute(program: &mut Program) {
    step(program, "at call", at_call::expand);
    step(program, "counts", counts::pass_literals);
}

/// Simplifies a program.
pub fn simplify(mut program: Program, level: Level) -> Program {
    substitute(&mut program);
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
    step(program, "propagate", propagate::propagate);
    step(program, "modulo cons", modulo_cons::rewrite);
    let mut state = fingerprint::of(program);
    for _ in 0..SPECIALISATION_ROUNDS {
        step(program, "propagate", propagate::propagate);
        step(program, "dead", dead::remove);
        step(program, "lift", lift::lift);
        step(program, "inline", |program| inline::inline(program, &limits));
        // A function whose calls are all inlined or specialised would be visited in each round, and what it alone calls
        // would not be called from one place only.
        step(program, "dead functions", |program| specialisations.remove_dead(program));
        step(program, "propagate", propagate::propagate);
        let mut found = false;
        step(program, "specialise", |program| found = specialisations.run(program, &limits));
        let at_start = std::mem::replace(&mut state, fingerprint::of(program));
        if !found && state == at_start {
            break;
        }
    }
    // From here on the signatures of functions change, so copies made for earlier calls cannot be reused.
    for round in 0..ROUNDS {
        step(program, "propagate", propagate::propagate);
        step(program, "arms", arms::place);
        step(program, "propagate", propagate::propagate);
        step(program, "dead", dead::remove);
        step(program, "dead functions", dead_functions::remove);
        step(program, "dispatch", dispatch::resolve);
        step(program, "capture parts", |program| {
            capture_parts(program);
        });
        step(program, "propagate", propagate::propagate);
        step(program, "flatten", flatten::flatten);
        step(program, "propagate", propagate::propagate);
        step(program, "inputs", inputs::drop_inputs);
        step(program, "lift", lift::lift);
        step(program, "inline", |program| inline::inline(program, &limits));
        step(program, "fuse", fuse::fuse);
        // Earlier, the origin of most stored values is not visible; afterwards, the callees are known.
        if round == 0 {
            step(program, "slots", slots::store_by_value);
        }
        let at_start = std::mem::replace(&mut state, fingerprint::of(program));
        if round > 0 && state == at_start {
            break;
        }
    }
    step(program, "texts", texts::divide);
    step(program, "writes", writes::join);
    step(program, "guards", guards::join);
    step(program, "propagate", propagate::propagate);
    step(program, "dead", dead::remove);
    step(program, "appends", |program| appends::rewrite(program, level));
    // Rewrites that move or copy operations do not know that a node may be overwritten.
    step(program, "reuse", reuse::reuse);
}

/// Applies one rewrite and, in debug builds, verifies its result.
fn step(program: &mut Program, name: &'static str, rewrite: impl FnOnce(&mut Program)) {
    rewrite(program);
    if cfg!(debug_assertions) {
        verify::assert_valid(program, name);
    }
}

/// Assigns every allocation in a function to the function.
fn adopt_allocations(program: &mut Program, id: FunctionId) {
    let Program { functions, allocations, .. } = program;
    functions[id].body.each_statement(&mut |statement| {
        for allocation in statement.allocations() {
            allocations[allocation].function = id;
        }
    });
}
