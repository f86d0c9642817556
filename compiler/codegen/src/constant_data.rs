//! Constants in flash: nodes, the elements of arrays, and module-level values that are known when the program is
//! compiled.
//!
//! In: their content ([`Constants`]). Out: constant globals with the layout that code reads. Data without addresses is
//! an array of bytes, or of the numbers that an array has as elements, which LLVM handles in time linear in its size;
//! otherwise the bytes between addresses are.

use crate::{
    abi::machine_type,
    layout::{BoxedTag, Repr},
    module::Shared,
    symbol::{CONSTANT_CLOSURE, Generated, slot_symbol},
};
use clef_base::{Bytes, internal::bug};
use clef_core::{
    AllocationId, AllocationKind, Atom, GlobalId, Program, Reason, Storage,
    constants::{Constants, Content},
};
use clef_mlir::{Constant, Global, Type as MlirType};
use clef_types::{Type, TypeKind};
use std::{collections::BTreeMap, rc::Rc};

/// The constants of a placed program.
pub(crate) fn constants(program: &Program) -> Constants {
    Constants::of(program, &|id| {
        let decision = program.allocations[id].decision.as_ref();
        decision.is_some_and(|made| made.storage == Storage::Static && made.reason == Reason::Constant)
    })
}

/// A machine value.
enum Scalar {
    /// The low bits of an integer or of a float.
    Bits(u64),
    /// An address.
    Address(String),
}

/// The memory of a constant.
#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    /// The symbols whose addresses are in it, by offset.
    addresses: BTreeMap<usize, String>,
}

/// The largest number of addresses in one struct: LLVM copies a struct for each of its members.
const MOST_ADDRESSES: usize = 16;

impl Image {
    fn of_size(size: Bytes) -> Image {
        Image { bytes: vec![0; size.0 as usize], addresses: BTreeMap::new() }
    }

    fn put(&mut self, offset: usize, size: usize, scalar: Scalar) {
        match scalar {
            Scalar::Bits(bits) => self.bytes[offset..offset + size].copy_from_slice(&bits.to_le_bytes()[..size]),
            Scalar::Address(symbol) => {
                self.addresses.insert(offset, symbol);
            }
        }
    }
}

