//! Products, quotients and square roots, whose units of measure are not those of their operands.
//!
//! In: operands with types that may not be known yet. Out: the type of the result, and the demand that it keeps to: one
//! number type for all, and the product, quotient or root of the units. A demand whose number type is not known waits
//! until it is; when the binding around it ends, all its types become one, without a unit, but in an `inline` function it
//! is made anew of the types of each use.

use super::{
    Checker,
    builtin::operand_need,
    literal_operands::Operands,
    measure::Exponent,
    report::{Expect, Reason},
    ty::{Head, Need, Ty, Unknown},
};
use clef_base::Span;
use clef_psg::{NodeId, NodeKind, VariableId};
use clef_syntax::ast::Name;
use clef_types::{Primitive, TypeParameterId};
use std::collections::HashMap;

/// A product, quotient or root whose number type is not known yet.
#[derive(Clone)]
pub(super) struct Product {
    primitive: Primitive,
    operands: Vec<Ty>,
    result: Ty,
    span: Span,
}

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
    pub(super) fn product(
        &mut self,
        primitive: Primitive,
        operator: Name,
        Operands { left, right }: Operands,
        span: Span,
    ) -> NodeId {
        let need = operand_need(primitive);
        let works = self.demand_operand(operator, left, need);
        let operand = if works { self.type_of(left) } else { Ty::error() };
        let wanted = match self.inference.shallow(&operand) {
            Ty::Head(head, _) if head.is_number() => {
                let measure = self.inference.fresh_measure(true);
                Ty::of(head, [measure])
            }
            Ty::Head(..) => operand.clone(),
            Ty::Unknown(_) => self.inference.fresh_with(need, None),
        };
        let reason = Reason::Operand { operator: operator.symbol, other: self.span_of(left) };
        let errors = self.diagnostics.len();
        let right = self.right_operand(right, &Expect { ty: wanted.clone(), reason });
        let result = match self.inference.shallow(&operand) {
            // Which of the operands is wrong is not known.
            _ if self.diagnostics.len() > errors => Ty::error(),
            Ty::Head(head, _) if !head.is_number() => operand.clone(),
            Ty::Head(..) | Ty::Unknown(_) => {
                let result = self.inference.fresh_with(need, None);
                let operands = vec![operand.clone(), wanted];
                let product = Product { primitive, operands, result: result.clone(), span: operator.span };
                if !self.settle(&product) {
                    self.products.push(product);
                }
                result
            }
        };
        let types = [self.type_of(left), self.type_of(right)];
        let function_type = Ty::functions(types.into_iter(), result.clone());
        let function = self.node(NodeKind::Primitive(primitive), function_type, operator.span);
        self.node(NodeKind::Apply { function, arguments: vec![left, right] }, result, span)
    }

    /// The type of `*`, `/` or `sqrt` as a function.
    pub(super) fn product_type(&mut self, primitive: Primitive, span: Span) -> Ty {
        let need = operand_need(primitive);
        let operands: Vec<Ty> = (0..primitive.arity()).map(|_| self.inference.fresh_with(need, None)).collect();
        let result = self.inference.fresh_with(need, None);
        let ty = Ty::functions(operands.iter().cloned(), result.clone());
        self.products.push(Product { primitive, operands, result, span });
        ty
    }

    /// Settles all products whose number type is known by now.
    pub(super) fn settle_products(&mut self) {
        loop {
            let waiting = std::mem::take(&mut self.products);
            let before = waiting.len();
            for product in waiting {
                if !self.settle(&product) {
                    self.products.push(product);
                }
            }
            if self.products.is_empty() || self.products.len() == before {
                return;
            }
        }
    }

    /// Settles a product if some type of it is a known number type.
    fn settle(&mut self, product: &Product) -> bool {
        let mut known = None;
        for ty in product.types() {
            match self.inference.shallow(ty) {
                Ty::Head(Head::Error, _) => return true,
                Ty::Head(head, _) if head.is_number() => known = known.or(Some(head)),
                // A type parameter has no unit.
                Ty::Head(..) => return self.make_one_type(product),
                Ty::Unknown(_) => {}
            }
        }
        let Some(head) = known else { return false };
        let mut measures = Vec::new();
        for ty in &product.operands {
            match self.measure_in(head, ty, product.span) {
                Some(measure) => measures.push(measure),
                None => return true,
            }
        }
        let factors: Vec<(&Ty, Exponent)> = measures.iter().zip(product.exponents().iter().copied()).collect();
        let measure = self.combined(&factors, product.span);
        let result = self.inference.number(head, &measure);
        let reported = self.diagnostics.len();
        self.expect(product.span, &Expect::anything(product.result.clone()), &result);
        // The products of an `inline` function are all at the place of its use.
        let (before, now) = self.diagnostics.split_at(reported);
        if now.first().is_some_and(|report| before.contains(report)) {
            self.diagnostics.truncate(reported);
        }
        true
    }

    /// The unit of an operand, which must be of a number type; `None` where it was reported that it is not.
    fn measure_in(&mut self, head: Head, ty: &Ty, span: Span) -> Option<Ty> {
        let measure = self.inference.fresh_measure(true);
        let wanted = Ty::of(head, [measure.clone()]);
        match self.inference.unify(&wanted, ty) {
            Ok(()) => Some(measure),
            Err(clash) => {
                self.report_mismatch(span, &Expect::anything(wanted), ty, &clash);
                None
            }
        }
    }

    /// Makes operands and result one type without a unit.
    fn make_one_type(&mut self, product: &Product) -> bool {
        for operand in &product.operands {
            self.expect(product.span, &Expect::anything(product.result.clone()), operand);
        }
        if let Err(clash) = self.inference.demand(&product.result, Need::PLAIN) {
            self.report_mismatch(product.span, &Expect::anything(Ty::error()), &product.result, &clash);
        }
        true
    }

    /// At the end of a binding: decides the products whose operands belong to it. One that an enclosing binding may still
    /// decide waits on. Where the types of operands may become parameters, its own are given back: each use decides them.
    pub(super) fn decide_products(&mut self, generic: bool) -> Vec<Product> {
        self.settle_products();
        let mut undecided = Vec::new();
        for product in std::mem::take(&mut self.products) {
            let own: Vec<bool> = product.operands.iter().map(|operand| self.belongs_here(operand)).collect();
            if generic && own.contains(&true) {
                undecided.push(product);
            } else if !own.contains(&false) {
                self.make_one_type(&product);
            } else {
                if let Ty::Unknown(result) = self.inference.shallow(&product.result) {
                    self.inference.lower_unknown(result, self.inference.level);
                }
                self.products.push(product);
            }
        }
        undecided
    }

    /// The unknowns of a product.
    pub(super) fn unknowns_of_product(&mut self, product: &Product, found: &mut Vec<Unknown>) {
        product.types().for_each(|ty| self.inference.unknowns(ty, found));
    }

    /// The products of an `inline` function, at the types of a use.
    pub(super) fn use_products(&mut self, of: VariableId, replace: &HashMap<TypeParameterId, Ty>, span: Span) {
        for product in self.generic_products.get(&of).cloned().unwrap_or_default() {
            let mut at = |ty: &Ty| self.inference.substitute(ty, replace);
            let operands = product.operands.iter().map(&mut at).collect();
            let result = at(&product.result);
            self.products.push(Product { primitive: product.primitive, operands, result, span });
        }
    }

    /// Whether a type is an unknown of the binding that ends.
    fn belongs_here(&mut self, ty: &Ty) -> bool {
        match self.inference.shallow(ty) {
            Ty::Unknown(unknown) => self.inference.open(unknown).0 > self.inference.level,
            Ty::Head(..) => false,
        }
    }
}
