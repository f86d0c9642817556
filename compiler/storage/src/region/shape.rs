//! The slots of a type: where a value of it may point to memory.
//!
//! In: a monomorphic type of Core. Out: its *shape*, a list of slots, one for each such pointer; and the positions of
//! the slots of its parts in that list. Invariant: equal types have equal shapes, and a shape is finite. All types of a
//! group of mutually recursive declared types share one shape, in which each occurrence of a member has the same slots,
//! like datatypes in Tofte and Birkedal, "A region inference algorithm" (TOPLAS 1998).
//!
//! A function type has three slots, whatever its parameters are: the region of the closure, the region of captured
//! values that its calls return or write to, and the set of regions that it keeps alive. Its parameters and result are
//! not part of its shape, because each call chooses their regions independently.
//!
//! The number of slots of a shape is bounded, since records that each hold the previous one twice would have 2^n. If
//! the parts of a tuple or of a group exceed the bound together, slots of equal types are merged; if that does not
//! suffice, so are those of all types, except that closures keep their three. The parts then share regions, which
//! therefore live longer; nothing else depends on it.

use clef_base::{HashMap, strongly_connected_components};
use clef_core::Program;
use clef_types::{Type, TypeKind};
use std::{ops::Range, rc::Rc};

/// The kind of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Slot {
    /// The region that holds a value.
    Region,
    /// The region of captured values, as far as calls of the closure return them or write to them.
    Kept,
    /// A set of regions that a closure keeps alive.
    Effect,
}

/// The position of the kept region among the slots of a closure.
pub(super) const KEPT: usize = 1;
/// The position of the effect.
pub(super) const EFFECT: usize = 2;

const FUNCTION: [Slot; 3] = [Slot::Region, Slot::Kept, Slot::Effect];

/// The maximum number of slots of a tuple or of a group.
const MAX_SLOTS: usize = 64;

/// The positions of the slots of a part in the shape of the whole.
pub(super) type Positions = Rc<[usize]>;

/// A slot with its owner. Slots with the same label are merged in shapes that would be too large.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Labelled {
    slot: Slot,
    of: Label,
}

/// The owner of a slot: a closure, whose three slots stay three consecutive ones, or another object in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Label {
    closure: bool,
    /// The type of the owner; `None` where it makes no difference.
    ty: Option<Type>,
}

impl Labelled {
    fn memory(ty: Type) -> Labelled {
        Labelled { slot: Slot::Region, of: Label { closure: false, ty: Some(ty) } }
    }

    fn closure(slot: Slot, ty: Type) -> Labelled {
        Labelled { slot, of: Label { closure: true, ty: Some(ty) } }
    }

    /// The same label without the type.
    fn of_any(self) -> Labelled {
        Labelled { of: Label { ty: None, ..self.of }, ..self }
    }
}

/// A group of mutually recursive declared types.
#[derive(Default)]
struct Group {
    slots: Rc<[Labelled]>,
    /// The slot of the region of a boxed member's nodes.
    nodes: HashMap<Type, usize>,
    /// The positions of the slots of each field of each case of each member.
    fields: HashMap<(Type, usize, usize), Positions>,
}

/// The shapes of the types of a program.
pub(super) struct Shapes<'program> {
    program: &'program Program,
    /// The number of the group of each declared type.
    group_of: HashMap<Type, usize>,
    groups: Vec<Group>,
    known: HashMap<Type, Rc<[Labelled]>>,
    slots: HashMap<Type, Rc<[Slot]>>,
    /// The positions of the slots of the components of tuples.
    components: HashMap<Type, Rc<[Positions]>>,
}

/// The positions of the slots of a part of a group.
enum Piece {
    /// A range of its own.
    Own(Range<usize>),
    /// All slots of the group.
    Whole,
    /// The pieces of a tuple.
    Tuple(Vec<Piece>),
}

/// The slots of a group while they are merged to fit into its shape.
struct Fitting<'a> {
    /// The slots of its parts.
    slots: &'a [Labelled],
    /// For each of them, its position in the group.
    positions: Vec<usize>,
    /// The slots of the group.
    fitted: Vec<Labelled>,
}

impl Fitting<'_> {
    /// The slots of a piece, as in the shape of its type, with their positions in the group.
    fn expand(&self, piece: &Piece) -> Vec<(Labelled, usize)> {
        match piece {
            Piece::Own(range) => range.clone().map(|slot| (self.slots[slot], self.positions[slot])).collect(),
            Piece::Whole => self.fitted.iter().copied().zip(0..).collect(),
            Piece::Tuple(pieces) => {
                let parts = self.parts(pieces);
                let (slots, positions) = fitted(parts.iter().map(|(slot, _)| *slot).collect());
                let mut of_group = vec![None; slots.len()];
                for ((_, position), slot) in parts.iter().zip(positions) {
                    let known = of_group[slot].get_or_insert(*position);
                    debug_assert_eq!(known, position, "slots that are merged in a tuple must be merged in its group");
                }
                slots.into_iter().zip(of_group.into_iter().flatten()).collect()
            }
        }
    }

    fn parts(&self, pieces: &[Piece]) -> Vec<(Labelled, usize)> {
        pieces.iter().flat_map(|piece| self.expand(piece)).collect()
    }

    /// Whether a tuple within a piece has slots that are merged in its own shape.
    fn is_merged(&self, piece: &Piece) -> bool {
        match piece {
            Piece::Own(_) | Piece::Whole => false,
            Piece::Tuple(pieces) => {
                pieces.iter().any(|piece| self.is_merged(piece)) || self.parts(pieces).len() > MAX_SLOTS
            }
        }
    }
}

