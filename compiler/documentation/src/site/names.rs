//! What the names in texts and code lead to.

use super::{Body, Site, links, page::relative};
use crate::reference::{ItemKind, Module};
use std::collections::{BTreeMap, BTreeSet};

/// The pages and anchors of names.
pub(super) struct Names {
    /// Modules, declarations with their modules, commands and codes.
    texts: BTreeMap<String, String>,
    /// Types by their names alone.
    types: BTreeMap<String, String>,
    pages: BTreeSet<String>,
}

impl Names {
    /// The names of all pages of a site.
    pub(super) fn of(site: &Site<'_>) -> Names {
        let mut names = Names { texts: BTreeMap::new(), types: BTreeMap::new(), pages: BTreeSet::new() };
        names.pages.extend(site.files.keys().cloned());
        for content in site.groups.iter().flat_map(|group| &group.pages) {
            names.pages.insert(content.path.clone());
            match &content.body {
                Body::Module(module, _) => names.module(module, &content.path),
                Body::Command(_) => names.add(format!("clefc {}", content.title), content.path.clone()),
                // The title of a diagnostic is its code.
                Body::Text(_) if !content.title.contains(' ') && !content.summary.is_empty() => {
                    names.add(content.title.clone(), content.path.clone());
                }
                Body::Text(_) => {}
            }
        }
        names
    }

    fn module(&mut self, module: &Module, path: &str) {
        self.add(module.name.clone(), path.to_owned());
        for item in &module.items {
            let link = format!("{path}#{}", item.anchor());
            self.add(format!("{}.{}", module.name, item.name), link.clone());
            if item.kind == ItemKind::Type {
                self.types.entry(item.name.clone()).or_insert(link.clone());
            }
        }
    }

    fn add(&mut self, name: String, link: String) {
        self.texts.entry(name).or_insert(link);
    }

    /// The link from a page to what a name in a text names.
    pub(super) fn link(&self, from: &str, name: &str) -> Option<String> {
        let command = name.strip_prefix("clefc ").map(|rest| rest.split(' ').next().unwrap_or_default());
        let found = match command {
            Some(command) => self.texts.get(&format!("clefc {command}")),
            None => self.texts.get(name),
        };
        found.map(|to| relative(from, to)).filter(|link| !link.is_empty())
    }

    /// The link from a page to a type of this name.
    pub(super) fn type_link(&self, from: &str, name: &str) -> Option<String> {
        self.types.get(name).map(|to| relative(from, to))
    }

    /// The target of a link in a text of a page: a page of Markdown is one of the site, and a file outside is its view.
    pub(super) fn target(&self, from: &str, target: &str) -> String {
        if links::is_external(target) || target.starts_with('#') {
            return target.to_owned();
        }
        let (file, anchor) = match target.split_once('#') {
            Some((file, anchor)) => (file, format!("#{anchor}")),
            None => (target, String::new()),
        };
        if let Some(outside) = file.strip_prefix("../") {
            let view = format!("{}.html", links::view_path(outside));
            // A view has no headings.
            if self.pages.contains(&view) {
                return relative(from, &view);
            }
        }
        let page = file.strip_suffix(".md").map(|name| format!("{name}.html"));
        match page {
            Some(page) if self.pages.contains(&page) => page + &anchor,
            Some(_) | None => target.to_owned(),
        }
    }
}
