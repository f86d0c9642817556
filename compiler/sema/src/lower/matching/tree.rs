//! Decision trees.
//!
//! In: patterns, of which the first that matches is wanted. Out: a tree of tests of which no path tests anything twice.
//! After Maranget, "Compiling pattern matching to good decision trees" (ML 2008): rows are specialised by the constructor
//! that a test finds, and an or-pattern is opened only when its place is tested. A row is kept as the list of the places
//! that it still restricts, and the place to test next is that of the first row which most rows restrict.

use crate::psg::{CaseId, Literal, PatternId, PatternKind, Psg, VariableId};
use clef_base::Symbol;

/// One step into a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// A component of a tuple.
    Component(usize),
    /// An element of an array that is long enough.
    Element(usize),
    /// A field of a case, which is given with its tag.
    Field { case: (CaseId, usize), field: usize },
}

/// A place in a value: the steps from its root.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Occurrence(Vec<Step>);

impl Occurrence {
    /// The whole value.
    pub(super) fn root() -> Occurrence {
        Occurrence(Vec::new())
    }

    /// One step further.
    pub(super) fn then(&self, step: Step) -> Occurrence {
        Occurrence(self.0.iter().copied().chain([step]).collect())
    }

    /// The place around it, and the last step; nothing for the whole value.
    pub(super) fn split(&self) -> Option<(Occurrence, Step)> {
        self.0.split_last().map(|(last, parent)| (Occurrence(parent.to_vec()), *last))
    }
}

/// What a test can find.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Constructor {
    Bool(bool),
    Integer(i128),
    Char(char),
    /// By its bits; -0.0 is 0.0.
    Float(u64),
    String(Symbol),
    /// Of an array: its length.
    Length(usize),
    /// One of so many cases.
    Case {
        case: CaseId,
        tag: usize,
        of: usize,
    },
}

/// A decision tree.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Tree {
    /// Nothing matches.
    Fail,
    /// A row matches.
    Leaf { row: usize, bindings: Vec<(VariableId, Occurrence)> },
    /// A test.
    Switch { occurrence: Occurrence, cases: Vec<(Constructor, Tree)>, default: Option<Box<Tree>> },
}

impl Tree {
    fn each(&self, visit: &mut dyn FnMut(&Tree)) {
        visit(self);
        if let Tree::Switch { cases, default, .. } = self {
            cases.iter().for_each(|(_, tree)| tree.each(visit));
            default.iter().for_each(|tree| tree.each(visit));
        }
    }

    /// In how many places nothing matches.
    pub(super) fn failures(&self) -> usize {
        let mut count = 0;
        self.each(&mut |tree| count += usize::from(*tree == Tree::Fail));
        count
    }

    /// In how many places each of `rows` rows matches.
    pub(super) fn uses(&self, rows: usize) -> Vec<usize> {
        let mut counts = vec![0; rows];
        self.each(&mut |tree| {
            if let Tree::Leaf { row, .. } = tree {
                counts[*row] += 1;
            }
        });
        counts
    }

    /// The variables that a row binds, in the order of all its leaves.
    pub(super) fn bound(&self, wanted: usize) -> Vec<VariableId> {
        let mut found = None;
        self.each(&mut |tree| {
            if let Tree::Leaf { row, bindings } = tree
                && *row == wanted
            {
                found.get_or_insert_with(|| bindings.iter().map(|(variable, _)| *variable).collect());
            }
        });
        found.unwrap_or_default()
    }
}

/// A row: what it still restricts, and what it has bound.
#[derive(Clone, Debug)]
struct Row {
    index: usize,
    restricts: Vec<(Occurrence, PatternId)>,
    bindings: Vec<(VariableId, Occurrence)>,
}

/// The tree for the patterns.
pub(super) fn compile(psg: &Psg, patterns: &[PatternId]) -> Tree {
    let rows = patterns.iter().enumerate().map(|(index, pattern)| {
        let mut row = Row { index, restricts: Vec::new(), bindings: Vec::new() };
        row.restrict(psg, Occurrence::root(), *pattern);
        row
    });
    rows_tree(psg, rows.collect())
}

