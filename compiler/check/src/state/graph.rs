//! The graph while it is built.
//!
//! In: nodes, patterns and variables with types that may contain type variables. Out: at the end, a graph whose types are
//! interned. Until then the types in the graph are placeholders: the types of inference are in tables beside it, indexed as
//! the arenas of the graph are.

use clef_base::{HashMap, Span};
use clef_infer::{Inference, LARGEST_TYPE, Printer, Ty};
use clef_psg::{Literal, Node, NodeId, NodeKind, Pattern, PatternId, PatternKind, Psg, Variable, VariableId};
use clef_types::{DeclaredTypeId, Sizes, Type, TypeKind, TypeParameterId};
use la_arena::RawIdx;

/// Facts about a variable that are not in the graph.
#[derive(Clone)]
pub(crate) struct VariableFacts {
    pub(crate) ty: Ty,
    /// The number of lambdas around its definition.
    pub(crate) depth: usize,
    /// Its recursive group is being checked: it is not generalised yet.
    pub(crate) group_open: bool,
    /// Its recursive group is being checked, and its type is fully annotated.
    pub(crate) written: bool,
    pub(crate) used: bool,
    /// It is a value that is evaluated at each use, `let size<'a> = …`: a function of unit.
    pub(crate) computed: bool,
    /// `let` binds it alone: `mutable` can be inserted before it.
    pub(crate) bound_by_let: bool,
    /// A warning is reported if it is never used.
    pub(crate) warn_unused: bool,
}

impl VariableFacts {
    /// A variable that is defined within `depth` lambdas.
    pub(crate) fn new(ty: Ty, depth: usize) -> VariableFacts {
        VariableFacts {
            ty,
            depth,
            group_open: false,
            written: false,
            used: false,
            computed: false,
            bound_by_let: false,
            warn_unused: false,
        }
    }
}

/// A graph under construction.
#[derive(Clone)]
pub(crate) struct GraphBuilder {
    pub(crate) psg: Psg,
    /// The placeholder for types that are not interned yet.
    unit_type: Type,
    node_types: Vec<Ty>,
    pattern_types: Vec<Ty>,
    variables: Vec<VariableFacts>,
    /// The type arguments of uses of generic variables and cases.
    pub(crate) instantiations: Vec<(NodeId, Vec<Ty>)>,
    /// The number of generated names in the current file.
    generated: u32,
    /// What has its final types already.
    finished: Finished,
    /// The type parameters of what has parameters that are units of measure, which the final graph lacks.
    with_measures: WithMeasures,
}

/// All type parameters of types and variables, of which some are units of measure.
#[derive(Clone, Default)]
struct WithMeasures {
    types: HashMap<DeclaredTypeId, Vec<TypeParameterId>>,
    variables: HashMap<VariableId, Vec<TypeParameterId>>,
}

/// The numbers of nodes, patterns and variables whose types are interned.
#[derive(Clone, Copy, Default)]
struct Finished {
    nodes: usize,
    patterns: usize,
    variables: usize,
}

impl Default for GraphBuilder {
    fn default() -> GraphBuilder {
        let mut psg = Psg::default();
        let unit_type = psg.types.intern(TypeKind::Unit);
        GraphBuilder {
            psg,
            unit_type,
            node_types: Vec::new(),
            pattern_types: Vec::new(),
            variables: Vec::new(),
            instantiations: Vec::new(),
            generated: 0,
            finished: Finished::default(),
            with_measures: WithMeasures::default(),
        }
    }
}

impl GraphBuilder {
    /// Adds a node.
    pub(crate) fn node(&mut self, kind: NodeKind, ty: Ty, span: Span) -> NodeId {
        self.node_types.push(ty);
        self.psg.nodes.alloc(Node { kind, ty: self.unit_type, span })
    }

    /// The type of a node.
    pub(crate) fn type_of(&self, node: NodeId) -> Ty {
        self.node_types[node.into_raw().into_u32() as usize].clone()
    }

    /// Whether a node was made by the checker, and has a type of inference: later steps add others.
    pub(crate) fn has_type(&self, node: NodeId) -> bool {
        (node.into_raw().into_u32() as usize) < self.node_types.len()
    }

    /// The place of a node.
    pub(crate) fn span_of(&self, node: NodeId) -> Span {
        self.psg.nodes[node].span
    }

    /// A placeholder for an erroneous expression.
    pub(crate) fn error_node(&mut self, span: Span) -> NodeId {
        self.node(NodeKind::Literal(Literal::Unit), Ty::error(), span)
    }

    /// `()`.
    pub(crate) fn unit_node(&mut self, span: Span) -> NodeId {
        self.node(NodeKind::Literal(Literal::Unit), Ty::unit(), span)
    }

    /// `true` or `false`.
    pub(crate) fn bool_node(&mut self, value: bool, span: Span) -> NodeId {
        self.node(NodeKind::Literal(Literal::Bool(value)), Ty::bool(), span)
    }

    /// Adds a pattern.
    pub(crate) fn pattern(&mut self, kind: PatternKind, ty: Ty, span: Span) -> PatternId {
        self.pattern_types.push(ty);
        self.psg.patterns.alloc(Pattern { kind, ty: self.unit_type, span })
    }

    /// Adds a variable; `describe` takes the placeholder of its type.
    pub(crate) fn variable(&mut self, facts: VariableFacts, describe: impl FnOnce(Type) -> Variable) -> VariableId {
        self.variables.push(facts);
        self.psg.variables.alloc(describe(self.unit_type))
    }

