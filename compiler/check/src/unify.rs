//! Unification over union-find, with levels and demands.
//!
//! In: two types that must be equal. Out: unknowns bound so that they are, or the clash that forbids it. An unknown's
//! level is never greater than that of what contains it; a demand on an unknown is passed on to what it becomes.

use super::{
    requirements::{Fields, Requirements, is_compound},
    ty::{Head, Knowledge, Need, Ty, Unknown},
};
use clef_base::Symbol;
use clef_psg::Psg;
use clef_types::{DeclaredTypeId, TypeParameterId};
use ena::unify::InPlaceUnificationTable;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Why two types are not equal, or a demand is not met.
#[derive(Clone, Debug)]
pub(super) enum Clash {
    /// Two constructors, or two counts of components, differ.
    Different,
    /// A type would contain itself.
    Infinite(Ty, Ty),
    /// The type does not satisfy the demand.
    Unmet(Need, Ty),
    /// A type would have more parts than any type of reasonable size.
    Large,
}

/// The most parts of a type: applications that each double a type lead to types that no memory holds (Mairson, "Deciding
/// ML typability is complete for deterministic exponential time", 1990). No unknown becomes a larger one, so that what
/// walks types ends soon.
pub(super) const LARGEST_TYPE: usize = 10_000;

/// The types of the library that `for … in` goes through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collections {
    pub(super) sequence: DeclaredTypeId,
    pub(super) list: Option<DeclaredTypeId>,
    /// With the type of its elements.
    pub(super) map: Option<(DeclaredTypeId, DeclaredTypeId)>,
    pub(super) set: Option<DeclaredTypeId>,
}

/// All that is known of unknowns.
#[derive(Clone, Default)]
pub(super) struct Inference {
    table: InPlaceUnificationTable<Unknown>,
    /// How many `let`s are open.
    pub(super) level: u32,
    /// The demands on generalised variables.
    pub(super) parameter_needs: HashMap<TypeParameterId, Need>,
    /// Type parameters whose demands are still being gathered.
    pub(super) gathering: HashSet<TypeParameterId>,
    /// The types of the fields of declared types, by declared type: what equality looks into.
    pub(super) field_types: HashMap<clef_types::DeclaredTypeId, Arc<Fields>>,
    /// What demands on declared types come to, as far as it was asked.
    pub(super) requirements: Requirements,
    /// What can stand where a sequence is wanted, once the library has sequences.
    pub(super) collections: Option<Collections>,
    /// The units of measure that the source declares.
    pub(super) measures: Vec<Symbol>,
    /// The declared types that are records, and plain values.
    pub(super) records: HashSet<clef_types::DeclaredTypeId>,
    /// What unknowns have become in the graph: a type may hold one many times.
    finished: HashMap<Unknown, clef_types::Type>,
}

impl Inference {
    /// A fresh unknown of the present level.
    pub(super) fn fresh(&mut self) -> Ty {
        self.fresh_with(Need::NOTHING, None)
    }

    /// A fresh unknown with a demand and perhaps a name.
    pub(super) fn fresh_with(&mut self, need: Need, name: Option<Symbol>) -> Ty {
        let level = self.level;
        Ty::Unknown(self.table.new_key(Knowledge::Open { level, need, name, element: None }))
    }

    /// A fresh unknown that must become a collection.
    pub(super) fn fresh_collection(&mut self, element: Ty) -> Ty {
        let knowledge = Knowledge::Open { level: self.level, need: Need::NOTHING, name: None, element: Some(element) };
        Ty::Unknown(self.table.new_key(knowledge))
    }

    /// The type of the elements of a sequence; `None` for what is known to be none, or is not known.
    pub(super) fn sequence_element(&mut self, ty: &Ty) -> Option<Ty> {
        let sequence = self.collections?.sequence;
        match self.shallow(ty) {
            Ty::Head(Head::Declared(declared), parts) if declared == sequence => Some(parts[0].clone()),
            Ty::Head(..) | Ty::Unknown(_) => None,
        }
    }

