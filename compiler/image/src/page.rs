//! A page of HTML in one file: it loads nothing, needs no script, and follows the reader's choice of light or dark.

/// The style of all pages. The colours are those of the parts that a page draws, in both schemes.
const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #1c1c1c; --soft: #5c5c5c; --paper: #ffffff; --line: #c9c9c9; --bar: #b9d3f0; --alarm: #a8200d; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececec; --soft: #a9a9a9; --paper: #17181a; --line: #46484c; --bar: #2f4f75; --alarm: #ff9582; }
}
body { margin: 1.5rem; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .4rem; }
table { border-collapse: collapse; } td, th { padding: .1rem .7rem; text-align: left; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
tr + tr td { border-top: 1px solid var(--line); } summary { cursor: pointer; }
.soft { color: var(--soft); } .alarm { color: var(--alarm); }
";

/// A page with this title and body, in which `style` is added to the style of all pages.
pub(crate) fn page(title: &str, style: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// Text in which no character means anything to HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_text() {
        assert_eq!(escaped("write<\"a\" & 'b'>"), "write&lt;&quot;a&quot; &amp; &#39;b&#39;&gt;");
        assert!(page("a<b", "", "<p>x</p>\n").contains("<h1>a&lt;b</h1>\n<p>x</p>"));
    }
}
