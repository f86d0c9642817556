//! Exhaustiveness and reachability of matches.
//!
//! In: the typed patterns of a match. Out: warnings; for an incomplete match, with a value that no arm matches. The
//! algorithms are those of Maranget, "Warnings for pattern matching", Journal of Functional Programming 17 (2007): the
//! usefulness of a row in a pattern matrix, and its variant that constructs a witness.

mod source;

use clef_base::{Diagnostic, HashMap, Span, Symbol, codes};
use clef_psg::{Literal, PatternId, PatternKind, Psg};
use clef_types::{CaseId, EnumId, Type, TypeKind};
use source::Source;
use std::{borrow::Cow, sync::Arc};

/// A pattern without names.
#[derive(Clone, Debug)]
enum Shape {
    Anything,
    Made(Constructor, Arc<[Shape]>),
    Either(Arc<(Shape, Shape)>),
}

/// A value constructor.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Constructor {
    /// The only one of its type: of tuples and `unit`.
    Only,
    Case(CaseId),
    Bool(bool),
    Integer(i128),
    /// A value of an enum.
    Enum(EnumId, i128),
    /// A float by its bits.
    Float(u64),
    Char(char),
    String(Symbol),
    /// An array of this length.
    Array(usize),
}

/// A row of the matrix: one pattern per column.
type Row = Vec<Shape>;

/// A match to be checked.
#[derive(Clone, Debug)]
pub struct Match {
    /// The span of its diagnostics.
    pub span: Span,
    /// The pattern of each arm, and whether the arm has a guard.
    pub arms: Vec<(PatternId, bool)>,
    /// Its origin.
    pub kind: MatchKind,
}

/// What the source calls the cases, fields and enum values of some patterns before their last dot.
pub type Qualifiers = HashMap<PatternId, Symbol>;

/// How a witness is written.
#[derive(Clone, Copy, Debug)]
pub struct Spelling<'q> {
    /// The qualifiers of the patterns that have one.
    pub qualifiers: &'q Qualifiers,
    /// A name, in backquotes if it needs them.
    pub quoted: fn(&str) -> Cow<'_, str>,
}

/// The origin of a match, which determines what happens if nothing matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchKind {
    /// `match` or `function`: traps.
    Match,
    /// A `let` or a parameter: traps.
    Binding,
    /// The pattern of a `for … in`: skips the element.
    Loop,
}

/// Warns about an incomplete match and unreachable arms.
pub fn check(psg: &mut Psg, of: &Match, spelling: Spelling<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let Some(&(first, _)) = of.arms.first() else { return diagnostics };
    let ty = psg.patterns[first].ty;
    let mut rows: Vec<Row> = Vec::new();
    for &(pattern, guarded) in &of.arms {
        let span = psg.patterns[pattern].span;
        let mut unreached = |reason: &str| {
            let diagnostic = Diagnostic::warning(codes::UNREACHED_ARM, span, "unreachable arm");
            diagnostics.push(diagnostic.note(reason));
        };
        let Some(shape) = shape(psg, pattern) else {
            unreached("no value matches both sides of `&`");
            continue;
        };
        let row = vec![shape];
        if !useful(psg, &rows, &row, &[ty]) {
            unreached("the arms before it match all its values");
        } else if !guarded {
            rows.push(row);
        }
    }
    if let Some(witness) = witness(psg, &rows, &[ty]) {
        diagnostics.push(incomplete(psg, of, spelling, &witness[0]));
    }
    diagnostics
}

/// Whether the patterns of a match have the types of what they match, which errors elsewhere in a program may have left unknown.
pub fn has_known_types(psg: &mut Psg, of: &Match) -> bool {
    let Some(&(first, _)) = of.arms.first() else { return true };
    let ty = psg.patterns[first].ty;
    of.arms.iter().all(|&(pattern, _)| shape(psg, pattern).is_none_or(|shape| fits(psg, &shape, ty)))
}

