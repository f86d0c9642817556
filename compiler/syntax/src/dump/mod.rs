//! The tree as text for `--emit ast` and for tests: one node per line, children indented below it, without locations.
//! Equal text means equal trees, except for locations.

mod declaration;
mod expr;
mod pattern;
mod types;

use crate::ast::{Access, Ast, CollectionKind, Literal, Path, TypeVariable, VariableConstraint};
use std::fmt::{Display, Write};

/// Returns the listing of a tree.
pub fn dump(ast: &Ast) -> String {
    let mut dumper = Dumper { ast, out: String::new(), depth: 0 };
    dumper.file();
    dumper.out
}

/// The listing written so far.
struct Dumper<'a> {
    ast: &'a Ast,
    out: String,
    depth: usize,
}

impl Dumper<'_> {
    /// Writes a line.
    fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = self.depth * 2);
    }

    /// Writes a line, and below it what `children` writes.
    fn node(&mut self, text: impl Display, children: impl FnOnce(&mut Self)) {
        self.line(text);
        self.depth += 1;
        children(self);
        self.depth -= 1;
    }
}

fn path_text(path: &Path) -> String {
    let names: Vec<&str> = path.segments.iter().map(|name| name.symbol.as_str()).collect();
    names.join(".")
}

fn access_text(access: Access) -> &'static str {
    match access {
        Access::Public => "",
        Access::Internal => " internal",
        Access::Private => " private",
    }
}

fn collection_text(kind: CollectionKind) -> &'static str {
    match kind {
        CollectionKind::List => "list",
        CollectionKind::Array => "array",
        CollectionKind::Sequence => "sequence",
    }
}

fn variable_text(variable: &TypeVariable) -> String {
    let measure = if variable.measure { "measure " } else { "" };
    let mark = if variable.resolved_statically { '^' } else { '\'' };
    let constraint = match variable.constraint {
        VariableConstraint::Nothing => "",
        VariableConstraint::Equality => " : equality",
        VariableConstraint::Comparison => " : comparison",
    };
    format!("{measure}{mark}{}{constraint}", variable.name.symbol)
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Unit => "()".to_owned(),
        Literal::Bool(value) => value.to_string(),
        Literal::Integer { value, suffix, bits } => {
            format!("{value} {suffix:?}{}", if *bits { " bits" } else { "" })
        }
        Literal::Float { text, single } => format!("{text} {}", if *single { "float32" } else { "float" }),
        Literal::Char(c) => format!("{c:?}"),
        Literal::String(text) => format!("{text:?}"),
        Literal::Bytes(bytes) => format!("bytes {bytes:?}"),
    }
}
