//! The C header of a library.
//!
//! In: the graph of a program whose exported functions have plain types, and the stack that they need. Out: a header for C99 and C++11 with
//! a prototype for each exported function, the structs and enums that they use, and what the host may define.
//!
//! Holds: a struct is declared before it is used by value; the types have the layout that the code expects, for a target
//! with the given word size.

mod documentation;
mod names;
mod types;

use clef_base::{SourceMap, Symbol};
use clef_psg::{Export, NodeKind, PatternKind, Psg, VariableId};
use clef_types::{Type, TypeKind, host_symbol, interrupt_symbol};
pub use names::identifier;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    iter,
};
use types::Declarations;

/// What a header says beside the exported functions.
pub struct Facts<'a> {
    /// The name of the library, a C identifier; the types of C begin with it.
    pub name: &'a str,
    /// The functions of the host that the library calls.
    pub host: &'a BTreeSet<&'static str>,
    /// The bytes of the library's pool of regions.
    pub pool: u64,
    /// The target that the library is compiled for.
    pub target: &'a str,
    /// The stack that the functions need which the host calls, by symbol.
    pub stack: &'a BTreeMap<String, Stack>,
}

/// The stack that a function needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stack {
    /// An upper bound.
    Bytes {
        /// The bytes.
        bytes: u64,
        /// Whether it calls functions of the host or of other objects, whose stack is not in it.
        calls_others: bool,
    },
    /// There is no bound, for this reason.
    Unbounded(String),
}

impl Stack {
    /// The line about it for the function of a symbol, with a macro unless its name is taken.
    fn line(&self, symbol: &str, taken: &BTreeSet<&str>) -> String {
        let name = format!("{symbol}_STACK");
        match self {
            Stack::Bytes { bytes, calls_others } => {
                let others = "and what it calls of the host";
                match (taken.contains(name.as_str()), calls_others) {
                    (true, false) => format!("/* {symbol}: at most {bytes} bytes */\n"),
                    (true, true) => format!("/* {symbol}: at most {bytes} bytes {others} */\n"),
                    (false, false) => format!("#define {name} {bytes}\n"),
                    (false, true) => format!("#define {name} {bytes} /* {others} */\n"),
                }
            }
            Stack::Unbounded(reason) => format!("/* {symbol}: no bound: {} */\n", documentation::plain(reason)),
        }
    }
}

/// Appends lines; writing to a string cannot fail.
macro_rules! line {
    ($text:expr, $($argument:tt)*) => {{
        let _ = writeln!($text, $($argument)*);
    }};
}

