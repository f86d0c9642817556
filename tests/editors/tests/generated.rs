//! The words and tokens of the grammar are those of the compiler, and the generated files fit their sources.

use clef_editors::{
    highlighting::{kate, rules, sublime, textmate},
    tree::language,
    vocabulary::{editors, tokens, words},
};
use clef_golden::{assert, compare_with_file};
use clef_syntax::token::{Keyword, Punctuation};
use serde_json::Value;
use std::{collections::BTreeSet, fmt::Write, fs, path::PathBuf, process::Command};
use tree_sitter::Query;

/// The version of the parser's tables: the newest that editors of 2022 and later read.
const ABI: &str = "14";

fn grammar() -> PathBuf {
    editors().join("tree-sitter-clef")
}

/// The strings under a key of each object of a list.
fn each<'t>(list: &'t Value, key: &'static str) -> impl Iterator<Item = &'t str> {
    list.as_array().into_iter().flatten().filter_map(move |entry| entry[key].as_str())
}

fn word_name(word: &str) -> String {
    if word == "_" { "WORD_WILDCARD".to_owned() } else { format!("WORD_{}", word.replace('!', "_BANG").to_uppercase()) }
}

#[test]
fn the_words_are_those_of_the_compiler() {
    let tokens = tokens();
    let found: BTreeSet<&str> = words(&tokens).into_iter().map(|(_, word)| word).collect();
    let expected: BTreeSet<&str> = Keyword::ALL.iter().map(|keyword| keyword.text()).collect();
    assert_eq!(found, expected);
    let found: BTreeSet<&str> = each(&tokens["punctuation"], "text").collect();
    let expected: BTreeSet<&str> = Punctuation::ALL.iter().map(|sign| sign.text()).collect();
    assert_eq!(found, expected);
}

/// `src/tokens.h`: the order of the tokens is that of `externals` in grammar.js.
#[test]
fn the_header_has_the_tokens() {
    let tokens = tokens();
    let words = words(&tokens);
    let used = || words.iter().filter(|(group, _)| *group != "reserved");
    let classes = tokens["classes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let names = classes
        .map(|class| class.trim_start_matches('_').to_uppercase())
        .chain(each(&tokens["punctuation"], "name").map(str::to_uppercase))
        .chain(used().map(|(_, word)| word_name(word)));
    let mut header = String::from(
        "// Written from tokens.json by `UPDATE=1 cargo test -p clef-editors`: the tokens in the order of `externals` in\n\
         // grammar.js.\n\nenum Token {\n",
    );
    names.for_each(|name| writeln!(header, "    {name},").expect("a string takes any text"));
    header.push_str("};\n\n// The words, and the token of each.\nstatic const struct {\n    const char *text;\n    enum Token token;\n} WORDS[] = {\n");
    for (group, word) in &words {
        let name = if *group == "reserved" { "RESERVED_WORD".to_owned() } else { word_name(word) };
        writeln!(header, "    {{\"{word}\", {name}}},").expect("a string takes any text");
    }
    header.push_str("};\n");
    assert(compare_with_file(&grammar().join("src/tokens.h"), &header));
}

/// Needs the command `tree-sitter`; without it the committed parser is taken as it is.
#[test]
fn the_parser_is_that_of_the_grammar() {
    let folder = grammar();
    let version = Command::new("tree-sitter").arg("--version").output();
    if version.is_err() {
        println!("`tree-sitter` is not installed: the generated parser is not compared");
        return;
    }
    let output = std::env::temp_dir().join(format!("clef-editors-{}", std::process::id()));
    fs::create_dir_all(&output).expect("a temporary folder");
    let generated = Command::new("tree-sitter")
        .args(["generate", "--js-runtime", "native", "--abi", ABI, "--output"])
        .arg(&output)
        .current_dir(&folder)
        .status()
        .expect("tree-sitter runs");
    assert!(generated.success(), "tree-sitter does not accept grammar.js");
    for file in ["parser.c", "grammar.json", "node-types.json"] {
        let made = fs::read_to_string(output.join(file)).expect("tree-sitter writes this file");
        assert(compare_with_file(&folder.join("src").join(file), &made));
    }
    fs::remove_dir_all(&output).expect("the temporary folder can be removed");
}

#[test]
fn the_grammars_of_other_editors_have_the_tokens() {
    let lists = rules();
    let files = [
        ("vscode/syntaxes/clef.tmLanguage.json", textmate(&lists)),
        ("bat/Clef.sublime-syntax", sublime(&lists)),
        ("kate/clef.xml", kate(&lists)),
    ];
    for (file, text) in files {
        assert(compare_with_file(&editors().join(file), &text));
    }
}

#[test]
fn the_queries_name_nodes_of_the_grammar() {
    let queries = fs::read_dir(grammar().join("queries")).expect("a readable folder");
    for path in queries.map(|entry| entry.expect("a readable entry").path()) {
        let text = fs::read_to_string(&path).expect("a readable query");
        if let Err(error) = Query::new(&language(), &text) {
            panic!("{}: {error}", path.display());
        }
    }
}
