//! Matches and destructuring: from patterns to the ends of blocks.
//!
//! The arms are split after each guard, and where their tree would be large. Each section becomes a decision tree ([`tree`]).
//! If its guard is false, or none of its patterns matches, control continues with the next section. No arm, guard or test is
//! duplicated: code that is reached from several places is a join.

mod tree;

use super::body::{Body, Position};
use clef_base::{Diagnostic, HashMap, HashSet, Span, codes, internal};
use clef_core::{Atom, Block, End, JoinId, Rhs, Trap};
use clef_psg::{Arm, Binding, Literal, NodeId, NodeKind, PatternId, PatternKind, Psg, VariableId};
use clef_types::{Intrinsic, Primitive, Type, TypeKind};
use std::cell::RefCell;
use tree::{Constructor, Node, NodeIndex, Occurrence, Step, Tree};

/// The parts of a scrutinee that are available in a block.
#[derive(Clone, Debug, Default)]
struct Known {
    atoms: HashMap<Occurrence, Atom>,
}

/// The continuation of a section that fails.
#[derive(Clone, Copy, Debug)]
enum Failure<'arms> {
    /// A jump to a join with the next sections.
    Jump(JoinId),
    /// The next sections, inlined: this is their only predecessor.
    Sections(&'arms [Section]),
}

/// Arms up to a guard.
#[derive(Clone, Debug)]
struct Section {
    arms: Vec<Arm>,
    tree: Tree,
}

/// The joins of a section: of arms, by their index, and of tests.
#[derive(Debug, Default)]
struct Joins {
    arms: RefCell<HashMap<usize, JoinId>>,
    tests: RefCell<HashMap<NodeIndex, JoinId>>,
}

/// The code at the leaves of a tree.
#[derive(Clone, Copy)]
enum Leaves<'a> {
    /// Arms.
    Arms(&'a Section, Failure<'a>),
    /// The values of the variables of the only row, as a tuple of this type if there are several.
    Values(Type),
}

/// The context shared by all parts of one match.
#[derive(Clone, Copy)]
struct Match {
    ty: Type,
    span: Span,
    position: Position,
}

/// Reports patterns with too many alternatives for a tree of useful size. No others are lowered.
pub(super) fn check(psg: &Psg) -> Vec<Diagnostic> {
    let parts: HashSet<PatternId> = psg.patterns.iter().flat_map(|(_, pattern)| pattern.kind.parts()).collect();
    let whole = psg.patterns.iter().filter(|(id, _)| !parts.contains(id));
    // A pattern without alternatives matches in one way.
    let choosing = whole.filter(|(id, _)| chooses(psg, *id));
    let many = choosing.filter(|(id, _)| tree::compile(psg, &[*id]).is_none());
    let report = many.map(|(_, pattern)| {
        Diagnostic::error(codes::TOO_MANY_WAYS, pattern.span, "this pattern has too many alternatives")
            .note("each `|` doubles them if its sides bind variables or match tuples")
            .help("bind the parts, and match each of them separately")
    });
    report.collect()
}

/// Whether a pattern contains an or-pattern.
fn chooses(psg: &Psg, pattern: PatternId) -> bool {
    let kind = &psg.patterns[pattern].kind;
    matches!(kind, PatternKind::Or(..)) || kind.parts().into_iter().any(|part| chooses(psg, part))
}

impl Section {
    /// The number of failures of the section: of its tree, and of its guard.
    fn failures(&self) -> usize {
        let guarded = self.arms.last().is_some_and(|arm| arm.guard.is_some());
        self.tree.failures() + usize::from(guarded)
    }
}

impl Body<'_, '_> {
    /// `match scrutinee with arms`, whose value is that of the block.
    pub(super) fn match_(&mut self, scrutinee: NodeId, arms: &[Arm], span: Span, position: Position) -> End {
        let mut sections = Vec::new();
        for arms in arms.split_inclusive(|arm| arm.guard.is_some()) {
            self.add_sections(arms, &mut sections);
        }
        let known = self.scrutinee(scrutinee);
        let ty = self.node_type(scrutinee);
        self.sections(&sections, &known, Match { ty, span, position })
    }

