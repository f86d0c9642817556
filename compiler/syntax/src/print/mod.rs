//! The tree as source text in a canonical layout.
//!
//! In: an [`Ast`]. Out: a program with the same tree, except for locations. What fits on a line is on one line. A
//! `match`, a loop, a sequence, and an expression that contains one has its own lines, and parentheses as an operand.
//! An unsupported construct is printed as the shortest one of its kind: its source text is not in the tree.

mod binding;
mod control;
mod declaration;
mod expr;
mod flat;
mod literal;
mod pattern;
mod types;
mod unsupported;

use crate::{
    ast::{Ast, Name, Path},
    token::Keyword,
};
use clef_base::Symbol;
use std::{
    borrow::Cow,
    fmt::{Display, Write},
};

/// Prints a tree as source text.
pub fn print(ast: &Ast) -> String {
    let mut printer = Printer { ast, out: String::new(), indentation: 0 };
    printer.file();
    printer.out
}

/// The number of columns by which a block is indented.
const INDENTATION: usize = 4;

/// The source text written so far.
struct Printer<'a> {
    ast: &'a Ast,
    out: String,
    indentation: usize,
}

impl Printer<'_> {
    fn write(&mut self, text: impl Display) {
        let _ = write!(self.out, "{text}");
    }

    /// Starts a line.
    fn line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', self.indentation));
    }

    fn indented(&mut self, content: impl FnOnce(&mut Self)) {
        self.indentation += INDENTATION;
        content(self);
        self.indentation -= INDENTATION;
    }

    /// Writes items with a separator between them.
    fn separated<T>(&mut self, items: &[T], separator: &str, mut item: impl FnMut(&mut Self, &T)) {
        for (index, each) in items.iter().enumerate() {
            if index > 0 {
                self.write(separator);
            }
            item(self, each);
        }
    }

    /// Writes content, in parentheses if they are needed.
    fn parenthesised(&mut self, needed: bool, content: impl FnOnce(&mut Self)) {
        if needed {
            self.write("(");
        }
        content(self);
        if needed {
            self.write(")");
        }
    }

    fn name(&mut self, name: Name) {
        let text = name.symbol.as_str();
        match is_operator(name.symbol) {
            true => self.write(text),
            false => self.write(quoted(text)),
        }
    }

    fn path(&mut self, path: &Path) {
        self.separated(&path.segments, ".", |printer, name| match is_operator(name.symbol) {
            true => printer.operator(*name),
            false => printer.name(*name),
        });
    }

    /// `(+)`.
    fn operator(&mut self, name: Name) {
        if name.symbol.as_str().starts_with('*') || name.symbol.as_str().ends_with('*') {
            self.write(format_args!("( {} )", name.symbol));
        } else {
            self.write(format_args!("({})", name.symbol));
        }
    }
}

/// A name, in backquotes if it needs them.
pub fn quoted(name: &str) -> Cow<'_, str> {
    if is_plain(name) { name.into() } else { format!("``{name}``").into() }
}

/// Whether a name needs no backquotes.
fn is_plain(text: &str) -> bool {
    let mut characters = text.chars();
    let starts = characters.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c));
    let is_word = starts && characters.all(|c| c == '\'' || unicode_ident::is_xid_continue(c));
    is_word && Keyword::of(text).is_none_or(|keyword| keyword == Keyword::Underscore)
}

/// Whether a bound name is that of an operator.
fn is_operator(symbol: Symbol) -> bool {
    symbol.as_str().chars().next().is_some_and(|c| "!%&*+-/<=>?@^|~:.".contains(c))
}
