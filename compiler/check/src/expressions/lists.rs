//! Lists: `[a; b]`, `a :: b`, `a @ b`, and their patterns. A list is a union in the prelude of the library.

use crate::{
    checker::Checker,
    names::library::LibraryFunction,
    patterns::pattern::Bound,
    state::{Expect, Reason},
};
use clef_base::{Diagnostic, Span, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{NodeId, NodeKind};
use clef_syntax::ast::{ExprId, ExprKind, Name, PatternId};
use clef_types::CaseId;

/// A longer list expression is converted from an array, so that the tree stays shallow.
const LONGEST_CHAIN: usize = 64;

/// The most elements of a list pattern.
const LONGEST_PATTERN: usize = 256;

impl Checker<'_> {
    fn empty_case(&self) -> CaseId {
        self.library_case("Prelude", "[]")
    }

    fn cons_case(&self) -> CaseId {
        self.library_case("Prelude", "::")
    }

    /// The constructor of list types.
    pub(crate) fn list_constructor(&self) -> TypeConstructor {
        TypeConstructor::Declared(self.graph.psg.cases[self.empty_case()].owner)
    }

    /// Whether it is the constructor of list types. There is none before the library has declared lists.
    pub(crate) fn is_list(&self, constructor: TypeConstructor) -> bool {
        self.is_type_of(constructor, "Prelude", "[]")
    }

    /// Whether it is the constructor of maps.
    pub(crate) fn is_map(&self, constructor: TypeConstructor) -> bool {
        self.is_type_of(constructor, "MapType", "empty map")
    }

    /// Whether it is the constructor of sets.
    pub(crate) fn is_set(&self, constructor: TypeConstructor) -> bool {
        self.is_type_of(constructor, "SetType", "empty set")
    }

    fn is_type_of(&self, constructor: TypeConstructor, module: &str, case: &str) -> bool {
        let TypeConstructor::Declared(declared) = constructor else { return false };
        self.find_library_case(module, case).is_some_and(|case| self.graph.psg.cases[case].owner == declared)
    }

    /// `of list`.
    pub(crate) fn list_type(&self, of: Ty) -> Ty {
        Ty::of(self.list_constructor(), [of])
    }

    /// The expectation on the elements, derived from that on a list or an array.
    pub(crate) fn element_of(&mut self, constructor: TypeConstructor, expect: &Expect) -> Expect {
        match self.inference.shallow(&expect.ty) {
            Ty::Constructor(found, parts) if found == constructor => expect.part(parts[0].clone()),
            Ty::Constructor(..) | Ty::Variable(_) => Expect::anything(self.inference.fresh()),
        }
    }

    /// Elements of one type, in order.
    pub(crate) fn elements(&mut self, elements: &[ExprId], wanted: &Expect) -> Vec<NodeId> {
        let ast = self.input.ast;
        let mut nodes = Vec::with_capacity(elements.len());
        for (index, &element) in elements.iter().enumerate() {
            let wanted = match index {
                0 => wanted.clone(),
                _ => wanted.or_because(|| Reason::Element(ast.exprs[elements[0]].span)),
            };
            nodes.push(self.expr(element, &wanted));
        }
        if let &[only] = elements {
            self.warn_of_commas(only);
        }
        nodes
    }

    /// Warns about `[a, b, c]`: one element, where several were probably meant.
    fn warn_of_commas(&mut self, only: ExprId) {
        let ast = self.input.ast;
        let ExprKind::Tuple(parts) = &ast.exprs[only].kind else { return };
        let span = ast.exprs[only].span;
        let simple = |&part: &ExprId| matches!(ast.exprs[part].kind, ExprKind::Literal(_));
        if parts.len() < 3 || !parts.iter().all(simple) || self.is_parenthesised(span) {
            return;
        }
        let texts: Vec<&str> = parts.iter().map(|&part| self.input.sources.text(ast.exprs[part].span)).collect();
        let instead = texts.join("; ");
        self.report(
            Diagnostic::warning(codes::TUPLE_ELEMENT, span, "the only element is a tuple")
                .fix("separate elements with semicolons", span, instead)
                .note("put the tuple in parentheses if it is intended"),
        );
    }

    /// `[a; b]`.
    pub(crate) fn list_expression(&mut self, elements: &[ExprId], span: Span, expect: &Expect) -> NodeId {
        let wanted = self.element_of(self.list_constructor(), expect);
        let ty = self.list_type(wanted.ty.clone());
        self.expect(span, expect, &ty);
        let nodes = self.elements(elements, &wanted);
        if nodes.len() > LONGEST_CHAIN {
            let array = self.graph.node(NodeKind::Array(nodes), Ty::of(TypeConstructor::Array, [wanted.ty]), span);
            return self.library_call(LibraryFunction::ListOfArray, vec![array], span);
        }
        let empty = self.empty_list(wanted.ty.clone(), span);
        nodes.into_iter().rev().fold(empty, |tail, head| self.list_node(head, tail, wanted.ty.clone(), span))
    }

    /// `[]`.
    pub(crate) fn empty_list(&mut self, of: Ty, span: Span) -> NodeId {
        let (case, ty) = (self.empty_case(), self.list_type(of.clone()));
        self.case_node(case, of, ty, span)
    }

    /// A list of a checked head and a checked tail.
    pub(crate) fn list_node(&mut self, head: NodeId, tail: NodeId, of: Ty, span: Span) -> NodeId {
        let (case, list) = (self.cons_case(), self.list_type(of.clone()));
        let fields = Ty::tuple(vec![of.clone(), list.clone()]);
        let function = self.case_node(case, of, Ty::function(fields.clone(), list.clone()), span);
        let argument = self.graph.node(NodeKind::Tuple(vec![head, tail]), fields, span);
        self.graph.node(NodeKind::Apply { function, arguments: vec![argument] }, list, span)
    }

    fn case_node(&mut self, case: CaseId, of: Ty, ty: Ty, span: Span) -> NodeId {
        let node = self.graph.node(NodeKind::Case { case, instantiation: Vec::new() }, ty, span);
        self.graph.instantiations.push((node, vec![of]));
        node
    }

    /// `head :: tail`.
    pub(crate) fn cons(&mut self, operator: Name, left: ExprId, right: ExprId, span: Span, expect: &Expect) -> NodeId {
        let wanted = self.element_of(self.list_constructor(), expect);
        let head = self.expr(left, &wanted);
        let reason = Reason::Operand { operator: operator.symbol, other: self.graph.span_of(head) };
        let tail = self.expr(right, &Expect { ty: self.list_type(wanted.ty.clone()), reason });
        self.list_node(head, tail, wanted.ty, span)
    }

    /// `first @ second`.
    pub(crate) fn append(&mut self, operator: Name, left: ExprId, right: ExprId, span: Span) -> NodeId {
        let function = self.construct_function(LibraryFunction::ListAppend, operator.span);
        self.apply(function, &[left, right], span)
    }

    /// The patterns of an empty list, and of a list with checked patterns for its head and its tail.
    pub(crate) fn list_patterns(
        &mut self,
        of: Ty,
        parts: [clef_psg::PatternId; 2],
        span: Span,
    ) -> [clef_psg::PatternId; 2] {
        let ty = self.list_type(of);
        let cases = [(self.empty_case(), Vec::new()), (self.cons_case(), parts.to_vec())];
        cases.map(|(case, fields)| self.graph.pattern(clef_psg::PatternKind::Case { case, fields }, ty.clone(), span))
    }

    /// The element type of a list or array pattern; the error type after a mismatch.
    pub(crate) fn element_of_pattern(&mut self, constructor: TypeConstructor, expect: &Expect, span: Span) -> Ty {
        let of = self.inference.fresh();
        let errors = self.reports.diagnostics.len();
        self.expect(span, expect, &Ty::of(constructor, [of.clone()]));
        if self.reports.diagnostics.len() > errors { Ty::error() } else { of }
    }

    /// `[p; q]` as a pattern.
    pub(crate) fn list_pattern(
        &mut self,
        parts: &[PatternId],
        expect: &Expect,
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        let of = self.element_of_pattern(self.list_constructor(), expect, span);
        let wanted = Expect { ty: of.clone(), reason: expect.reason.clone() };
        let parts: Vec<_> = parts.iter().map(|&part| self.match_pattern(part, &wanted, bound)).collect();
        if parts.len() > LONGEST_PATTERN {
            self.report_unsupported("list patterns of more than 256 elements", span);
            return self.error_pattern(span);
        }
        let ty = self.list_type(of);
        let empty = clef_psg::PatternKind::Case { case: self.empty_case(), fields: Vec::new() };
        let empty = self.graph.pattern(empty, ty.clone(), span);
        let case = self.cons_case();
        parts.into_iter().rev().fold(empty, |tail, head| {
            self.graph.pattern(clef_psg::PatternKind::Case { case, fields: vec![head, tail] }, ty.clone(), span)
        })
    }

    /// `p :: q` as a pattern.
    pub(crate) fn cons_pattern(
        &mut self,
        head: PatternId,
        tail: PatternId,
        expect: &Expect,
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        let of = self.element_of_pattern(self.list_constructor(), expect, span);
        let ty = self.list_type(of.clone());
        let reason = || expect.reason.clone();
        let head = self.match_pattern(head, &Expect { ty: of, reason: reason() }, bound);
        let tail = self.match_pattern(tail, &Expect { ty: ty.clone(), reason: reason() }, bound);
        let case = self.cons_case();
        self.graph.pattern(clef_psg::PatternKind::Case { case, fields: vec![head, tail] }, ty, span)
    }
}