impl<'m> Shared<'_, 'm> {
    /// The symbol of a constant node or array in flash; `None` for an allocation that is made when the program runs.
    pub(crate) fn constant_allocation(&self, id: AllocationId) -> Option<String> {
        self.constants.allocation(id)?;
        let symbol = slot_symbol(id.into_raw().into_u32());
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            self.define_allocation(id, &mut open);
        }
        Some(symbol)
    }

    /// Defines a constant, and adds those that it refers to.
    fn define_allocation(&self, id: AllocationId, open: &mut Vec<AllocationId>) {
        let symbol = slot_symbol(id.into_raw().into_u32());
        let Some(parts) = self.constants.allocation(id).filter(|_| !self.build.has_symbol(&symbol)) else { return };
        for part in parts {
            referenced(part, open);
        }
        let program = self.program;
        let (content, align) = match program.allocations[id].kind {
            AllocationKind::Node(ty, case) => {
                let layout = self.layouts.node(ty, case);
                let mut image = Image::of_size(layout.extent.size);
                if let BoxedTag::Stored(bits) = self.layouts.boxed_tag(ty) {
                    image.put(0, (bits / 8) as usize, Scalar::Bits(case as u64));
                }
                let types = &program.declared[&ty].cases[case].fields;
                for ((part, ty), offset) in parts.iter().zip(types).zip(&layout.offsets) {
                    self.write(&mut image, offset.0 as usize, *ty, part);
                }
                (self.initial(image), layout.extent.align)
            }
            AllocationKind::Array(ty) => {
                let TypeKind::Array(element) = program.types.kind(ty) else {
                    bug("generate", program.allocations[id].span, "the type of an array is not one of arrays")
                };
                let repr = self.layouts.repr(*element);
                let extent = self.layouts.extent(&repr);
                let mut image = Image::of_size(extent.size.saturating_mul(parts.len() as u64));
                for (index, part) in parts.iter().enumerate() {
                    self.write(&mut image, index * extent.size.0 as usize, *element, part);
                }
                let content = match self.number(&repr) {
                    Some(number) if !parts.is_empty() => Constant::Numbers(number, parts.len() as u32, image.bytes),
                    _ => self.initial(image),
                };
                (content, extent.align)
            }
            AllocationKind::Closure(_)
            | AllocationKind::Reference(_)
            | AllocationKind::String
            | AllocationKind::Memory(_) => bug("generate", program.allocations[id].span, "no constant of this kind"),
        };
        let align = align.0.max(program.allocations[id].placement.align.unwrap_or(1).into());
        self.build.global(&Global::constant(&symbol, content).align(align).mergeable());
    }

    /// The machine type of a number of 16 bits or more.
    fn number(&self, repr: &Repr) -> Option<MlirType<'m>> {
        match repr {
            Repr::Integer(16 | 32 | 64) | Repr::Float32 | Repr::Float64 => machine_type(&self.build, repr),
            Repr::Integer(_) | Repr::Unit | Repr::Pointer | Repr::Struct(_) => None,
        }
    }

    /// The initial content of a module-level value that is a constant.
    pub(crate) fn constant_global(&self, global: GlobalId) -> Option<Constant<'m>> {
        let content = self.constants.global(global)?;
        let ty = self.program.globals[global].ty;
        let mut open = Vec::new();
        referenced(content, &mut open);
        for id in open {
            self.constant_allocation(id);
        }
        let mut image = Image::of_size(self.layouts.extent(&self.layouts.repr(ty)).size);
        self.write(&mut image, 0, ty, content);
        Some(self.initial(image))
    }

    /// Writes the value of a type at an offset.
    fn write(&self, image: &mut Image, offset: usize, ty: Type, content: &Content) {
        let repr = self.layouts.repr(ty);
        let (mut places, mut scalars) = (Vec::new(), Vec::new());
        self.places(&repr, offset, &mut places);
        self.scalars(ty, content, &mut scalars);
        for ((offset, size), scalar) in places.into_iter().zip(scalars) {
            image.put(offset, size, scalar);
        }
    }

    /// The offsets and sizes of the machine values of a representation, left to right.
    fn places(&self, repr: &Repr, offset: usize, into: &mut Vec<(usize, usize)>) {
        let size = |repr: &Repr| self.layouts.extent(repr);
        match repr {
            Repr::Unit => {}
            Repr::Integer(_) | Repr::Float32 | Repr::Float64 | Repr::Pointer => {
                into.push((offset, size(repr).size.0 as usize));
            }
            Repr::Struct(members) => {
                let mut end = offset;
                for member in members {
                    let extent = size(member);
                    end = end.next_multiple_of(extent.align.0 as usize);
                    self.places(member, end, into);
                    end += extent.size.0 as usize;
                }
            }
        }
    }

    /// The machine values of a constant, left to right.
    fn scalars(&self, ty: Type, content: &Content, into: &mut Vec<Scalar>) {
        match content {
            Content::Atom(atom) => self.atom_scalars(atom, into),
            Content::Tuple(parts) => {
                let TypeKind::Tuple(types) = self.program.types.kind(ty) else {
                    bug("generate", None, "a constant tuple of a type that is none")
                };
                parts.iter().zip(types).for_each(|(part, ty)| self.scalars(*ty, part, into));
            }
            Content::Case(ty, case, fields) if self.layouts.is_boxed(*ty) => {
                debug_assert!(fields.is_empty(), "a case with fields has a node");
                into.push(match self.layouts.boxed_tag(*ty) {
                    BoxedTag::Address(_) => Scalar::Bits(*case as u64),
                    BoxedTag::Stored(bits) => Scalar::Address(self.case_symbol(*ty, *case, bits)),
                });
            }
            Content::Case(ty, case, fields) => {
                let layout = self.layouts.union(*ty);
                into.extend(layout.tag_bits.map(|_| Scalar::Bits(*case as u64)));
                let mut slots: Vec<Scalar> = layout.slots.iter().map(|_| Scalar::Bits(0)).collect();
                let types = &self.program.declared[ty].cases[*case].fields;
                for ((field, ty), taken) in fields.iter().zip(types).zip(&layout.cases[*case]) {
                    let mut scalars = Vec::new();
                    self.scalars(*ty, field, &mut scalars);
                    scalars.into_iter().zip(taken).for_each(|(scalar, slot)| slots[*slot] = scalar);
                }
                into.append(&mut slots);
            }
            Content::Node(id) => into.push(Scalar::Address(slot_symbol(id.into_raw().into_u32()))),
            Content::Array(id) => {
                let count = self.constants.allocation(*id).map_or(0, <[Rc<Content>]>::len);
                into.push(Scalar::Address(slot_symbol(id.into_raw().into_u32())));
                into.push(Scalar::Bits(count as u64));
            }
            Content::Memory(id, length) => {
                into.push(self.static_address(*id));
                into.extend(length.map(Scalar::Bits));
            }
        }
    }

    /// The address of the static memory of an allocation; null if that has no bytes.
    fn static_address(&self, id: AllocationId) -> Scalar {
        let has_bytes = match self.program.allocations[id].kind {
            AllocationKind::Array(ty) => match self.program.types.kind(ty) {
                TypeKind::Array(element) => self.layouts.extent(&self.layouts.repr(*element)).size > Bytes(0),
                _ => false,
            },
            AllocationKind::Reference(content) => self.layouts.repr(content) != Repr::Unit,
            AllocationKind::Node(..) => true,
            AllocationKind::Closure(_) | AllocationKind::String | AllocationKind::Memory(_) => false,
        };
        if has_bytes { Scalar::Address(slot_symbol(id.into_raw().into_u32())) } else { Scalar::Bits(0) }
    }

    fn atom_scalars(&self, atom: &Atom, into: &mut Vec<Scalar>) {
        match atom {
            Atom::Unit => {}
            Atom::Bool(value) => into.push(Scalar::Bits((*value).into())),
            Atom::Integer(value, _) => into.push(Scalar::Bits(*value as u64)),
            Atom::Float(value, ty) => into.push(Scalar::Bits(match self.program.types.kind(*ty) {
                TypeKind::Float32 => u64::from((*value as f32).to_bits()),
                _ => value.to_bits(),
            })),
            Atom::Char(value) => into.push(Scalar::Bits(u32::from(*value).into())),
            Atom::String(text) => {
                into.push(Scalar::Address(self.text_symbol(*text)));
                into.push(Scalar::Bits(text.as_str().len() as u64));
            }
            Atom::Function(function, _) => {
                let code = self.function_symbol(*function);
                let symbol = format!("{CONSTANT_CLOSURE}{code}");
                let align = self.layouts.closure(*function).extent.align.0;
                self.build.global(&Global::constant(&symbol, Constant::address(code)).align(align));
                into.push(Scalar::Address(symbol));
            }
            Atom::Local(_) | Atom::ProgramRegion => bug("generate", None, "an operand of a constant is none"),
        }
    }

    /// The memory as a constant of MLIR: structs of at most [`MOST_ADDRESSES`] addresses, each followed by bytes, in
    /// structs again.
    fn initial(&self, image: Image) -> Constant<'m> {
        let Image { mut bytes, addresses } = image;
        let pointer = (self.layouts.word_bits() / 8) as usize;
        if addresses.is_empty() {
            return Constant::Bytes(bytes);
        }
        // A struct in a struct ends where its alignment allows the next one to begin.
        bytes.resize(bytes.len().next_multiple_of(pointer), 0);
        let mut parts = Vec::new();
        let first = *addresses.keys().next().unwrap_or(&0);
        if first > 0 {
            parts.push(Constant::Bytes(bytes[..first].to_vec()));
        }
        let ends = addresses.keys().skip(1).copied().chain([bytes.len()]);
        let groups: Vec<(&usize, &String, usize)> =
            addresses.iter().zip(ends).map(|((offset, symbol), end)| (offset, symbol, end)).collect();
        let mut members: Vec<Constant<'m>> = groups
            .into_iter()
            .map(|(offset, symbol, end)| {
                let rest = &bytes[offset + pointer..end];
                let address = Constant::address(symbol.as_str());
                if rest.is_empty() { address } else { self.structure(vec![address, Constant::Bytes(rest.to_vec())]) }
            })
            .collect();
        while members.len() > MOST_ADDRESSES {
            members = members.chunks(MOST_ADDRESSES).map(|chunk| self.structure(chunk.to_vec())).collect();
        }
        parts.append(&mut members);
        self.structure(parts)
    }

    fn structure(&self, members: Vec<Constant<'m>>) -> Constant<'m> {
        let types: Vec<_> = members.iter().map(|member| member.ty(&self.build)).collect();
        Constant::Aggregate(self.build.record(&types), members)
    }

    /// The node of a case without fields, a constant that holds the tag.
    pub(crate) fn case_symbol(&self, ty: Type, case: usize, bits: u32) -> String {
        let symbol = Generated::Case.symbol(format_args!("{}.{case}", ty.number()));
        if !self.build.has_symbol(&symbol) {
            let tag = Constant::Integer(self.build.int(bits), case as i64);
            self.build.global(&Global::constant(&symbol, tag).align(u64::from(bits / 8)));
        }
        symbol
    }
}

/// The allocations that a constant refers to.
fn referenced(content: &Content, into: &mut Vec<AllocationId>) {
    match content {
        Content::Atom(_) => {}
        Content::Tuple(parts) | Content::Case(_, _, parts) => parts.iter().for_each(|part| referenced(part, into)),
        Content::Node(id) | Content::Array(id) => into.push(*id),
        Content::Memory(..) => {}
    }
}
