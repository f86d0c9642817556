//! Units of measure: their normal form, and their unification.
//!
//! In: types that denote units: named units, type parameters and variables, with products and powers of them. Out:
//! variables bound so that two units are equal, or a unification error. Units form an abelian group, and with rational
//! exponents a vector space, so that an equation is solved for one of its variables (Kennedy, "Types for
//! Units-of-Measure: Theory and Practice", 2009). The choice decides what can be generalised: the innermost `let` wins.

use crate::{
    ty::{Knowledge, MeasureId, Ty, TypeConstraint, TypeConstructor, TypeVariable},
    unify::{Inference, UnificationError},
};
use clef_base::Symbol;
use clef_types::TypeParameterId;
use std::cmp::Ordering;

/// The largest numerator and denominator of an exponent.
const LARGEST_EXPONENT: i64 = 10_000;

/// A rational exponent in lowest terms; the denominator is positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exponent {
    numerator: i32,
    denominator: i32,
}

impl Exponent {
    /// 1.
    pub const ONE: Exponent = Exponent { numerator: 1, denominator: 1 };
    /// -1.
    pub const MINUS_ONE: Exponent = Exponent { numerator: -1, denominator: 1 };
    /// 1/2.
    pub const HALF: Exponent = Exponent { numerator: 1, denominator: 2 };
    const ZERO: Exponent = Exponent { numerator: 0, denominator: 1 };

    /// `None` if it is too large.
    fn new(numerator: i64, denominator: i64) -> Option<Exponent> {
        let divisor = greatest_common_divisor(numerator.abs(), denominator.abs()) * denominator.signum();
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        let fits = numerator.abs() <= LARGEST_EXPONENT && denominator <= LARGEST_EXPONENT;
        fits.then_some(Exponent { numerator: numerator as i32, denominator: denominator as i32 })
    }

    /// A whole exponent, if it is not too large.
    pub fn whole(value: i32) -> Option<Exponent> {
        Exponent::new(value.into(), 1)
    }

    fn add(self, other: Exponent) -> Option<Exponent> {
        let [a, b, c, d] = self.parts(other);
        Exponent::new(a * d + c * b, b * d)
    }

    fn times(self, other: Exponent) -> Option<Exponent> {
        let [a, b, c, d] = self.parts(other);
        Exponent::new(a * c, b * d)
    }

    /// -1/self; `self` must not be zero.
    fn negative_inverse(self) -> Option<Exponent> {
        Exponent::new(-i64::from(self.denominator), self.numerator.into())
    }

    fn parts(self, other: Exponent) -> [i64; 4] {
        [self.numerator, self.denominator, other.numerator, other.denominator].map(i64::from)
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

/// A factor of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Factor {
    /// A unit that the source declares.
    Base(MeasureId),
    /// A type parameter that denotes a unit.
    Parameter(TypeParameterId),
    /// A type variable that denotes a unit.
    Variable(TypeVariable),
}

/// A unit in normal form: each factor once, in order, none with the exponent zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measure {
    factors: Vec<(Factor, Exponent)>,
}

impl Measure {
    fn of(factor: Factor) -> Measure {
        Measure { factors: vec![(factor, Exponent::ONE)] }
    }

    fn is_one(&self) -> bool {
        self.factors.is_empty()
    }

