//! The places of a type: where a value of it may point to memory.
//!
//! In: a monomorphic type of Core. Out: its *shape*, a list of slots, one for each place; and where in that list the
//! slots of its parts stand. Holds: equal types have equal shapes, and a shape is finite: all types of a group of
//! mutually recursive declared types share one shape, in which each member stands for itself wherever it occurs, as
//! datatypes do in Tofte and Birkedal, "A region inference algorithm" (TOPLAS 1998).
//!
//! The slots of a function are three, whatever its parameters are: where the closure lies, where that lies which it was
//! made of and hands out or writes to, and which regions it keeps alive. What it takes and gives is not part of its
//! shape, because each call chooses it anew.
//!
//! A shape has a bounded number of slots, since records that each hold the one before twice would have 2^n. Where the
//! parts of a tuple or of a group have more together, slots of equal types are one; where that does not suffice, so are
//! those of all types, other than that closures keep their three. The parts then share regions, which therefore live
//! longer; nothing else depends on it.

use clef_base::strongly_connected_components;
use clef_core::Program;
use clef_types::{Type, TypeKind};
use std::{collections::HashMap, ops::Range, rc::Rc};

/// What a slot of a shape says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Slot {
    /// The region that something lies in.
    Place,
    /// The region of what a closure was made of, as far as its calls hand it out or write to it.
    Kept,
    /// A set of regions that a closure keeps alive.
    Effect,
}

/// Which of them is the kept region.
pub(super) const KEPT: usize = 1;
/// Which of them is the effect.
pub(super) const EFFECT: usize = 2;

const FUNCTION: [Slot; 3] = [Slot::Place, Slot::Kept, Slot::Effect];

/// The slots of a tuple or of a group, at most.
const MOST_SLOTS: usize = 64;

/// Where the slots of a part stand in the shape of the whole.
pub(super) type Positions = Rc<[usize]>;

/// A slot, and what it is the slot of: those of a kind are shared in shapes that would be too large.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Labelled {
    slot: Slot,
    of: Label,
}

/// What a slot is the slot of: closures, whose three slots stay three one after the other, or something else in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Label {
    closure: bool,
    /// Of which type; nothing where that makes no difference.
    ty: Option<Type>,
}

impl Labelled {
    fn memory(ty: Type) -> Labelled {
        Labelled { slot: Slot::Place, of: Label { closure: false, ty: Some(ty) } }
    }

    fn closure(slot: Slot, ty: Type) -> Labelled {
        Labelled { slot, of: Label { closure: true, ty: Some(ty) } }
    }

    /// The same of any type.
    fn of_any(self) -> Labelled {
        Labelled { of: Label { ty: None, ..self.of }, ..self }
    }
}

/// A group of mutually recursive declared types.
#[derive(Default)]
struct Group {
    slots: Rc<[Labelled]>,
    /// Where the nodes of a boxed member lie.
    nodes: HashMap<Type, usize>,
    /// For each field of each case of each member, where its slots stand.
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
    /// Where the slots of the components of tuples stand.
    components: HashMap<Type, Rc<[Positions]>>,
}

/// Where the slots of a part of a group stand.
enum Piece {
    /// At these positions of their own.
    Own(Range<usize>),
    /// They are those of the whole group.
    Whole,
    /// Those of a tuple of such parts.
    Tuple(Vec<Piece>),
}

/// The slots of a group while they are fitted into its shape.
struct Fitting<'a> {
    /// Those of its parts.
    slots: &'a [Labelled],
    /// For each of them, which one of the group it is.
    positions: Vec<usize>,
    /// Those of the group.
    fitted: Vec<Labelled>,
}

impl Fitting<'_> {
    /// The slots of a piece, as the shape of its type has them, and which ones of the group they are.
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
                    debug_assert_eq!(known, position, "slots that are one in a tuple are one in its group");
                }
                slots.into_iter().zip(of_group.into_iter().flatten()).collect()
            }
        }
    }

    fn parts(&self, pieces: &[Piece]) -> Vec<(Labelled, usize)> {
        pieces.iter().flat_map(|piece| self.expand(piece)).collect()
    }

    /// Whether a tuple within a piece has slots that are one in its own shape.
    fn is_merged(&self, piece: &Piece) -> bool {
        match piece {
            Piece::Own(_) | Piece::Whole => false,
            Piece::Tuple(pieces) => {
                pieces.iter().any(|piece| self.is_merged(piece)) || self.parts(pieces).len() > MOST_SLOTS
            }
        }
    }
}

