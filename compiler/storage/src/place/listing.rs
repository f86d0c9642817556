//! The listing of `--emit storage`, as data and as text: each allocation with its place, its storage and the reason,
//! each loop that evacuates regions, and how function values are stored.
//!
//! In: a placed program. Sizes are not known here: the layout of a target prints bytes.

use super::sites;
use clef_base::{HashSet, SourceMap, Span};
use clef_core::{
    AddressReason, AllocationKind, Callee, Convention, DeclaredCase, Function, Move, Place, Program, Rhs,
    StatementKind, Storage, StoredFunctions,
};
use clef_types::{Type, TypeKind};
use std::{fmt::Write, iter};

/// A listed allocation, independent of the output format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// What makes it.
    pub place: Span,
    /// Where its code is: the place of the statement, and the calls that were replaced by a body with it, the innermost first.
    pub code: Vec<Span>,
    /// What it is: `closure makeAdder.fun@3:5 capturing n: int`.
    pub what: String,
    /// The function that makes it.
    pub function: String,
    /// `Static`, `Stack` or `Region`.
    pub storage: &'static str,
    /// What follows "because".
    pub reason: String,
    /// Whether it is a closure that frees itself when it is called.
    pub freed_by_call: bool,
}

/// A loop that evacuates regions at the end of an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evacuated {
    /// The loop.
    pub place: Span,
    /// The function that contains it.
    pub function: String,
    /// What is followed: the types of what the next iteration receives, and the names of module-level values.
    pub state: Vec<String>,
}

/// How the function values of a type are stored where they can be overwritten: in ref cells, arrays, mutable fields and
/// variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// The function type.
    pub ty: String,
    /// By value: the lambdas that it may be. By address: why.
    pub kept: Result<Vec<Lambda>, String>,
}

/// A lambda whose values are stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lambda {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub place: Span,
    /// The types of what it captures.
    pub captures: Vec<String>,
}

/// The number of allocations in each storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Functions that are only called directly, so that no closure exists.
    pub known: usize,
    /// Closures without captures: constants in flash.
    pub constant: usize,
    /// Single instances in static memory.
    pub fixed: usize,
    /// In a frame.
    pub stack: usize,
    /// In a region.
    pub region: usize,
}

/// Everything that a placed program allocates, by source location, and the totals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// The allocations.
    pub rows: Vec<Row>,
    /// The loops that evacuate regions.
    pub evacuated: Vec<Evacuated>,
    /// The function types of values that can be overwritten, except those whose values are all constant.
    pub stored: Vec<Stored>,
    /// The totals.
    pub summary: Summary,
}

/// Lists the storage of a placed program.
pub fn listing(program: &Program, sources: &SourceMap) -> Listing {
    let mut rows = Vec::new();
    let mut summary = Summary { known: known(program), constant: constants(program), ..Summary::default() };
    for (id, function) in program.functions.iter() {
        for site in sites(program, id) {
            let allocation = &program.allocations[site.allocation];
            let Some(decision) = &allocation.decision else {
                clef_base::internal::bug("storage listing", allocation.span, "an allocation has no storage")
            };
            let (storage, count) = match decision.storage {
                Storage::Static => ("Static", &mut summary.fixed),
                Storage::Stack => ("Stack", &mut summary.stack),
                Storage::Region(_) => ("Region", &mut summary.region),
            };
            *count += 1;
            let row = Row {
                place: allocation.span,
                code: code(function, Place { span: site.statement, inlined: site.inlined }),
                what: what(program, allocation.kind),
                function: function.name.to_string(),
                storage,
                reason: decision.reason.sentence(sources),
                freed_by_call: frees_itself(program, allocation.kind),
            };
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| (row.place, row.function.clone()));
    Listing { rows, evacuated: evacuated(program), stored: stored(program, sources), summary }
}

/// A place, and the calls that were replaced by bodies with it, the innermost first.
fn code(function: &Function, place: Place) -> Vec<Span> {
    let outer = |place: &Place| Some(function.inlined[place.inlined?].call);
    iter::successors(Some(place), outer).map(|place| place.span).collect()
}

fn stored(program: &Program, sources: &SourceMap) -> Vec<Stored> {
    let lambda = |(case, place): (&DeclaredCase, &Span)| Lambda {
        name: case.name.to_string(),
        place: *place,
        captures: case.fields.iter().map(|field| program.type_name(*field).to_string()).collect(),
    };
    let kept = |kept: &Result<(Type, Vec<Span>), AddressReason>| match kept {
        Ok((variant, places)) => Ok(program.declared[variant].cases.iter().zip(places).map(lambda).collect()),
        Err(AddressReason::Unknown(span)) => {
            Err(format!("the origin of the closure stored at {} is unknown", sources.place(*span)))
        }
        Err(AddressReason::Many(count)) => Err(format!("{count} lambdas may be stored")),
        Err(AddressReason::Endless) => Err("one of the lambdas captures a value of this type".into()),
        Err(AddressReason::Large) => Err("one of the lambdas captures much, and nodes would be large".into()),
    };
    let row = |of: &StoredFunctions| Stored { ty: program.type_name(of.ty).to_string(), kept: kept(&of.kept) };
    let mut stored: Vec<Stored> = program.stored.iter().map(row).collect();
    stored.sort_by(|first, second| first.ty.cmp(&second.ty));
    stored
}

fn evacuated(program: &Program) -> Vec<Evacuated> {
    let mut found = Vec::new();
    for (_, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            let StatementKind::Let(local, Rhs::Evacuate { moves, globals, .. }) = &statement.kind else { return };
            let TypeKind::Tuple(roots) = program.types.kind(function.locals[*local].ty) else { return };
            if moves.iter().any(|Move { to, .. }| to.is_some()) {
                return;
            }
            let globals = globals.iter().map(|global| program.globals[*global].name.to_string());
            let state = roots.iter().map(|root| program.type_name(*root).to_string()).chain(globals).collect();
            found.push(Evacuated { place: statement.place.span, function: function.name.to_string(), state });
        });
    }
    found.sort_by_key(|row| (row.place, row.function.clone()));
    found
}