    /// The type of the elements of what must become a collection.
    pub(super) fn open_element(&mut self, unknown: Unknown) -> Option<Ty> {
        match self.table.probe_value(unknown) {
            Knowledge::Open { element, .. } => element,
            Knowledge::Known(_) => None,
        }
    }

    /// The type of a sequence.
    pub(super) fn sequence_of(&self, element: Ty) -> Ty {
        match self.collections {
            Some(collections) => Ty::of(Head::Declared(collections.sequence), [element]),
            None => Ty::error(),
        }
    }

    /// Makes a collection of which nothing else is known a sequence.
    pub(super) fn settle_collection(&mut self, ty: &Ty) {
        if let Ty::Unknown(unknown) = self.shallow(ty)
            && let Some(element) = self.open_element(unknown)
        {
            let sequence = self.sequence_of(element);
            self.table.union_value(unknown, Knowledge::Known(sequence));
        }
    }

    /// The same for all within a type that belong to a `let` within `level`.
    pub(super) fn settle_collections(&mut self, ty: &Ty, level: u32) {
        match self.shallow(ty) {
            open @ Ty::Unknown(unknown) => {
                if self.open(unknown).0 > level && self.open_element(unknown).is_some() {
                    self.settle_collection(&open);
                    self.settle_collections(&open, level);
                }
            }
            Ty::Head(_, parts) => parts.iter().for_each(|part| self.settle_collections(part, level)),
        }
    }

    /// The type of the elements of a collection; `None` if a type is none.
    fn element_of(&self, head: Head, parts: &[Ty]) -> Option<Ty> {
        if let Head::Array = head {
            return Some(parts[0].clone());
        }
        if let Head::String = head {
            return Some(Ty::simple(Head::Char));
        }
        if let Head::Error = head {
            return Some(Ty::error());
        }
        let Head::Declared(declared) = head else { return None };
        let Collections { sequence, list, map, set } = self.collections?;
        if declared == sequence || [list, set].contains(&Some(declared)) {
            return Some(parts[0].clone());
        }
        map.filter(|(map, _)| *map == declared).map(|(_, pair)| Ty::of(Head::Declared(pair), parts.to_vec()))
    }

    /// The type with its outermost constructor, if that is known.
    pub(super) fn shallow(&mut self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Unknown(unknown) = ty {
            match self.table.probe_value(unknown) {
                Knowledge::Known(known) => ty = known,
                Knowledge::Open { .. } => return Ty::Unknown(self.table.find(unknown)),
            }
        }
        ty
    }

    /// The type with all that is known.
    pub(super) fn deep(&mut self, ty: &Ty) -> Ty {
        match self.shallow(ty) {
            Ty::Head(head, parts) if !parts.is_empty() => {
                Ty::Head(head, parts.iter().map(|part| self.deep(part)).collect())
            }
            other @ (Ty::Head(..) | Ty::Unknown(_)) => other,
        }
    }

    /// Level, demand and name of an open unknown.
    pub(super) fn open(&mut self, unknown: Unknown) -> (u32, Need, Option<Symbol>) {
        match self.table.probe_value(unknown) {
            Knowledge::Open { level, need, name, element: _ } => (level, need, name),
            Knowledge::Known(_) => {
                clef_base::internal::bug("check", None, "an unknown that is known was taken as open")
            }
        }
    }

    /// Makes two types equal.
    pub(super) fn unify(&mut self, left: &Ty, right: &Ty) -> Result<(), Clash> {
        self.unify_parts(left, right, &mut { LARGEST_TYPE })
    }

