//! Who owns the timer of a Cortex-M board: the functions of `Time`, or the program.
//!
//! In: a program as lowered, before calls are inlined. Out: an error for each handler of the timer, and for each call
//! that starts or stops it, in a program that asks for the time; and for each handler that specifies the timer's
//! interrupt by its number in a program that uses the timer in any other way.

use clef_base::{Diagnostic, FileId, Span, codes};
use clef_core::{Callee, End, Function, FunctionId, Program};

/// The names of the library functions that start and stop the timer.
const FUNCTIONS: [&str; 2] = ["Interrupt.startTimer", "Interrupt.stopTimer"];

/// Finds conflicting uses of the timer; `interrupt` is its number if it is a counter of the chip, `is_own` says which
/// files are the program's own.
pub fn check(
    program: &Program,
    interrupt: Option<u32>,
    keeps_time: bool,
    is_own: &dyn Fn(FileId) -> bool,
) -> Vec<Diagnostic> {
    let own = || program.functions.values().filter(|function| is_own(function.span.file));
    let mut handlers = program.functions.values().filter_map(handler).peekable();
    let calls = || own().flat_map(|function| changes(program, function, is_own));
    if keeps_time && program.tells_time() {
        let handled = handlers.map(|(name, span)| {
            taken(format!("the program both handles the interrupt {name} and uses `Time`"), span, "interrupt handler")
        });
        let changed = calls()
            .map(|(name, span)| taken(format!("`{name}` changes the timer that `Time` uses"), span, "changed here"));
        let numbered = numbered(program, interrupt).map(|(number, span)| {
            let message = format!("the interrupt {number} belongs to the timer that `Time` uses");
            taken(message, span, "interrupt handler")
        });
        return handled.chain(changed).chain(numbered).collect();
    }
    if handlers.peek().is_none() && calls().next().is_none() {
        return Vec::new();
    }
    let numbered = numbered(program, interrupt).map(|(number, span)| {
        let message = format!("the interrupt {number} belongs to the timer that `Interrupt.startTimer` starts");
        Diagnostic::error(codes::TIMER_TAKEN, span, message)
            .label("interrupt handler")
            .help("handle only `[<Interrupt(\"SysTick\")>]`, or use another timer of the board")
    });
    numbered.collect()
}

/// The handler of the timer's interrupt by name.
fn handler(function: &Function) -> Option<(&'static str, Span)> {
    let name = function.convention.interrupt().filter(|name| name.as_str() == clef_types::interrupt_symbol::TIMER)?;
    Some((name.as_str(), function.span))
}

/// The handler of the timer's interrupt by number.
fn numbered(program: &Program, interrupt: Option<u32>) -> impl Iterator<Item = (u32, Span)> {
    program.functions.values().filter_map(move |function| {
        let number = function.convention.interrupt()?.as_str().parse().ok()?;
        (Some(number) == interrupt).then_some((number, function.span))
    })
}

/// The calls of a function that start or stop the timer.
fn changes(program: &Program, function: &Function, is_own: &dyn Fn(FileId) -> bool) -> Vec<(String, Span)> {
    let known = known_calls(function).into_iter().filter_map(|(callee, span)| {
        let callee = &program.functions[callee];
        let changes = FUNCTIONS.contains(&callee.name.as_str()) && !is_own(callee.span.file);
        changes.then(|| (callee.name.to_string(), span))
    });
    known.collect()
}

fn taken(message: String, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(codes::TIMER_TAKEN, span, message)
        .label(label)
        .note("on this board the functions of `Time` use the board's timer")
        .help("use another timer of the board, or read `Time.microseconds ()` instead of counting")
}

/// The calls of known functions, with their places.
fn known_calls(function: &Function) -> Vec<(FunctionId, Span)> {
    let mut found = Vec::new();
    function.body.each(&mut |block| {
        let calls = block.statements.iter().filter_map(|statement| Some((statement.call()?, statement.place.span)));
        let last = if let End::TailCall { call, place, .. } = &block.end { Some((call, place.span)) } else { None };
        for (call, span) in calls.chain(last) {
            match call.callee {
                Callee::Known(id) | Callee::Direct(id, _) => found.push((id, span)),
                Callee::Closure(_) => {}
            }
        }
    });
    found
}
