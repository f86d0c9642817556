//! Which nodes may be reused, once the regions are known: those in the regions of the nodes that take their memory.
//!
//! In: a program with its region summaries. Out: the program, where the rest of them are not reused. Invariant: a reused node
//! and all that it leads to are in the same regions as what it replaces, for each type within it. A variable that still
//! refers to the node, although it is not used any more, is kept up to date by evacuation like any other, so what it leads
//! to is valid: a loop that reuses nodes in a region that it cannot evacuate evacuates none.

use super::{constrain::solve, knowledge::Knowledge};
use clef_base::HashMap;
use clef_core::{Block, FunctionId, LocalId, Program, Rhs, StatementKind};
use std::collections::BTreeSet;

/// The nodes that would take the memory of others in other regions.
pub(super) fn apart(knowledge: &mut Knowledge<'_>) -> HashMap<FunctionId, BTreeSet<LocalId>> {
    let program = knowledge.program;
    let mut apart = HashMap::default();
    for (id, function) in program.functions.iter() {
        let sites = sites(&function.body);
        if sites.is_empty() {
            continue;
        }
        let mut solved = solve(knowledge, id);
        let different = sites.into_iter().filter(|site| !solved.are_together(site.node, site.made));
        apart.insert(id, different.map(|site| site.made).collect());
    }
    apart
}

/// Lets these nodes take no memory of others.
pub(super) fn remove(program: &mut Program, apart: &HashMap<FunctionId, BTreeSet<LocalId>>) {
    for (id, apart) in apart {
        program.functions[*id].body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                if let StatementKind::Let(made, Rhs::Inject { reuse, .. }) = &mut statement.kind
                    && apart.contains(made)
                {
                    *reuse = None;
                }
            }
        });
    }
}

/// Whether a block itself reuses nodes.
pub(super) fn reuses(block: &Block) -> bool {
    !sites(block).is_empty()
}

/// A node that may be reused.
pub(super) struct Site {
    pub(super) node: LocalId,
    /// The one that takes its memory.
    pub(super) made: LocalId,
    /// The case of both.
    pub(super) case: usize,
}

/// The nodes that may be reused in a block.
pub(super) fn sites(block: &Block) -> Vec<Site> {
    let mut sites = Vec::new();
    block.each_statement(&mut |statement| {
        if let StatementKind::Let(made, Rhs::Inject { case, reuse: Some(reuse), .. }) = &statement.kind {
            sites.extend(reuse.node.local().map(|node| Site { node, made: *made, case: *case }));
        }
    });
    sites
}
