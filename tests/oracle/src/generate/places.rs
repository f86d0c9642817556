//! Parts of mutable values in scope, which code reads and writes by their names.

use super::{
    Generator,
    effect::binary,
    scope::{Nature, Variable},
};
use crate::{
    tree::{Expr, Kind},
    types::{Library, Shape, Type, Width, is_recursive},
};

/// The maximum depth of a place within the value of a name.
const DEPTH: usize = 2;

/// A part of a mutable value, or a mutable variable.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The type of its content.
    pub(super) ty: Type,
    /// The value that contains it.
    owner: Expr,
    part: Part,
}

#[derive(Clone, Debug)]
enum Part {
    /// The whole mutable variable.
    Whole,
    /// A field of a record.
    Field(String),
    /// The content of a cell.
    Content,
    /// An item of an array of this length.
    Item(usize),
}

impl Place {
    /// Whether it is a part of the value of that name.
    pub(super) fn is_of(&self, name: &str) -> bool {
        let mut owner = &self.owner;
        loop {
            owner = match &owner.kind {
                Kind::Name(own) => return own == name,
                Kind::Field(inner, _) | Kind::Prefix(_, inner) => inner,
                Kind::Apply(_, arguments) => &arguments[0],
                _ => return false,
            };
        }
    }
}

