//! The words and tokens of the grammar are those of the compiler, and the generated files fit their sources.

use clef_editors::{
    highlighting::{emacs, kate, rules, sublime, textmate},
    queries::{Editor, translated},
    tree::language,
    vocabulary::{editors, predefined, tokens, words},
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
        ("emacs/clef-words.el", emacs(&tokens(), &predefined())),
    ];
    for (file, text) in files {
        assert(compare_with_file(&editors().join(file), &text));
    }
}

/// The query of the grammar for highlighting, with the names of the library.
fn highlights() -> String {
    let path = grammar().join("queries/highlights.scm");
    let mut text = fs::read_to_string(&path).expect("a readable query");
    let known = predefined();
    for (capture, names) in [("type.builtin", known.types), ("function.builtin", known.values)] {
        let start = format!("(#any-of? @{capture}");
        let names: String = names.iter().map(|name| format!(" \"{name}\"")).collect();
        let (before, rest) = text.split_once(&start).expect("the query has the names");
        let (_, after) = rest.split_once(')').expect("the list ends");
        text = format!("{before}{start}{names}){after}");
    }
    assert(compare_with_file(&path, &text));
    text
}

#[test]
fn the_queries_have_the_names_of_the_library_and_of_editors() {
    let highlights = highlights();
    let files = [
        ("helix/runtime/queries/clef/highlights.scm", translated(&highlights, Editor::Helix)),
        ("zed/languages/clef/highlights.scm", translated(&highlights, Editor::Zed)),
    ];
    for (file, text) in files {
        assert(compare_with_file(&editors().join(file), &text));
    }
    for name in ["indents.scm", "locals.scm", "textobjects.scm"] {
        let text = fs::read_to_string(grammar().join("queries").join(name)).expect("a readable query");
        assert(compare_with_file(&editors().join("helix/runtime/queries/clef").join(name), &text));
    }
}

#[test]
fn the_queries_name_nodes_of_the_grammar() {
    for folder in ["tree-sitter-clef/queries", "helix/runtime/queries/clef", "zed/languages/clef"] {
        let entries = fs::read_dir(editors().join(folder)).expect("a readable folder");
        let paths = entries.map(|entry| entry.expect("a readable entry").path());
        for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "scm")) {
            let text = fs::read_to_string(&path).expect("a readable query");
            if let Err(error) = Query::new(&language(), &text) {
                panic!("{}: {error}", path.display());
            }
        }
    }
}