    /// Adds the sections of arms of which at most the last has a guard: one, or more if the tree would be large.
    fn add_sections(&mut self, arms: &[Arm], sections: &mut Vec<Section>) {
        let patterns: Vec<_> = arms.iter().map(|arm| arm.pattern).collect();
        if let Some(tree) = tree::compile(self.psg, &patterns) {
            sections.push(Section { arms: arms.to_vec(), tree });
        } else if let [arm] = arms {
            internal::bug(
                "lower",
                self.psg.patterns[arm.pattern].span,
                "a pattern with too many alternatives was not reported",
            );
        } else {
            let (first, second) = arms.split_at(arms.len() / 2);
            self.add_sections(first, sections);
            self.add_sections(second, sections);
        }
    }

    /// Evaluates the scrutinee. Of a tuple expression, only the components are needed.
    fn scrutinee(&mut self, node: NodeId) -> Known {
        let mut known = Known::default();
        if let NodeKind::Tuple(parts) = &self.psg.nodes[node].kind {
            for (index, atom) in self.values(parts).into_iter().enumerate() {
                known.atoms.insert(Occurrence::root().then(Step::Component(index)), atom);
            }
        } else {
            let atom = self.value(node);
            known.atoms.insert(Occurrence::root(), atom);
        }
        known
    }

    fn sections(&mut self, sections: &[Section], known: &Known, of: Match) -> End {
        let Some((section, rest)) = sections.split_first() else {
            return End::Trap(Trap::NoMatch, of.span.into());
        };
        if section.failures() <= 1 {
            return self.shared_arms(section, Failure::Sections(rest), known, of);
        }
        self.join(
            Vec::new(),
            |this| this.sections(rest, known, of),
            |this, id| this.shared_arms(section, Failure::Jump(id), known, of),
        )
    }

    fn fail(&mut self, failure: Failure<'_>, known: &Known, of: Match) -> End {
        match failure {
            Failure::Jump(id) => End::Jump(id, Vec::new()),
            Failure::Sections(rest) => self.sections(rest, known, of),
        }
    }

    /// Creates joins for the arms and the tests that the tree reaches more than once.
    fn shared_arms(&mut self, section: &Section, failure: Failure<'_>, known: &Known, of: Match) -> End {
        let uses = section.tree.uses(section.arms.len());
        let shared = (0..section.arms.len()).filter(|arm| uses[*arm] > 1).collect::<Vec<_>>();
        self.arm_joins(section, &shared, &Joins::default(), failure, known, of)
    }

    fn arm_joins(
        &mut self,
        section: &Section,
        shared: &[usize],
        joins: &Joins,
        failure: Failure<'_>,
        known: &Known,
        of: Match,
    ) -> End {
        let Some((&arm, rest)) = shared.split_first() else {
            let tests = section.tree.shared();
            return self.test_joins(&section.tree, &tests, joins, Leaves::Arms(section, failure), known, of);
        };
        let bound = section.tree.bound(arm);
        let mut params = Vec::new();
        for variable in &bound {
            let data = &self.psg.variables[*variable];
            let ty = self.mono(data.ty);
            params.push(self.local(data.name.as_str(), ty, data.span));
        }
        let values: Vec<_> = bound.into_iter().zip(params.iter().copied().map(Atom::Local)).collect();
        self.join(
            params,
            |this| this.arm(section.arms[arm], values, failure, known, of),
            |this, id| {
                joins.arms.borrow_mut().insert(arm, id);
                this.arm_joins(section, rest, joins, failure, known, of)
            },
        )
    }

    /// Creates joins for `shared` tests, each within the scope of its successors, and starts at the root.
    fn test_joins(
        &mut self,
        tree: &Tree,
        shared: &[NodeIndex],
        joins: &Joins,
        leaves: Leaves<'_>,
        known: &Known,
        of: Match,
    ) -> End {
        let Some((&test, rest)) = shared.split_first() else {
            return self.tree(tree, tree.root(), joins, leaves, &mut known.clone(), of);
        };
        self.join(
            Vec::new(),
            |this| this.tree(tree, test, joins, leaves, &mut known.clone(), of),
            |this, id| {
                joins.tests.borrow_mut().insert(test, id);
                this.test_joins(tree, rest, joins, leaves, known, of)
            },
        )
    }

