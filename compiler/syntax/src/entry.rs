//! Entries that are typed line by line: where one ends, and the name of its value.
//!
//! In: the lines so far. Out: whether more lines are needed, and whether another line continues them. The parser decides
//! both, so that the rules are those of files. The tree of an entry that ends with an expression becomes one that binds
//! the value of the expression.

use crate::{
    ast::{Access, Ast, Binding, BindingHead, Declaration, DeclarationKind, LetGroup, Name, Pattern, PatternKind},
    parse,
};
use clef_base::{Diagnostic, Severity, SourceMap, Symbol, codes};

/// The name of the value of an expression.
pub const VALUE: &str = "it";

/// Whether a text does not end before its last construct does. It may have other errors.
pub fn is_complete(text: &str) -> bool {
    let (_, diagnostics) = read(text);
    let end = text.trim_end().len();
    let mut errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    !errors.any(|error| {
        let mut labels = error.primary.iter().chain(&error.secondary);
        let is_open = [codes::UNCLOSED_COMMENT, codes::UNCLOSED_STRING].contains(&error.code);
        is_open || labels.any(|label| label.span.start as usize >= end)
    })
}

/// Whether a line after a text belongs to its last declaration.
pub fn is_continued(text: &str, line: &str) -> bool {
    let declarations = |text: &str| read(text).0.declarations.len();
    line.starts_with(char::is_whitespace) || declarations(text) == declarations(&format!("{text}\n{line}"))
}

/// Makes the expression at the end of an entry the value of a binding.
pub fn name_value(ast: &mut Ast) {
    let Some(Declaration { kind: DeclarationKind::Effect(body), span }) = ast.declarations.last() else { return };
    let (body, span) = (*body, *span);
    let name = Name { symbol: Symbol::new(VALUE), span };
    let pattern = ast.patterns.alloc(Pattern { kind: PatternKind::Name(name), span });
    let binding = Binding {
        attributes: Vec::new(),
        documentation: None,
        mutable: false,
        inline: false,
        access: Access::Public,
        head: BindingHead::Pattern(pattern),
        annotation: None,
        body,
        span,
    };
    let group = LetGroup { recursive: false, resource: false, bindings: vec![binding], span };
    ast.declarations.pop();
    ast.declarations.push(Declaration { kind: DeclarationKind::Let(group), span });
}

fn read(text: &str) -> (Ast, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let file = sources.add("entry", text);
    parse(&sources, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_constructs_are_incomplete() {
        for text in [
            "let f x =",
            "let rec f x =\n    match x with",
            "type Shape =",
            "module M =",
            "f (1 +",
            "[1; 2",
            "(1, 2",
            "1 +",
            "if a then",
            "if a then b else",
            "match x with",
            "match x with\n| 1 ->",
            "fun x ->",
            "List.map (fun x ->",
            "(* a",
            "\"\"\"a",
            "let",
            "let x",
            "open",
            "for i in 1 .. 3 do",
            "[<Literal>]",
            "x |>",
        ] {
            assert!(!is_complete(text), "{text}");
        }
        for text in
            ["let x = 1", "1 + 2", ")", "let = 2", "f 1 2 )", "type A = B | C", "", "if a then b", "let f x = x y )"]
        {
            assert!(is_complete(text), "{text}");
        }
    }

    #[test]
    fn the_parser_decides_what_continues() {
        for (text, line) in [
            ("[1; 2]", "|> List.sum"),
            ("if a then b", "else c"),
            ("let rec f x = g x", "and g x = f x"),
            ("type A =\n    | B", "| C"),
            ("let f x =\n    x", "    + 1"),
        ] {
            assert!(is_continued(text, line), "{text}\n{line}");
        }
        for (text, line) in
            [("let x = 1", "let y = 2"), ("f 1", "g 2"), ("type A = B", "type C = D"), ("f 1", "open A")]
        {
            assert!(!is_continued(text, line), "{text}\n{line}");
        }
    }
}
