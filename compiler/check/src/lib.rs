//! From syntax trees to the program semantic graph: names, types and captures in one pass, then matches.
//!
//! In: the files of the library and of the program, in order. Out: a [`Psg`] that satisfies every invariant of its module,
//! or errors; warnings in both cases. Type inference is Hindley-Milner with levels (Rémy 1992; Kiselyov, "How OCaml type
//! checker works", 2013). Expectations are propagated downwards, so that a mismatch is reported where it arises, with the
//! place that caused the expectation.

mod abbreviations;
mod apply;
mod arrays;
mod attributes;
mod bindings;
mod builtin;
mod captures;
mod case_fields;
mod comprehensions;
mod constants;
mod control;
mod declarations;
mod enums;
mod expr;
mod files;
mod flexible;
mod for_in;
mod foreign;
mod formats;
mod generalise;
mod indexing;
mod interpolation;
mod lambda;
mod lazy;
mod library;
mod lists;
mod literal_operands;
mod literals;
mod measure_types;
mod members;
mod module_bindings;
mod name_of;
mod names;
mod near;
mod operators;
mod origins;
mod paths;
mod pattern;
mod pipeline;
mod polymorphic;
mod printf;
mod products;
mod ranges;
mod records;
mod report;
mod resources;
mod sequence;
mod test_cases;
mod type_declarations;
mod types;
mod unsupported;
mod zeros;

use captures::Frame;
use clef_analysis::{
    ffi_boundary,
    matches::{self, Match},
    sections,
    sequences::{self, Generator},
};
use clef_base::{Diagnostic, Severity, SourceMap, Span, Symbol, diagnostic::has_errors};
use clef_infer::{Inference, LARGEST_TYPE, Ty};
use clef_psg::{LambdaId, Node, NodeId, NodeKind, Psg, VariableId};
use clef_syntax::ast::Ast;
use clef_types::{CaseId, Intrinsic, Sizes, TargetFacts, Type, TypeKind, TypeParameterId};
use names::Names;
use report::Expect;
use std::collections::{HashMap, HashSet};

/// One source file.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// Its syntax.
    pub ast: &'a Ast,
    /// Its owner.
    pub owner: Owner,
}

/// The owner of a source file. An `internal` name is visible to its owner only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The embedded library.
    Library,
    /// A project: the program's own, or one that it depends on.
    Project(u32),
}

/// Checks a program: the units of the library first, then those of the program in order. Returns the graph unless a
/// diagnostic is an error.
pub fn check(units: &[Unit<'_>], sources: &SourceMap, facts: TargetFacts) -> (Option<Psg>, Vec<Diagnostic>) {
    checked(units, sources, facts, false, Checker::finish)
}

/// Checks a program that runs its tests in place of its entry point.
pub fn check_tests(units: &[Unit<'_>], sources: &SourceMap, facts: TargetFacts) -> (Option<Psg>, Vec<Diagnostic>) {
    checked(units, sources, facts, true, |mut checker| {
        checker.run_tests();
        checker.finish()
    })
}

fn checked<'a>(
    units: &'a [Unit<'a>],
    sources: &'a SourceMap,
    facts: TargetFacts,
    runs_tests: bool,
    finish: impl FnOnce(Checker<'a>) -> (Option<Psg>, Vec<Diagnostic>),
) -> (Option<Psg>, Vec<Diagnostic>) {
    let Some(first) = units.first() else { return (Some(Psg::default()), Vec::new()) };
    let mut checker = Checker::new(first.ast, sources, facts);
    checker.runs_tests = runs_tests;
    checker.declare_builtins();
    checker.units(units);
    finish(checker)
}

/// The library, checked once for many programs.
#[derive(Clone)]
pub struct Library<'a>(Checker<'a>);

impl<'a> Library<'a> {
    /// Checks the units of the library; `None` without units.
    pub fn check(units: &'a [Unit<'a>], sources: &'a SourceMap, facts: TargetFacts) -> Option<Library<'a>> {
        let mut checker = Checker::new(units.first()?.ast, sources, facts);
        checker.declare_builtins();
        checker.units(units);
        Some(Library(checker))
    }

    /// Returns what [`check`] would for the units of the library and then a program. `sources` starts with the files of the
    /// library, followed by those of the program.
    pub fn with_program<'b>(&self, units: &'b [Unit<'b>], sources: &'b SourceMap) -> (Option<Psg>, Vec<Diagnostic>)
    where
        'a: 'b,
    {
        let mut checker: Checker<'b> = self.0.clone();
        checker.sources = sources;
        checker.units(units);
        checker.finish()
    }
}

/// Facts about a variable that are not in the graph.
#[derive(Clone)]
struct VariableFacts {
    ty: Ty,
    /// The number of lambdas around its definition.
    depth: usize,
    /// Its recursive group is being checked: it is not generalised yet.
    group_open: bool,
    /// Its recursive group is being checked, and its type is written out.
    written: bool,
    used: bool,
    /// It is a value that is evaluated at each use, `let size<'a> = …`: a function of unit.
    computed: bool,
    /// `let` binds it alone: `mutable` can be inserted before it.
    bound_by_let: bool,
    /// A warning is reported if it is never used.
    warn_unused: bool,
}

