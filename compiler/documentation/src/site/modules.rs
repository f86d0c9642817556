//! The page of a module.

use super::{Rendered, names::Names, page::relative, source, text_html};
use crate::{
    comment::Comment,
    highlight,
    html::{escaped, in_link},
    reference::{Item, ItemKind, Module, shown},
};
use clef_base::SourceMap;

/// The order and the headings of declarations.
const KINDS: [(ItemKind, &str); 3] =
    [(ItemKind::Type, "Types"), (ItemKind::Value, "Values"), (ItemKind::Function, "Functions")];

/// The body of the page.
pub(super) fn html(sources: &SourceMap, module: &Module, note: &str, path: &str, names: &Names) -> String {
    let title = escaped(&module.name);
    let mut out = format!("<h1><span class=\"kind\">module</span> {title}</h1>\n");
    out.push_str(&comment(module.comment.as_ref(), path, names));
    if module.is_open {
        out.push_str("<p>Its names are in scope without <code>open</code>.</p>\n");
    }
    out.push_str(&text_html(note, path, names, &Rendered::Comment).0);
    for (kind, heading) in KINDS {
        let items: Vec<&Item> = module.items.iter().filter(|item| item.kind == kind).collect();
        if items.is_empty() {
            continue;
        }
        out.push_str(&format!("<h2>{heading}</h2>\n"));
        items.iter().for_each(|found| out.push_str(&item(sources, found, path, names)));
    }
    out
}

/// The declarations in the order of the page, with their anchors.
pub(super) fn contents(module: &Module) -> Vec<(String, String)> {
    let of_kind = |(kind, _): &(ItemKind, &str)| {
        let items: Vec<&Item> = module.items.iter().filter(|item| item.kind == *kind).collect();
        items
    };
    let items = KINDS.iter().flat_map(of_kind);
    items.map(|item| (shown(&item.name), item.anchor())).collect()
}

fn item(sources: &SourceMap, item: &Item, path: &str, names: &Names) -> String {
    let anchor = item.anchor();
    let line = sources.line_column(item.span).line;
    let source = format!("{}#L{line}", relative(path, &source::path(sources, item.span.file)));
    let links = |name: &str| {
        let own = name == item.name;
        names.type_link(path, name).filter(|_| !own).map(|link| escaped(&in_link(&link)))
    };
    let mut out = format!(
        "<section id=\"{anchor}\">\n<h3><a href=\"#{anchor}\">{}</a> <a class=\"source\" href=\"{}\">source</a></h3>\n\
         <pre class=\"signature\"><code>{}</code></pre>\n",
        escaped(&shown(&item.name)),
        escaped(&source),
        highlight::clef(&item.signature, &links),
    );
    out.push_str(&comment(item.comment.as_ref(), path, names));
    if !item.members.is_empty() {
        out.push_str("<dl>\n");
        for (name, about) in &item.members {
            let about = comment(Some(about), path, names);
            out.push_str(&format!("<dt><code>{}</code></dt><dd>{about}</dd>\n", escaped(name)));
        }
        out.push_str("</dl>\n");
    }
    out + "</section>\n"
}

fn comment(comment: Option<&Comment>, path: &str, names: &Names) -> String {
    let Some(comment) = comment else { return String::new() };
    let html = text_html(&comment.text(), path, names, &Rendered::Comment).0;
    html.replace("<p>Allocation: ", "<p class=\"facts\">Allocation: ")
}
