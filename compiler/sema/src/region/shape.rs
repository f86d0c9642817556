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

use crate::{
    core::{Program, strongly_connected_components},
    types::{Type, TypeKind},
};
use std::{collections::HashMap, ops::Range, rc::Rc};

/// What a slot of a shape says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// A group of mutually recursive declared types.
#[derive(Default)]
struct Group {
    slots: Rc<[Slot]>,
    /// Where the nodes of a boxed member lie.
    nodes: HashMap<Type, usize>,
    /// For each field of each case of each member, where its slots stand.
    fields: HashMap<(Type, usize, usize), Rc<[usize]>>,
}

/// The shapes of the types of a program.
pub(super) struct Shapes<'program> {
    program: &'program Program,
    /// The members of each group.
    members: Vec<Vec<Type>>,
    group_of: HashMap<Type, usize>,
    groups: HashMap<usize, Rc<Group>>,
    known: HashMap<Type, Rc<[Slot]>>,
}

/// Where the slots of a part of a group stand.
enum Piece {
    /// At these positions of their own.
    Own(Range<usize>),
    /// They are those of the whole group.
    Whole,
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
        Shapes { program, members, group_of, groups: HashMap::new(), known: HashMap::new() }
    }

    /// The shape of a type.
    pub(super) fn of(&mut self, ty: Type) -> Rc<[Slot]> {
        if let Some(known) = self.known.get(&ty) {
            return known.clone();
        }
        let shape: Rc<[Slot]> = match self.program.types.kind(ty) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Region
            | TypeKind::Parameter(_) => Rc::default(),
            TypeKind::String | TypeKind::NativePointer(_) => Rc::new([Slot::Place]),
            TypeKind::Function(..) => Rc::new(FUNCTION),
            TypeKind::Tuple(parts) => parts.iter().flat_map(|part| self.of(*part).to_vec()).collect(),
            TypeKind::Reference(content) | TypeKind::Array(content) => {
                std::iter::once(Slot::Place).chain(self.of(*content).iter().copied()).collect()
            }
            TypeKind::Slot(content) => self.of(*content),
            TypeKind::Declared(..) => self.group(ty).slots.clone(),
        };
        self.known.insert(ty, shape.clone());
        shape
    }

    /// Where the slots of a component of a tuple stand.
    pub(super) fn component(&mut self, tuple: Type, index: usize) -> Range<usize> {
        let TypeKind::Tuple(parts) = self.program.types.kind(tuple) else { return 0..0 };
        let start = parts[..index].iter().map(|part| self.of(*part).len()).sum();
        start..start + self.of(parts[index]).len()
    }

    /// Where the slots of a field of a declared type stand.
    pub(super) fn field(&mut self, ty: Type, case: usize, field: usize) -> Rc<[usize]> {
        self.group(ty).fields[&(ty, case, field)].clone()
    }

    /// Which slot says where the nodes of a boxed type lie.
    pub(super) fn node(&mut self, ty: Type) -> Option<usize> {
        self.group(ty).nodes.get(&ty).copied()
    }

    fn group(&mut self, ty: Type) -> Rc<Group> {
        let index = self.group_of[&ty];
        if let Some(group) = self.groups.get(&index) {
            return group.clone();
        }
        let group = Rc::new(self.lay_out(index));
        self.groups.insert(index, group.clone());
        group
    }

    fn lay_out(&mut self, index: usize) -> Group {
        let program = self.program;
        let mut slots = Vec::new();
        let mut nodes = HashMap::new();
        let mut fields = Vec::new();
        for ty in self.members[index].clone() {
            let declared = &program.declared[&ty];
            if declared.boxed {
                nodes.insert(ty, slots.len());
                slots.push(Slot::Place);
            }
            for (case, declared) in declared.cases.iter().enumerate() {
                for (field, content) in declared.fields.iter().enumerate() {
                    let mut pieces = Vec::new();
                    self.pieces(index, *content, &mut slots, &mut pieces);
                    fields.push(((ty, case, field), pieces));
                }
            }
        }
        let whole = 0..slots.len();
        let expand = |piece: Piece| match piece {
            Piece::Own(range) => range,
            Piece::Whole => whole.clone(),
        };
        let fields = fields.into_iter().map(|(key, pieces)| (key, pieces.into_iter().flat_map(expand).collect()));
        Group { nodes, fields: fields.collect(), slots: slots.into() }
    }

    /// Gives the parts of a field their slots in the group.
    fn pieces(&mut self, group: usize, ty: Type, slots: &mut Vec<Slot>, pieces: &mut Vec<Piece>) {
        match self.program.types.kind(ty) {
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| self.pieces(group, *part, slots, pieces)),
            TypeKind::Reference(content) | TypeKind::Array(content) => {
                pieces.push(Piece::Own(slots.len()..slots.len() + 1));
                slots.push(Slot::Place);
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
            | TypeKind::Region
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_) => {
                let own = self.of(ty);
                pieces.push(Piece::Own(slots.len()..slots.len() + own.len()));
                slots.extend(own.iter());
            }
        }
    }
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
