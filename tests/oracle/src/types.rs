//! The types of generated programs, and how each is printed.

use std::{fmt::Write, ops::Range};

/// A type of a generated program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// `unit`
    Unit,
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// `string`
    String,
    /// `float`
    Float,
    /// `float32`
    Single,
    /// An integer.
    Integer(Width),
    /// A number with a unit of measure.
    Measured(Base, Measure),
    /// `a * b`
    Tuple(Vec<Type>),
    /// `a -> b`
    Function(Box<Type>, Box<Type>),
    /// A type of the library with its arguments.
    Library(Library, Vec<Type>),
    /// The program's declaration with this index, with its arguments.
    Declared(usize, Vec<Type>),
    /// A type variable of the enclosing function or declaration: 0 is `'a`.
    Variable(usize),
}

/// The types of integers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "see the names")]
pub enum Width {
    Int,
    Uint,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    NativeInt,
    UnativeInt,
}

/// The numeric types that occur with units of measure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "see the names")]
pub enum Base {
    Int,
    Int64,
    Float,
    Single,
}

/// A unit of measure: the exponents of `m` and `s`, at least one of which is not zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Measure {
    /// The exponent of `m`.
    pub metres: i8,
    /// The exponent of `s`.
    pub seconds: i8,
}

/// The generic types of the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "see the names")]
pub enum Library {
    Option,
    Result,
    Ref,
    List,
    Array,
    Seq,
    Lazy,
    Map,
    Set,
}

/// A type that a program declares.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// The number of its type parameters.
    pub parameters: usize,
    /// Its definition.
    pub shape: Shape,
    /// Whether it and the previous one may refer to each other.
    pub with_previous: bool,
}

/// The definition of a declared type.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A record with its fields.
    Record(Vec<Field>),
    /// A union with its cases.
    Union(Vec<Case>),
    /// An enum: its cases with their numbers, which have this type.
    Enum(Width, Vec<(String, u8)>),
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it is `mutable`.
    pub mutable: bool,
}

/// A case of a union.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Type>,
    /// Whether they have names.
    pub named: bool,
}

/// All types of integers.
pub const WIDTHS: [Width; 12] = [
    Width::Int,
    Width::Uint,
    Width::Int8,
    Width::Uint8,
    Width::Int16,
    Width::Uint16,
    Width::Int32,
    Width::Uint32,
    Width::Int64,
    Width::Uint64,
    Width::NativeInt,
    Width::UnativeInt,
];

impl Width {
    /// The name, which is also that of the conversion.
    pub fn name(self) -> &'static str {
        match self {
            Width::Int => "int",
            Width::Uint => "uint",
            Width::Int8 => "int8",
            Width::Uint8 => "uint8",
            Width::Int16 => "int16",
            Width::Uint16 => "uint16",
            Width::Int32 => "int32",
            Width::Uint32 => "uint32",
            Width::Int64 => "int64",
            Width::Uint64 => "uint64",
            Width::NativeInt => "nativeint",
            Width::UnativeInt => "unativeint",
        }
    }

    /// The number of bits that literals use; words count as the smaller of their sizes.
    pub fn bits(self) -> u32 {
        match self {
            Width::Int8 | Width::Uint8 => 8,
            Width::Int16 | Width::Uint16 => 16,
            Width::Int | Width::Uint | Width::Int32 | Width::Uint32 | Width::NativeInt | Width::UnativeInt => 32,
            Width::Int64 | Width::Uint64 => 64,
        }
    }

    /// Whether there are negative values.
    pub fn is_signed(self) -> bool {
        match self {
            Width::Int | Width::Int8 | Width::Int16 | Width::Int32 | Width::Int64 | Width::NativeInt => true,
            Width::Uint | Width::Uint8 | Width::Uint16 | Width::Uint32 | Width::Uint64 | Width::UnativeInt => false,
        }
    }

    /// A value of this type as written, in parentheses if it is more than one token.
    pub fn literal(self, value: i128) -> String {
        let suffix = match self {
            Width::Int => "",
            // It has no suffix.
            Width::Uint => return format!("(uint {value}u)"),
            Width::Int8 => "y",
            Width::Uint8 => "uy",
            Width::Int16 => "s",
            Width::Uint16 => "us",
            Width::Int32 => "l",
            Width::Uint32 => "u",
            Width::Int64 => "L",
            Width::Uint64 => "UL",
            Width::NativeInt => "n",
            Width::UnativeInt => "un",
        };
        if value < 0 { format!("({value}{suffix})") } else { format!("{value}{suffix}") }
    }
}

