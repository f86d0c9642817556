//! Programs that grow by entries, for interactive use.
//!
//! In: the library, and then entries, each of which sees the names of those before it. Out: for each entry, the graph of the
//! program so far, or errors. Holds:
//!
//! - Nothing in the graph changes when an entry is added: what it names keeps its place and its type, so that values of
//!   earlier entries stay valid.
//! - All types are known at the end of an entry. An entry whose types are undecided is an error.
//! - An entry with errors leaves no trace.
//!
//! All entries are in one module. Each may declare again what earlier ones have declared: the later declaration hides the
//! earlier one.

use crate::{
    checker::Checker,
    state::{Input, Unit},
};
use clef_base::{Diagnostic, HashMap, SourceMap, Symbol, codes};
use clef_infer::{Printer, Ty};
use clef_psg::{Item, Psg, VariableId};
use clef_scopes::{Meaning, Names, Owner};
use clef_syntax::{
    ast::{Ast, Declaration, DeclarationKind},
    entry::{VALUE, name_value},
};
use clef_types::TargetFacts;

/// The module of the entries.
const MODULE: &str = "Entries";

/// A program so far.
pub struct Entries(Checker<'static>);

/// A checked entry, which is no part of the program yet.
pub struct Checked {
    checker: Checker<'static>,
    /// The names before it.
    before: Names,
    declared: Vec<Declared>,
    /// The types of the values that it declares, as the source would write them.
    types: HashMap<VariableId, String>,
}

/// What an entry declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    /// A value or function.
    Value(VariableId),
    /// A type.
    Type(Symbol),
    /// A module.
    Module(Symbol),
}

impl Entries {
    /// A program without entries; `None` without units of the library.
    pub fn new(library: &[Unit<'_>], sources: &SourceMap, facts: TargetFacts) -> Option<Entries> {
        let mut checker = Checker::new(library.first()?.ast, sources, facts, false);
        checker.units(library);
        if let Some(first) = checker.complete().first() {
            let place = first.primary.as_ref().map(|label| label.span);
            clef_base::internal::bug("check", place, format!("the library: {}", first.message));
        }
        let module = checker.names.enter(checker.names.root, Symbol::new(MODULE), false);
        checker.names.current = module;
        Some(Entries(checker.with_input(Input::nothing(facts))))
    }

    /// Checks an entry: declarations, or a file with a header. An expression at its end is bound to [`VALUE`].
    pub fn check(&self, mut ast: Ast, sources: &SourceMap) -> (Option<Checked>, Vec<Diagnostic>) {
        name_value(&mut ast);
        let facts = self.0.input.facts;
        let before = self.0.names.clone();
        let mut checker = self.0.clone().with_input(Input { sources, ast: &ast, ..self.0.input });
        let first = checker.graph.psg.items.len();
        checker.graph.resume();
        checker.graph.psg.entry = None;
        // Symbols of earlier entries may be declared again.
        checker.graph.psg.imports.clear();
        checker.graph.psg.exports.clear();
        checker.names.owner = Owner::Project(0);
        checker.declarations_of_entry(&ast);
        checker.settle_value();
        let last = checker.graph.psg.items.len();
        let mut diagnostics = checker.complete();
        diagnostics.retain(|diagnostic| is_of(diagnostic, &ast) && diagnostic.code != codes::UNUSED_OPEN);
        if clef_base::diagnostic::has_errors(&diagnostics) {
            return (None, diagnostics);
        }
        move_to_entry(&mut checker.graph.psg.items, first, last);
        let declared = checker.declared_by(&ast);
        let types = checker.types_of(&declared);
        let checker = checker.with_input(Input::nothing(facts));
        (Some(Checked { checker, before, declared, types }), diagnostics)
    }

    /// Adds an entry, which was checked after those that the program has.
    pub fn add(&mut self, entry: Checked) {
        self.0 = entry.checker;
    }

    /// Adds the code of an entry, to which values may refer, but none of its names.
    pub fn add_unnamed(&mut self, entry: Checked) {
        self.0 = Checker { names: entry.before, ..entry.checker };
    }
}

impl Checked {
    /// The program up to this entry.
    pub fn psg(&self) -> &Psg {
        &self.checker.graph.psg
    }

    /// What it declares, in order.
    pub fn declared(&self) -> &[Declared] {
        &self.declared
    }