impl<'program> Shapes<'program> {
    /// For the types of a program.
    pub(super) fn new(program: &'program Program) -> Shapes<'program> {
        let mut types: Vec<Type> = program.declared.keys().copied().collect();
        types.sort();
        let index: HashMap<Type, usize> = types.iter().enumerate().map(|(index, ty)| (*ty, index)).collect();
        let edges: Vec<Vec<usize>> = types
            .iter()
            .map(|ty| {
                let mut mentioned = Vec::new();
                let cases = program.declared[ty].cases.iter();
                cases.flat_map(|case| &case.fields).for_each(|field| mentions(program, *field, &mut mentioned));
                mentioned.iter().map(|ty| index[ty]).collect()
            })
            .collect();
        let components = strongly_connected_components(&edges);
        let count = components.iter().max().map_or(0, |last| last + 1);
        let mut members = vec![Vec::new(); count];
        let mut group_of = HashMap::new();
        for (ty, group) in types.into_iter().zip(components) {
            members[group].push(ty);
            group_of.insert(ty, group);
        }
        let mut shapes = Shapes {
            program,
            group_of,
            groups: Vec::with_capacity(count),
            known: HashMap::new(),
            slots: HashMap::new(),
            components: HashMap::new(),
        };
        // Those that a group mentions come before it.
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

    /// Where the slots of the components of a tuple stand.
    pub(super) fn components(&mut self, tuple: Type) -> Rc<[Positions]> {
        self.labelled(tuple);
        self.components.get(&tuple).cloned().unwrap_or_default()
    }

    /// Where the slots of a field of a declared type stand.
    pub(super) fn field(&self, ty: Type, case: usize, field: usize) -> Positions {
        self.group(ty).fields[&(ty, case, field)].clone()
    }

    /// Which slot says where the nodes of a boxed type lie.
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
        let mut nodes = HashMap::new();
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
        // Slots of equal types are one in the tuple, so they have to be one in the group as well.
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

    /// Whether values of a type hold some of a type of a group other than behind a function.
    fn leads_into(&self, group: usize, ty: Type) -> bool {
        let mut mentioned = Vec::new();
        mentions(self.program, ty, &mut mentioned);
        mentioned.iter().any(|ty| self.group_of[ty] == group)
    }

    /// Gives the parts of a field their slots in the group.
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

/// Slots that fit into a shape, and for each of the given ones which it is.
fn fitted(slots: Vec<Labelled>) -> (Vec<Labelled>, Vec<usize>) {
    if slots.len() <= MOST_SLOTS {
        let positions = (0..slots.len()).collect();
        return (slots, positions);
    }
    let by_type = shared(&slots);
    if by_type.0.len() <= MOST_SLOTS {
        return by_type;
    }
    let coarse: Vec<Labelled> = slots.into_iter().map(Labelled::of_any).collect();
    shared(&coarse)
}

/// Each slot once, and for each of the given ones which it is.
fn shared(slots: &[Labelled]) -> (Vec<Labelled>, Vec<usize>) {
    let mut own = Vec::new();
    let mut known = HashMap::new();
    let positions = slots.iter().map(|labelled| {
        *known.entry(*labelled).or_insert_with(|| {
            own.push(*labelled);
            own.len() - 1
        })
    });
    let positions = positions.collect();
    (own, positions)
}

/// The declared types that values of a type hold other than behind a function.
fn mentions(program: &Program, ty: Type, found: &mut Vec<Type>) {
    match program.types.kind(ty) {
        TypeKind::Declared(..) => found.push(ty),
        TypeKind::Tuple(parts) => parts.iter().for_each(|part| mentions(program, *part, found)),
        TypeKind::Reference(content) | TypeKind::Array(content) | TypeKind::Slot(content) => {
            mentions(program, *content, found);
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