fn fits(psg: &mut Psg, shape: &Shape, ty: Type) -> bool {
    let (constructor, parts) = match shape {
        Shape::Anything => return true,
        Shape::Either(alternatives) => return fits(psg, &alternatives.0, ty) && fits(psg, &alternatives.1, ty),
        Shape::Made(constructor, parts) => (*constructor, parts),
    };
    let is_of_type = match (constructor, psg.types.kind(ty)) {
        (Constructor::Case(case), TypeKind::Declared(declared, _)) => psg.cases[case].owner == *declared,
        (Constructor::Enum(id, _), TypeKind::Enum(of, _)) => id == *of,
        (Constructor::Only, TypeKind::Tuple(all)) => all.len() == parts.len(),
        (Constructor::Only, kind) => *kind == TypeKind::Unit && parts.is_empty(),
        (Constructor::Bool(_), kind) => *kind == TypeKind::Bool,
        (Constructor::Integer(_), kind) => matches!(kind, TypeKind::Integer(_)),
        (Constructor::Float(_), kind) => matches!(kind, TypeKind::Float32 | TypeKind::Float64),
        (Constructor::Char(_), kind) => *kind == TypeKind::Char,
        (Constructor::String(_), kind) => *kind == TypeKind::String,
        (Constructor::Array(_), kind) => matches!(kind, TypeKind::Array(_)),
        (Constructor::Case(_) | Constructor::Enum(..), _) => false,
    };
    is_of_type && {
        let inner = inner_types(psg, constructor, &[ty], parts.len());
        parts.iter().zip(inner).all(|(part, ty)| fits(psg, part, ty))
    }
}

/// The warning for a match that does not cover the values of a shape.
fn incomplete(psg: &Psg, of: &Match, spelling: Spelling<'_>, missing: &Shape) -> Diagnostic {
    let source = Source::new(psg, of, spelling);
    let (unnamed, arm) = (is_unnamed(psg, missing), source.text(&general(psg, missing), false));
    let missing = source.text(missing, false);
    let message = match of.kind {
        MatchKind::Binding | MatchKind::Loop => format!("incomplete pattern: `{missing}` is not covered"),
        MatchKind::Match => format!("incomplete pattern matches: `{missing}` is not covered"),
    };
    let diagnostic = Diagnostic::warning(codes::INCOMPLETE_MATCH, of.span, message);
    let diagnostic = diagnostic.note(match of.kind {
        MatchKind::Match | MatchKind::Binding => "such a value traps at run time",
        MatchKind::Loop => "the loop skips such elements",
    });
    let any_guard = of.arms.iter().any(|(_, guarded)| *guarded);
    let diagnostic = if any_guard { diagnostic.note("an arm with `when` may not match") } else { diagnostic };
    match of.kind {
        MatchKind::Loop => diagnostic.help("bind a name, and use `match` in the loop"),
        MatchKind::Binding => diagnostic.help("use `match` with an arm for the other values"),
        MatchKind::Match => {
            let diagnostic = if unnamed { diagnostic.note("an enum may have unnamed values") } else { diagnostic };
            let which = if arm == "_" { "a catch-all arm" } else { "an arm" };
            diagnostic.help(format!("add {which}: `| {arm} -> …`"))
        }
    }
}

/// A pattern for a witness and what is like it: of a type with very many values, it has all that no arm names.
fn general(psg: &Psg, missing: &Shape) -> Shape {
    let (constructor, parts) = match missing {
        Shape::Anything | Shape::Either(_) => return missing.clone(),
        Shape::Made(constructor, parts) => (*constructor, parts),
    };
    let parts: Arc<[Shape]> = parts.iter().map(|part| general(psg, part)).collect();
    match constructor {
        Constructor::Integer(_)
        | Constructor::Float(_)
        | Constructor::Char(_)
        | Constructor::String(_)
        | Constructor::Array(_) => Shape::Anything,
        Constructor::Enum(..) if is_unnamed(psg, missing) => Shape::Anything,
        Constructor::Only if !parts.is_empty() && parts.iter().all(|part| matches!(part, Shape::Anything)) => {
            Shape::Anything
        }
        Constructor::Only | Constructor::Case(_) | Constructor::Bool(_) | Constructor::Enum(..) => {
            Shape::Made(constructor, parts)
        }
    }
}

