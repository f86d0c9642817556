//! The functions that run at most once per program.
//!
//! The start function does; so does a function that is called directly from one place only, which is in such a function
//! outside of every loop. What such a function allocates outside of loops has a single instance, whose memory can be
//! static.

use crate::{Block, Call, Convention, End, FunctionId, Program, Rhs, StatementKind};
use clef_base::{HashMap, HashSet};

/// The functions that run at most once and whose body is not a loop.
pub fn functions_that_run_once(program: &Program) -> HashSet<FunctionId> {
    let mut sites: HashMap<FunctionId, usize> = HashMap::default();
    for (_, function) in program.functions.iter() {
        function.body.each_call(&mut |call| {
            if let Some(callee) = call.known_callee() {
                *sites.entry(callee).or_default() += 1;
            }
        });
    }
    let mut once = HashSet::default();
    let mut queue = vec![program.start];
    while let Some(id) = queue.pop() {
        let function = &program.functions[id];
        if is_loop(&function.body) || !once.insert(id) {
            continue;
        }
        calls_outside_loops(&function.body, &mut |callee| {
            let known = program.functions[callee].convention == Convention::Known;
            if known && sites.get(&callee) == Some(&1) {
                queue.push(callee);
            }
        });
    }
    once
}

/// Whether a body starts again.
fn is_loop(body: &Block) -> bool {
    let mut is_loop = false;
    body.each_end(&mut |end| is_loop |= matches!(end, End::Continue(_)));
    is_loop
}

fn calls_outside_loops(block: &Block, visit: &mut dyn FnMut(FunctionId)) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Let(_, Rhs::Call(call)) => call.known_callee().into_iter().for_each(&mut *visit),
            StatementKind::Let(_, Rhs::While { .. }) | StatementKind::Group(_) => {}
            StatementKind::Let(_, rhs) => {
                rhs.blocks().into_iter().for_each(|block| calls_outside_loops(block, visit));
            }
        }
    }
    block.end.call().and_then(Call::known_callee).into_iter().for_each(&mut *visit);
    block.end.blocks().into_iter().for_each(|block| calls_outside_loops(block, visit));
}
