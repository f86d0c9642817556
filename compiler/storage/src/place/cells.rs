//! Moves ref cells that only one closure uses into the closure, which is then one flat struct, as sequences need it for
//! their variables.
//!
//! In: Core whose storage is decided. Out: the same, where such a cell is no allocation any more, but a field of each
//! closure of that code ([`Convention::Closure`]). Condition: wherever a closure of the code is created, the cell is
//! created in the same block and used for nothing but that closure; and the code only reads and writes it, itself or in
//! known functions that it calls, other than by a required tail call. So only calls of the closure access the field,
//! while it is alive and does not move: the address of the field points into the middle of an object, and evacuation
//! moves whole objects. Only the cycle of tail calls of the closure evacuates the regions that the closure may be in,
//! and only at its required tail calls, which do not take the address.

use clef_base::{HashMap, HashSet};
use clef_core::{
    Atom, Block, Call, Callee, Convention, End, Function, FunctionId, LocalId, Program, Rhs, Statement, StatementKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// The captures of each code, by position, that move into the closure.
type Plan = BTreeMap<FunctionId, BTreeSet<usize>>;

/// Moves the cells.
pub(super) fn move_into_closures(program: &mut Program) {
    let plan = plan(program);
    if plan.is_empty() {
        return;
    }
    for (_, function) in program.functions.iter_mut() {
        function.body.each_mut(&mut |block| inline_cells(block, &plan));
    }
    for (&code, positions) in &plan {
        if let Convention::Closure { captures, owned, .. } = &mut program.functions[code].convention {
            owned.extend(positions.iter().map(|&position| captures[position]));
        }
    }
    clef_core::dead_functions::remove(program);
}

fn plan(program: &Program) -> Plan {
    let mut possible: HashMap<FunctionId, BTreeSet<usize>> = HashMap::default();
    for (_, function) in program.functions.iter() {
        let uses = uses(function);
        function.body.each(&mut |block| made_in(block, &uses, &mut possible));
    }
    let accessed = |id: FunctionId, position: &usize| {
        let function = &program.functions[id];
        let cell = function.captures()[*position];
        !leaves_with_tail_call(function, cell) && only_accessed(program, id, cell, &mut HashSet::default())
    };
    let mut plan = Plan::default();
    for (id, mut positions) in possible {
        positions.retain(|position| accessed(id, position));
        if !positions.is_empty() {
            plan.insert(id, positions);
        }
    }
    plan
}

/// The number of uses of each local as an operand.
fn uses(function: &Function) -> HashMap<LocalId, usize> {
    let mut uses = HashMap::default();
    function.body.each_atom(&mut |atom| {
        if let Atom::Local(local) = atom {
            *uses.entry(*local).or_insert(0) += 1;
        }
    });
    uses
}

/// Keeps in `possible` only the captures of closures created in a block that are cells created there for them alone.
fn made_in(block: &Block, uses: &HashMap<LocalId, usize>, possible: &mut HashMap<FunctionId, BTreeSet<usize>>) {
    let mut cells = HashSet::default();
    for statement in &block.statements {
        if let StatementKind::Let(local, Rhs::MakeReference { .. }) = statement.kind
            && uses.get(&local) == Some(&1)
        {
            cells.insert(local);
        }
        let alone = matches!(statement.kind, StatementKind::Let(..));
        for closure in statement.closures() {
            let captures = closure.captures.iter().enumerate();
            let found: BTreeSet<usize> = captures
                .filter(|(_, atom)| alone && matches!(atom, Atom::Local(local) if cells.contains(local)))
                .map(|(position, _)| position)
                .collect();
            let known = possible.entry(closure.function).or_insert_with(|| found.clone());
            known.retain(|position| found.contains(position));
        }
    }
}

/// Whether a required tail call of a function takes a local.
fn leaves_with_tail_call(function: &Function, local: LocalId) -> bool {
    let mut leaves = false;
    function.body.each_end(&mut |end| {
        if let End::TailCall { required: true, .. } = end {
            end.atoms(&mut |atom| leaves |= *atom == Atom::Local(local));
        }
    });
    leaves
}

/// Whether a function only reads and writes a cell, itself or through known functions that it passes the cell to.
fn only_accessed(program: &Program, id: FunctionId, cell: LocalId, seen: &mut HashSet<(FunctionId, LocalId)>) -> bool {
    if !seen.insert((id, cell)) {
        return true;
    }
    let function = &program.functions[id];
    let is_cell = |atom: &Atom| *atom == Atom::Local(cell);
    let (mut allowed, mut given) = (0, Vec::new());
    let mut call = |call: &Call| {
        if let Callee::Known(callee) = call.callee {
            let params = program.functions[callee].params.iter();
            given.extend(
                params.zip(&call.arguments).filter(|(_, atom)| is_cell(atom)).map(|(param, _)| (callee, *param)),
            );
        }
    };
    function.body.each_call(&mut call);
    function.body.each_statement(&mut |statement: &Statement| {
        if let StatementKind::Let(_, Rhs::ReadReference(place) | Rhs::WriteReference(place, _)) = &statement.kind {
            allowed += usize::from(is_cell(place));
        }
    });
    function.body.each_end(&mut |end: &End| {
        if let End::Continue(arguments) = end {
            let same = arguments.iter().zip(&function.params).filter(|(atom, param)| is_cell(atom) && **param == cell);
            allowed += same.count();
        }
    });
    let total = uses(function).get(&cell).copied().unwrap_or(0);
    total == allowed + given.len()
        && given.into_iter().all(|(callee, param)| only_accessed(program, callee, param, seen))
}

/// Passes the initial contents of their cells to closures.
fn inline_cells(block: &mut Block, plan: &Plan) {
    let mut contents: HashMap<LocalId, Atom> = HashMap::default();
    let mut moved = HashSet::default();
    for statement in &mut block.statements {
        if let StatementKind::Let(local, Rhs::MakeReference { value, .. }) = &statement.kind {
            contents.insert(*local, value.clone());
        }
        for closure in statement.closures_mut() {
            for &position in plan.get(&closure.function).into_iter().flatten() {
                if let Atom::Local(cell) = closure.captures[position]
                    && let Some(content) = contents.get(&cell)
                {
                    closure.captures[position] = content.clone();
                    moved.insert(cell);
                }
            }
        }
    }
    block.statements.retain(|statement| match statement.kind {
        StatementKind::Let(local, _) => !moved.contains(&local),
        StatementKind::Group(_) => true,
    });
}
