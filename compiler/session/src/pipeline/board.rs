//! Checks that a board has what a program uses.

use super::front_end::Library;
use crate::{job::Job, library};
use clef_base::{Diagnostic, codes};
use clef_core::Program;
use clef_descriptors::{Board, Boot, Log, Pin};
use clef_library::DeviceModule;
use clef_psg::{Export, Literal, NodeId, NodeKind, Psg};
use clef_types::interrupt_symbol::{self, HANDLED_EXCEPTIONS, TIMER};

/// Checks a typed graph against a board.
pub(super) fn check(psg: &Psg, board: &Board, library: &Library) -> Vec<Diagnostic> {
    let interrupts = absent_interrupts(psg, board).into_iter();
    interrupts.chain(absent_pins(psg, board, library)).chain(exported_routines(psg)).collect()
}

/// Errors for handlers of interrupts that a board does not have.
fn absent_interrupts(psg: &Psg, board: &Board) -> Vec<Diagnostic> {
    let absent = |export: &Export| {
        let name = interrupt_symbol::interrupt(export.symbol)?;
        let message = match (board.interrupt_count(), name.as_str().parse::<u32>()) {
            (Some(count), Ok(number)) if number >= count => {
                format!(
                    "the board `{}` has no interrupt {number}: the last one is {}",
                    board.name,
                    count.saturating_sub(1)
                )
            }
            (Some(_), Err(_)) if board.vectors.is_none() && name.as_str() != TIMER => {
                format!("the board `{}` has no exception `{name}`: only Cortex-M processors have it", board.name)
            }
            (Some(_), _) => return None,
            (None, _) => format!("the board `{}` has no interrupts that a program can handle", board.name),
        };
        let is_exception = board.vectors.is_none() && HANDLED_EXCEPTIONS.contains(&name.as_str());
        let help = match is_exception {
            true => "select a board with a Cortex-M, such as `--board microbit`",
            false => "select the board with `--board`; its descriptor specifies the number of interrupts",
        };
        Some(Diagnostic::error(codes::NO_SUCH_INTERRUPT, export.span, message).help(help))
    };
    psg.exports.iter().filter_map(absent).collect()
}

/// The library's function that makes a pin from its numbers.
const PIN: &str = "Gpio.pin";

/// Errors for pins that are named by numbers and that the board does not have.
fn absent_pins(psg: &Psg, board: &Board, library: &Library) -> Vec<Diagnostic> {
    let Some(gpio) = board.gpio else { return Vec::new() };
    let number = |node: NodeId| {
        let NodeKind::Literal(Literal::Integer(number)) = psg.nodes[node].kind else { return None };
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    };
    let makes_pin = |node: NodeId| {
        let NodeKind::Variable { variable, .. } = &psg.nodes[node].kind else { return false };
        let variable = &psg.variables[*variable];
        variable.path.as_str() == PIN && library.is_of(variable.span, DeviceModule::Gpio)
    };
    let absent = |node: &clef_psg::Node| {
        let NodeKind::Apply { function, arguments } = &node.kind else { return None };
        let [port, pin] = arguments.as_slice() else { return None };
        let pin = Pin { port: number(*port)?, number: number(*pin)? };
        if gpio.has(pin) || !makes_pin(*function) {
            return None;
        }
        let message = format!("the board `{}` has no {pin}", board.name);
        let diagnostic = Diagnostic::error(codes::NO_SUCH_PIN, node.span, message);
        Some(diagnostic.note(format!("it has {}; both numbers start at 0", gpio.all())))
    };
    psg.nodes.iter().filter_map(|(_, node)| absent(node)).collect()
}

/// Errors for exports of routines that compiled code calls, on any target.
fn exported_routines(psg: &Psg) -> Vec<Diagnostic> {
    let exports = psg.exports.iter().filter(|export| clef_runtime::is_routine(export.symbol.as_str()));
    let diagnostic = |export: &Export| {
        let message = format!("the symbol `{}` is reserved for a routine that compiled code calls", export.symbol);
        Diagnostic::error(codes::BAD_SYMBOL, export.span, message)
            .note("an exported function with this name would be called instead")
            .help("use another symbol, for example with the name of your program as a prefix")
    };
    exports.map(diagnostic).collect()
}

/// A warning for calls of the log on a board that sends it nowhere.
pub(super) fn unheard_log(program: &Program, job: &Job) -> Option<Diagnostic> {
    let board = &job.machine.board.value;
    let place = program.logs().filter(|_| board.log == Log::None)?;
    if job.purpose.library().is_some() {
        return Some(library::unheard_log(place));
    }
    let way = match board.boot {
        Boot::CortexM => "rtt",
        Boot::Aarch64 => "semihosting",
        Boot::Pvh => "isa-debugcon, port: 0xe9",
        Boot::Linux => "syscalls",
    };
    let message = format!("the program logs, but the board `{}` has no log output", board.name);
    let help = format!(
        "remove the calls with `--log-level`, or add a log output to the board's descriptor: `log: {{ kind: {way} }}`"
    );
    Some(Diagnostic::error(codes::UNHEARD_LOG, place, message).help(help))
}
