//! The types of C for plain types of Clef: scalars by their width, records and tuples as structs, enums as their integer type.

use crate::{documentation, names::identifier, parts};
use clef_base::{HashMap, HashSet, SourceMap, internal::bug};
use clef_psg::Psg;
use clef_types::{DeclaredTypeId, EnumType, IntegerType, Type, TypeKind, TypeParameterId};
use std::fmt::Write as _;

/// The declarations of types, as they are found in the signatures of functions.
pub(crate) struct Declarations<'p> {
    pub(crate) psg: &'p Psg,
    pub(crate) sources: &'p SourceMap,
    /// What the names of types begin with.
    prefix: String,
    /// What the parameters of the record that is being declared mean.
    arguments: HashMap<TypeParameterId, Type>,
    /// The names that are declared, or are being declared.
    known: HashSet<String>,
    /// The names of the structs, which may refer to themselves and to each other by pointers.
    names: String,
    /// The types, each after those that its fields are.
    text: String,
}

impl<'p> Declarations<'p> {
    pub(crate) fn new(psg: &'p Psg, sources: &'p SourceMap, name: &str) -> Declarations<'p> {
        Declarations {
            psg,
            sources,
            prefix: format!("{name}_"),
            arguments: HashMap::default(),
            known: HashSet::default(),
            names: String::new(),
            text: String::new(),
        }
    }

    /// All declarations, in an order in which C accepts them.
    pub(crate) fn finish(self) -> String {
        let end = if self.names.is_empty() { "" } else { "\n" };
        self.names + end + &self.text
    }

    /// A declaration of something with a type: `int32_t name`, `double *name`, `bool (*name)(int32_t)`.
    pub(crate) fn declared(&mut self, ty: Type, declarator: &str) -> String {
        let psg = self.psg;
        if let TypeKind::NativePointer(target) = psg.types.kind(ty) {
            let target = self.resolved(*target);
            if let TypeKind::Function(..) = psg.types.kind(target) {
                let (parameters, result) = parts(psg, target);
                let given = |parameter: &&Type| !matches!(psg.types.kind(**parameter), TypeKind::Unit);
                let list: Vec<String> = parameters.iter().filter(given).map(|one| self.declared(*one, "")).collect();
                let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
                return self.declared(result, &format!("(*{declarator})({list})"));
            }
            let is_plain = self.is_plain(target);
            return if is_plain {
                self.declared(target, &format!("*{declarator}"))
            } else {
                format!("void *{declarator}")
            };
        }
        let name = self.name(ty);
        if declarator.is_empty() { name } else { format!("{name} {declarator}") }
    }

    /// What a parameter of the current record means; other types are as they are.
    fn resolved(&self, ty: Type) -> Type {
        let TypeKind::Parameter(parameter) = self.psg.types.kind(ty) else { return ty };
        self.arguments.get(parameter).copied().unwrap_or(ty)
    }

    /// Whether C has a type for what a pointer leads to.
    fn is_plain(&self, ty: Type) -> bool {
        match self.psg.types.kind(self.resolved(ty)) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::NativePointer(_) => true,
            TypeKind::Tuple(parts) => parts.iter().all(|part| self.is_plain(*part)),
            TypeKind::Declared(declared, arguments) => {
                let data = &self.psg.declared_types[*declared];
                let fields = || data.cases.iter().flat_map(|case| &self.psg.cases[*case].fields);
                let is_parameter = |ty: Type| matches!(self.psg.types.kind(ty), TypeKind::Parameter(_));
                data.kind == clef_types::DeclaredKind::Record
                    && !data.boxed
                    && arguments.iter().all(|argument| self.is_plain(*argument))
                    && fields().all(|(_, field)| is_parameter(*field) || self.is_plain(*field))
            }
            TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => false,
        }
    }

    /// The name of a type that is no pointer; declares it if C does not know it.
    fn name(&mut self, ty: Type) -> String {
        let psg = self.psg;
        let ty = self.resolved(ty);
        match psg.types.kind(ty) {
            TypeKind::Unit => "void".to_owned(),
            TypeKind::Bool => "bool".to_owned(),
            TypeKind::Char => "uint32_t".to_owned(),
            TypeKind::Float32 => "float".to_owned(),
            TypeKind::Float64 => "double".to_owned(),
            TypeKind::Integer(integer) => integer_name(*integer).to_owned(),
            TypeKind::Enum(id, _) => self.enumeration(&psg.enums[*id]),
            TypeKind::Tuple(fields) => {
                let fields: Vec<(String, Type)> =
                    (1..).zip(fields).map(|(number, field)| (format!("item{number}"), *field)).collect();
                let arguments: Vec<Type> = fields.iter().map(|(_, field)| *field).collect();
                let name = self.with_arguments("Tuple", &arguments);
                self.structure(name, &fields, String::new())
            }
            TypeKind::Declared(declared, arguments) => self.record(*declared, arguments),
            TypeKind::NativePointer(_)
            | TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => bug("header", None, "a type is not plain data"),
        }
    }

    /// The name of a type with the names of its arguments.
    fn with_arguments(&mut self, name: &str, arguments: &[Type]) -> String {
        let arguments: String = arguments
            .iter()
            .map(|argument| format!("_{}", self.declared(*argument, "").replace('*', "pointer")))
            .collect();
        let arguments = arguments.replace(&self.prefix, "");
        format!(
            "{}{}{}",
            self.prefix,
            identifier(name),
            if arguments.is_empty() { arguments } else { identifier(&arguments) }
        )
    }

    /// Declares a record.
    fn record(&mut self, declared: DeclaredTypeId, arguments: &[Type]) -> String {
        let data = &self.psg.declared_types[declared];
        let arguments: Vec<Type> = arguments.iter().map(|argument| self.resolved(*argument)).collect();
        let name = self.with_arguments(data.name.as_str(), &arguments);
        let meaning = data.parameters.iter().copied().zip(arguments).collect();
        let outer = std::mem::replace(&mut self.arguments, meaning);
        let fields = data.cases.iter().flat_map(|case| &self.psg.cases[*case].fields);
        let fields: Vec<(String, Type)> = fields
            .enumerate()
            .map(|(index, (name, ty))| {
                (name.map_or_else(|| format!("item{index}"), |name| identifier(name.as_str())), *ty)
            })
            .collect();
        let comment = documentation::comment(self.sources, data.span, "");
        let name = self.structure(name, &fields, comment);
        self.arguments = outer;
        name
    }

    /// Declares a struct, after those that its fields are.
    fn structure(&mut self, name: String, fields: &[(String, Type)], comment: String) -> String {
        if !self.known.insert(name.clone()) {
            return name;
        }
        let mut text = comment;
        let _ = writeln!(self.names, "typedef struct {name} {name};");
        let _ = writeln!(text, "struct {name} {{");
        for (field, ty) in fields {
            if !matches!(self.psg.types.kind(self.resolved(*ty)), TypeKind::Unit) {
                let _ = writeln!(text, "    {};", self.declared(self.resolved(*ty), field));
            }
        }
        let _ = writeln!(text, "}};\n");
        self.text.push_str(&text);
        name
    }

    /// Declares an enum: its integer type, whose width C would choose otherwise, and its values.
    fn enumeration(&mut self, data: &EnumType) -> String {
        let name = format!("{}{}", self.prefix, identifier(data.name.as_str()));
        if self.known.insert(name.clone()) {
            let mut text = documentation::comment(self.sources, data.span, "");
            let _ = writeln!(text, "typedef {} {name};", integer_name(data.of));
            for value in &data.values {
                let _ = writeln!(
                    text,
                    "#define {name}_{} (({name}){})",
                    identifier(value.name.as_str()),
                    constant(value.value)
                );
            }
            self.text.push_str(&text);
            self.text.push('\n');
        }
        name
    }
}

/// A constant of C.
fn constant(value: i128) -> String {
    if value == i128::from(i64::MIN) {
        return "INT64_MIN".to_owned();
    }
    if value > i128::from(i64::MAX) {
        return format!("{value}u");
    }
    value.to_string()
}

fn integer_name(integer: IntegerType) -> &'static str {
    match integer {
        IntegerType::I8 => "int8_t",
        IntegerType::U8 => "uint8_t",
        IntegerType::I16 => "int16_t",
        IntegerType::U16 => "uint16_t",
        IntegerType::I32 => "int32_t",
        IntegerType::U32 => "uint32_t",
        IntegerType::I64 => "int64_t",
        IntegerType::U64 => "uint64_t",
        IntegerType::Int | IntegerType::NativeInt => "intptr_t",
        IntegerType::UInt | IntegerType::UNativeInt => "uintptr_t",
    }
}
