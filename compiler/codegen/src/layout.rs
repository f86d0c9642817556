//! Layout: how each type is represented, and the offset of each capture in a closure.
//!
//! In: Core's types and the target's word size and closure alignment. Out: [`Repr`]s and [`ClosureLayout`]s. Pure, so
//! that a table of them can be printed and tested without code generation.
//!
//! Records, tuples, options and unions are unboxed values, unless they contain themselves. A union is its tag and slots
//! that its cases share, the smallest first: two cases use the same slot where their fields have the same machine type, or
//! are integers of at most a word, of which the smaller is extended. So no address is ever read as a number, and a union
//! whose cases are alike is as large as its largest case.
//!
//! A value of a type that contains itself is the address of a node, which holds the fields of its case. If one case has
//! fields and few have none, the others are not nodes but small numbers in place of an address, their tags, and no tag
//! is stored: an empty list is zero. Otherwise each node begins with its tag, and cases without fields are constant
//! nodes.

use clef_base::{Bytes, Extent, HashMap, internal::bug};
use clef_core::{Convention, Function, FunctionId, LocalId, Program};
use clef_descriptors::{AlignmentPolicy, ClosureAlignment, Target};
use clef_types::{Type, TypeKind};
use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

mod registers;

pub use registers::ResultRegisters;

/// How a value is represented in SSA and in memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Repr {
    /// No value at all.
    Unit,
    /// An integer of this many bits; one bit is a boolean, and takes a byte of memory.
    Integer(u32),
    /// 32-bit float.
    Float32,
    /// 64-bit float.
    Float64,
    /// An address: of a closure, a ref cell or a slot.
    Pointer,
    /// Members in order, none of them `Unit`; at least one.
    Struct(Vec<Repr>),
}

impl Repr {
    /// The member of a struct that has no other.
    pub(crate) fn only_member(&self) -> Option<&Repr> {
        match self {
            Repr::Struct(members) if members.len() == 1 => members.first(),
            Repr::Struct(_) | Repr::Unit | Repr::Integer(_) | Repr::Float32 | Repr::Float64 | Repr::Pointer => None,
        }
    }

    /// The representation after unwrapping structs of one member.
    pub(crate) fn innermost(&self) -> &Repr {
        self.only_member().map_or(self, Repr::innermost)
    }
}

/// A capture in a closure, or a field in a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CaptureSlot {
    /// Its index among the function's captures, or the case's fields.
    pub capture: usize,
    /// The distance from the start of the struct.
    pub offset: Bytes,
    /// Its size and alignment.
    pub extent: Extent,
}

/// The flat struct of a closure: the code address at offset zero, then the captures by ascending offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosureLayout {
    /// The extent of the whole struct in the stack or in static memory, aligned by the target's rule.
    pub extent: Extent,
    /// The extent in a region, where closures are packed densely: an address that is aligned to more than a word takes
    /// instructions and memory at every allocation.
    pub in_region: Extent,
    /// By offset; captures of type `unit` take no slot.
    pub slots: Vec<CaptureSlot>,
    /// What is unused, between members and at the end.
    pub padding: Bytes,
}

/// How a declared type is represented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnionLayout {
    /// The bits of the tag; `None` where there is one case.
    pub tag_bits: Option<u32>,
    /// The machine types of the shared slots.
    pub slots: Vec<Repr>,
    /// For each case and each of its fields, the slots of the field's machine values, left to right.
    pub cases: Vec<Vec<Vec<usize>>>,
}

/// How the cases of a boxed type are distinguished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoxedTag {
    /// An address below the number of cases is the tag of a case without fields; every other value is of this case.
    Address(usize),
    /// Every node begins with its tag, of this many bits.
    Stored(u32),
}

/// A node of a case of a boxed type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeLayout {
    /// The extent of the whole node.
    pub extent: Extent,
    /// The distance from its start for each field; zero for those without bytes.
    pub offsets: Vec<Bytes>,
}

/// The most cases of a boxed type whose tags may replace addresses: no object of any target is at so low an address.
const MAX_ADDRESS_TAGS: usize = 16;

/// Computes layouts for one program on one target. Expensive results are cached.
pub struct Layouts<'p> {
    program: &'p Program,
    packing: Packing,
    /// The registers that a call returns values in.
    pub result_registers: ResultRegisters,
    unions: RefCell<HashMap<Type, Rc<UnionLayout>>>,
    nodes: RefCell<HashMap<(Type, usize), Rc<NodeLayout>>>,
}