    /// The type of a value that it declares, with units of measure; empty for other values.
    pub fn type_of(&self, variable: VariableId) -> &str {
        self.types.get(&variable).map_or("", String::as_str)
    }
}

impl Checker<'_> {
    /// Checks the declarations of an entry. Those without a header stay in scope.
    fn declarations_of_entry(&mut self, ast: &Ast) {
        self.find_collections();
        self.names.restart_module();
        let is_namespace = |declaration: &Declaration| matches!(declaration.kind, DeclarationKind::Namespace(_));
        match &ast.header {
            Some(header) => {
                let path: Vec<Symbol> = header.path.segments.iter().map(|name| name.symbol).collect();
                if !header.namespace {
                    self.names.forget_module(&path);
                }
                self.unit();
            }
            None if ast.declarations.iter().any(is_namespace) => self.unit(),
            None => self.declarations(&ast.declarations),
        }
    }

    /// Makes `unit` the type of an expression that has any type, such as `exit 1`.
    fn settle_value(&mut self) {
        let values = &self.names.modules[self.names.current].values;
        let Some(entry) = values.get(&Symbol::new(VALUE)) else { return };
        let Meaning::Variable(variable) = entry.meaning else { return };
        let ty = self.graph.facts(variable).ty.clone();
        if let Ty::Variable(_) = self.inference.shallow(&ty) {
            // A variable that must be a number stays one.
            let _ = self.inference.unify(&ty, &Ty::unit());
        }
    }

    /// What a checked entry has declared.
    fn declared_by(&self, ast: &Ast) -> Vec<Declared> {
        if let Some(header) = &ast.header {
            let path: Vec<&str> = header.path.segments.iter().map(|name| name.symbol.as_str()).collect();
            return vec![Declared::Module(Symbol::new(&path.join(".")))];
        }
        let mut declared = Vec::new();
        for declaration in &ast.declarations {
            match &declaration.kind {
                DeclarationKind::Let(_) => declared.extend(self.values_within(declaration)),
                DeclarationKind::Types(types) => declared.extend(types.iter().map(|ty| Declared::Type(ty.name.symbol))),
                DeclarationKind::Module { name, .. } | DeclarationKind::ModuleAlias { name, .. } => {
                    declared.push(Declared::Module(name.symbol));
                }
                DeclarationKind::Effect(_)
                | DeclarationKind::Open(_)
                | DeclarationKind::Namespace(_)
                | DeclarationKind::Unsupported(_)
                | DeclarationKind::Error => {}
            }
        }
        declared
    }

    /// The types of the values among declarations.
    fn types_of(&mut self, declared: &[Declared]) -> HashMap<VariableId, String> {
        let values = declared.iter().filter_map(|declared| match declared {
            Declared::Value(variable) => Some(*variable),
            Declared::Type(_) | Declared::Module(_) => None,
        });
        let mut types = HashMap::default();
        for variable in values {
            let ty = self.graph.facts(variable).ty.clone();
            let text = Printer::new(&mut self.inference, &self.graph.psg).types(&[&ty]).remove(0);
            types.insert(variable, text);
        }
        types
    }

    /// The values that a declaration of the current module binds, in order.
    fn values_within(&self, declaration: &Declaration) -> Vec<Declared> {
        let values = self.names.modules[self.names.current].values.values();
        let mut values: Vec<VariableId> = values
            .filter_map(|entry| if let Meaning::Variable(variable) = entry.meaning { Some(variable) } else { None })
            .filter(|variable| declaration.span.contains(self.graph.psg.variables[*variable].span))
            .collect();
        values.sort_unstable_by_key(|variable| variable.into_raw());
        values.into_iter().map(Declared::Value).collect()
    }
}

/// Whether a diagnostic is about an entry, and not about an earlier one.
fn is_of(diagnostic: &Diagnostic, ast: &Ast) -> bool {
    diagnostic.primary.as_ref().is_none_or(|label| label.span.file == ast.file)
}

/// Moves the items that the last steps have inserted before all others to the entry that needs them: from `first`, and up to
/// `last` before they were inserted.
fn move_to_entry(items: &mut [Item], first: usize, last: usize) {
    let inserted = items.len() - last;
    items[..first + inserted].rotate_left(inserted);
}