    /// An arm whose pattern has matched.
    fn arm(
        &mut self,
        arm: Arm,
        values: Vec<(VariableId, Atom)>,
        failure: Failure<'_>,
        known: &Known,
        of: Match,
    ) -> End {
        for (variable, value) in values {
            self.bind_variable(variable, value);
        }
        let Some(guard) = arm.guard else { return self.end(arm.body, of.position) };
        let condition = self.value(guard);
        self.if_(condition, |this| this.end(arm.body, of.position), |this| this.fail(failure, known, of))
    }

    /// The code of a tree from a node on.
    fn tree(
        &mut self,
        tree: &Tree,
        at: NodeIndex,
        joins: &Joins,
        leaves: Leaves<'_>,
        known: &mut Known,
        of: Match,
    ) -> End {
        let join = joins.tests.borrow().get(&at).copied();
        if let Some(join) = join {
            return End::Jump(join, Vec::new());
        }
        match tree.node(at) {
            Node::Fail => match leaves {
                Leaves::Arms(_, failure) => self.fail(failure, known, of),
                Leaves::Values(_) => End::Trap(Trap::NoMatch, of.span.into()),
            },
            Node::Leaf { row, bindings } => {
                let mut values = Vec::new();
                for (variable, occurrence) in bindings {
                    values.push((*variable, self.occurrence(occurrence, known, of)));
                }
                self.leaf(*row, values, joins, leaves, known, of)
            }
            Node::Switch { occurrence, cases, default } => {
                let value = self.occurrence(occurrence, known, of);
                let branch = |this: &mut Self, next: NodeIndex| {
                    let mut known = known.clone();
                    this.block(|this| this.tree(tree, next, joins, leaves, &mut known, of))
                };
                self.switch(&value, cases, *default, branch, of)
            }
        }
    }

    /// A leaf: a row has matched, with values for its variables.
    fn leaf(
        &mut self,
        row: usize,
        values: Vec<(VariableId, Atom)>,
        joins: &Joins,
        leaves: Leaves<'_>,
        known: &Known,
        of: Match,
    ) -> End {
        let mut atoms = values.iter().map(|(_, atom)| atom.clone());
        match leaves {
            Leaves::Arms(section, failure) => {
                let join = joins.arms.borrow().get(&row).copied();
                match join {
                    Some(join) => End::Jump(join, atoms.collect()),
                    None => self.arm(section.arms[row], values, failure, known, of),
                }
            }
            Leaves::Values(ty) => match values.len() {
                0 => End::Yield(Atom::Unit),
                1 => End::Yield(atoms.next().unwrap_or(Atom::Unit)),
                _ => {
                    let tuple = Rhs::Tuple(atoms.collect());
                    End::Yield(self.bind(tuple, ty, of.span))
                }
            },
        }
    }