    /// The facts about a variable.
    pub(crate) fn facts(&mut self, variable: VariableId) -> &mut VariableFacts {
        &mut self.variables[variable.into_raw().into_u32() as usize]
    }

    /// All variables with their facts, in order of definition.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&Variable, &VariableFacts)> {
        self.psg.variables.values().zip(&self.variables)
    }

    /// The type arguments of a use; `None` if it has none.
    pub(crate) fn instantiation(&self, node: NodeId) -> Option<Vec<Ty>> {
        self.instantiations.iter().rev().find(|(of, _)| *of == node).map(|(_, types)| types.clone())
    }

    /// Restarts the numbers of generated names, which are unique within a file.
    pub(crate) fn restart_names(&mut self) {
        self.generated = 0;
    }

    /// A name that the source cannot have: `stem$0`.
    pub(crate) fn generated_name(&mut self, stem: &str) -> String {
        let name = format!("{stem}${}", self.generated);
        self.generated += 1;
        name
    }

    /// Interns all types. Returns the first node whose type has more than [`LARGEST_TYPE`] parts.
    pub(crate) fn intern_types(&mut self, inference: &mut Inference) -> Option<NodeId> {
        let mut sizes = Sizes::default();
        let mut large = None;
        for (index, ty) in self.node_types.iter().enumerate().skip(self.finished.nodes) {
            let ty = inference.finish(ty, &mut self.psg.types);
            let node = NodeId::from_raw(RawIdx::from_u32(index as u32));
            self.psg.nodes[node].ty = ty;
            large = large.or((sizes.of(&self.psg.types, ty) > LARGEST_TYPE).then_some(node));
        }
        for (index, ty) in self.pattern_types.iter().enumerate().skip(self.finished.patterns) {
            let id = PatternId::from_raw(RawIdx::from_u32(index as u32));
            self.psg.patterns[id].ty = inference.finish(ty, &mut self.psg.types);
        }
        self.note_quantities(inference);
        self.drop_measures(inference);
        let variables = self.variables.iter().zip(self.psg.variables.values_mut());
        for (facts, variable) in variables.skip(self.finished.variables) {
            variable.ty = inference.finish(&facts.ty, &mut self.psg.types);
        }
        for (node, types) in std::mem::take(&mut self.instantiations) {
            let types = inference.without_measures(&types);
            let types = types.iter().map(|ty| inference.finish(ty, &mut self.psg.types)).collect();
            if let NodeKind::Variable { instantiation, .. } | NodeKind::Case { instantiation, .. } =
                &mut self.psg.nodes[node].kind
            {
                *instantiation = types;
            }
        }
        large
    }

    /// Keeps the types of variables that are numbers with a unit of measure.
    fn note_quantities(&mut self, inference: &mut Inference) {
        let variables = self.variables.iter().zip(self.psg.variables.values()).skip(self.finished.variables);
        let mut found = Vec::new();
        for (facts, variable) in variables {
            let is_quantity = match inference.shallow(&facts.ty) {
                Ty::Constructor(constructor, parts) => constructor.is_number() && !parts.is_empty(),
                Ty::Variable(_) => false,
            };
            if is_quantity && Printer::new(inference, &self.psg).unit(&facts.ty) != "1" {
                let text = Printer::new(inference, &self.psg).types(&[&facts.ty]).remove(0);
                found.push((variable.span, text));
            }
        }
        self.psg.quantities.extend(found);
    }

    /// Prepares a graph whose types are interned for more declarations, which see its types and variables with their units of
    /// measure; else what it has stays as it is. What the last steps have added gets types of inference, which nothing reads.
    pub(crate) fn resume(&mut self) {
        let WithMeasures { types, variables } = std::mem::take(&mut self.with_measures);
        for (declared, parameters) in types {
            self.psg.declared_types[declared].parameters = parameters;
        }
        for (variable, generics) in variables {
            self.psg.variables[variable].generics = generics;
        }
        self.node_types.resize(self.psg.nodes.len(), Ty::error());
        self.pattern_types.resize(self.psg.patterns.len(), Ty::error());
        self.variables.resize(self.psg.variables.len(), VariableFacts::new(Ty::error(), 0));
        self.finished = Finished {
            nodes: self.node_types.len(),
            patterns: self.pattern_types.len(),
            variables: self.variables.len(),
        };
    }

    /// Removes units of measure from the parameters of types and variables.
    fn drop_measures(&mut self, inference: &Inference) {
        for (id, declared) in self.psg.declared_types.iter_mut() {
            if let Some(all) = without_measures(&mut declared.parameters, inference) {
                self.with_measures.types.insert(id, all);
            }
        }
        for (id, variable) in self.psg.variables.iter_mut() {
            if let Some(all) = without_measures(&mut variable.generics, inference) {
                self.with_measures.variables.insert(id, all);
            }
        }
    }
}

/// Removes units of measure from type parameters. Returns all, if there were any.
fn without_measures(parameters: &mut Vec<TypeParameterId>, inference: &Inference) -> Option<Vec<TypeParameterId>> {
    let any = parameters.iter().any(|&parameter| inference.is_measure_parameter(parameter));
    let all = any.then(|| parameters.clone());
    parameters.retain(|&parameter| !inference.is_measure_parameter(parameter));
    all
}