/// The rule by which captures are packed into a closure.
#[derive(Clone, Copy, Debug)]
pub struct Packing {
    /// The size of a code address.
    pub pointer: Bytes,
    /// The target's rule for cache lines.
    pub alignment: ClosureAlignment,
}

impl Packing {
    /// The rule of a target.
    pub fn of(target: &Target) -> Packing {
        Packing { pointer: target.pointer_bits.bytes(), alignment: target.closure_alignment }
    }
}

impl<'p> Layouts<'p> {
    /// For a program on a target.
    pub fn new(program: &'p Program, target: &Target) -> Layouts<'p> {
        Layouts {
            program,
            packing: Packing::of(target),
            result_registers: ResultRegisters::of(target),
            unions: RefCell::default(),
            nodes: RefCell::default(),
        }
    }

    /// Bits of a word.
    pub fn word_bits(&self) -> u32 {
        self.packing.pointer.0 as u32 * 8
    }

    /// How values of a type are represented.
    pub fn repr(&self, ty: Type) -> Repr {
        match self.program.types.kind(ty) {
            TypeKind::Unit => Repr::Unit,
            TypeKind::Bool => Repr::Integer(1),
            TypeKind::Char => Repr::Integer(32),
            TypeKind::Integer(integer) => Repr::Integer(integer.bits(self.word_bits())),
            TypeKind::Float32 => Repr::Float32,
            TypeKind::Float64 => Repr::Float64,
            // Address and length.
            TypeKind::String | TypeKind::Array(_) => Repr::Struct(vec![Repr::Pointer, Repr::Integer(self.word_bits())]),
            TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Slot(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Region => Repr::Pointer,
            TypeKind::Tuple(parts) => structure(parts.iter().map(|part| self.repr(*part))),
            TypeKind::Declared(..) if self.is_boxed(ty) => Repr::Pointer,
            TypeKind::Declared(..) => {
                let layout = self.union(ty);
                structure(layout.tag_bits.map(Repr::Integer).into_iter().chain(layout.slots.iter().cloned()))
            }
            TypeKind::Parameter(_) | TypeKind::Enum(..) => bug("layout", None, "a type of the PSG is left in Core"),
        }
    }

    /// How a declared type is represented.
    pub fn union(&self, ty: Type) -> Rc<UnionLayout> {
        if let Some(known) = self.unions.borrow().get(&ty) {
            return known.clone();
        }
        let layout = Rc::new(self.new_union(ty));
        self.unions.borrow_mut().insert(ty, layout.clone());
        layout
    }

    fn new_union(&self, ty: Type) -> UnionLayout {
        let Some(declared) = self.program.declared.get(&ty) else {
            bug("layout", None, "a declared type has no instance in Core")
        };
        let tag_bits = tag_bits(declared.cases.len());
        let scalars = |field: &Type| {
            let mut scalars = Vec::new();
            flatten(&self.repr(*field), &mut scalars);
            scalars
        };
        let cases: Vec<Vec<Vec<Repr>>> =
            declared.cases.iter().map(|case| case.fields.iter().map(scalars).collect()).collect();
        let (slots, cases) = shared_slots(&cases, self.packing.pointer);
        UnionLayout { tag_bits, slots, cases }
    }

    /// Whether values of a type are addresses of nodes.
    pub fn is_boxed(&self, ty: Type) -> bool {
        self.program.declared.get(&ty).is_some_and(|declared| declared.boxed)
    }

    /// How the cases of a boxed type are distinguished.
    pub fn boxed_tag(&self, ty: Type) -> BoxedTag {
        let cases = &self.program.declared[&ty].cases;
        let mut filled = cases.iter().enumerate().filter(|(_, case)| !case.fields.is_empty());
        match (filled.next(), filled.next()) {
            (Some((case, _)), None) if cases.len() <= MAX_ADDRESS_TAGS => BoxedTag::Address(case),
            _ => BoxedTag::Stored(tag_bits(cases.len()).unwrap_or(8)),
        }
    }

    /// The node of a case of a boxed type: its tag, if one is stored, then its fields, packed as captures are.
    pub fn node(&self, ty: Type, case: usize) -> Rc<NodeLayout> {
        if let Some(known) = self.nodes.borrow().get(&(ty, case)) {
            return known.clone();
        }
        let layout = Rc::new(self.new_node(ty, case));
        self.nodes.borrow_mut().insert((ty, case), layout.clone());
        layout
    }

    fn new_node(&self, ty: Type, case: usize) -> NodeLayout {
        let begin = match self.boxed_tag(ty) {
            BoxedTag::Address(_) => Extent::EMPTY,
            BoxedTag::Stored(bits) => self.extent(&Repr::Integer(bits)),
        };
        let fields = &self.program.declared[&ty].cases[case].fields;
        let extents: Vec<Extent> = fields.iter().map(|field| self.extent(&self.repr(*field))).collect();
        let (slots, end) = fill(begin, &extents);
        let mut offsets = vec![Bytes(0); extents.len()];
        slots.iter().for_each(|slot| offsets[slot.capture] = slot.offset);
        NodeLayout { extent: end.padded(), offsets }
    }

    /// Size and alignment of a representation.
    pub fn extent(&self, repr: &Repr) -> Extent {
        extent(repr, self.packing.pointer)
    }

    /// The struct of a closure whose code is `function`.
    pub fn closure(&self, function: FunctionId) -> ClosureLayout {
        let function = &self.program.functions[function];
        let Convention::Closure { captures, .. } = &function.convention else {
            bug("layout", function.span, "a known function has no closure layout")
        };
        let extents: Vec<Extent> =
            captures.iter().map(|capture| self.extent(&self.capture(function, *capture))).collect();
        self.packing.pack(&extents)
    }

    /// What a closure stores for a capture: its value, or the content of a cell that the closure owns.
    pub fn capture(&self, function: &Function, capture: LocalId) -> Repr {
        self.repr(function.capture_type(&self.program.types, capture))
    }
}

impl Packing {
    /// Packs captures after the code address.
    pub fn pack(&self, extents: &[Extent]) -> ClosureLayout {
        let code = Extent::scalar(self.pointer);
        let (slots, end) = fill(code, extents);
        let used = extents.iter().fold(code.size, |used, extent| used + extent.size);
        let align = self.closure_align(end.padded());
        let size = end.size.next_multiple_of(align);
        ClosureLayout { extent: Extent { size, align }, in_region: end.padded(), slots, padding: size - used }
    }

    /// The alignment of a closure of this extent under the target's rule.
    fn closure_align(&self, Extent { size, align: natural }: Extent) -> Bytes {
        let Some(line) = self.alignment.line else { return natural };
        match self.alignment.policy {
            AlignmentPolicy::Natural => natural,
            AlignmentPolicy::NoStraddle if size <= line => Bytes(size.0.next_power_of_two()).max(natural),
            AlignmentPolicy::NoStraddle => natural,
            AlignmentPolicy::Line => line.max(natural),
        }
    }
}

/// The bits of the tag of a type with this many cases, if it needs one.
fn tag_bits(cases: usize) -> Option<u32> {
    match cases {
        0 | 1 => None,
        2..=256 => Some(8),
        257..=65536 => Some(16),
        _ => Some(32),
    }
}

/// Places members after the start of a struct. At each offset the largest alignment that fits without padding goes
/// first; padding is left only if none fits, before the smallest gap. Members without bytes get no slot. Returns the
/// slots by offset, and the end of the last with the alignment of all.
fn fill(begin: Extent, members: &[Extent]) -> (Vec<CaptureSlot>, Extent) {
    // Members with the same alignment keep their order.
    let mut left: BTreeMap<Bytes, VecDeque<usize>> = BTreeMap::new();
    for (index, member) in members.iter().enumerate().filter(|(_, member)| member.size > Bytes(0)) {
        left.entry(member.align).or_default().push_back(index);
    }
    let mut slots = Vec::with_capacity(members.len());
    let mut end = begin;
    loop {
        let gap = |align: Bytes| end.size.next_multiple_of(align) - end.size;
        let waiting = left.iter_mut().filter(|(_, members)| !members.is_empty());
        let best = waiting.min_by_key(|(align, _)| (gap(**align), std::cmp::Reverse(**align)));
        let Some(capture) = best.and_then(|(_, members)| members.pop_front()) else { break };
        let extent = members[capture];
        let offset = end.size.next_multiple_of(extent.align);
        slots.push(CaptureSlot { capture, offset, extent });
        end = end.with(extent);
    }
    (slots, end)
}

/// Size and alignment of a representation where a pointer has this size.
fn extent(repr: &Repr, pointer: Bytes) -> Extent {
    let scalar = |size| Extent::scalar(Bytes(size));
    match repr {
        Repr::Unit => Extent::EMPTY,
        Repr::Integer(bits) => scalar(u64::from(bits.div_ceil(8)).next_power_of_two()),
        Repr::Float32 => scalar(4),
        Repr::Float64 => scalar(8),
        Repr::Pointer => Extent::scalar(pointer),
        Repr::Struct(members) => {
            members.iter().fold(Extent::EMPTY, |whole, member| whole.with(extent(member, pointer))).padded()
        }
    }
}

/// A struct without its units: nothing, or the members.
fn structure(members: impl Iterator<Item = Repr>) -> Repr {
    let members: Vec<Repr> = members.filter(|member| *member != Repr::Unit).collect();
    if members.is_empty() { Repr::Unit } else { Repr::Struct(members) }
}

/// The machine values of a representation, left to right.
pub fn flatten(repr: &Repr, into: &mut Vec<Repr>) {
    match repr {
        Repr::Unit => {}
        Repr::Struct(members) => members.iter().for_each(|member| flatten(member, into)),
        scalar @ (Repr::Integer(_) | Repr::Float32 | Repr::Float64 | Repr::Pointer) => into.push(scalar.clone()),
    }
}

/// For each case and each of its fields, the slots of its machine values.
type Taken = Vec<Vec<Vec<usize>>>;

/// The slots that the cases of a union share, given the machine values of the fields of each case. The widest integers of the
/// cases share one, the next ones the second, and so on; so do the values of each other machine type, in order. The fields of a
/// record have slots of their own.
fn shared_slots(cases: &[Vec<Vec<Repr>>], pointer: Bytes) -> (Vec<Repr>, Taken) {
    if let [fields] = cases {
        let mut next = 0..;
        let taken = fields.iter().map(|field| next.by_ref().take(field.len()).collect()).collect();
        return (fields.concat(), vec![taken]);
    }
    let word = pointer.0 as u32 * 8;
    let mut slots: Vec<Slot> = Vec::new();
    let mut taken: Taken = Vec::new();
    for fields in cases {
        let scalars: Vec<&Repr> = fields.iter().flatten().collect();
        let ranks = ranks(&scalars, word);
        let mut claimed = scalars.iter().zip(ranks).map(|(scalar, rank)| claim(&mut slots, scalar, rank, word));
        taken.push(fields.iter().map(|field| claimed.by_ref().take(field.len()).collect()).collect());
    }
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|slot| extent(&slots[*slot].holds, pointer).size);
    let mut places = vec![0; slots.len()];
    order.iter().enumerate().for_each(|(place, slot)| places[*slot] = place);
    taken.iter_mut().flatten().flatten().for_each(|slot| *slot = places[*slot]);
    (order.into_iter().map(|slot| slots[slot].holds.clone()).collect(), taken)
}

/// A slot of a union.
struct Slot {
    /// The machine type of its values; of integers that share it, the widest.
    holds: Repr,
    /// Of the values of a case that could share slots, those of this number are in it.
    rank: usize,
}

/// Whether values of two machine types may share a slot.
fn may_share(one: &Repr, other: &Repr, word: u32) -> bool {
    match (one, other) {
        (Repr::Integer(one), Repr::Integer(other)) => one == other || (*one <= word && *other <= word),
        _ => one == other,
    }
}

/// The number of each machine value of a case among those that could share slots, the widest first.
fn ranks(scalars: &[&Repr], word: u32) -> Vec<usize> {
    let bits = |scalar: &Repr| if let Repr::Integer(bits) = scalar { *bits } else { 0 };
    let before = |(index, scalar): (usize, &&Repr)| {
        let precedes = |(other_index, other): (usize, &&Repr)| {
            may_share(scalar, other, word) && (bits(other), index) > (bits(scalar), other_index)
        };
        scalars.iter().enumerate().filter(|other| precedes(*other)).count()
    };
    scalars.iter().enumerate().map(before).collect()
}

/// The slot for a machine value of this number.
fn claim(slots: &mut Vec<Slot>, scalar: &Repr, rank: usize, word: u32) -> usize {
    let Some(found) = slots.iter().position(|slot| slot.rank == rank && may_share(&slot.holds, scalar, word)) else {
        slots.push(Slot { holds: scalar.clone(), rank });
        return slots.len() - 1;
    };
    if let (Repr::Integer(holds), Repr::Integer(bits)) = (&mut slots[found].holds, scalar) {
        *holds = (*holds).max(*bits);
    }
    found
}

#[cfg(test)]
mod tests;
