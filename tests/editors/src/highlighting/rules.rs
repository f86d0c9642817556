//! The rules, in lists by name; the first is that of a file.

use super::{
    Class::{self, *},
    Region,
    Rule::{self, Include, Pieces, Text},
};
use crate::vocabulary::{self, Predefined};
use clef_syntax::{
    lexer::{COLON_OPERATORS, OPERATOR_CHARACTERS, SUFFIXES},
    token::Punctuation,
};
use std::{cmp::Reverse, collections::BTreeSet};

/// Lists of rules by name.
pub type Lists = Vec<(&'static str, Vec<Rule>)>;

/// What a name starts with, and what it goes on with.
const START: &str = r"[\p{L}\p{Nl}_]";
const FURTHER: &str = r"[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}']";

/// The escapes of strings and characters.
const ESCAPE: &str = r#"\\(?:[0-9]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[nrtbafv\\"'0])"#;

/// All rules.
pub fn rules() -> Lists {
    let predefined = vocabulary::predefined();
    vec![
        ("code", code(&predefined)),
        ("comment", comment()),
        ("string", vec![Text(ESCAPE.into(), Some(Escape)), Text(r"\\$".into(), Some(Escape)), escape_error()]),
        ("verbatim", vec![Text(r#""""#.into(), Some(Escape))]),
        ("triple", Vec::new()),
        ("interpolated", [vec![Include("string")], holes()].concat_rules()),
        ("interpolated-verbatim", [vec![Include("verbatim")], holes()].concat_rules()),
        ("interpolated-triple", holes()),
        ("hole", [vec![Text(r#":(?!:)[^}"]*"#.into(), Some(Format))], nested()].concat_rules()),
        ("nested", nested()),
        ("attributes", attributes()),
    ]
}

/// Joins lists of rules, which cannot be cloned.
trait ConcatRules {
    fn concat_rules(self) -> Vec<Rule>;
}

impl<const N: usize> ConcatRules for [Vec<Rule>; N] {
    fn concat_rules(self) -> Vec<Rule> {
        self.into_iter().flatten().collect()
    }
}

fn region(open: &str, close: &str, class: Class, rules: &'static str) -> Rule {
    Rule::Region(Region { open: open.into(), close: close.into(), delimiter: class, content: Some(class), rules })
}

/// A region whose content is code.
fn code_region(open: &str, close: &str, delimiter: Class, rules: &'static str) -> Rule {
    Rule::Region(Region { open: open.into(), close: close.into(), delimiter, content: None, rules })
}

/// Any of some texts, the longest first.
fn any<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut texts: Vec<&str> = texts.into_iter().collect();
    texts.sort_by_key(|text| Reverse(text.len()));
    let escaped = texts.iter().map(|text| text.chars().map(escaped).collect::<String>());
    format!("(?:{})", escaped.collect::<Vec<_>>().join("|"))
}

fn escaped(c: char) -> String {
    if c.is_alphanumeric() || "_!%&=<>@~-/:,;'".contains(c) { c.to_string() } else { format!("\\{c}") }
}

fn code(predefined: &Predefined) -> Vec<Rule> {
    [
        comments(),
        strings(),
        characters(),
        numbers(),
        vec![Text(r"``[^`]+``".into(), None), code_region(r"\[<", r">\]", Bracket, "attributes")],
        declarations(),
        words(),
        names(predefined),
        signs(r"\|\]|\|\}"),
    ]
    .concat_rules()
}

fn comments() -> Vec<Rule> {
    vec![
        Text("///(?!/).*$".into(), Some(Documentation)),
        Text("//.*$".into(), Some(LineComment)),
        region(r"\(\*(?!\))", r"\*\)", BlockComment, "comment"),
        Text(r"^\s*#.*$".into(), Some(Directive)),
    ]
}

/// Comments nest; strings in them hide what ends a comment.
fn comment() -> Vec<Rule> {
    vec![
        region(r"\(\*(?!\))", r"\*\)", BlockComment, "comment"),
        Text(r#"'"'"#.into(), Some(BlockComment)),
        Text(r#""(?:[^"\\]|\\.)*""#.into(), Some(BlockComment)),
    ]
}

fn strings() -> Vec<Rule> {
    vec![
        region(r#"\$""""#, r#"""""#, Quoted, "interpolated-triple"),
        region(r#"(?:\$@|@\$)""#, r#""(?!")"#, Quoted, "interpolated-verbatim"),
        region(r#"\$""#, r#"""#, Quoted, "interpolated"),
        region(r#"""""#, r#""""B?"#, Quoted, "triple"),
        region(r#"@""#, r#""(?!")B?"#, Quoted, "verbatim"),
        region(r#"""#, r#""B?"#, Quoted, "string"),
    ]
}

fn escape_error() -> Rule {
    Text(r"\\.".into(), Some(Invalid))
}

/// A hole without its brace ends before the last quote of the line.
fn holes() -> Vec<Rule> {
    vec![
        Text(r"\{\{|\}\}|%%".into(), Some(Escape)),
        Text(r"%[0-9\-+ .*]*[a-zA-Z](?=\{(?!\{))".into(), Some(Format)),
        code_region(r"\{", r#"\}|(?="[^"]*$)"#, Hole, "hole"),
        Text(r"\}".into(), Some(Invalid)),
    ]
}

/// Code with brackets as regions, so that the brace of a record does not end a hole.
fn nested() -> Vec<Rule> {
    vec![
        region_of_brackets(r"\((?!\*(?!\)))", r"\)"),
        region_of_brackets(r"\[\|", r"\|\]"),
        region_of_brackets(r"\{\|", r"\|\}"),
        region_of_brackets(r"\[(?!<)", r"\]"),
        region_of_brackets(r"\{", r"\}"),
        Include("code"),
    ]
}

fn region_of_brackets(open: &str, close: &str) -> Rule {
    code_region(open, close, Bracket, "nested")
}

fn characters() -> Vec<Rule> {
    vec![
        Text(format!(r"'(?:{ESCAPE}|[^\\])'B?"), Some(Character)),
        Text(format!("'{START}{}*(?!')", FURTHER.replace('\'', "")), Some(TypeVariable)),
        Text("'".into(), Some(Invalid)),
    ]
}

fn numbers() -> Vec<Rule> {
    let suffix = any(SUFFIXES.iter().map(|(text, _)| *text));
    let exponent = "[eE][+-]?[0-9][0-9_]*";
    let fraction = format!(r"\.(?:(?![.\[]|{START})[0-9_]*(?:{exponent})?|(?=[fF](?!{FURTHER}))|{exponent})");
    vec![
        Text(format!("0(?:[xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+){suffix}?(?!{FURTHER})"), Some(Number)),
        Text(format!("[0-9][0-9_]*(?:{fraction}|{exponent})?[fF]?(?!{FURTHER})"), Some(Number)),
        Text(format!("[0-9][0-9_]*{suffix}(?!{FURTHER})"), Some(Number)),
        Text(format!("[0-9]{FURTHER}*"), Some(Invalid)),
    ]
}

/// The names that declarations introduce.
fn declarations() -> Vec<Rule> {
    let tokens = vocabulary::tokens();
    let words = vocabulary::words(&tokens);
    let modifiers = words.iter().filter(|(group, _)| *group == "modifier").map(|(_, word)| *word);
    let modifiers = format!(r"(?>\s+(?:{}\s+)*)", any(modifiers.chain(["rec"])));
    let no_word = format!("(?!{}(?!{FURTHER}))", any(words.iter().map(|(_, word)| *word)));
    let path = format!(r"{no_word}{START}{FURTHER}*(?:\.{START}{FURTHER}*)*(?!{FURTHER})");
    vec![
        Pieces(vec![
            ("(?:let|and)".into(), Some(Declaration)),
            (modifiers.clone(), Some(Modifier)),
            // Parameters follow.
            (format!(r"{no_word}[\p{{Ll}}_]{FURTHER}*(?=\s*\(|\s+(?![=:,|&)]|(?:as|in)\b)\S)"), Some(Function)),
        ]),
        Pieces(vec![
            ("type".into(), Some(Declaration)),
            (modifiers.clone(), Some(Modifier)),
            (format!("{START}{FURTHER}*"), Some(TypeName)),
        ]),
        Pieces(vec![
            ("(?:module|namespace|open)".into(), Some(Declaration)),
            (modifiers, Some(Modifier)),
            (path, Some(Module)),
        ]),
    ]
}

fn words() -> Vec<Rule> {
    let tokens = vocabulary::tokens();
    let words = vocabulary::words(&tokens);
    let classes = [
        ("control", Control),
        ("declaration", Declaration),
        ("modifier", Modifier),
        ("constant", Constant),
        ("wildcard", Wildcard),
        ("reserved", Reserved),
    ];
    let with_bang = words.iter().filter(|(_, word)| word.ends_with('!'));
    let with_bang = with_bang.filter_map(|(name, word)| {
        let class = classes.iter().find(|(group, _)| group == name)?.1;
        Some(Text(format!("{word}(?!=)"), Some(class)))
    });
    let plain = classes.iter().map(|(name, class)| {
        let of_group = words.iter().filter(|(group, word)| group == name && !word.ends_with('!'));
        Text(format!("{}(?!{FURTHER})", any(of_group.map(|(_, word)| *word))), Some(*class))
    });
    with_bang.chain(plain).collect()
}

fn names(predefined: &Predefined) -> Vec<Rule> {
    let one_of = |names: &BTreeSet<String>| format!(r"(?<!\.){}(?!{FURTHER})", any(names.iter().map(String::as_str)));
    vec![
        Text(one_of(&predefined.types), Some(Type)),
        Text(one_of(&predefined.values), Some(Value)),
        Text(format!(r"\p{{Lu}}{FURTHER}*(?=\.{START})"), Some(Module)),
        Text(format!(r"\p{{Lu}}{FURTHER}*"), Some(Constructor)),
        Text(format!("{START}{FURTHER}*"), None),
    ]
}

/// Operators and punctuation; an operator ends before the brackets that it closes, a comment or a range.
fn signs(closers: &str) -> Vec<Rule> {
    use Punctuation::{LeftAttribute, RightAttribute};
    fn is_bracket(sign: &Punctuation) -> bool {
        sign.closer().is_some() || sign.is_closer()
    }

    let is_operator = |text: &str| text.chars().all(|c| OPERATOR_CHARACTERS.contains(c));
    let of = |wanted: fn(&Punctuation) -> bool| {
        any(Punctuation::ALL
            .iter()
            .filter(|sign| wanted(sign))
            .map(|sign| sign.text())
            .filter(|text| !is_operator(text)))
    };
    let run: String = OPERATOR_CHARACTERS.chars().map(escaped).collect::<String>().replace('-', r"\-");
    vec![
        Text(any(COLON_OPERATORS), Some(Operator)),
        Text(of(|sign| is_bracket(sign) && ![LeftAttribute, RightAttribute].contains(sign)), Some(Bracket)),
        Text(of(|sign| !is_bracket(sign)), Some(Separator)),
        Text(format!(r"(?!{closers})[{run}](?:(?!{closers}|//|\.\.)[{run}.])*"), Some(Operator)),
    ]
}

/// Names in attributes are those of attributes.
fn attributes() -> Vec<Rule> {
    [
        comments(),
        strings(),
        numbers(),
        words(),
        vec![Text(format!("{START}{FURTHER}*"), Some(Attribute))],
        signs(r">\]|\|\]|\|\}"),
        vec![Include("code")],
    ]
    .concat_rules()
}
