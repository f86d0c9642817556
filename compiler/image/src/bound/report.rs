//! Bounds as text and as diagnostics.

use super::Cause;
use clef_base::{Diagnostic, Severity, SourceMap, codes};

/// The most functions of a path that are named.
const MAX_NAMED: usize = 8;
/// The most causes that a listing names.
const MAX_CAUSES: usize = 3;

/// Upper bounds of the memory use of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Of the stack.
    pub stack: Bound,
    /// Of the pool of the regions.
    pub regions: Bound,
}

/// The bound of one kind of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// An upper bound.
    Bytes {
        /// The bytes.
        bytes: u64,
        /// The bytes that the board provides.
        limit: u64,
        /// For the stack, the functions that call one another down to the deepest point.
        way: Vec<String>,
    },
    /// There is no bound, or none is known.
    Unknown {
        /// The reasons.
        causes: Vec<Cause>,
    },
}

impl Bounds {
    /// Warnings if a bound exceeds what the board provides; if bounds are required, an error for each cause of a
    /// missing one.
    pub fn diagnostics(&self, are_wanted: bool) -> Vec<Diagnostic> {
        let stack = self.stack.diagnostics("stack", are_wanted);
        stack.into_iter().chain(self.regions.diagnostics("regions", are_wanted)).collect()
    }

    /// A line for each bound, or for each cause of a missing one.
    pub fn text(&self, sources: &SourceMap) -> String {
        self.stack.text("stack", sources) + &self.regions.text("regions", sources)
    }
}

impl Bound {
    /// The bytes, if there is a bound.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Bound::Bytes { bytes, .. } => Some(*bytes),
            Bound::Unknown { .. } => None,
        }
    }

    fn diagnostics(&self, what: &str, is_wanted: bool) -> Vec<Diagnostic> {
        match self {
            Bound::Bytes { bytes, limit, way } if bytes > limit => {
                let message = format!("the program may need {bytes} bytes of {what}, but the board has {limit}");
                let mut warning =
                    Diagnostic { severity: Severity::Warning, ..Diagnostic::general(codes::SMALL_MEMORY, message) };
                if !way.is_empty() {
                    warning = warning.note(format!("the deepest calls are {}", named(way)));
                }
                vec![warning.help("increase `stack` or `region_pool` in a board descriptor of your own")]
            }
            Bound::Unknown { causes } if is_wanted => causes
                .iter()
                .map(|cause| {
                    let has = if what.ends_with('s') { "have" } else { "has" };
                    let message = format!("the {what} {has} no bound: {}", cause.message);
                    Diagnostic::general(codes::UNBOUNDED, message).at_if(cause.span).help(&cause.help)
                })
                .collect(),
            Bound::Bytes { .. } | Bound::Unknown { .. } => Vec::new(),
        }
    }

    /// The same for one of them.
    pub fn text(&self, what: &str, sources: &SourceMap) -> String {
        match self {
            Bound::Bytes { bytes, limit, way } => {
                let way = if way.is_empty() { String::new() } else { format!(" ({})", named(way)) };
                format!("{what}: at most {bytes} of {limit} bytes{way}\n")
            }
            Bound::Unknown { causes } => {
                let lines = causes.iter().take(MAX_CAUSES).map(|cause| {
                    let place = cause.span.map(|span| format!(" at {}", sources.place(span)));
                    format!("{what}: no bound: {}{}\n", cause.message, place.unwrap_or_default())
                });
                let lines: String = lines.collect();
                match causes.len().saturating_sub(MAX_CAUSES) {
                    0 => lines,
                    more => format!("{lines}{what}: no bound for {more} more reasons\n"),
                }
            }
        }
    }
}

/// The names on a path, or those at the end of a long one.
fn named(way: &[String]) -> String {
    let start = way.len().saturating_sub(MAX_NAMED);
    let left_out = if start > 0 { "… → " } else { "" };
    format!("{left_out}{}", way[start..].join(" → "))
}
