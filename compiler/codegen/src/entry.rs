//! The entry of a function: binds its parameters and captures to what its caller passes.
//!
//! In: a function of Core, with the cursor at its start. Out: the values of its parameters and captures, how it returns,
//! and where it starts again. The cursor is then where the body begins.

use crate::{
    abi::{Abi, Returned, machine_type},
    code::Code,
    exit::Exit,
    exported::Exported,
    growing::Growing,
    holes::Holes,
    jumps::Jumps,
    locals::Locals,
};
use clef_core::{Block, Convention, End, Function, FunctionId, LocalId};
use clef_mlir::Value;

/// Enters a function.
pub(crate) fn enter<'m>(
    code: &mut Code<'_, '_, 'm>,
    locals: &mut Locals<'_, '_, 'm>,
    (growing, holes): (&mut Growing<'m>, &mut Holes<'m>),
    id: FunctionId,
) -> (Exit<'m>, Jumps<'m>) {
    let function = &code.shared.program.functions[id];
    let mut arguments = code.emit.arguments().into_iter();
    let closure = match &function.convention {
        Convention::Exported(_) => return (Exit::Exported(Exported::enter(code, locals, function)), Jumps::default()),
        Convention::Known => None,
        Convention::Closure { captures, owned, itself } => {
            arguments.next().map(|closure| (closure, captures, owned, itself))
        }
    };
    let abi = code.shared.abi(id);
    let address = match abi.returned {
        Returned::Through(_) => arguments.next(),
        Returned::Nothing | Returned::Value(_) => None,
    };
    if let Some((closure, captures, owned, itself)) = closure {
        load_captures(code, locals, &abi, closure, (function, captures, owned));
        if let Some(itself) = itself {
            locals.bind(*itself, Some(closure));
        }
    }
    let mut arguments: Vec<Value<'m>> = arguments.collect();
    let regions = arguments.split_off(arguments.len() - function.regions.len());
    locals.bind_all(&function.regions, &regions);
    let jumps = bind_parameters(code, locals, (growing, holes), function, &arguments);
    (Exit::Clef { returned: abi.returned, address }, jumps)
}

/// Binds the explicit parameters. If the body restarts, they are the arguments of the block in which it starts.
fn bind_parameters<'m>(
    code: &mut Code<'_, '_, 'm>,
    locals: &mut Locals<'_, '_, 'm>,
    (growing, holes): (&mut Growing<'m>, &mut Holes<'m>),
    function: &Function,
    arguments: &[Value<'m>],
) -> Jumps<'m> {
    locals.bind_all(&function.params, arguments);
    for param in &function.params {
        if growing.contains(*param) {
            locals.bind(*param, Some(growing.head(code, *param)));
        }
    }
    holes.enter(code, locals);
    if !holes.restarts() && !restarts(&function.body) {
        return Jumps::default();
    }
    let arguments: Vec<Value<'m>> = function.params.iter().filter_map(|param| locals.value(*param)).collect();
    let start = locals.parameter_block(code, &function.params);
    code.emit.br(start, &arguments);
    code.emit.position(start);
    locals.bind_all(&function.params, &start.arguments());
    Jumps::with_start(start)
}

/// Binds the captures of a closure, in the order of its struct.
fn load_captures<'m>(
    code: &mut Code<'_, '_, 'm>,
    locals: &mut Locals<'_, '_, 'm>,
    abi: &Abi,
    closure: Value<'m>,
    (function, captures, owned): (&Function, &[LocalId], &[LocalId]),
) {
    let signature = abi.signature(&code.emit);
    let mut index = 0;
    for capture in captures {
        let stored = code.shared.layouts.capture(function, *capture);
        let value = match (machine_type(&code.emit, &stored), owned.contains(capture)) {
            (Some(_), true) => Some(code.emit.capture_address(closure, &signature, index)),
            (Some(ty), false) => Some(code.emit.capture(closure, &signature, index, ty)),
            // A cell without bytes is never read, so any address will do.
            (None, true) => code.machine_type(locals.type_of(*capture)).map(|ty| code.emit.undef(ty)),
            (None, false) => None,
        };
        index += usize::from(machine_type(&code.emit, &stored).is_some());
        locals.bind(*capture, value);
    }
}

/// Whether a body contains a restart of itself.
pub(crate) fn restarts(body: &Block) -> bool {
    let mut found = false;
    body.each(&mut |block| found |= matches!(block.end, End::Continue(_)));
    found
}