    /// The same; types that hold more parts than the budget, which is used up, are too large.
    fn unify_parts(&mut self, left: &Ty, right: &Ty, budget: &mut usize) -> Result<(), Clash> {
        *budget = budget.checked_sub(1).ok_or(Clash::Large)?;
        let (left, right) = (self.shallow(left), self.shallow(right));
        match (&left, &right) {
            (Ty::Head(Head::Error, _), Ty::Head(..)) | (Ty::Head(..), Ty::Head(Head::Error, _)) => Ok(()),
            (Ty::Head(head, parts), Ty::Head(other, others)) if head == other && head.is_number() => {
                self.unify_units(parts, others)
            }
            _ if self.is_measure(&left) || self.is_measure(&right) => self.unify_measures(&left, &right),
            (Ty::Unknown(one), Ty::Unknown(other)) => self.unify_unknowns(*one, *other),
            (Ty::Unknown(unknown), ty) | (ty, Ty::Unknown(unknown)) => self.bind(*unknown, ty),
            (Ty::Head(head, parts), Ty::Head(other, others)) if head == other && parts.len() == others.len() => {
                parts.iter().zip(others.iter()).try_for_each(|(part, other)| self.unify_parts(part, other, budget))
            }
            (Ty::Head(..), Ty::Head(..)) => Err(Clash::Different),
        }
    }

    /// Makes two types equal, or leaves all as it was.
    pub(super) fn unify_if_possible(&mut self, left: &Ty, right: &Ty) {
        let before = self.table.snapshot();
        match self.unify(left, right) {
            Ok(()) => self.table.commit(before),
            Err(_) => self.table.rollback_to(before),
        }
    }

    /// Makes the units of two equal number types equal.
    fn unify_units(&mut self, parts: &[Ty], others: &[Ty]) -> Result<(), Clash> {
        let one = Ty::simple(Head::MeasureOne);
        match (parts.first(), others.first()) {
            (None, None) => Ok(()),
            (part, other) => self.unify_measures(part.unwrap_or(&one), other.unwrap_or(&one)),
        }
    }

    fn unify_unknowns(&mut self, one: Unknown, other: Unknown) -> Result<(), Clash> {
        if one == other {
            return Ok(());
        }
        let need = self.open(one).1.and(self.open(other).1);
        if need.is_impossible() {
            return Err(Clash::Unmet(need, Ty::Unknown(one)));
        }
        let level = self.open(one).0.min(self.open(other).0);
        let elements = [self.open_element(one), self.open_element(other)];
        self.table.union(one, other);
        if let [Some(element), Some(same)] = &elements {
            self.unify(element, same)?;
        }
        let whole = self.table.find(one);
        for element in elements.iter().flatten() {
            self.lower(whole, level, element, &mut { LARGEST_TYPE })?;
        }
        Ok(())
    }

    /// Makes an unknown a type whose outermost constructor is known.
    fn bind(&mut self, unknown: Unknown, ty: &Ty) -> Result<(), Clash> {
        let (level, need, _) = self.open(unknown);
        self.lower(unknown, level, ty, &mut { LARGEST_TYPE })?;
        self.demand(ty, need)?;
        let element = self.open_element(unknown);
        if let (Some(wanted), Ty::Head(head, parts)) = (element, ty) {
            let element = self.element_of(*head, parts).ok_or(Clash::Different)?;
            self.table.union_value(unknown, Knowledge::Known(ty.clone()));
            return self.unify(&wanted, &element);
        }
        self.table.union_value(unknown, Knowledge::Known(ty.clone()));
        Ok(())
    }

    /// Lowers every unknown within a type to a level. The type must not hold `avoid`, which becomes it, nor have more parts
    /// than the budget, which is used up.
    fn lower(&mut self, avoid: Unknown, level: u32, ty: &Ty, budget: &mut usize) -> Result<(), Clash> {
        match self.lower_parts(avoid, level, ty, budget) {
            Err(Clash::Infinite(part, _)) => Err(Clash::Infinite(part, self.deep(ty))),
            ended @ (Ok(()) | Err(Clash::Different | Clash::Unmet(..) | Clash::Large)) => ended,
        }
    }

