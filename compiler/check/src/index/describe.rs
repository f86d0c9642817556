//! What an entity is, and its type as the source would write it.

use super::{Index, Parameter};
use clef_base::{Span, Symbol};
use clef_infer::{Printer, Ty, TypeConstructor};
use clef_psg::{Mutability, Scope, VariableId};
use clef_scopes::{Entity, builtin_facts};
use clef_types::DeclaredKind;
use la_arena::RawIdx;

/// The category of an entity, for icons and colours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Category {
    /// A function.
    Function,
    /// A value.
    Value,
    /// A mutable variable.
    Mutable,
    /// A case of a union.
    Case,
    /// A value of an enum.
    EnumValue,
    /// A field.
    Field,
    /// A union.
    Union,
    /// A record.
    Record,
    /// An enum.
    Enum,
    /// An abbreviation, a unit of measure, or a type of the language.
    Type,
    /// A module or a namespace.
    Module,
    /// A function or operator of the language.
    Builtin,
}

impl Index {
    /// The name of an entity.
    pub fn name(&self, entity: Entity) -> Symbol {
        let psg = &self.graph.psg;
        match entity {
            Entity::Variable(variable) => psg.variables[variable].name,
            Entity::Case(case) => psg.cases[case].name,
            Entity::Field(case, field) => {
                psg.cases[case].fields[field].0.unwrap_or_else(|| Symbol::new(&format!("Item{}", field + 1)))
            }
            Entity::EnumValue(id, index) => psg.enums[id].values[index].name,
            Entity::Intrinsic(index) => psg.variables[self.declared.intrinsics[index].variable].name,
            Entity::Builtin(name) => name,
            Entity::Type(declared) => psg.declared_types[declared].name,
            Entity::Enum(id) => psg.enums[id].name,
            Entity::Named(span) => self.named(span),
            Entity::Module(number) => {
                Symbol::new(&self.names.modules[la_arena::Idx::from_raw(RawIdx::from_u32(number))].path)
            }
        }
    }

    /// The name of an abbreviation or a unit of measure.
    fn named(&self, span: Span) -> Symbol {
        let found = self.named.iter().find(|(_, declared)| **declared == span);
        found.map_or_else(|| Symbol::new("_"), |((_, name), _)| *name)
    }

    /// The category of an entity.
    pub fn category(&mut self, entity: Entity) -> Category {
        let psg = &self.graph.psg;
        match entity {
            Entity::Variable(variable) => {
                if psg.variables[variable].mutability == Mutability::Mutable {
                    return Category::Mutable;
                }
                let ty = self.graph.facts(variable).ty.clone();
                match self.inference.shallow(&ty) {
                    Ty::Constructor(TypeConstructor::Function, _) => Category::Function,
                    Ty::Constructor(..) | Ty::Variable(_) => Category::Value,
                }
            }
            Entity::Case(_) => Category::Case,
            Entity::Field(..) => Category::Field,
            Entity::EnumValue(..) => Category::EnumValue,
            Entity::Intrinsic(_) => Category::Function,
            Entity::Builtin(_) => Category::Builtin,
            Entity::Type(declared) => match psg.declared_types[declared].kind {
                DeclaredKind::Union => Category::Union,
                DeclaredKind::Record => Category::Record,
            },
            Entity::Enum(_) => Category::Enum,
            Entity::Named(_) => Category::Type,
            Entity::Module(_) => Category::Module,
        }
    }

    /// Whether a variable is at the level of a module.
    pub fn is_global(&self, variable: VariableId) -> bool {
        self.graph.psg.variables[variable].scope == Scope::Module
    }

    /// An entity in one line: `val add: x: int -> y: int -> int`.
    pub fn describe(&mut self, entity: Entity) -> String {
        let name = self.name(entity);
        match entity {
            Entity::Variable(variable) => {
                let mutable = self.graph.psg.variables[variable].mutability == Mutability::Mutable;
                let keyword = if mutable { "val mutable" } else { "val" };
                match self.signature(entity) {
                    Some(signature) => format!("{keyword} {name}: {}", signature.arrows()),
                    None => format!("{keyword} {name}"),
                }
            }
            Entity::Intrinsic(_) => match self.signature(entity) {
                Some(signature) => format!("val {name}: {}", signature.arrows()),
                None => format!("val {name}"),
            },
            Entity::Case(case) => {
                let owner = self.graph.psg.cases[case].owner;
                let owner = self.graph.psg.declared_types[owner].name;
                match self.signature(entity) {
                    Some(signature) if !signature.parameters.is_empty() => {
                        let fields: Vec<String> = signature.parameters.iter().map(Parameter::text).collect();
                        format!("case {owner}.{name} of {}", fields.join(" * "))
                    }
                    Some(_) | None => format!("case {owner}.{name}"),
                }
            }
            Entity::Field(case, field) => {
                let owner = self.graph.psg.cases[case].owner;
                let mutable = self.graph.psg.cases[case].mutable.contains(&field);
                let keyword = if mutable { "mutable " } else { "" };
                let ty = self.field_type(case, field);
                format!("field {}.{keyword}{name}: {ty}", self.graph.psg.declared_types[owner].name)
            }
            Entity::EnumValue(id, index) => {
                let described = &self.graph.psg.enums[id];
                format!("{}.{name} = {}", described.name, described.values[index].value)
            }
            Entity::Builtin(_) => {
                // Members are the functions of the language whose names are capitals, and `contents`.
                let is_member = name.as_str() == "contents" || name.as_str().starts_with(char::is_uppercase);
                let keyword = if is_member { "member" } else { "val" };
                match self.signature(entity) {
                    Some(signature) => {
                        format!("{keyword} {}: {}", builtin_facts::written(name.as_str()), signature.arrows())
                    }
                    None => name.to_string(),
                }
            }
            Entity::Type(_) | Entity::Enum(_) | Entity::Named(_) => format!("type {name}"),
            Entity::Module(_) => format!("module {name}"),
        }
    }

    fn field_type(&mut self, case: clef_types::CaseId, field: usize) -> String {
        let ty = self.declared.case_fields.get(&case).and_then(|fields| fields.get(field)).cloned();
        ty.map_or_else(|| "_".into(), |ty| self.show(&ty))
    }

    pub(super) fn show_all(&mut self, types: &[Ty]) -> Vec<String> {
        let types: Vec<&Ty> = types.iter().collect();
        Printer::new(&mut self.inference, &self.graph.psg).types(&types)
    }

    /// The type of a variable.
    pub fn type_of(&mut self, variable: VariableId) -> String {
        let ty = self.graph.facts(variable).ty.clone();
        self.show(&ty)
    }

    /// The type of the expression with exactly this span: of the outermost one.
    pub fn type_at(&mut self, span: Span) -> Option<String> {
        let (node, _) = self.graph.psg.nodes.iter().rev().find(|(_, node)| node.span == span)?;
        if !self.graph.has_type(node) {
            return None;
        }
        let ty = self.graph.type_of(node);
        Some(self.show(&ty))
    }

    pub(super) fn show(&mut self, ty: &Ty) -> String {
        Printer::new(&mut self.inference, &self.graph.psg).types(&[ty]).remove(0)
    }
}
