//! The common projection of both trees.

use std::fmt::{self, Display, Formatter};

/// A node: a leaf has a place in the text, others have parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// Its kind.
    pub kind: &'static str,
    /// The bytes of a leaf.
    pub place: Option<(usize, usize)>,
    /// The parts of a node that is no leaf.
    pub parts: Vec<Outline>,
}

impl Outline {
    /// A leaf.
    pub(crate) fn leaf(kind: &'static str, start: usize, end: usize) -> Outline {
        Outline { kind, place: Some((start, end)), parts: Vec::new() }
    }

    /// A node with parts.
    pub(crate) fn node(kind: &'static str, parts: Vec<Outline>) -> Outline {
        Outline { kind, place: None, parts }
    }

    /// A block, or its only expression.
    pub(crate) fn block(mut statements: Vec<Outline>) -> Outline {
        match statements.pop() {
            Some(only) if statements.is_empty() => only,
            Some(last) => {
                statements.push(last);
                Outline::node("block", statements)
            }
            None => Outline::node("block", statements),
        }
    }

    /// Brackets with their content.
    pub(crate) fn brackets(kind: &'static str, mut content: Vec<Outline>) -> Outline {
        if let [only] = &mut content[..]
            && only.kind == "block"
        {
            content = std::mem::take(&mut only.parts);
        }
        Outline::node(kind, content)
    }

    fn write(&self, formatter: &mut Formatter<'_>, depth: usize) -> fmt::Result {
        let place = self.place.map(|(start, end)| format!(" {start}..{end}")).unwrap_or_default();
        writeln!(formatter, "{:width$}{}{place}", "", self.kind, width = depth * 2)?;
        self.parts.iter().try_for_each(|part| part.write(formatter, depth + 1))
    }
}

impl Display for Outline {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.write(formatter, 0)
    }
}
