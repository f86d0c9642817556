//! Moves the arms of a match to where its case is decided.
//!
//! A scope whose value is tested at once, `match (if c then Some e else None) with …`, is continued by the arms themselves:
//! the value is not made, and a loop that asks for the next element of a sequence shows where the sequence ends.
//!
//! Condition: each end of the scope yields a known case or a constant, and no arm is copied that does anything.

use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, End, Function, LocalId, Program, Rhs, StatementKind};

/// Moves the arms in every function.
pub(super) fn place(program: &mut Program) {
    for function in program.functions.values_mut() {
        if !has_candidate(function) {
            continue;
        }
        let mut uses = HashMap::default();
        function.body.each_atom(&mut |atom| {
            if let Some(local) = atom.local() {
                *uses.entry(local).or_insert(0) += 1;
            }
        });
        function.body.each_mut(&mut |block| while place_in(block, &uses) {});
    }
}

fn has_candidate(function: &Function) -> bool {
    let mut found = false;
    function.body.each(&mut |block| found |= tested(block).is_some());
    found
}

/// A scope whose value is tested at the end of its block.
struct Tested {
    /// The index of its statement.
    scope: usize,
    /// Its value.
    value: LocalId,
    /// The tag of the value, if that is what is tested.
    tag: Option<LocalId>,
}

fn tested(block: &Block) -> Option<Tested> {
    let scope = |index: Option<usize>, wanted: &Atom| {
        let index = index?;
        let StatementKind::Let(value, Rhs::Scope(_)) = &block.statements[index].kind else { return None };
        (wanted.local() == Some(*value)).then_some((index, *value))
    };
    let last = block.statements.len().checked_sub(1);
    if let End::If { condition, .. } = &block.end {
        let (scope, value) = scope(last, condition)?;
        return Some(Tested { scope, value, tag: None });
    }
    let End::Switch { scrutinee, .. } = &block.end else { return None };
    let StatementKind::Let(tag, Rhs::Tag(of)) = &block.statements[last?].kind else { return None };
    let (scope, value) = scope(last?.checked_sub(1), of)?;
    (scrutinee.local() == Some(*tag)).then_some(Tested { scope, value, tag: Some(*tag) })
}

/// Moves the arms of the match that a block ends with.
fn place_in(block: &mut Block, uses: &HashMap<LocalId, usize>) -> bool {
    let Some(Tested { scope, value, tag }) = tested(block) else { return false };
    let Some(Rhs::Scope(inner)) = block.statements[scope].rhs() else { return false };
    let mut chosen = Vec::new();
    let is_known =
        leaves(inner, &mut |leaf| match arm_of(leaf, tag.is_some()).filter(|case| arm(&block.end, *case).is_some()) {
            Some(case) => {
                chosen.push(case);
                true
            }
            None => false,
        });
    if !is_known || tag.is_some_and(|tag| uses.get(&tag) != Some(&1)) || !are_placed_once(&block.end, &chosen) {
        return false;
    }
    let mut end = std::mem::replace(&mut block.end, End::Yield(Atom::Unit));
    // The test is one use.
    let is_used = uses.get(&value) != Some(&1);
    let mut removed = block.statements.split_off(scope);
    let StatementKind::Let(_, Rhs::Scope(inner)) = &mut removed[0].kind else { return false };
    let inner = std::mem::replace(&mut **inner, Block::empty());
    block.statements.extend(inner.statements);
    block.end = inner.end;
    at_leaves(block, &mut |leaf| {
        let Some(arm) = arm_of(leaf, tag.is_some()).and_then(|case| arm_mut(&mut end, case)) else { return };
        let mut arm = if is_value(arm) { arm.clone() } else { std::mem::replace(arm, Block::empty()) };
        let End::Yield(known) = std::mem::replace(&mut leaf.end, End::Yield(Atom::Unit)) else { return };
        if is_used {
            arm.each_atom_mut(&mut |atom| {
                if atom.local() == Some(value) {
                    *atom = known.clone();
                }
            });
        }
        leaf.statements.append(&mut arm.statements);
        leaf.end = arm.end;
    });
    true
}

/// The tag or the boolean that a leaf yields, if it is known.
fn arm_of(leaf: &Block, by_tag: bool) -> Option<i128> {
    let End::Yield(yielded) = &leaf.end else { return None };
    if !by_tag {
        return if let Atom::Bool(value) = yielded { Some(i128::from(*value)) } else { None };
    }
    let value = yielded.local()?;
    leaf.statements.iter().rev().find_map(|statement| {
        let StatementKind::Let(local, Rhs::Inject { case, .. }) = &statement.kind else { return None };
        (*local == value).then_some(*case as i128)
    })
}

/// The arm of a conditional for a value.
fn arm(end: &End, value: i128) -> Option<&Block> {
    if let End::If { then, otherwise, .. } = end {
        return Some(if value == 1 { then } else { otherwise });
    }
    let End::Switch { cases, default, .. } = end else { return None };
    let listed = cases.iter().find(|(case, _)| *case == value).map(|(_, block)| block);
    listed.or(default.as_deref())
}

/// The same, to take the arm or to copy it.
fn arm_mut(end: &mut End, value: i128) -> Option<&mut Block> {
    if let End::If { then, otherwise, .. } = end {
        return Some(if value == 1 { then } else { otherwise });
    }
    let End::Switch { cases, default, .. } = end else { return None };
    let listed = cases.iter_mut().find(|(case, _)| *case == value).map(|(_, block)| block);
    listed.or(default.as_deref_mut())
}

/// Whether an arm does nothing, so that it may be copied.
fn is_value(arm: &Block) -> bool {
    arm.statements.is_empty() && matches!(&arm.end, End::Yield(_))
}

/// Whether no arm that does anything is chosen twice.
fn are_placed_once(end: &End, chosen: &[i128]) -> bool {
    let mut placed = HashSet::default();
    chosen
        .iter()
        .filter_map(|value| arm(end, *value))
        .all(|arm| is_value(arm) || placed.insert(std::ptr::from_ref(arm)))
}

/// Whether a condition holds for each block with which a scope ends.
fn leaves(block: &Block, is_fit: &mut dyn FnMut(&Block) -> bool) -> bool {
    if let End::Yield(_) = &block.end {
        return is_fit(block);
    }
    block.end.blocks().into_iter().all(|inner| leaves(inner, is_fit))
}

/// Visits each block with which a scope ends.
fn at_leaves(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    if let End::Yield(_) = &block.end {
        visit(block);
    } else {
        block.end.blocks_mut().into_iter().for_each(|inner| at_leaves(inner, visit));
    }
}
