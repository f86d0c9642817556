//! The functions with a property, and their direct and indirect callers.
//!
//! In: a program and a property of functions. Out: whether calls lead to such a function. A call of an unknown closure
//! leads to all functions of closures with its parameters and its result.

use super::knowledge::{ClosureType, called_result, closure_type};
use clef_base::{HashMap, HashSet};
use clef_core::{Block, Call, Callee, ConstantTypes, Convention, Function, FunctionId, Program};

/// Such functions.
pub(super) struct Transitive<'a> {
    program: &'a Program,
    constants: ConstantTypes,
    pub(super) functions: HashSet<FunctionId>,
    /// The types of those among them that are code of closures.
    closures: HashSet<ClosureType>,
}

impl<'a> Transitive<'a> {
    /// Those for which `holds`, and their callers.
    pub(super) fn new(
        program: &'a Program,
        constants: ConstantTypes,
        holds: &dyn Fn(FunctionId, &Function) -> bool,
    ) -> Transitive<'a> {
        let mut found = Transitive { program, constants, functions: HashSet::default(), closures: HashSet::default() };
        let mut callers: HashMap<FunctionId, Vec<FunctionId>> = HashMap::default();
        let mut closure_callers: HashMap<ClosureType, Vec<FunctionId>> = HashMap::default();
        let mut work = Vec::new();
        for (id, function) in program.functions.iter() {
            function.body.each_call(&mut |call| match call.callee {
                Callee::Known(callee) | Callee::Direct(callee, _) => callers.entry(callee).or_default().push(id),
                Callee::Closure(_) => closure_callers.entry(found.called(call, function)).or_default().push(id),
            });
            work.extend(holds(id, function).then_some(id));
        }
        while let Some(id) = work.pop() {
            if !found.functions.insert(id) {
                continue;
            }
            work.extend(callers.get(&id).into_iter().flatten());
            if let Convention::Closure { .. } = program.functions[id].convention {
                let ty = closure_type(program, id);
                work.extend(closure_callers.get(&ty).into_iter().flatten());
                found.closures.insert(ty);
            }
        }
        found
    }

    /// The type of a closure that a function calls.
    fn called(&self, call: &Call, function: &Function) -> ClosureType {
        let params = call.arguments.iter().map(|atom| self.constants.of(atom, function)).collect();
        let closure = call.callee.closure().map(|closure| self.constants.of(closure, function));
        let result = closure.map(|closure| called_result(self.program, closure, call.arguments.len()));
        (params, result.unwrap_or(function.result))
    }

    /// Whether a call in a function leads to one of them.
    pub(super) fn is_called(&self, call: &Call, function: &Function) -> bool {
        match &call.callee {
            Callee::Known(callee) | Callee::Direct(callee, _) => self.functions.contains(callee),
            Callee::Closure(_) => self.closures.contains(&self.called(call, function)),
        }
    }

    /// Whether a block of a function calls one of them.
    pub(super) fn in_block(&self, function: &Function, block: &Block) -> bool {
        let mut found = false;
        block.each_call(&mut |call| found |= self.is_called(call, function));
        found
    }
}
