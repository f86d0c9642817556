//! Units of measure: their normal form, and their unification.
//!
//! In: types of inference that stand for units: named ones, type parameters and unknowns, with products and powers of
//! them. Out: unknowns bound so that two units are equal, or a clash. Units form an abelian group, and with rational
//! exponents a vector space, so that one equation is solved by one unknown of it (Kennedy, "Types for Units-of-Measure:
//! Theory and Practice", 2009). Which one decides what can be generalised: the one of the innermost `let`.

use super::{
    ty::{Head, Knowledge, MeasureId, Need, Ty, Unknown},
    unify::{Clash, Inference},
};
use clef_base::Symbol;
use clef_types::TypeParameterId;
use std::cmp::Ordering;

/// The largest numerator and denominator of an exponent.
const LARGEST_EXPONENT: i64 = 10_000;

/// A rational exponent in lowest terms; the denominator is positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exponent {
    numerator: i32,
    denominator: i32,
}

impl Exponent {
    pub(super) const ONE: Exponent = Exponent { numerator: 1, denominator: 1 };
    pub(super) const MINUS_ONE: Exponent = Exponent { numerator: -1, denominator: 1 };
    pub(super) const HALF: Exponent = Exponent { numerator: 1, denominator: 2 };
    const ZERO: Exponent = Exponent { numerator: 0, denominator: 1 };

    /// `None` if it is too large.
    fn new(numerator: i64, denominator: i64) -> Option<Exponent> {
        let divisor = greatest_common_divisor(numerator.abs(), denominator.abs()) * denominator.signum();
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        let fits = numerator.abs() <= LARGEST_EXPONENT && denominator <= LARGEST_EXPONENT;
        fits.then_some(Exponent { numerator: numerator as i32, denominator: denominator as i32 })
    }

    /// A whole exponent, if it is not too large.
    pub(super) fn whole(value: i32) -> Option<Exponent> {
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

    /// -1/self; of an exponent that is not zero.
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

/// What a unit is a product of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Factor {
    Base(MeasureId),
    Parameter(TypeParameterId),
    Unknown(Unknown),
}

/// A unit in normal form: each factor once, in order, none with the exponent zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Measure {
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

    /// The same as a type of inference.
    pub(super) fn to_ty(&self) -> Ty {
        let one = |(factor, exponent): &(Factor, Exponent)| {
            let base = match factor {
                Factor::Base(id) => Ty::simple(Head::MeasureBase(*id)),
                Factor::Parameter(id) => Ty::parameter(*id),
                Factor::Unknown(unknown) => Ty::Unknown(*unknown),
            };
            if *exponent == Exponent::ONE { base } else { Ty::of(Head::MeasurePower(*exponent), [base]) }
        };
        match self.factors.as_slice() {
            [] => Ty::simple(Head::MeasureOne),
            [only] => one(only),
            factors => Ty::of(Head::MeasureProduct, factors.iter().map(one).collect::<Vec<_>>()),
        }
    }

    /// As a person writes it: `kg m/s^2`, `1/s`. Factors stand in the alphabetical order of their names.
    fn text(&self, name: &mut dyn FnMut(Factor) -> String) -> String {
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
    /// Whether a type stands for a unit of measure.
    pub(super) fn is_measure(&mut self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Unknown(unknown) => self.open(unknown).1.contains(Need::MEASURE),
            Ty::Head(Head::Parameter(parameter), _) => self.is_measure_parameter(parameter),
            Ty::Head(head, _) => head.is_measure(),
        }
    }

    /// Whether a type parameter stands for a unit of measure.
    pub(super) fn is_measure_parameter(&self, parameter: TypeParameterId) -> bool {
        self.parameter_needs.get(&parameter).is_some_and(|need| need.contains(Need::MEASURE))
    }

    /// A fresh unit. A weak one is that of plain numbers unless something decides otherwise.
    pub(super) fn fresh_measure(&mut self, weak: bool) -> Ty {
        self.fresh_with(if weak { Need::MEASURE.and(Need::WEAK) } else { Need::MEASURE }, None)
    }

    /// The normal form of a unit; `None` if an exponent is too large, or it is none.
    pub(super) fn measure(&mut self, ty: &Ty) -> Option<Measure> {
        match self.shallow(ty) {
            Ty::Unknown(unknown) => Some(Measure::of(Factor::Unknown(unknown))),
            Ty::Head(Head::Parameter(parameter), _) => Some(Measure::of(Factor::Parameter(parameter))),
            Ty::Head(Head::MeasureBase(id), _) => Some(Measure::of(Factor::Base(id))),
            Ty::Head(Head::MeasurePower(exponent), parts) => self.measure(&parts[0])?.power(exponent),
            Ty::Head(Head::MeasureProduct, parts) => {
                parts.iter().try_fold(Measure::default(), |product, part| product.times(&self.measure(part)?))
            }
            Ty::Head(Head::MeasureOne, _) => Some(Measure::default()),
            Ty::Head(..) => None,
        }
    }

    /// A product of powers of units, in normal form; `None` if an exponent is too large.
    pub(super) fn measure_product(&mut self, factors: &[(&Ty, Exponent)]) -> Option<Ty> {
        let product = factors.iter().try_fold(Measure::default(), |product, (ty, exponent)| {
            product.times(&self.measure(ty)?.power(*exponent)?)
        });
        Some(product?.to_ty())
    }

