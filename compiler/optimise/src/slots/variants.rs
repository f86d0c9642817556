//! The types after the rewrite: a variant in each position that can be overwritten and held a function value.

use super::{Plan, cells::Content};
use clef_base::{HashMap, Symbol};
use clef_core::{Declared, DeclaredCase, Program, StoredFunctions};
use clef_types::{Type, TypeKind, Types, stored_function};

/// Maps types.
pub(super) struct Variants<'a> {
    plan: &'a Plan,
    /// The types after the rewrite, by those before.
    mapped: HashMap<Type, Type>,
}

impl<'a> Variants<'a> {
    /// Creates the mapping for a plan.
    pub(super) fn new(plan: &'a Plan) -> Variants<'a> {
        Variants { plan, mapped: HashMap::default() }
    }

    /// The type of a value outside of such positions, where a function value is an address.
    pub(super) fn value(&mut self, types: &mut Types, ty: Type) -> Type {
        if let Some(known) = self.mapped.get(&ty) {
            return *known;
        }
        let kind = match types.kind(ty).clone() {
            TypeKind::Function(argument, result) => {
                let argument = self.value(types, argument);
                TypeKind::Function(argument, self.value(types, result))
            }
            TypeKind::Tuple(parts) if self.plan.positions.parts(ty) => {
                TypeKind::Tuple(parts.into_iter().map(|part| self.stored(types, part)).collect())
            }
            TypeKind::Tuple(parts) => TypeKind::Tuple(parts.into_iter().map(|part| self.value(types, part)).collect()),
            TypeKind::Reference(of) => TypeKind::Reference(self.stored(types, of)),
            TypeKind::Array(of) => TypeKind::Array(self.stored(types, of)),
            TypeKind::Slot(of) => TypeKind::Slot(self.stored(types, of)),
            // Declared types keep their names; their fields are mapped in their descriptions. A pointer to foreign
            // memory leads to no function value. An enum that was erased is the type itself.
            TypeKind::Declared(..)
            | TypeKind::NativePointer(_)
            | TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Enum(..)
            | TypeKind::Parameter(_)
            | TypeKind::Region => return ty,
        };
        let mapped = types.intern(kind);
        self.mapped.insert(ty, mapped);
        mapped
    }

    /// The type of a value in such a position, except in closed groups of cells.
    pub(super) fn stored(&mut self, types: &mut Types, ty: Type) -> Type {
        self.content(types, Content { ty, group: 0 })
    }

    /// The type of what is stored.
    pub(super) fn content(&mut self, types: &mut Types, of: Content) -> Type {
        if self.plan.stores(of) { self.variant(types, of) } else { self.value(types, of.ty) }
    }

    /// The type of cells, given what is stored in those of some function type.
    pub(super) fn cells(&mut self, types: &mut Types, ty: Type, of: impl FnOnce(Type) -> Content) -> Type {
        let kind = match *types.kind(ty) {
            TypeKind::Array(content) => TypeKind::Array(self.content(types, of(content))),
            TypeKind::Reference(content) => TypeKind::Reference(self.content(types, of(content))),
            TypeKind::Slot(content) => TypeKind::Slot(self.content(types, of(content))),
            TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Declared(..)
            | TypeKind::NativePointer(_)
            | TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Enum(..)
            | TypeKind::Parameter(_)
            | TypeKind::Region => return self.value(types, ty),
        };
        types.intern(kind)
    }

    /// The variants of what is stored.
    pub(super) fn variant(&mut self, types: &mut Types, of: Content) -> Type {
        let function = self.value(types, of.ty);
        types.intern(TypeKind::Declared(stored_function(of.group), vec![function]))
    }

    /// Maps the fields of all declared types.
    pub(super) fn declared(&mut self, program: &mut Program) {
        let Program { declared, types, .. } = program;
        for (ty, declared) in declared.iter_mut() {
            let whole = self.plan.positions.parts(*ty);
            for case in &mut declared.cases {
                for (field, content) in case.fields.iter_mut().enumerate() {
                    let overwritten = whole || case.mutable.contains(&field);
                    *content = if overwritten { self.stored(types, *content) } else { self.value(types, *content) };
                }
            }
        }
    }

    /// Declares the variants, once the captures of lambdas have their new types.
    pub(super) fn declare(&mut self, program: &mut Program) {
        let mut named: HashMap<Type, usize> = HashMap::default();
        for (&of, lambdas) in &self.plan.lambdas {
            let ty = of.ty;
            let count = named.entry(ty).or_insert(0);
            *count += 1;
            let number = if *count == 1 { String::new() } else { format!(".{count}") };
            let name = Symbol::new(&format!("stored<{}>{number}", program.type_name(ty)));
            let case = |lambda: &clef_core::FunctionId| {
                let function = &program.functions[*lambda];
                let captures = || function.captures().iter().map(|capture| &function.locals[*capture]);
                let fields = captures().map(|capture| capture.ty).collect();
                let names = captures().map(|capture| Some(capture.name)).collect();
                DeclaredCase { name: function.name, fields, names, mutable: Vec::new() }
            };
            let cases = lambdas.iter().map(case).collect();
            let variant = self.variant(&mut program.types, of);
            program.declared.insert(variant, Declared { name, cases, boxed: false });
            let places = lambdas.iter().map(|lambda| program.functions[*lambda].span).collect();
            program.stored.push(StoredFunctions { ty, kept: Ok((variant, places)) });
        }
    }
}