/// The text of the header.
pub fn header(psg: &Psg, sources: &SourceMap, facts: &Facts<'_>) -> String {
    let mut declarations = Declarations::new(psg, sources, facts.name);
    let mut prototypes = String::new();
    for export in &psg.exports {
        prototype(&mut prototypes, &mut declarations, export);
    }
    let name = facts.name;
    let guard = format!("{}_H", name.to_uppercase());
    let mut text = String::new();
    line!(text, "/* The library {name}, compiled from Clef for {}. This file is generated. */\n", facts.target);
    line!(text, "#ifndef {guard}\n#define {guard}\n");
    line!(text, "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n");
    line!(text, "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
    text.push_str(&declarations.finish());
    line!(
        text,
        "/* Initialises the library. It must be called before any other function; further calls have no effect. */"
    );
    line!(text, "void {}(void);\n", host_symbol::start(name));
    text.push_str(&prototypes);
    text.push_str(&stack(psg, facts, &text));
    text.push_str(&host(facts));
    line!(text, "#ifdef __cplusplus\n}}\n#endif\n\n#endif");
    text
}

/// What is said about the stack that the functions need, in their order; `declared` has all other names of the header.
fn stack(psg: &Psg, facts: &Facts<'_>, declared: &str) -> String {
    let taken: BTreeSet<&str> = declared.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let start = host_symbol::start(facts.name);
    let symbols = iter::once(start.as_str()).chain(psg.exports.iter().map(|export| export.symbol.as_str()));
    let lines = symbols.filter_map(|symbol| Some(facts.stack.get(symbol)?.line(symbol, &taken)));
    format!("/* The most stack that a call of each function takes, in bytes. */\n{}\n", lines.collect::<String>())
}

/// Appends the prototype of an exported function, with its documentation.
fn prototype(text: &mut String, declarations: &mut Declarations<'_>, export: &Export) {
    let (psg, sources) = (declarations.psg, declarations.sources);
    match interrupt_symbol::interrupt(export.symbol) {
        Some(interrupt) => {
            line!(text, "/* The handler of the interrupt {interrupt}, for the vector table of the host. */")
        }
        None => text.push_str(&documentation::comment(sources, export.span, "")),
    }
    let names = parameter_names(psg, export.variable);
    let mut ty = psg.variables[export.variable].ty;
    let mut parameters = Vec::new();
    for index in 0..psg.variables[export.variable].arity.unwrap_or_default() {
        let TypeKind::Function(parameter, result) = psg.types.kind(ty) else { break };
        if !matches!(psg.types.kind(*parameter), TypeKind::Unit) {
            let name = names.get(index).copied().flatten();
            let name = name.map_or_else(|| format!("argument{index}"), |name| identifier(name.as_str()));
            parameters.push(declarations.declared(*parameter, &name));
        }
        ty = *result;
    }
    let list = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    line!(text, "{};\n", declarations.declared(ty, &format!("{}({list})", export.symbol)));
}

/// The names of the parameters of a function; [`None`] for those that are patterns.
fn parameter_names(psg: &Psg, function: VariableId) -> Vec<Option<Symbol>> {
    let name = |variable: VariableId| {
        let name = psg.variables[variable].name;
        Some(name).filter(|name| !name.as_str().contains('$'))
    };
    let bindings = psg.items.iter().flat_map(bindings);
    let mut bound = bindings.filter(
        |binding| matches!(psg.patterns[binding.pattern].kind, PatternKind::Variable(variable) if variable == function),
    );
    let value = bound.next().map(|binding| &psg.nodes[binding.value].kind);
    let Some(NodeKind::Lambda(lambda)) = value else { return Vec::new() };
    psg.lambdas[*lambda].params.iter().copied().map(name).collect()
}

/// The bindings of an item of a module.
fn bindings(item: &clef_psg::Item) -> &[clef_psg::Binding] {
    match item {
        clef_psg::Item::Let(binding) => std::slice::from_ref(binding),
        clef_psg::Item::Recursive(bindings) => bindings,
        clef_psg::Item::Effect(_) => &[],
    }
}

/// What the host may define, or must.
fn host(facts: &Facts<'_>) -> String {
    let mut text = String::new();
    if facts.pool > 0 {
        line!(
            text,
            "/* Memory: {} bytes of static memory, the pool of the library's regions, are part of it. */\n",
            facts.pool
        );
    }
    let functions = [
        (
            host_symbol::WRITE,
            "Writes the output of the library. Without a definition it is discarded.",
            "void",
            "const uint8_t *bytes, size_t count",
        ),
        (
            host_symbol::ERROR,
            "Writes the errors of the library and the reports of traps, in pieces. Without a definition they are discarded.",
            "void",
            "const uint8_t *bytes, size_t count",
        ),
        (
            host_symbol::READ,
            "Returns the next byte of input, or -1 at its end. Without a definition there is no input.",
            "int32_t",
            "void",
        ),
        (
            host_symbol::STOP,
            "Is called after a trap (status 101) and when the library ends the program; it must not return, and the library\n   must not be called again. Without a definition it executes an illegal instruction.",
            "void",
            "int32_t status",
        ),
        (
            host_symbol::TIME,
            "Returns the time in microseconds since a fixed moment. The host must define it.",
            "uint64_t",
            "void",
        ),
    ];
    let used: Vec<_> = functions.into_iter().filter(|(name, ..)| facts.host.contains(name)).collect();
    if used.is_empty() {
        return text;
    }
    line!(text, "/* What follows is defined by the host. */\n");
    for (name, meaning, result, parameters) in used {
        line!(text, "/* {meaning} */\n{result} {name}({parameters});\n");
    }
    text
}

/// The result and parameter types of a function type of C: all parameters of a curried type.
fn parts(psg: &Psg, mut ty: Type) -> (Vec<Type>, Type) {
    let mut parameters = Vec::new();
    while let TypeKind::Function(parameter, result) = psg.types.kind(ty) {
        parameters.push(*parameter);
        ty = *result;
    }
    (parameters, ty)
}
