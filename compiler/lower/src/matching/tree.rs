//! Decision trees with shared subtrees.
//!
//! In: patterns, of which the first that matches wins. Out: an acyclic graph of tests, in which no path repeats a test.
//! After Maranget, "Compiling pattern matching to good decision trees" (ML 2008): rows are specialised by the constructor
//! that a test finds, and an or-pattern is expanded only when its occurrence is tested. A row is represented by the list of
//! occurrences that it still restricts. The next test is at the occurrence of the first row that most rows restrict. Nodes
//! are memoised by their remaining rows, so that all paths to the same rows share a node. Some matches have no small graph:
//! [`compile`] gives up early, and its caller tries fewer patterns at a time.

use clef_base::{HashMap, HashSet, Symbol};
use clef_psg::{Literal, PatternId, PatternKind, Psg, VariableId};
use clef_types::CaseId;

/// One step into a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// A component of a tuple.
    Component(usize),
    /// An element of an array that is long enough.
    Element(usize),
    /// A field of a case, identified with its tag.
    Field { case: (CaseId, usize), field: usize },
}

/// An occurrence in a value: the steps from its root.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Occurrence(Vec<Step>);

impl Occurrence {
    /// The whole value.
    pub(super) fn root() -> Occurrence {
        Occurrence(Vec::new())
    }

    /// Adds a step.
    pub(super) fn then(&self, step: Step) -> Occurrence {
        Occurrence(self.0.iter().copied().chain([step]).collect())
    }

    /// The enclosing occurrence, and the last step; `None` for the whole value.
    pub(super) fn split(&self) -> Option<(Occurrence, Step)> {
        self.0.split_last().map(|(last, parent)| (Occurrence(parent.to_vec()), *last))
    }
}

/// The outcome of a test.
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
    /// One of `n` cases.
    Case {
        case: CaseId,
        tag: usize,
        of: usize,
    },
}

/// The number of a node in its tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct NodeIndex(usize);

/// A node of a decision tree.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Node {
    /// Nothing matches.
    Fail,
    /// A row matches.
    Leaf { row: usize, bindings: Vec<(VariableId, Occurrence)> },
    /// A test.
    Switch { occurrence: Occurrence, cases: Vec<(Constructor, NodeIndex)>, default: Option<NodeIndex> },
}

/// A decision tree. A node comes after its successors; the last is the root.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// A node.
    pub(super) fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.0]
    }

    /// The root.
    pub(super) fn root(&self) -> NodeIndex {
        NodeIndex(self.nodes.len() - 1)
    }

    /// The number of predecessors of each node.
    fn entries(&self) -> Vec<usize> {
        let mut entries = vec![0; self.nodes.len()];
        entries[self.root().0] = 1;
        for node in &self.nodes {
            if let Node::Switch { cases, default, .. } = node {
                cases.iter().map(|(_, next)| next).chain(default).for_each(|next| entries[next.0] += 1);
            }
        }
        entries
    }

    /// The number of edges to a failure.
    pub(super) fn failures(&self) -> usize {
        let entries = self.nodes.iter().zip(self.entries());
        entries.filter(|(node, _)| **node == Node::Fail).map(|(_, entries)| entries).sum()
    }

    /// The number of edges to a leaf of each of `rows` rows.
    pub(super) fn uses(&self, rows: usize) -> Vec<usize> {
        let mut counts = vec![0; rows];
        for (node, entries) in self.nodes.iter().zip(self.entries()) {
            if let Node::Leaf { row, .. } = node {
                counts[*row] += entries;
            }
        }
        counts
    }

    /// The tests with several predecessors, each after its successors.
    pub(super) fn shared(&self) -> Vec<NodeIndex> {
        let nodes = self.nodes.iter().zip(self.entries()).enumerate();
        nodes
            .filter(|(_, (node, entries))| *entries > 1 && matches!(node, Node::Switch { .. }))
            .map(|(index, _)| NodeIndex(index))
            .collect()
    }

    /// The variables that a row binds, in the order of all its leaves.
    pub(super) fn bound(&self, wanted: usize) -> Vec<VariableId> {
        let bindings = self.nodes.iter().find_map(|node| match node {
            Node::Leaf { row, bindings } if *row == wanted => Some(bindings),
            Node::Leaf { .. } | Node::Fail | Node::Switch { .. } => None,
        });
        bindings.into_iter().flatten().map(|(variable, _)| *variable).collect()
    }
}

/// A row: its remaining restrictions, and its bindings.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Row {
    index: usize,
    restricts: Vec<(Occurrence, PatternId)>,
    bindings: Vec<(VariableId, Occurrence)>,
}

/// The maximum number of rows examined for one tree, and of shared tests in it.
const MAX_ROWS: usize = 20_000;
const MAX_SHARED: usize = 500;

