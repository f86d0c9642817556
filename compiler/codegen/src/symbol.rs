//! The symbols of an image that the compiler chooses, for code generation and for reports about images.
//!
//! In: the names of functions and of module-level values, as listings show them. Out: symbols that are unique in the
//! module.
//!
//! Holds: functions and values of the program begin with [`FUNCTION`], and what the compiler adds begins with
//! [`ADDED`]. Neither is a symbol of the runtime, of C or of LLVM.

use clef_base::{HashMap, HashSet};
pub use clef_mlir::pass::CONSTANT_CLOSURE;

use clef_core::{Convention, FunctionId, GlobalId, Program};
use std::fmt::Display;

/// The function that the boot code calls.
pub const PROGRAM_START: &str = "clef_main";

/// The prefix of the program's functions.
pub const FUNCTION: &str = "clef.";

/// The prefix of the program's module-level values.
pub(crate) const VALUE: &str = "clef.value.";

/// The prefix of what the compiler adds.
pub const ADDED: &str = "_clef.";

/// A kind of data that code generation adds, with one symbol for each string, type and so on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generated {
    /// The bytes of a string.
    Text,
    /// A string with a zero at its end.
    TerminatedText,
    /// The name of a source file.
    File,
    /// A location in the source.
    Site,
    /// A static closure or cell.
    Slot,
    /// What evacuation follows in memory that holds a value of a type.
    Content,
    /// What it follows from the roots.
    Roots,
    /// What it follows in a case of a type.
    Fields,
    /// The cases of a type.
    Nodes,
    /// What it follows in the closures of a function.
    Captures,
    /// The closures of a type.
    Lambdas,
    /// The cases of a value that is not boxed.
    Table,
    /// The node of a case without fields.
    Case,
    /// A module-level string, for debuggers; no image has it.
    Literal,
}

impl Generated {
    /// All kinds.
    const ALL: [Generated; 14] = [
        Generated::Text,
        Generated::TerminatedText,
        Generated::File,
        Generated::Site,
        Generated::Slot,
        Generated::Content,
        Generated::Roots,
        Generated::Fields,
        Generated::Nodes,
        Generated::Captures,
        Generated::Lambdas,
        Generated::Table,
        Generated::Case,
        Generated::Literal,
    ];

    /// The prefix of its symbols.
    const fn prefix(self) -> &'static str {
        match self {
            Generated::Text => "_clef.text.",
            Generated::TerminatedText => "_clef.terminated.",
            Generated::File => "_clef.file.",
            Generated::Site => "_clef.site.",
            Generated::Slot => "_clef.slot.",
            Generated::Content => "_clef.content.",
            Generated::Roots => "_clef.roots.",
            Generated::Fields => "_clef.fields.",
            Generated::Nodes => "_clef.nodes.",
            Generated::Captures => "_clef.captures.",
            Generated::Lambdas => "_clef.lambdas.",
            Generated::Table => "_clef.table.",
            Generated::Case => "_clef.case.",
            Generated::Literal => "_clef.literal.",
        }
    }

    /// The symbol of one of them.
    pub(crate) fn symbol(self, which: impl Display) -> String {
        format!("{}{which}", self.prefix())
    }

    /// The kind of what a symbol names; `None` if code generation did not add it.
    pub fn of(symbol: &str) -> Option<Generated> {
        Generated::ALL.into_iter().find(|kind| symbol.starts_with(kind.prefix()))
    }
}

/// The symbols of functions and of module-level values.
pub(crate) struct Symbols {
    functions: HashMap<FunctionId, String>,
    globals: HashMap<GlobalId, String>,
}

impl Symbols {
    /// The symbols of a program.
    pub(crate) fn new(program: &Program) -> Symbols {
        Symbols { functions: symbols(program), globals: value_symbols(program) }
    }

    /// The symbol of a function's code.
    pub(crate) fn function(&self, function: FunctionId) -> &str {
        &self.functions[&function]
    }

    /// The symbol of a module-level value.
    pub(crate) fn global(&self, global: GlobalId) -> &str {
        &self.globals[&global]
    }
}

/// The symbol of the static slot of an allocation.
pub(crate) fn slot_symbol(allocation: u32) -> String {
    Generated::Slot.symbol(allocation)
}

/// The symbol of each function's code.
pub fn symbols(program: &Program) -> HashMap<FunctionId, String> {
    let mut taken = HashSet::default();
    let functions = program.functions.iter().map(|(id, function)| match function.convention {
        Convention::Exported(name) => (id, name.to_string()),
        Convention::Known | Convention::Closure { .. } => (id, symbol(FUNCTION, function.name.as_str(), &mut taken)),
    });
    functions.collect()
}

/// The symbol of each module-level value.
pub fn value_symbols(program: &Program) -> HashMap<GlobalId, String> {
    let mut taken = symbols(program).into_values().collect();
    let globals = program.globals.iter();
    globals.map(|(id, global)| (id, symbol(VALUE, global.name.as_str(), &mut taken))).collect()
}

/// A symbol that assemblers and debuggers accept, from a name as listings show it.
fn symbol(prefix: &str, name: &str, taken: &mut HashSet<String>) -> String {
    let text: String =
        name.chars().filter(|c| *c != ' ').map(|c| if is_symbol_character(c) { c } else { '.' }).collect();
    let mut candidate = format!("{prefix}{text}");
    let mut number = 1;
    while !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{prefix}{text}.{number}");
    }
    candidate
}

fn is_symbol_character(c: char) -> bool {
    c.is_alphanumeric() || "_.$<>,-*'+".contains(c)
}