/// The shape of a pattern; `None` for one that matches nothing, such as `1 & 2`.
fn shape(psg: &Psg, pattern: PatternId) -> Option<Shape> {
    Some(match &psg.patterns[pattern].kind {
        PatternKind::Wildcard | PatternKind::Variable(_) => Shape::Anything,
        PatternKind::Literal(literal) => {
            let made = match (constructor(literal), psg.types.kind(psg.patterns[pattern].ty)) {
                (Constructor::Integer(value), TypeKind::Enum(id, _)) => Constructor::Enum(*id, value),
                (constructor, _) => constructor,
            };
            Shape::Made(made, Arc::new([]))
        }
        PatternKind::Tuple(parts) => Shape::Made(Constructor::Only, shapes(psg, parts)?),
        PatternKind::Array(parts) => Shape::Made(Constructor::Array(parts.len()), shapes(psg, parts)?),
        PatternKind::Case { case, fields } => Shape::Made(Constructor::Case(*case), shapes(psg, fields)?),
        PatternKind::As(inner, _) => shape(psg, *inner)?,
        PatternKind::Or(one, other) => return either(shape(psg, *one), shape(psg, *other)),
        PatternKind::And(one, other) => return both(&shape(psg, *one)?, &shape(psg, *other)?),
    })
}

/// The union of two shapes.
fn either(one: Option<Shape>, other: Option<Shape>) -> Option<Shape> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Shape::Either(Arc::new((one, other)))),
        (one, other) => one.or(other),
    }
}

/// The intersection of two shapes.
fn both(one: &Shape, other: &Shape) -> Option<Shape> {
    match (one, other) {
        (Shape::Anything, shape) | (shape, Shape::Anything) => Some(shape.clone()),
        (Shape::Either(alternatives), shape) | (shape, Shape::Either(alternatives)) => {
            either(both(&alternatives.0, shape), both(&alternatives.1, shape))
        }
        (Shape::Made(constructor, parts), Shape::Made(same, others)) if constructor == same => {
            let parts: Option<Vec<Shape>> =
                parts.iter().zip(others.iter()).map(|(one, other)| both(one, other)).collect();
            Some(Shape::Made(*constructor, parts?.into()))
        }
        (Shape::Made(..), Shape::Made(..)) => None,
    }
}

fn shapes(psg: &Psg, patterns: &[PatternId]) -> Option<Arc<[Shape]>> {
    patterns.iter().map(|&pattern| shape(psg, pattern)).collect()
}

fn constructor(literal: &Literal) -> Constructor {
    match literal {
        Literal::Unit => Constructor::Only,
        Literal::Bool(value) => Constructor::Bool(*value),
        Literal::Integer(value) => Constructor::Integer(*value),
        Literal::Float(value) => Constructor::Float(value.to_bits()),
        Literal::Char(value) => Constructor::Char(*value),
        Literal::String(text) => Constructor::String(*text),
    }
}

/// Whether some value matches a row but none of the rows before it.
fn useful(psg: &mut Psg, rows: &[Row], row: &Row, types: &[Type]) -> bool {
    let Some((first, rest)) = row.split_first() else { return rows.is_empty() };
    match first {
        Shape::Either(alternatives) => [&alternatives.0, &alternatives.1].into_iter().any(|alternative| {
            let row: Row = std::iter::once(alternative.clone()).chain(rest.iter().cloned()).collect();
            useful(psg, rows, &row, types)
        }),
        Shape::Made(constructor, parts) => {
            let inner = inner_types(psg, *constructor, types, parts.len());
            let rows = specialise(rows, *constructor, parts.len());
            let row: Row = parts.iter().chain(rest).cloned().collect();
            useful(psg, &rows, &row, &inner)
        }
        Shape::Anything => match signature(psg, types[0], &heads(rows)) {
            Signature::Complete(constructors) => constructors.into_iter().any(|(constructor, count)| {
                let inner = inner_types(psg, constructor, types, count);
                let rows = specialise(rows, constructor, count);
                let row: Row = vec![Shape::Anything; count].into_iter().chain(rest.iter().cloned()).collect();
                useful(psg, &rows, &row, &inner)
            }),
            Signature::Incomplete(_) => useful(psg, &without_first(rows), &rest.to_vec(), &types[1..]),
        },
    }
}