/// The listing as text.
pub fn storage(program: &Program, sources: &SourceMap) -> String {
    let Listing { rows, evacuated, stored, summary } = listing(program, sources);
    let mut text = String::new();
    for row in &rows {
        let Row { place, what, function, storage, reason, freed_by_call, code: _ } = row;
        let place = sources.place(*place);
        let freed = if *freed_by_call { "\n    Freed when it is called" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{place}: {what}, in {function}\n    {storage} because {reason}{freed}");
    }
    for Evacuated { place, function, state } in &evacuated {
        let state = if state.is_empty() { "nothing".into() } else { state.join(", ") };
        let place = sources.place(*place);
        let _ = writeln!(text, "{place}: loop, in {function}\n    Evacuates its regions after growth, keeping {state}");
    }
    for Stored { ty, kept } in &stored {
        let _ = match kept {
            Ok(_) => writeln!(text, "values of type {ty}\n    Stored by value, as one of"),
            Err(why) => writeln!(text, "values of type {ty}\n    Stored by address because {why}"),
        };
        for Lambda { name, place, captures } in kept.iter().flatten() {
            let captures = if captures.is_empty() { "nothing".into() } else { captures.join(", ") };
            let place = sources.place(*place);
            let _ = writeln!(text, "        {place}: {name}, capturing {captures}");
        }
    }
    let Summary { known, constant, fixed, stack, region } = summary;
    let _ = writeln!(
        text,
        "{known} functions called directly, {constant} constant closures, {fixed} static, {stack} on the stack, \
         {region} in a region"
    );
    text
}

/// Whether it is a closure whose code frees it.
fn frees_itself(program: &Program, kind: AllocationKind) -> bool {
    let AllocationKind::Closure(lambda) = kind else { return false };
    let mut found = false;
    program.functions[lambda].body.each_statement(&mut |statement| {
        found |= matches!(statement.rhs(), Some(Rhs::PopClosure(_)));
    });
    found
}

fn what(program: &Program, kind: AllocationKind) -> String {
    match kind {
        AllocationKind::Reference(content) => format!("ref cell of {}", program.type_name(content)),
        AllocationKind::String => "string".into(),
        AllocationKind::Array(ty) => format!("array of type {}", program.type_name(ty)),
        AllocationKind::Node(ty, case) => {
            let case = program.declared.get(&ty).and_then(|declared| declared.cases.get(case));
            let case = case.map_or("", |case| case.name.as_str());
            format!("node {case} of {}", program.type_name(ty))
        }
        AllocationKind::Memory(extent) => format!("memory for values of {} bytes", extent.size.0),
        AllocationKind::Closure(id) => {
            let function = &program.functions[id];
            let (captures, owned) = (function.captures(), function.owned());
            let list = |wanted: bool| -> String {
                let held = captures.iter().filter(|capture| owned.contains(capture) == wanted);
                let held = held.map(|capture| {
                    let local = &function.locals[*capture];
                    format!("{}: {}", local.name, program.type_name(function.capture_type(&program.types, *capture)))
                });
                held.collect::<Vec<_>>().join(", ")
            };
            match (list(false), list(true)) {
                (captures, owned) if owned.is_empty() => format!("closure {} capturing {captures}", function.name),
                (captures, owned) if captures.is_empty() => format!("closure {} owning {owned}", function.name),
                (captures, owned) => format!("closure {} capturing {captures}, owning {owned}", function.name),
            }
        }
    }
}

/// The functions that are called directly and have no closure.
fn known(program: &Program) -> usize {
    let mut called = HashSet::default();
    for (_, function) in program.functions.iter() {
        function.body.each_call(&mut |call| match call.callee {
            Callee::Known(id) => {
                called.insert(id);
            }
            Callee::Direct(..) | Callee::Closure(_) => {}
        });
    }
    called.len()
}

/// The closure functions without captures.
fn constants(program: &Program) -> usize {
    let constant = |convention: &Convention| match convention {
        Convention::Known | Convention::Exported(_) => false,
        Convention::Closure { captures, .. } => captures.is_empty(),
    };
    program.functions.iter().filter(|(_, function)| constant(&function.convention)).count()
}
