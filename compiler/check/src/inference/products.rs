//! Products, quotients and square roots, whose units of measure are not those of their operands.
//!
//! In: operands whose types may not be known yet. Out: the type of the result, and the constraint between them: one number
//! type for all, and the product, quotient or root of the units. A constraint is deferred while its number type is not
//! known. At the end of the enclosing binding, all its types are unified, without a unit; in an `inline` function, it is
//! instantiated for each use instead.

use crate::{
    checker::Checker,
    inference::literal_operands::Operands,
    names::builtin::operand_constraint,
    state::{Expect, Product, Reason},
};
use clef_base::{Diagnostic, HashMap, Span};
use clef_infer::{Exponent, Ty, TypeConstraint, TypeConstructor, TypeVariable};
use clef_psg::{NodeId, NodeKind, VariableId};
use clef_syntax::ast::Name;
use clef_types::{Primitive, TypeParameterId};

impl Product {
    /// The exponents of the operands' units in that of the result.
    fn exponents(&self) -> &'static [Exponent] {
        if self.primitive == Primitive::SquareRoot {
            &[Exponent::HALF]
        } else if self.primitive == Primitive::Divide {
            &[Exponent::ONE, Exponent::MINUS_ONE]
        } else {
            &[Exponent::ONE, Exponent::ONE]
        }
    }

    fn types(&self) -> impl Iterator<Item = &Ty> {
        self.operands.iter().chain([&self.result])
    }
}

