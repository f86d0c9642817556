//! Devices of which a board has several by name, all with one driver: serial lines and buses.

use crate::{
    board_schema::{bad_name, is_name},
    reader::{FromNode, Report, mapping},
    yaml::{Entry, Node},
};
use clef_base::{Diagnostic, Span, codes};
use std::collections::BTreeMap;

/// A device that has a name among those of its sort.
pub(crate) trait Line: Copy + FromNode {
    /// What it is, with its article: `a serial line`.
    const WHAT: &'static str;
    /// Several of them.
    const SEVERAL: &'static str;
    /// The short word for it.
    const NOUN: &'static str;
    /// Those that have one driver.
    const ALIKE: &'static str;
    /// How programs name one.
    const EXAMPLE: &'static str;
    /// The name that another key has taken.
    const TAKEN: Option<(&'static str, &'static str)>;

    /// The word for its kind in descriptors.
    fn kind(&self) -> &'static str;
    /// Whether one driver fits both.
    fn has_driver_of(&self, other: &Self) -> bool;
    /// Whether both are the same device.
    fn is_same_device(&self, other: &Self) -> bool;
}

/// Devices by name.
pub(crate) struct Lines<T>(pub(crate) BTreeMap<String, T>);

impl<T> Default for Lines<T> {
    fn default() -> Lines<T> {
        Lines(BTreeMap::new())
    }
}

impl<T: Line> FromNode for Lines<T> {
    fn from_node(node: &Node, report: &mut Report) -> Option<Lines<T>> {
        let entries = mapping(node, &format!("a mapping from names to {}", T::SEVERAL), report)?;
        let lines: Vec<Option<(String, T)>> = entries.iter().map(|entry| named(entry, report)).collect();
        lines.into_iter().collect::<Option<_>>().map(Lines)
    }
}

fn named<T: Line>(entry: &Entry, report: &mut Report) -> Option<(String, T)> {
    let line = T::from_node(&entry.value, report);
    if !is_name(&entry.key) || !entry.key.starts_with(|c: char| c.is_ascii_lowercase()) {
        let message = format!("invalid name of {} `{}`: programs write `{}`", T::WHAT, entry.key, T::EXAMPLE);
        report.push(bad_name(entry, message, "use a lowercase letter, then letters, digits and `_`"));
        return None;
    }
    if let Some((name, key)) = T::TAKEN.filter(|(name, _)| entry.key == *name) {
        let message = format!("the {} `{name}` is that of `{key}`", T::NOUN);
        report.push(bad_name(entry, message, "use another name"));
        return None;
    }
    Some((entry.key.clone(), line?))
}

/// What a further device must not have in common with those before it, or must have with the first one, which is called `first_name`
/// in messages: the problem, and what to do.
pub(crate) fn misfit<T: Line>(
    name: &str,
    line: &T,
    (first_name, first): (&str, &T),
    seen: &[T],
) -> Option<(String, String)> {
    let noun = T::NOUN;
    if line.kind() != first.kind() || !line.has_driver_of(first) {
        let message =
            format!("the {noun} `{name}` has another driver than `{first_name}`, whose kind is `{}`", first.kind());
        let help = format!("{} have one driver: use devices of the same kind, or `Mmio` for others", T::ALIKE);
        return Some((message, help));
    }
    seen.iter().any(|other| other.is_same_device(line)).then(|| {
        let message = format!("the {noun} `{name}` is a device that the board has already");
        (message, format!("each {noun} is a device of its own"))
    })
}

/// The place of a value, or of the mapping where it is missing.
pub(crate) fn span_of(value: &Node, key: &str) -> Span {
    value.get(key).map_or(value.span, |entry| entry.value.span)
}

/// An error at a value.
pub(crate) fn invalid(place: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message)
}