impl Generator {
    /// The visible places, those of the names bound last at the end.
    pub(super) fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for place in (0..self.scope.len()).filter(|&place| self.in_sight(place)) {
            let variable = &self.scope[place];
            if variable.generics > 0 || !variable.parameters.is_empty() {
                continue;
            }
            let owner = Expr::name(variable.result.clone(), &variable.name);
            if matches!(variable.nature, Nature::Slot | Nature::ModuleSlot) {
                places.push(Place { ty: owner.ty.clone(), owner: owner.clone(), part: Part::Whole });
            }
            self.places_within(owner, DEPTH, variable.items, &mut places);
        }
        places
    }

    fn places_within(&self, owner: Expr, depth: usize, items: Option<usize>, places: &mut Vec<Place>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match owner.ty.clone() {
            Type::Library(Library::Ref, parts) => {
                let content = Expr::new(parts[0].clone(), Kind::Prefix("!", Box::new(owner.clone())));
                places.push(Place { ty: parts[0].clone(), owner, part: Part::Content });
                self.places_within(content, depth, None, places);
            }
            Type::Library(Library::Array, parts) => {
                if let Some(items) = items {
                    places.push(Place { ty: parts[0].clone(), owner, part: Part::Item(items) });
                }
            }
            Type::Tuple(parts) if parts.len() == 2 => {
                for (name, part) in ["fst", "snd"].into_iter().zip(parts) {
                    let inner = Expr::apply(part, name, vec![owner.clone()]);
                    self.places_within(inner, depth, None, places);
                }
            }
            Type::Declared(declaration, arguments) => {
                let Shape::Record(fields) = &self.declarations[declaration].shape else { return };
                for field in fields {
                    let ty = field.ty.substitute(&arguments);
                    if field.mutable {
                        let part = Part::Field(field.name.clone());
                        places.push(Place { ty: ty.clone(), owner: owner.clone(), part });
                    }
                    let inner = Expr::new(ty, Kind::Field(Box::new(owner.clone()), field.name.clone()));
                    self.places_within(inner, depth, None, places);
                }
            }
            _ => {}
        }
    }

    /// A visible place, one of those bound last more often.
    pub(super) fn place(&mut self, fits: impl Fn(&Place) -> bool) -> Option<Place> {
        let mut places = self.places();
        places.retain(fits);
        if places.is_empty() {
            return None;
        }
        let recent = places.len().saturating_sub(6);
        let first = if self.random.chance(2, 3) { recent } else { 0 };
        let chosen = first + self.random.below(places.len() - first);
        Some(places.swap_remove(chosen))
    }

    /// Reads a place.
    pub(super) fn read(&mut self, place: &Place) -> Expr {
        let Place { ty, owner, part } = place.clone();
        let kind = match part {
            Part::Whole => owner.kind,
            Part::Field(name) => Kind::Field(Box::new(owner), name),
            Part::Content => Kind::Prefix("!", Box::new(owner)),
            Part::Item(items) => Kind::Index(Box::new(owner), Box::new(self.index(items))),
        };
        Expr::new(ty, kind)
    }

    /// Writes a place.
    pub(super) fn write(&mut self, place: &Place, value: Expr) -> Expr {
        let Place { owner, part, .. } = place.clone();
        let (owner, value) = (Box::new(owner), Box::new(value));
        let kind = match part {
            Part::Whole => match owner.kind {
                Kind::Name(name) => Kind::Assign(name, value),
                other => other,
            },
            Part::Field(name) => Kind::SetField(owner, name, value),
            Part::Content => Kind::Binary(":=", owner, value),
            Part::Item(items) => Kind::SetIndex(owner, Box::new(self.index(items)), value),
        };
        Expr::new(Type::Unit, kind)
    }

    /// An effect that writes a visible place.
    pub(super) fn written(&mut self, size: usize) -> Option<Expr> {
        // A value of a recursive type could come to refer to itself.
        let declarations = self.declarations.clone();
        let place = self.place(|place| !is_recursive(&place.ty, &declarations) || matches!(place.part, Part::Whole))?;
        let value = self.expression(&place.ty, size);
        Some(self.write(&place, value))
    }

    /// The content of a visible place of a type.
    pub(super) fn stored(&mut self, ty: &Type) -> Option<Expr> {
        let place = self.place(|place| place.ty == *ty)?;
        Some(self.read(&place))
    }

    fn index(&mut self, items: usize) -> Expr {
        let int = Type::Integer(Width::Int);
        if self.random.chance(1, 2) {
            return Expr::constant(int, self.random.below(items).to_string());
        }
        let index = self.leaf(&int);
        binary(&int, "&&&", index, Expr::constant(int.clone(), (items - 1).to_string()))
    }

    /// Binds something mutable to a name.
    pub(super) fn bind_storage(&mut self, size: usize) -> crate::tree::Binding {
        let ty = self.storage_type();
        let (value, items) = self.storage(&ty, size);
        let name = self.fresh("v");
        self.scope.push(Variable { items, ..Variable::value(&name, ty, Nature::Value) });
        crate::tree::Binding::Value(crate::tree::Pattern::Name(name), value)
    }

    /// A new mutable value, and the number of its items.
    pub(super) fn storage(&mut self, ty: &Type, size: usize) -> (Expr, Option<usize>) {
        let Type::Library(Library::Array, parts) = ty else { return (self.made(ty, size), None) };
        let int = Type::Integer(Width::Int);
        let count = *self.random.pick(&[1, 2, 4, 8]);
        let length = || Expr::constant(int.clone(), count.to_string());
        let value = match self.random.below(3) {
            0 => {
                let item = self.expression(&parts[0], size / 2);
                Expr::apply(ty.clone(), "Array.create", vec![length(), item])
            }
            1 => {
                let make = Type::Function(Box::new(int.clone()), Box::new(parts[0].clone()));
                let make = self.lambda(&make, size / 2, true);
                Expr::apply(ty.clone(), "Array.init", vec![length(), make])
            }
            _ => {
                let items = (0..count).map(|_| self.expression(&parts[0], size / count)).collect();
                Expr::new(ty.clone(), Kind::Items(items))
            }
        };
        (value, Some(count))
    }

    /// A type whose values are mutable.
    pub(super) fn storage_type(&mut self) -> Type {
        let records: Vec<usize> = (0..self.declarations.len()).filter(|&place| self.has_mutable_field(place)).collect();
        match self.random.below(10) {
            0..=3 if !records.is_empty() => {
                let place = *self.random.pick(&records);
                let arguments = (0..self.declarations[place].parameters).map(|_| self.content_type(1)).collect();
                Type::Declared(place, arguments)
            }
            4..=6 => Type::Library(Library::Array, vec![self.content_type(1)]),
            7 => Type::Tuple(vec![self.storage_type(), self.content_type(1)]),
            8 => Type::Library(Library::Ref, vec![self.storage_type()]),
            _ => Type::Library(Library::Ref, vec![self.content_type(1)]),
        }
    }

    fn has_mutable_field(&self, place: usize) -> bool {
        match &self.declarations[place].shape {
            Shape::Record(fields) => fields.iter().any(|field| field.mutable),
            Shape::Union(_) | Shape::Enum(..) => false,
        }
    }

    /// A type for the content of mutable values: data, functions, and collections of both.
    pub(super) fn content_type(&mut self, depth: usize) -> Type {
        match self.random.below(10) {
            0 => self.function_type(1),
            1 => Type::Library(Library::List, vec![self.function_type(1)]),
            2 => crate::types::option(self.function_type(1)),
            3..=6 => self.simple_type(),
            7 => Type::Library(Library::List, vec![self.data_type(depth)]),
            _ => self.data_type(depth),
        }
    }
}
