//! A static site: pages with one navigation and one search, without anything from elsewhere.
//!
//! In: modules, pages of Markdown, commands and files. Out: the files of the site by their paths. Links are relative, so that the
//! site works from any place, also without a server; every page can be read without JavaScript, which only adds the search.

mod links;
mod manual;
mod modules;
mod names;
mod page;
mod search;
mod source;

pub use links::broken;
pub use manual::{Command, Parameter};

use crate::{
    markdown::{self, Heading, Rendering},
    reference::Module,
};
use clef_base::{FileId, SourceMap};
use names::Names;
use page::Page;
use search::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a site by their paths.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A site that is being made.
pub struct Site<'a> {
    title: String,
    sources: &'a SourceMap,
    groups: Vec<Group>,
    files: Files,
    /// The source files that have a page.
    shown: BTreeSet<FileId>,
}

/// Pages that belong together.
struct Group {
    title: String,
    /// The path of the page that lists its pages; nothing if the navigation alone does.
    index: Option<String>,
    /// The text of that page.
    introduction: String,
    pages: Vec<Content>,
}

/// What a page is made of.
struct Content {
    path: String,
    title: String,
    summary: String,
    body: Body,
}

enum Body {
    /// Markdown.
    Text(String),
    /// A module, and what is said about it before its own comment.
    Module(Box<Module>, String),
    /// A command.
    Command(Box<Command>),
}

/// A page of Markdown.
pub struct TextPage {
    /// Its path in the site.
    pub path: String,
    /// Its title in the navigation.
    pub title: String,
    /// Its text. Links to `x.md` become links to `x.html`.
    pub text: String,
}

