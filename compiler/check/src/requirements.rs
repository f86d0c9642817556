//! What a demand on a declared type asks of its arguments, or why no arguments meet it.
//!
//! In: the types of the fields of declared types. Out: a [`Requirement`] for a declared type and a demand, found once for all that
//! the type leads to, so that types that refer to each other many times take no longer than their declarations are. Equality
//! and comparison look into all fields; what they ask of the parameters is the least solution of the equations that the fields
//! make, as Haskell derives the contexts of instances (Haskell 2010 Language Report, section 11).

use super::{
    ty::{Head, Need, Ty},
    unify::{Clash, Inference},
};
use clef_types::{DeclaredTypeId, TypeParameterId};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

/// What meets a demand on a declared type.
#[derive(Clone, Debug)]
pub(super) enum Requirement {
    /// Arguments of which those at these positions meet it.
    Arguments(BTreeSet<usize>),
    /// Arguments that all meet it: the type is still being declared, and any may be a part.
    All,
    /// None: there is a part, written with the type's parameters, that does not meet this of it.
    Unmet(Need, Ty),
}

/// What is known of declared types and demands.
pub(super) type Requirements = HashMap<(DeclaredTypeId, Need), Arc<Requirement>>;

/// The parameters of a declared type, and the types of its fields.
pub(super) type Fields = (Vec<TypeParameterId>, Vec<Ty>);

impl Inference {
    /// Tells the fields of a declared type.
    pub(super) fn declare_fields(&mut self, declared: DeclaredTypeId, fields: Fields) {
        self.field_types.insert(declared, Arc::new(fields));
        self.requirements.clear();
    }

    /// Says whether a declared type is a plain record.
    pub(super) fn set_plain(&mut self, declared: DeclaredTypeId, is_plain: bool) {
        if is_plain {
            self.records.insert(declared);
        } else {
            self.records.remove(&declared);
        }
        self.requirements.clear();
    }

    /// Demands something of all fields of a declared type.
    pub(super) fn demand_of_fields(
        &mut self,
        declared: DeclaredTypeId,
        arguments: &[Ty],
        need: Need,
    ) -> Result<(), Clash> {
        match &*self.requirement(declared, need) {
            Requirement::Arguments(required) => {
                let required = arguments.iter().enumerate().filter(|(position, _)| required.contains(position));
                required.map(|(_, argument)| argument).try_for_each(|argument| self.demand(argument, need))
            }
            Requirement::All => arguments.iter().try_for_each(|argument| self.demand(argument, need)),
            Requirement::Unmet(need, part) => {
                let Some(fields) = self.field_types.get(&declared).cloned() else { return Ok(()) };
                Err(Clash::Unmet(*need, self.at_arguments(part, &fields.0, arguments)))
            }
        }
    }

    /// What a demand on a declared type comes to.
    fn requirement(&mut self, declared: DeclaredTypeId, need: Need) -> Arc<Requirement> {
        if let Some(known) = self.requirements.get(&(declared, need)) {
            return Arc::clone(known);
        }
        let mut reached = Vec::new();
        self.reach(declared, need, &mut HashSet::new(), &mut reached);
        for (id, fields) in &reached {
            let least = if fields.is_some() { Requirement::Arguments(BTreeSet::new()) } else { Requirement::All };
            self.requirements.insert((*id, need), Arc::new(least));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (id, fields) in &reached {
                let Some(fields) = fields else { continue };
                if let Some(more) = self.more_required(*id, fields, need) {
                    self.requirements.insert((*id, need), Arc::new(more));
                    changed = true;
                }
            }
        }
        Arc::clone(&self.requirements[&(declared, need)])
    }