    /// The number type of a unit.
    pub(super) fn number(&mut self, head: Head, measure: &Ty) -> Ty {
        let measure = self.shallow(measure);
        if let Ty::Head(Head::MeasureOne, _) = measure { Ty::simple(head) } else { Ty::of(head, [measure]) }
    }

    /// Makes two units equal.
    pub(super) fn unify_measures(&mut self, left: &Ty, right: &Ty) -> Result<(), Clash> {
        if let (Ty::Head(Head::Error, _), _) | (_, Ty::Head(Head::Error, _)) = (left, right) {
            return Ok(());
        }
        let (Some(left), Some(right)) = (self.measure(left), self.measure(right)) else {
            return Err(Clash::Different);
        };
        let difference = right.power(Exponent::MINUS_ONE).and_then(|inverse| left.times(&inverse));
        let Some(difference) = difference else { return Err(Clash::Different) };
        if difference.is_one() {
            return Ok(());
        }
        let Some((unknown, exponent)) = self.solved_for(&difference) else { return Err(Clash::Different) };
        let rest = difference.factors.iter().filter(|(factor, _)| *factor != Factor::Unknown(unknown)).copied();
        let rest = Measure { factors: rest.collect() };
        let Some(solution) = exponent.negative_inverse().and_then(|exponent| rest.power(exponent)) else {
            return Err(Clash::Different);
        };
        let level = self.open(unknown).0;
        for (factor, _) in &solution.factors {
            if let Factor::Unknown(other) = factor {
                self.lower_unknown(*other, level);
            }
        }
        self.bind_measure(unknown, solution.to_ty());
        Ok(())
    }

    /// The unknown that an equation is solved for: a weak one; one that would be generalised early; one without a name;
    /// the latest.
    fn solved_for(&mut self, difference: &Measure) -> Option<(Unknown, Exponent)> {
        let mut best = None;
        for (factor, exponent) in &difference.factors {
            let Factor::Unknown(unknown) = factor else { continue };
            let (level, need, name) = self.open(*unknown);
            let rank = (need.contains(Need::WEAK), level, name.is_none(), *unknown);
            if best.is_none_or(|(before, _, _)| before < rank) {
                best = Some((rank, *unknown, *exponent));
            }
        }
        best.map(|(_, unknown, exponent)| (unknown, exponent))
    }

    /// Lets an unknown unit be a unit.
    pub(super) fn bind_measure(&mut self, unknown: Unknown, measure: Ty) {
        self.know(unknown, Knowledge::Known(measure));
    }

    /// Declares a base unit.
    pub(super) fn declare_measure(&mut self, name: Symbol) -> MeasureId {
        self.measures.push(name);
        MeasureId(self.measures.len() as u32 - 1)
    }

    /// Makes an unknown unit weak.
    pub(super) fn weaken(&mut self, measure: &Ty) {
        if let Ty::Unknown(unknown) = self.shallow(measure) {
            let (level, need, name) = self.open(unknown);
            self.know(unknown, Knowledge::Open { level, need: need.and(Need::WEAK), name, element: None });
        }
    }

    /// Whether a unit has a type variable in it.
    pub(super) fn is_generic_measure(&mut self, measure: &Ty) -> bool {
        let factors = self.measure(measure).unwrap_or_default().factors;
        factors.into_iter().any(|(factor, _)| match factor {
            Factor::Base(_) => false,
            Factor::Parameter(_) | Factor::Unknown(_) => true,
        })
    }

    /// Makes the weak units within a type those of plain numbers, as far as they belong to a `let` within `level`.
    pub(super) fn settle_weak(&mut self, ty: &Ty, level: u32) {
        let mut unknowns = Vec::new();
        self.unknowns(ty, &mut unknowns);
        for unknown in unknowns {
            // Another may have been made known meanwhile.
            let Ty::Unknown(unknown) = self.shallow(&Ty::Unknown(unknown)) else { continue };
            let (of, need, _) = self.open(unknown);
            if of > level && need.contains(Need::WEAK) {
                self.bind_measure(unknown, Ty::simple(Head::MeasureOne));
            }
        }
    }

    /// A unit as a person writes it; weak unknowns are left out.
    pub(super) fn measure_text(&mut self, ty: &Ty, name: &mut dyn FnMut(&mut Inference, Factor) -> String) -> String {
        let Some(mut measure) = self.measure(ty) else { return "_".into() };
        measure.factors.retain(|(factor, _)| match factor {
            Factor::Unknown(unknown) => !self.open(*unknown).1.contains(Need::WEAK),
            Factor::Base(_) | Factor::Parameter(_) => true,
        });
        measure.text(&mut |factor| name(self, factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(inference: &mut Inference, name: &str) -> Ty {
        let id = inference.declare_measure(Symbol::new(name));
        Ty::simple(Head::MeasureBase(id))
    }

    fn text(inference: &mut Inference, ty: &Ty) -> String {
        inference.measure_text(ty, &mut |inference, factor| match factor {
            Factor::Base(id) => inference.measures[id.0 as usize].to_string(),
            Factor::Parameter(_) | Factor::Unknown(_) => "'u".into(),
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
    fn an_equation_is_solved_for_one_unknown() {
        let mut inference = Inference::default();
        let m = base(&mut inference, "m");
        let unknown = inference.fresh_measure(false);
        let two = Exponent::whole(2).expect("small");
        let square = inference.measure_product(&[(&unknown, two)]).expect("small");
        assert!(inference.unify_measures(&square, &m).is_ok());
        assert_eq!(text(&mut inference, &unknown), "m^(1/2)");
        assert!(inference.unify_measures(&unknown, &m).is_err());
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
