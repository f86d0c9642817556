//! Visitors for passes on whole functions: calls, ends and closures at any depth.
//!
//! Built on [`super::visit`]; every visitor includes all nested blocks, scopes and loops too, outer before inner.

use super::{Atom, Block, Call, Callee, End, JoinId, LocalId, MakeClosure, Rhs, Statement, StatementKind};
use clef_base::HashMap;

impl Callee {
    /// The closure that is called, if the call uses one.
    pub fn closure(&self) -> Option<&Atom> {
        match self {
            Callee::Known(_) => None,
            Callee::Direct(_, closure) | Callee::Closure(closure) => Some(closure),
        }
    }

    /// The same, for renaming.
    pub fn closure_mut(&mut self) -> Option<&mut Atom> {
        match self {
            Callee::Known(_) => None,
            Callee::Direct(_, closure) | Callee::Closure(closure) => Some(closure),
        }
    }
}

impl Call {
    /// Visits the closure, if the call uses one, then the arguments, then the handles of regions.
    pub fn atoms<'call>(&'call self, visit: &mut dyn FnMut(&'call Atom)) {
        self.callee.closure().into_iter().chain(&self.arguments).chain(&self.regions).for_each(visit);
    }
}

impl Block {
    /// An empty block, as a placeholder for one that is being rewritten.
    pub fn empty() -> Block {
        Block { statements: Vec::new(), end: End::Yield(Atom::Unit) }
    }

    /// Visits every statement.
    pub fn each_statement<'block>(&'block self, visit: &mut dyn FnMut(&'block Statement)) {
        self.each(&mut |block| block.statements.iter().for_each(&mut *visit));
    }

    /// Visits every end, including those of scopes.
    pub fn each_end<'block>(&'block self, visit: &mut dyn FnMut(&'block End)) {
        self.each(&mut |block| visit(&block.end));
    }

    /// Visits every call.
    pub fn each_call<'block>(&'block self, visit: &mut dyn FnMut(&'block Call)) {
        self.each(&mut |block| {
            block.statements.iter().filter_map(Statement::call).chain(block.end.call()).for_each(&mut *visit);
        });
    }

    /// Visits every call, for rewriting.
    pub fn each_call_mut(&mut self, visit: &mut dyn FnMut(&mut Call)) {
        self.each_mut(&mut |block| {
            let calls = block.statements.iter_mut().filter_map(Statement::call_mut);
            calls.chain(block.end.call_mut()).for_each(&mut *visit);
        });
    }

    /// The parameters of each join.
    pub fn join_params(&self) -> HashMap<JoinId, Vec<LocalId>> {
        let mut params = HashMap::default();
        self.each_end(&mut |end| {
            if let End::Join { join, .. } = end {
                params.insert(join.id, join.params.clone());
            }
        });
        params
    }

    /// Visits every closure that is created, with its local.
    pub fn each_closure<'block>(&'block self, visit: &mut dyn FnMut(LocalId, &'block MakeClosure)) {
        self.each_statement(&mut |statement| match &statement.kind {
            StatementKind::Let(local, Rhs::Closure(closure)) => visit(*local, closure),
            StatementKind::Group(members) => members.iter().for_each(|(local, closure)| visit(*local, closure)),
            StatementKind::Let(..) => {}
        });
    }
}