impl<'program> Shapes<'program> {
    /// Computes the groups of a program.
    pub(super) fn new(program: &'program Program) -> Shapes<'program> {
        let mut types: Vec<Type> = program.declared.keys().copied().collect();
        types.sort();
        let index: HashMap<Type, usize> = types.iter().enumerate().map(|(index, ty)| (*ty, index)).collect();
        let edges: Vec<Vec<usize>> = types
            .iter()
            .map(|ty| {
                let mut held = Vec::new();
                let cases = program.declared[ty].cases.iter();
                cases.flat_map(|case| &case.fields).for_each(|field| collect_held_types(program, *field, &mut held));
                held.iter().map(|ty| index[ty]).collect()
            })
            .collect();
        let components = strongly_connected_components(&edges);
        let count = components.iter().max().map_or(0, |last| last + 1);
        let mut members = vec![Vec::new(); count];
        let mut group_of = HashMap::default();
        for (ty, group) in types.into_iter().zip(components) {
            members[group].push(ty);
            group_of.insert(ty, group);
        }
        let mut shapes = Shapes {
            program,
            group_of,
            groups: Vec::with_capacity(count),
            known: HashMap::default(),
            slots: HashMap::default(),
            components: HashMap::default(),
        };
        // A group comes after those that it refers to.
        for members in members {
            let group = shapes.lay_out(&members);
            shapes.groups.push(group);
        }
        shapes
    }

    /// The shape of a type.
    pub(super) fn of(&mut self, ty: Type) -> Rc<[Slot]> {
        if let Some(known) = self.slots.get(&ty) {
            return known.clone();
        }
        let slots: Rc<[Slot]> = self.labelled(ty).iter().map(|labelled| labelled.slot).collect();
        self.slots.insert(ty, slots.clone());
        slots
    }

    /// The positions of the slots of the components of a tuple.
    pub(super) fn components(&mut self, tuple: Type) -> Rc<[Positions]> {
        self.labelled(tuple);
        self.components.get(&tuple).cloned().unwrap_or_default()
    }

    /// The positions of the slots of a field of a declared type.
    pub(super) fn field(&self, ty: Type, case: usize, field: usize) -> Positions {
        self.group(ty).fields[&(ty, case, field)].clone()
    }

    /// The slot of the region of a boxed type's nodes.
    pub(super) fn node(&self, ty: Type) -> Option<usize> {
        self.group(ty).nodes.get(&ty).copied()
    }

    fn group(&self, ty: Type) -> &Group {
        &self.groups[self.group_of[&ty]]
    }

    fn labelled(&mut self, ty: Type) -> Rc<[Labelled]> {
        if let Some(known) = self.known.get(&ty) {
            return known.clone();
        }
        let shape: Rc<[Labelled]> = match self.program.types.kind(ty) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Region
            | TypeKind::Parameter(_) => Rc::default(),
            TypeKind::String | TypeKind::NativePointer(_) => Rc::new([Labelled::memory(ty)]),
            TypeKind::Function(..) => FUNCTION.iter().map(|slot| Labelled::closure(*slot, ty)).collect(),
            TypeKind::Tuple(parts) => self.tuple(ty, parts),
            TypeKind::Reference(content) | TypeKind::Array(content) => {
                let place = std::iter::once(Labelled::memory(ty));
                place.chain(self.labelled(*content).iter().copied()).collect()
            }
            TypeKind::Slot(content) => self.labelled(*content),
            TypeKind::Declared(..) => self.group(ty).slots.clone(),
        };
        self.known.insert(ty, shape.clone());
        shape
    }

    fn tuple(&mut self, ty: Type, parts: &[Type]) -> Rc<[Labelled]> {
        let mut slots = Vec::new();
        let mut ends = Vec::with_capacity(parts.len());
        for part in parts {
            slots.extend(self.labelled(*part).iter());
            ends.push(slots.len());
        }
        let (slots, positions) = fitted(slots);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let components = starts.zip(&ends).map(|(start, end)| Positions::from(&positions[start..*end])).collect();
        self.components.insert(ty, components);
        slots.into()
    }

