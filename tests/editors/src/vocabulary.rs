//! The words of the language in groups, and the names that every program sees.

use clef_base::SourceMap;
use clef_check::{Library, Owner, Unit};
use clef_library::SOURCES;
use clef_types::TargetFacts;
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::PathBuf};

/// The folder of the editors.
pub fn editors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../editors")
}

/// The content of `tokens.json`, which the tree-sitter grammar and the others share.
pub fn tokens() -> Value {
    let path = editors().join("tree-sitter-clef/tokens.json");
    let text = fs::read_to_string(path).expect("tokens.json is readable");
    serde_json::from_str(&text).expect("tokens.json is JSON")
}

/// The words with their groups, in order.
pub fn words(tokens: &Value) -> Vec<(&str, &str)> {
    let groups = tokens["words"].as_array().expect("groups of words").iter();
    let each = groups.flat_map(|group| {
        let words = group["words"].as_array().into_iter().flatten();
        words.filter_map(|word| Some((group["group"].as_str()?, word.as_str()?)))
    });
    each.collect()
}

/// The names that are in scope at the start of every program, without operators and quoted names.
pub struct Predefined {
    /// Types; some are also names of conversions.
    pub types: BTreeSet<String>,
    /// Values that are not types.
    pub values: BTreeSet<String>,
}

/// Checks the library, and lists what it puts in scope.
pub fn predefined() -> Predefined {
    let mut sources = SourceMap::default();
    let files: Vec<_> = SOURCES.iter().map(|(name, text)| sources.add(*name, *text)).collect();
    let trees: Vec<_> = files.iter().map(|file| clef_syntax::parse(&sources, *file).0).collect();
    let units: Vec<_> = trees.iter().map(|ast| Unit { ast, owner: Owner::Library }).collect();
    let library = Library::check(&units, &sources, TargetFacts { word_bits: 32 }).expect("there is a library");
    let is_plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let types: BTreeSet<_> = library.types_in_scope().map(|name| name.to_string()).filter(is_plain).collect();
    let values = library.values_in_scope().map(|name| name.to_string()).filter(is_plain);
    let values = values.filter(|name| !types.contains(name)).collect();
    Predefined { types, values }
}