    /// Branches on the constructor of a value.
    fn switch(
        &mut self,
        value: &Atom,
        cases: &[(Constructor, NodeIndex)],
        default: Option<NodeIndex>,
        mut branch: impl FnMut(&mut Self, NodeIndex) -> Block,
        of: Match,
    ) -> End {
        let Some((first, _)) = cases.first() else { internal::bug("lower", of.span, "a decision without cases") };
        match first {
            Constructor::Bool(_) => {
                let mut side = |wanted: bool| {
                    let case = cases.iter().find(|(constructor, _)| *constructor == Constructor::Bool(wanted));
                    match case.map(|(_, next)| *next).or(default) {
                        Some(next) => Box::new(branch(self, next)),
                        None => internal::bug("lower", of.span, "a decision on a boolean lacks a branch"),
                    }
                };
                End::If { condition: value.clone(), then: side(true), otherwise: side(false) }
            }
            Constructor::Integer(_) | Constructor::Char(_) | Constructor::Length(_) | Constructor::Case { .. } => {
                let int = self.lowering.int();
                let scrutinee = match first {
                    Constructor::Case { .. } => self.bind(Rhs::Tag(value.clone()), int, of.span),
                    Constructor::Length(_) => self.array_length(value.clone(), of.span),
                    Constructor::Integer(_)
                    | Constructor::Char(_)
                    | Constructor::Bool(_)
                    | Constructor::Float(_)
                    | Constructor::String(_) => value.clone(),
                };
                let cases = cases.iter().map(|(constructor, next)| {
                    let number = match constructor {
                        Constructor::Integer(value) => *value,
                        Constructor::Char(value) => i128::from(u32::from(*value)),
                        Constructor::Case { tag, .. } => *tag as i128,
                        Constructor::Length(length) => *length as i128,
                        Constructor::Bool(_) | Constructor::Float(_) | Constructor::String(_) => {
                            internal::bug("lower", of.span, "a decision on values of two kinds")
                        }
                    };
                    (number, branch(self, *next))
                });
                let cases = cases.collect();
                let default = default.map(|next| Box::new(branch(self, next)));
                End::Switch { scrutinee, cases, default }
            }
            Constructor::Float(_) | Constructor::String(_) => self.equality_chain(value, cases, default, branch, of),
        }
    }

    /// Compares with one constant after another.
    fn equality_chain(
        &mut self,
        value: &Atom,
        cases: &[(Constructor, NodeIndex)],
        default: Option<NodeIndex>,
        mut branch: impl FnMut(&mut Self, NodeIndex) -> Block,
        of: Match,
    ) -> End {
        let bool = self.lowering.bool();
        let ty = self.type_of(value);
        let mut conditions = Vec::new();
        let Some(default) = default else {
            internal::bug("lower", of.span, "a decision on constants without a default")
        };
        let mut otherwise = branch(self, default);
        for (constructor, next) in cases {
            let literal = match constructor {
                Constructor::Float(bits) => Literal::Float(f64::from_bits(*bits)),
                Constructor::String(text) => Literal::String(*text),
                Constructor::Bool(_)
                | Constructor::Integer(_)
                | Constructor::Char(_)
                | Constructor::Length(_)
                | Constructor::Case { .. } => internal::bug("lower", of.span, "a decision on values of two kinds"),
            };
            let constant = self.literal(&literal, ty);
            conditions.push((constant, branch(self, *next)));
        }
        // From the last test to the first, each nested in the block of the previous one.
        for (constant, then) in conditions.into_iter().rev() {
            let block = self.block(|this| {
                let rhs = Rhs::Primitive(Primitive::Equal, vec![value.clone(), constant]);
                let condition = this.bind(rhs, bool, of.span);
                End::If { condition, then: Box::new(then), otherwise: Box::new(otherwise) }
            });
            otherwise = block;
        }
        self.builder.append(otherwise)
    }

    /// The part of the scrutinee at an occurrence.
    fn occurrence(&mut self, occurrence: &Occurrence, known: &mut Known, of: Match) -> Atom {
        if let Some(atom) = known.atoms.get(occurrence) {
            return atom.clone();
        }
        let ty = self.occurrence_type(occurrence, of);
        let rhs = match occurrence.split() {
            Some((parent, step)) => {
                let value = self.occurrence(&parent, known, of);
                match step {
                    Step::Component(index) => Rhs::Component(value, index),
                    Step::Element(index) => {
                        let arguments = vec![value, self.integer(index as i128)];
                        Rhs::Intrinsic { intrinsic: Intrinsic::ArrayGet, arguments, allocation: None }
                    }
                    Step::Field { case, field } => Rhs::Field { value, case: case.1, field },
                }
            }
            // A tuple expression as the scrutinee that is needed as a whole after all.
            None => {
                let TypeKind::Tuple(parts) = self.kind(ty) else {
                    internal::bug("lower", of.span, "the scrutinee is not available")
                };
                let parts = (0..parts.len()).map(|index| Occurrence::root().then(Step::Component(index)));
                Rhs::Tuple(parts.filter_map(|part| known.atoms.get(&part).cloned()).collect())
            }
        };
        let atom = self.bind(rhs, ty, of.span);
        known.atoms.insert(occurrence.clone(), atom.clone());
        atom
    }

