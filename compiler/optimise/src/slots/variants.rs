//! The types after the rewrite: a variant in each position that can be overwritten and held a function value.

use super::Plan;
use clef_base::Symbol;
use clef_core::{Declared, DeclaredCase, Program, StoredFunctions};
use clef_types::{STORED_FUNCTION, Type, TypeKind, Types};
use std::collections::HashMap;

/// Maps types.
pub(super) struct Variants<'a> {
    plan: &'a Plan,
    /// The types after the rewrite, by those before.
    mapped: HashMap<Type, Type>,
}

impl<'a> Variants<'a> {
    /// Creates the mapping for a plan.
    pub(super) fn new(plan: &'a Plan) -> Variants<'a> {
        Variants { plan, mapped: HashMap::new() }
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

    /// The type of a value in such a position.
    pub(super) fn stored(&mut self, types: &mut Types, ty: Type) -> Type {
        if self.plan.stores(ty) { self.variant(types, ty) } else { self.value(types, ty) }
    }

    /// The variants of a function type.
    pub(super) fn variant(&mut self, types: &mut Types, ty: Type) -> Type {
        let function = self.value(types, ty);
        types.intern(TypeKind::Declared(STORED_FUNCTION, vec![function]))
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

    /// Declares the variants of all function types, once the captures of lambdas have their new types.
    pub(super) fn declare(&mut self, program: &mut Program) {
        for (&ty, lambdas) in &self.plan.lambdas {
            let name = Symbol::new(&format!("stored<{}>", program.type_name(ty)));
            let case = |lambda: &clef_core::FunctionId| {
                let function = &program.functions[*lambda];
                let captures = || function.captures().iter().map(|capture| &function.locals[*capture]);
                let fields = captures().map(|capture| capture.ty).collect();
                let names = captures().map(|capture| Some(capture.name)).collect();
                DeclaredCase { name: function.name, fields, names, mutable: Vec::new() }
            };
            let cases = lambdas.iter().map(case).collect();
            let variant = self.variant(&mut program.types, ty);
            program.declared.insert(variant, Declared { name, cases, boxed: false });
            let places = lambdas.iter().map(|lambda| program.functions[*lambda].span).collect();
            program.stored.push(StoredFunctions { ty, kept: Ok((variant, places)) });
        }
    }
}
