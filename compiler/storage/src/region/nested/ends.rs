//! The order in which regions end.
//!
//! A region ends after those that began later, if nothing is allocated between its end and theirs: then no memory is held for
//! longer while something is allocated.

use super::{
    super::{
        fewer::{begins, ends},
        transitive::Transitive,
    },
    appends,
};
use clef_base::HashMap;
use clef_core::{AllocationId, Block, ConstantTypes, Function, FunctionId, LocalId, Program, Rhs, Statement, Storage};

/// Moves the ends of regions.
pub(super) fn order(program: &mut Program, constants: ConstantTypes) {
    let loud = Transitive::new(program, constants, &|_, function| {
        let mut is_loud = false;
        function.body.each_statement(&mut |statement| is_loud |= changes_regions(program, statement));
        is_loud
    });
    let mut ordered: Vec<(FunctionId, Block)> = Vec::new();
    for (id, function) in program.functions.iter() {
        let begun = begun(&function.body);
        if begun.len() > 1 {
            let mut body = function.body.clone();
            let order = Order { program, loud: &loud, function, begun };
            body.each_mut(&mut |block| block.statements = order.statements(std::mem::take(&mut block.statements)));
            ordered.push((id, body));
        }
    }
    for (id, body) in ordered {
        program.functions[id].body = body;
    }
}

/// The regions that a function begins, numbered in the order of their beginnings.
fn begun(body: &Block) -> HashMap<LocalId, usize> {
    let mut begun = HashMap::default();
    body.each_statement(&mut |statement| {
        if let Some(handle) = begins(statement) {
            let number = begun.len();
            begun.insert(handle, number);
        }
    });
    begun
}

/// Whether a statement itself allocates in a region, or begins one, or may do so through another language; other than by
/// appending to a text.
pub(super) fn allocates(program: &Program, statement: &Statement) -> bool {
    let in_region = |allocation: AllocationId| {
        let decision = program.allocations[allocation].decision.as_ref();
        decision.is_some_and(|decision| matches!(decision.storage, Storage::Region(_)))
    };
    let changes = matches!(
        statement.rhs(),
        Some(Rhs::EnterRegion | Rhs::PopClosure(_) | Rhs::Evacuate { .. } | Rhs::Foreign { .. })
    );
    changes || statement.allocations().into_iter().any(in_region)
}

/// Whether a statement itself takes memory of a region.
fn changes_regions(program: &Program, statement: &Statement) -> bool {
    let grows_text = match statement.rhs() {
        Some(Rhs::Intrinsic { intrinsic, arguments, .. }) if appends(*intrinsic) => {
            arguments.first().is_some_and(|target| target.local().is_some())
        }
        Some(_) | None => false,
    };
    grows_text || allocates(program, statement)
}

/// The order of one function.
struct Order<'a> {
    program: &'a Program,
    loud: &'a Transitive<'a>,
    function: &'a Function,
    begun: HashMap<LocalId, usize>,
}

impl Order<'_> {
    fn statements(&self, statements: Vec<Statement>) -> Vec<Statement> {
        let ended: Vec<Option<usize>> = statements.iter().map(|statement| self.ended(statement)).collect();
        if ended.iter().flatten().count() < 2 {
            return statements;
        }
        let newest_after = self.newest_after(&statements, &ended);
        let mut ordered = Vec::with_capacity(statements.len());
        let mut held: Vec<(usize, Statement)> = Vec::new();
        for ((statement, ended), newest_after) in statements.into_iter().zip(ended).zip(newest_after) {
            match ended {
                Some(number) if newest_after > Some(number) => held.push((number, statement)),
                Some(_) => {
                    ordered.push(statement);
                    held.sort_by_key(|(number, _)| *number);
                    while held.last().is_some_and(|(number, _)| newest_after <= Some(*number)) {
                        ordered.extend(held.pop().map(|(_, statement)| statement));
                    }
                }
                None => ordered.push(statement),
            }
        }
        ordered
    }

    /// For each statement, the newest region that ends after it, before anything is allocated.
    fn newest_after(&self, statements: &[Statement], ended: &[Option<usize>]) -> Vec<Option<usize>> {
        let mut newest = None;
        let mut all = Vec::with_capacity(statements.len());
        for (statement, ended) in statements.iter().zip(ended).rev() {
            all.push(newest);
            newest = if self.is_quiet(statement) { newest.max(*ended) } else { None };
        }
        all.reverse();
        all
    }

    fn ended(&self, statement: &Statement) -> Option<usize> {
        ends(statement).and_then(|handle| self.begun.get(&handle)).copied()
    }

    /// Whether nothing is allocated by a statement, or by what it calls.
    fn is_quiet(&self, statement: &Statement) -> bool {
        let mut is_quiet = self.is_quiet_itself(statement);
        for block in statement.rhs().map(Rhs::blocks).unwrap_or_default() {
            block.each_statement(&mut |statement| is_quiet &= self.is_quiet_itself(statement));
        }
        is_quiet
    }

    /// The same, apart from its nested blocks.
    fn is_quiet_itself(&self, statement: &Statement) -> bool {
        let calls = statement.call().is_some_and(|call| self.loud.is_called(call, self.function));
        !calls && !changes_regions(self.program, statement)
    }
}
