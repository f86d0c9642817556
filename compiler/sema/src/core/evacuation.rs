//! What evacuation follows: which values hold pointers, which memory can be overwritten, which closures a type has.
//!
//! In: a program with its storage. Out: an [`Evacuation`], which code generation and the test machine ask, so that both
//! follow the same pointers. [`super::Rhs::Evacuate`] copies what is reachable from its roots and lies in the regions;
//! what lies elsewhere stays. Something that lies elsewhere may point into the regions only if it was overwritten, so it
//! is followed only if a part of it can be: what is [`Evacuation::overwritable`]. Where closures that were made before
//! allocate, it may have been made since, and everything is followed. Native pointers are not followed.

use super::{FunctionId, LocalId, Program};
use crate::types::{Type, TypeKind};
use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
};

/// Answers for one program.
pub struct Evacuation<'program> {
    program: &'program Program,
    lambdas: HashMap<Type, Vec<FunctionId>>,
    overwritable: RefCell<HashMap<Type, bool>>,
}

impl<'program> Evacuation<'program> {
    /// For a program.
    pub fn new(program: &'program Program) -> Evacuation<'program> {
        let mut lambdas: HashMap<Type, Vec<FunctionId>> = HashMap::new();
        for (_, function) in program.functions.iter() {
            function.body.each_closure(&mut |local, closure| {
                let known = lambdas.entry(function.locals[local].ty).or_default();
                if !known.contains(&closure.function) {
                    known.push(closure.function);
                }
            });
        }
        lambdas.values_mut().for_each(|lambdas| lambdas.sort());
        Evacuation { program, lambdas, overwritable: RefCell::default() }
    }

    /// The program.
    pub fn program(&self) -> &'program Program {
        self.program
    }

    /// The functions of the closures of a type that capture something.
    pub fn lambdas(&self, ty: Type) -> &[FunctionId] {
        self.lambdas.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// What a closure of a function holds: each capture, and whether it is a cell in the closure itself.
    pub fn captures(&self, lambda: FunctionId) -> impl Iterator<Item = (LocalId, Type, bool)> + use<'program> {
        let program = self.program;
        let function = &program.functions[lambda];
        function.captures().iter().map(move |capture| {
            let owned = function.owned().contains(capture);
            (*capture, function.held_type(&program.types, *capture), owned)
        })
    }

    /// Whether a value holds a pointer that is followed, or a handle.
    pub fn has_pointers(&self, ty: Type) -> bool {
        match self.program.types.kind(ty) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Parameter(_)
            | TypeKind::NativePointer(_) => false,
            TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => true,
            TypeKind::Tuple(parts) => parts.iter().any(|part| self.has_pointers(*part)),
            // A type that contains itself is boxed.
            TypeKind::Declared(..) => {
                let declared = &self.program.declared[&ty];
                declared.boxed
                    || declared.cases.iter().flat_map(|case| &case.fields).any(|field| self.has_pointers(*field))
            }
        }
    }

    /// The types that a value may lead to, itself among them.
    pub fn reachable(&self, ty: Type, found: &mut HashSet<Type>) {
        if !found.insert(ty) {
            return;
        }
        match self.program.types.kind(ty) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::String
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Region => {}
            TypeKind::Function(..) => {
                for lambda in self.lambdas(ty) {
                    self.captures(*lambda).for_each(|(_, held, _)| self.reachable(held, found));
                }
            }
            TypeKind::Reference(content) | TypeKind::Array(content) | TypeKind::Slot(content) => {
                self.reachable(*content, found);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| self.reachable(*part, found)),
            TypeKind::Declared(..) => {
                let cases = self.program.declared[&ty].cases.iter();
                cases.flat_map(|case| &case.fields).for_each(|field| self.reachable(*field, found));
            }
        }
    }

    /// Whether something that holds pointers, and that a value holds or leads to, can be overwritten.
    pub fn overwritable(&self, ty: Type) -> bool {
        let open = &mut HashSet::new();
        self.overwritable_in(ty, open)
    }

    fn overwritable_in(&self, ty: Type, open: &mut HashSet<Type>) -> bool {
        if let Some(known) = self.overwritable.borrow().get(&ty) {
            return *known;
        }
        if !open.insert(ty) {
            return false;
        }
        let answer = match self.program.types.kind(ty) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::String
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Region => false,
            TypeKind::Function(..) => self.lambdas(ty).iter().any(|lambda| {
                self.captures(*lambda)
                    .any(|(_, held, owned)| (owned && self.has_pointers(held)) || self.overwritable_in(held, open))
            }),
            TypeKind::Reference(content) | TypeKind::Array(content) | TypeKind::Slot(content) => {
                self.has_pointers(*content)
            }
            TypeKind::Tuple(parts) => parts.iter().any(|part| self.overwritable_in(*part, open)),
            TypeKind::Declared(..) => self.program.declared[&ty].cases.iter().any(|case| {
                case.mutable.iter().any(|field| self.has_pointers(case.fields[*field]))
                    || case.fields.iter().any(|field| self.overwritable_in(*field, open))
            }),
        };
        // What was found while an outer type is open may be no more than a part of the answer.
        if answer || open.len() == 1 {
            self.overwritable.borrow_mut().insert(ty, answer);
        }
        open.remove(&ty);
        answer
    }
}
