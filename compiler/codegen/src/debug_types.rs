//! The types of Core as debuggers see them.
//!
//! In: types and their layouts. Out: numbered descriptions. Members that the compiler adds have names with `$`, by which
//! the printers of `clefc gdb` recognise them:
//!
//! - a union is a structure with the tag, `$case`, an enumeration of its cases, and a member for each case with fields,
//!   which overlap;
//! - a value of a boxed type is the address of such a structure; where addresses stand for cases without fields, the
//!   enumeration is declared within it and has no member;
//! - arrays are `$elements` and `$length`, strings `$text` and `$length`;
//! - a function value is the address of a structure that begins with `$code`; that of each lambda is named `closure`, a
//!   space and the symbol of its code.
//!
//! Values are described where they are: a record within a record may have other offsets than one of its own.

use crate::{
    debug::SourceType,
    layout::{BoxedTag, ClosureLayout, Repr, flatten},
    module::Shared,
};
use clef_base::HashMap;
use clef_core::{Declared, DeclaredCase};
use clef_mlir::llvm::{DebugType, Encoding, Member, TypeNumber};
use clef_types::{IntegerType, Type, TypeKind};

/// The descriptions so far.
#[derive(Default)]
pub(crate) struct Described {
    /// `None` while a type is being described.
    types: Vec<Option<DebugType>>,
    /// The numbers of types by the distances of their machine values from the first.
    numbers: HashMap<(Type, Vec<u64>), TypeNumber>,
    /// The node of each boxed type.
    nodes: HashMap<Type, TypeNumber>,
    /// The structure that every closure begins with.
    closure: Option<TypeNumber>,
    /// The types of the source that are numbers in Core, each with that number.
    of_source: HashMap<(SourceType, TypeNumber), TypeNumber>,
}

impl Described {
    /// All descriptions.
    pub(crate) fn types(self) -> Vec<DebugType> {
        self.types.into_iter().flatten().collect()
    }

    /// The number of a type in memory of its own; `None` for `unit`.
    pub(crate) fn of(&mut self, shared: &Shared<'_, '_>, ty: Type) -> Option<TypeNumber> {
        let mut offsets = Vec::new();
        place(shared, &shared.layouts.repr(ty), 0, &mut offsets);
        (!offsets.is_empty()).then(|| self.at(shared, ty, &offsets))
    }

    /// A type of the source, whose values are those of a machine type.
    pub(crate) fn of_source(&mut self, ty: &SourceType, number: TypeNumber) -> TypeNumber {
        if let Some(known) = self.of_source.get(&(ty.clone(), number)) {
            return *known;
        }
        let described = match (ty, self.types.get(number)) {
            (SourceType::Enum(name, values), Some(Some(DebugType::Basic { bits, .. }))) => {
                DebugType::Enumeration { name: name.clone(), bits: *bits, values: values.clone() }
            }
            (SourceType::Enum(name, _) | SourceType::Quantity(name), _) => {
                DebugType::Alias { name: name.clone(), of: number }
            }
        };
        let added = self.add(described);
        self.of_source.insert((ty.clone(), number), added);
        added
    }

    /// The struct of a closure.
    pub(crate) fn closure(
        &mut self,
        shared: &Shared<'_, '_>,
        name: String,
        layout: &ClosureLayout,
        captures: &[(String, Type)],
    ) {
        let mut members = vec![self.code(shared)];
        for slot in &layout.slots {
            let (name, ty) = &captures[slot.capture];
            members.extend(self.of(shared, *ty).map(|ty| Member { name: name.clone(), offset: slot.offset.0, ty }));
        }
        self.add(DebugType::Structure { name, bytes: layout.in_region.size.0, members, inner: Vec::new() });
    }

    /// The member of every closure that is the address of its code.
    fn code(&mut self, shared: &Shared<'_, '_>) -> Member {
        let ty = self.add(DebugType::Pointer { to: None, bits: shared.layouts.word_bits().into() });
        Member { name: "$code".to_owned(), offset: 0, ty }
    }

    fn add(&mut self, ty: DebugType) -> TypeNumber {
        self.types.push(Some(ty));
        self.types.len() - 1
    }

    /// The number of a type whose machine values are at these offsets; there is at least one.
    fn at(&mut self, shared: &Shared<'_, '_>, ty: Type, offsets: &[u64]) -> TypeNumber {
        let first = first(offsets);
        let relative: Vec<u64> = offsets.iter().map(|offset| offset - first).collect();
        if let Some(known) = self.numbers.get(&(ty, relative.clone())) {
            return *known;
        }
        self.types.push(None);
        let number = self.types.len() - 1;
        self.numbers.insert((ty, relative.clone()), number);
        let described = self.describe(shared, ty, &relative);
        self.types[number] = Some(described);
        number
    }

