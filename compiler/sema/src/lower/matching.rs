//! Matches and destructuring: from patterns to the ends of blocks.
//!
//! The arms are cut behind each guard. Each section becomes a decision tree ([`tree`]); where its guard is false, or none
//! of its patterns matches, the next section goes on, so that no arm and no guard is ever written twice: what is reached
//! from several places is a join.

mod tree;

use super::body::{Body, Position};
use crate::{
    core::{Atom, Block, End, JoinId, Rhs, Trap},
    intrinsic::Intrinsic,
    primitive::Primitive,
    psg::{Arm, Binding, Literal, NodeId, NodeKind, PatternKind, VariableId},
    types::{Type, TypeKind},
};
use clef_base::{Span, internal};
use std::collections::HashMap;
use tree::{Constructor, Occurrence, Step, Tree};

/// The parts of a scrutinee that are at hand, in a block.
#[derive(Clone, Debug, Default)]
struct Known {
    atoms: HashMap<Occurrence, Atom>,
}

/// Where to go from a section.
#[derive(Clone, Copy, Debug)]
enum Failure<'arms> {
    /// To a join that holds the next sections.
    Jump(JoinId),
    /// Right into the next sections, whose only way in this is.
    Sections(&'arms [Section]),
}

/// Arms up to a guard.
#[derive(Clone, Debug)]
struct Section {
    arms: Vec<Arm>,
    tree: Tree,
}

/// What all parts of one match share.
#[derive(Clone, Copy)]
struct Match {
    ty: Type,
    span: Span,
    position: Position,
}