/// Values, one per column, that no row matches.
fn witness(psg: &mut Psg, rows: &[Row], types: &[Type]) -> Option<Vec<Shape>> {
    if types.is_empty() {
        return rows.is_empty().then(Vec::new);
    }
    match signature(psg, types[0], &heads(rows)) {
        Signature::Complete(constructors) => constructors.into_iter().find_map(|(constructor, count)| {
            let inner = inner_types(psg, constructor, types, count);
            let mut found = witness(psg, &specialise(rows, constructor, count), &inner)?;
            let rest = found.split_off(count);
            Some(std::iter::once(Shape::Made(constructor, found.into())).chain(rest).collect())
        }),
        Signature::Incomplete(missing) => {
            let rest = witness(psg, &without_first(rows), &types[1..])?;
            Some(std::iter::once(missing).chain(rest).collect())
        }
    }
}

/// The head constructors of the rows.
fn heads(rows: &[Row]) -> Vec<Constructor> {
    fn collect(shape: &Shape, found: &mut Vec<Constructor>) {
        match shape {
            Shape::Anything => {}
            Shape::Made(constructor, _) => found.push(*constructor),
            Shape::Either(alternatives) => {
                collect(&alternatives.0, found);
                collect(&alternatives.1, found);
            }
        }
    }
    let mut found = Vec::new();
    rows.iter().filter_map(|row| row.first()).for_each(|shape| collect(shape, &mut found));
    found
}

/// Whether a set of constructors is complete.
enum Signature {
    /// Complete, with the number of arguments of each.
    Complete(Vec<(Constructor, usize)>),
    /// A value of the type that none of them constructs.
    Incomplete(Shape),
}

fn signature(psg: &Psg, ty: Type, present: &[Constructor]) -> Signature {
    let all: Vec<(Constructor, usize)> = match psg.types.kind(ty) {
        TypeKind::Unit => vec![(Constructor::Only, 0)],
        TypeKind::Tuple(parts) => vec![(Constructor::Only, parts.len())],
        TypeKind::Bool => vec![(Constructor::Bool(false), 0), (Constructor::Bool(true), 0)],
        TypeKind::Declared(declared, _) => {
            let cases = psg.declared_types[*declared].cases.iter();
            cases.map(|&case| (Constructor::Case(case), psg.cases[case].fields.len())).collect()
        }
        TypeKind::Char
        | TypeKind::String
        | TypeKind::Integer(_)
        | TypeKind::Enum(..)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::Function(..)
        | TypeKind::Reference(_)
        | TypeKind::Array(_)
        | TypeKind::NativePointer(_)
        | TypeKind::Parameter(_)
        | TypeKind::Slot(_)
        | TypeKind::Region => return Signature::Incomplete(unlisted(psg, present)),
    };
    if present.is_empty() {
        return Signature::Incomplete(Shape::Anything);
    }
    match all.iter().find(|(constructor, _)| !present.contains(constructor)) {
        Some((missing, count)) => Signature::Incomplete(Shape::Made(*missing, vec![Shape::Anything; *count].into())),
        None => Signature::Complete(all),
    }
}