    fn describe(&mut self, shared: &Shared<'_, '_>, ty: Type, offsets: &[u64]) -> DebugType {
        let name = shared.program.type_name(ty);
        let word = shared.layouts.word_bits();
        let basic = |bits, encoding| DebugType::Basic { name: name.clone(), bits, encoding };
        match shared.program.types.kind(ty) {
            TypeKind::Bool => basic(8, Encoding::Boolean),
            TypeKind::Char => basic(32, Encoding::Unicode),
            TypeKind::Integer(integer) => {
                let encoding = if integer.is_signed() { Encoding::Signed } else { Encoding::Unsigned };
                basic(integer.bits(word).into(), encoding)
            }
            TypeKind::Float32 => basic(32, Encoding::Float),
            TypeKind::Float64 => basic(64, Encoding::Float),
            TypeKind::String => {
                let byte = self.add(DebugType::Basic { name: "byte".to_owned(), bits: 8, encoding: Encoding::Byte });
                self.counted(shared, name, ("$text", Some(byte)), offsets)
            }
            TypeKind::Array(element) => {
                let element = self.of(shared, *element);
                self.counted(shared, name, ("$elements", element), offsets)
            }
            TypeKind::Reference(content) | TypeKind::Slot(content) | TypeKind::NativePointer(content) => {
                let to = self.of(shared, *content);
                self.address(shared, name, to)
            }
            TypeKind::Function(..) => {
                let closure = self.any_closure(shared);
                self.address(shared, name, Some(closure))
            }
            TypeKind::Tuple(parts) => {
                let names = (1..=parts.len()).map(|position| format!("Item{position}"));
                let mut left = offsets.iter().copied();
                let counted = parts.iter().map(|part| {
                    let count = scalars(shared, *part).len();
                    (*part, left.by_ref().take(count).collect::<Vec<u64>>())
                });
                let parts: Vec<(Type, Vec<u64>)> = counted.collect();
                let members = self.members(shared, names, parts.iter().map(|(ty, offsets)| (*ty, offsets.as_slice())));
                structure(name, size(shared, ty, offsets), members)
            }
            TypeKind::Declared(..) if shared.layouts.is_boxed(ty) => {
                let node = self.node(shared, ty);
                self.address(shared, name, Some(node))
            }
            TypeKind::Declared(..) => self.union(shared, ty, offsets),
            TypeKind::Unit | TypeKind::Region | TypeKind::Enum(..) | TypeKind::Parameter(_) => {
                self.address(shared, name, None)
            }
        }
    }

    /// An address with a name.
    fn address(&mut self, shared: &Shared<'_, '_>, name: String, to: Option<TypeNumber>) -> DebugType {
        let of = self.add(DebugType::Pointer { to, bits: shared.layouts.word_bits().into() });
        DebugType::Alias { name, of }
    }

    fn any_closure(&mut self, shared: &Shared<'_, '_>) -> TypeNumber {
        if let Some(known) = self.closure {
            return known;
        }
        let members = vec![self.code(shared)];
        let bytes = u64::from(shared.layouts.word_bits() / 8);
        let closure = self.add(structure("closure".to_owned(), bytes, members));
        self.closure = Some(closure);
        closure
    }

    /// An address and a number of elements.
    fn counted(
        &mut self,
        shared: &Shared<'_, '_>,
        name: String,
        (elements, of): (&str, Option<TypeNumber>),
        offsets: &[u64],
    ) -> DebugType {
        let word = u64::from(shared.layouts.word_bits());
        let address = self.add(DebugType::Pointer { to: of, bits: word });
        let integer = IntegerType::Int.name().to_owned();
        let length = self.add(DebugType::Basic { name: integer, bits: word, encoding: Encoding::Signed });
        let member = |name: &str, offset, ty| Member { name: name.to_owned(), offset, ty };
        let members = vec![member(elements, offsets[0], address), member("$length", offsets[1], length)];
        structure(name, offsets[0].max(offsets[1]) + word / 8, members)
    }

    /// A declared type that is not boxed.
    fn union(&mut self, shared: &Shared<'_, '_>, ty: Type, offsets: &[u64]) -> DebugType {
        let declared = &shared.program.declared[&ty];
        let layout = shared.layouts.union(ty);
        let whole = size(shared, ty, offsets);
        let of_slot = |slot: &usize| offsets[slot + usize::from(layout.tag_bits.is_some())];
        let placed: Vec<Vec<Vec<u64>>> = layout
            .cases
            .iter()
            .map(|case| case.iter().map(|field| field.iter().map(of_slot).collect()).collect())
            .collect();
        let Some(bits) = layout.tag_bits else {
            let fields = declared.cases.iter().zip(&placed).next();
            let members = fields.map_or_else(Vec::new, |(case, placed)| self.fields(shared, case, placed));
            return structure(declared.name.to_string(), whole, members);
        };
        let tag = Member { name: "$case".to_owned(), offset: offsets[0], ty: self.tag(declared, bits) };
        let mut members = vec![tag];
        for (case, placed) in declared.cases.iter().zip(&placed) {
            let fields = self.fields(shared, case, placed);
            members.extend(self.case(declared, case, whole, fields));
        }
        structure(declared.name.to_string(), whole, members)
    }

