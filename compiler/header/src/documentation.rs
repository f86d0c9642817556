//! The documentation comments of a program's declarations.

use clef_base::{SourceMap, Span};

/// The comment of C with the lines that begin with `///` above a declaration; nothing if it has none. Lines of attributes may
/// be between them.
pub(crate) fn comment(sources: &SourceMap, declaration: Span, indent: &str) -> String {
    let lines = lines(sources, declaration);
    match lines.as_slice() {
        [] => String::new(),
        [only] => format!("{indent}/* {only} */\n"),
        [first, others @ ..] => {
            let others: String = others.iter().map(|line| format!("{indent}   {line}\n")).collect();
            format!("{indent}/* {first}\n{}", others.trim_end()) + " */\n"
        }
    }
}

fn lines(sources: &SourceMap, declaration: Span) -> Vec<String> {
    let place = sources.line_column(declaration).line as usize;
    let text = &sources.file(declaration.file).text;
    let above: Vec<&str> = text.lines().take(place.saturating_sub(1)).map(str::trim).collect();
    let is_attribute = |line: &&&str| line.starts_with("[<");
    let mut found: Vec<String> = above
        .iter()
        .rev()
        .skip_while(is_attribute)
        .map_while(|line| line.strip_prefix("///").filter(|rest| !rest.starts_with('/')))
        .map(plain)
        .collect();
    found.reverse();
    found.retain(|line| !line.is_empty());
    found
}

/// A line without what ends a comment of C, and without the tags of XML documentation.
pub(crate) fn plain(line: &str) -> String {
    let mut text = line.trim().replace("*/", "* /").replace("/*", "/ *");
    for tag in ["<summary>", "</summary>", "<returns>", "</returns>", "<remarks>", "</remarks>"] {
        text = text.replace(tag, "");
    }
    text.trim().trim_end_matches('\\').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_above_attributes() {
        let mut sources = SourceMap::default();
        let text = "//// no\n/// One,\n/// two */\n[<NoInline>]\n[<Export(\"f\")>]\nlet f () = ()\n";
        let file = sources.add("a.clef", text);
        let start = text.find("\"f\"").expect("it is there");
        let span = Span::new(file, start, start + 3);
        assert_eq!(comment(&sources, span, ""), "/* One,\n   two * / */\n");
        assert_eq!(comment(&sources, Span::new(file, 0, 1), ""), "");
    }
}