impl Row {
    /// Adds what a pattern asks of a place, without tests that cannot fail.
    fn restrict(&mut self, psg: &Psg, occurrence: Occurrence, pattern: PatternId) {
        match &psg.patterns[pattern].kind {
            PatternKind::Wildcard | PatternKind::Literal(Literal::Unit) => {}
            PatternKind::Variable(variable) => self.bindings.push((*variable, occurrence)),
            PatternKind::As(inner, variable) => {
                self.bindings.push((*variable, occurrence.clone()));
                self.restrict(psg, occurrence, *inner);
            }
            PatternKind::And(left, right) => {
                self.restrict(psg, occurrence.clone(), *left);
                self.restrict(psg, occurrence, *right);
            }
            PatternKind::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.restrict(psg, occurrence.then(Step::Component(index)), *part);
                }
            }
            PatternKind::Case { case, fields } if case_count(psg, *case) == 1 => {
                self.restrict_fields(psg, &occurrence, *case, fields);
            }
            PatternKind::Literal(_) | PatternKind::Array(_) | PatternKind::Case { .. } | PatternKind::Or(..) => {
                self.restricts.push((occurrence, pattern));
            }
        }
    }

    fn restrict_fields(&mut self, psg: &Psg, occurrence: &Occurrence, case: CaseId, fields: &[PatternId]) {
        let tag = psg.cases[case].tag as usize;
        for (field, pattern) in fields.iter().enumerate() {
            self.restrict(psg, occurrence.then(Step::Field { case: (case, tag), field }), *pattern);
        }
    }

    /// Opens those or-patterns that are `wanted`: one row for each way to match them.
    fn open(self, psg: &Psg, wanted: &dyn Fn(&Occurrence, PatternId) -> bool, opened: &mut Vec<Row>) {
        let or = self.restricts.iter().position(|(place, pattern)| {
            matches!(psg.patterns[*pattern].kind, PatternKind::Or(..)) && wanted(place, *pattern)
        });
        let Some(position) = or else { return opened.push(self) };
        let PatternKind::Or(left, right) = psg.patterns[self.restricts[position].1].kind else { return };
        for side in [left, right] {
            let mut row = self.clone();
            let (place, _) = row.restricts.remove(position);
            row.restrict(psg, place, side);
            row.open(psg, wanted, opened);
        }
    }

    fn restricts_place(&self, occurrence: &Occurrence) -> bool {
        self.restricts.iter().any(|(place, _)| place == occurrence)
    }

    /// The row when a test at a place has found a constructor; nothing if it cannot match any more.
    fn specialise(&self, psg: &Psg, occurrence: &Occurrence, found: Constructor) -> Option<Row> {
        let mut row = Row { restricts: Vec::new(), ..self.clone() };
        for (place, pattern) in &self.restricts {
            if place != occurrence {
                row.restricts.push((place.clone(), *pattern));
            } else if constructor(psg, *pattern) != Some(found) {
                return None;
            } else if let PatternKind::Case { case, fields } = &psg.patterns[*pattern].kind {
                row.restrict_fields(psg, place, *case, fields);
            } else if let PatternKind::Array(elements) = &psg.patterns[*pattern].kind {
                for (index, element) in elements.iter().enumerate() {
                    row.restrict(psg, place.then(Step::Element(index)), *element);
                }
            }
        }
        Some(row)
    }
}

fn case_count(psg: &Psg, case: CaseId) -> usize {
    psg.declared_types[psg.cases[case].owner].cases.len()
}

