//! Which sources a program needs.
//!
//! In: the texts of the library for a machine, and those of a program. Out: for each source of the library, whether the program
//! may refer to what it declares, directly or through other sources. Names are looked for as words, also in comments, so that more may be
//! needed than is used. A program that the type checker accepts without a diagnostic after the needed sources means the same after
//! all sources: only modules of [`OPENED`] and of the sources that every program needs declare names without a path.

use clef_base::HashSet;

/// The names that programs use without a path, by the module that declares them. A module that is opened for every program and
/// is not among these makes its source one that every program needs.
const OPENED: &[(&str, &[&str])] = &[
    ("I2cErrors", &["I2cError", "AddressNotAcknowledged", "DataNotAcknowledged", "ArbitrationLost", "BusStuck"]),
    ("ListOperators", &["@"]),
    ("MapOperators", &["Map"]),
    ("MapType", &["Map", "KeyValuePair", "KeyValue", "empty map", "map node"]),
    ("SetOperators", &["set", "Set"]),
    ("SetType", &["Set", "empty set", "set node"]),
];

/// Modules whose functions later steps of the compiler, or the runtime, call by their names in any program.
const CALLED: [&str; 3] = ["Conversion", "Text", "UartConsole"];

/// Modules that words other than their names need, since the compiler calls their functions for what the words are part of.
const IMPLIED: &[(&str, &[&str])] = &[
    ("Device", &["Register"]),
    ("EntryPoint", &["Arguments"]),
    ("Seq", &["List"]),
    ("Test", &["Testing"]),
    // These are only likely to be needed.
    ("concat", &["Seq", "List"]),
    ("Length", &["Array", "List", "String"]),
    ("seq", &["Seq", "List"]),
    ("yield", &["Array", "List"]),
];

/// Whether each of the texts of the library is needed by a program with these texts.
pub fn needed(library: &[&str], program: &[&str]) -> Vec<bool> {
    let declared: Vec<Declared<'_>> = library.iter().map(|text| Declared::by(text)).collect();
    let mut needed: Vec<bool> = declared.iter().map(|declared| declared.always).collect();
    let mut pending: Vec<usize> = (0..library.len()).filter(|index| needed[*index]).collect();
    let mut mark = |text: &str, mut words: HashSet<&str>, pending: &mut Vec<usize>| {
        let implied = IMPLIED.iter().filter(|(word, _)| words.contains(word)).flat_map(|(_, modules)| *modules);
        let implied: Vec<&str> = implied.copied().collect();
        words.extend(implied);
        for (index, declared) in declared.iter().enumerate() {
            if !needed[index] && declared.is_in(text, &words) {
                needed[index] = true;
                pending.push(index);
            }
        }
    };
    for text in program {
        mark(text, words(text).collect(), &mut pending);
    }
    while let Some(index) = pending.pop() {
        // The library names modules before a period.
        mark("", qualifiers(library[index]), &mut pending);
    }
    needed
}

/// The names by which programs refer to a source.
struct Declared<'a> {
    names: Vec<&'a str>,
    always: bool,
}

impl<'a> Declared<'a> {
    fn by(text: &'a str) -> Declared<'a> {
        let mut declared = Declared { names: Vec::new(), always: false };
        let mut before = "";
        for line in text.lines() {
            if let Some(module) = line.strip_prefix("module ") {
                let module = module.strip_prefix("internal ").unwrap_or(module);
                // What follows is the module that the name is another one of.
                let name = module.split('=').next().unwrap_or(module).trim_end();
                declared.names.push(name);
                declared.always |= CALLED.contains(&name);
                if before == "[<AutoOpen>]" {
                    match OPENED.iter().find(|(opened, _)| *opened == name) {
                        Some((_, names)) => declared.names.extend(*names),
                        None => declared.always = true,
                    }
                }
            }
            before = line;
        }
        declared
    }

    /// Whether one of the names is a word of a text, or is in it if it is not a word.
    fn is_in(&self, text: &str, words: &HashSet<&str>) -> bool {
        self.names.iter().any(|name| match name.chars().all(is_of_word) {
            true => words.contains(name),
            false => text.contains(name),
        })
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_word(c)).filter(|word| !word.is_empty())
}

/// The words before a period in a source of the library, outside comments.
fn qualifiers(text: &str) -> HashSet<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('.')).filter_map(|part| part.rsplit(|c| !is_of_word(c)).next()).collect()
}
