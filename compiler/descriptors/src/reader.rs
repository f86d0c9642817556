//! From tree nodes to typed values: unknown keys, missing keys and wrong types become diagnostics with their locations.
//!
//! A reader continues after an error, so that one run shows all errors of a file. It returns `None` if and only if it
//! has reported an error.

use crate::{
    Address, Bytes, Hertz,
    yaml::{Entry, Node, Value},
};
use clef_base::{Diagnostic, Span, codes, nearest};
use std::collections::BTreeMap;

/// What a board is called in messages.
pub(crate) const A_BOARD: &str = "a board";

/// The diagnostics of one descriptor.
pub(crate) type Report = Vec<Diagnostic>;

/// A type that can be read from a node.
pub(crate) trait FromNode: Sized {
    /// Reads a value, or reports the error.
    fn from_node(node: &Node, report: &mut Report) -> Option<Self>;
}

/// A type whose values are a fixed set of words.
pub(crate) trait Words: Copy + 'static {
    /// The type's name in messages, with its article: `a float ABI`.
    const WHAT: &'static str;
    /// Each word with its value.
    const WORDS: &'static [(&'static str, Self)];
}

impl<T: Words> FromNode for T {
    fn from_node(node: &Node, report: &mut Report) -> Option<T> {
        let text = scalar(node, T::WHAT, report)?;
        let found = T::WORDS.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            report.push(unknown_word(node.span, text, T::WHAT, T::WORDS.iter().map(|(word, _)| *word)));
        }
        found
    }
}

/// Reports a word that is not one of the allowed ones.
pub(crate) fn unknown_word(
    span: Span,
    found: &str,
    what: &str,
    words: impl Iterator<Item = &'static str> + Clone,
) -> Diagnostic {
    let list = words.clone().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, span, format!("`{found}` is not {what}"))
        .label(format!("expected one of {list}"));
    // A longer word, such as the name of a chip, means the word that it begins with.
    let begins = words.clone().filter(|word| found.starts_with(word)).max_by_key(|word| word.len());
    match begins.or_else(|| nearest_word(found, words)) {
        Some(word) => diagnostic.fix(format!("write `{word}`"), span, word),
        None => diagnostic,
    }
}

/// The word that is most like another one, unless they name different chips: a descriptor of one builds an image for another one.
pub(crate) fn nearest_word<'a>(found: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest(found, words).filter(|near| !name_different_chips(found, near))
}

/// What names of chips begin with.
const FAMILIES: [&str; 4] = ["stm32", "nrf", "rp2", "lm3s"];

fn name_different_chips(one: &str, other: &str) -> bool {
    let part = |word: &str| {
        let word = word.to_ascii_lowercase();
        let family = FAMILIES.iter().find(|family| word.starts_with(**family))?;
        let part: String = word[family.len()..].chars().take_while(char::is_ascii_alphanumeric).collect();
        Some((*family, part))
    };
    match (part(one), part(other)) {
        (Some((family, one)), Some((other_family, other))) => {
            family == other_family && !one.starts_with(&other) && !other.starts_with(&one)
        }
        (Some(_), None) | (None, Some(_)) | (None, None) => false,
    }
}

/// The kind of a node, as the user sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Truth,
    Nothing,
    List,
    Mapping,
}

impl Kind {
    fn of(node: &Node) -> Kind {
        match &node.value {
            Value::Scalar { quoted: true, .. } => Kind::Text,
            Value::Scalar { text, .. } if matches!(text.as_str(), "" | "~" | "null") => Kind::Nothing,
            Value::Scalar { text, .. } if matches!(text.as_str(), "true" | "false") => Kind::Truth,
            Value::Scalar { text, .. } if is_number(text) => Kind::Number,
            Value::Scalar { .. } => Kind::Text,
            Value::Sequence(_) => Kind::List,
            Value::Mapping(_) => Kind::Mapping,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Text => "a string",
            Kind::Number => "a number",
            Kind::Truth => "a boolean",
            Kind::Nothing => "nothing",
            Kind::List => "a list",
            Kind::Mapping => "a mapping",
        }
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+', '.']);
    digits.starts_with(|c: char| c.is_ascii_digit()) && (text.parse::<f64>().is_ok() || Address::parse(text).is_some())
}

/// The error for a node of the wrong type.
pub(crate) fn wrong_type(node: &Node, expected: &str) -> Diagnostic {
    let found = Kind::of(node).name();
    Diagnostic::error(codes::WRONG_DESCRIPTOR_TYPE, node.span, format!("expected {expected}, found {found}"))
        .label(format!("this is {found}"))
}

fn scalar<'a>(node: &'a Node, expected: &str, report: &mut Report) -> Option<&'a str> {
    match &node.value {
        Value::Scalar { text, .. } if Kind::of(node) != Kind::Nothing => Some(text),
        Value::Scalar { .. } | Value::Sequence(_) | Value::Mapping(_) => {
            report.push(wrong_type(node, expected));
            None
        }
    }
}