/// What a pattern that tests, tests for.
fn constructor(psg: &Psg, pattern: PatternId) -> Option<Constructor> {
    match &psg.patterns[pattern].kind {
        PatternKind::Literal(literal) => match literal {
            Literal::Unit => None,
            Literal::Bool(value) => Some(Constructor::Bool(*value)),
            Literal::Integer(value) => Some(Constructor::Integer(*value)),
            Literal::Float(value) => Some(Constructor::Float(if *value == 0.0 { 0 } else { value.to_bits() })),
            Literal::Char(value) => Some(Constructor::Char(*value)),
            Literal::String(value) => Some(Constructor::String(*value)),
        },
        PatternKind::Case { case, .. } => {
            let (tag, of) = (psg.cases[*case].tag as usize, case_count(psg, *case));
            Some(Constructor::Case { case: *case, tag, of })
        }
        PatternKind::Array(elements) => Some(Constructor::Length(elements.len())),
        PatternKind::Wildcard
        | PatternKind::Variable(_)
        | PatternKind::Tuple(_)
        | PatternKind::As(..)
        | PatternKind::Or(..)
        | PatternKind::And(..) => None,
    }
}

/// Whether the constructors are all there are.
fn complete(found: &[Constructor]) -> bool {
    match found.first() {
        Some(Constructor::Bool(_)) => found.len() == 2,
        Some(Constructor::Case { of, .. }) => found.len() == *of,
        Some(
            Constructor::Integer(_)
            | Constructor::Char(_)
            | Constructor::Float(_)
            | Constructor::String(_)
            | Constructor::Length(_),
        )
        | None => false,
    }
}

/// Whether a pattern looks into a value without a test at the value itself.
fn looks_inside(psg: &Psg, pattern: PatternId) -> bool {
    match psg.patterns[pattern].kind {
        PatternKind::Tuple(_) => true,
        PatternKind::Case { case, .. } => case_count(psg, case) == 1,
        PatternKind::As(inner, _) => looks_inside(psg, inner),
        PatternKind::Or(left, right) | PatternKind::And(left, right) => {
            looks_inside(psg, left) || looks_inside(psg, right)
        }
        PatternKind::Wildcard | PatternKind::Variable(_) | PatternKind::Literal(_) | PatternKind::Array(_) => false,
    }
}

fn rows_tree(psg: &Psg, closed: Vec<Row>) -> Tree {
    // An or-pattern that looks inside restricts other places than its own, which must be seen before one is chosen.
    let mut rows = Vec::new();
    for row in closed {
        row.open(psg, &|_, pattern| looks_inside(psg, pattern), &mut rows);
    }
    let Some(first) = rows.first() else { return Tree::Fail };
    let Some(occurrence) = busiest(first, &rows) else {
        let mut bindings = first.bindings.clone();
        bindings.sort_by_key(|(variable, _)| *variable);
        return Tree::Leaf { row: first.index, bindings };
    };
    let mut opened = Vec::new();
    for row in rows {
        row.open(psg, &|place, _| *place == occurrence, &mut opened);
    }
    let mut found = Vec::new();
    for (_, pattern) in opened.iter().flat_map(|row| &row.restricts).filter(|(place, _)| *place == occurrence) {
        match constructor(psg, *pattern) {
            Some(constructor) if !found.contains(&constructor) => found.push(constructor),
            Some(_) | None => {}
        }
    }
    if found.is_empty() {
        return rows_tree(psg, opened);
    }
    let cases = found.iter().map(|constructor| {
        let rows = opened.iter().filter_map(|row| row.specialise(psg, &occurrence, *constructor)).collect();
        (*constructor, rows_tree(psg, rows))
    });
    let cases = cases.collect();
    let default = (!complete(&found)).then(|| {
        let rows = opened.iter().filter(|row| !row.restricts_place(&occurrence)).cloned().collect();
        Box::new(rows_tree(psg, rows))
    });
    Tree::Switch { occurrence, cases, default }
}

/// The place of a row that most rows restrict, the leftmost of several; nothing if the row restricts none.
fn busiest(row: &Row, rows: &[Row]) -> Option<Occurrence> {
    let count = |place: &Occurrence| rows.iter().filter(|row| row.restricts_place(place)).count();
    let mut best: Option<(usize, &Occurrence)> = None;
    for (place, _) in &row.restricts {
        let count = count(place);
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, place));
        }
    }
    best.map(|(_, place)| place.clone())
}

#[cfg(test)]
mod tests;
