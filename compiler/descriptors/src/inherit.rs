//! Inheritance between descriptors.
//!
//! In: two trees. Out: one, in which the heir's values override the parent's: mappings are merged key by key, and
//! everything else is replaced. A mapping whose `kind` the heir changes is replaced too, since the kind determines the
//! other keys. Every node keeps its location, so that the result shows where each value was set.

use crate::yaml::{Entry, Node, Value};
use clef_base::SourceMap;

/// Keys that apply to one file alone.
pub(crate) const OWN_KEYS: [&str; 3] = ["inherits", "abstract", "aliases"];

/// Merges the heir's tree with its parent's.
pub(crate) fn merge(parent: Node, heir: Node) -> Node {
    match (parent.value, heir.value) {
        (Value::Mapping(inherited), Value::Mapping(own)) if !changes_kind(&inherited, &own) => {
            Node { span: heir.span, value: Value::Mapping(merge_entries(inherited, own)) }
        }
        (_, value) => Node { span: heir.span, value },
    }
}

fn changes_kind(inherited: &[Entry], own: &[Entry]) -> bool {
    let kind = |entries: &[Entry]| {
        let entry = entries.iter().find(|entry| entry.key == "kind");
        entry.and_then(|entry| entry.value.text()).map(str::to_owned)
    };
    let own = kind(own);
    own.is_some() && kind(inherited).is_some_and(|inherited| Some(inherited) != own)
}

/// The inherited keys in their order, then the new ones.
fn merge_entries(inherited: Vec<Entry>, mut own: Vec<Entry>) -> Vec<Entry> {
    let mut merged = Vec::with_capacity(inherited.len() + own.len());
    for entry in inherited {
        match own.iter().position(|candidate| candidate.key == entry.key) {
            Some(index) => {
                let heir = own.remove(index);
                merged.push(Entry { key: heir.key, key_span: heir.key_span, value: merge(entry.value, heir.value) });
            }
            None => merged.push(entry),
        }
    }
    merged.extend(own);
    merged
}

/// The tree of a file without the keys that apply to this file alone.
pub(crate) fn heritable(node: Node) -> Node {
    match node.value {
        Value::Mapping(mut entries) => {
            entries.retain(|entry| !OWN_KEYS.contains(&entry.key.as_str()));
            Node { span: node.span, value: Value::Mapping(entries) }
        }
        Value::Scalar { .. } | Value::Sequence(_) => node,
    }
}

/// One line of a resolved descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolvedLine {
    /// YAML: a key, with its value unless that is a mapping, indented by its depth.
    pub text: String,
    /// `file:line` of the value; `None` for a mapping, whose values have their own.
    pub origin: Option<String>,
}

/// The tree as YAML lines, each value with the location where it was set.
pub(crate) fn lines(sources: &SourceMap, node: &Node) -> Vec<ResolvedLine> {
    let mut lines = Vec::new();
    if let Value::Mapping(entries) = &node.value {
        push_entries(sources, entries, 0, &mut lines);
    }
    lines
}

fn push_entries(sources: &SourceMap, entries: &[Entry], depth: usize, lines: &mut Vec<ResolvedLine>) {
    let indent = "  ".repeat(depth);
    for Entry { key, key_span, value } in entries {
        match &value.value {
            Value::Mapping(inner) if !inner.is_empty() => {
                lines.push(ResolvedLine { text: format!("{indent}{key}:"), origin: None });
                push_entries(sources, inner, depth + 1, lines);
            }
            Value::Mapping(_) | Value::Scalar { .. } | Value::Sequence(_) => {
                let file = sources.file(key_span.file);
                let line = file.line_column(key_span.start).line;
                lines.push(ResolvedLine {
                    text: format!("{indent}{key}: {}", flow(value)),
                    origin: Some(format!("{}:{line}", file.name)),
                });
            }
        }
    }
}

/// A value on one line.
fn flow(node: &Node) -> String {
    match &node.value {
        Value::Scalar { text, quoted: false } => text.clone(),
        Value::Scalar { text, quoted: true } => format!("{text:?}"),
        Value::Sequence(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Mapping(entries) => {
            let inner: Vec<String> =
                entries.iter().map(|entry| format!("{}: {}", entry.key, flow(&entry.value))).collect();
            format!("{{{}}}", inner.join(", "))
        }
    }
}
