//! What a constraint on a declared type requires of its arguments, or why no arguments satisfy it.
//!
//! In: the field types of declared types. Out: a [`Requirement`] for each declared type and constraint, computed once for
//! all types reachable from it, so that mutually referring types take time linear in their declarations. Equality and
//! comparison examine all fields. What they require of the parameters is the least solution of the equations that the
//! fields form, as Haskell derives instance contexts (Haskell 2010 Language Report, section 11).

use crate::{
    ty::{Ty, TypeConstraint, TypeConstructor},
    unify::{Inference, UnificationError},
};
use clef_base::{HashMap, HashSet};
use clef_types::{DeclaredTypeId, TypeParameterId};
use std::{collections::BTreeSet, sync::Arc};

/// What satisfies a constraint on a declared type.
#[derive(Clone, Debug)]
pub(crate) enum Requirement {
    /// The arguments at these positions must satisfy it.
    Arguments(BTreeSet<usize>),
    /// All arguments must satisfy it: the type is still being declared, and may contain any of them.
    All,
    /// No arguments do: this part, written with the parameters of the type, does not satisfy this constraint.
    Unmet(TypeConstraint, Ty),
}

/// The requirements known so far.
pub(crate) type Requirements = HashMap<(DeclaredTypeId, TypeConstraint), Arc<Requirement>>;

/// The parameters of a declared type, and its field types.
pub(crate) type Fields = (Vec<TypeParameterId>, Vec<Ty>);

impl Inference {
    /// Declares the fields of a type.
    pub fn declare_fields(&mut self, declared: DeclaredTypeId, fields: Fields) {
        self.field_types.insert(declared, Arc::new(fields));
        self.requirements.clear();
    }

    /// Records whether a declared type is a plain record.
    pub fn set_plain(&mut self, declared: DeclaredTypeId, is_plain: bool) {
        if is_plain {
            self.records.insert(declared);
        } else {
            self.records.remove(&declared);
        }
        self.requirements.clear();
    }

    /// Constrains all fields of a declared type.
    pub fn constrain_fields(
        &mut self,
        declared: DeclaredTypeId,
        arguments: &[Ty],
        constraint: TypeConstraint,
    ) -> Result<(), UnificationError> {
        match &*self.requirement(declared, constraint) {
            Requirement::Arguments(required) => {
                let required = arguments.iter().enumerate().filter(|(position, _)| required.contains(position));
                required.map(|(_, argument)| argument).try_for_each(|argument| self.constrain(argument, constraint))
            }
            Requirement::All => arguments.iter().try_for_each(|argument| self.constrain(argument, constraint)),
            Requirement::Unmet(constraint, part) => {
                let Some(fields) = self.field_types.get(&declared).cloned() else { return Ok(()) };
                Err(UnificationError::Unmet(*constraint, self.at_arguments(part, &fields.0, arguments)))
            }
        }
    }

    /// The requirement of a constraint on a declared type.
    fn requirement(&mut self, declared: DeclaredTypeId, constraint: TypeConstraint) -> Arc<Requirement> {
        if let Some(known) = self.requirements.get(&(declared, constraint)) {
            return Arc::clone(known);
        }
        let mut reached = Vec::new();
        self.reach(declared, constraint, &mut HashSet::default(), &mut reached);
        for (id, fields) in &reached {
            let least = if fields.is_some() { Requirement::Arguments(BTreeSet::new()) } else { Requirement::All };
            self.requirements.insert((*id, constraint), Arc::new(least));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (id, fields) in &reached {
                let Some(fields) = fields else { continue };
                if let Some(more) = self.more_required(*id, fields, constraint) {
                    self.requirements.insert((*id, constraint), Arc::new(more));
                    changed = true;
                }
            }
        }
        Arc::clone(&self.requirements[&(declared, constraint)])
    }

