//! The host of a library: the function by which it starts the library, and the functions that the library asks of it.
//!
//! The definitions in a library are weak, so that those of the host replace them: output is discarded, there is no input,
//! and the end is an illegal instruction. There is none of the clock. In an image nothing calls these functions, and they
//! are removed; without optimisation the runtime still refers to them.

use crate::module::Caller;
use clef_mlir::{Build, Emit, Function, Signature, Tail, Type};
use clef_types::host_symbol;

/// Defines the functions.
pub(crate) fn define<'m>(build: &Build<'m>, caller: Caller<'_>, word_bits: u32) {
    let (int, pointer, long, word) = (build.int(32), build.ptr(), build.int(64), build.int(word_bits));
    for name in [host_symbol::WRITE, host_symbol::ERROR] {
        let mut emit = function(build, caller, name, &[pointer, word], None);
        emit.ret(None);
    }
    let mut emit = function(build, caller, host_symbol::READ, &[], Some(int));
    let ended = emit.iconst(int, -1);
    emit.ret(Some(ended));
    let mut emit = function(build, caller, host_symbol::STOP, &[int], None);
    emit.trap();
    emit.unreachable();
    match caller {
        Caller::Boot => {
            let mut emit = function(build, caller, host_symbol::TIME, &[], Some(long));
            let never = emit.iconst(long, 0);
            emit.ret(Some(never));
        }
        Caller::Host { start } => {
            let signature = Signature::c([], None);
            let mut emit = build.define(&Function::new(start, signature.clone()).external());
            emit.declare(host_symbol::LIBRARY_START, &signature);
            emit.call(host_symbol::LIBRARY_START, &signature, &[], Tail::No);
            emit.ret(None);
            define_trap_stack(build, word);
        }
    }
}

/// Defines the function at which a trap ends. In an image it is the runtime's assembly, which a library does not have, and
/// which saves registers for a backtrace; the report for a host contains none.
fn define_trap_stack<'m>(build: &Build<'m>, word: Type<'m>) {
    let mut emit = build.define(&Function::new(host_symbol::TRAP_STACK, Signature::c([], None)).external());
    let report = Signature::c([word], None);
    emit.declare(host_symbol::TRAP_REPORT, &report);
    let nowhere = emit.iconst(word, 0);
    emit.call(host_symbol::TRAP_REPORT, &report, &[nowhere], Tail::No);
    emit.unreachable();
}

/// Begins a function that a host may define.
fn function<'m>(
    build: &Build<'m>,
    caller: Caller<'_>,
    name: &str,
    parameters: &[Type<'m>],
    result: Option<Type<'m>>,
) -> Emit<'m> {
    let function = Function::new(name, Signature::c(parameters, result));
    build.define(&match caller {
        Caller::Boot => function.external(),
        Caller::Host { .. } => function.weak(),
    })
}
