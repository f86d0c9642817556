//! Unification over union-find, with levels and constraints.
//!
//! In: two types that must be equal. Out: type variables bound so that they are, or a unification error. The level of a
//! variable is never greater than that of a type that contains it. A variable passes its constraints on to its type.

use crate::{
    requirements::{Fields, Requirements, is_compound},
    ty::{Knowledge, Ty, TypeConstraint, TypeConstructor, TypeVariable},
};
use clef_base::{HashMap, HashSet, Symbol};
use clef_types::{DeclaredTypeId, Type, TypeKind, TypeParameterId, Types};
use ena::unify::InPlaceUnificationTable;
use std::sync::Arc;

/// Why two types do not unify, or a type does not satisfy a constraint.
#[derive(Clone, Debug)]
pub enum UnificationError {
    /// The constructors, or their numbers of arguments, differ.
    Different,
    /// A type would contain itself.
    Infinite(Ty, Ty),
    /// The type does not satisfy the constraint.
    Unmet(TypeConstraint, Ty),
    /// The type would have more than [`LARGEST_TYPE`] parts.
    Large,
}

/// The limit on the number of parts of a type. Nested applications can double a type at each step, beyond any memory
/// (Mairson, "Deciding ML typability is complete for deterministic exponential time", 1990). No variable is bound to a
/// larger type, so that traversals of types stay cheap.
pub const LARGEST_TYPE: usize = 10_000;

/// The library types that `for … in` iterates over.
#[derive(Clone, Copy, Debug)]
pub struct Collections {
    /// `seq`.
    pub sequence: DeclaredTypeId,
    /// `list`.
    pub list: Option<DeclaredTypeId>,
    /// With the type of its elements.
    pub map: Option<(DeclaredTypeId, DeclaredTypeId)>,
    /// `Set`.
    pub set: Option<DeclaredTypeId>,
}

/// The state of type inference.
#[derive(Clone, Default)]
pub struct Inference {
    table: InPlaceUnificationTable<TypeVariable>,
    /// The `let` depth.
    level: u32,
    /// The constraints of type parameters.
    parameter_constraints: HashMap<TypeParameterId, TypeConstraint>,
    /// Type parameters whose constraints are still being collected.
    gathering: HashSet<TypeParameterId>,
    /// The field types of declared types: equality examines them.
    pub(crate) field_types: HashMap<DeclaredTypeId, Arc<Fields>>,
    /// The memoised requirements of declared types.
    pub(crate) requirements: Requirements,
    /// The types that convert to a sequence, once the library has declared sequences.
    collections: Option<Collections>,
    /// The units of measure that the source declares.
    pub(crate) measures: Vec<Symbol>,
    /// The declared types that are plain records.
    pub(crate) records: HashSet<DeclaredTypeId>,
    /// The interned types of variables: a type may contain a variable many times.
    finished: HashMap<TypeVariable, Type>,
}

impl Inference {
    /// The current level: the `let` depth.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Enters the definition of a `let`: variables created there are of its level.
    pub fn enter_level(&mut self) {
        self.level += 1;
    }

    /// Leaves the definition of a `let`. Variables of its level that are still unbound can be generalised.
    pub fn leave_level(&mut self) {
        self.level -= 1;
    }

    /// Declares the types that convert to a sequence.
    pub fn declare_collections(&mut self, collections: Collections) {
        self.collections = Some(collections);
    }

    /// The types that convert to a sequence, once the library has declared sequences.
    pub fn collections(&self) -> Option<Collections> {
        self.collections
    }

    /// Declares the constraints of a type parameter.
    pub fn constrain_parameter(&mut self, parameter: TypeParameterId, constraint: TypeConstraint) {
        self.parameter_constraints.insert(parameter, constraint);
    }

    /// The constraints of a type parameter.
    pub fn parameter_constraint(&self, parameter: TypeParameterId) -> TypeConstraint {
        self.parameter_constraints.get(&parameter).copied().unwrap_or_default()
    }

    /// Lets uses of a type parameter add to its constraints, until [`Inference::close_parameter`].
    pub fn gather(&mut self, parameter: TypeParameterId) {
        self.constrain_parameter(parameter, TypeConstraint::NOTHING);
        self.gathering.insert(parameter);
    }

