//! Who has the system timer of a Cortex-M: the functions of `Time`, or the program.
//!
//! In: a program as it was lowered, where the functions that it calls are still called. Out: an error for each handler of the
//! timer, and for each call that starts or stops it, in a program that asks for the time.

use crate::core::{Callee, End, Function, FunctionId, Program};
use clef_base::{Diagnostic, FileId, Span, codes};

/// The interrupt of the timer.
const INTERRUPT: &str = "SysTick";

/// What the library calls its functions that start and stop it.
const FUNCTIONS: [&str; 2] = ["Interrupt.startTimer", "Interrupt.stopTimer"];

/// Finds what uses the timer beside `Time`; `is_own` says which files are the program's own.
pub fn check(program: &Program, is_own: &dyn Fn(FileId) -> bool) -> Vec<Diagnostic> {
    if !program.tells_time() {
        return Vec::new();
    }
    let mut found: Vec<Diagnostic> = program.functions.values().filter_map(handler).collect();
    for function in program.functions.values().filter(|function| is_own(function.span.file)) {
        for (callee, span) in known_calls(function) {
            let callee = &program.functions[callee];
            if FUNCTIONS.contains(&callee.name.as_str()) && !is_own(callee.span.file) {
                let message = format!("`{}` changes the timer that tells the time", callee.name);
                found.push(taken(message, span, "this changes it"));
            }
        }
    }
    found
}

fn handler(function: &Function) -> Option<Diagnostic> {
    let name = function.convention.interrupt().filter(|name| name.as_str() == INTERRUPT)?;
    let message = format!("the program handles the interrupt {name}, and asks for the time");
    Some(taken(message, function.span, "this handles the interrupt"))
}

fn taken(message: String, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(codes::TIMER_TAKEN, span, message)
        .label(label)
        .note("on this board the functions of `Time` count what the system timer does")
        .help("use another timer of the board, or look at `Time.microseconds ()` in place of counting")
}

/// The calls of functions that are known, with their places.
fn known_calls(function: &Function) -> Vec<(FunctionId, Span)> {
    let mut found = Vec::new();
    function.body.each(&mut |block| {
        let calls = block.statements.iter().filter_map(|statement| Some((statement.call()?, statement.span)));
        let last = if let End::TailCall { call, span, .. } = &block.end { Some((call, *span)) } else { None };
        for (call, span) in calls.chain(last) {
            match call.callee {
                Callee::Known(id) | Callee::Direct(id, _) => found.push((id, span)),
                Callee::Closure(_) => {}
            }
        }
    });
    found
}