    fn occurrence_type(&mut self, occurrence: &Occurrence, of: Match) -> Type {
        let Some((parent, step)) = occurrence.split() else { return of.ty };
        let parent = self.occurrence_type(&parent, of);
        let part = match step {
            Step::Component(index) => {
                if let TypeKind::Tuple(parts) = self.kind(parent) {
                    parts.get(index).copied()
                } else {
                    None
                }
            }
            Step::Element(_) => {
                if let TypeKind::Array(of) = self.kind(parent) {
                    Some(*of)
                } else {
                    None
                }
            }
            Step::Field { case, field } => self.lowering.case_fields(case.0, parent).fields.get(field).copied(),
        };
        match part {
            Some(part) => part,
            None => internal::bug("lower", of.span, "a pattern has a part that its type does not have"),
        }
    }

    /// `let pattern = value`, in the current block.
    pub(super) fn destructure(&mut self, binding: Binding) {
        let pattern = &self.psg.patterns[binding.pattern];
        match pattern.kind {
            PatternKind::Variable(variable) => {
                let value = self.value(binding.value);
                self.bind_variable(variable, value);
            }
            PatternKind::Wildcard => self.effect(binding.value),
            PatternKind::Literal(_)
            | PatternKind::Tuple(_)
            | PatternKind::Array(_)
            | PatternKind::Case { .. }
            | PatternKind::As(..)
            | PatternKind::Or(..)
            | PatternKind::And(..) => {
                let of = Match { ty: self.node_type(binding.value), span: pattern.span, position: Position::Scope };
                let known = self.scrutinee(binding.value);
                let values = self.destructured_values(binding, known, of);
                for (variable, value) in values {
                    self.bind_variable(variable, value);
                }
            }
        }
    }

    /// The value of one variable of a binding.
    pub(super) fn destructured(&mut self, binding: Binding, variable: VariableId) -> Atom {
        let span = self.psg.patterns[binding.pattern].span;
        let of = Match { ty: self.node_type(binding.value), span, position: Position::Scope };
        let known = self.scrutinee(binding.value);
        let values = self.destructured_values(binding, known, of);
        match values.into_iter().find(|(bound, _)| *bound == variable) {
            Some((_, value)) => value,
            None => internal::bug("lower", span, "a pattern does not bind its variable"),
        }
    }

    fn destructured_values(&mut self, binding: Binding, mut known: Known, of: Match) -> Vec<(VariableId, Atom)> {
        let Some(tree) = tree::compile(self.psg, &[binding.pattern]) else {
            internal::bug("lower", of.span, "a pattern with too many alternatives was not reported")
        };
        if let Node::Leaf { bindings, .. } = tree.node(tree.root()) {
            return bindings
                .iter()
                .map(|(variable, occurrence)| (*variable, self.occurrence(occurrence, &mut known, of)))
                .collect();
        }
        // The pattern may fail: a scope yields the values of its variables, as a tuple if there are several.
        let bound = tree.bound(0);
        let types: Vec<_> = bound.iter().map(|variable| self.mono(self.psg.variables[*variable].ty)).collect();
        let ty = match types.as_slice() {
            [] => self.lowering.unit(),
            [only] => *only,
            _ => self.lowering.types.intern(TypeKind::Tuple(types.clone())),
        };
        let shared = tree.shared();
        let value = self.scope(ty, of.span, |this| {
            this.test_joins(&tree, &shared, &Joins::default(), Leaves::Values(ty), &known, of)
        });
        if bound.len() <= 1 {
            return bound.into_iter().map(|variable| (variable, value.clone())).collect();
        }
        let parts = bound.into_iter().zip(types).enumerate();
        parts
            .map(|(index, (variable, ty))| (variable, self.bind(Rhs::Component(value.clone(), index), ty, of.span)))
            .collect()
    }
}
