//! The instances of declared types that occur in the program.

use super::Lowering;
use clef_base::{HashMap, HashSet, Symbol};
use clef_core::{Declared, DeclaredCase, Rhs, StatementKind, type_name as core_type_name};
use clef_psg::Psg;
use clef_types::{Type, TypeKind, Types};

/// A type in source syntax, in terms of the PSG's declarations.
pub(super) fn type_name(psg: &Psg, types: &Types, ty: Type) -> String {
    let declared = |ty| {
        let TypeKind::Declared(id, arguments) = types.kind(ty) else { return String::new() };
        let name = psg.declared_types[*id].name;
        let arguments: Vec<_> = arguments.iter().map(|argument| type_name(psg, types, *argument)).collect();
        if arguments.is_empty() { name.to_string() } else { format!("{name}<{}>", arguments.join(", ")) }
    };
    core_type_name::type_name(types, &declared, ty)
}

/// Describes all instances in the types of functions and globals, and those nested in them.
pub(super) fn describe(lowering: &mut Lowering<'_>) -> HashMap<Type, Declared> {
    let mut described = HashMap::default();
    let mut seen = HashSet::default();
    let mut pending = occurring(lowering);
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match lowering.types.kind(ty).clone() {
            TypeKind::Declared(id, arguments) => {
                let cases: Vec<_> =
                    lowering.psg.declared_types[id].cases.iter().map(|case| lowering.case_fields(*case, ty)).collect();
                pending.extend(cases.iter().flat_map(|case| case.fields.iter().copied()).chain(arguments));
                let name = Symbol::new(&lowering.type_name(ty));
                let boxed = lowering.psg.declared_types[id].boxed;
                described.insert(ty, Declared { name, cases, boxed });
            }
            TypeKind::Function(argument, result) => pending.extend([argument, result]),
            TypeKind::Tuple(parts) => pending.extend(parts),
            TypeKind::Reference(of) | TypeKind::Array(of) | TypeKind::NativePointer(of) | TypeKind::Slot(of) => {
                pending.push(of)
            }
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Region
            | TypeKind::Parameter(_) => {}
        }
    }
    described
}

fn occurring(lowering: &Lowering<'_>) -> Vec<Type> {
    let mut found: Vec<_> = lowering.core.globals.iter().map(|(_, global)| global.ty).collect();
    for (_, function) in lowering.core.functions.iter() {
        found.push(function.result);
        found.extend(function.locals.iter().map(|(_, local)| local.ty));
        function.body.each(&mut |block| {
            for statement in &block.statements {
                if let StatementKind::Let(_, Rhs::Inject { ty, .. }) = &statement.kind {
                    found.push(*ty);
                }
            }
        });
    }
    found
}

impl Lowering<'_> {
    /// A case of an instance of a declared type, with the types of its fields.
    pub(super) fn case_fields(&mut self, case: clef_types::CaseId, ty: Type) -> DeclaredCase {
        let case = &self.psg.cases[case];
        let TypeKind::Declared(id, arguments) = self.types.kind(ty).clone() else {
            clef_base::internal::bug("lower", case.span, "a case of a type that is not declared")
        };
        let parameters = self.psg.declared_types[id].parameters.iter().copied();
        let replace: HashMap<_, _> = parameters.zip(arguments).collect();
        let fields = case.fields.iter().map(|(_, field)| self.types.substitute(*field, &replace)).collect();
        let names = case.fields.iter().map(|(name, _)| *name).collect();
        DeclaredCase { name: case.name, fields, names, mutable: case.mutable.clone() }
    }
}
