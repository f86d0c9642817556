//! Documentation comments.
//!
//! In: a text, and where a name in it is declared. Out: the `///` lines above the declaration, and what they say.
//!
//! A comment is Markdown. Its first paragraph is the summary. Code that is indented by four columns, or in a block marked `clef`,
//! is an example, which runs; one marked `clef,check` is only checked. A paragraph of facts may follow:
//!
//! ```text
//! /// Applies a function to each element.
//! ///
//! ///     List.map (fun x -> x * 2) [ 1; 2; 3 ] = [ 2; 4; 6 ]
//! ///
//! /// Allocation: region. Complexity: O(n).
//! ```

/// What may precede a name that a documentation comment above its line is about.
const BEFORE_NAMES: &[&str] = &[
    "let",
    "rec",
    "and",
    "inline",
    "mutable",
    "private",
    "internal",
    "public",
    "type",
    "module",
    "namespace",
    "|",
    "{",
    "(",
    "[<Struct>]",
];

/// The columns that indent an example.
const INDENTATION: &str = "    ";

/// The comment above a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    lines: Vec<Line>,
}

/// A line of a comment, without `///` and the space after it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    text: String,
    /// Where the text starts in its file.
    start: usize,
}

/// An example of a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// Its lines, without what indents them all, each with the offset in the file at which it starts.
    pub lines: Vec<(usize, String)>,
    /// Whether it runs, or is only checked.
    pub runs: bool,
}

/// A part of a comment.
enum Part<'a> {
    /// Lines of text.
    Prose(Vec<&'a Line>),
    /// A block of code, and what it is marked with; nothing if it is indented.
    Code(Option<&'a str>, Vec<&'a Line>),
}

/// The comment about the name that is declared at an offset.
pub fn above(text: &str, offset: usize) -> Option<Comment> {
    let start = text[..offset].rfind('\n').map_or(0, |index| index + 1);
    let before = without_attributes(&text[start..offset]);
    if !before.split_whitespace().all(|word| BEFORE_NAMES.contains(&word.trim_start_matches("``"))) {
        return None;
    }
    let mut lines = Vec::new();
    let mut end = start;
    while let Some(above) = text[..end].strip_suffix('\n') {
        let line_start = above.rfind('\n').map_or(0, |index| index + 1);
        let line = above[line_start..].trim();
        match line.strip_prefix("///") {
            Some(comment) => {
                let comment = comment.strip_prefix(' ').unwrap_or(comment);
                let start = line_start + above[line_start..].trim_end().len() - comment.len();
                lines.push(Line { text: comment.to_owned(), start });
            }
            None if lines.is_empty() && line.starts_with("[<") && line.ends_with(">]") => {}
            None => break,
        }
        end = line_start;
    }
    lines.reverse();
    lines.iter().any(|line| !line.text.trim().is_empty()).then_some(Comment { lines })
}

/// A line without the attributes at its start.
fn without_attributes(line: &str) -> &str {
    let rest = line.trim_start();
    match rest.strip_prefix("[<").and_then(|rest| rest.split_once(">]")) {
        Some((_, rest)) => without_attributes(rest),
        None => rest,
    }
}

impl Comment {
    /// The whole, as Markdown.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The first paragraph, in one line.
    pub fn summary(&self) -> String {
        let first = self.lines.iter().skip_while(|line| line.text.trim().is_empty());
        let lines = first.take_while(|line| !line.text.trim().is_empty() && fence(&line.text).is_none());
        lines.map(|line| line.text.trim()).collect::<Vec<_>>().join(" ")
    }

    /// What comes after `Allocation:` or another such word, up to the end of its sentence.
    pub fn fact(&self, name: &str) -> Option<String> {
        let text = self.paragraphs().join("\n").replace('\n', " ");
        let (_, rest) = text.split_once(&format!("{name}: "))?;
        let end = rest.find(". ").or_else(|| rest.rfind('.')).unwrap_or(rest.len());
        Some(rest[..end].trim().to_owned())
    }