    fn lower_parts(&mut self, avoid: Unknown, level: u32, ty: &Ty, budget: &mut usize) -> Result<(), Clash> {
        *budget = budget.checked_sub(1).ok_or(Clash::Large)?;
        match self.shallow(ty) {
            Ty::Unknown(unknown) if unknown == avoid => Err(Clash::Infinite(Ty::Unknown(avoid), ty.clone())),
            Ty::Unknown(unknown) => {
                self.lower_unknown(unknown, level);
                match self.open_element(unknown) {
                    Some(element) => self.lower_parts(avoid, level, &element, budget),
                    None => Ok(()),
                }
            }
            Ty::Head(_, parts) => parts.iter().try_for_each(|part| self.lower_parts(avoid, level, part, budget)),
        }
    }

    /// Adds to what is known of an unknown.
    pub(super) fn know(&mut self, unknown: Unknown, knowledge: Knowledge) {
        self.table.union_value(unknown, knowledge);
    }

    /// Lets an unknown live at a level further out.
    pub(super) fn lower_unknown(&mut self, unknown: Unknown, level: u32) {
        self.table.union_value(unknown, Knowledge::Open { level, need: Need::NOTHING, name: None, element: None });
    }

    /// Demands something of a type.
    pub(super) fn demand(&mut self, ty: &Ty, need: Need) -> Result<(), Clash> {
        if need.is_nothing() {
            return Ok(());
        }
        match self.shallow(ty) {
            Ty::Unknown(unknown) => {
                let (level, present, _) = self.open(unknown);
                if present.and(need).is_impossible() {
                    return Err(Clash::Unmet(need, Ty::Unknown(unknown)));
                }
                self.table.union_value(unknown, Knowledge::Open { level, need, name: None, element: None });
                Ok(())
            }
            Ty::Head(Head::Error, _) => Ok(()),
            Ty::Head(Head::Parameter(parameter), _) => {
                let present = self.parameter_needs.get(&parameter).copied().unwrap_or_default();
                if self.gathering.contains(&parameter) && !need.is_numeric() {
                    self.parameter_needs.insert(parameter, present.and(need));
                    return Ok(());
                }
                if present.contains(need) { Ok(()) } else { Err(Clash::Unmet(need, Ty::parameter(parameter))) }
            }
            Ty::Head(head, parts) => {
                if need.contains(Need::PLAIN) && head.is_number() && self.unify_units(&parts, &[]).is_err() {
                    return Err(Clash::Unmet(Need::PLAIN, ty.clone()));
                }
                self.demand_of_parts(head, &parts, need)
            }
        }
    }

    /// Tuples, references and declared types are compared part by part; nothing else is asked of them.
    fn demand_of_parts(&mut self, head: Head, parts: &[Ty], need: Need) -> Result<(), Clash> {
        if let Some(unmet) = self.unmet_by_head(head, need) {
            return Err(Clash::Unmet(unmet, Ty::of(head, parts)));
        }
        if let Head::Declared(declared) = head {
            return self.demand_of_fields(declared, parts, need);
        }
        let compared = if is_compound(head) { parts } else { &[] };
        compared.iter().try_for_each(|part| self.demand(part, need))
    }

    /// Replaces parameters by types.
    pub(super) fn substitute(&mut self, ty: &Ty, replace: &HashMap<TypeParameterId, Ty>) -> Ty {
        if replace.is_empty() {
            return ty.clone();
        }
        match self.shallow(ty) {
            Ty::Head(Head::Parameter(parameter), parts) => match replace.get(&parameter) {
                Some(ty) => ty.clone(),
                None => Ty::Head(Head::Parameter(parameter), parts),
            },
            Ty::Head(head, parts) if !parts.is_empty() => {
                Ty::Head(head, parts.iter().map(|part| self.substitute(part, replace)).collect())
            }
            other @ (Ty::Head(..) | Ty::Unknown(_)) => other,
        }
    }

