//! Units of measure in types and declarations: `[<Measure>] type N = kg m / s^2`, `float<m/s>`, `5<ms>`.

use crate::{checker::Checker, state::Expect};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Exponent, Ty, TypeConstructor};
use clef_psg::{NodeId, NodeKind};
use clef_scopes::{Kind, Place, TypeMeaning};
use clef_syntax::ast::{Literal, Path, TypeDeclaration, TypeExpr, TypeExprId, TypeExprKind};

impl Checker<'_> {
    /// `[<Measure>] type m`.
    pub(crate) fn measure_declaration(&mut self, ty: &TypeDeclaration) {
        self.no_measure_parameters(ty);
        let id = self.inference.declare_measure(ty.name.symbol);
        self.declare_type_once(ty, TypeMeaning::Measure(Ty::simple(TypeConstructor::MeasureBase(id))));
    }

    /// `[<Measure>] type N = kg m / s^2`.
    pub(crate) fn measure_abbreviation(&mut self, ty: &TypeDeclaration, of: TypeExprId) {
        self.no_measure_parameters(ty);
        let span = self.input.ast.types[of].span;
        let errors = self.reports.diagnostics.len();
        let measure = self.measure_expr(of);
        let mut type_variables = Vec::new();
        self.inference.open_variables(&measure, &mut type_variables);
        if !type_variables.is_empty() && self.reports.diagnostics.len() == errors {
            let message = "a unit of measure cannot contain a type variable";
            self.report(Diagnostic::error(codes::WRONG_MEASURE, span, message));
        }
        let measure = if type_variables.is_empty() { measure } else { Ty::simple(TypeConstructor::MeasureOne) };
        self.declare_type_once(ty, TypeMeaning::Measure(measure));
    }

    fn no_measure_parameters(&mut self, ty: &TypeDeclaration) {
        if let Some(parameter) = ty.parameters.first() {
            let message = "a unit of measure cannot have type parameters";
            self.report(Diagnostic::error(codes::WRONG_TYPE_ARGUMENTS, parameter.name.span, message));
        }
    }

    /// The unit that a type expression denotes.
    pub(crate) fn measure_expr(&mut self, id: TypeExprId) -> Ty {
        let ast = self.input.ast;
        let span = ast.types[id].span;
        match &ast.types[id].kind {
            TypeExprKind::Error => self.inference.fresh_measure(true),
            TypeExprKind::Wildcard => self.inference.fresh_measure(false),
            TypeExprKind::One => Ty::simple(TypeConstructor::MeasureOne),
            TypeExprKind::Variable(variable) => self.type_variable(*variable, Kind::Measure),
            TypeExprKind::Name { path, arguments } => match arguments[..] {
                [] => self.named_measure(path),
                // `kg m` is parsed like `int list`.
                [before] if ast.types[before].span.start < path.span().start => {
                    let before = self.measure_expr(before);
                    let last = self.named_measure(path);
                    self.combined(&[(&before, Exponent::ONE), (&last, Exponent::ONE)], span)
                }
                _ => self.no_measure(span),
            },
            TypeExprKind::Tuple(parts) => {
                let parts: Vec<Ty> = parts.iter().map(|part| self.measure_expr(*part)).collect();
                let factors: Vec<_> = parts.iter().map(|part| (part, Exponent::ONE)).collect();
                self.combined(&factors, span)
            }
            TypeExprKind::Product(left, right) => self.measure_pair(*left, *right, Exponent::ONE, span),
            TypeExprKind::Quotient(left, right) => self.measure_pair(*left, *right, Exponent::MINUS_ONE, span),
            TypeExprKind::Power(base, exponent) => {
                let base = self.measure_expr(*base);
                match Exponent::whole(*exponent) {
                    Some(exponent) => self.combined(&[(&base, exponent)], span),
                    None => self.too_large(span),
                }
            }
            TypeExprKind::Unsupported(construct) => {
                self.report_unsupported_construct(*construct, span);
                self.inference.fresh_measure(true)
            }
            TypeExprKind::Function(..)
            | TypeExprKind::StructTuple(_)
            | TypeExprKind::Array(_)
            | TypeExprKind::Constrained(..) => self.no_measure(span),
        }
    }

    fn measure_pair(&mut self, left: TypeExprId, right: TypeExprId, exponent: Exponent, span: Span) -> Ty {
        let left = self.measure_expr(left);
        let right = self.measure_expr(right);
        self.combined(&[(&left, Exponent::ONE), (&right, exponent)], span)
    }

    /// A product of powers of units; reports exponents that are too large.
    pub(crate) fn combined(&mut self, factors: &[(&Ty, Exponent)], span: Span) -> Ty {
        match self.inference.measure_product(factors) {
            Some(product) => product,
            None => self.too_large(span),
        }
    }

    fn too_large(&mut self, span: Span) -> Ty {
        self.report(Diagnostic::error(
            codes::WRONG_MEASURE,
            span,
            "the exponents of this unit of measure are too large",
        ));
        self.inference.fresh_measure(true)
    }

    fn no_measure(&mut self, span: Span) -> Ty {
        self.report(
            Diagnostic::error(codes::WRONG_MEASURE, span, "expected a unit of measure")
                .help("declare a unit with `[<Measure>] type m`, and combine units as in `kg m / s^2`"),
        );
        self.inference.fresh_measure(true)
    }

    fn named_measure(&mut self, path: &Path) -> Ty {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let Some(entry) = self.type_meaning(&symbols) else {
            self.watch_path(path, Place::Type);
            self.report_unknown_measure(path);
            return self.inference.fresh_measure(true);
        };
        self.record_type(path, &entry);
        let last = path.segments[path.segments.len() - 1];
        self.check_visible(last.symbol, &entry, path.span());
        match entry.meaning {
            TypeMeaning::Measure(measure) => measure,
            TypeMeaning::Abbreviation(_, Ty::Constructor(TypeConstructor::Error, _)) => {
                self.inference.fresh_measure(true)
            }
            TypeMeaning::Simple(_)
            | TypeMeaning::Reference
            | TypeMeaning::Array
            | TypeMeaning::NativePointer
            | TypeMeaning::Declared(_)
            | TypeMeaning::Abbreviation(..) => {
                let message = format!("expected a unit of measure, found the type `{}`", last.symbol);
                self.report(Diagnostic::error(codes::WRONG_MEASURE, path.span(), message));
                self.inference.fresh_measure(true)
            }
        }
    }

    /// Reports a unit in place of a type.
    pub(crate) fn report_bare_measure(&mut self, written: &str, span: Span) -> Ty {
        let message = format!("expected a type, found the unit of measure `{written}`");
        self.report(
            Diagnostic::error(codes::WRONG_MEASURE, span, message)
                .help(format!("write a number type with this unit: `float<{written}>`")),
        );
        Ty::error()
    }

    /// `5<ms>`, `0.0<_>`.
    pub(crate) fn measured_literal(
        &mut self,
        literal: &Literal,
        negative: bool,
        measure: TypeExprId,
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        let Some((constant, ty)) = self.measured_constant(literal, negative, measure, span) else {
            return self.graph.error_node(span);
        };
        self.expect(span, expect, &ty);
        self.graph.node(NodeKind::Literal(constant), ty, span)
    }

    /// The value and the type of a literal with a unit.
    pub(crate) fn measured_constant(
        &mut self,
        literal: &Literal,
        negative: bool,
        measure: TypeExprId,
        span: Span,
    ) -> Option<(clef_psg::Literal, Ty)> {
        let errors = self.reports.diagnostics.len();
        let unit = self.measure_expr(measure);
        let is_known = self.reports.diagnostics.len() == errors;
        let (constant, ty) = self.constant(literal, negative, span)?;
        let Ty::Constructor(constructor, _) = &ty else { return None };
        if !constructor.is_number() {
            let shown = self.show(&ty);
            let message = format!("only numbers can have a unit of measure, but this is `{shown}`");
            self.report(Diagnostic::error(codes::WRONG_MEASURE, span, message));
            return None;
        }
        let is_zero = matches!(constant, clef_psg::Literal::Integer(0)) || constant == clef_psg::Literal::Float(0.0);
        if !is_zero && is_known && !self.input.library {
            self.no_generic_literal(measure, &unit);
        }
        let ty = self.inference.number(*constructor, &unit);
        Some((constant, ty))
    }

    /// Reports a literal with a generic unit. Zero has every unit, and library functions may give numbers a unit; `_` defaults
    /// to the unit one.
    fn no_generic_literal(&mut self, measure: TypeExprId, unit: &Ty) {
        let TypeExpr { kind, span } = &self.input.ast.types[measure];
        if let TypeExprKind::Wildcard = kind {
            self.inference.weaken(unit);
        } else if self.inference.is_generic_measure(unit) {
            self.report(
                Diagnostic::error(codes::WRONG_MEASURE, *span, "only zero can have any unit of measure")
                    .help("give the number a specific unit, or multiply it by a value that has the unit"),
            );
        }
    }
}
