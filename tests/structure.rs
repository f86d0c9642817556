//! The structure of the compiler's source: what ARCHITECTURE.md says of it, and the limits that it keeps.
//!
//! `UPDATE=1` rewrites the crate graph of ARCHITECTURE.md.

#![allow(clippy::disallowed_methods, reason = "a test reads the source, and rewrites the document when it is asked to")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The most lines of a crate.
const LARGEST_CRATE: usize = 15_000;

/// What surrounds the crate graph in ARCHITECTURE.md.
const FENCES: (&str, &str) = ("```text\n", "```\n");

/// Names of crates or modules, each with those that it depends on.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crates of the compiler by the names of their folders, with the normal dependencies among them.
fn crates() -> Graph {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    let folder = |package: &serde_json::Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let folder = manifest.parent()?;
        (folder.parent()?.file_name()? == "compiler").then(|| folder.file_name().unwrap_or_default().to_owned())
    };
    let folders: BTreeMap<&str, String> = packages
        .iter()
        .filter_map(|package| Some((package["name"].as_str()?, folder(package)?.to_string_lossy().into_owned())))
        .collect();
    let of = |package: &serde_json::Value| {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let normal = dependencies.filter(|dependency| dependency["kind"].is_null());
        normal.filter_map(|dependency| folders.get(dependency["name"].as_str()?).cloned()).collect()
    };
    let named = packages.iter().filter_map(|package| Some((package["name"].as_str()?, package)));
    named.filter_map(|(name, package)| Some((folders.get(name)?.clone(), of(package)))).collect()
}

/// What a node reaches, itself not included unless it lies on a cycle.
fn reached(graph: &Graph, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut queue: Vec<&String> = graph[from].iter().collect();
    while let Some(next) = queue.pop() {
        if found.insert(next.clone()) {
            queue.extend(&graph[next]);
        }
    }
    found
}

/// The graph without the edges that other edges already imply, those that nothing depends on last.
fn drawn(graph: &Graph) -> String {
    let mut names: Vec<&String> = graph.keys().collect();
    names.sort_by_key(|name| (std::cmp::Reverse(reached(graph, name).len()), name.as_str()));
    let direct = |name: &String| {
        let implied: BTreeSet<String> = graph[name].iter().flat_map(|next| reached(graph, next)).collect();
        graph[name].iter().filter(|next| !implied.contains(*next)).cloned().collect::<Vec<_>>()
    };
    let line = |name: &&String| match direct(name).join(", ") {
        next if next.is_empty() => format!("{name}\n"),
        next => format!("{name:<16}→ {next}\n"),
    };
    names.iter().map(line).collect()
}

#[test]
fn the_document_has_the_crate_graph() {
    let path = root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).expect("there is ARCHITECTURE.md");
    let (before, rest) = text.split_once(FENCES.0).expect("it has the graph");
    let (graph, after) = rest.split_once(FENCES.1).expect("the graph ends");
    let wanted = drawn(&crates());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, format!("{before}{}{wanted}{}{after}", FENCES.0, FENCES.1)).expect("it is writable");
        return;
    }
    assert_eq!(graph, wanted, "ARCHITECTURE.md is not up to date; `UPDATE=1` rewrites it");
}

/// The Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is readable");
    let paths = entries.map(|entry| entry.expect("the entry is readable").path());
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false if path.extension().is_some_and(|extension| extension == "rs") => vec![path],
        false => Vec::new(),
    };
    paths.flat_map(below).collect()
}

#[test]
fn no_crate_is_too_large() {
    let lines = |name: &String| {
        let files = files(&root().join("compiler").join(name).join("src"));
        let texts = files.iter().map(|file| fs::read_to_string(file).expect("the file is readable"));
        (texts.map(|text| text.lines().count()).sum::<usize>(), name.clone())
    };
    let crates = crates();
    let largest = crates.keys().map(lines).max().expect("there are crates");
    println!("the largest crate is {} with {} lines", largest.1, largest.0);
    assert!(largest.0 <= LARGEST_CRATE, "{largest:?}");
}
