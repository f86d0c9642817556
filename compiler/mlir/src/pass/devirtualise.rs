//! Replaces invocations of closures whose code is known by direct calls.
//!
//! The code of a closure is known if the closure is made in the same function, is in a static slot, or is the
//! function's own closure. The closure's address stays the first argument.

use super::code::{callee, captures, static_slots};
use crate::{
    Build, Convention, Emit, Module, Signature, Tail, Value,
    build::ModuleState,
    build::view::{Op, operations},
};
use clef_base::HashMap;

/// Runs the pass; returns the number of invocations that became direct calls.
pub fn devirtualise(module: &mut Module<'_>) -> usize {
    let state = ModuleState::default();
    let build = Build::new(module.context, &module.module, &state);
    let invocations = operations(&module.module).into_iter().filter(|op| op.is("clef.closure_invoke"));
    let slots = static_slots(&module.module);
    let known: Vec<_> = invocations.filter_map(|op| Some((op, code_of(&slots, op.operand(0))?))).collect();
    for (op, code) in &known {
        call_directly(build, *op, code);
    }
    known.len()
}

/// The symbol of a closure's code, if it is known where the value is used.
fn code_of<'m>(slots: &HashMap<&'m str, Op<'m>>, closure: Value<'m>) -> Option<&'m str> {
    let maker = origin(closure).maker()?;
    match maker.name() {
        "clef.closure_make" | "clef.closure_allocate" => Some(callee(maker)),
        "clef.static_closure" => slots.get(maker.symbol("slot")?).map(|slot| callee(*slot)),
        "clef.closure_from_pointer" => {
            let function = maker.function()?;
            captures(function)?;
            if maker.operand(0).is_first_argument_of(function) { function.sym_name() } else { None }
        }
        _ => None,
    }
}

/// The value before conversions between closures and pointers that undo each other.
fn origin(value: Value<'_>) -> Value<'_> {
    let behind = value.maker().filter(|op| op.is("clef.closure_from_pointer")).and_then(|from| {
        let to = from.operand(0).maker().filter(|op| op.is("clef.closure_to_pointer"))?;
        Some(to.operand(0))
    });
    behind.map_or(value, origin)
}

fn call_directly<'m>(build: Build<'m>, op: Op<'m>, code: &str) {
    let mut emit = Emit::before(build, op);
    let arguments = op.operands();
    let signature = code_signature(build, op);
    let tail = if op.flag("tail") { Tail::Yes } else { Tail::No };
    let result = emit.call(code, &signature, &arguments, tail);
    op.replace(result);
}

/// The signature of the code that an invocation calls: the closure's address comes first.
pub(super) fn code_signature<'m>(build: Build<'m>, invoke: Op<'m>) -> Signature<'m> {
    let explicit = invoke.operands().into_iter().skip(1).map(Value::ty);
    let parameters: Vec<_> = std::iter::once(build.ptr()).chain(explicit).collect();
    let tailcc = invoke.attribute("convention") == Some(build.convention(Convention::Tail));
    let convention = if tailcc { Convention::Tail } else { Convention::C };
    Signature::new(parameters, invoke.result().map(Value::ty), convention)
}
