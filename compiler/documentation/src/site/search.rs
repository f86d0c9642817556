//! What the search finds.

use super::manual::{self, Command};
use crate::{
    markdown::Heading,
    reference::{ItemKind, Module},
};
use serde_json::{Value, json};

/// A result of the search.
pub(super) struct Entry {
    /// The name that is found.
    name: String,
    /// What it is.
    kind: &'static str,
    /// Where it is.
    link: String,
    /// Its type, or what it belongs to.
    detail: String,
    /// What it is about.
    summary: String,
}

impl Entry {
    pub(super) fn page(name: &str, link: &str, summary: &str) -> Entry {
        let (name, link, summary) = (name.to_owned(), link.to_owned(), summary.to_owned());
        Entry { name, kind: "page", link, detail: String::new(), summary }
    }

    fn json(&self) -> Value {
        json!([self.name, self.kind, self.link, self.detail, self.summary])
    }
}

/// The headings of a page.
pub(super) fn of_headings(page: &str, path: &str, headings: &[Heading]) -> Vec<Entry> {
    let entry = |heading: &Heading| match heading.level {
        1 => Entry::page(&heading.text, path, &heading.summary),
        _ => Entry {
            kind: "section",
            detail: page.to_owned(),
            ..Entry::page(&heading.text, &format!("{path}#{}", heading.anchor), &heading.summary)
        },
    };
    headings.iter().map(entry).collect()
}

/// A module and its declarations.
pub(super) fn of_module(module: &Module, path: &str) -> Vec<Entry> {
    let summary = |comment: &Option<crate::comment::Comment>| {
        comment.as_ref().map(crate::comment::Comment::summary).unwrap_or_default()
    };
    let items = module.items.iter().map(|item| Entry {
        name: format!("{}.{}", module.name, item.name),
        kind: match item.kind {
            ItemKind::Type => "type",
            ItemKind::Value => "value",
            ItemKind::Function => "function",
        },
        link: format!("{path}#{}", item.anchor()),
        detail: match item.kind {
            ItemKind::Type => String::new(),
            ItemKind::Value | ItemKind::Function => {
                item.signature.split_once(": ").map(|(_, ty)| ty.to_owned()).unwrap_or_default()
            }
        },
        summary: summary(&item.comment),
    });
    let own = Entry { kind: "module", ..Entry::page(&module.name, path, &summary(&module.comment)) };
    [own].into_iter().chain(items).collect()
}

/// A command and its options.
pub(super) fn of_command(command: &Command, path: &str) -> Vec<Entry> {
    let options = command.parameters.iter().map(|parameter| Entry {
        kind: "option",
        detail: format!("clefc {}", command.name),
        ..Entry::page(&parameter.written, &format!("{path}#{}", manual::anchor(parameter)), &parameter.about)
    });
    let own = Entry { kind: "command", ..Entry::page(&command.name, path, &command.about) };
    [own].into_iter().chain(options).collect()
}

/// The script with all entries.
pub(super) fn index(entries: &[Entry]) -> String {
    let lines: Vec<String> = entries.iter().map(|entry| entry.json().to_string().replace("</", "<\\/")).collect();
    format!("\"use strict\";\nconst searchIndex = [\n{}\n];\n", lines.join(",\n"))
}
