//! From the PSG to Core: specialisation per type, A-normal form, lambda lifting, and calls of known and unknown arity.
//!
//! In: a checked [`Psg`] without errors. Out: a [`Program`] that satisfies the invariants of `core`, with only the reachable
//! functions. Functions are specialised on demand, starting from the module-level effects and the entry point. Every
//! allocation has an entry without a decision, which storage assignment makes later.
//!
//! Recursion follows the nesting of the source; callers provide a large stack.

mod apply;
mod binding;
mod body;
mod builder;
mod call;
mod capture;
mod checked;
mod conversion;
mod declarations;
mod declared;
mod enums;
mod environment;
mod equality;
mod expression;
mod extent;
mod foreign;
mod function;
mod global;
pub(crate) mod hash;
mod instance;
mod log;
mod matching;
mod minimise;
mod operation;
mod partial;
pub(crate) mod show;
#[cfg(test)]
mod tests;
mod text;
mod usage;
mod view;

use apply::Applications;
use capture::Captures;
use clef_base::{Diagnostic, HashMap};
use clef_core::{FunctionId, Program, Shared, verify};
use clef_psg::Psg;
use clef_types::{EnumId, IntegerType, TargetFacts, Type, TypeKind, Types};
use declarations::Declarations;
use function::Job;
use instance::Instances;
use std::collections::VecDeque;
use usage::Usage;

/// Lowers a checked program, and minimises its captures.
pub fn lower(psg: &Psg, facts: TargetFacts, names: Names) -> Result<Program, Vec<Diagnostic>> {
    let mut program = translate(psg, facts, names)?;
    minimise(&mut program, names);
    Ok(program)
}

/// Lowers a checked program with the captures that scopes require. The only errors are a generic function used at too large a
/// type or at too many types, a value with too many parts, and a pattern with too many alternatives. Until [`minimise`] the
/// invariants of `core` do not hold: what is used as a constant may have captures that it does not need.
pub fn translate(psg: &Psg, facts: TargetFacts, names: Names) -> Result<Program, Vec<Diagnostic>> {
    let too_many_ways = matching::check(psg);
    if !too_many_ways.is_empty() {
        return Err(too_many_ways);
    }
    let mut lowering = Lowering::new(psg, facts, names);
    lowering.exports();
    let start = lowering.start();
    lowering.drain();
    lowering.dispatch();
    if !lowering.diagnostics.is_empty() {
        return Err(lowering.diagnostics);
    }
    let program = lowering.finish(start);
    match extent::check(&program) {
        Some(diagnostic) => Err(vec![diagnostic]),
        None => Ok(program),
    }
}

/// Removes captures that a program does not need, and functions that are then unreachable.
pub fn minimise(program: &mut Program, names: Names) {
    minimise::minimise(program, names);
    clef_core::dead_functions::remove(program);
    if cfg!(debug_assertions) {
        verify::assert_valid(program, "lower");
    }
}

/// Which variables of the source have locals of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// Those that the program needs: neither constants nor other names of a variable.
    Needed,
    /// All, so that a debugger shows them.
    All,
}

/// The state of one lowering.
struct Lowering<'psg> {
    psg: &'psg Psg,
    facts: TargetFacts,
    names: Names,
    usage: Usage,
    captures: Captures,
    types: Types,
    /// The types that are enums in the graph.
    enums: HashMap<Type, EnumId>,
    core: Declarations,
    instances: Instances,
    /// Bodies to be lowered.
    jobs: VecDeque<Job>,
    /// Calls of functions of unknown arity.
    applications: Applications,
    diagnostics: Vec<Diagnostic>,
}

impl<'psg> Lowering<'psg> {
    fn new(psg: &'psg Psg, facts: TargetFacts, names: Names) -> Lowering<'psg> {
        let usage = usage::analyse(psg);
        let captures = capture::analyse(psg, &usage);
        let mut types = psg.types.clone();
        let enums = types.erase_enums();
        Lowering {
            psg,
            facts,
            names,
            usage,
            captures,
            types,
            enums,
            core: Declarations::default(),
            instances: Instances::default(),
            jobs: VecDeque::new(),
            applications: Applications::default(),
            diagnostics: Vec::new(),
        }
    }

    /// Lowers the pending bodies, and those added meanwhile.
    fn drain(&mut self) {
        while let Some(job) = self.jobs.pop_front() {
            self.body(job);
            if !self.diagnostics.is_empty() {
                return;
            }
        }
    }

    fn finish(mut self, start: FunctionId) -> Program {
        let declared = declared::describe(&mut self);
        Program {
            types: self.types,
            declared,
            functions: self.core.functions,
            globals: self.core.globals,
            allocations: self.core.allocations,
            start,
            arity_tagged: self.applications.tagged,
            stored: Vec::new(),
            shared: Shared::default(),
            is_library: false,
            nesting: None,
        }
    }

    fn int(&mut self) -> Type {
        self.types.intern(TypeKind::Integer(IntegerType::Int))
    }

    fn bool(&mut self) -> Type {
        self.types.intern(TypeKind::Bool)
    }

    fn unit(&mut self) -> Type {
        self.types.intern(TypeKind::Unit)
    }

    fn string(&mut self) -> Type {
        self.types.intern(TypeKind::String)
    }

    /// A type in source syntax.
    fn type_name(&self, ty: Type) -> String {
        declared::type_name(self.psg, &self.types, ty)
    }
}
