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
    if clef_golden::is_updating() {
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

/// The modules of a crate by their paths, each with its file below `src`.
type Modules = BTreeMap<Vec<String>, PathBuf>;

fn modules(source: &Path) -> Modules {
    let is_of_tests = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
    let module = |file: PathBuf| {
        let file = file.strip_prefix(source).expect("it lies there").to_owned();
        let mut path: Vec<String> =
            file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
        path.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
        (path, file)
    };
    files(source).into_iter().map(module).filter(|(_, file)| !is_of_tests(file)).collect()
}

/// The paths that a module names, from the root of its crate on.
struct Named<'a> {
    modules: &'a Modules,
    module: &'a [String],
    paths: BTreeSet<Vec<String>>,
}

impl Named<'_> {
    /// Adds a path as it is written in the module.
    fn add(&mut self, written: &[String]) {
        let supers = written.iter().take_while(|part| *part == "super").count();
        let mut path = match written.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("super" | "self") => self.module[..self.module.len().saturating_sub(supers)].to_vec(),
            Some(_) | None => self.module.to_vec(),
        };
        path.extend(written.iter().filter(|part| !["crate", "super", "self"].contains(&part.as_str())).cloned());
        let is_own = ["crate", "super", "self"].contains(&written[0].as_str())
            || self.modules.contains_key(&path[..=self.module.len().min(path.len() - 1)]);
        if is_own {
            self.paths.insert(path);
        }
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.add(&with(&name.ident)),
            syn::UseTree::Rename(rename) => self.add(&with(&rename.ident)),
            syn::UseTree::Glob(_) => self.add(before),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(before, tree)),
        }
    }
}

impl<'ast> syn::visit::Visit<'ast> for Named<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            syn::visit::visit_item_mod(self, module);
        }
    }

    /// `pub(super)` names nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let written: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if ["crate", "super"].contains(&written[0].as_str()) {
            self.add(&written);
        }
        syn::visit::visit_path(self, path);
    }
}

/// For each module, in order, the modules whose items it names.
fn imports(source: &Path, modules: &Modules) -> Vec<Vec<usize>> {
    let index: BTreeMap<&Vec<String>, usize> = modules.keys().zip(0..).collect();
    let of = |(module, file): (&Vec<String>, &PathBuf)| {
        let text = fs::read_to_string(source.join(file)).expect("the file is readable");
        let mut named = Named { modules, module, paths: BTreeSet::new() };
        syn::visit::Visit::visit_file(&mut named, &syn::parse_file(&text).expect("the file is Rust"));
        // The item of a path belongs to the innermost module on it.
        let found = named
            .paths
            .iter()
            .filter_map(|path| (0..=path.len()).rev().find_map(|count| index.get(&path[..count].to_vec()).copied()));
        found.filter(|found| *found != index[module]).collect()
    };
    modules.iter().map(of).collect()
}

/// The folders that a file belongs to: its own, and that of its submodules.
fn folders(source: &Path, file: &Path) -> BTreeSet<PathBuf> {
    let below = file.with_extension("");
    let own = file.parent().unwrap_or(Path::new("")).to_owned();
    [own].into_iter().chain(source.join(&below).is_dir().then_some(below)).collect()
}

#[test]
fn no_folders_import_each_other() {
    let mut cycles = Vec::new();
    for name in crates().keys() {
        let source = root().join("compiler").join(name).join("src");
        let modules = modules(&source);
        let components = clef_base::strongly_connected_components(&imports(&source, &modules));
        let mut members: BTreeMap<usize, Vec<&PathBuf>> = BTreeMap::new();
        components.into_iter().zip(modules.values()).for_each(|(component, file)| {
            members.entry(component).or_default().push(file);
        });
        let shared = |files: &Vec<&PathBuf>| {
            let homes = files.iter().map(|file| folders(&source, file));
            homes.reduce(|left, right| &left & &right).is_some_and(|common| !common.is_empty())
        };
        cycles.extend(members.into_values().filter(|files| !shared(files)).map(|files| format!("{name}: {files:?}")));
    }
    assert!(cycles.is_empty(), "files of different folders import each other:\n{}", cycles.join("\n"));
}