impl Base {
    /// The same without a unit.
    pub fn bare(self) -> Type {
        match self {
            Base::Int => Type::Integer(Width::Int),
            Base::Int64 => Type::Integer(Width::Int64),
            Base::Float => Type::Float,
            Base::Single => Type::Single,
        }
    }

    /// Whether it has fractions.
    pub fn is_float(self) -> bool {
        match self {
            Base::Int | Base::Int64 => false,
            Base::Float | Base::Single => true,
        }
    }

    /// The conversion to it, which removes the unit.
    pub fn name(self) -> &'static str {
        match self {
            Base::Int => "int",
            Base::Int64 => "int64",
            Base::Float => "float",
            Base::Single => "float32",
        }
    }
}

impl Measure {
    /// The quotient of two units; none if that is a plain number.
    pub fn over(self, other: Measure) -> Option<Measure> {
        let (metres, seconds) = (self.metres - other.metres, self.seconds - other.seconds);
        ((metres, seconds) != (0, 0)).then_some(Measure { metres, seconds })
    }

    /// The product of two units; none if that is a plain number.
    pub fn times(self, other: Measure) -> Option<Measure> {
        self.over(Measure { metres: -other.metres, seconds: -other.seconds })
    }

    /// Its text between angle brackets.
    pub fn text(self) -> String {
        let powers = [("m", self.metres), ("s", self.seconds)];
        let powers = powers.iter().filter(|(_, exponent)| *exponent != 0);
        let one =
            |&(name, exponent): &(&str, i8)| if exponent == 1 { name.to_owned() } else { format!("{name}^{exponent}") };
        powers.map(one).collect::<Vec<_>>().join(" ")
    }
}

impl Library {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Library::Option => "option",
            Library::Result => "Result",
            Library::Ref => "ref",
            Library::List => "list",
            Library::Array => "array",
            Library::Seq => "seq",
            Library::Lazy => "Lazy",
            Library::Map => "Map",
            Library::Set => "Set",
        }
    }
}

/// `a -> b -> result`.
pub fn function(parameters: &[Type], result: Type) -> Type {
    parameters
        .iter()
        .rev()
        .fold(result, |result, parameter| Type::Function(Box::new(parameter.clone()), Box::new(result)))
}

/// `option<value>`.
pub fn option(value: Type) -> Type {
    Type::Library(Library::Option, vec![value])
}

/// `ref<value>`.
pub fn reference(value: Type) -> Type {
    Type::Library(Library::Ref, vec![value])
}

impl Type {
    /// The types directly within it.
    pub fn parts(&self) -> Vec<&Type> {
        match self {
            Type::Unit | Type::Bool | Type::Char | Type::String | Type::Float | Type::Single => Vec::new(),
            Type::Integer(_) | Type::Measured(..) | Type::Variable(_) => Vec::new(),
            Type::Tuple(parts) | Type::Library(_, parts) | Type::Declared(_, parts) => parts.iter().collect(),
            Type::Function(parameter, result) => vec![parameter, result],
        }
    }

    /// With its type variables replaced.
    pub fn substitute(&self, arguments: &[Type]) -> Type {
        let all = |types: &[Type]| types.iter().map(|ty| ty.substitute(arguments)).collect();
        match self {
            Type::Unit | Type::Bool | Type::Char | Type::String | Type::Float | Type::Single => self.clone(),
            Type::Integer(_) | Type::Measured(..) => self.clone(),
            Type::Tuple(parts) => Type::Tuple(all(parts)),
            Type::Function(parameter, result) => {
                Type::Function(Box::new(parameter.substitute(arguments)), Box::new(result.substitute(arguments)))
            }
            Type::Library(library, parts) => Type::Library(*library, all(parts)),
            Type::Declared(declaration, parts) => Type::Declared(*declaration, all(parts)),
            Type::Variable(index) => arguments.get(*index).cloned().unwrap_or_else(|| self.clone()),
        }
    }

