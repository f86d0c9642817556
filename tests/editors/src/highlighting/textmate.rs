//! The grammar of VS Code, in the format of TextMate.

use super::{Class, Lists, NOTICE, Region, Rule};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Grammar {
    information_for_contributors: &'static str,
    name: &'static str,
    #[serde(rename = "scopeName")]
    scope_name: &'static str,
    patterns: Vec<Pattern>,
    repository: BTreeMap<&'static str, Patterns>,
}

#[derive(Serialize)]
struct Patterns {
    patterns: Vec<Pattern>,
}

#[derive(Serialize)]
struct Capture {
    name: String,
}

type Captures = BTreeMap<usize, Capture>;

#[derive(Serialize)]
#[serde(untagged)]
enum Pattern {
    Include {
        include: String,
    },
    Match {
        r#match: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(skip_serializing_if = "Captures::is_empty")]
        captures: Captures,
    },
    #[serde(rename_all = "camelCase")]
    Region {
        begin: String,
        end: String,
        name: String,
        begin_captures: Captures,
        end_captures: Captures,
        patterns: Vec<Pattern>,
    },
}

/// The scope of code between delimiters, also inside of a string.
const EMBEDDED: &str = "meta.embedded.clef";

/// The rules as a grammar.
pub fn textmate(lists: &Lists) -> String {
    let repository =
        lists.iter().map(|(name, rules)| (*name, Patterns { patterns: rules.iter().map(pattern).collect() }));
    let grammar = Grammar {
        information_for_contributors: NOTICE,
        name: "Clef",
        scope_name: "source.clef",
        patterns: lists.iter().take(1).map(|(name, _)| include(name)).collect(),
        repository: repository.collect(),
    };
    serde_json::to_string_pretty(&grammar).expect("the grammar is valid JSON") + "\n"
}

fn include(name: &str) -> Pattern {
    Pattern::Include { include: format!("#{name}") }
}

fn capture(class: Class) -> Capture {
    Capture { name: class.scope() }
}

fn pattern(rule: &Rule) -> Pattern {
    match rule {
        Rule::Include(name) => include(name),
        Rule::Text(text, class) => {
            Pattern::Match { r#match: text.clone(), name: class.map(Class::scope), captures: Captures::new() }
        }
        Rule::Pieces(pieces) => {
            let captures = pieces.iter().zip(1..).filter_map(|((_, class), index)| Some((index, capture((*class)?))));
            let text = pieces.iter().map(|(text, _)| format!("({text})")).collect();
            Pattern::Match { r#match: text, name: None, captures: captures.collect() }
        }
        Rule::Region(Region { open, close, delimiter, content, rules }) => {
            let captures = || BTreeMap::from([(0, capture(*delimiter))]);
            Pattern::Region {
                begin: open.clone(),
                end: close.clone(),
                name: content.map_or(EMBEDDED.to_owned(), Class::scope),
                begin_captures: captures(),
                end_captures: captures(),
                patterns: vec![include(rules)],
            }
        }
    }
}