    /// The declared types reachable through fields whose requirement is not known yet, in postorder.
    fn reach(
        &mut self,
        declared: DeclaredTypeId,
        constraint: TypeConstraint,
        seen: &mut HashSet<DeclaredTypeId>,
        reached: &mut Vec<(DeclaredTypeId, Option<Arc<Fields>>)>,
    ) {
        if self.requirements.contains_key(&(declared, constraint)) || !seen.insert(declared) {
            return;
        }
        let fields = self.field_types.get(&declared).cloned();
        let mut parts: Vec<Ty> = fields.iter().flat_map(|fields| fields.1.iter().cloned()).collect();
        while let Some(part) = parts.pop() {
            if let Ty::Constructor(constructor, inner) = self.shallow(&part) {
                if let TypeConstructor::Declared(next) = constructor {
                    self.reach(next, constraint, seen, reached);
                }
                parts.extend(inner.iter().cloned());
            }
        }
        reached.push((declared, fields));
    }

    /// What the fields of a declared type require, if that is more than is known.
    fn more_required(
        &mut self,
        declared: DeclaredTypeId,
        fields: &Fields,
        constraint: TypeConstraint,
    ) -> Option<Requirement> {
        let known = Arc::clone(&self.requirements[&(declared, constraint)]);
        let Requirement::Arguments(known) = &*known else { return None };
        let mut required = known.clone();
        for field in &fields.1 {
            if let Err((constraint, part)) = self.require(field, constraint, &fields.0, &mut required) {
                return Some(Requirement::Unmet(constraint, part));
            }
        }
        (required != *known).then_some(Requirement::Arguments(required))
    }

    /// Adds the positions of the parameters that part of a field requires, or returns the part that violates the constraint.
    fn require(
        &mut self,
        part: &Ty,
        constraint: TypeConstraint,
        parameters: &[TypeParameterId],
        required: &mut BTreeSet<usize>,
    ) -> Result<(), (TypeConstraint, Ty)> {
        let Ty::Constructor(constructor, inner) = self.shallow(part) else { return Ok(()) };
        if let TypeConstructor::Parameter(parameter) = constructor {
            required.extend(parameters.iter().position(|own| *own == parameter));
            return Ok(());
        }
        if constructor == TypeConstructor::Error {
            return Ok(());
        }
        if let Some(unmet) = self.unmet_by_constructor(constructor, constraint) {
            return Err((unmet, Ty::Constructor(constructor, inner)));
        }
        let TypeConstructor::Declared(declared) = constructor else {
            let compared = if is_compound(constructor) { &inner[..] } else { &[] };
            return compared.iter().try_for_each(|part| self.require(part, constraint, parameters, required));
        };
        match &*Arc::clone(&self.requirements[&(declared, constraint)]) {
            Requirement::Arguments(positions) => {
                let asked = inner.iter().enumerate().filter(|(position, _)| positions.contains(position));
                asked.map(|(_, part)| part).try_for_each(|part| self.require(part, constraint, parameters, required))
            }
            Requirement::All => inner.iter().try_for_each(|part| self.require(part, constraint, parameters, required)),
            Requirement::Unmet(unmet, part) => {
                let own = self.field_types[&declared].0.clone();
                Err((*unmet, self.at_arguments(part, &own, &inner)))
            }
        }
    }

    /// Substitutes arguments for parameters.
    fn at_arguments(&mut self, ty: &Ty, parameters: &[TypeParameterId], arguments: &[Ty]) -> Ty {
        let replace = parameters.iter().copied().zip(arguments.iter().cloned()).collect();
        self.substitute(ty, &replace)
    }

    /// The constraint that a type constructor violates whatever its arguments are. Tuples, references, arrays and declared
    /// types can satisfy only equality and comparison; plain ones can also be unmanaged.
    pub fn unmet_by_constructor(
        &self,
        constructor: TypeConstructor,
        constraint: TypeConstraint,
    ) -> Option<TypeConstraint> {
        let is_record = matches!(constructor, TypeConstructor::Declared(declared) if self.records.contains(&declared));
        let is_plain = is_record || matches!(constructor, TypeConstructor::Tuple);
        let met = if is_plain {
            TypeConstraint::COMPARISON.and(TypeConstraint::UNMANAGED)
        } else {
            TypeConstraint::COMPARISON
        };
        if is_compound(constructor) && !met.contains(constraint) {
            Some(constraint)
        } else {
            constraint.unmet_by(constructor)
        }
    }
}

/// Whether constraints on the type pass to its arguments.
pub(crate) fn is_compound(constructor: TypeConstructor) -> bool {
    matches!(
        constructor,
        TypeConstructor::Tuple | TypeConstructor::Reference | TypeConstructor::Array | TypeConstructor::Declared(_)
    )
}