/// The tree for the patterns; `None` if it would be large.
pub(super) fn compile(psg: &Psg, patterns: &[PatternId]) -> Option<Tree> {
    let rows = patterns.iter().enumerate().map(|(index, pattern)| {
        let mut row = Row { index, restricts: Vec::new(), bindings: Vec::new() };
        row.restrict(psg, Occurrence::root(), *pattern);
        row
    });
    let mut compiler = Compiler { psg, nodes: Vec::new(), known: HashMap::default(), left: MAX_ROWS };
    compiler.node(rows.collect())?;
    let tree = Tree { nodes: compiler.nodes };
    (tree.shared().len() <= MAX_SHARED).then_some(tree)
}

impl Row {
    /// Adds the restrictions of a pattern at an occurrence, without tests that cannot fail.
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

    /// Expands those or-patterns that are `wanted`: one row per alternative. `None` if these are more than `left`.
    fn open(
        self,
        psg: &Psg,
        wanted: &dyn Fn(&Occurrence, PatternId) -> bool,
        left: &mut usize,
        opened: &mut Vec<Row>,
    ) -> Option<()> {
        let or = self.restricts.iter().position(|(place, pattern)| {
            matches!(psg.patterns[*pattern].kind, PatternKind::Or(..)) && wanted(place, *pattern)
        });
        let sides = or.map(|position| (position, &psg.patterns[self.restricts[position].1].kind));
        let Some((position, PatternKind::Or(first, second))) = sides else {
            *left = left.checked_sub(1)?;
            opened.push(self);
            return Some(());
        };
        for side in [first, second] {
            let mut row = self.clone();
            // The restrictions of an alternative replace the or-pattern, so that they are tested before those to its right.
            let after = row.restricts.split_off(position + 1);
            row.restricts.pop();
            row.restrict(psg, self.restricts[position].0.clone(), *side);
            row.restricts.extend(after);
            row.open(psg, wanted, left, opened)?;
        }
        Some(())
    }

    fn restricts_place(&self, occurrence: &Occurrence) -> bool {
        self.restricts.iter().any(|(place, _)| place == occurrence)
    }

    /// Specialises the row after a test has found a constructor; `None` if it can no longer match.
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

/// The constructor that a refutable pattern tests for.
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

/// Whether the constructors are complete.
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

/// Whether a pattern examines parts of a value without a test of the value itself.
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

/// Rows that can still match, without duplicates, and none after an irrefutable one.
fn needed(rows: Vec<Row>) -> Vec<Row> {
    let mut seen = HashSet::default();
    let mut needed = Vec::new();
    for row in rows {
        let is_last = row.restricts.is_empty();
        if seen.insert(row.clone()) {
            needed.push(row);
        }
        if is_last {
            break;
        }
    }
    needed
}

struct Compiler<'a> {
    psg: &'a Psg,
    nodes: Vec<Node>,
    /// The nodes of known rows.
    known: HashMap<Vec<Row>, NodeIndex>,
    /// The number of rows that may still be examined.
    left: usize,
}

impl Compiler<'_> {
    /// The node for some rows.
    fn node(&mut self, rows: Vec<Row>) -> Option<NodeIndex> {
        if let Some(known) = self.known.get(&rows) {
            return Some(*known);
        }
        let node = self.make(rows.clone())?;
        self.nodes.push(node);
        let index = NodeIndex(self.nodes.len() - 1);
        self.known.insert(rows, index);
        Some(index)
    }

    fn open(&mut self, rows: Vec<Row>, wanted: &dyn Fn(&Occurrence, PatternId) -> bool) -> Option<Vec<Row>> {
        let mut opened = Vec::new();
        for row in rows {
            row.open(self.psg, wanted, &mut self.left, &mut opened)?;
        }
        Some(needed(opened))
    }

    fn make(&mut self, closed: Vec<Row>) -> Option<Node> {
        let psg = self.psg;
        // An or-pattern that examines parts restricts other occurrences than its own, which must be known before one is chosen.
        let rows = self.open(closed, &|_, pattern| looks_inside(psg, pattern))?;
        let Some(first) = rows.first() else { return Some(Node::Fail) };
        let Some(occurrence) = busiest(first, &rows) else {
            let mut bindings = first.bindings.clone();
            bindings.sort_by_key(|(variable, _)| *variable);
            return Some(Node::Leaf { row: first.index, bindings });
        };
        let opened = self.open(rows, &|place, _| *place == occurrence)?;
        let mut found = Vec::new();
        for (_, pattern) in opened.iter().flat_map(|row| &row.restricts).filter(|(place, _)| *place == occurrence) {
            match constructor(psg, *pattern) {
                Some(constructor) if !found.contains(&constructor) => found.push(constructor),
                Some(_) | None => {}
            }
        }
        if found.is_empty() {
            return self.make(opened);
        }
        let mut cases = Vec::new();
        for constructor in &found {
            let rows = opened.iter().filter_map(|row| row.specialise(psg, &occurrence, *constructor)).collect();
            cases.push((*constructor, self.node(needed(rows))?));
        }
        let rest = || opened.iter().filter(|row| !row.restricts_place(&occurrence)).cloned().collect();
        let default = if complete(&found) { None } else { Some(self.node(needed(rest()))?) };
        Some(Node::Switch { occurrence, cases, default })
    }
}

/// The occurrence of a row that most rows restrict, the leftmost of several; `None` if the row restricts none.
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