/// A value that is not among the listed ones, of a type with very many.
fn unlisted(psg: &Psg, present: &[Constructor]) -> Shape {
    let made = |constructor| Shape::Made(constructor, Arc::new([]));
    match present.first() {
        None => Shape::Anything,
        Some(Constructor::Integer(_)) => {
            let free = (0..).find(|&value| !present.contains(&Constructor::Integer(value)));
            free.map_or(Shape::Anything, |value| made(Constructor::Integer(value)))
        }
        Some(&Constructor::Enum(id, _)) => {
            let named = psg.enums[id].values.iter().map(|value| value.value);
            let free = named.chain(0..).find(|&value| !present.contains(&Constructor::Enum(id, value)));
            free.map_or(Shape::Anything, |value| made(Constructor::Enum(id, value)))
        }
        Some(Constructor::Char(_)) => {
            let free = ('a'..=char::MAX).find(|&value| !present.contains(&Constructor::Char(value)));
            free.map_or(Shape::Anything, |value| made(Constructor::Char(value)))
        }
        Some(Constructor::String(_)) => {
            let candidates = std::iter::once(String::new()).chain((1..).map(|count| "a".repeat(count)));
            let free =
                candidates.map(|text| Constructor::String(Symbol::new(&text))).find(|made| !present.contains(made));
            free.map_or(Shape::Anything, made)
        }
        Some(Constructor::Float(_)) => {
            let candidates = (0..).map(|value: u32| Constructor::Float(f64::from(value).to_bits()));
            candidates.into_iter().find(|made| !present.contains(made)).map_or(Shape::Anything, made)
        }
        Some(Constructor::Array(_)) => {
            let free = (0..).find(|&length| !present.contains(&Constructor::Array(length)));
            free.map_or(Shape::Anything, |length| {
                Shape::Made(Constructor::Array(length), vec![Shape::Anything; length].into())
            })
        }
        Some(Constructor::Only | Constructor::Case(_) | Constructor::Bool(_)) => Shape::Anything,
    }
}

/// The column types after the first column is specialised.
fn inner_types(psg: &mut Psg, constructor: Constructor, types: &[Type], count: usize) -> Vec<Type> {
    let parts = match (constructor, psg.types.kind(types[0]).clone()) {
        (Constructor::Only, TypeKind::Tuple(parts)) => parts,
        (Constructor::Array(_), TypeKind::Array(of)) => vec![of; count],
        (Constructor::Case(case), TypeKind::Declared(declared, arguments)) => {
            let parameters = psg.declared_types[declared].parameters.iter().copied();
            let replace: HashMap<_, _> = parameters.zip(arguments).collect();
            let fields = psg.cases[case].fields.clone();
            fields.into_iter().map(|(_, field)| psg.types.substitute(field, &replace)).collect()
        }
        _ => Vec::new(),
    };
    if parts.len() != count {
        clef_base::internal::bug("check", None, "a pattern must match the shape of its type");
    }
    parts.into_iter().chain(types[1..].iter().copied()).collect()
}

/// The rows that match values of a constructor, with its arguments as columns.
fn specialise(rows: &[Row], constructor: Constructor, count: usize) -> Vec<Row> {
    let mut result = Vec::new();
    for row in rows {
        let Some((first, rest)) = row.split_first() else { continue };
        specialise_row(first, rest, constructor, count, &mut result);
    }
    result
}

fn specialise_row(first: &Shape, rest: &[Shape], constructor: Constructor, count: usize, result: &mut Vec<Row>) {
    match first {
        Shape::Anything => {
            result.push(vec![Shape::Anything; count].into_iter().chain(rest.iter().cloned()).collect());
        }
        Shape::Made(other, parts) if *other == constructor => {
            result.push(parts.iter().chain(rest).cloned().collect());
        }
        Shape::Made(..) => {}
        Shape::Either(alternatives) => {
            specialise_row(&alternatives.0, rest, constructor, count, result);
            specialise_row(&alternatives.1, rest, constructor, count, result);
        }
    }
}

/// The rows whose first pattern is a wildcard, without that column.
fn without_first(rows: &[Row]) -> Vec<Row> {
    fn matches_everything(shape: &Shape) -> bool {
        match shape {
            Shape::Anything => true,
            Shape::Made(..) => false,
            Shape::Either(alternatives) => matches_everything(&alternatives.0) || matches_everything(&alternatives.1),
        }
    }
    let open = rows.iter().filter(|row| row.first().is_some_and(matches_everything));
    open.map(|row| row[1..].to_vec()).collect()
}

/// Whether a witness contains an unnamed enum value.
fn is_unnamed(psg: &Psg, shape: &Shape) -> bool {
    match shape {
        Shape::Made(Constructor::Enum(id, value), _) => {
            !psg.enums[*id].values.iter().any(|named| named.value == *value)
        }
        Shape::Made(_, parts) => parts.iter().any(|part| is_unnamed(psg, part)),
        Shape::Anything | Shape::Either(_) => false,
    }
}
