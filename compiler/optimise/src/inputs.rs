//! Drops parameters of known functions and captures of closures that are the same constant everywhere, or unused.
//!
//! Condition: all calls of a known function, and all places that create a closure, are in the program. A parameter that
//! is only passed on to parameters that are dropped too is unused: the uses are the least fixed point. Parameters of
//! closures stay, since calls of unknown closures pass them.

use clef_base::{HashMap, HashSet};
use clef_core::{
    Atom, Block, Call, Callee, Convention, End, Function, FunctionId, LocalId, Program, Rhs, Statement, StatementKind,
};

/// An input of a function: a parameter of a known function, or a capture of a closure.
type Input = (FunctionId, LocalId);

/// Drops constant and unused inputs.
pub(super) fn drop_inputs(program: &mut Program) {
    constants(program);
    unused(program);
    // A closure without captures becomes a constant.
    super::propagate::propagate(program);
}

/// The inputs of a function that may be dropped, in the order of its operands.
fn inputs(function: &Function) -> &[LocalId] {
    match &function.convention {
        Convention::Known => &function.params,
        Convention::Closure { captures, .. } => captures,
        // Its external callers pass all of its parameters.
        Convention::Exported(_) => &[],
    }
}

/// Visits each operand of a block, nested blocks included, with the input that it is passed to, if any.
fn each_given<'block>(
    program: &Program,
    id: FunctionId,
    block: &'block Block,
    visit: &mut dyn FnMut(&'block Atom, Option<Input>),
) {
    block.each(&mut |block| {
        for statement in &block.statements {
            statement_given(program, statement, visit);
        }
        match &block.end {
            End::TailCall { call, .. } => call_given(program, call, visit),
            End::Continue(arguments) => {
                let function = &program.functions[id];
                for (argument, &param) in arguments.iter().zip(&function.params) {
                    let known = function.convention == Convention::Known;
                    visit(argument, known.then_some((id, param)));
                }
            }
            end @ (End::Yield(_)
            | End::If { .. }
            | End::Switch { .. }
            | End::Join { .. }
            | End::Jump(..)
            | End::Trap(..)) => end.atoms(&mut |atom| visit(atom, None)),
        }
    });
}

fn statement_given<'block>(
    program: &Program,
    statement: &'block Statement,
    visit: &mut dyn FnMut(&'block Atom, Option<Input>),
) {
    let closures = statement.closures();
    if let Some(call) = statement.call() {
        call_given(program, call, visit);
    } else if closures.is_empty() {
        statement.atoms(&mut |atom| visit(atom, None));
    }
    for closure in closures {
        let captures = program.functions[closure.function].captures();
        for (atom, &capture) in closure.captures.iter().zip(captures) {
            visit(atom, Some((closure.function, capture)));
        }
    }
}

fn call_given<'block>(program: &Program, call: &'block Call, visit: &mut dyn FnMut(&'block Atom, Option<Input>)) {
    match &call.callee {
        Callee::Known(callee) => {
            for (argument, &param) in call.arguments.iter().zip(&program.functions[*callee].params) {
                visit(argument, Some((*callee, param)));
            }
        }
        Callee::Direct(..) | Callee::Closure(_) => call.atoms(&mut |atom| visit(atom, None)),
    }
}

/// Replaces inputs that are always the same constant.
fn constants(program: &mut Program) {
    let mut given: HashMap<Input, Option<Atom>> = HashMap::default();
    for (id, function) in program.functions.iter() {
        each_given(program, id, &function.body, &mut |atom, input| {
            let Some(input) = input else { return };
            if input.0 == id && *atom == Atom::Local(input.1) {
                return;
            }
            let constant = (!matches!(atom, Atom::Local(_))).then(|| atom.clone());
            let known = given.entry(input).or_insert_with(|| constant.clone());
            if !known.as_ref().zip(constant.as_ref()).is_some_and(|(known, constant)| same(known, constant)) {
                *known = None;
            }
        });
    }
    for ((id, input), constant) in given {
        if let Some(constant) = constant {
            program.functions[id].body.each_atom_mut(&mut |atom| {
                if *atom == Atom::Local(input) {
                    *atom = constant.clone();
                }
            });
        }
    }
}