impl Checker<'_> {
    /// `left * right` and `left / right`.
    pub(crate) fn product(
        &mut self,
        primitive: Primitive,
        operator: Name,
        Operands { left, right }: Operands,
        span: Span,
    ) -> NodeId {
        let constraint = operand_constraint(primitive);
        let works = self.constrain_operand(operator, left, constraint);
        let operand = if works { self.graph.type_of(left) } else { Ty::error() };
        let wanted = match self.inference.shallow(&operand) {
            Ty::Constructor(constructor, _) if constructor.is_number() => {
                let measure = self.inference.fresh_measure(true);
                Ty::of(constructor, [measure])
            }
            Ty::Constructor(..) => operand.clone(),
            Ty::Variable(_) => self.inference.fresh_with(constraint, None),
        };
        let reason = Reason::Operand { operator: operator.symbol, other: self.graph.span_of(left) };
        let errors = self.reports.diagnostics.len();
        let right = self.right_operand(right, &Expect { ty: wanted.clone(), reason });
        let result = match self.inference.shallow(&operand) {
            // It is not known which operand is wrong.
            _ if self.reports.diagnostics.len() > errors => Ty::error(),
            Ty::Constructor(constructor, _) if !constructor.is_number() => operand.clone(),
            Ty::Constructor(..) | Ty::Variable(_) => {
                let result = self.inference.fresh_with(constraint, None);
                let operands = vec![operand.clone(), wanted];
                let product = Product { primitive, operands, result: result.clone(), span: operator.span };
                if !self.settle(&product) {
                    self.deferred.products.push(product);
                }
                result
            }
        };
        let types = [self.graph.type_of(left), self.graph.type_of(right)];
        let function_type = Ty::functions(types.into_iter(), result.clone());
        let function = self.graph.node(NodeKind::Primitive(primitive), function_type, operator.span);
        self.graph.node(NodeKind::Apply { function, arguments: vec![left, right] }, result, span)
    }

    /// The type of `*`, `/` or `sqrt` as a function.
    pub(crate) fn product_type(&mut self, primitive: Primitive, span: Span) -> Ty {
        let constraint = operand_constraint(primitive);
        let operands: Vec<Ty> = (0..primitive.arity()).map(|_| self.inference.fresh_with(constraint, None)).collect();
        let result = self.inference.fresh_with(constraint, None);
        let ty = Ty::functions(operands.iter().cloned(), result.clone());
        self.deferred.products.push(Product { primitive, operands, result, span });
        ty
    }

    /// Resolves all products whose number type is known by now.
    pub(crate) fn settle_products(&mut self) {
        loop {
            let waiting = std::mem::take(&mut self.deferred.products);
            let before = waiting.len();
            for product in waiting {
                if !self.settle(&product) {
                    self.deferred.products.push(product);
                }
            }
            if self.deferred.products.is_empty() || self.deferred.products.len() == before {
                return;
            }
        }
    }

    /// Resolves a product if one of its types is a known number type.
    fn settle(&mut self, product: &Product) -> bool {
        let mut known = None;
        for ty in product.types() {
            match self.inference.shallow(ty) {
                Ty::Constructor(TypeConstructor::Error, _) => return true,
                Ty::Constructor(constructor, _) if constructor.is_number() => known = known.or(Some(constructor)),
                // A type parameter has no unit.
                Ty::Constructor(..) => return self.make_one_type(product),
                Ty::Variable(_) => {}
            }
        }
        let Some(constructor) = known else { return false };
        let mut measures = Vec::new();
        for ty in &product.operands {
            match self.measure_in(constructor, ty, product.span) {
                Some(measure) => measures.push(measure),
                None => return true,
            }
        }
        let factors: Vec<(&Ty, Exponent)> = measures.iter().zip(product.exponents().iter().copied()).collect();
        let measure = self.combined(&factors, product.span);
        let result = self.inference.number(constructor, &measure);
        let reported = self.reports.diagnostics.len();
        self.expect(product.span, &Expect::anything(product.result.clone()), &result);
        // The products of an `inline` function have the span of its use, where one report suffices.
        let (before, now) = self.reports.diagnostics.split_at(reported);
        let place = |report: &Diagnostic| report.primary.as_ref().map(|label| label.span);
        let alike = |one: &Diagnostic, other: &Diagnostic| one.code == other.code && place(one) == place(other);
        if now.first().is_some_and(|report| before.iter().any(|earlier| alike(earlier, report))) {
            self.reports.diagnostics.truncate(reported);
        }
        true
    }

    /// The unit of an operand, which must have a number type; `None` after a report.
    fn measure_in(&mut self, constructor: TypeConstructor, ty: &Ty, span: Span) -> Option<Ty> {
        let measure = self.inference.fresh_measure(true);
        let wanted = Ty::of(constructor, [measure.clone()]);
        match self.inference.unify(&wanted, ty) {
            Ok(()) => Some(measure),
            Err(error) => {
                self.report_mismatch(span, &Expect::anything(wanted), ty, &error);
                None
            }
        }
    }

    /// Unifies the types of the operands and the result, without a unit.
    fn make_one_type(&mut self, product: &Product) -> bool {
        for operand in &product.operands {
            self.expect(product.span, &Expect::anything(product.result.clone()), operand);
        }
        if let Err(error) = self.inference.constrain(&product.result, TypeConstraint::PLAIN) {
            self.report_mismatch(product.span, &Expect::anything(Ty::error()), &product.result, &error);
        }
        true
    }

    /// Resolves the products of a binding at its end. Those that an enclosing binding may still determine stay deferred. If
    /// the operand types may be generalised, returns the products: each use resolves them.
    pub(crate) fn decide_products(&mut self, generic: bool) -> Vec<Product> {
        self.settle_products();
        let mut undecided = Vec::new();
        for product in std::mem::take(&mut self.deferred.products) {
            let own: Vec<bool> = product.operands.iter().map(|operand| self.belongs_here(operand)).collect();
            if generic && own.contains(&true) {
                undecided.push(product);
            } else if !own.contains(&false) {
                self.make_one_type(&product);
            } else {
                if let Ty::Variable(result) = self.inference.shallow(&product.result) {
                    self.inference.lower_variable(result, self.inference.level());
                }
                self.deferred.products.push(product);
            }
        }
        undecided
    }

    /// The type variables of a product.
    pub(crate) fn variables_of_product(&mut self, product: &Product, found: &mut Vec<TypeVariable>) {
        product.types().for_each(|ty| self.inference.open_variables(ty, found));
    }

    /// Instantiates the products of an `inline` function at the types of a use.
    pub(crate) fn use_products(&mut self, of: VariableId, replace: &HashMap<TypeParameterId, Ty>, span: Span) {
        for product in self.declared.products.get(&of).cloned().unwrap_or_default() {
            let mut at = |ty: &Ty| self.inference.substitute(ty, replace);
            let operands = product.operands.iter().map(&mut at).collect();
            let result = at(&product.result);
            self.deferred.products.push(Product { primitive: product.primitive, operands, result, span });
        }
    }

    /// Whether a type is a type variable of the binding that ends.
    fn belongs_here(&mut self, ty: &Ty) -> bool {
        match self.inference.shallow(ty) {
            Ty::Variable(type_variable) => self.inference.open(type_variable).0 > self.inference.level(),
            Ty::Constructor(..) => false,
        }
    }
}
