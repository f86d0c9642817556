//! `Array.zeroCreate`: arrays of zeros, for every type that has a zero.
//!
//! In: a graph whose types are known. Out: the same with `Array.zeros zero` in place of each use of `Array.zeroCreate`, where
//! `zero` is explicit: 0, `false`, `'\000'`, `None`, and tuples and records of zeros; or a report that the type has none.
//! Types whose default in F# is null have no zero.

use crate::checker::Checker;
use clef_base::{Diagnostic, HashMap, HashSet, Span, codes};
use clef_infer::TypeConstraint;
use clef_psg::{Literal, Node, NodeId, NodeKind, VariableId, print::types::type_text};
use clef_types::{CaseId, DeclaredKind, DeclaredTypeId, Intrinsic, Type, TypeKind};

impl Checker<'_> {
    /// Replaces each use of `Array.zeroCreate` by one with an explicit zero.
    pub(crate) fn expand_zero_arrays(&mut self) {
        let [Some(create), Some(zeros)] = ["zeroCreate", "zeros"].map(|name| self.library_variable("Array", name))
        else {
            return;
        };
        let is_name = |kind: &NodeKind| matches!(kind, NodeKind::Variable { variable, .. } if *variable == create);
        let names: HashSet<NodeId> =
            self.graph.psg.nodes.iter().filter(|(_, node)| is_name(&node.kind)).map(|(id, _)| id).collect();
        if names.is_empty() {
            return;
        }
        let calls = self.graph.psg.nodes.iter().filter_map(|(id, node)| {
            let NodeKind::Apply { function, arguments } = &node.kind else { return None };
            names.contains(function).then(|| (*function, (id, arguments.clone())))
        });
        let mut calls: HashMap<NodeId, (NodeId, Vec<NodeId>)> = calls.collect();
        let mut names: Vec<NodeId> = names.into_iter().collect();
        names.sort_unstable_by_key(|id| id.into_raw());
        for name in names {
            self.expand_zero_array(zeros, name, calls.remove(&name));
        }
    }

    /// Replaces a name, with its call if there is one, by `Array.zeros zero`.
    fn expand_zero_array(&mut self, zeros: VariableId, name: NodeId, call: Option<(NodeId, Vec<NodeId>)>) {
        let Node { kind, ty, span } = self.graph.psg.nodes[name].clone();
        let NodeKind::Variable { instantiation, .. } = kind else { return };
        let Some(&element) = instantiation.first() else { return };
        let Some(zero) = self.zero_of(element, span) else {
            return self.report_no_zero(element, span);
        };
        let function = self.graph.psg.types.intern(TypeKind::Function(element, ty));
        let kind = NodeKind::Variable { variable: zeros, instantiation };
        match call {
            Some((call, arguments)) => {
                self.graph.psg.nodes[name] = Node { kind, ty: function, span };
                let arguments = std::iter::once(zero).chain(arguments).collect();
                self.graph.psg.nodes[call].kind = NodeKind::Apply { function: name, arguments };
            }
            None => {
                let function = self.graph.psg.nodes.alloc(Node { kind, ty: function, span });
                self.graph.psg.nodes[name].kind = NodeKind::Apply { function, arguments: vec![zero] };
            }
        }
    }

    /// The zero of a type, if it has one.
    fn zero_of(&mut self, ty: Type, span: Span) -> Option<NodeId> {
        let kind = match self.graph.psg.types.kind(ty).clone() {
            TypeKind::Unit => NodeKind::Literal(Literal::Unit),
            TypeKind::Bool => NodeKind::Literal(Literal::Bool(false)),
            TypeKind::Char => NodeKind::Literal(Literal::Char('\0')),
            TypeKind::Integer(_) | TypeKind::Enum(..) => NodeKind::Literal(Literal::Integer(0)),
            TypeKind::Float32 | TypeKind::Float64 => NodeKind::Literal(Literal::Float(0.0)),
            TypeKind::Tuple(parts) => NodeKind::Tuple(self.zeros_of(&parts, span)?),
            TypeKind::Declared(declared, arguments) => return self.zero_of_declared(declared, &arguments, ty, span),
            TypeKind::Parameter(parameter) => {
                let constraint = self.inference.parameter_constraint(parameter);
                if !constraint.contains(TypeConstraint::NUMBER) {
                    return None;
                }
                let unit = self.graph.psg.types.intern(TypeKind::Unit);
                let function = self.graph.psg.types.intern(TypeKind::Function(unit, ty));
                let function = self.typed(NodeKind::Intrinsic(Intrinsic::Zero), function, span);
                let argument = self.typed(NodeKind::Literal(Literal::Unit), unit, span);
                NodeKind::Apply { function, arguments: vec![argument] }
            }
            TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => return None,
        };
        Some(self.typed(kind, ty, span))
    }

    fn zeros_of(&mut self, types: &[Type], span: Span) -> Option<Vec<NodeId>> {
        types.iter().map(|ty| self.zero_of(*ty, span)).collect()
    }

    /// `None`, or a record of zeros; a boxed type has no zero, since all elements would share one box.
    fn zero_of_declared(
        &mut self,
        declared: DeclaredTypeId,
        arguments: &[Type],
        ty: Type,
        span: Span,
    ) -> Option<NodeId> {
        let none = self.library_case("Prelude", "None");
        if self.graph.psg.cases[none].owner == declared {
            return Some(self.typed(NodeKind::Case { case: none, instantiation: arguments.to_vec() }, ty, span));
        }
        let described = &self.graph.psg.declared_types[declared];
        let (DeclaredKind::Record, false, &[case]) = (described.kind, described.boxed, described.cases.as_slice())
        else {
            return None;
        };
        let fields = self.types_of_fields(case, arguments);
        let mut values = self.zeros_of(&fields, span)?;
        let (argument, given) = match values.len() {
            1 => (values.remove(0), fields[0]),
            _ => {
                let tuple = self.graph.psg.types.intern(TypeKind::Tuple(fields));
                (self.typed(NodeKind::Tuple(values), tuple, span), tuple)
            }
        };
        let function = self.graph.psg.types.intern(TypeKind::Function(given, ty));
        let function = self.typed(NodeKind::Case { case, instantiation: arguments.to_vec() }, function, span);
        Some(self.typed(NodeKind::Apply { function, arguments: vec![argument] }, ty, span))
    }

    fn types_of_fields(&mut self, case: CaseId, arguments: &[Type]) -> Vec<Type> {
        let owner = self.graph.psg.cases[case].owner;
        let parameters = self.graph.psg.declared_types[owner].parameters.iter().copied();
        let replace: HashMap<_, _> = parameters.zip(arguments.iter().copied()).collect();
        let fields: Vec<Type> = self.graph.psg.cases[case].fields.iter().map(|(_, ty)| *ty).collect();
        fields.into_iter().map(|field| self.graph.psg.types.substitute(field, &replace)).collect()
    }

    fn typed(&mut self, kind: NodeKind, ty: Type, span: Span) -> NodeId {
        self.graph.psg.nodes.alloc(Node { kind, ty, span })
    }

    fn report_no_zero(&mut self, ty: Type, span: Span) {
        let shown = type_text(&self.graph.psg, ty);
        let message = format!("`Array.zeroCreate` requires a type with a zero value, but `{shown}` has none");
        self.report(
            Diagnostic::error(codes::NO_ZERO, span, message)
                .note(
                    "numbers, `bool`, `char`, enums and options have a zero value, and so do tuples and records of \
                       them",
                )
                .help("specify the elements: `Array.create count value` or `Array.init count (fun index -> …)`"),
        );
    }
}