    /// Fixes the constraints that uses added to a type parameter.
    pub fn close_parameter(&mut self, parameter: TypeParameterId) {
        self.gathering.remove(&parameter);
    }

    /// A fresh variable of the current level.
    pub fn fresh(&mut self) -> Ty {
        self.fresh_with(TypeConstraint::NOTHING, None)
    }

    /// A fresh variable with constraints and perhaps a name.
    pub fn fresh_with(&mut self, constraint: TypeConstraint, name: Option<Symbol>) -> Ty {
        let level = self.level;
        Ty::Variable(self.table.new_key(Knowledge::Open { level, constraint, name, element: None }))
    }

    /// A fresh variable that must become a collection.
    pub fn fresh_collection(&mut self, element: Ty) -> Ty {
        let knowledge = Knowledge::Open {
            level: self.level,
            constraint: TypeConstraint::NOTHING,
            name: None,
            element: Some(element),
        };
        Ty::Variable(self.table.new_key(knowledge))
    }

    /// The element type of a sequence; `None` if the type is no sequence or not known.
    pub fn sequence_element(&mut self, ty: &Ty) -> Option<Ty> {
        let sequence = self.collections?.sequence;
        match self.shallow(ty) {
            Ty::Constructor(TypeConstructor::Declared(declared), parts) if declared == sequence => {
                Some(parts[0].clone())
            }
            Ty::Constructor(..) | Ty::Variable(_) => None,
        }
    }

    /// The element type of a variable that must become a collection.
    pub fn open_element(&mut self, variable: TypeVariable) -> Option<Ty> {
        match self.table.probe_value(variable) {
            Knowledge::Open { element, .. } => element,
            Knowledge::Known(_) => None,
        }
    }

    /// The type of a sequence.
    pub fn sequence_of(&self, element: Ty) -> Ty {
        match self.collections {
            Some(collections) => Ty::of(TypeConstructor::Declared(collections.sequence), [element]),
            None => Ty::error(),
        }
    }

    /// Binds a collection variable to a sequence, its default.
    pub fn settle_collection(&mut self, ty: &Ty) {
        if let Ty::Variable(variable) = self.shallow(ty)
            && let Some(element) = self.open_element(variable)
        {
            let sequence = self.sequence_of(element);
            self.table.union_value(variable, Knowledge::Known(sequence));
        }
    }

    /// Does the same for every variable within a type that belongs to a `let` within `level`.
    pub fn settle_collections(&mut self, ty: &Ty, level: u32) {
        match self.shallow(ty) {
            open @ Ty::Variable(variable) => {
                if self.open(variable).0 > level && self.open_element(variable).is_some() {
                    self.settle_collection(&open);
                    self.settle_collections(&open, level);
                }
            }
            Ty::Constructor(_, parts) => parts.iter().for_each(|part| self.settle_collections(part, level)),
        }
    }

    /// The element type of a collection; `None` if the type is no collection.
    fn element_of(&self, constructor: TypeConstructor, parts: &[Ty]) -> Option<Ty> {
        if let TypeConstructor::Array = constructor {
            return Some(parts[0].clone());
        }
        if let TypeConstructor::String = constructor {
            return Some(Ty::simple(TypeConstructor::Char));
        }
        if let TypeConstructor::Error = constructor {
            return Some(Ty::error());
        }
        let TypeConstructor::Declared(declared) = constructor else { return None };
        let Collections { sequence, list, map, set } = self.collections?;
        if declared == sequence || [list, set].contains(&Some(declared)) {
            return Some(parts[0].clone());
        }
        map.filter(|(map, _)| *map == declared).map(|(_, pair)| Ty::of(TypeConstructor::Declared(pair), parts.to_vec()))
    }

    /// Resolves the outermost constructor of a type, if that is known.
    pub fn shallow(&mut self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Variable(variable) = ty {
            match self.table.probe_value(variable) {
                Knowledge::Known(known) => ty = known,
                Knowledge::Open { .. } => return Ty::Variable(self.table.find(variable)),
            }
        }
        ty
    }

    /// Resolves all known variables of a type.
    pub fn deep(&mut self, ty: &Ty) -> Ty {
        match self.shallow(ty) {
            Ty::Constructor(constructor, parts) if !parts.is_empty() => {
                Ty::Constructor(constructor, parts.iter().map(|part| self.deep(part)).collect())
            }
            other @ (Ty::Constructor(..) | Ty::Variable(_)) => other,
        }
    }

