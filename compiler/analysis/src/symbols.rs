//! The symbols that programs may import and export.

use clef_base::{Diagnostic, Span, Symbol, codes};

/// Reserved symbol prefixes of the compiler, its runtime, LLVM, and the log, with their owners.
const RESERVED: [(&str, &str); 7] = [
    ("clef_", THE_RUNTIME),
    ("__clef_", THE_RUNTIME),
    ("clef.", "the compiler"),
    ("_clef.", "the compiler"),
    ("llvm.", "LLVM"),
    ("_defmt_", "the log"),
    (".L", "assemblers, for local names"),
];

/// Further symbols that the runtime defines.
const TAKEN: [&str; 2] = ["_start", "_SEGGER_RTT"];

const THE_RUNTIME: &str = "the runtime";

/// Mapping symbols, which mark the start of code or data (ELF for the Arm Architecture, mapping symbols).
const MAPPING: [&str; 4] = ["$a", "$d", "$t", "$x"];

/// The owner of a symbol that is reserved.
fn owner(symbol: &str) -> Option<&'static str> {
    let reserved = RESERVED.iter().find(|(prefix, _)| symbol.starts_with(prefix)).map(|(_, owner)| *owner);
    let before_dot = symbol.split_once('.').map_or(symbol, |(name, _)| name);
    reserved
        .or_else(|| (TAKEN.contains(&symbol) || symbol.contains("clef_runtime")).then_some(THE_RUNTIME))
        .or_else(|| MAPPING.contains(&before_dot).then_some("linkers and debuggers"))
}

/// The error of an import or an export whose symbol is malformed or reserved.
pub fn check(symbol: Symbol, span: Span) -> Option<Diagnostic> {
    let text = symbol.as_str();
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '.' || c == '$';
    let is_symbol = text.starts_with(is_start) && text.chars().all(|c| is_start(c) || c.is_ascii_digit());
    let (message, help) = match (is_symbol, owner(text)) {
        (true, None) => return None,
        (false, _) => (
            format!("invalid symbol `{}`", text.escape_debug()),
            "a symbol consists of letters, digits, `_`, `.` and `$`, and does not start with a digit",
        ),
        (true, Some(owner)) => (
            format!("the symbol `{text}` is reserved for {owner}"),
            "use another symbol, for example with the name of your program as a prefix",
        ),
    };
    Some(Diagnostic::error(codes::BAD_SYMBOL, span, message).help(help))
}