    /// The declared types that the fields of one lead to and of which the demand is not known, those that are led to first.
    fn reach(
        &mut self,
        declared: DeclaredTypeId,
        need: Need,
        seen: &mut HashSet<DeclaredTypeId>,
        reached: &mut Vec<(DeclaredTypeId, Option<Arc<Fields>>)>,
    ) {
        if self.requirements.contains_key(&(declared, need)) || !seen.insert(declared) {
            return;
        }
        let fields = self.field_types.get(&declared).cloned();
        let mut parts: Vec<Ty> = fields.iter().flat_map(|fields| fields.1.iter().cloned()).collect();
        while let Some(part) = parts.pop() {
            if let Ty::Head(head, inner) = self.shallow(&part) {
                if let Head::Declared(next) = head {
                    self.reach(next, need, seen, reached);
                }
                parts.extend(inner.iter().cloned());
            }
        }
        reached.push((declared, fields));
    }

    /// What the fields of a declared type ask for, if that is more than is known.
    fn more_required(&mut self, declared: DeclaredTypeId, fields: &Fields, need: Need) -> Option<Requirement> {
        let known = Arc::clone(&self.requirements[&(declared, need)]);
        let Requirement::Arguments(known) = &*known else { return None };
        let mut required = known.clone();
        for field in &fields.1 {
            if let Err((need, part)) = self.require(field, need, &fields.0, &mut required) {
                return Some(Requirement::Unmet(need, part));
            }
        }
        (required != *known).then_some(Requirement::Arguments(required))
    }

    /// Adds the positions of the parameters that a part of a field asks for, or says which part does not meet the demand.
    fn require(
        &mut self,
        part: &Ty,
        need: Need,
        parameters: &[TypeParameterId],
        required: &mut BTreeSet<usize>,
    ) -> Result<(), (Need, Ty)> {
        let Ty::Head(head, inner) = self.shallow(part) else { return Ok(()) };
        if let Head::Parameter(parameter) = head {
            required.extend(parameters.iter().position(|own| *own == parameter));
            return Ok(());
        }
        if head == Head::Error {
            return Ok(());
        }
        if let Some(unmet) = self.unmet_by_head(head, need) {
            return Err((unmet, Ty::Head(head, inner)));
        }
        let Head::Declared(declared) = head else {
            let compared = if is_compound(head) { &inner[..] } else { &[] };
            return compared.iter().try_for_each(|part| self.require(part, need, parameters, required));
        };
        match &*Arc::clone(&self.requirements[&(declared, need)]) {
            Requirement::Arguments(positions) => {
                let asked = inner.iter().enumerate().filter(|(position, _)| positions.contains(position));
                asked.map(|(_, part)| part).try_for_each(|part| self.require(part, need, parameters, required))
            }
            Requirement::All => inner.iter().try_for_each(|part| self.require(part, need, parameters, required)),
            Requirement::Unmet(unmet, part) => {
                let own = self.field_types[&declared].0.clone();
                Err((*unmet, self.at_arguments(part, &own, &inner)))
            }
        }
    }

    /// A type with arguments in place of parameters.
    fn at_arguments(&mut self, ty: &Ty, parameters: &[TypeParameterId], arguments: &[Ty]) -> Ty {
        let replace = parameters.iter().copied().zip(arguments.iter().cloned()).collect();
        self.substitute(ty, &replace)
    }

    /// What of a demand the constructor of a type does not meet, whatever its parts are. Of tuples, references, arrays and
    /// declared types nothing but equality and comparison is demanded, and of plain ones that they need no memory.
    pub(super) fn unmet_by_head(&self, head: Head, need: Need) -> Option<Need> {
        let is_record = matches!(head, Head::Declared(declared) if self.records.contains(&declared));
        let is_plain = is_record || matches!(head, Head::Tuple);
        let met = if is_plain { Need::COMPARISON.and(Need::UNMANAGED) } else { Need::COMPARISON };
        if is_compound(head) && !met.contains(need) { Some(need) } else { need.unmet_by(head) }
    }
}

/// Whether a demand is made of the parts of such types.
pub(super) fn is_compound(head: Head) -> bool {
    matches!(head, Head::Tuple | Head::Reference | Head::Array | Head::Declared(_))
}
