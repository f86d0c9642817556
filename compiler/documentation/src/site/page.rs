//! What is around the body of a page: its head, the search and the navigation.

use super::Group;
use crate::html::{escaped, in_link};

/// A page.
pub(super) struct Page<'a> {
    /// The title of the site.
    pub(super) site: &'a str,
    pub(super) path: &'a str,
    /// The title of the page in the browser.
    pub(super) title: &'a str,
    pub(super) body: &'a str,
    /// Its parts, with their anchors.
    pub(super) contents: &'a [(String, String)],
}

/// The link from a page to a path in the site.
pub(super) fn relative(from: &str, to: &str) -> String {
    let mut from: Vec<&str> = from.split('/').collect();
    let name = from.pop().unwrap_or_default();
    let (path, anchor) = match to.split_once('#') {
        Some((path, anchor)) => (path, format!("#{anchor}")),
        None => (to, String::new()),
    };
    let mut to: Vec<&str> = path.split('/').collect();
    let file = to.pop().unwrap_or_default();
    if from == to && file == name && !anchor.is_empty() {
        return anchor;
    }
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = "../".repeat(from.len() - shared);
    let down: String = to[shared..].iter().map(|part| format!("{part}/")).collect();
    in_link(&format!("{up}{down}{file}")) + &anchor
}

impl Page<'_> {
    /// The whole page.
    pub(super) fn html(&self, groups: &[Group]) -> String {
        let link = |path: &str| relative(self.path, path);
        let (title, site) = (escaped(self.title), escaped(self.site));
        let root = "../".repeat(self.path.matches('/').count());
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\" data-root=\"{root}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <link rel=\"stylesheet\" href=\"{style}\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <script src=\"{index}\" defer></script>\n<script src=\"{search}\" defer></script>\n</head>\n<body>\n\
             <header>\n<a class=\"site\" href=\"{home}\">{site}</a>\n\
             <form role=\"search\" hidden>\
             <input type=\"search\" placeholder=\"Search names, types and texts\" aria-label=\"Search\" autocomplete=\"off\" \
             spellcheck=\"false\"></form>\n<a class=\"skip\" href=\"#page:contents\">Contents</a>\n</header>\n\
             <main>\n<div class=\"results\" hidden></div>\n<article>\n{body}</article>\n</main>\n{navigation}</body>\n</html>\n",
            style = link("style.css"),
            index = link("search-index.js"),
            search = link("search.js"),
            home = link("index.html"),
            body = self.body,
            navigation = self.navigation(groups),
        )
    }

    fn navigation(&self, groups: &[Group]) -> String {
        let mut out = "<nav id=\"page:contents\" aria-label=\"Contents\">\n".to_owned();
        if !self.contents.is_empty() {
            out.push_str("<details open>\n<summary>On this page</summary>\n<ul>\n");
            for (name, anchor) in self.contents {
                out.push_str(&format!("<li><a href=\"#{}\">{}</a></li>\n", escaped(&in_link(anchor)), escaped(name)));
            }
            out.push_str("</ul>\n</details>\n");
        }
        for group in groups {
            self.group(group, &mut out);
        }
        out + "</nav>\n"
    }

    fn group(&self, group: &Group, out: &mut String) {
        /// More pages than these are on a page of their own.
        const MOST: usize = 80;
        let is_here =
            group.index.as_deref() == Some(self.path) || group.pages.iter().any(|page| page.path == self.path);
        let open = if group.index.is_none() || is_here { " open" } else { "" };
        let title = escaped(&group.title);
        let item = |path: &str, name: &str| {
            let current = if path == self.path { " aria-current=\"page\"" } else { "" };
            format!("<li><a href=\"{}\"{current}>{}</a></li>\n", relative(self.path, path), escaped(name))
        };
        out.push_str(&format!("<details{open}>\n<summary>{title}</summary>\n<ul>\n"));
        if let Some(index) = &group.index {
            out.push_str(&item(index, "Overview"));
        }
        if group.pages.len() <= MOST {
            group.pages.iter().for_each(|page| out.push_str(&item(&page.path, &page.title)));
        }
        out.push_str("</ul>\n</details>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative() {
        assert_eq!(relative("a.html", "b/c.html#d"), "b/c.html#d");
        assert_eq!(relative("b/a.html", "b/c.html"), "c.html");
        assert_eq!(relative("b/a.html", "style.css"), "../style.css");
        assert_eq!(relative("b/a.html", "b/a.html#x"), "#x");
        assert_eq!(relative("b/c/a.html", "b/d/e.html"), "../d/e.html");
    }
}
