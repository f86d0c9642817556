//! What a function still uses after each of its calls.
//!
//! In: a function, the locals that matter, and the callees of calls. Out: its calls, each with the locals that are live after
//! it: bound before, and used on some path from there. What a live local points to has not ended, so that evacuation may follow
//! it. Liveness is computed backwards over the tree of blocks; whatever a loop uses of what was bound before it is live
//! throughout the loop.

use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, Call, End, Function, FunctionId, JoinId, LocalId, Rhs, Statement, StatementKind};
use std::collections::BTreeSet;

/// A call.
pub(super) struct CallSite {
    /// The functions that it may reach.
    pub(super) callees: Vec<FunctionId>,
    /// The local of its result; `None` for a tail call.
    pub(super) result: Option<LocalId>,
    pub(super) live: BTreeSet<LocalId>,
}

/// The calls of a function. Only `followed` locals are tracked, so that the sets stay small.
pub(super) fn calls(
    function: &Function,
    followed: &HashSet<LocalId>,
    reached: &dyn Fn(&Call) -> Vec<FunctionId>,
) -> Vec<CallSite> {
    let mut liveness = Liveness { followed, reached, calls: Vec::new(), joins: HashMap::default() };
    liveness.block(&function.body, &BTreeSet::new());
    liveness.calls
}

type Live = BTreeSet<LocalId>;

struct Liveness<'a> {
    followed: &'a HashSet<LocalId>,
    reached: &'a dyn Fn(&Call) -> Vec<FunctionId>,
    calls: Vec<CallSite>,
    /// The live locals at the beginning of each join.
    joins: HashMap<JoinId, Live>,
}

impl Liveness<'_> {
    /// The live locals before a block, from those after it has yielded.
    fn block(&mut self, block: &Block, after: &Live) -> Live {
        let mut live = self.end(&block.end, after);
        for statement in block.statements.iter().rev() {
            self.statement(statement, &mut live);
        }
        live
    }

    fn end(&mut self, end: &End, after: &Live) -> Live {
        let mut live = match end {
            End::Yield(_) => after.clone(),
            End::Jump(join, _) => self.joins.get(join).cloned().unwrap_or_default(),
            End::Join { join, scope } => {
                let mut body = self.block(&join.body, after);
                join.params.iter().for_each(|param| {
                    body.remove(param);
                });
                self.joins.insert(join.id, body);
                self.block(scope, after)
            }
            End::TailCall { call, .. } => {
                self.call(call, None, &Live::new());
                Live::new()
            }
            End::If { .. } | End::Switch { .. } => {
                end.blocks().into_iter().flat_map(|block| self.block(block, after)).collect()
            }
            End::Continue(_) | End::Trap(..) => Live::new(),
        };
        end.atoms(&mut |atom| live.extend(self.local(atom)));
        live
    }

    fn statement(&mut self, statement: &Statement, live: &mut Live) {
        for local in statement.bound() {
            live.remove(&local);
        }
        if let StatementKind::Let(local, rhs) = &statement.kind {
            if let Rhs::Call(call) = rhs {
                self.call(call, Some(*local), live);
            }
            if let Rhs::While { condition, body } = rhs {
                for block in [condition, body] {
                    live.extend(self.used_from_outside(block));
                }
                self.block(body, live);
                self.block(condition, live);
            } else {
                let blocks = rhs.blocks();
                *live = blocks.iter().fold(live.clone(), |live, block| self.block(block, &live));
            }
        }
        statement.atoms(&mut |atom| live.extend(self.local(atom)));
    }

    /// The local that an atom uses, if it is followed.
    fn local(&self, atom: &Atom) -> Option<LocalId> {
        atom.local().filter(|local| self.followed.contains(local))
    }

    /// The locals that a block uses and that are bound outside of it.
    fn used_from_outside(&self, block: &Block) -> Live {
        let mut used = Live::new();
        block.each_atom(&mut |atom| used.extend(self.local(atom)));
        block.each(&mut |block| {
            for local in block.statements.iter().flat_map(Statement::bound) {
                used.remove(&local);
            }
            if let End::Join { join, .. } = &block.end {
                used.retain(|local| !join.params.contains(local));
            }
        });
        used
    }

    fn call(&mut self, call: &Call, result: Option<LocalId>, live: &Live) {
        self.calls.push(CallSite { callees: (self.reached)(call), result, live: live.clone() });
    }
}
