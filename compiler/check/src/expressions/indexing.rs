//! Indices and slices of arrays, lists and strings: `values[i]`, `values.[i]`, `values[i] <- v`, `values[a..b]`; and
//! `map[key]`.
//!
//! The type of the target must be known, as in F#. An index out of range traps; a slice is clamped. The index of a string
//! counts bytes: its element is the character that starts there, and an index inside a character traps.

use crate::{
    checker::Checker,
    names::library::LibraryFunction,
    state::{Expect, Reason},
};
use clef_base::{Diagnostic, Span, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Literal, NodeId, NodeKind};
use clef_syntax::ast::ExprId;
use clef_types::Intrinsic;

/// What can be indexed.
enum Indexed {
    /// With the type of its elements.
    Array(Ty),
    List,
    String,
    /// With the type of its keys.
    Map(Ty),
}

impl Checker<'_> {
    /// `target[index]`.
    pub(crate) fn index(&mut self, target: ExprId, index: ExprId, span: Span) -> NodeId {
        let target = self.infer(target);
        let Some(indexed) = self.indexed(target) else { return self.no_index(&[index], span) };
        if let Indexed::Map(key) = indexed {
            let key = self.expr(index, &Expect { ty: key, reason: Reason::Index });
            return self.library_call(LibraryFunction::MapAt, vec![target, key], span);
        }
        let index = self.index_value(index);
        match indexed {
            Indexed::Array(of) => self.intrinsic_call(Intrinsic::ArrayGet, vec![target, index], of, span),
            Indexed::List | Indexed::Map(_) => self.library_call(LibraryFunction::ListAt, vec![target, index], span),
            Indexed::String => self.library_call(LibraryFunction::StringAt, vec![target, index], span),
        }
    }

    /// `target[index] <- value`.
    pub(crate) fn assign_index(&mut self, target: ExprId, index: ExprId, value: ExprId, span: Span) -> NodeId {
        let target = self.infer(target);
        let at = self.graph.span_of(target);
        match self.indexed(target) {
            Some(Indexed::Array(of)) => {
                let index = self.index_value(index);
                let value = self.expr(value, &Expect { ty: of, reason: Reason::Assigned(at) });
                self.intrinsic_call(Intrinsic::ArraySet, vec![target, index, value], Ty::unit(), span)
            }
            Some(Indexed::List | Indexed::String | Indexed::Map(_)) => {
                self.report_unchangeable(target);
                self.no_index(&[index, value], span)
            }
            None => self.no_index(&[index, value], span),
        }
    }

    /// `target[from..to]`.
    pub(crate) fn slice(&mut self, target: ExprId, from: Option<ExprId>, to: Option<ExprId>, span: Span) -> NodeId {
        let target = self.infer(target);
        let indexed = self.indexed(target);
        let function = match indexed {
            Some(Indexed::Array(_)) => LibraryFunction::ArraySlice,
            Some(Indexed::List) => LibraryFunction::ListSlice,
            Some(Indexed::String) => LibraryFunction::StringSlice,
            Some(Indexed::Map(_)) | None => {
                if indexed.is_some() {
                    let message = "cannot slice a map: its keys are not indices";
                    self.report(Diagnostic::error(codes::NOT_INDEXABLE, self.graph.span_of(target), message));
                }
                let bounds: Vec<ExprId> = from.into_iter().chain(to).collect();
                return self.no_index(&bounds, span);
            }
        };
        let [from, to] = self.slice_bounds(from, to, span);
        self.library_call(function, vec![target, from, to], span)
    }

    /// `target[from..to] <- values`.
    pub(crate) fn assign_slice(
        &mut self,
        target: ExprId,
        (from, to): (Option<ExprId>, Option<ExprId>),
        values: ExprId,
        span: Span,
    ) -> NodeId {
        let target = self.infer(target);
        let parts: Vec<ExprId> = from.into_iter().chain(to).chain([values]).collect();
        match self.indexed(target) {
            Some(Indexed::Array(of)) => {
                let [from, to] = self.slice_bounds(from, to, span);
                let wanted = Expect { ty: Ty::array(of), reason: Reason::Assigned(self.graph.span_of(target)) };
                let values = self.expr(values, &wanted);
                self.library_call(LibraryFunction::ArraySetSlice, vec![target, from, to, values], span)
            }
            Some(Indexed::List | Indexed::String | Indexed::Map(_)) => {
                self.report_unchangeable(target);
                self.no_index(&parts, span)
            }
            None => self.no_index(&parts, span),
        }
    }

    /// The bounds of a slice; a missing bound extends to the end.
    fn slice_bounds(&mut self, from: Option<ExprId>, to: Option<ExprId>, span: Span) -> [NodeId; 2] {
        let greatest = (1i128 << (self.input.facts.word_bits - 1)) - 1;
        [(from, 0), (to, greatest)].map(|(bound, otherwise)| match bound {
            Some(bound) => self.index_value(bound),
            None => self.int_node(otherwise, span.at_end()),
        })
    }

    fn index_value(&mut self, index: ExprId) -> NodeId {
        self.expr(index, &Expect { ty: Ty::int(), reason: Reason::Index })
    }

    /// A compiler-generated integer.
    pub(crate) fn int_node(&mut self, value: i128, span: Span) -> NodeId {
        self.graph.node(NodeKind::Literal(Literal::Integer(value)), Ty::int(), span)
    }

    /// Checks the parts of an index expression whose target cannot be indexed.
    fn no_index(&mut self, parts: &[ExprId], span: Span) -> NodeId {
        for &part in parts {
            self.infer(part);
        }
        self.graph.error_node(span)
    }

    /// The kind of a target; reported if it cannot be indexed.
    fn indexed(&mut self, target: NodeId) -> Option<Indexed> {
        let ty = self.graph.type_of(target);
        let ty = self.inference.shallow(&ty);
        match &ty {
            Ty::Constructor(TypeConstructor::Array, parts) => return Some(Indexed::Array(parts[0].clone())),
            Ty::Constructor(TypeConstructor::String, _) => return Some(Indexed::String),
            Ty::Constructor(constructor, _) if self.is_list(*constructor) => return Some(Indexed::List),
            Ty::Constructor(constructor, parts) if self.is_map(*constructor) => {
                return Some(Indexed::Map(parts[0].clone()));
            }
            Ty::Constructor(TypeConstructor::Error, _) => return None,
            Ty::Constructor(..) | Ty::Variable(_) => {}
        }
        let span = self.graph.span_of(target);
        let shown = self.show(&ty);
        self.report(match ty {
            Ty::Variable(_) => {
                let message = "the type of the indexed value must be known here";
                Diagnostic::error(codes::NOT_INDEXABLE, span, message)
                    .help("add a type annotation where it is bound: `(values: int array)`")
            }
            Ty::Constructor(TypeConstructor::Function, _) => {
                let message = format!("cannot index a function: this has type `{shown}`");
                Diagnostic::error(codes::NOT_INDEXABLE, span, message)
                    .help("to apply it to a list, put a space before the bracket")
            }
            Ty::Constructor(..) => {
                let message = format!("cannot index `{shown}`");
                Diagnostic::error(codes::NOT_INDEXABLE, span, message)
                    .note("only arrays, lists, strings and maps can be indexed")
            }
        });
        None
    }

    fn report_unchangeable(&mut self, target: NodeId) {
        let ty = self.graph.type_of(target);
        let shown = self.show(&ty);
        let message = format!("cannot assign to the elements of `{shown}`");
        let diagnostic = Diagnostic::error(codes::NOT_ASSIGNABLE, self.graph.span_of(target), message);
        self.report(
            diagnostic.help("only the elements of arrays are mutable: create one with `[| … |]` or `Array.ofList`"),
        );
    }
}
