//! Clef as HTML: the lexer of the compiler decides what a word is.

use crate::html::escaped;
use clef_base::SourceMap;
use clef_syntax::token::{Token, TokenKind};

/// Finds the link of a name in code.
pub(crate) type Links<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// A text with the classes of its words, and links from the names that have one.
pub(crate) fn clef(text: &str, links: &Links<'_>) -> String {
    let file = SourceMap::default().add("code", text);
    let (tokens, _) = clef_syntax::lexer::lex(file, text, &|_| false);
    let mut out = String::new();
    let mut at = 0;
    for token in &tokens {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        if start < at || end <= start {
            continue;
        }
        between(&text[at..start], &mut out);
        // The name of a parameter or a field is not that of a type.
        let is_declared = text[end..].trim_start().starts_with(':');
        word(&text[start..end], token, if is_declared { &|_| None } else { links }, &mut out);
        at = end;
    }
    between(&text[at..], &mut out);
    out
}

/// White space and comments.
fn between(text: &str, out: &mut String) {
    let comment = text.trim();
    match text.find(comment).filter(|_| !comment.is_empty()) {
        None => out.push_str(&escaped(text)),
        Some(start) => {
            out.push_str(&escaped(&text[..start]));
            span("c", comment, out);
            out.push_str(&escaped(&text[start + comment.len()..]));
        }
    }
}

fn word(text: &str, token: &Token, links: &Links<'_>, out: &mut String) {
    match &token.kind {
        TokenKind::Keyword(_) => span("k", text, out),
        TokenKind::TypeVariable(_) => span("v", text, out),
        TokenKind::Integer { .. } | TokenKind::Float { .. } => span("n", text, out),
        TokenKind::Char(_) | TokenKind::String(_) | TokenKind::Bytes(_) | TokenKind::Interpolated(_) => {
            span("s", text, out);
        }
        TokenKind::Directive => span("c", text, out),
        TokenKind::Identifier(_) => match links(text) {
            Some(link) => out.push_str(&format!("<a href=\"{link}\">{}</a>", escaped(text))),
            None => out.push_str(&escaped(text)),
        },
        TokenKind::Operator(_)
        | TokenKind::Punctuation(_)
        | TokenKind::Begin
        | TokenKind::Separator
        | TokenKind::End
        | TokenKind::Error
        | TokenKind::EndOfFile => out.push_str(&escaped(text)),
    }
}

fn span(class: &str, text: &str, out: &mut String) {
    out.push_str(&format!("<span class=\"{class}\">{}</span>", escaped(text)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_classes_and_names_have_links() {
        let links = |name: &str| (name == "List").then(|| "List.html".to_owned());
        assert_eq!(clef("List: int", &links), "List: int");
        assert_eq!(
            clef("let x = List.map 1 // so\n\"<\"", &links),
            "<span class=\"k\">let</span> x = <a href=\"List.html\">List</a>.map <span class=\"n\">1</span> \
             <span class=\"c\">// so</span>\n<span class=\"s\">&quot;&lt;&quot;</span>"
        );
    }
}
