//! The reference of the library: `clefc doc --library` makes it, with examples that run, and each function says what it allocates.
//!
//! For each function whose `Allocation:` is none, the example that shows it is compiled in a loop, and no allocation of the library
//! may be left in a region or in static memory, other than those for its arguments.

use crate::compiler::{clefc, clefc_in};
use clef_base::SourceMap;
use clef_documentation::{
    comment::{self, Comment},
    site,
};
use clef_syntax::ast::{BindingHead, DeclarationKind, ExprId, ExprKind};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The trials.
pub(crate) fn trials() -> Vec<Trial> {
    let site = Trial::test("reference::site", whole_site);
    let host = Trial::test("reference::examples of 64 bits", || {
        let directory = directory("host");
        succeeds(&["doc", "--library", "--board", "host-linux", "-o", &directory.display().to_string()])
    });
    let allocations = clef_library::SOURCES.iter().map(|(name, text)| {
        let shown = name.trim_start_matches("library/").trim_end_matches(".clef");
        Trial::test(format!("reference::allocation::{shown}"), move || allocations(shown, text))
    });
    [site, host].into_iter().chain(allocations).collect()
}

/// An empty directory for the files of a trial.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference").join(name);
    // There may be none.
    let _ = fs::remove_dir_all(&directory);
    directory
}

fn succeeds(arguments: &[&str]) -> Result<(), Failed> {
    let call = clefc(arguments, b"")?;
    match call.status {
        Some(0) => Ok(()),
        status => Err(format!("clefc {} ended with {status:?}:\n{}", arguments.join(" "), call.errors).into()),
    }
}

/// The site of `cargo xtask docs`: all links lead somewhere, no page has an anchor twice, and nothing comes from elsewhere.
fn whole_site() -> Result<(), Failed> {
    let directory = directory("site");
    succeeds(&["doc", "--library", "--pages", "../docs", "-o", &directory.display().to_string()])?;
    let list = fs::read_to_string(directory.join("site.txt"))?;
    let mut files = site::Files::new();
    for path in list.lines() {
        files.insert(path.to_owned(), fs::read(directory.join(path))?);
    }
    let broken = site::broken(&files);
    if !broken.is_empty() {
        return Err(format!("links that lead nowhere: {broken:?}").into());
    }
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
        let text = String::from_utf8_lossy(bytes);
        let loads = ["src=\"http", "src=\"//", "stylesheet\" href=\"http", "@import", "url("];
        if let Some(found) = loads.iter().find(|found| text.contains(*found)) {
            return Err(format!("{path} loads something from elsewhere: {found}").into());
        }
        let mut anchors = BTreeSet::new();
        let ids = text.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
        if let Some(twice) = ids.into_iter().find(|id| !anchors.insert(*id)) {
            return Err(format!("{path} has the anchor `{twice}` twice").into());
        }
    }
    for wanted in ["index.html", "library/List.html", "commands/run.html", "diagnostics/E0401.html", "language.html"] {
        if !files.contains_key(wanted) {
            return Err(format!("there is no {wanted}").into());
        }
    }
    Ok(())
}

/// A function of the library with the example that shows it.
struct Shown {
    name: String,
    /// The statements before the one that calls it.
    before: Vec<String>,
    /// The expression that calls it.
    call: String,
    /// Its arguments.
    arguments: Vec<String>,
}

