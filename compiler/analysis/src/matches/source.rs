//! A witness in source syntax, with the qualifiers that its match uses.

use super::{Constructor, Match, Shape, Spelling};
use clef_base::{HashMap, Symbol};
use clef_psg::{Literal, PatternId, PatternKind, Psg};
use clef_types::{CaseId, DeclaredKind, DeclaredTypeId, EnumId, TypeKind};
use std::borrow::Cow;

/// The source syntax of shapes, for one match.
pub(super) struct Source<'p> {
    psg: &'p Psg,
    quoted: fn(&str) -> Cow<'_, str>,
    /// What is written before the cases or the fields of a type.
    of_types: HashMap<DeclaredTypeId, Symbol>,
    /// What is written before the values of an enum.
    of_enums: HashMap<EnumId, Symbol>,
}

impl<'p> Source<'p> {
    /// The names of a match. A witness has only constructors of types of which the match names one.
    pub(super) fn new(psg: &'p Psg, of: &Match, spelling: Spelling<'_>) -> Source<'p> {
        let mut source =
            Source { psg, quoted: spelling.quoted, of_types: HashMap::default(), of_enums: HashMap::default() };
        for &(pattern, _) in &of.arms {
            source.collect(pattern, spelling);
        }
        source
    }

    /// Adds the qualifiers in a pattern; the first of each type counts.
    fn collect(&mut self, pattern: PatternId, spelling: Spelling<'_>) {
        let psg = self.psg;
        let qualifier = spelling.qualifiers.get(&pattern).copied();
        match &psg.patterns[pattern].kind {
            PatternKind::Wildcard | PatternKind::Variable(_) => {}
            PatternKind::Literal(Literal::Integer(_)) => {
                if let (TypeKind::Enum(id, _), Some(qualifier)) = (psg.types.kind(psg.patterns[pattern].ty), qualifier)
                {
                    self.of_enums.entry(*id).or_insert(qualifier);
                }
            }
            PatternKind::Literal(_) => {}
            PatternKind::Case { case, fields } => {
                if let Some(qualifier) = qualifier {
                    self.of_types.entry(psg.cases[*case].owner).or_insert(qualifier);
                }
                fields.iter().for_each(|&field| self.collect(field, spelling));
            }
            PatternKind::Tuple(parts) | PatternKind::Array(parts) => {
                parts.iter().for_each(|&part| self.collect(part, spelling));
            }
            PatternKind::As(inner, _) => self.collect(*inner, spelling),
            PatternKind::Or(one, other) | PatternKind::And(one, other) => {
                self.collect(*one, spelling);
                self.collect(*other, spelling);
            }
        }
    }

    /// A name after its qualifier.
    fn qualified(&self, qualifier: Option<&Symbol>, name: Symbol) -> String {
        let name = match name.as_str() {
            // The empty list.
            "[]" => "[]".into(),
            name => (self.quoted)(name),
        };
        qualifier.map_or_else(|| name.to_string(), |qualifier| format!("{qualifier}.{name}"))
    }

    /// A witness in source syntax; `nested` if it is an argument that may need parentheses.
    pub(super) fn text(&self, shape: &Shape, nested: bool) -> String {
        let (constructor, parts) = match shape {
            Shape::Anything => return "_".into(),
            Shape::Either(alternatives) => return self.text(&alternatives.0, nested),
            Shape::Made(constructor, parts) => (*constructor, parts),
        };
        let all = |separator: &str| parts.iter().map(|part| self.text(part, false)).collect::<Vec<_>>().join(separator);
        match constructor {
            Constructor::Only => format!("({})", all(", ")),
            Constructor::Bool(value) => value.to_string(),
            Constructor::Integer(value) => value.to_string(),
            Constructor::Enum(id, value) => self.enum_text(id, value, nested),
            Constructor::Float(bits) => format!("{:?}", f64::from_bits(bits)),
            Constructor::Char(value) => format!("{value:?}"),
            Constructor::String(text) => format!("{:?}", text.as_str()),
            Constructor::Array(_) => format!("[|{}|]", all("; ")),
            Constructor::Case(case) => {
                let described = &self.psg.cases[case];
                if self.psg.declared_types[described.owner].kind == DeclaredKind::Record {
                    return self.record_text(case, parts);
                }
                if described.name.as_str() == "::" {
                    return self.list_text(parts, nested);
                }
                let name = self.qualified(self.of_types.get(&described.owner), described.name);
                let applied = match parts.len() {
                    0 => return name,
                    1 => format!("{name} {}", self.text(&parts[0], true)),
                    _ => format!("{name} ({})", all(", ")),
                };
                if nested { format!("({applied})") } else { applied }
            }
        }
    }

    /// An enum value: by name, or as F# shows an unnamed one.
    fn enum_text(&self, id: EnumId, value: i128, nested: bool) -> String {
        let described = &self.psg.enums[id];
        let of = self.of_enums.get(&id).map_or_else(|| (self.quoted)(described.name.as_str()), |of| of.as_str().into());
        match described.values.iter().find(|named| named.value == value) {
            Some(named) => format!("{of}.{}", (self.quoted)(named.name.as_str())),
            None if nested => format!("(enum<{of}> {value})"),
            None => format!("enum<{of}> {value}"),
        }
    }

    /// A non-empty list: `[a; b]` if its end is known, else `a :: rest`.
    fn list_text(&self, parts: &[Shape], nested: bool) -> String {
        let mut elements = vec![parts[0].clone()];
        let mut rest = &parts[1];
        while let Shape::Made(Constructor::Case(_), parts) = rest {
            match &parts[..] {
                [element, tail] => {
                    elements.push(element.clone());
                    rest = tail;
                }
                _ => {
                    let all: Vec<String> = elements.iter().map(|element| self.text(element, false)).collect();
                    return format!("[{}]", all.join("; "));
                }
            }
        }
        let mut all: Vec<String> = elements.iter().map(|element| self.text(element, true)).collect();
        all.push(self.text(rest, true));
        let joined = all.join(" :: ");
        if nested { format!("({joined})") } else { joined }
    }

    fn record_text(&self, case: CaseId, parts: &[Shape]) -> String {
        let described = &self.psg.cases[case];
        let qualifier = self.of_types.get(&described.owner);
        let names = described.fields.iter().filter_map(|(name, _)| *name);
        let fields: Vec<String> = names
            .zip(parts)
            .filter(|(_, part)| !matches!(part, Shape::Anything))
            .map(|(name, part)| format!("{} = {}", self.qualified(qualifier, name), self.text(part, false)))
            .collect();
        if fields.is_empty() { "_".into() } else { format!("{{ {} }}", fields.join("; ")) }
    }
}