    /// The level, constraints and name of an unbound variable.
    pub fn open(&mut self, variable: TypeVariable) -> (u32, TypeConstraint, Option<Symbol>) {
        match self.table.probe_value(variable) {
            Knowledge::Open { level, constraint, name, element: _ } => (level, constraint, name),
            Knowledge::Known(_) => clef_base::internal::bug("check", None, "expected an unbound type variable"),
        }
    }

    /// Makes two types equal.
    pub fn unify(&mut self, left: &Ty, right: &Ty) -> Result<(), UnificationError> {
        self.unify_parts(left, right, &mut { LARGEST_TYPE })
    }

    /// Does the same within a budget of parts, which it consumes; larger types are an error.
    fn unify_parts(&mut self, left: &Ty, right: &Ty, budget: &mut usize) -> Result<(), UnificationError> {
        *budget = budget.checked_sub(1).ok_or(UnificationError::Large)?;
        let (left, right) = (self.shallow(left), self.shallow(right));
        match (&left, &right) {
            (Ty::Constructor(TypeConstructor::Error, _), Ty::Constructor(..))
            | (Ty::Constructor(..), Ty::Constructor(TypeConstructor::Error, _)) => Ok(()),
            (Ty::Constructor(constructor, parts), Ty::Constructor(other, others))
                if constructor == other && constructor.is_number() =>
            {
                self.unify_units(parts, others)
            }
            _ if self.is_measure(&left) || self.is_measure(&right) => self.unify_measures(&left, &right),
            (Ty::Variable(one), Ty::Variable(other)) => self.unify_variables(*one, *other),
            (Ty::Variable(variable), ty) | (ty, Ty::Variable(variable)) => self.bind(*variable, ty),
            (Ty::Constructor(constructor, parts), Ty::Constructor(other, others))
                if constructor == other && parts.len() == others.len() =>
            {
                parts.iter().zip(others.iter()).try_for_each(|(part, other)| self.unify_parts(part, other, budget))
            }
            (Ty::Constructor(..), Ty::Constructor(..)) => Err(UnificationError::Different),
        }
    }

    /// Unifies two types, or rolls back.
    pub fn unify_if_possible(&mut self, left: &Ty, right: &Ty) {
        let before = self.table.snapshot();
        match self.unify(left, right) {
            Ok(()) => self.table.commit(before),
            Err(_) => self.table.rollback_to(before),
        }
    }

    /// Makes the units of two equal number types equal.
    fn unify_units(&mut self, parts: &[Ty], others: &[Ty]) -> Result<(), UnificationError> {
        let one = Ty::simple(TypeConstructor::MeasureOne);
        match (parts.first(), others.first()) {
            (None, None) => Ok(()),
            (part, other) => self.unify_measures(part.unwrap_or(&one), other.unwrap_or(&one)),
        }
    }

