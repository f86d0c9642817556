//! `for pattern in source do body` over ranges, lists, arrays, strings, maps, sets and sequences.
//!
//! The source is evaluated once. The length of an array is read before the first iteration; a list is traversed cell by
//! cell; a string yields its characters. Elements that the pattern does not match are skipped, with a warning, as in F#.

use crate::{
    checker::Checker,
    names::library::LibraryFunction,
    patterns::pattern::Bound,
    state::{Expect, Reason},
};
use clef_analysis::matches::{Match, MatchKind};
use clef_base::{Diagnostic, Span, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Arm, Binding, Mutability, NodeId, NodeKind, Scope, VariableId};
use clef_syntax::ast::{ExprId, ExprKind, PatternId};
use clef_types::{Intrinsic, Primitive};

/// Builds the body of a loop, of type `unit`, with the names of the loop in scope.
pub(crate) type LoopBody<'t, 'a> = &'t mut dyn FnMut(&mut Checker<'a>) -> NodeId;

/// Builds the body of a loop from the element of the iteration.
pub(crate) type Each<'t, 'a> = &'t mut dyn FnMut(&mut Checker<'a>, NodeId) -> NodeId;

impl<'a> Checker<'a> {
    /// `for pattern in source do body`.
    pub(crate) fn for_in(
        &mut self,
        pattern: PatternId,
        source: ExprId,
        span: Span,
        make_body: LoopBody<'_, 'a>,
    ) -> NodeId {
        let ast = self.input.ast;
        if let ExprKind::Range { from, step, to } = &ast.exprs[source].kind {
            let element = Expect::anything(self.inference.fresh());
            let range = self.range((*from, *step, *to), &element);
            return self.range_loop(range, pattern, span, make_body);
        }
        let source = self.infer(source);
        self.for_each(source, span, &mut |this, element| this.matched_body(pattern, element, make_body))
    }

    /// A loop over the elements of a checked source.
    pub(crate) fn for_each(&mut self, source: NodeId, span: Span, each: Each<'_, 'a>) -> NodeId {
        let ty = self.graph.type_of(source);
        self.inference.settle_collection(&ty);
        match self.inference.shallow(&ty) {
            Ty::Constructor(TypeConstructor::Array, parts) => self.for_array(source, parts[0].clone(), span, each),
            Ty::Constructor(TypeConstructor::String, _) => self.for_string(source, span, each),
            Ty::Constructor(constructor, parts) if self.is_list(constructor) => {
                self.for_list(source, parts[0].clone(), span, each)
            }
            Ty::Constructor(constructor, parts) if self.is_sequence(constructor) => {
                self.for_sequence(source, parts[0].clone(), span, each)
            }
            Ty::Constructor(constructor, _) if self.is_map(constructor) => {
                let pairs = self.library_call(LibraryFunction::MapPairs, vec![source], self.graph.span_of(source));
                self.for_each(pairs, span, each)
            }
            Ty::Constructor(constructor, _) if self.is_set(constructor) => {
                let list = self.library_call(LibraryFunction::SetToList, vec![source], self.graph.span_of(source));
                self.for_each(list, span, each)
            }
            Ty::Constructor(TypeConstructor::Error, _) => self.for_nothing(source, each),
            Ty::Variable(_) => self.for_unknown(source, span, each),
            other @ Ty::Constructor(..) => {
                self.report_no_collection(source, &other);
                self.for_nothing(source, each)
            }
        }
    }

    /// A loop over a source of unknown type is one over a sequence, as in F#.
    fn for_unknown(&mut self, source: NodeId, span: Span, each: Each<'_, 'a>) -> NodeId {
        let element = self.inference.fresh();
        let (at, ty) = (self.graph.span_of(source), self.graph.type_of(source));
        let Some(sequence) = self.sequence_type(element.clone()) else {
            self.report_no_collection(source, &ty);
            return self.for_nothing(source, each);
        };
        self.expect(at, &Expect::anything(sequence), &ty);
        self.for_sequence(source, element, span, each)
    }