    /// The node of a boxed type, which may contain addresses of others.
    fn node(&mut self, shared: &Shared<'_, '_>, ty: Type) -> TypeNumber {
        if let Some(known) = self.nodes.get(&ty) {
            return *known;
        }
        self.types.push(None);
        let number = self.types.len() - 1;
        self.nodes.insert(ty, number);
        let declared = &shared.program.declared[&ty];
        let (mut members, mut inner, mut whole) = (Vec::new(), Vec::new(), 0);
        match shared.layouts.boxed_tag(ty) {
            BoxedTag::Stored(bits) => {
                members.push(Member { name: "$case".to_owned(), offset: 0, ty: self.tag(declared, bits) });
            }
            BoxedTag::Address(_) if declared.cases.len() > 1 => {
                inner.push(self.tag(declared, shared.layouts.word_bits()));
            }
            BoxedTag::Address(_) => {}
        }
        for (index, case) in declared.cases.iter().enumerate().filter(|(_, case)| !case.fields.is_empty()) {
            let layout = shared.layouts.node(ty, index);
            whole = layout.extent.size.0.max(whole);
            let placed: Vec<Vec<u64>> = case
                .fields
                .iter()
                .zip(&layout.offsets)
                .map(|(field, offset)| {
                    let mut offsets = Vec::new();
                    place(shared, &shared.layouts.repr(*field), offset.0, &mut offsets);
                    offsets
                })
                .collect();
            let fields = self.fields(shared, case, &placed);
            if declared.cases.len() == 1 {
                members.extend(fields);
            } else {
                members.extend(self.case(declared, case, layout.extent.size.0, fields));
            }
        }
        self.types[number] =
            Some(DebugType::Structure { name: declared.name.to_string(), bytes: whole, members, inner });
        number
    }

    /// The tag of a union: the names of its cases.
    fn tag(&mut self, declared: &Declared, bits: u32) -> TypeNumber {
        let names = declared.cases.iter().map(|case| case.name.to_string());
        let values = names.zip(0..).collect();
        self.add(DebugType::Enumeration { name: format!("{}.$case", declared.name), bits: bits.into(), values })
    }

    /// The member for a case, if it has fields.
    fn case(&mut self, declared: &Declared, case: &DeclaredCase, bytes: u64, fields: Vec<Member>) -> Option<Member> {
        if fields.is_empty() {
            return None;
        }
        let ty = self.add(structure(format!("{}.{}", declared.name, case.name), bytes, fields));
        Some(Member { name: case.name.to_string(), offset: 0, ty })
    }

    /// The fields of a case, whose machine values are at these offsets.
    fn fields(&mut self, shared: &Shared<'_, '_>, case: &DeclaredCase, placed: &[Vec<u64>]) -> Vec<Member> {
        let alone = case.fields.len() == 1;
        let names = case.names.iter().enumerate().map(|(position, name)| match name {
            Some(name) => name.to_string(),
            None if alone => "Item".to_owned(),
            None => format!("Item{}", position + 1),
        });
        self.members(shared, names, case.fields.iter().copied().zip(placed.iter().map(Vec::as_slice)))
    }

    /// Named members, except those without machine values.
    fn members<'o>(
        &mut self,
        shared: &Shared<'_, '_>,
        names: impl Iterator<Item = String>,
        parts: impl Iterator<Item = (Type, &'o [u64])>,
    ) -> Vec<Member> {
        let with_values = names.zip(parts).filter(|(_, (_, offsets))| !offsets.is_empty());
        let member = with_values.map(|(name, (ty, offsets))| {
            let number = self.at(shared, ty, offsets);
            Member { name, offset: first(offsets), ty: number }
        });
        member.collect()
    }
}

fn structure(name: String, bytes: u64, members: Vec<Member>) -> DebugType {
    DebugType::Structure { name, bytes, members, inner: Vec::new() }
}

/// The machine values of a type.
fn scalars(shared: &Shared<'_, '_>, ty: Type) -> Vec<Repr> {
    let mut scalars = Vec::new();
    flatten(&shared.layouts.repr(ty), &mut scalars);
    scalars
}

/// The size of a value whose machine values are at these offsets.
fn size(shared: &Shared<'_, '_>, ty: Type, offsets: &[u64]) -> u64 {
    let ends = scalars(shared, ty).into_iter().zip(offsets);
    ends.map(|(scalar, offset)| offset + shared.layouts.extent(&scalar).size.0).max().unwrap_or(0)
}

/// The least of some offsets.
fn first(offsets: &[u64]) -> u64 {
    offsets.iter().copied().min().unwrap_or(0)
}

/// The offsets of the machine values of a representation in memory that begins at an offset.
fn place(shared: &Shared<'_, '_>, repr: &Repr, start: u64, into: &mut Vec<u64>) {
    match repr {
        Repr::Unit => {}
        Repr::Struct(members) => {
            let mut end = start;
            for member in members {
                let extent = shared.layouts.extent(member);
                let at = end.next_multiple_of(extent.align.0);
                place(shared, member, at, into);
                end = at + extent.size.0;
            }
        }
        Repr::Integer(_) | Repr::Float32 | Repr::Float64 | Repr::Pointer => into.push(start),
    }
}