    /// Fresh unknowns for parameters, with the parameters' demands.
    pub(super) fn instantiate(&mut self, parameters: &[TypeParameterId]) -> Vec<Ty> {
        parameters
            .iter()
            .map(|parameter| {
                let need = self.parameter_needs.get(parameter).copied().unwrap_or_default();
                self.fresh_with(need, None)
            })
            .collect()
    }

    /// The open unknowns of a type in the order in which they stand in it.
    pub(super) fn unknowns(&mut self, ty: &Ty, found: &mut Vec<Unknown>) {
        match self.shallow(ty) {
            Ty::Unknown(unknown) => {
                if !found.contains(&unknown) {
                    found.push(unknown);
                }
            }
            Ty::Head(_, parts) => parts.iter().for_each(|part| self.unknowns(part, found)),
        }
    }

    /// Whether a type has at most so many parts, counting shared ones as often as they occur; uses the budget up.
    pub(super) fn is_within(&mut self, ty: &Ty, budget: &mut usize) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        match self.shallow(ty) {
            Ty::Unknown(_) => true,
            Ty::Head(_, parts) => parts.iter().all(|part| self.is_within(part, budget)),
        }
    }

    /// The arguments that are no units of measure: those that the graph knows.
    pub(super) fn without_measures(&mut self, arguments: &[Ty]) -> Vec<Ty> {
        arguments.iter().filter(|argument| !self.is_measure(argument)).cloned().collect()
    }

    /// Interns a type without its units of measure; what is still open takes its default.
    pub(super) fn finish(&mut self, ty: &Ty, psg: &mut Psg) -> clef_types::Type {
        if let Ty::Unknown(unknown) = ty {
            let unknown = self.table.find(*unknown);
            if let Some(finished) = self.finished.get(&unknown) {
                return *finished;
            }
            let finished = self.finish_known(ty, psg);
            self.finished.insert(unknown, finished);
            return finished;
        }
        self.finish_known(ty, psg)
    }

    fn finish_known(&mut self, ty: &Ty, psg: &mut Psg) -> clef_types::Type {
        use clef_types::TypeKind;
        let (head, parts) = match self.shallow(ty) {
            Ty::Head(head, parts) => (head, parts),
            Ty::Unknown(unknown) => {
                let default = match self.open_element(unknown) {
                    Some(element) => self.sequence_of(element),
                    None => self.open(unknown).1.default_type(),
                };
                self.table.union_value(unknown, Knowledge::Known(default.clone()));
                return self.finish(&default, psg);
            }
        };
        let parts: Vec<_> = match head.is_number() {
            true => Vec::new(),
            false => self.without_measures(&parts).iter().map(|part| self.finish(part, psg)).collect(),
        };
        psg.types.intern(match head {
            Head::Unit
            | Head::Error
            | Head::MeasureOne
            | Head::MeasureBase(_)
            | Head::MeasurePower(_)
            | Head::MeasureProduct => TypeKind::Unit,
            Head::Bool => TypeKind::Bool,
            Head::Char => TypeKind::Char,
            Head::String => TypeKind::String,
            Head::Integer(kind) => TypeKind::Integer(kind),
            Head::Enum(id, of) => TypeKind::Enum(id, of),
            Head::Float32 => TypeKind::Float32,
            Head::Float64 => TypeKind::Float64,
            Head::Function => TypeKind::Function(parts[0], parts[1]),
            Head::Tuple => TypeKind::Tuple(parts),
            Head::Reference => TypeKind::Reference(parts[0]),
            Head::Array => TypeKind::Array(parts[0]),
            Head::NativePointer => TypeKind::NativePointer(parts[0]),
            Head::Declared(declared) => TypeKind::Declared(declared, parts),
            Head::Parameter(parameter) => TypeKind::Parameter(parameter),
        })
    }
}