/// Checks what the functions of a source say about their allocations.
fn allocations(name: &str, text: &str) -> Result<(), Failed> {
    let directory = directory(&format!("allocation-{name}"));
    fs::create_dir_all(&directory)?;
    let mut wrong = Vec::new();
    for shown in functions_without_allocation(text) {
        let Shown { name, before, call, arguments } = &shown;
        let whole = rows(&directory, before, &[call])?;
        let own: Vec<String> = match whole.is_empty() {
            true => Vec::new(),
            false => {
                whole.difference(&rows(&directory, before, &arguments.iter().collect::<Vec<_>>())?).cloned().collect()
            }
        };
        if !own.is_empty() {
            wrong.push(format!("{name} says that it allocates nothing, but does:\n  {own:?}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The functions that say so, and have an example that runs.
fn functions_without_allocation(text: &str) -> Vec<Shown> {
    let mut sources = SourceMap::default();
    let file = sources.add("library", text);
    let (tree, _) = clef_syntax::parse(&sources, file);
    let mut found = Vec::new();
    for declaration in &tree.declarations {
        let DeclarationKind::Module { name: module, declarations, .. } = &declaration.kind else { continue };
        for declaration in declarations {
            let DeclarationKind::Let(group) = &declaration.kind else { continue };
            for binding in &group.bindings {
                let BindingHead::Function { name, .. } = &binding.head else { continue };
                let comment = comment::above(text, name.span.start as usize);
                let comment = comment.filter(|found| found.fact("Allocation").as_deref() == Some("none"));
                found.extend(comment.and_then(|found| shown(&format!("{}.{}", module.symbol, name.symbol), &found)));
            }
        }
    }
    found
}

/// The first statement of a comment's example that calls the function by its name.
fn shown(name: &str, comment: &Comment) -> Option<Shown> {
    let example = comment.examples().into_iter().find(|example| example.runs)?;
    let mut before = Vec::new();
    for (_, line) in &example.lines {
        if !line.contains(name) {
            before.push(line.clone());
            continue;
        }
        let (call, arguments) = call(line)?;
        let is_let = |line: &String| line.starts_with("let ") || line.starts_with(' ') || line.starts_with("[<");
        before.retain(is_let);
        return Some(Shown { name: name.to_owned(), before, call, arguments });
    }
    None
}

/// The expression of a statement, and its arguments that are made for it.
fn call(line: &str) -> Option<(String, Vec<String>)> {
    let mut sources = SourceMap::default();
    let file = sources.add("line", line);
    let (tree, _) = clef_syntax::parse(&sources, file);
    let [only] = tree.declarations.as_slice() else { return None };
    let DeclarationKind::Effect(expression) = &only.kind else { return None };
    let (mut expression, mut end) = (*expression, line.find(" // ").unwrap_or(line.len()));
    if let ExprKind::Binary { operator, left, .. } = &tree.exprs[expression].kind
        && operator.symbol.as_str() == "="
    {
        (expression, end) = (*left, operator.span.start as usize);
    }
    let mut made = Vec::new();
    if let ExprKind::Apply { arguments, .. } = &tree.exprs[expression].kind {
        let is_made = |argument: &&ExprId| matches!(tree.exprs[**argument].kind, ExprKind::Apply { .. });
        let text = |argument: &ExprId| sources.text(tree.exprs[*argument].span).to_owned();
        made.extend(arguments.iter().filter(is_made).map(text));
    }
    Some((line[..end].trim().to_owned(), made))
}

/// The places in the library of allocations that are in a region or in static memory, of a program that evaluates expressions in a
/// loop after some statements. What formats the results does not count.
fn rows(directory: &Path, before: &[String], expressions: &[&String]) -> Result<BTreeSet<String>, Failed> {
    let (types, before): (Vec<&String>, Vec<&String>) = before.iter().partition(|line| line.starts_with("[<"));
    let types: String = types.into_iter().map(|line| format!("{line}\n")).collect();
    let before: String = before.into_iter().map(|line| format!("    {line}\n")).collect();
    let shown = expressions.iter().map(|one| format!("    Console.writeln (sprintf \"%A\" ({one}))\n"));
    let shown: String = shown.collect();
    let program = format!(
        "{types}[<NoInline>]\nlet work () =\n{before}{shown}    ()\n\nlet mutable count = String.length Platform.board\n\
         while count > 0 do\n    work ()\n    count <- count - 1\n"
    );
    fs::write(directory.join("a.clef"), &program)?;
    let call = clefc_in(directory, &["--emit", "storage-json", "a.clef", "-o", "-"], b"")?;
    if call.status != Some(0) {
        return Err(format!("{}\n{program}", call.errors).into());
    }
    let listing: Value = serde_json::from_slice(&call.output).map_err(|error| error.to_string())?;
    let rows = listing["allocations"].as_array().into_iter().flatten().filter(|row| {
        let file = row["place"]["file"].as_str().unwrap_or_default();
        let is_kept = row["storage"] == "Region" || row["storage"] == "Static";
        is_kept && file.starts_with("library/") && !["library/text.clef", "library/format.clef"].contains(&file)
    });
    Ok(rows.map(|row| row["place"].to_string()).collect())
}