    fn times(&self, other: &Measure) -> Option<Measure> {
        let (mut left, mut right) = (self.factors.iter().peekable(), other.factors.iter().peekable());
        let mut factors = Vec::with_capacity(self.factors.len() + other.factors.len());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((factor, _)), Some((other, _))) => factor.cmp(other),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Some(Measure { factors }),
            };
            match order {
                Ordering::Less => factors.extend(left.next()),
                Ordering::Greater => factors.extend(right.next()),
                Ordering::Equal => {
                    if let (Some((factor, one)), Some((_, other))) = (left.next(), right.next()) {
                        let sum = one.add(*other)?;
                        if sum != Exponent::ZERO {
                            factors.push((*factor, sum));
                        }
                    }
                }
            }
        }
    }

    fn power(&self, exponent: Exponent) -> Option<Measure> {
        if exponent == Exponent::ZERO {
            return Some(Measure::default());
        }
        let raised = self.factors.iter().map(|(factor, of)| Some((*factor, of.times(exponent)?)));
        Some(Measure { factors: raised.collect::<Option<_>>()? })
    }

    /// Converts it to a [`Ty`].
    pub fn to_ty(&self) -> Ty {
        let one = |(factor, exponent): &(Factor, Exponent)| {
            let base = match factor {
                Factor::Base(id) => Ty::simple(TypeConstructor::MeasureBase(*id)),
                Factor::Parameter(id) => Ty::parameter(*id),
                Factor::Variable(variable) => Ty::Variable(*variable),
            };
            if *exponent == Exponent::ONE { base } else { Ty::of(TypeConstructor::MeasurePower(*exponent), [base]) }
        };
        match self.factors.as_slice() {
            [] => Ty::simple(TypeConstructor::MeasureOne),
            [only] => one(only),
            factors => Ty::of(TypeConstructor::MeasureProduct, factors.iter().map(one).collect::<Vec<_>>()),
        }
    }

    /// The source syntax: `kg m/s^2`, `1/s`. Factors are in alphabetical order.
    pub(crate) fn text(&self, name: &mut dyn FnMut(Factor) -> String) -> String {
        let mut above = Vec::new();
        let mut below = Vec::new();
        for (factor, exponent) in &self.factors {
            let (side, shown) = match exponent.numerator {
                ..0 => (&mut below, Exponent { numerator: -exponent.numerator, ..*exponent }),
                0.. => (&mut above, *exponent),
            };
            side.push((name(*factor), shown));
        }
        let product = |mut factors: Vec<(String, Exponent)>| {
            factors.sort_by(|(one, _), (other, _)| one.cmp(other));
            let powers = factors.into_iter().map(|(name, exponent)| match exponent {
                Exponent::ONE => name,
                Exponent { numerator, denominator: 1 } => format!("{name}^{numerator}"),
                Exponent { numerator, denominator } => format!("{name}^({numerator}/{denominator})"),
            });
            powers.collect::<Vec<_>>().join(" ")
        };
        let several = below.len() > 1;
        let (above, below) = (product(above), product(below));
        match (above.is_empty(), below.is_empty()) {
            (true, true) => "1".into(),
            (false, true) => above,
            (_, false) => {
                let above = if above.is_empty() { "1".into() } else { above };
                if several { format!("{above}/({below})") } else { format!("{above}/{below}") }
            }
        }
    }
}