impl<'a> Site<'a> {
    /// A site without pages.
    pub fn new(title: &str, sources: &'a SourceMap) -> Site<'a> {
        Site { title: title.to_owned(), sources, groups: Vec::new(), files: Files::new(), shown: BTreeSet::new() }
    }

    /// Adds a file as it is.
    pub fn file(&mut self, path: impl Into<String>, bytes: Vec<u8>) {
        self.files.insert(path.into(), bytes);
    }

    /// Adds pages of Markdown that the navigation lists.
    pub fn pages(&mut self, title: &str, pages: Vec<TextPage>) {
        let pages = pages.into_iter().map(Content::of_text).collect();
        self.group(title, None, String::new(), pages);
    }

    /// Adds pages of Markdown that a page of their own lists.
    pub fn listed_pages(&mut self, title: &str, folder: &str, introduction: &str, pages: Vec<TextPage>) {
        let pages = pages.into_iter().map(Content::of_text).collect();
        self.group(title, Some(format!("{folder}/index.html")), introduction.to_owned(), pages);
    }

    /// Adds a page for each module, with what is said about it first, and pages of the sources.
    pub fn modules(&mut self, title: &str, folder: &str, introduction: &str, modules: Vec<(Module, String)>) {
        self.shown.extend(modules.iter().map(|(module, _)| module.span.file));
        self.shown.extend(modules.iter().flat_map(|(module, _)| &module.items).map(|item| item.span.file));
        let content = |(module, note): (Module, String)| Content {
            path: format!("{folder}/{}.html", module.name),
            title: module.name.clone(),
            summary: module.comment.as_ref().map(crate::comment::Comment::summary).unwrap_or_default(),
            body: Body::Module(Box::new(module), note),
        };
        let pages = modules.into_iter().map(content).collect();
        self.group(title, Some(format!("{folder}/index.html")), introduction.to_owned(), pages);
    }

    /// Adds a page for each command.
    pub fn commands(&mut self, title: &str, folder: &str, introduction: &str, commands: Vec<Command>) {
        let content = |command: Command| Content {
            path: format!("{folder}/{}.html", command.name),
            title: command.name.clone(),
            summary: command.about.clone(),
            body: Body::Command(Box::new(command)),
        };
        let pages = commands.into_iter().map(content).collect();
        self.group(title, Some(format!("{folder}/index.html")), introduction.to_owned(), pages);
    }

    /// Adds a page that shows a file outside of the pages, to which they link. Its path is that of the link without `../`.
    pub fn view(&mut self, outside: &str, text: &str) {
        self.file(format!("{}.html", links::view_path(outside)), source::view(outside, text).into_bytes());
    }

    /// The same for a folder, with the names of what it contains.
    pub fn folder(&mut self, outside: &str, content: &[String]) {
        self.file(format!("{}.html", links::view_path(outside)), source::folder(outside, content).into_bytes());
    }

    fn group(&mut self, title: &str, index: Option<String>, introduction: String, pages: Vec<Content>) {
        if !pages.is_empty() {
            self.groups.push(Group { title: title.to_owned(), index, introduction, pages });
        }
    }

    /// The files of the site. Its home page `index.html` is the first page of the first group, or lists its pages.
    pub fn finish(mut self) -> Files {
        let names = Names::of(&self);
        let mut files = std::mem::take(&mut self.files);
        let mut entries = Vec::new();
        // Views are complete but for what is around them.
        let views: Vec<String> = files.keys().filter(|path| path.ends_with(".html")).cloned().collect();
        for path in views {
            let body = String::from_utf8_lossy(&files[&path]).into_owned();
            let title = path.trim_end_matches(".html").to_owned();
            files.insert(path.clone(), self.page(&path, &title, body, Vec::new()).into_bytes());
        }
        for group in &self.groups {
            for content in &group.pages {
                let (body, contents) = self.body(content, &content.path, &names, &mut entries);
                let text = self.page(&content.path, &content.title, body, contents);
                files.insert(content.path.clone(), text.into_bytes());
            }
            if let Some(index) = &group.index {
                let body = self.listing(group, index, &names);
                files.insert(index.clone(), self.page(index, &group.title, body, Vec::new()).into_bytes());
                entries.push(Entry::page(&group.title, index, ""));
            }
        }
        for &file in &self.shown {
            let path = source::path(self.sources, file);
            let body = source::page(self.sources, file);
            let text = self.page(&path, &self.sources.file(file).name, body, Vec::new());
            files.insert(path, text.into_bytes());
        }
        let first = self.groups.first().filter(|_| !files.contains_key("index.html"));
        let first_page = first.and_then(|group| group.pages.first().filter(|_| group.index.is_none()));
        let home = match (first, first_page) {
            (None, _) => None,
            (Some(_), Some(page)) => Some(self.body(page, "index.html", &names, &mut Vec::new())),
            (Some(group), None) => Some((self.listing(group, "index.html", &names), Vec::new())),
        };
        if let Some((body, contents)) = home {
            let text = self.page("index.html", &self.title, body, contents);
            files.insert("index.html".to_owned(), text.into_bytes());
        }
        files.insert("style.css".to_owned(), include_bytes!("style.css").to_vec());
        files.insert("search.js".to_owned(), include_bytes!("search.js").to_vec());
        files.insert("search-index.js".to_owned(), search::index(&entries).into_bytes());
        files
    }

    /// A page with what is around it.
    fn page(&self, path: &str, title: &str, body: String, contents: Vec<(String, String)>) -> String {
        let title = if title == self.title { title.to_owned() } else { format!("{title} – {}", self.title) };
        Page { site: &self.title, path, title: &title, body: &body, contents: &contents }.html(&self.groups)
    }

    /// The body of a page, and the headings that its contents list, with their anchors.
    fn body(
        &self,
        content: &Content,
        path: &str,
        names: &Names,
        entries: &mut Vec<Entry>,
    ) -> (String, Vec<(String, String)>) {
        match &content.body {
            Body::Text(text) => {
                let (body, headings) = text_html(text, path, names, &Rendered::Page);
                entries.extend(search::of_headings(&content.title, path, &headings));
                (body, listed(&headings))
            }
            Body::Module(module, note) => {
                entries.extend(search::of_module(module, path));
                (modules::html(self.sources, module, note, path, names), modules::contents(module))
            }
            Body::Command(command) => {
                entries.extend(search::of_command(command, path));
                (manual::html(command, path, names), Vec::new())
            }
        }
    }

    /// The page that lists the pages of a group.
    fn listing(&self, group: &Group, path: &str, names: &Names) -> String {
        let mut out = format!("<h1>{}</h1>\n", crate::html::escaped(&group.title));
        out.push_str(&text_html(&group.introduction, path, names, &Rendered::Comment).0);
        out.push_str("<dl class=\"list\">\n");
        for content in &group.pages {
            let link = page::relative(path, &content.path);
            let summary = text_html(&content.summary, path, names, &Rendered::Comment).0;
            let summary = summary.trim().trim_start_matches("<p>").trim_end_matches("</p>");
            out.push_str(&format!(
                "<dt><a href=\"{link}\">{}</a></dt><dd>{summary}</dd>\n",
                crate::html::escaped(&content.title)
            ));
        }
        out + "</dl>\n"
    }
}

impl Content {
    fn of_text(page: TextPage) -> Content {
        let TextPage { path, title, text } = page;
        let plain = Rendering { target: &str::to_owned, named: &|_| None, indented: "", depth: 0 };
        let (_, headings) = markdown::html(&text, &plain);
        let heading = headings.first().map_or("", |heading| &heading.text);
        // The title of a diagnostic is its code.
        let summary = heading.strip_prefix(&format!("{title}: ")).unwrap_or_default().to_owned();
        Content { path, title, summary, body: Body::Text(text) }
    }
}

/// What a text is.
enum Rendered {
    /// A page.
    Page,
    /// A comment in a page.
    Comment,
}

/// The HTML of Markdown in the page with a path.
fn text_html(text: &str, path: &str, names: &Names, rendered: &Rendered) -> (String, Vec<Heading>) {
    let (indented, depth) = match rendered {
        Rendered::Page => ("", 0),
        Rendered::Comment => ("clef", 3),
    };
    let rendering = Rendering {
        target: &|target| names.target(path, target),
        named: &|name| names.link(path, name),
        indented,
        depth,
    };
    markdown::html(text, &rendering)
}

/// The headings of the second level.
fn listed(headings: &[Heading]) -> Vec<(String, String)> {
    let second = headings.iter().filter(|heading| heading.level == 2);
    second.map(|heading| (heading.text.clone(), heading.anchor.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_page(path: &str, title: &str, text: &str) -> TextPage {
        TextPage { path: path.to_owned(), title: title.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn pages_have_links_to_what_they_name() {
        let sources = SourceMap::default();
        let mut site = Site::new("Test", &sources);
        let start = "# Start\n\nSee `E0001`, `clefc run --board x`, [B](b.md#one-more) and [it](../lib/a.clef).\n";
        let pages = vec![text_page("a.html", "A", start), text_page("b.html", "B", "# B\n\n## One more\n\nText.\n")];
        site.pages("Guide", pages);
        site.view("lib/a.clef", "let x = 1\n");
        let code = text_page("codes/E0001.html", "E0001", "# E0001: wrong\n");
        site.listed_pages("Codes", "codes", "All `codes`.", vec![code]);
        let parameter = Parameter { written: "-b, --board <BOARD>".to_owned(), about: "The <board>".to_owned() };
        let run = Command { name: "run".to_owned(), parameters: vec![parameter], ..Command::default() };
        site.commands("Commands", "commands", "", vec![run]);
        let files = site.finish();
        assert_eq!(broken(&files), []);
        let page = |path: &str| String::from_utf8_lossy(&files[path]).into_owned();
        for link in ["codes/E0001.html", "commands/run.html", "b.html#one-more", "files/lib/a.clef.html"] {
            assert!(page("a.html").contains(&format!("href=\"{link}\"")), "{link}");
        }
        assert_eq!(page("index.html").matches("<h1").count(), 1);
        assert!(page("commands/run.html").contains("<dt id=\"b-board-BOARD\"><code>-b, --board &lt;BOARD&gt;</code>"));
        assert!(page("codes/index.html").contains("<a href=\"E0001.html\">E0001</a></dt><dd>wrong</dd>"));
        assert!(page("search-index.js").contains("[\"One more\",\"section\",\"b.html#one-more\",\"B\",\"Text.\"]"));
    }
}