    /// Unifies it with `wanted` by binding its variables in `found`; false if that is impossible.
    pub fn fits(&self, wanted: &Type, found: &mut [Option<Type>]) -> bool {
        if let Type::Variable(index) = self
            && let Some(slot) = found.get_mut(*index)
        {
            return match slot {
                Some(known) => known == wanted,
                None => {
                    *slot = Some(wanted.clone());
                    true
                }
            };
        }
        let alike = match (self, wanted) {
            (Type::Library(one, _), Type::Library(other, _)) => one == other,
            (Type::Declared(one, _), Type::Declared(other, _)) => one == other,
            (Type::Tuple(_), Type::Tuple(_)) | (Type::Function(..), Type::Function(..)) => true,
            (one, other) => return one == other,
        };
        let (own, others) = (self.parts(), wanted.parts());
        alike && own.len() == others.len() && own.iter().zip(others).all(|(own, other)| own.fits(other, found))
    }

    /// The curried parameters, and the final result.
    pub fn spine(&self) -> (Vec<Type>, Type) {
        let (mut parameters, mut result) = (Vec::new(), self);
        while let Type::Function(parameter, rest) = result {
            parameters.push((**parameter).clone());
            result = rest;
        }
        (parameters, result.clone())
    }

    /// Zero for data; for a function, one more than the order of its parameters.
    pub fn order(&self) -> u32 {
        match self {
            Type::Function(parameter, result) => (parameter.order() + 1).max(result.order()),
            Type::Unit | Type::Bool | Type::Char | Type::String | Type::Float | Type::Single => 0,
            Type::Integer(_) | Type::Measured(..) | Type::Variable(_) => 0,
            // Evaluating one runs code, as a call does.
            Type::Library(Library::Seq | Library::Lazy, parts) => 1 + parts[0].order(),
            Type::Tuple(parts) | Type::Library(_, parts) | Type::Declared(_, parts) => {
                parts.iter().map(Type::order).max().unwrap_or(0)
            }
        }
    }

    /// Its text, in parentheses if it is within another type.
    pub fn text(&self, declarations: &[Declaration]) -> String {
        let arguments = |name: &str, parts: &[Type]| {
            let mut text = name.to_owned();
            for (index, part) in parts.iter().enumerate() {
                let before = if index == 0 { "<" } else { ", " };
                let _ = write!(text, "{before}{}", part.text(declarations));
            }
            text + if parts.is_empty() { "" } else { ">" }
        };
        match self {
            Type::Unit => "unit".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Char => "char".to_owned(),
            Type::String => "string".to_owned(),
            Type::Float => "float".to_owned(),
            Type::Single => "float32".to_owned(),
            Type::Integer(width) => width.name().to_owned(),
            Type::Measured(base, measure) => format!("{}<{}>", base.name(), measure.text()),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.text(declarations)).collect();
                format!("({})", parts.join(" * "))
            }
            Type::Function(parameter, result) => {
                format!("({} -> {})", parameter.text(declarations), result.text(declarations))
            }
            Type::Library(library, parts) => arguments(library.name(), parts),
            Type::Declared(declaration, parts) => arguments(&declarations[*declaration].name, parts),
            Type::Variable(index) => variable_name(*index),
        }
    }
}

/// `'a`, `'b` …
pub fn variable_name(index: usize) -> String {
    format!("'{}", char::from(b'a' + index as u8))
}

/// The name of a field of a case whose fields have names.
pub fn field_name(index: usize) -> String {
    format!("n{index}")
}