impl Inference {
    /// Whether a type denotes a unit of measure.
    pub fn is_measure(&mut self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Variable(variable) => self.open(variable).1.contains(TypeConstraint::MEASURE),
            Ty::Constructor(TypeConstructor::Parameter(parameter), _) => self.is_measure_parameter(parameter),
            Ty::Constructor(constructor, _) => constructor.is_measure(),
        }
    }

    /// Whether a type parameter denotes a unit of measure.
    pub fn is_measure_parameter(&self, parameter: TypeParameterId) -> bool {
        self.parameter_constraint(parameter).contains(TypeConstraint::MEASURE)
    }

    /// A fresh unit variable. A weak one defaults to the unit one.
    pub fn fresh_measure(&mut self, weak: bool) -> Ty {
        self.fresh_with(
            if weak { TypeConstraint::MEASURE.and(TypeConstraint::WEAK) } else { TypeConstraint::MEASURE },
            None,
        )
    }

    /// The normal form of a unit; `None` if an exponent is too large, or the type is no unit.
    pub fn measure(&mut self, ty: &Ty) -> Option<Measure> {
        match self.shallow(ty) {
            Ty::Variable(variable) => Some(Measure::of(Factor::Variable(variable))),
            Ty::Constructor(TypeConstructor::Parameter(parameter), _) => {
                Some(Measure::of(Factor::Parameter(parameter)))
            }
            Ty::Constructor(TypeConstructor::MeasureBase(id), _) => Some(Measure::of(Factor::Base(id))),
            Ty::Constructor(TypeConstructor::MeasurePower(exponent), parts) => self.measure(&parts[0])?.power(exponent),
            Ty::Constructor(TypeConstructor::MeasureProduct, parts) => {
                parts.iter().try_fold(Measure::default(), |product, part| product.times(&self.measure(part)?))
            }
            Ty::Constructor(TypeConstructor::MeasureOne, _) => Some(Measure::default()),
            Ty::Constructor(..) => None,
        }
    }

    /// A product of powers of units, in normal form; `None` if an exponent is too large.
    pub fn measure_product(&mut self, factors: &[(&Ty, Exponent)]) -> Option<Ty> {
        let product = factors.iter().try_fold(Measure::default(), |product, (ty, exponent)| {
            product.times(&self.measure(ty)?.power(*exponent)?)
        });
        Some(product?.to_ty())
    }

    /// A number type with a unit.
    pub fn number(&mut self, constructor: TypeConstructor, measure: &Ty) -> Ty {
        let measure = self.shallow(measure);
        if let Ty::Constructor(TypeConstructor::MeasureOne, _) = measure {
            Ty::simple(constructor)
        } else {
            Ty::of(constructor, [measure])
        }
    }

    /// Makes two units equal.
    pub fn unify_measures(&mut self, left: &Ty, right: &Ty) -> Result<(), UnificationError> {
        if let (Ty::Constructor(TypeConstructor::Error, _), _) | (_, Ty::Constructor(TypeConstructor::Error, _)) =
            (left, right)
        {
            return Ok(());
        }
        let (Some(left), Some(right)) = (self.measure(left), self.measure(right)) else {
            return Err(UnificationError::Different);
        };
        let difference = right.power(Exponent::MINUS_ONE).and_then(|inverse| left.times(&inverse));
        let Some(difference) = difference else { return Err(UnificationError::Different) };
        if difference.is_one() {
            return Ok(());
        }
        let Some((variable, exponent)) = self.solved_for(&difference) else { return Err(UnificationError::Different) };
        let rest = difference.factors.iter().filter(|(factor, _)| *factor != Factor::Variable(variable)).copied();
        let rest = Measure { factors: rest.collect() };
        let Some(solution) = exponent.negative_inverse().and_then(|exponent| rest.power(exponent)) else {
            return Err(UnificationError::Different);
        };
        let level = self.open(variable).0;
        for (factor, _) in &solution.factors {
            if let Factor::Variable(other) = factor {
                self.lower_variable(*other, level);
            }
        }
        self.bind_measure(variable, solution.to_ty());
        Ok(())
    }

    /// The variable that an equation is solved for. Preferred are, in this order: a weak one, one of the innermost `let`, one
    /// without a name, the latest.
    fn solved_for(&mut self, difference: &Measure) -> Option<(TypeVariable, Exponent)> {
        let mut best = None;
        for (factor, exponent) in &difference.factors {
            let Factor::Variable(variable) = factor else { continue };
            let (level, constraint, name) = self.open(*variable);
            let rank = (constraint.contains(TypeConstraint::WEAK), level, name.is_none(), *variable);
            if best.is_none_or(|(before, _, _)| before < rank) {
                best = Some((rank, *variable, *exponent));
            }
        }
        best.map(|(_, variable, exponent)| (variable, exponent))
    }

    /// Binds a unit variable.
    pub fn bind_measure(&mut self, variable: TypeVariable, measure: Ty) {
        self.know(variable, Knowledge::Known(measure));
    }

    /// Declares a base unit.
    pub fn declare_measure(&mut self, name: Symbol) -> MeasureId {
        self.measures.push(name);
        MeasureId(self.measures.len() as u32 - 1)
    }

    /// Makes a unit variable weak.
    pub fn weaken(&mut self, measure: &Ty) {
        if let Ty::Variable(variable) = self.shallow(measure) {
            let (level, constraint, name) = self.open(variable);
            self.know(
                variable,
                Knowledge::Open { level, constraint: constraint.and(TypeConstraint::WEAK), name, element: None },
            );
        }
    }

    /// Whether a unit has a type variable in it.
    pub fn is_generic_measure(&mut self, measure: &Ty) -> bool {
        let factors = self.measure(measure).unwrap_or_default().factors;
        factors.into_iter().any(|(factor, _)| match factor {
            Factor::Base(_) => false,
            Factor::Parameter(_) | Factor::Variable(_) => true,
        })
    }

    /// Binds the weak units within a type to one, if they belong to a `let` within `level`.
    pub fn settle_weak(&mut self, ty: &Ty, level: u32) {
        let mut variables = Vec::new();
        self.open_variables(ty, &mut variables);
        for variable in variables {
            // Binding an earlier variable may have bound this one.
            let Ty::Variable(variable) = self.shallow(&Ty::Variable(variable)) else { continue };
            let (of, constraint, _) = self.open(variable);
            if of > level && constraint.contains(TypeConstraint::WEAK) {
                self.bind_measure(variable, Ty::simple(TypeConstructor::MeasureOne));
            }
        }
    }

    /// A unit as it is shown: without weak variables.
    pub(crate) fn shown_measure(&mut self, ty: &Ty) -> Option<Measure> {
        let mut measure = self.measure(ty)?;
        measure.factors.retain(|(factor, _)| match factor {
            Factor::Variable(variable) => !self.open(*variable).1.contains(TypeConstraint::WEAK),
            Factor::Base(_) | Factor::Parameter(_) => true,
        });
        Some(measure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(inference: &mut Inference, name: &str) -> Ty {
        let id = inference.declare_measure(Symbol::new(name));
        Ty::simple(TypeConstructor::MeasureBase(id))
    }

    fn text(inference: &mut Inference, ty: &Ty) -> String {
        let measure = inference.shown_measure(ty).expect("a unit");
        measure.text(&mut |factor| match factor {
            Factor::Base(id) => inference.measures[id.0 as usize].to_string(),
            Factor::Parameter(_) | Factor::Variable(_) => "'u".into(),
        })
    }

    #[test]
    fn units_print_in_normal_form() {
        let mut inference = Inference::default();
        let [kg, m, s] = ["kg", "m", "s"].map(|name| base(&mut inference, name));
        let minus_two = Exponent::whole(-2).expect("small");
        let newton = inference.measure_product(&[(&m, Exponent::ONE), (&s, minus_two), (&kg, Exponent::ONE)]);
        let newton = newton.expect("small");
        assert_eq!(text(&mut inference, &newton), "kg m/s^2");
        let root = inference.measure_product(&[(&newton, Exponent::HALF)]).expect("small");
        assert_eq!(text(&mut inference, &root), "kg^(1/2) m^(1/2)/s");
        let inverse = inference.measure_product(&[(&newton, Exponent::MINUS_ONE)]).expect("small");
        assert_eq!(text(&mut inference, &inverse), "s^2/(kg m)");
        let nothing = inference.measure_product(&[(&newton, Exponent::ONE), (&inverse, Exponent::ONE)]);
        assert_eq!(text(&mut inference, &nothing.expect("small")), "1");
    }

    #[test]
    fn an_equation_is_solved_for_one_variable() {
        let mut inference = Inference::default();
        let m = base(&mut inference, "m");
        let variable = inference.fresh_measure(false);
        let two = Exponent::whole(2).expect("small");
        let square = inference.measure_product(&[(&variable, two)]).expect("small");
        assert!(inference.unify_measures(&square, &m).is_ok());
        assert_eq!(text(&mut inference, &variable), "m^(1/2)");
        assert!(inference.unify_measures(&variable, &m).is_err());
    }

    #[test]
    fn exponents_end_somewhere() {
        let mut inference = Inference::default();
        let mut unit = base(&mut inference, "m");
        let two = Exponent::whole(2).expect("small");
        let mut doublings = 0;
        while let Some(next) = inference.measure_product(&[(&unit, two)]) {
            unit = next;
            doublings += 1;
        }
        assert_eq!(doublings, 13);
        assert!(Exponent::whole(i32::MIN).is_none());
    }
}
