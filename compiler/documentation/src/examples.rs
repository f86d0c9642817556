//! The examples of documentation comments as programs.
//!
//! In: the comments of a file. Out: the text of a program file with its examples, in which each line of an example is in the line of
//! the source that it comes from, so that errors have their places there.
//!
//! Each example is a module of its own. A statement `a = b` of an example says that both are equal. A comment at the end of
//! another statement, or below it, is a line that it prints.

use crate::comment::{Comment, Example};
use clef_base::{SourceMap, Span};
use clef_syntax::ast::{DeclarationKind, ExprKind};

/// The name of the file with the functions that examples report to.
pub const REPORTER: &str = "examples";

/// The text of that file.
pub const REPORTER_TEXT: &str = "\
module ``documentation examples``
let begins (number: int) : unit = Console.write $\"\\u0001{number}\\n\"
let inline equal (number: int) (found: 'a) (expected: 'a) : unit =
    if found <> expected then Console.write (sprintf \"\\u0002%d\\n%A\\u0003\" number found)
";

/// What an example says about a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The statement in the source.
    pub span: Span,
    /// What the right side says, for equalities.
    pub expected: String,
}

/// The examples of a file.
#[derive(Clone, Default, Debug)]
pub struct Examples {
    /// The program that is checked: the examples as they are written.
    pub checked: String,
    /// The program that runs: those that run, which report what differs. Its lines are one further down.
    pub run: String,
    /// Where each example that runs starts, and what it prints; nothing if it does not say.
    pub examples: Vec<(Span, Option<String>)>,
    /// The equalities.
    pub claims: Vec<Claim>,
}

/// The examples of the comments of a file, which are in the order of the file. The numbers start after those of the examples and
/// claims of earlier files.
pub fn of_file<'a>(
    sources: &SourceMap,
    file: clef_base::FileId,
    comments: impl Iterator<Item = &'a Comment>,
    (first_example, first_claim): (usize, usize),
) -> Examples {
    let text = &sources.file(file).text;
    let blank: Vec<String> = text.lines().map(|_| String::new()).collect();
    let mut made = Examples::default();
    let (mut checked, mut run) = (blank.clone(), [blank, vec![String::new()]].concat());
    for (number, example) in comments.flat_map(Comment::examples).enumerate() {
        let Some((start, _)) = example.lines.first() else { continue };
        let line_of = |offset: usize| sources.line_column(Span::new(file, offset, offset)).line as usize - 1;
        let first = line_of(*start);
        // The line before an example is empty, or opens the block.
        let heading = first.saturating_sub(1);
        let module = format!("module Example{number} =");
        checked[heading].clone_from(&module);
        let statements = statements(&example);
        for (offset, line) in &example.lines {
            let column = sources.line_column(Span::new(file, *offset, *offset)).column as usize - 1;
            checked[line_of(*offset)] = format!("{}{line}", " ".repeat(column));
        }
        if !example.runs {
            continue;
        }
        let index = first_example + made.examples.len();
        // The lines of the program that runs are one further down.
        run[heading + 1] = module;
        if let Some(before) = run.get_mut(heading).filter(|before| before.is_empty()) {
            *before = format!("``documentation examples``.begins {index}");
        }
        let mut printed: Option<String> = None;
        for statement in statements {
            let span = Span::new(file, statement.start, statement.start + statement.length);
            let line = line_of(statement.start);
            if let Some((left, right)) = &statement.equality {
                let claim = first_claim + made.claims.len();
                made.claims.push(Claim { span, expected: right.clone() });
                run[line + 1] = format!("    ``documentation examples``.equal {claim} ({left}) ({right})");
                continue;
            }
            for (offset, text) in &statement.lines {
                run[line_of(*offset) + 1] = format!("    {text}");
            }
            for comment in statement.prints {
                let printed = printed.get_or_insert_default();
                printed.push_str(&comment);
                printed.push('\n');
            }
        }
        let (last, line) = &example.lines[example.lines.len() - 1];
        made.examples.push((Span::new(file, *start, last + line.len()), printed));
    }
    let number = file.0;
    made.checked = program(&format!("checked {number}"), &checked);
    made.run = program(&format!("run {number}"), &run);
    made
}