/// An unquoted scalar that `parse` accepts.
fn parsed<T>(node: &Node, expected: &str, report: &mut Report, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    quantity(node, expected, None, report, parse)
}

/// The same for a quantity, if it has a unit.
fn quantity<T>(
    node: &Node,
    expected: &str,
    unit: Option<&Unit>,
    report: &mut Report,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    match (&node.value, Kind::of(node)) {
        (Value::Scalar { text, quoted: false }, Kind::Text | Kind::Number) => {
            let value = parse(text);
            if value.is_none() {
                let message = format!("expected {expected}, found `{text}`");
                let error = Diagnostic::error(codes::WRONG_DESCRIPTOR_TYPE, node.span, message);
                let meant = unit.and_then(|unit| unit.meant(text)).filter(|meant| parse(meant).is_some());
                report.push(match meant {
                    Some(meant) => error.fix(format!("write `{meant}`"), node.span, meant),
                    None => error,
                });
            }
            value
        }
        (Value::Scalar { text, quoted: true }, _) if parse(text).is_some() => {
            report.push(wrong_type(node, expected).fix("remove the quotation marks", node.span, text));
            None
        }
        (Value::Scalar { .. } | Value::Sequence(_) | Value::Mapping(_), _) => {
            report.push(wrong_type(node, expected));
            None
        }
    }
}

/// A unit of quantities.
struct Unit {
    /// Its names, which descriptors leave out.
    names: &'static [&'static str],
    /// The suffixes with the powers of what.
    suffixes: [&'static str; 4],
    power: u64,
}

const BYTES: Unit = Unit { names: &["iB", "B"], suffixes: ["", "K", "M", "G"], power: 1024 };
const HERTZ: Unit = Unit { names: &["Hz"], suffixes: ["", "k", "M", "G"], power: 1000 };

impl Unit {
    /// How a quantity may have been meant: without the name of the unit, with its suffix in the other case, or as the whole number that a
    /// fraction with a suffix is, such as `2560` for `2.5K`.
    fn meant(&self, text: &str) -> Option<String> {
        let bare = self.names.iter().find_map(|unit| text.strip_suffix(unit)).unwrap_or(text);
        let (number, suffix) = bare.split_at(bare.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
        let number = number.trim_end();
        let exponent = self.suffixes.iter().position(|own| own.eq_ignore_ascii_case(suffix))?;
        match number.split_once('.') {
            None => Some(format!("{number}{}", self.suffixes[exponent])),
            Some((whole, fraction)) => {
                let scale = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
                let digits: u64 = format!("{whole}{fraction}").parse().ok()?;
                let scaled = digits.checked_mul(self.power.pow(exponent as u32))?;
                scaled.is_multiple_of(scale).then(|| (scaled / scale).to_string())
            }
        }
    }
}

impl FromNode for String {
    fn from_node(node: &Node, report: &mut Report) -> Option<String> {
        match (&node.value, Kind::of(node)) {
            (Value::Scalar { text, .. }, Kind::Text) => return Some(text.clone()),
            (Value::Scalar { text, .. }, Kind::Number | Kind::Truth) => {
                let edit = format!("{text:?}");
                report.push(wrong_type(node, "a string").fix("put it in quotes for a string", node.span, edit));
            }
            (Value::Scalar { .. } | Value::Sequence(_) | Value::Mapping(_), _) => {
                report.push(wrong_type(node, "a string"));
            }
        }
        None
    }
}

impl FromNode for bool {
    fn from_node(node: &Node, report: &mut Report) -> Option<bool> {
        match (node.text(), Kind::of(node)) {
            (Some(text), Kind::Truth) => Some(text == "true"),
            (Some(_) | None, _) => {
                report.push(wrong_type(node, "`true` or `false`"));
                None
            }
        }
    }
}

impl FromNode for u8 {
    fn from_node(node: &Node, report: &mut Report) -> Option<u8> {
        parsed(node, "a number from 0 to 255", report, |text| Address::parse(text)?.0.try_into().ok())
    }
}

impl FromNode for u16 {
    fn from_node(node: &Node, report: &mut Report) -> Option<u16> {
        parsed(node, "a number from 0 to 65535", report, |text| Address::parse(text)?.0.try_into().ok())
    }
}

impl FromNode for u32 {
    fn from_node(node: &Node, report: &mut Report) -> Option<u32> {
        parsed(node, "a number of at most 32 bits", report, |text| Address::parse(text)?.0.try_into().ok())
    }
}

impl FromNode for Bytes {
    fn from_node(node: &Node, report: &mut Report) -> Option<Bytes> {
        quantity(node, "a size in bytes such as `4096`, `16K` or `1M`", Some(&BYTES), report, Bytes::parse)
    }
}

impl FromNode for Address {
    fn from_node(node: &Node, report: &mut Report) -> Option<Address> {
        parsed(node, "an address such as `0x20000000`", report, Address::parse)
    }
}

impl FromNode for Hertz {
    fn from_node(node: &Node, report: &mut Report) -> Option<Hertz> {
        quantity(node, "a frequency in hertz such as `16M`", Some(&HERTZ), report, Hertz::parse)
    }
}

impl<T: FromNode> FromNode for Vec<T> {
    fn from_node(node: &Node, report: &mut Report) -> Option<Vec<T>> {
        let Value::Sequence(items) = &node.value else {
            report.push(wrong_type(node, "a list"));
            return None;
        };
        let values: Vec<Option<T>> = items.iter().map(|item| T::from_node(item, report)).collect();
        values.into_iter().collect()
    }
}

impl<T: FromNode> FromNode for BTreeMap<String, T> {
    fn from_node(node: &Node, report: &mut Report) -> Option<BTreeMap<String, T>> {
        let entries = mapping(node, "a mapping", report)?;
        let values: Vec<Option<(String, T)>> = entries
            .iter()
            .map(|entry| T::from_node(&entry.value, report).map(|value| (entry.key.clone(), value)))
            .collect();
        values.into_iter().collect()
    }
}

/// The entries of a mapping.
pub(crate) fn mapping<'a>(node: &'a Node, expected: &str, report: &mut Report) -> Option<&'a [Entry]> {
    match &node.value {
        Value::Mapping(entries) => Some(entries),
        Value::Scalar { .. } | Value::Sequence(_) => {
            report.push(wrong_type(node, expected));
            None
        }
    }
}

