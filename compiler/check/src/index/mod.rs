//! What editors ask about a program: what a name refers to, where it is declared and used, and its type.
//!
//! In: the state of a checker that has checked all files and recorded what names mean. Out: answers, also for a program with
//! errors: what could not be checked is absent, and a type that is not known is `_`.
//!
//! Holds:
//! - `uses` are in the order of their spans, each once; a declaration is one of them.
//! - the graph is that of the program, if there was no error.
//! - no answer changes another: types are printed as they are at the end of the run.

mod candidates;
mod describe;
mod signature;

pub use candidates::Candidate;
pub use clef_scopes::builtin_facts;
pub use describe::Category;
pub use signature::{Parameter, Signature};

use crate::{
    checker::Checker,
    state::{Declared, GraphBuilder},
};
use clef_base::{Diagnostic, FileId, HashMap, HashSet, Span, Symbol, diagnostic::has_errors};
use clef_infer::Inference;
use clef_psg::{Psg, VariableId};
use clef_scopes::{Entity, ModuleId, Names, Use, Watched};
use la_arena::RawIdx;

/// What is known about a checked program.
pub struct Index {
    graph: GraphBuilder,
    inference: Inference,
    names: Names,
    declared: Declared,
    uses: Vec<Use>,
    /// Where fields are declared.
    fields: HashMap<Entity, Span>,
    /// Where abbreviations and units of measure are declared.
    named: HashMap<(ModuleId, Symbol), Span>,
    watched: Option<Box<Watched>>,
    has_errors: bool,
}

impl Index {
    /// The index of what a checker found.
    pub(crate) fn of(checker: Checker<'_>, diagnostics: &[Diagnostic]) -> Index {
        let Checker { graph, inference, names, declared, recording, .. } = checker;
        let mut uses = recording.uses;
        // An intrinsic, and a field without a column of its own, are recorded twice: the first is what it refers to.
        uses.sort();
        uses.dedup_by(|next, first| next.span == first.span && next.entity == first.entity);
        let is_field = |name: &&Use| name.declares && matches!(name.entity, Entity::Field(..));
        let fields = uses.iter().rev().filter(is_field).map(|name| (name.entity, name.span)).collect();
        let has_errors = has_errors(diagnostics);
        Index {
            graph,
            inference,
            names,
            declared,
            uses,
            fields,
            named: recording.named,
            watched: recording.watched,
            has_errors,
        }
    }

    /// The graph, if there was no error.
    pub fn psg(&self) -> Option<&Psg> {
        (!self.has_errors).then_some(&self.graph.psg)
    }

    /// The uses and declarations in a file, in order.
    pub fn uses_in(&self, file: FileId) -> &[Use] {
        let start = self.uses.partition_point(|name| name.span.file < file);
        let end = self.uses.partition_point(|name| name.span.file <= file);
        &self.uses[start..end]
    }

    /// The name at an offset, or directly before it.
    pub fn at(&self, file: FileId, offset: u32) -> Option<Use> {
        let uses = self.uses_in(file);
        let touches = |name: &&Use| name.span.start <= offset && offset <= name.span.end;
        let found =
            uses.iter().filter(touches).min_by_key(|name| (name.span.end == offset, name.span.end - name.span.start));
        found.copied()
    }

    /// All uses of an entity and its declaration, in order.
    pub fn uses_of(&self, entity: Entity) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |name| name.entity == entity)
    }

    /// Where an entity is declared. What the language itself defines has no declaration.
    pub fn declaration(&self, entity: Entity) -> Option<Span> {
        let psg = &self.graph.psg;
        match entity {
            Entity::Variable(variable) => Some(psg.variables[variable].span).filter(|span| span.start < span.end),
            Entity::Case(case) => Some(psg.cases[case].span),
            Entity::Field(..) => self.fields.get(&entity).copied(),
            Entity::EnumValue(id, index) => Some(psg.enums[id].values[index].span),
            Entity::Intrinsic(index) => Some(psg.variables[self.declared.intrinsics[index].variable].span),
            Entity::Type(declared) => Some(psg.declared_types[declared].span),
            Entity::Enum(id) => Some(psg.enums[id].span),
            Entity::Named(span) => Some(span),
            Entity::Module(number) => self.names.modules[la_arena::Idx::from_raw(RawIdx::from_u32(number))].declared,
            Entity::Builtin(_) => None,
        }
    }

    /// The name of a variable, qualified by its modules.
    pub fn path(&self, variable: VariableId) -> Symbol {
        self.graph.psg.variables[variable].path
    }

    /// Whether a variable names a function where it is bound: one that is written there, not one that is computed.
    pub fn is_named_function(&self, variable: VariableId) -> bool {
        self.graph.psg.lambdas.values().any(|lambda| lambda.name == Some(variable))
    }

    /// The variables that are parameters of functions and lambdas.
    pub fn parameters(&self) -> HashSet<VariableId> {
        self.graph.psg.lambdas.values().flat_map(|lambda| lambda.params.iter().copied()).collect()
    }
}
