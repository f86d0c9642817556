//! Matches and patterns.

use super::{
    Generator, Style,
    scope::{Nature, Variable},
};
use crate::{
    tree::{Arm, Expr, Kind, Pattern},
    types::{Library, Made, Type, Width, field_name, made},
};

impl Generator {
    /// A `match … with` that is exhaustive.
    pub(super) fn matching(&mut self, ty: &Type, size: usize) -> Expr {
        let matched = match self.random.below(8) {
            0 => self.any_type(2),
            _ => self.data_type(2),
        };
        let [scrutinee, arms] = self.split(size);
        let scrutinee = self.expression(&matched, scrutinee);
        let arms = self.arms(&matched, ty, arms);
        Expr::new(ty.clone(), Kind::Match(Box::new(scrutinee), arms))
    }

    /// Exhaustive arms for a type.
    pub(super) fn arms(&mut self, matched: &Type, ty: &Type, size: usize) -> Vec<Arm> {
        let declarations = self.declarations.clone();
        let mut arms = Vec::new();
        let refutable = self.random.between(0, 3);
        let each = size / (refutable + 2);
        for _ in 0..refutable {
            arms.push(self.arm(ty, each, |generator| generator.pattern(matched, 3)));
        }
        match made(matched, &declarations) {
            Made::Cases(cases) if self.random.chance(3, 4) => {
                for (name, fields) in cases {
                    arms.push(self.arm(ty, each, |generator| {
                        let fields = fields.iter().map(|field| generator.irrefutable(field, 1)).collect();
                        generator.case_pattern(matched, name, fields)
                    }));
                }
                for arm in arms.iter_mut().skip(refutable) {
                    arm.guard = None;
                }
            }
            Made::Cases(_) | Made::Fields(_) | Made::Other => {
                let mut last = self.arm(ty, each, |generator| generator.irrefutable(matched, 2));
                last.guard = None;
                arms.push(last);
            }
        }
        arms
    }

    fn arm(&mut self, ty: &Type, size: usize, make: impl FnOnce(&mut Generator) -> Pattern) -> Arm {
        self.scoped(|generator| {
            let pattern = make(generator);
            let guarded = generator.random.chance(1, 5);
            let guard = guarded.then(|| generator.expression(&Type::Bool, size / 2));
            Arm { pattern, guard, body: generator.expression(ty, size) }
        })
    }

    /// A match without an arm for its value: it traps.
    pub(super) fn uncovered_match(&mut self) -> Expr {
        let int = Type::Integer(Width::Int);
        let zero = Expr::name(int.clone(), "zero");
        let arms = ["1", "2"].map(|literal| Arm {
            pattern: Pattern::Literal(literal.to_owned()),
            guard: None,
            body: self.expression(&int, 3),
        });
        Expr::new(int, Kind::Match(Box::new(zero), arms.into()))
    }

    fn bound(&mut self, ty: &Type) -> String {
        let name = self.fresh("x");
        self.scope.push(Variable::value(&name, ty.clone(), Nature::Value));
        name
    }

    /// An irrefutable pattern; its names come into scope.
    pub(super) fn irrefutable(&mut self, ty: &Type, depth: usize) -> Pattern {
        if self.random.chance(1, 6) {
            return Pattern::Any;
        }
        let declarations = self.declarations.clone();
        match (ty, made(ty, &declarations)) {
            (Type::Tuple(parts), _) if depth > 0 => {
                let parts = parts.iter().map(|part| self.irrefutable(part, depth - 1)).collect();
                Pattern::Tuple(parts)
            }
            (_, Made::Fields(fields)) if depth > 0 && self.random.chance(1, 2) => {
                self.fields(&fields, |generator, field| generator.irrefutable(field, depth - 1))
            }
            _ if self.random.chance(1, 10) => {
                let name = self.bound(ty);
                Pattern::As(Box::new(Pattern::Any), name)
            }
            _ if self.random.chance(1, 10) => {
                let name = self.bound(ty);
                Pattern::Typed(Box::new(Pattern::Name(name)), ty.clone())
            }
            _ => Pattern::Name(self.bound(ty)),
        }
    }

    /// A case pattern, whose fields may be given by name.
    fn case_pattern(&mut self, ty: &Type, name: &str, fields: Vec<Pattern>) -> Pattern {
        if !self.has_named_fields(ty, name) || self.random.chance(1, 3) {
            return Pattern::Case(name.to_owned(), fields);
        }
        let mut fields: Vec<(String, Pattern)> =
            fields.into_iter().enumerate().map(|(index, field)| (field_name(index), field)).collect();
        self.random.shuffle(&mut fields);
        Pattern::NamedCase(name.to_owned(), fields)
    }

    fn fields(&mut self, fields: &[(&str, Type)], mut make: impl FnMut(&mut Generator, &Type) -> Pattern) -> Pattern {
        let mut patterns = Vec::new();
        for (name, field) in fields {
            if patterns.is_empty() || self.random.chance(2, 3) {
                patterns.push(((*name).to_owned(), make(self, field)));
            }
        }
        Pattern::Record(patterns)
    }