/// A mapping with a fixed set of keys, read key by key.
pub(crate) struct Fields<'a, 'r> {
    entries: &'a [Entry],
    place: Span,
    what: String,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
    report: &'r mut Report,
}

impl<'a, 'r> Fields<'a, 'r> {
    /// Starts to read `node`, called `what` in messages; `place` is where missing keys are reported.
    pub(crate) fn of(node: &'a Node, place: Span, what: &str, report: &'r mut Report) -> Option<Fields<'a, 'r>> {
        let entries = mapping(node, &format!("the keys of {what}"), report)?;
        Some(Fields { entries, place, what: what.to_owned(), known: Vec::new(), missing: Vec::new(), report })
    }

    fn entry(&mut self, key: &'static str) -> Option<&'a Entry> {
        self.known.push(key);
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Whether the mapping has a key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// The location of the value of a key, or of the whole mapping if the key is missing.
    pub(crate) fn span(&self, key: &str) -> Span {
        self.entries.iter().find(|entry| entry.key == key).map_or(self.place, |entry| entry.value.span)
    }

    /// The value of a required key.
    pub(crate) fn required<T: FromNode>(&mut self, key: &'static str) -> Option<T> {
        let Some(entry) = self.entry(key) else {
            self.missing.push(key);
            return None;
        };
        T::from_node(&entry.value, self.report)
    }

    /// The value of an optional key: the outer `None` is an error, the inner one absence.
    pub(crate) fn optional<T: FromNode>(&mut self, key: &'static str) -> Option<Option<T>> {
        match self.entry(key) {
            Some(entry) => T::from_node(&entry.value, self.report).map(Some),
            None => Some(None),
        }
    }

    /// Accepts an optional key that is read elsewhere.
    pub(crate) fn ignore(&mut self, key: &'static str) {
        self.known.push(key);
    }

    /// The report for further errors about this mapping.
    pub(crate) fn report(&mut self) -> &mut Report {
        self.report
    }

    /// Reports missing keys and unread keys.
    pub(crate) fn finish(self) {
        for entry in self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str())) {
            self.report.push(unknown_key(entry, &self.what, &self.known));
        }
        self.finish_unread();
    }

    /// Reports missing keys only; the others cannot be checked, because they depend on the missing ones.
    pub(crate) fn finish_unread(self) {
        if !self.missing.is_empty() {
            let list = self.missing.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            let (keys, are) = if self.missing.len() == 1 { ("key", "is") } else { ("keys", "are") };
            let message = format!("the {keys} {list} {are} missing from {}", self.what);
            let error = Diagnostic::error(codes::MISSING_DESCRIPTOR_KEY, self.place, message);
            self.report.push(match self.what == A_BOARD {
                true => error.help("`clefc board show microbit` shows a complete board"),
                false => error,
            });
        }
    }
}

fn unknown_key(entry: &Entry, what: &str, known: &[&'static str]) -> Diagnostic {
    let message = format!("unknown key `{}` in {what}", entry.key);
    let diagnostic = Diagnostic::error(codes::UNKNOWN_DESCRIPTOR_KEY, entry.key_span, message).label("unknown key");
    match nearest(&entry.key, known.iter().copied()) {
        Some(key) => diagnostic.fix(format!("did you mean `{key}`?"), entry.key_span, key),
        None if known.is_empty() => diagnostic,
        None => diagnostic.note(format!("the known keys are {}", known.join(", "))),
    }
}