/// The structure of a type.
pub enum Made<'a> {
    /// A record: each field with its type.
    Fields(Vec<(&'a str, Type)>),
    /// A union: each case with its fields' types.
    Cases(Vec<(&'a str, Vec<Type>)>),
    /// Neither.
    Other,
}

/// The structure of a type, its declaration applied to its arguments.
pub fn made<'a>(ty: &Type, declarations: &'a [Declaration]) -> Made<'a> {
    match ty {
        Type::Library(Library::Option, parts) => Made::Cases(vec![("None", Vec::new()), ("Some", parts.clone())]),
        Type::Library(Library::Result, parts) => {
            Made::Cases(vec![("Ok", parts[..1].to_vec()), ("Error", parts[1..].to_vec())])
        }
        Type::Declared(declaration, arguments) => match &declarations[*declaration].shape {
            Shape::Record(fields) => {
                Made::Fields(fields.iter().map(|field| (field.name.as_str(), field.ty.substitute(arguments))).collect())
            }
            Shape::Union(cases) => Made::Cases(
                cases
                    .iter()
                    .map(|case| {
                        let fields = case.fields.iter().map(|ty| ty.substitute(arguments)).collect();
                        (case.name.as_str(), fields)
                    })
                    .collect(),
            ),
            Shape::Enum(..) => Made::Other,
        },
        Type::Library(Library::Ref | Library::List | Library::Array | Library::Seq, _) => Made::Other,
        Type::Library(Library::Lazy | Library::Map | Library::Set, _) => Made::Other,
        Type::Unit | Type::Bool | Type::Char | Type::String | Type::Float | Type::Single => Made::Other,
        Type::Integer(_) | Type::Measured(..) | Type::Tuple(_) | Type::Function(..) | Type::Variable(_) => Made::Other,
    }
}

/// The range of mutually recursive declarations that contains this one.
fn group(declarations: &[Declaration], number: usize) -> Range<usize> {
    let start = (0..=number).rev().find(|&place| !declarations[place].with_previous).unwrap_or(0);
    let more = declarations[number + 1..].iter().take_while(|declaration| declaration.with_previous).count();
    start..number + 1 + more
}

/// Whether a declared type of these occurs in a type.
fn mentions(ty: &Type, group: &Range<usize>) -> bool {
    matches!(ty, Type::Declared(number, _) if group.contains(number)) || ty.parts().iter().any(|ty| mentions(ty, group))
}

impl Declaration {
    /// The types of all members.
    pub fn members(&self) -> Vec<&Type> {
        match &self.shape {
            Shape::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
            Shape::Enum(..) => Vec::new(),
            Shape::Union(cases) => cases.iter().flat_map(|case| &case.fields).collect(),
        }
    }
}

/// Whether values of a type may contain others of the same type.
pub fn is_recursive(ty: &Type, declarations: &[Declaration]) -> bool {
    if let Type::Declared(number, _) = ty {
        let group = group(declarations, *number);
        let members = || group.clone().flat_map(|place| declarations[place].members());
        if group.len() > 1 || members().any(|ty| mentions(ty, &group) || is_recursive(ty, declarations)) {
            return true;
        }
    }
    ty.parts().iter().any(|ty| is_recursive(ty, declarations))
}

/// Whether values of the type can be compared and printed: it contains no function, cell or variable.
pub fn is_data(ty: &Type, declarations: &[Declaration]) -> bool {
    is_data_beside(ty, declarations, &mut Vec::new())
}

/// The same, where the declarations in `asked`, which are in progress, count as data.
fn is_data_beside(ty: &Type, declarations: &[Declaration], asked: &mut Vec<usize>) -> bool {
    match ty {
        Type::Function(..) | Type::Variable(_) | Type::Library(Library::Ref | Library::Seq, _) => false,
        Type::Library(Library::Lazy | Library::Map | Library::Set, _) => false,
        Type::Unit | Type::Bool | Type::Char | Type::String | Type::Float | Type::Single => true,
        Type::Integer(_) | Type::Measured(..) => true,
        Type::Tuple(parts) | Type::Library(_, parts) => {
            parts.iter().all(|part| is_data_beside(part, declarations, asked))
        }
        Type::Declared(declaration, arguments) => {
            // A type variable is judged by its argument.
            let variables = [Type::Unit, Type::Unit, Type::Unit];
            let known = asked.contains(declaration);
            asked.push(*declaration);
            let own = known
                || declarations[*declaration]
                    .members()
                    .iter()
                    .all(|ty| is_data_beside(&ty.substitute(&variables), declarations, asked));
            asked.pop();
            own && arguments.iter().all(|ty| is_data_beside(ty, declarations, asked))
        }
    }
}
