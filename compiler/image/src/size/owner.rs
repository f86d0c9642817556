//! The owners of the symbols of an image.
//!
//! In: the files of a program's functions and module-level values, and symbols. Out: a heading and a name for each: the
//! source file of what the program and the library define, and headings for the rest.

use crate::{Piece, bound::readable};
use clef_base::HashMap;
use clef_codegen::symbol::{ADDED, CONSTANT_CLOSURE, FUNCTION, Generated};

/// What is defined in source files, by symbol.
pub struct Owners {
    defined: HashMap<String, (String, String)>,
}

/// The heading of data that code generation adds and that has no name of its own.
fn of_generated(kind: Generated) -> Option<&'static str> {
    match kind {
        Generated::Text | Generated::TerminatedText => Some("texts"),
        Generated::File | Generated::Site => Some("places in the source"),
        Generated::Slot => Some("static closures and cells"),
        Generated::Content
        | Generated::Roots
        | Generated::Fields
        | Generated::Nodes
        | Generated::Captures
        | Generated::Lambdas => Some("tables for evacuation"),
        Generated::Table | Generated::Case | Generated::Literal => None,
    }
}

impl Owners {
    /// `defined` are symbols, each with its file and its source name.
    pub fn new(defined: impl Iterator<Item = (String, String, String)>) -> Owners {
        Owners { defined: defined.map(|(symbol, file, name)| (symbol, (file, name))).collect() }
    }

    /// The heading and the name of a piece.
    pub(crate) fn of(&self, piece: &Piece) -> (String, String) {
        let pair = |module: &str, name: &str| (module.to_owned(), name.to_owned());
        let Some(symbol) = &piece.symbol else {
            return match piece.part.as_deref() {
                None => pair("alignment", "between sections"),
                Some(part @ ("stack" | "region pool")) => pair(part, part),
                Some(".vectors") => pair("runtime", "vectors"),
                Some(".boot_block") => pair("runtime", "boot block"),
                Some(".text") => pair("alignment", "between functions"),
                Some(".bss" | ".data" | ".data (initial values)") => pair("alignment", "between variables"),
                Some(_) => pair("constants", "without a name"),
            };
        };
        let closure = symbol.strip_prefix(CONSTANT_CLOSURE);
        if let Some(defined) = self.defined.get(symbol).or_else(|| self.defined.get(closure?)) {
            return defined.clone();
        }
        if let Some(heading) = Generated::of(symbol).and_then(of_generated) {
            return pair(heading, heading);
        }
        (heading(symbol).to_owned(), readable(symbol))
    }
}

/// The heading of what no source file defines.
fn heading(symbol: &str) -> &'static str {
    if clef_runtime::is_builtin(symbol) {
        "builtins"
    } else if clef_runtime::is_of_runtime(symbol) {
        "runtime"
    } else if symbol.starts_with(FUNCTION) || symbol.starts_with(ADDED) {
        "program"
    } else {
        "other languages"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(symbol: Option<&str>, part: Option<&str>) -> (String, String) {
        let defined = [("clef.Main.step", "main.clef", "Main.step")];
        let owners = Owners::new(defined.into_iter().map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
        let (symbol, part) = (symbol.map(str::to_owned), part.map(str::to_owned));
        owners.of(&Piece { region: "flash".to_owned(), part, symbol, bytes: 4 })
    }

    #[test]
    fn symbols_have_headings() {
        for (symbol, module, name) in [
            ("clef.Main.step", "main.clef", "Main.step"),
            ("_clef.closure.clef.Main.step", "main.clef", "Main.step"),
            ("_clef.site.0.1.2", "places in the source", "places in the source"),
            ("clef_region_allocate", "runtime", "clef_region_allocate"),
            ("_ZN18clef_runtime_nostd4boot3run17hc658e261d407f639E", "runtime", "boot::run"),
            ("_RNvNtCs7NhdfSRABLd_17compiler_builtins3mem6memcpy", "builtins", "mem::memcpy"),
            ("__aeabi_dmul", "builtins", "__aeabi_dmul"),
            ("_SEGGER_RTT", "runtime", "_SEGGER_RTT"),
            ("sensor_read", "other languages", "sensor_read"),
        ] {
            assert_eq!(of(Some(symbol), Some(".text")), (module.to_owned(), name.to_owned()));
        }
    }

    #[test]
    fn what_has_no_symbol_has_a_heading_too() {
        assert_eq!(of(None, Some("stack")).0, "stack");
        assert_eq!(of(None, Some(".boot_block")).1, "boot block");
        assert_eq!(of(None, Some(".text")).0, "alignment");
        assert_eq!(of(None, Some(".rodata")).0, "constants");
        assert_eq!(of(None, None).0, "alignment");
    }
}
