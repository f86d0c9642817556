//! The links of a site.

use super::Files;
use std::collections::{BTreeMap, BTreeSet};

/// The path in a site of the view of a file outside of its pages, without the ending `.html`.
pub(super) fn view_path(outside: &str) -> String {
    format!("files/{}", outside.trim_end_matches('/'))
}

/// The links of a site that lead nowhere, each with its page.
pub fn broken(files: &Files) -> Vec<(String, String)> {
    let pages: BTreeMap<&str, String> = files
        .iter()
        .filter(|(path, _)| path.ends_with(".html"))
        .map(|(path, bytes)| (path.as_str(), String::from_utf8_lossy(bytes).into_owned()))
        .collect();
    let anchors: BTreeMap<&str, BTreeSet<&str>> =
        pages.iter().map(|(path, text)| (*path, values(text, " id=\"").collect())).collect();
    let mut broken = Vec::new();
    for (path, text) in &pages {
        for link in values(text, " href=\"").chain(values(text, " src=\"")) {
            if is_external(link) {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { (*path).to_owned() } else { resolved(path, file) };
            let leads = match anchors.get(target.as_str()) {
                Some(anchors) => anchor.is_empty() || anchors.contains(decoded(anchor).as_str()),
                None => anchor.is_empty() && files.contains_key(&target),
            };
            if !leads {
                broken.push(((*path).to_owned(), link.to_owned()));
            }
        }
    }
    broken
}

/// Whether a link begins with a scheme, such as `https:`, and so is no path of the site.
pub(super) fn is_external(link: &str) -> bool {
    let scheme = link.split(['/', '#', '?']).next().unwrap_or_default().split_once(':');
    scheme.is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// The values of an attribute in a page.
fn values<'a>(text: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(attribute).skip(1).filter_map(|rest| rest.split_once('"')).map(|(value, _)| value)
}

/// The path of a link in a page.
fn resolved(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    decoded(&parts.join("/"))
}

/// A link without escapes.
fn decoded(link: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = link.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                bytes.push(value);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let page = |text: &str| text.as_bytes().to_vec();
        let files = Files::from([
            ("a.html".to_owned(), page("<p id=\"x\"><a href=\"b/c%20d.html#-7c\"> <a href=\"#x\"> <a href=\"#y\">")),
            (
                "b/c d.html".to_owned(),
                page("<p id=\"-7c\"><a href=\"../a.html\"> <img src=\"no.svg\"> <a href=\"https://a\">"),
            ),
        ]);
        let expected = [("a.html", "#y"), ("b/c d.html", "no.svg")];
        assert_eq!(broken(&files), expected.map(|(page, link)| (page.to_owned(), link.to_owned())));
    }
}
