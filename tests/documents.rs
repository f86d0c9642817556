//! The links between the documents: what they name is there.

#![allow(clippy::disallowed_methods, reason = "a test reads the documents")]

use regex::Regex;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The documents of the project: those at its root, and the pages of `docs/`.
fn documents() -> Vec<PathBuf> {
    let of = |folder: PathBuf| {
        let entries = fs::read_dir(folder).expect("the folder is readable");
        let paths = entries.map(|entry| entry.expect("the entry is readable").path());
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect::<Vec<_>>()
    };
    [of(root()), of(root().join("docs"))].concat()
}

/// A document without its fenced blocks.
fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut is_fenced = false;
    let outside = |line: &&str| {
        let is_fence = line.starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence
    };
    text.lines().filter(outside).map(|line| format!("{line}\n")).collect()
}

/// The anchors of a document's headings, as GitHub and `clefc doc` make them.
fn anchors(path: &Path) -> BTreeSet<String> {
    let headings = prose(path);
    let headings = headings.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#'));
    let anchor = |heading: &str| -> String {
        let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("it is a regular expression");
    let mut broken = Vec::new();
    for document in documents() {
        for target in link.captures_iter(&prose(&document)).map(|found| found[1].to_owned()) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = match file {
                "" => document.clone(),
                file => document.with_file_name(file),
            };
            if !path.exists() || !anchor.is_empty() && !anchors(&path).contains(anchor) {
                broken.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_site_has_every_page() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("there is a summary");
    for page in documents().iter().filter(|page| page.parent().is_some_and(|folder| folder.ends_with("docs"))) {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name} is not in the summary");
    }
}

#[test]
fn the_readme_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).expect("there is a README").lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
}