    /// Checks the body of a loop whose source is no collection.
    fn for_nothing(&mut self, source: NodeId, each: Each<'_, 'a>) -> NodeId {
        let span = self.graph.span_of(source);
        let element = self.graph.error_node(span);
        each(self, element);
        self.graph.error_node(span)
    }

    fn report_no_collection(&mut self, source: NodeId, ty: &Ty) {
        let shown = self.show(ty);
        let message = format!("cannot iterate over `{shown}`");
        self.report(
            Diagnostic::error(codes::NOT_A_COLLECTION, self.graph.span_of(source), message)
                .note("`for … in` iterates over ranges, lists, arrays, strings and sequences"),
        );
    }

    /// The body of a loop, with the pattern matched against an element.
    pub(crate) fn matched_body(&mut self, pattern: PatternId, element: NodeId, make_body: LoopBody<'_, 'a>) -> NodeId {
        let span = self.input.ast.patterns[pattern].span;
        let mark = self.names.mark();
        let mut bound = Bound::new(Scope::Local, Mutability::Immutable);
        let wanted = Expect { ty: self.graph.type_of(element), reason: Reason::Scrutinee(self.graph.span_of(element)) };
        let always = self.cannot_fail(pattern);
        let pattern = self.match_pattern(pattern, &wanted, &mut bound);
        self.declare_bound(&bound);
        let body = make_body(self);
        self.names.reset(mark);
        if always {
            return self.under(Some(Binding { pattern, value: element }), body);
        }
        self.look_at_later(Match { span, arms: vec![(pattern, false)], kind: MatchKind::Loop });
        let other = self.graph.pattern(clef_psg::PatternKind::Wildcard, wanted.ty, span);
        let nothing = self.graph.unit_node(span);
        let arms = vec![Arm { pattern, guard: None, body }, Arm { pattern: other, guard: None, body: nothing }];
        self.graph.node(NodeKind::Match { scrutinee: element, arms }, Ty::unit(), span)
    }

    /// `for index = 0 to length array - 1 do each array[index]`.
    fn for_array(&mut self, source: NodeId, of: Ty, span: Span, each: Each<'_, 'a>) -> NodeId {
        let at = self.graph.span_of(source);
        let (array, binding) = self.hidden("array", source, Mutability::Immutable);
        let from = self.int_node(0, at);
        let value = self.use_variable(array, at);
        let length = self.intrinsic_call(Intrinsic::ArrayLength, vec![value], Ty::int(), at);
        let one = self.int_node(1, at);
        let to = self.primitive_call(Primitive::Subtract, vec![length, one], Ty::int(), at);
        let variable = self.fresh_variable("index", Ty::int(), at);
        let arguments = vec![self.use_variable(array, at), self.use_variable(variable, at)];
        let element = self.intrinsic_call(Intrinsic::ArrayGet, arguments, of, at);
        let body = each(self, element);
        let loop_node =
            self.graph.node(NodeKind::For { variable, from, to, descending: false, body }, Ty::unit(), span);
        self.under(Some(binding), loop_node)
    }