    fn lay_out(&mut self, members: &[Type]) -> Group {
        let program = self.program;
        let group = self.groups.len();
        let mut slots = Vec::new();
        let mut nodes = HashMap::default();
        let mut fields = Vec::new();
        for ty in members {
            let declared = &program.declared[ty];
            if declared.boxed {
                nodes.insert(*ty, slots.len());
                slots.push(Labelled::memory(*ty));
            }
            for (case, declared) in declared.cases.iter().enumerate() {
                for (field, content) in declared.fields.iter().enumerate() {
                    let mut pieces = Vec::new();
                    self.pieces(group, *content, &mut slots, &mut pieces);
                    fields.push(((*ty, case, field), pieces));
                }
            }
        }
        let (shape, positions) = fitted(slots.clone());
        let mut fitting = Fitting { slots: &slots, positions, fitted: shape };
        // Slots of equal types are merged in the tuple, so they must be merged in the group as well.
        if fields.iter().flat_map(|(_, pieces)| pieces).any(|piece| fitting.is_merged(piece)) {
            let by_type = shared(&slots);
            if by_type.0.len() <= fitting.fitted.len() {
                (fitting.fitted, fitting.positions) = by_type;
            }
        }
        nodes.values_mut().for_each(|node| *node = fitting.positions[*node]);
        let whole: Positions = (0..fitting.fitted.len()).collect();
        let expand = |pieces: Vec<Piece>| -> Positions {
            match pieces[..] {
                [Piece::Whole] => whole.clone(),
                _ => fitting.parts(&pieces).into_iter().map(|(_, position)| position).collect(),
            }
        };
        let fields = fields.into_iter().map(|(key, pieces)| (key, expand(pieces))).collect();
        Group { nodes, fields, slots: fitting.fitted.into() }
    }

    /// Whether values of a type hold values of a type of a group other than through function values.
    fn leads_into(&self, group: usize, ty: Type) -> bool {
        let mut held = Vec::new();
        collect_held_types(self.program, ty, &mut held);
        held.iter().any(|ty| self.group_of[ty] == group)
    }

    /// Assigns the parts of a field their slots in the group.
    fn pieces(&mut self, group: usize, ty: Type, slots: &mut Vec<Labelled>, pieces: &mut Vec<Piece>) {
        match self.program.types.kind(ty) {
            TypeKind::Tuple(parts) if self.leads_into(group, ty) => {
                let mut own = Vec::new();
                parts.iter().for_each(|part| self.pieces(group, *part, slots, &mut own));
                pieces.push(Piece::Tuple(own));
            }
            TypeKind::Reference(content) | TypeKind::Array(content) => {
                pieces.push(Piece::Own(slots.len()..slots.len() + 1));
                slots.push(Labelled::memory(ty));
                self.pieces(group, *content, slots, pieces);
            }
            TypeKind::Slot(content) => self.pieces(group, *content, slots, pieces),
            TypeKind::Declared(..) if self.group_of[&ty] == group => pieces.push(Piece::Whole),
            TypeKind::Declared(..)
            | TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Region
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_) => {
                let own = self.labelled(ty);
                pieces.push(Piece::Own(slots.len()..slots.len() + own.len()));
                slots.extend(own.iter());
            }
        }
    }
}

/// Merges slots until they fit into a shape; returns them with the new position of each given slot.
fn fitted(slots: Vec<Labelled>) -> (Vec<Labelled>, Vec<usize>) {
    if slots.len() <= MAX_SLOTS {
        let positions = (0..slots.len()).collect();
        return (slots, positions);
    }
    let by_type = shared(&slots);
    if by_type.0.len() <= MAX_SLOTS {
        return by_type;
    }
    let coarse: Vec<Labelled> = slots.into_iter().map(Labelled::of_any).collect();
    shared(&coarse)
}

/// The distinct slots, with the new position of each given slot.
fn shared(slots: &[Labelled]) -> (Vec<Labelled>, Vec<usize>) {
    let mut own = Vec::new();
    let mut known = HashMap::default();
    let positions = slots.iter().map(|labelled| {
        *known.entry(*labelled).or_insert_with(|| {
            own.push(*labelled);
            own.len() - 1
        })
    });
    let positions = positions.collect();
    (own, positions)
}

/// The declared types that values of a type hold other than through function values.
fn collect_held_types(program: &Program, ty: Type, found: &mut Vec<Type>) {
    match program.types.kind(ty) {
        TypeKind::Declared(..) => found.push(ty),
        TypeKind::Tuple(parts) => parts.iter().for_each(|part| collect_held_types(program, *part, found)),
        TypeKind::Reference(content) | TypeKind::Array(content) | TypeKind::Slot(content) => {
            collect_held_types(program, *content, found);
        }
        TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::String
        | TypeKind::Integer(_)
        | TypeKind::Enum(..)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::Function(..)
        | TypeKind::Region
        | TypeKind::NativePointer(_)
        | TypeKind::Parameter(_) => {}
    }
}