impl Section {
    /// How often the section fails: its tree, or its guard.
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
            let patterns: Vec<_> = arms.iter().map(|arm| arm.pattern).collect();
            sections.push(Section { arms: arms.to_vec(), tree: tree::compile(self.psg, &patterns) });
        }
        let known = self.scrutinee(scrutinee);
        let ty = self.node_type(scrutinee);
        self.sections(&sections, &known, Match { ty, span, position })
    }

    /// Evaluates what is looked at. Of a tuple that is written there, the components are enough.
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
            return End::Trap(Trap::NoMatch, of.span);
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

    /// Makes joins for the arms that the tree reaches more than once.
    fn shared_arms(&mut self, section: &Section, failure: Failure<'_>, known: &Known, of: Match) -> End {
        let uses = section.tree.uses(section.arms.len());
        let shared = (0..section.arms.len()).filter(|arm| uses[*arm] > 1).collect::<Vec<_>>();
        self.arm_joins(section, &shared, &mut HashMap::new(), failure, known, of)
    }

    fn arm_joins(
        &mut self,
        section: &Section,
        shared: &[usize],
        joins: &mut HashMap<usize, JoinId>,
        failure: Failure<'_>,
        known: &Known,
        of: Match,
    ) -> End {
        let Some((&arm, rest)) = shared.split_first() else {
            return self.tree(&section.tree, section, joins, failure, &mut known.clone(), of);
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
                joins.insert(arm, id);
                this.arm_joins(section, rest, joins, failure, known, of)
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

    fn tree(
        &mut self,
        tree: &Tree,
        section: &Section,
        joins: &HashMap<usize, JoinId>,
        failure: Failure<'_>,
        known: &mut Known,
        of: Match,
    ) -> End {
        match tree {
            Tree::Fail => self.fail(failure, known, of),
            Tree::Leaf { row, bindings } => {
                let mut values = Vec::new();
                for (variable, occurrence) in bindings {
                    values.push((*variable, self.occurrence(occurrence, known, of)));
                }
                match joins.get(row) {
                    Some(join) => End::Jump(*join, values.into_iter().map(|(_, atom)| atom).collect()),
                    None => self.arm(section.arms[*row], values, failure, known, of),
                }
            }
            Tree::Switch { occurrence, cases, default } => {
                let value = self.occurrence(occurrence, known, of);
                let branch = |this: &mut Self, tree: &Tree| {
                    let mut known = known.clone();
                    this.block(|this| this.tree(tree, section, joins, failure, &mut known, of))
                };
                self.switch(&value, cases, default.as_deref(), branch, of)
            }
        }
    }

    /// Branches on the constructor of a value.
    fn switch(
        &mut self,
        value: &Atom,
        cases: &[(Constructor, Tree)],
        default: Option<&Tree>,
        mut branch: impl FnMut(&mut Self, &Tree) -> Block,
        of: Match,
    ) -> End {
        let Some((first, _)) = cases.first() else { internal::bug("lower", of.span, "a decision without cases") };
        match first {
            Constructor::Bool(_) => {
                let mut side = |wanted: bool| {
                    let case = cases.iter().find(|(constructor, _)| *constructor == Constructor::Bool(wanted));
                    match case.map(|(_, tree)| tree).or(default) {
                        Some(tree) => Box::new(branch(self, tree)),
                        None => internal::bug("lower", of.span, "a decision on a truth value lacks a side"),
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
                let cases = cases.iter().map(|(constructor, tree)| {
                    let number = match constructor {
                        Constructor::Integer(value) => *value,
                        Constructor::Char(value) => i128::from(u32::from(*value)),
                        Constructor::Case { tag, .. } => *tag as i128,
                        Constructor::Length(length) => *length as i128,
                        Constructor::Bool(_) | Constructor::Float(_) | Constructor::String(_) => {
                            internal::bug("lower", of.span, "a decision on values of two kinds")
                        }
                    };
                    (number, branch(self, tree))
                });
                let cases = cases.collect();
                let default = default.map(|tree| Box::new(branch(self, tree)));
                End::Switch { scrutinee, cases, default }
            }
            Constructor::Float(_) | Constructor::String(_) => self.equality_chain(value, cases, default, branch, of),
        }
    }

    /// Compares with one constant after another.
    fn equality_chain(
        &mut self,
        value: &Atom,
        cases: &[(Constructor, Tree)],
        default: Option<&Tree>,
        mut branch: impl FnMut(&mut Self, &Tree) -> Block,
        of: Match,
    ) -> End {
        let bool = self.lowering.bool();
        let ty = self.type_of(value);
        let mut conditions = Vec::new();
        let Some(default) = default else {
            internal::bug("lower", of.span, "a decision on constants without a default")
        };
        let mut otherwise = branch(self, default);
        for (constructor, tree) in cases {
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
            conditions.push((constant, branch(self, tree)));
        }
        // From the last test to the first, each within the block of the one before.
        for (constant, then) in conditions.into_iter().rev() {
            let block = self.block(|this| {
                let rhs = Rhs::Primitive(Primitive::Equal, vec![value.clone(), constant]);
                let condition = this.bind(rhs, bool, of.span);
                End::If { condition, then: Box::new(then), otherwise: Box::new(otherwise) }
            });
            otherwise = block;
        }
        self.statements.extend(otherwise.statements);
        otherwise.end
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
            // A tuple that was written as the scrutinee, and is needed as a whole after all.
            None => {
                let TypeKind::Tuple(parts) = self.kind(ty) else {
                    internal::bug("lower", of.span, "the scrutinee is not at hand")
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
            None => internal::bug("lower", of.span, "a pattern has a part that its type has not"),
        }
    }

    /// `let pattern = value`, in the open block.
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
        let tree = tree::compile(self.psg, &[binding.pattern]);
        if let Tree::Leaf { bindings, .. } = &tree {
            return bindings
                .iter()
                .map(|(variable, occurrence)| (*variable, self.occurrence(occurrence, &mut known, of)))
                .collect();
        }
        // The pattern may fail: a scope gives the values of its variables, as a tuple if there are several.
        let bound = tree.bound(0);
        let types: Vec<_> = bound.iter().map(|variable| self.mono(self.psg.variables[*variable].ty)).collect();
        let ty = match types.as_slice() {
            [] => self.lowering.unit(),
            [only] => *only,
            _ => self.lowering.types.intern(TypeKind::Tuple(types.clone())),
        };
        let value = self.scope(ty, of.span, |this| this.refutable(&tree, &mut known, ty, of));
        if bound.len() <= 1 {
            return bound.into_iter().map(|variable| (variable, value.clone())).collect();
        }
        let parts = bound.into_iter().zip(types).enumerate();
        parts
            .map(|(index, (variable, ty))| (variable, self.bind(Rhs::Component(value.clone(), index), ty, of.span)))
            .collect()
    }

    /// The end of the scope of a pattern that may fail.
    fn refutable(&mut self, tree: &Tree, known: &mut Known, ty: Type, of: Match) -> End {
        match tree {
            Tree::Fail => End::Trap(Trap::NoMatch, of.span),
            Tree::Leaf { bindings, .. } => {
                let mut atoms = Vec::new();
                for (_, occurrence) in bindings {
                    atoms.push(self.occurrence(occurrence, known, of));
                }
                match atoms.len() {
                    0 => End::Yield(Atom::Unit),
                    1 => End::Yield(atoms.remove(0)),
                    _ => End::Yield(self.bind(Rhs::Tuple(atoms), ty, of.span)),
                }
            }
            Tree::Switch { occurrence, cases, default } => {
                let value = self.occurrence(occurrence, known, of);
                let branch = |this: &mut Self, tree: &Tree| {
                    let mut known = known.clone();
                    this.block(|this| this.refutable(tree, &mut known, ty, of))
                };
                self.switch(&value, cases, default.as_deref(), branch, of)
            }
        }
    }
}
