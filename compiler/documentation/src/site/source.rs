//! The pages of source files.

use crate::{highlight, html::escaped};
use clef_base::{FileId, SourceMap};

/// The path of the page of a source file.
pub(super) fn path(sources: &SourceMap, file: FileId) -> String {
    let name = &sources.file(file).name;
    let inside = name.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    format!("source/{}.html", inside.collect::<Vec<_>>().join("/"))
}

/// The body of the page of a source file: each line has an anchor, such as `L12`.
pub(super) fn page(sources: &SourceMap, file: FileId) -> String {
    let file = sources.file(file);
    view(&file.name, &file.text)
}

/// The body of a page that shows a text.
pub(super) fn view(name: &str, text: &str) -> String {
    let is_clef = name.ends_with(".clef") || name.ends_with(".fs");
    let shown = if is_clef { highlight::clef(text, &|_| None) } else { escaped(text) };
    let line = |(number, line): (usize, &str)| {
        let number = number + 1;
        format!("<a class=\"line\" id=\"L{number}\" href=\"#L{number}\">{number}</a>{line}\n")
    };
    let lines: String = shown.lines().enumerate().map(line).collect();
    format!("<h1 class=\"path\">{}</h1>\n<pre class=\"lines\"><code>{lines}</code></pre>\n", escaped(name))
}

/// The body of the page of a folder.
pub(super) fn folder(name: &str, content: &[String]) -> String {
    let entries: String = content.iter().map(|entry| format!("<li><code>{}</code></li>\n", escaped(entry))).collect();
    format!("<h1 class=\"path\">{}</h1>\n<ul>\n{entries}</ul>\n", escaped(name))
}
