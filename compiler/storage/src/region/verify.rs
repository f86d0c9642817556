//! Independently checks the regions of one function.
//!
//! In: a function with its handles, the region of each of its allocations, and which locals may point into which
//! region. Out: the first violation of: each region begins once and ends once on each path; a region has begun and not
//! ended where its handle is used, something is allocated in it, or a local that may point into it is used.

use super::scope::Holders;
use clef_base::HashMap;
use clef_core::{AllocationId, Atom, Block, End, Function, JoinId, LocalId, Region, Rhs, Statement, StatementKind};
use clef_types::Type;
use std::collections::BTreeSet;

/// Checks a function.
pub(super) fn verify(
    function: &Function,
    allocations: &HashMap<AllocationId, Region>,
    holders: &Holders,
    handle: Type,
) -> Result<(), String> {
    let given = function.regions.iter().chain(function.captures()).copied().collect();
    let mut verifier = Verifier { function, allocations, holders, handle, given, joins: HashMap::default() };
    verifier.block(&function.body, BTreeSet::new())
}

/// The regions that have begun and not ended.
type Live = BTreeSet<LocalId>;

struct Verifier<'a> {
    function: &'a Function,
    allocations: &'a HashMap<AllocationId, Region>,
    holders: &'a Holders,
    /// The type of handles.
    handle: Type,
    /// The handles that the function receives.
    given: Live,
    /// The live regions at each join.
    joins: HashMap<JoinId, Live>,
}

impl Verifier<'_> {
    /// Checks a block that starts with these regions and ends all that it began.
    fn block(&mut self, block: &Block, mut live: Live) -> Result<(), String> {
        let outer = live.clone();
        self.path(block, &mut live, &outer)
    }

    /// Checks a block; `outer` are the regions that are live where its value goes.
    fn path(&mut self, block: &Block, live: &mut Live, outer: &Live) -> Result<(), String> {
        for statement in &block.statements {
            self.statement(statement, live)?;
        }
        let mut result = Ok(());
        block.end.atoms(&mut |atom| result = result.clone().and(self.operand(atom, live)));
        result?;
        match &block.end {
            End::Yield(_) | End::TailCall { .. } | End::Continue(_) => {
                if live == outer {
                    Ok(())
                } else {
                    Err(format!("{} regions do not end", live.len()))
                }
            }
            End::Jump(join, _) => match self.joins.get(join) {
                Some(expected) if expected == live => Ok(()),
                Some(_) => Err(format!("{join} is reached with different regions")),
                None => Err(format!("{join} is unknown")),
            },
            End::Join { join, scope } => {
                self.joins.insert(join.id, live.clone());
                self.path(scope, &mut live.clone(), outer)?;
                self.path(&join.body, live, outer)
            }
            End::If { .. } | End::Switch { .. } => {
                block.end.blocks().into_iter().try_for_each(|block| self.path(block, &mut live.clone(), outer))
            }
            End::Trap(..) => Ok(()),
        }
    }

    fn statement(&mut self, statement: &Statement, live: &mut Live) -> Result<(), String> {
        match &statement.kind {
            StatementKind::Let(local, Rhs::EnterRegion) => {
                return if live.insert(*local) { Ok(()) } else { Err("a region begins twice".into()) };
            }
            StatementKind::Let(_, Rhs::LeaveRegion(Atom::Local(region))) => {
                return if live.remove(region) { Ok(()) } else { Err("a region ends before it begins".into()) };
            }
            StatementKind::Let(..) | StatementKind::Group(_) => {}
        }
        let mut result = Ok(());
        statement.atoms(&mut |atom| result = result.clone().and(self.operand(atom, live)));
        result?;
        for allocation in statement.allocations() {
            if let Some(Region::Local(region)) = self.allocations.get(&allocation) {
                self.alive(*region, live)?;
            }
        }
        if let StatementKind::Let(_, rhs) = &statement.kind {
            rhs.blocks().into_iter().try_for_each(|block| self.block(block, live.clone()))?;
        }
        Ok(())
    }

    fn alive(&self, region: LocalId, live: &Live) -> Result<(), String> {
        let known = live.contains(&region) || self.given.contains(&region);
        if known { Ok(()) } else { Err(format!("region {} is used outside of its lifetime", region.into_raw())) }
    }

    fn operand(&self, atom: &Atom, live: &Live) -> Result<(), String> {
        let Atom::Local(local) = atom else { return Ok(()) };
        if self.function.locals[*local].ty == self.handle {
            return self.alive(*local, live);
        }
        self.holders
            .get(local)
            .into_iter()
            .flatten()
            .try_for_each(|region| self.alive(*region, live))
            .map_err(|message| format!("{}: {message}", self.function.locals[*local].name))
    }
}