/// A library function that is an intrinsic.
#[derive(Clone)]
struct IntrinsicFacts {
    intrinsic: Intrinsic,
    generics: Vec<TypeParameterId>,
    ty: Ty,
}

/// A type variable that the source names.
#[derive(Clone)]
struct NamedType {
    ty: Ty,
    /// Its kind, once a use determines it.
    kind: Option<types::Kind>,
    /// Its first occurrence.
    span: Span,
}

/// The state of one run of [`check`].
#[derive(Clone)]
struct Checker<'a> {
    sources: &'a SourceMap,
    facts: TargetFacts,
    ast: &'a Ast,
    library: bool,
    /// Whether the program runs its tests in place of its entry point.
    runs_tests: bool,
    /// The number of types that the library declares: they come first.
    library_types: u32,
    /// The files after the current one.
    later: &'a [Unit<'a>],
    psg: Psg,
    unit_type: Type,
    inference: Inference,
    names: Names,
    node_types: Vec<Ty>,
    pattern_types: Vec<Ty>,
    variables: Vec<VariableFacts>,
    intrinsics: Vec<IntrinsicFacts>,
    instantiations: Vec<(NodeId, Vec<Ty>)>,
    /// Uses of variables whose group is open.
    group_uses: Vec<(NodeId, VariableId)>,
    /// Uses of variables whose group is open and whose types are written out.
    written_uses: Vec<polymorphic::WrittenUse>,
    constants: HashMap<VariableId, (clef_psg::Literal, Ty)>,
    case_fields: HashMap<CaseId, Vec<Ty>>,
    frames: Vec<Frame>,
    /// The functions whose own definitions are being checked and that are not recursive, with the `let` that binds each.
    being_bound: Vec<(Symbol, Span)>,
    /// A type declaration was erroneous, and may have had the fields that are not found.
    broken_types: bool,
    /// The functions named `mut` that were reported, since a mutable variable was meant.
    taken_for_mutable: HashSet<VariableId>,
    /// Named type variables in scope, a table per binding.
    type_variables: Vec<HashMap<Symbol, NamedType>>,
    /// Matches to be checked when all types are known.
    matches: Vec<Match>,
    /// Uses of `enum` whose integer type or enum is not known yet.
    enum_conversions: Vec<(Ty, Ty, Span)>,
    /// Products and roots of numbers whose types are not known yet.
    products: Vec<products::Product>,
    /// Those of `inline` functions, over their type parameters.
    generic_products: HashMap<VariableId, Vec<products::Product>>,
    /// Statements of sequences that yield an element; each is a sequence of that one element.
    yields: HashSet<NodeId>,
    /// Conversion nodes and the collections that they convert to sequences, not resolved yet.
    conversions: Vec<(NodeId, NodeId)>,
    /// The enumerators of sequences, inner ones first.
    generators: Vec<(LambdaId, Ty)>,
    /// Module-level variables that the value restriction prevented from being generalised.
    restricted: Vec<VariableId>,
    counter: u32,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn new(ast: &'a Ast, sources: &'a SourceMap, facts: TargetFacts) -> Checker<'a> {
        let mut psg = Psg::default();
        let unit_type = psg.types.intern(TypeKind::Unit);
        Checker {
            sources,
            facts,
            ast,
            library: false,
            runs_tests: false,
            library_types: 0,
            later: &[],
            psg,
            unit_type,
            inference: Inference::default(),
            names: Names::new(),
            node_types: Vec::new(),
            pattern_types: Vec::new(),
            variables: Vec::new(),
            intrinsics: Vec::new(),
            instantiations: Vec::new(),
            group_uses: Vec::new(),
            written_uses: Vec::new(),
            constants: HashMap::new(),
            case_fields: HashMap::new(),
            frames: Vec::new(),
            being_bound: Vec::new(),
            broken_types: false,
            taken_for_mutable: HashSet::new(),
            type_variables: Vec::new(),
            matches: Vec::new(),
            enum_conversions: Vec::new(),
            products: Vec::new(),
            yields: HashSet::new(),
            conversions: Vec::new(),
            generators: Vec::new(),
            generic_products: HashMap::new(),
            restricted: Vec::new(),
            counter: 0,
            diagnostics: Vec::new(),
        }
    }

    /// Checks files in order; each sees those before it.
    fn units(&mut self, units: &'a [Unit<'a>]) {
        for (index, unit) in units.iter().enumerate() {
            self.ast = unit.ast;
            self.library = unit.owner == Owner::Library;
            self.names.owner = unit.owner;
            self.later = &units[index + 1..];
            self.find_collections();
            self.unit();
            if self.library {
                self.library_types = self.psg.declared_types.len() as u32;
            }
        }
    }

    /// Defers a match until all types are known.
    fn look_at_later(&mut self, pending: Match) {
        if !self.library {
            self.matches.push(pending);
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.library && diagnostic.severity == Severity::Warning {
            return;
        }
        self.diagnostics.push(diagnostic);
    }

    /// Adds a node; its type is interned at the end.
    fn node(&mut self, kind: NodeKind, ty: Ty, span: Span) -> NodeId {
        self.node_types.push(ty);
        self.psg.nodes.alloc(Node { kind, ty: self.unit_type, span })
    }

    fn type_of(&self, node: NodeId) -> Ty {
        self.node_types[node.into_raw().into_u32() as usize].clone()
    }

    fn span_of(&self, node: NodeId) -> Span {
        self.psg.nodes[node].span
    }

    /// A placeholder for an erroneous expression.
    fn error_node(&mut self, span: Span) -> NodeId {
        self.node(NodeKind::Literal(clef_psg::Literal::Unit), Ty::error(), span)
    }

    fn unit_node(&mut self, span: Span) -> NodeId {
        self.node(NodeKind::Literal(clef_psg::Literal::Unit), Ty::unit(), span)
    }

    fn bool_node(&mut self, value: bool, span: Span) -> NodeId {
        self.node(NodeKind::Literal(clef_psg::Literal::Bool(value)), Ty::bool(), span)
    }

    fn pattern(&mut self, kind: clef_psg::PatternKind, ty: Ty, span: Span) -> clef_psg::PatternId {
        self.pattern_types.push(ty);
        self.psg.patterns.alloc(clef_psg::Pattern { kind, ty: self.unit_type, span })
    }

    /// Unifies the type of an expression with the expected one.
    fn expect(&mut self, span: Span, expect: &Expect, actual: &Ty) {
        if let Err(error) = self.inference.unify(&expect.ty, actual) {
            self.report_mismatch(span, expect, actual, &error);
        }
    }

    fn variable_facts(&mut self, variable: VariableId) -> &mut VariableFacts {
        &mut self.variables[variable.into_raw().into_u32() as usize]
    }

    /// Writes all types into the graph, then runs the analyses that depend on them.
    fn finish(mut self) -> (Option<Psg>, Vec<Diagnostic>) {
        self.library = false;
        self.settle_products();
        self.report_enum_conversions();
        self.report_restricted();
        self.settle_conversions();
        self.intern_types();
        if !has_errors(&self.diagnostics) {
            self.expand_zero_arrays();
        }
        if !has_errors(&self.diagnostics) {
            self.report_unused();
            self.report_unused_opens();
            for pending in std::mem::take(&mut self.matches) {
                self.diagnostics.extend(matches::check(&mut self.psg, &pending));
            }
            self.diagnostics.extend(ffi_boundary::check(&mut self.psg));
            self.diagnostics.extend(sections::check(&self.psg));
        }
        if !has_errors(&self.diagnostics) {
            for (lambda, item) in std::mem::take(&mut self.generators) {
                let item = self.inference.finish(&item, &mut self.psg.types);
                let generator = Generator { lambda, item };
                self.diagnostics.extend(sequences::expand(&mut self.psg, &self.yields, generator));
            }
        }
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|label| label.span));
        if has_errors(&self.diagnostics) {
            return (None, self.diagnostics);
        }
        (Some(self.psg), self.diagnostics)
    }

    /// Removes units of measure from the parameters of types and variables.
    fn drop_measures(&mut self) {
        let inference = &self.inference;
        for declared in self.psg.declared_types.values_mut() {
            declared.parameters.retain(|&parameter| !inference.is_measure_parameter(parameter));
        }
        for variable in self.psg.variables.values_mut() {
            variable.generics.retain(|&parameter| !inference.is_measure_parameter(parameter));
        }
    }

    fn intern_types(&mut self) {
        let mut sizes = Sizes::default();
        let mut large = None;
        for (index, ty) in std::mem::take(&mut self.node_types).into_iter().enumerate() {
            let ty = self.inference.finish(&ty, &mut self.psg.types);
            let node = NodeId::from_raw(la_arena::RawIdx::from_u32(index as u32));
            self.psg.nodes[node].ty = ty;
            large = large.or((sizes.of(&self.psg.types, ty) > LARGEST_TYPE).then_some(node));
        }
        if let Some(node) = large.filter(|_| !has_errors(&self.diagnostics)) {
            self.report_large(self.span_of(node));
        }
        for (index, ty) in std::mem::take(&mut self.pattern_types).into_iter().enumerate() {
            let id = clef_psg::PatternId::from_raw(la_arena::RawIdx::from_u32(index as u32));
            let ty = self.inference.finish(&ty, &mut self.psg.types);
            self.psg.patterns[id].ty = ty;
        }
        self.drop_measures();
        for index in 0..self.variables.len() {
            let ty = self.inference.finish(&self.variables[index].ty.clone(), &mut self.psg.types);
            self.psg.variables[VariableId::from_raw(la_arena::RawIdx::from_u32(index as u32))].ty = ty;
        }
        for (node, types) in std::mem::take(&mut self.instantiations) {
            let types = self.inference.without_measures(&types);
            let types = types.iter().map(|ty| self.inference.finish(ty, &mut self.psg.types)).collect();
            if let NodeKind::Variable { instantiation, .. } | NodeKind::Case { instantiation, .. } =
                &mut self.psg.nodes[node].kind
            {
                *instantiation = types;
            }
        }
    }
}