/// A program of these lines, if there are any.
fn program(name: &str, lines: &[String]) -> String {
    if lines.iter().all(String::is_empty) {
        return String::new();
    }
    // An example has at least one line of its comment before it.
    let mut text = format!("module ``documentation {name}``{}", if lines[0].is_empty() { "" } else { "\n" });
    text.push_str(&lines[0]);
    for line in &lines[1..] {
        text.push('\n');
        text.push_str(line);
    }
    text + "\n"
}

/// A statement of an example.
struct Statement {
    /// Where it starts, and its bytes in the first line.
    start: usize,
    length: usize,
    /// Its lines, with their offsets in the source.
    lines: Vec<(usize, String)>,
    /// The two sides of an equality.
    equality: Option<(String, String)>,
    /// The comments in it.
    prints: Vec<String>,
}

/// The statements of an example.
fn statements(example: &Example) -> Vec<Statement> {
    let lines: Vec<&str> = example.lines.iter().map(|(_, line)| line.as_str()).collect();
    let begins = |line: &str| !line.is_empty() && !line.starts_with(' ') && !line.starts_with("//");
    let starts: Vec<usize> = (0..lines.len()).filter(|&index| begins(lines[index])).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let statement = |(&first, end): (&usize, usize)| {
        let own = &example.lines[first..end];
        let (start, line) = &own[0];
        let equality = equality(&lines[first..end].join(" "));
        let prints =
            if equality.is_some() { Vec::new() } else { own.iter().filter_map(|(_, line)| printed(line)).collect() };
        Statement { start: *start, length: line.trim_end().len(), lines: own.to_vec(), equality, prints }
    };
    starts.iter().zip(ends).map(statement).collect()
}

/// The comment at the end of a line.
fn printed(line: &str) -> Option<String> {
    let comment = line.strip_prefix("// ").or_else(|| line.rsplit_once(" // ").map(|(_, comment)| comment));
    comment.map(|comment| comment.trim_end().to_owned())
}

/// The two sides of a statement that is an equality.
fn equality(text: &str) -> Option<(String, String)> {
    let mut sources = SourceMap::default();
    let file = sources.add("statement", text);
    let (tree, _) = clef_syntax::parse(&sources, file);
    let [only] = tree.declarations.as_slice() else { return None };
    let DeclarationKind::Effect(expression) = &only.kind else { return None };
    let ExprKind::Binary { operator, .. } = &tree.exprs[*expression].kind else { return None };
    if operator.symbol.as_str() != "=" {
        return None;
    }
    let at = operator.span.start as usize;
    Some((text[..at].trim().to_owned(), text[at + 1..].trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_in_the_lines_of_their_source() {
        let text = "\
/// A module.
module M =
    /// Adds two.
    ///
    ///     let one = 1
    ///     add one
    ///       = 3
    ///     printfn \"a\\nb\" // a
    ///     // b
    ///
    /// Allocation: none.
    let add x = x + 2
";
        let mut sources = SourceMap::default();
        let file = sources.add("m.clef", text);
        let comment = crate::comment::above(text, text.find("add x").expect("it is there")).expect("there is one");
        let made = of_file(&sources, file, [&comment].into_iter(), (2, 5));
        let lines: Vec<&str> = made.checked.lines().collect();
        assert_eq!(lines[3], "module Example0 =");
        assert_eq!(lines[4], "            let one = 1");
        let lines: Vec<&str> = made.run.lines().collect();
        assert_eq!(lines[3], "``documentation examples``.begins 2");
        assert_eq!(lines[4], "module Example0 =");
        assert_eq!(lines[5], "    let one = 1");
        assert_eq!(lines[6], "    ``documentation examples``.equal 5 (add one) (3)");
        assert_eq!(lines[7], "");
        assert_eq!(lines[8], "    printfn \"a\\nb\" // a");
        assert_eq!(made.examples[0].1.as_deref(), Some("a\nb\n"));
        assert_eq!(made.claims[0].expected, "3");
    }
}
