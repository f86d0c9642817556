//! Pages of Markdown from a directory.

use clef_base::{Diagnostic, codes};
use clef_documentation::{
    markdown,
    site::{Site, TextPage},
};
use clef_host::user_files::reason;
use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path},
};

/// The file with the order of the pages.
const SUMMARY: &str = "SUMMARY.md";

/// The title of pages before the first heading of the summary, or without one.
const UNTITLED: &str = "Pages";

/// Adds the pages of a directory, and what they link to beside them.
pub(super) fn add(site: &mut Site<'_>, directory: &Path) -> Result<(), Vec<Diagnostic>> {
    let mut targets = BTreeSet::new();
    for (title, pages) in groups(directory)? {
        let mut made = Vec::new();
        for (title, file) in pages {
            let text = text(&directory.join(&file))?;
            targets.extend(markdown::targets(&text));
            let path = format!("{}.html", file.trim_end_matches(".md"));
            made.push(TextPage { path, title, text });
        }
        site.pages(&title, made);
    }
    for target in targets {
        let file = target.split('#').next().unwrap_or_default();
        if !file.is_empty() && !target.contains("://") && !target.starts_with("mailto:") && !file.ends_with(".md")
            || file.starts_with("../")
        {
            linked(site, directory, file)?;
        }
    }
    Ok(())
}

/// Adds a file that a page links to: one of the directory as it is, one beside the directory as a page that shows it. What is
/// not there is left to the check of the links.
fn linked(site: &mut Site<'_>, directory: &Path, target: &str) -> Result<(), Vec<Diagnostic>> {
    let path = directory.join(target);
    let outside = target.strip_prefix("../");
    let inside = Path::new(outside.unwrap_or(target));
    if !path.exists() || inside.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Ok(());
    }
    match outside {
        None => site.file(target, bytes(&path)?),
        Some(outside) if path.is_dir() => {
            let mut content: Vec<String> = Vec::new();
            for entry in fs::read_dir(&path).map_err(|error| vec![unreadable(&path, &reason(&error))])? {
                let entry = entry.map_err(|error| vec![unreadable(&path, &reason(&error))])?;
                content.push(entry.file_name().to_string_lossy().into_owned());
            }
            content.sort();
            site.folder(outside, &content);
        }
        Some(outside) => site.view(outside, &text(&path)?),
    }
    Ok(())
}

/// The pages by their groups, each with its title and its file.
type Groups = Vec<(String, Vec<(String, String)>)>;

/// The groups of the summary, or all pages by their names.
fn groups(directory: &Path) -> Result<Groups, Vec<Diagnostic>> {
    let summary = directory.join(SUMMARY);
    let groups = if summary.exists() { of_summary(&text(&summary)?) } else { of_files(directory)? };
    if groups.iter().all(|(_, pages)| pages.is_empty()) {
        let message = format!("no pages in `{}`", directory.display());
        return Err(vec![
            Diagnostic::general(codes::UNREADABLE_FILE, message).help("name a directory with files that end in `.md`"),
        ]);
    }
    Ok(groups)
}

fn of_summary(text: &str) -> Groups {
    let mut groups: Groups = vec![(UNTITLED.to_owned(), Vec::new())];
    for line in text.lines().map(str::trim) {
        let link = line.trim_start_matches(['-', '*', ' ']);
        let link =
            link.strip_prefix('[').and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once("]("));
        if let Some((title, file)) = link {
            if let Some((_, pages)) = groups.last_mut() {
                pages.push((title.to_owned(), file.to_owned()));
            }
        } else if let Some(title) = line.strip_prefix("# ").filter(|title| *title != "Summary") {
            groups.push((title.to_owned(), Vec::new()));
        }
    }
    groups
}

fn of_files(directory: &Path) -> Result<Groups, Vec<Diagnostic>> {
    let entries = fs::read_dir(directory).map_err(|error| vec![unreadable(directory, &reason(&error))])?;
    let mut names = BTreeSet::new();
    for entry in entries {
        let entry = entry.map_err(|error| vec![unreadable(directory, &reason(&error))])?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            names.insert(name);
        }
    }
    let mut pages = Vec::new();
    for name in names {
        let title = markdown::title(&text(&directory.join(&name))?);
        pages.push((title.unwrap_or_else(|| name.trim_end_matches(".md").to_owned()), name));
    }
    Ok(vec![(UNTITLED.to_owned(), pages)])
}

fn text(path: &Path) -> Result<String, Vec<Diagnostic>> {
    String::from_utf8(bytes(path)?).map_err(|_| {
        let message = format!("`{}` is not valid UTF-8", path.display());
        vec![Diagnostic::general(codes::NOT_UTF8, message).help("save the file as UTF-8")]
    })
}

fn bytes(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    fs::read(path).map_err(|error| vec![unreadable(path, &reason(&error))])
}

fn unreadable(path: &Path, reason: &str) -> Diagnostic {
    Diagnostic::general(codes::UNREADABLE_FILE, format!("cannot read `{}`: {reason}", path.display()))
        .help("`--pages` takes a directory with files that end in `.md`; its SUMMARY.md may list them")
}
