//! The sections of an image that programs place functions and values in.

use clef_base::{Diagnostic, HashMap, Span, Symbol, codes};
use clef_psg::Psg;

/// The errors of sections that hold both functions, which are in flash, and values, which are in RAM.
pub fn check(psg: &Psg) -> Vec<Diagnostic> {
    let mut first: HashMap<Symbol, (bool, Span)> = HashMap::default();
    let mut diagnostics = Vec::new();
    for data in psg.variables.values() {
        let Some(section) = data.marks.section else { continue };
        let (is_function, other) = *first.entry(section).or_insert((data.arity.is_some(), data.span));
        if is_function != data.arity.is_some() {
            let message = format!("the section `{section}` cannot contain both functions and values");
            let diagnostic = Diagnostic::error(codes::MISPLACED_ATTRIBUTE, data.span, message);
            diagnostics.push(
                diagnostic
                    .also(other, "also placed there")
                    .note("functions are in flash, values are in RAM")
                    .help("use another section"),
            );
        }
    }
    diagnostics
}