/// Whether two constants are the same; floats are compared by their bits.
fn same(first: &Atom, second: &Atom) -> bool {
    match (first, second) {
        (Atom::Float(first, ty), Atom::Float(second, other)) => first.to_bits() == second.to_bits() && ty == other,
        (first, second) => first == second,
    }
}

/// Drops unused inputs.
fn unused(program: &mut Program) {
    let used = used(program);
    let dropped = |program: &Program, id: FunctionId| -> Vec<usize> {
        let inputs = inputs(&program.functions[id]).iter().enumerate();
        inputs.filter(|(_, input)| !used.contains(&(id, **input))).map(|(position, _)| position).collect()
    };
    let all: HashMap<FunctionId, Vec<usize>> =
        program.functions.iter().map(|(id, _)| (id, dropped(program, id))).collect();
    for (id, function) in program.functions.iter_mut() {
        let known = function.convention == Convention::Known;
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                drop_in_statement(statement, &all);
            }
            match &mut block.end {
                End::TailCall { call, .. } => drop_in_call(call, &all),
                End::Continue(arguments) if known => without(arguments, &all[&id]),
                End::Continue(_)
                | End::Yield(_)
                | End::If { .. }
                | End::Switch { .. }
                | End::Join { .. }
                | End::Jump(..)
                | End::Trap(..) => {}
            }
        });
        drop_in_function(function, &all[&id]);
    }
}

/// The inputs that are used other than by being passed on to unused inputs.
fn used(program: &Program) -> HashSet<Input> {
    let mut used: HashSet<Input> = HashSet::default();
    // The inputs that are passed on to each input.
    let mut passed: HashMap<Input, Vec<Input>> = HashMap::default();
    for (id, function) in program.functions.iter() {
        let own: HashSet<LocalId> = inputs(function).iter().copied().collect();
        each_given(program, id, &function.body, &mut |atom, input| {
            let Atom::Local(local) = atom else { return };
            match input {
                _ if !own.contains(local) => {}
                Some(input) => passed.entry(input).or_default().push((id, *local)),
                None => used.extend([(id, *local)]),
            }
        });
    }
    let mut pending: Vec<Input> = used.iter().copied().collect();
    while let Some(input) = pending.pop() {
        let found = passed.remove(&input).unwrap_or_default();
        pending.extend(found.into_iter().filter(|input| used.insert(*input)));
    }
    used
}

fn without<T>(list: &mut Vec<T>, positions: &[usize]) {
    for &position in positions.iter().rev() {
        list.remove(position);
    }
}

fn drop_in_statement(statement: &mut Statement, all: &HashMap<FunctionId, Vec<usize>>) {
    match &mut statement.kind {
        StatementKind::Let(_, Rhs::Call(call)) => drop_in_call(call, all),
        StatementKind::Let(..) | StatementKind::Group(_) => {
            for closure in statement.closures_mut() {
                without(&mut closure.captures, &all[&closure.function]);
            }
        }
    }
}

fn drop_in_call(call: &mut Call, all: &HashMap<FunctionId, Vec<usize>>) {
    if let Callee::Known(callee) = call.callee {
        without(&mut call.arguments, &all[&callee]);
    }
}

fn drop_in_function(function: &mut Function, positions: &[usize]) {
    match &mut function.convention {
        Convention::Known => {
            let leading = function.leading_captures;
            function.leading_captures -= positions.iter().filter(|&&position| position < leading).count();
            without(&mut function.params, positions);
        }
        Convention::Closure { captures, .. } => without(captures, positions),
        Convention::Exported(_) => {}
    }
}