    /// The lines that are no code.
    fn paragraphs(&self) -> Vec<&str> {
        let prose = self.parts().into_iter().filter_map(|part| match part {
            Part::Prose(lines) => Some(lines),
            Part::Code(..) => None,
        });
        prose.flatten().map(|line| line.text.as_str()).collect()
    }

    /// The examples.
    pub fn examples(&self) -> Vec<Example> {
        let examples = self.parts().into_iter().filter_map(|part| match part {
            Part::Prose(_) => None,
            Part::Code(mark, lines) => {
                let runs = match mark {
                    None | Some("clef") => true,
                    Some("clef,check") => false,
                    Some(_) => return None,
                };
                let indented = if mark.is_none() { INDENTATION.len() } else { 0 };
                let lines = lines.into_iter().map(|line| {
                    let cut = indented.min(line.text.len());
                    (line.start + cut, line.text[cut..].to_owned())
                });
                Some(Example { lines: lines.collect(), runs })
            }
        });
        examples.collect()
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        let mut lines = self.lines.iter().peekable();
        while let Some(line) = lines.next() {
            if let Some(mark) = fence(&line.text) {
                let inside = lines.by_ref().take_while(|line| fence(&line.text).is_none());
                parts.push(Part::Code(Some(mark), inside.collect()));
            } else if line.text.trim().is_empty() {
                // Code is indented after an empty line, and continues after one.
                let mut inside = Vec::new();
                while let Some(next) = lines.next_if(|next| next.text.starts_with(INDENTATION)) {
                    inside.push(next);
                }
                match parts.last_mut() {
                    _ if inside.is_empty() => {}
                    Some(Part::Code(None, before)) => before.extend(inside),
                    Some(Part::Code(Some(_), _) | Part::Prose(_)) | None => parts.push(Part::Code(None, inside)),
                }
            } else {
                let mut paragraph = vec![line];
                while let Some(next) = lines.next_if(|next| !next.text.trim().is_empty() && fence(&next.text).is_none())
                {
                    paragraph.push(next);
                }
                parts.push(Part::Prose(paragraph));
            }
        }
        parts
    }
}

/// The mark of a line that opens or closes a block of code.
fn fence(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("```").map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(text: &str, name: &str) -> Option<Comment> {
        above(text, text.find(name).expect("it is there"))
    }

    #[test]
    fn comments_belong_to_what_is_below_them() {
        let text =
            "/// Adds\n/// two.\n[<TrapAtCall>]\nlet rec add x = x\n\n/// A pair.\ntype Pair = { a: int }\nlet b = 1\n";
        let at = |name: &str| comment(text, name).map(|comment| comment.text());
        assert_eq!(at("add"), Some("Adds\ntwo.".into()));
        assert_eq!(at("Pair"), Some("A pair.".into()));
        assert_eq!(at("a:"), None);
        assert_eq!(at("x ="), None);
        assert_eq!(at("b ="), None);
    }

    #[test]
    fn a_comment_has_a_summary_examples_and_facts() {
        let text = "\
    /// Adds
    /// two.
    ///
    ///     let one = 1
    ///     add one = 3
    ///
    /// ```clef,check
    /// add 2 // 4
    /// ```
    /// ```text
    /// no example
    /// ```
    ///
    /// Allocation: none. Complexity: O(1).
    let add x = x + 2
";
        let found = comment(text, "add x").expect("there is one");
        assert_eq!(found.summary(), "Adds two.");
        assert_eq!(found.fact("Allocation").as_deref(), Some("none"));
        assert_eq!(found.fact("Complexity").as_deref(), Some("O(1)"));
        assert_eq!(found.fact("Traps"), None);
        let examples = found.examples();
        let shown: Vec<_> = examples.iter().map(|one| (one.runs, one.lines.len())).collect();
        assert_eq!(shown, [(true, 2), (false, 1)]);
        let (start, line) = &examples[0].lines[1];
        assert_eq!(&text[*start..*start + line.len()], "add one = 3");
    }
}
