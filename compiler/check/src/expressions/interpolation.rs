//! Interpolated strings: `$"{x}"`, `$"{x,8:F2}"`, `$"%5d{x}"`.

use crate::{
    checker::Checker,
    expressions::formats::{Format, Placed, Size, Wanted},
    state::{Expect, Reason},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstraint, UnificationError};
use clef_psg::{NodeId, NodeKind, Part};
use clef_syntax::ast::{ExprId, ExprKind, InterpolationPart, Literal, Name};

impl Checker<'_> {
    /// An interpolated string.
    pub(crate) fn interpolated(&mut self, parts: &[InterpolationPart], span: Span, expect: &Expect) -> NodeId {
        self.expect(span, expect, &Ty::string());
        let parts = parts
            .iter()
            .map(|part| match part {
                InterpolationPart::Text(text) => Part::Text(Symbol::new(text)),
                InterpolationPart::Value { expr, format, specifier } => {
                    Part::Value(self.interpolated_value(*expr, *format, *specifier))
                }
            })
            .collect();
        self.graph.node(NodeKind::Interpolate(parts), Ty::string(), span)
    }

    fn interpolated_value(&mut self, expr: ExprId, format: Option<Name>, specifier: Option<Name>) -> NodeId {
        let span = self.input.ast.exprs[expr].span;
        let (value, width) = match self.alignment(expr) {
            Some((value, width)) => (value, Some(width)),
            None => (expr, None),
        };
        let parsed = match (specifier, format) {
            (Some(specifier), _) => self.specifier(specifier),
            (None, Some(format)) => self.colon_format(format.symbol, format.span),
            (None, None) => Some(Format::general(Symbol::new(""), span)),
        };
        let Some(mut format) = parsed else {
            self.infer(value);
            return self.graph.error_node(span);
        };
        if let Some(width) = width {
            match self.width(width) {
                Some(width) => format = format.aligned(width),
                None => return self.graph.error_node(span),
            }
        }
        let node = self.formatted_value(value, &format);
        self.formatted(node, &format, None, None)
    }

    /// `{value,10}`: the value and the width, which is a number.
    fn alignment(&self, expr: ExprId) -> Option<(ExprId, ExprId)> {
        let ExprKind::Tuple(parts) = &self.input.ast.exprs[expr].kind else { return None };
        let [value, width] = parts.as_slice() else { return None };
        let number = self.input.sources.text(self.input.ast.exprs[*width].span);
        let is_number = number.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        // A pair in parentheses is a value.
        let span = self.input.ast.exprs[expr].span;
        let rest = self.input.sources.file(span.file).text[span.end as usize..].trim_start();
        (is_number && rest.starts_with(['}', ':'])).then_some((*value, *width))
    }

    fn width(&mut self, width: ExprId) -> Option<i32> {
        let span = self.input.ast.exprs[width].span;
        let width = self.input.sources.text(span).parse().ok().filter(|width: &i32| width.unsigned_abs() <= 9999);
        if width.is_none() {
            let error = Diagnostic::error(codes::UNKNOWN_FORMAT, span, "this width is too large");
            self.report(error.note("the maximum width is 9999"));
        }
        width
    }

    /// A printf placeholder before the brace.
    fn specifier(&mut self, name: Name) -> Option<Format> {
        let mut start = name.span.start;
        let text = name.symbol.as_str().chars().map(|c| {
            let end = start + c.len_utf8() as u32;
            let span = Span { start, end, ..name.span };
            start = end;
            (c, span)
        });
        let text: Vec<Placed> = text.collect();
        let format = self.placeholder(&text).0?;
        if format.width == Size::Argument || format.precision == Size::Argument {
            let error =
                Diagnostic::error(codes::UNKNOWN_FORMAT, name.span, "`*` requires an argument, but there is none here");
            self.report(error.help("write a number, or use `sprintf`"));
            return None;
        }
        Some(format)
    }

    /// Checks the value of a placeholder.
    pub(crate) fn formatted_value(&mut self, value: ExprId, format: &Format) -> NodeId {
        match format.wanted {
            Wanted::Exactly(constructor) => self
                .expr(value, &Expect { ty: Ty::simple(constructor), reason: Reason::Format(format.name, format.span) }),
            Wanted::Satisfying(constraint) => {
                let node = self.infer(value);
                self.constrain_by_format(node, constraint, format);
                node
            }
            Wanted::Anything => self.infer(value),
        }
    }

    /// `value.ToString "F2"`, if the argument is a literal.
    pub(crate) fn value_in_format(&mut self, value: NodeId, argument: ExprId) -> Option<NodeId> {
        let ExprKind::Literal(Literal::String(text)) = &self.input.ast.exprs[argument].kind else { return None };
        let ty = self.graph.type_of(value);
        if matches!(self.inference.shallow(&ty), Ty::Constructor(constructor, _) if !constructor.is_number()) {
            return None;
        }
        let span = self.input.ast.exprs[argument].span;
        let Some(format) = self.colon_format(Symbol::new(text), span) else { return Some(self.graph.error_node(span)) };
        if let Wanted::Satisfying(constraint) = format.wanted {
            self.constrain_by_format(value, constraint, &format);
        }
        Some(self.formatted(value, &format, None, None))
    }

    fn constrain_by_format(&mut self, node: NodeId, constraint: TypeConstraint, format: &Format) {
        let ty = self.graph.type_of(node);
        if let Err(UnificationError::Unmet(unmet, _)) = self.inference.constrain(&ty, constraint) {
            let (shown, words) = (self.show(&ty), unmet.describe());
            let message = format!("the format `{}` expects {words}, found `{shown}`", format.name);
            let error = Diagnostic::error(codes::UNMET_CONSTRAINT, self.graph.span_of(node), message);
            self.report(error.also(format.span, "the format"));
        }
    }
}
