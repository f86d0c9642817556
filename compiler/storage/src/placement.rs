//! Where the source places the memory of module-level values.
//!
//! `[<Align>]` and `[<Section>]` on a value that is the address of memory of its own, which is an array, a reference cell or what
//! `NativePtr.stackalloc` returns, are about that memory.
//!
//! In: Core with the substitutions of every level, so that what is reported does not depend on the level. Out: Core in which the
//! allocations of such values have their placement, and not the values. Condition: the value is not mutable, its initialiser makes the
//! memory, and the size of memory with a section is known.

use clef_base::{Diagnostic, HashMap, Span, codes};
use clef_core::{
    AllocationId, Atom, Callee, End, FunctionId, GlobalId, LocalId, Placement, Program, Rhs, StatementKind, Storage,
};
use clef_types::{Type, TypeKind};

/// Moves placements of values to their allocations. Reports values whose memory is made elsewhere, or has no known size.
pub fn attach(program: &mut Program) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (function, global, value) in placed(program) {
        let Some(made) = made(program, function, &value) else {
            diagnostics.push(elsewhere(program, global));
            continue;
        };
        let placement = std::mem::take(&mut program.globals[global].placement);
        if placement.section.is_some() && !made.has_known_size {
            diagnostics.push(unplaceable(program.globals[global].span));
        }
        program.allocations[made.allocation].placement = placement;
    }
    diagnostics
}

/// An allocation where it is performed.
#[derive(Clone, Copy)]
struct Made {
    allocation: AllocationId,
    has_known_size: bool,
}

impl Made {
    fn of(rhs: &Rhs) -> Option<Made> {
        let has_known_size = rhs.counted().is_none() || rhs.element_count().is_some();
        Some(Made { allocation: rhs.allocation()?, has_known_size })
    }
}

/// Reports memory with a section that is in a region. Condition: storage is decided.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let made = program.functions.values().flat_map(|function| {
        let mut made = Vec::new();
        function.body.each_statement(&mut |statement| made.extend(statement.rhs().and_then(Rhs::allocation)));
        made
    });
    let in_region = made.filter(|id| {
        let allocation = &program.allocations[*id];
        let storage = allocation.decision.as_ref().map(|decision| decision.storage);
        allocation.placement.section.is_some() && matches!(storage, Some(Storage::Region(_)))
    });
    in_region.map(|id| unplaceable(program.allocations[id].span)).collect()
}

/// The initialisations of values that have a placement and are addresses of memory.
fn placed(program: &Program) -> Vec<(FunctionId, GlobalId, Atom)> {
    let mut found = Vec::new();
    for (id, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            let Some(Rhs::WriteGlobal(global, value)) = statement.rhs() else { return };
            let data = &program.globals[*global];
            if data.placement != Placement::default() && !data.mutable && has_memory(program, data.ty) {
                found.push((id, *global, value.clone()));
            }
        });
    }
    found
}

fn has_memory(program: &Program, ty: Type) -> bool {
    matches!(program.types.kind(ty), TypeKind::NativePointer(_) | TypeKind::Array(_) | TypeKind::Reference(_))
}

/// The allocation whose result an operand is, also through functions that return a parameter, such as those that fill an array.
fn made(program: &Program, function: FunctionId, value: &Atom) -> Option<Made> {
    let mut definitions: HashMap<LocalId, &Rhs> = HashMap::default();
    program.functions[function].body.each_statement(&mut |statement| {
        if let StatementKind::Let(local, rhs) = &statement.kind {
            definitions.insert(*local, rhs);
        }
    });
    let mut value = value;
    loop {
        let Atom::Local(local) = value else { return None };
        let rhs = *definitions.get(local)?;
        if let Some(made) = Made::of(rhs) {
            return Some(made);
        }
        value = copied(program, rhs)?;
    }
}

/// The operand that is the value of an operation.
fn copied<'a>(program: &Program, rhs: &'a Rhs) -> Option<&'a Atom> {
    if let Rhs::Atom(of) = rhs {
        return Some(of);
    }
    if let Rhs::Scope(body) = rhs {
        return if let End::Yield(of) = &body.end { Some(of) } else { None };
    }
    let Rhs::Call(call) = rhs else { return None };
    let Callee::Known(callee) = call.callee else { return None };
    let callee = &program.functions[callee];
    let End::Yield(Atom::Local(returned)) = &callee.body.end else { return None };
    let index = callee.params.iter().position(|parameter| parameter == returned)?;
    call.arguments.get(index)
}

fn elsewhere(program: &Program, global: GlobalId) -> Diagnostic {
    let data = &program.globals[global];
    let name = data.name.as_str().rsplit('.').next().unwrap_or_default();
    let message = format!("`Section` and `Align` do not place the memory of `{name}`, which its binding does not make");
    Diagnostic::error(codes::MISPLACED_ATTRIBUTE, data.span, message).help(format!(
        "let the binding of `{name}` make it, with `Array.zeroCreate` for an array, and fill it afterwards"
    ))
}

fn unplaceable(span: Span) -> Diagnostic {
    let message =
        "this memory cannot be in a section: its size is only known at run time, or it is made more than once";
    Diagnostic::error(codes::MISPLACED_ATTRIBUTE, span, message)
        .help("make it once, in a module-level binding, with a number of elements that follows from literals")
}