    fn unify_variables(&mut self, one: TypeVariable, other: TypeVariable) -> Result<(), UnificationError> {
        if one == other {
            return Ok(());
        }
        let constraint = self.open(one).1.and(self.open(other).1);
        if constraint.is_impossible() {
            return Err(UnificationError::Unmet(constraint, Ty::Variable(one)));
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

    /// Binds a variable to a type whose outermost constructor is known.
    fn bind(&mut self, variable: TypeVariable, ty: &Ty) -> Result<(), UnificationError> {
        let (level, constraint, _) = self.open(variable);
        self.lower(variable, level, ty, &mut { LARGEST_TYPE })?;
        self.constrain(ty, constraint)?;
        let element = self.open_element(variable);
        if let (Some(wanted), Ty::Constructor(constructor, parts)) = (element, ty) {
            let element = self.element_of(*constructor, parts).ok_or(UnificationError::Different)?;
            self.table.union_value(variable, Knowledge::Known(ty.clone()));
            return self.unify(&wanted, &element);
        }
        self.table.union_value(variable, Knowledge::Known(ty.clone()));
        Ok(())
    }

    /// Lowers the level of every variable within a type. The type must not contain `avoid` (the occurs check), nor have more
    /// parts than the budget, which this consumes.
    fn lower(&mut self, avoid: TypeVariable, level: u32, ty: &Ty, budget: &mut usize) -> Result<(), UnificationError> {
        match self.lower_parts(avoid, level, ty, budget) {
            Err(UnificationError::Infinite(part, _)) => Err(UnificationError::Infinite(part, self.deep(ty))),
            ended @ (Ok(())
            | Err(UnificationError::Different | UnificationError::Unmet(..) | UnificationError::Large)) => ended,
        }
    }

    fn lower_parts(
        &mut self,
        avoid: TypeVariable,
        level: u32,
        ty: &Ty,
        budget: &mut usize,
    ) -> Result<(), UnificationError> {
        *budget = budget.checked_sub(1).ok_or(UnificationError::Large)?;
        match self.shallow(ty) {
            Ty::Variable(variable) if variable == avoid => {
                Err(UnificationError::Infinite(Ty::Variable(avoid), ty.clone()))
            }
            Ty::Variable(variable) => {
                self.lower_variable(variable, level);
                match self.open_element(variable) {
                    Some(element) => self.lower_parts(avoid, level, &element, budget),
                    None => Ok(()),
                }
            }
            Ty::Constructor(_, parts) => parts.iter().try_for_each(|part| self.lower_parts(avoid, level, part, budget)),
        }
    }

    /// Merges knowledge into a variable.
    pub fn know(&mut self, variable: TypeVariable, knowledge: Knowledge) {
        self.table.union_value(variable, knowledge);
    }

    /// Lowers the level of a variable to an outer one.
    pub fn lower_variable(&mut self, variable: TypeVariable, level: u32) {
        self.table.union_value(
            variable,
            Knowledge::Open { level, constraint: TypeConstraint::NOTHING, name: None, element: None },
        );
    }

    /// Adds a constraint to a type.
    pub fn constrain(&mut self, ty: &Ty, constraint: TypeConstraint) -> Result<(), UnificationError> {
        if constraint.is_nothing() {
            return Ok(());
        }
        match self.shallow(ty) {
            Ty::Variable(variable) => {
                let (level, present, _) = self.open(variable);
                if present.and(constraint).is_impossible() {
                    return Err(UnificationError::Unmet(constraint, Ty::Variable(variable)));
                }
                self.table.union_value(variable, Knowledge::Open { level, constraint, name: None, element: None });
                Ok(())
            }
            Ty::Constructor(TypeConstructor::Error, _) => Ok(()),
            Ty::Constructor(TypeConstructor::Parameter(parameter), _) => {
                let present = self.parameter_constraint(parameter);
                if self.gathering.contains(&parameter) && !constraint.is_numeric() {
                    self.parameter_constraints.insert(parameter, present.and(constraint));
                    return Ok(());
                }
                if present.contains(constraint) {
                    Ok(())
                } else {
                    Err(UnificationError::Unmet(constraint, Ty::parameter(parameter)))
                }
            }
            Ty::Constructor(constructor, parts) => {
                if constraint.contains(TypeConstraint::PLAIN)
                    && constructor.is_number()
                    && self.unify_units(&parts, &[]).is_err()
                {
                    return Err(UnificationError::Unmet(TypeConstraint::PLAIN, ty.clone()));
                }
                self.constrain_parts(constructor, &parts, constraint)
            }
        }
    }

    /// Constrains the arguments of a type: those of tuples, references, arrays and declared types.
    fn constrain_parts(
        &mut self,
        constructor: TypeConstructor,
        parts: &[Ty],
        constraint: TypeConstraint,
    ) -> Result<(), UnificationError> {
        if let Some(unmet) = self.unmet_by_constructor(constructor, constraint) {
            return Err(UnificationError::Unmet(unmet, Ty::of(constructor, parts)));
        }
        if let TypeConstructor::Declared(declared) = constructor {
            return self.constrain_fields(declared, parts, constraint);
        }
        let compared = if is_compound(constructor) { parts } else { &[] };
        compared.iter().try_for_each(|part| self.constrain(part, constraint))
    }

    /// Substitutes types for parameters.
    pub fn substitute(&mut self, ty: &Ty, replace: &HashMap<TypeParameterId, Ty>) -> Ty {
        if replace.is_empty() {
            return ty.clone();
        }
        match self.shallow(ty) {
            Ty::Constructor(TypeConstructor::Parameter(parameter), parts) => match replace.get(&parameter) {
                Some(ty) => ty.clone(),
                None => Ty::Constructor(TypeConstructor::Parameter(parameter), parts),
            },
            Ty::Constructor(constructor, parts) if !parts.is_empty() => {
                Ty::Constructor(constructor, parts.iter().map(|part| self.substitute(part, replace)).collect())
            }
            other @ (Ty::Constructor(..) | Ty::Variable(_)) => other,
        }
    }

    /// Fresh variables for parameters, with the constraints of the parameters.
    pub fn instantiate(&mut self, parameters: &[TypeParameterId]) -> Vec<Ty> {
        parameters.iter().map(|&parameter| self.fresh_with(self.parameter_constraint(parameter), None)).collect()
    }

    /// The unbound variables of a type, in order of occurrence.
    pub fn open_variables(&mut self, ty: &Ty, found: &mut Vec<TypeVariable>) {
        match self.shallow(ty) {
            Ty::Variable(variable) => {
                if !found.contains(&variable) {
                    found.push(variable);
                }
            }
            Ty::Constructor(_, parts) => parts.iter().for_each(|part| self.open_variables(part, found)),
        }
    }

    /// Whether a type has at most `budget` parts, where shared parts count at each occurrence; consumes the budget.
    pub fn is_within(&mut self, ty: &Ty, budget: &mut usize) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        match self.shallow(ty) {
            Ty::Variable(_) => true,
            Ty::Constructor(_, parts) => parts.iter().all(|part| self.is_within(part, budget)),
        }
    }

    /// The arguments that are not units of measure: the graph has only those.
    pub fn without_measures(&mut self, arguments: &[Ty]) -> Vec<Ty> {
        arguments.iter().filter(|argument| !self.is_measure(argument)).cloned().collect()
    }

    /// Interns a type without its units of measure; unbound variables take their default.
    pub fn finish(&mut self, ty: &Ty, types: &mut Types) -> Type {
        if let Ty::Variable(variable) = ty {
            let variable = self.table.find(*variable);
            if let Some(finished) = self.finished.get(&variable) {
                return *finished;
            }
            let finished = self.finish_known(ty, types);
            self.finished.insert(variable, finished);
            return finished;
        }
        self.finish_known(ty, types)
    }

    fn finish_known(&mut self, ty: &Ty, types: &mut Types) -> Type {
        let (constructor, parts) = match self.shallow(ty) {
            Ty::Constructor(constructor, parts) => (constructor, parts),
            Ty::Variable(variable) => {
                let default = match self.open_element(variable) {
                    Some(element) => self.sequence_of(element),
                    None => self.open(variable).1.default_type(),
                };
                self.table.union_value(variable, Knowledge::Known(default.clone()));
                return self.finish(&default, types);
            }
        };
        let parts: Vec<_> = match constructor.is_number() {
            true => Vec::new(),
            false => self.without_measures(&parts).iter().map(|part| self.finish(part, types)).collect(),
        };
        types.intern(match constructor {
            TypeConstructor::Unit
            | TypeConstructor::Error
            | TypeConstructor::MeasureOne
            | TypeConstructor::MeasureBase(_)
            | TypeConstructor::MeasurePower(_)
            | TypeConstructor::MeasureProduct => TypeKind::Unit,
            TypeConstructor::Bool => TypeKind::Bool,
            TypeConstructor::Char => TypeKind::Char,
            TypeConstructor::String => TypeKind::String,
            TypeConstructor::Integer(kind) => TypeKind::Integer(kind),
            TypeConstructor::Enum(id, of) => TypeKind::Enum(id, of),
            TypeConstructor::Float32 => TypeKind::Float32,
            TypeConstructor::Float64 => TypeKind::Float64,
            TypeConstructor::Function => TypeKind::Function(parts[0], parts[1]),
            TypeConstructor::Tuple => TypeKind::Tuple(parts),
            TypeConstructor::Reference => TypeKind::Reference(parts[0]),
            TypeConstructor::Array => TypeKind::Array(parts[0]),
            TypeConstructor::NativePointer => TypeKind::NativePointer(parts[0]),
            TypeConstructor::Declared(declared) => TypeKind::Declared(declared, parts),
            TypeConstructor::Parameter(parameter) => TypeKind::Parameter(parameter),
        })
    }
}
