//! Markdown as HTML.
//!
//! In: Markdown. Out: HTML whose headings have the anchors of GitHub, whose Clef is coloured, and whose inline code is a link where
//! it names something that has a page. What is not a link of the page itself is changed by the caller.

#![allow(clippy::wildcard_enum_match_arm, reason = "of the parser's events, a page changes a few")]

use crate::{
    highlight,
    html::{escaped, heading_anchor, in_link},
};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// What Markdown has here beyond the common core.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_FOOTNOTES);

/// How a text is rendered.
pub(crate) struct Rendering<'a> {
    /// The link of the target of a link in the text.
    pub(crate) target: &'a dyn Fn(&str) -> String,
    /// The link of what inline code names.
    pub(crate) named: &'a dyn Fn(&str) -> Option<String>,
    /// The language of blocks that are indented.
    pub(crate) indented: &'static str,
    /// How many levels its headings are below those of the page.
    pub(crate) depth: usize,
}

/// A heading of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Heading {
    pub(crate) level: usize,
    pub(crate) text: String,
    pub(crate) anchor: String,
    /// The first paragraph below it, as plain text.
    pub(crate) summary: String,
}

/// The HTML of a text, and its headings.
pub(crate) fn html(text: &str, rendering: &Rendering<'_>) -> (String, Vec<Heading>) {
    let events: Vec<Event<'_>> = Parser::new_ext(text, OPTIONS).collect();
    let headings = headings(&events);
    let mut next_heading = headings.iter();
    let mut out = Vec::new();
    let mut code: Option<(String, String)> = None;
    let mut in_link_text = false;
    for event in events {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Indented => rendering.indented.to_owned(),
                    CodeBlockKind::Fenced(mark) => mark.to_string(),
                };
                code = Some((language, String::new()));
            }
            Event::Text(text) if code.is_some() => {
                if let Some((_, content)) = &mut code {
                    content.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let (language, content) = code.take().unwrap_or_default();
                out.push(Event::Html(block(&language, &content, rendering).into()));
            }
            Event::Start(Tag::Heading { level, .. }) => {
                let level = (level_number(level) + rendering.depth).min(6);
                let anchor = next_heading.next().map(|heading| heading.anchor.clone()).unwrap_or_default();
                out.push(Event::Html(format!("<h{level} id=\"{}\">", escaped(&anchor)).into()));
            }
            Event::End(TagEnd::Heading(level)) => {
                let level = (level_number(level) + rendering.depth).min(6);
                out.push(Event::Html(format!("</h{level}>\n").into()));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                in_link_text = true;
                let dest_url = CowStr::from((rendering.target)(&dest_url));
                out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::End(TagEnd::Link) => {
                in_link_text = false;
                out.push(Event::End(TagEnd::Link));
            }
            Event::Start(Tag::Table(alignments)) => {
                out.push(Event::Html("<div class=\"wide\">".into()));
                out.push(Event::Start(Tag::Table(alignments)));
            }
            Event::End(TagEnd::Table) => {
                out.push(Event::End(TagEnd::Table));
                out.push(Event::Html("</div>\n".into()));
            }
            Event::Code(text) => out.push(inline(&text, rendering, in_link_text)),
            other => out.push(other),
        }
    }
    let mut written = String::new();
    pulldown_cmark::html::push_html(&mut written, out.into_iter());
    (written, headings)
}

/// The targets of the links and images of a text.
pub fn targets(text: &str) -> Vec<String> {
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    };
    Parser::new_ext(text, OPTIONS).filter_map(target).collect()
}

/// The text of the first heading.
pub fn title(text: &str) -> Option<String> {
    let events: Vec<Event<'_>> = Parser::new_ext(text, OPTIONS).collect();
    headings(&events).into_iter().next().map(|heading| heading.text)
}

/// Inline code: a link if it names something.
fn inline<'a>(text: &str, rendering: &Rendering<'_>, in_link_text: bool) -> Event<'a> {
    let code = format!("<code>{}</code>", escaped(text));
    let link = (!in_link_text).then(|| (rendering.named)(text)).flatten();
    Event::InlineHtml(
        match link {
            Some(link) => format!("<a href=\"{}\">{code}</a>", escaped(&in_link(&link))),
            None => code,
        }
        .into(),
    )
}

/// A block of code.
fn block(language: &str, content: &str, rendering: &Rendering<'_>) -> String {
    let first = language.split([',', ' ']).next().unwrap_or_default();
    let content = content.trim_end_matches('\n');
    let shown = match first {
        "clef" | "fsharp" => {
            highlight::clef(content, &|name| (rendering.named)(name).map(|link| escaped(&in_link(&link))))
        }
        _ => escaped(content),
    };
    let class = match first {
        "" => String::new(),
        first => format!(" class=\"{}\"", escaped(first)),
    };
    format!("<pre{class}><code>{shown}</code></pre>\n")
}

fn level_number(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// The headings, each with the first paragraph below it.
fn headings(events: &[Event<'_>]) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let (mut in_heading, mut in_summary) = (false, false);
    for event in events {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                in_heading = true;
                let level = level_number(*level);
                headings.push(Heading { level, text: String::new(), anchor: String::new(), summary: String::new() });
            }
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Start(Tag::Paragraph) => {
                in_summary = headings.last().is_some_and(|heading| heading.summary.is_empty());
            }
            Event::End(TagEnd::Paragraph) => in_summary = false,
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = headings.last_mut() {
                    match (in_heading, in_summary) {
                        (true, _) => heading.text.push_str(text),
                        (false, true) => heading.summary.push_str(text),
                        (false, false) => {}
                    }
                }
            }
            Event::SoftBreak | Event::HardBreak if in_summary => {
                if let Some(heading) = headings.last_mut() {
                    heading.summary.push(' ');
                }
            }
            _ => {}
        }
    }
    let mut used: Vec<String> = Vec::new();
    for heading in &mut headings {
        let anchor = heading_anchor(&heading.text);
        let count = used.iter().filter(|other| **other == anchor).count();
        heading.anchor = if count == 0 { anchor.clone() } else { format!("{anchor}-{count}") };
        used.push(anchor);
    }
    headings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_anchors_and_code_has_links() {
        let rendering = Rendering {
            target: &|target| target.replace(".md", ".html"),
            named: &|name| (name == "List.map").then(|| "List.html#map".to_owned()),
            indented: "clef",
            depth: 0,
        };
        let text = "# A `b`\n\nSee `List.map` & [c](d.md).\n\n    let x\n\n## A b\n";
        let (html, headings) = html(text, &rendering);
        assert_eq!(
            html,
            "<h1 id=\"a-b\">A <code>b</code></h1>\n<p>See <a href=\"List.html#map\"><code>List.map</code></a> &amp; \
             <a href=\"d.html\">c</a>.</p>\n<pre class=\"clef\"><code><span class=\"k\">let</span> x</code></pre>\n\
             <h2 id=\"a-b-1\">A b</h2>\n"
        );
        assert_eq!(headings[0].summary, "See List.map & c.");
    }
}
