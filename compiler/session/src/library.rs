//! Static libraries for other languages: what is different from an image.
//!
//! In: the machine of an image. Out: that of a library, whose host has the memory, the vector table, the console and the
//! clock. What a program must be to become one is checked here too.

use crate::job::Job;
use clef_base::{Bytes, Diagnostic, Symbol, codes};
use clef_descriptors::{Board, Boot, Log, Machine, RelocationModel, TrapMessages};
use clef_psg::{Export, Psg};
use clef_types::{host_symbol, interrupt_symbol};

/// The pool of a library unless the project or the board has a size for it: this, or a quarter of the board's RAM if
/// that is less.
const USUAL_POOL: Bytes = Bytes(16 << 10);

/// Changes the machine of an image to that of a library, whose pool has the size that its project says.
pub(crate) fn adapt(machine: &mut Machine, pool: Option<Bytes>) {
    let board = &mut machine.board.value;
    // There may be no debugger that knows the sites of the library.
    board.trap_messages = TrapMessages::Image;
    board.log = Log::None;
    let page = board.region_pool.page.0.max(1);
    let quarter = board.ram().map_or(USUAL_POOL.0, |ram| ram.length.0 / 4);
    let usual = Bytes(USUAL_POOL.0.min(quarter) / page * page);
    let pool = pool.map(|pool| Bytes(pool.0.next_multiple_of(page)));
    board.region_pool.size = Some(pool.or(board.region_pool.size).unwrap_or(usual));
    // Most programs for Linux are position-independent.
    if board.boot == Boot::Linux {
        machine.target.value.relocation = RelocationModel::Pic;
    }
}

/// The identifier of C for the name of a library.
pub fn identifier(name: &str) -> Symbol {
    Symbol::new(&clef_header::identifier(name))
}

/// The errors of a program that cannot be a library with this name.
pub(crate) fn check(psg: &Psg, board: &Board, name: Symbol) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if let Some(entry) = psg.entry {
        let message = "a library has no entry point: its host has";
        let diagnostic = Diagnostic::error(codes::UNSUITABLE_LIBRARY, psg.variables[entry].span, message);
        diagnostics.push(diagnostic.help("export the function instead: `[<Export(\"run\")>]`, or remove its file"));
    }
    if psg.exports.is_empty() {
        let diagnostic = Diagnostic::general(codes::UNSUITABLE_LIBRARY, "the library exports no function");
        diagnostics.push(diagnostic.help("export one: `[<Export(\"step\")>] let step (input: int32) : int32 = …`"));
    }
    let start = host_symbol::start(name.as_str());
    for export in &psg.exports {
        diagnostics.extend(unsuitable_handler(export, board));
        if export.symbol.as_str() == start {
            let message = format!("the symbol `{start}` is that of the library's initialisation");
            let diagnostic = Diagnostic::error(codes::UNSUITABLE_LIBRARY, export.span, message);
            diagnostics.push(diagnostic.help("use another symbol, or another name for the library with `-o`"));
        }
    }
    diagnostics
}

/// The error for an interrupt handler that a host cannot put into its vector table.
fn unsuitable_handler(export: &Export, board: &Board) -> Option<Diagnostic> {
    let interrupt = interrupt_symbol::interrupt(export.symbol)?;
    let message = if board.boot != Boot::CortexM {
        "the handler of an interrupt in a library: only the vector table of a Cortex-M can call it"
    } else if interrupt.as_str() == interrupt_symbol::TIMER {
        "the handler of the board's timer in a library: the timer belongs to its host"
    } else {
        return None;
    };
    let help = "export a function, and call it in the handler of the host: `[<Export(\"on_tick\")>]`";
    Some(Diagnostic::error(codes::UNSUITABLE_LIBRARY, export.span, message).help(help))
}

/// The error for calls of the log.
pub(crate) fn unheard_log(place: clef_base::Span) -> Diagnostic {
    Diagnostic::error(codes::UNHEARD_LOG, place, "the program logs, but a library has no log output")
        .help("remove the calls with `--log-level off`, or write the message to the console, which the host provides")
}

impl Job {
    /// The symbol of the function that initialises the library, if the job makes one.
    pub(crate) fn library_start(&self) -> Option<String> {
        self.purpose.library().map(|name| host_symbol::start(name.as_str()))
    }
}