    /// The cells of a list, one after another:
    ///
    /// ```text
    /// let mutable rest = source
    /// while (match rest with [] -> false | _ :: _ -> true) do
    ///     match rest with
    ///     | head :: tail -> rest <- tail; each head
    ///     | [] -> ()
    /// ```
    fn for_list(&mut self, source: NodeId, of: Ty, span: Span, each: Each<'_, 'a>) -> NodeId {
        let at = self.graph.span_of(source);
        let (rest, binding) = self.hidden("rest", source, Mutability::Mutable);
        let parts = [of.clone(), self.list_type(of.clone())];
        let ignored = parts.clone().map(|ty| self.graph.pattern(clef_psg::PatternKind::Wildcard, ty, at));
        let (some, none) = (self.graph.bool_node(true, at), self.graph.bool_node(false, at));
        let condition = self.list_match(rest, of.clone(), ignored, (some, none), Ty::bool(), at);
        let [head, tail] =
            [0, 1].map(|index| self.fresh_variable(["element", "tail"][index], parts[index].clone(), at));
        let bound = [(head, 0), (tail, 1)].map(|(variable, index)| {
            self.graph.pattern(clef_psg::PatternKind::Variable(variable), parts[index].clone(), at)
        });
        let value = self.use_variable(tail, at);
        let advance = self.graph.node(NodeKind::Assign { variable: rest, value }, Ty::unit(), at);
        let element = self.use_variable(head, at);
        let body = each(self, element);
        let body = self.graph.node(NodeKind::Sequence(vec![advance, body]), Ty::unit(), span);
        let nothing = self.graph.unit_node(at);
        let body = self.list_match(rest, of, bound, (body, nothing), Ty::unit(), at);
        let loop_node = self.graph.node(NodeKind::While { condition, body }, Ty::unit(), span);
        self.under(Some(binding), loop_node)
    }

    /// `match list with head :: tail -> some | [] -> none`.
    fn list_match(
        &mut self,
        list: VariableId,
        of: Ty,
        parts: [clef_psg::PatternId; 2],
        (some, none): (NodeId, NodeId),
        ty: Ty,
        span: Span,
    ) -> NodeId {
        let scrutinee = self.use_variable(list, span);
        let [empty, cons] = self.list_patterns(of, parts, span);
        let arms =
            vec![Arm { pattern: cons, guard: None, body: some }, Arm { pattern: empty, guard: None, body: none }];
        self.graph.node(NodeKind::Match { scrutinee, arms }, ty, span)
    }

    /// The characters of a string:
    ///
    /// ```text
    /// let text = source
    /// let mutable next = 0
    /// while next < length text do
    ///     let character, behind = decode text next
    ///     next <- behind
    ///     each character
    /// ```
    fn for_string(&mut self, source: NodeId, span: Span, each: Each<'_, 'a>) -> NodeId {
        let at = self.graph.span_of(source);
        let (text, text_binding) = self.hidden("text", source, Mutability::Immutable);
        let zero = self.int_node(0, at);
        let (next, next_binding) = self.hidden("next", zero, Mutability::Mutable);
        let value = self.use_variable(text, at);
        let length = self.intrinsic_call(Intrinsic::StringLength, vec![value], Ty::int(), at);
        let index = self.use_variable(next, at);
        let condition = self.primitive_call(Primitive::Less, vec![index, length], Ty::bool(), at);
        let arguments = vec![self.use_variable(text, at), self.use_variable(next, at)];
        let decoded = self.library_call(LibraryFunction::StringDecode, arguments, at);
        let types = [Ty::simple(TypeConstructor::Char), Ty::int()];
        let variables = ["element", "behind"];
        let variables = [0, 1].map(|index| self.fresh_variable(variables[index], types[index].clone(), at));
        let parts = [0, 1].map(|index| {
            self.graph.pattern(clef_psg::PatternKind::Variable(variables[index]), types[index].clone(), at)
        });
        let pattern = self.graph.pattern(clef_psg::PatternKind::Tuple(parts.to_vec()), Ty::tuple(types.to_vec()), at);
        let value = self.use_variable(variables[1], at);
        let advance = self.graph.node(NodeKind::Assign { variable: next, value }, Ty::unit(), at);
        let element = self.use_variable(variables[0], at);
        let body = each(self, element);
        let body = self.graph.node(NodeKind::Sequence(vec![advance, body]), Ty::unit(), span);
        let body = self.under(Some(Binding { pattern, value: decoded }), body);
        let loop_node = self.graph.node(NodeKind::While { condition, body }, Ty::unit(), span);
        let loop_node = self.under(Some(next_binding), loop_node);
        self.under(Some(text_binding), loop_node)
    }
}