    /// Any pattern of a type; its names come into scope.
    fn pattern(&mut self, ty: &Type, depth: usize) -> Pattern {
        if depth == 0 {
            return self.irrefutable(ty, 0);
        }
        match self.random.below(12) {
            0 => {
                let whole = self.pattern(ty, depth - 1);
                return Pattern::As(Box::new(whole), self.bound(ty));
            }
            1 if self.style == Style::Mixed => {
                let both = [0, 1].map(|_| Box::new(self.pattern(ty, depth - 1)));
                let [first, second] = both;
                return Pattern::And(first, second);
            }
            2 | 3 => {
                if let Some(either) = self.either(ty, depth) {
                    return either;
                }
            }
            _ => {}
        }
        let declarations = self.declarations.clone();
        match (ty, made(ty, &declarations)) {
            (Type::Tuple(parts), _) => {
                let parts = parts.iter().map(|part| self.pattern(part, depth - 1)).collect();
                Pattern::Tuple(parts)
            }
            (_, Made::Fields(fields)) => self.fields(&fields, |generator, field| generator.pattern(field, depth - 1)),
            (_, Made::Cases(cases)) => {
                let (name, fields) = self.random.pick(&cases).clone();
                let fields = fields.iter().map(|field| self.pattern(field, depth - 1)).collect();
                self.case_pattern(ty, name, fields)
            }
            (Type::Library(family @ (Library::List | Library::Array), parts), _) => {
                let item = parts[0].clone();
                if *family == Library::List && self.random.chance(1, 2) {
                    let head = Box::new(self.pattern(&item, depth - 1));
                    return Pattern::Cons(head, Box::new(self.pattern(ty, depth - 1)));
                }
                let count = self.random.below(4);
                let items = (0..count).map(|_| self.pattern(&item, depth - 1)).collect();
                if *family == Library::List { Pattern::List(items) } else { Pattern::Array(items) }
            }
            (Type::Unit, _) => Pattern::Unit,
            (_, Made::Other) => match self.literal_pattern(ty) {
                Some(literal) if self.random.chance(2, 3) => literal,
                Some(_) | None => self.irrefutable(ty, 0),
            },
        }
    }

    /// An or-pattern. Its sides bind nothing, or the same name to a part of the same type.
    fn either(&mut self, ty: &Type, depth: usize) -> Option<Pattern> {
        let part = self.part_of(ty, depth)?;
        let name = self.random.chance(2, 3).then(|| self.fresh("x"));
        let sides = [0, 1].map(|_| self.placed(ty, &part, name.as_deref(), depth));
        let [Some(first), Some(second)] = sides else { return None };
        if let Some(name) = name {
            self.scope.push(Variable::value(&name, part, Nature::Value));
        }
        Some(Pattern::Or(Box::new(first), Box::new(second)))
    }

    /// The type of a part of a type's values.
    fn part_of(&mut self, ty: &Type, depth: usize) -> Option<Type> {
        if depth == 0 || self.random.chance(1, 4) {
            return Some(ty.clone());
        }
        let inner: Vec<Type> = match (ty, made(ty, &self.declarations)) {
            (Type::Tuple(parts), _) => parts.clone(),
            (_, Made::Fields(fields)) => fields.into_iter().map(|(_, field)| field).collect(),
            (_, Made::Cases(cases)) => cases.into_iter().flat_map(|(_, fields)| fields).collect(),
            (_, Made::Other) => return Some(ty.clone()),
        };
        if inner.is_empty() {
            return None;
        }
        let chosen = self.random.pick(&inner).clone();
        self.part_of(&chosen, depth - 1)
    }

    /// A pattern that binds nothing except, if a name is given, one part of that type to it.
    fn placed(&mut self, ty: &Type, part: &Type, name: Option<&str>, depth: usize) -> Option<Pattern> {
        if let Some(name) = name
            && ty == part
            && self.random.chance(2, 3)
        {
            return Some(Pattern::Name(name.to_owned()));
        }
        let declarations = self.declarations.clone();
        let of_parts = |generator: &mut Generator, parts: &[Type]| -> Option<Vec<Pattern>> {
            let fitting: Vec<usize> =
                (0..parts.len()).filter(|&index| contains(&parts[index], part, generator, depth)).collect();
            let chosen = match name {
                Some(_) if fitting.is_empty() => return None,
                Some(_) => Some(*generator.random.pick(&fitting)),
                None => None,
            };
            let one = |(index, inner): (usize, &Type)| match chosen == Some(index) {
                true => generator.placed(inner, part, name, depth.checked_sub(1)?),
                false => generator.placed(inner, part, None, depth.saturating_sub(1)),
            };
            parts.iter().enumerate().map(one).collect()
        };
        let bound_here = || name.filter(|_| ty == part).map(|name| Pattern::Name(name.to_owned()));
        match (ty, made(ty, &declarations)) {
            _ if depth == 0 => {
                if name.is_some() {
                    bound_here()
                } else {
                    Some(Pattern::Any)
                }
            }
            (Type::Tuple(parts), _) => match of_parts(self, parts) {
                Some(parts) => Some(Pattern::Tuple(parts)),
                None => bound_here(),
            },
            (_, Made::Cases(mut cases)) => {
                self.random.shuffle(&mut cases);
                for (case, fields) in cases {
                    if let Some(fields) = of_parts(self, &fields) {
                        return Some(Pattern::Case(case.to_owned(), fields));
                    }
                }
                bound_here()
            }
            (_, Made::Fields(_) | Made::Other) => match name {
                Some(_) => bound_here(),
                None => Some(self.literal_pattern(ty).filter(|_| self.random.chance(2, 3)).unwrap_or(Pattern::Any)),
            },
        }
    }
}

/// Whether values of a type have a part of another, at limited depth.
fn contains(ty: &Type, part: &Type, generator: &Generator, depth: usize) -> bool {
    if ty == part {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    match (ty, made(ty, &generator.declarations)) {
        (Type::Tuple(parts), _) => parts.iter().any(|inner| contains(inner, part, generator, depth)),
        (_, Made::Cases(cases)) => {
            cases.iter().any(|(_, fields)| fields.iter().any(|inner| contains(inner, part, generator, depth)))
        }
        (_, Made::Fields(_) | Made::Other) => false,
    }
}
