//! The positions of types that can be overwritten, in which function values are stored by value.
//!
//! In: a program. Out: [`Positions`]. A *position* is a part of a value that has memory of its own. Ref cells, elements
//! of arrays, mutable variables and mutable fields can be overwritten, and so can everything stored in them: components
//! of tuples, fields of unions and records, and of the nodes that lists and trees consist of, which are replaced one by
//! one. A type has one representation, so if a tuple can be overwritten somewhere, all tuples of its type count.

use super::cells::{Cells, Content};
use clef_base::HashSet;
use clef_core::{Action, Atom, ConstantTypes, Function, FunctionId, LocalId, Memory, Program, Rhs};
use clef_types::{Type, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The positions of a program that can be overwritten.
pub(super) struct Positions {
    /// The function types of the values in them, and whether all of these are in nodes.
    types: BTreeMap<Type, bool>,
    /// The cells among them.
    pub(super) cells: Cells,
    /// The tuples and the declared types in them, and whether all of these are in nodes.
    within: BTreeMap<Type, bool>,
    constants: ConstantTypes,
}

impl Positions {
    /// Finds the positions of a program.
    pub(super) fn of(program: &Program) -> Positions {
        let constants = ConstantTypes::new(&mut program.types.clone());
        let mut positions =
            Positions { types: BTreeMap::new(), cells: Cells::of(program), within: BTreeMap::new(), constants };
        let mut seen = HashSet::default();
        for (_, function) in program.functions.iter() {
            function.locals.iter().for_each(|(_, local)| positions.find(program, local.ty, &mut seen));
        }
        for (_, global) in program.globals.iter() {
            positions.find(program, global.ty, &mut seen);
            if global.mutable {
                positions.content(program, global.ty, false);
            }
        }
        positions
    }

    /// Searches values of a type, and what is reachable from them, for positions that can be overwritten.
    fn find(&mut self, program: &Program, ty: Type, seen: &mut HashSet<Type>) {
        if !seen.insert(ty) {
            return;
        }
        match program.types.kind(ty) {
            TypeKind::Reference(content) | TypeKind::Array(content) | TypeKind::Slot(content) => {
                self.content(program, *content, false);
                self.find(program, *content, seen);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| self.find(program, *part, seen)),
            TypeKind::Function(argument, result) => {
                self.find(program, *argument, seen);
                self.find(program, *result, seen);
            }
            TypeKind::Declared(..) => {
                for case in &program.declared[&ty].cases {
                    case.mutable.iter().for_each(|field| self.content(program, case.fields[*field], false));
                    case.fields.iter().for_each(|field| self.find(program, *field, seen));
                }
            }
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::NativePointer(_)
            | TypeKind::Enum(..)
            | TypeKind::Parameter(_)
            | TypeKind::Region => {}
        }
    }

    /// Records that values of a type are stored where they can be overwritten, perhaps in a node.
    fn content(&mut self, program: &Program, ty: Type, in_node: bool) {
        match program.types.kind(ty) {
            TypeKind::Function(..) => {
                record(&mut self.types, ty, in_node);
            }
            TypeKind::Tuple(parts) => {
                if record(&mut self.within, ty, in_node) {
                    parts.iter().for_each(|part| self.content(program, *part, in_node));
                }
            }
            TypeKind::Declared(..) => {
                let declared = &program.declared[&ty];
                let in_node = in_node || declared.boxed;
                if record(&mut self.within, ty, in_node) {
                    let fields = declared.cases.iter().flat_map(|case| &case.fields);
                    fields.for_each(|field| self.content(program, *field, in_node));
                }
            }
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Slot(_)
            | TypeKind::Enum(..)
            | TypeKind::Parameter(_)
            | TypeKind::Region => {}
        }
    }

    /// What is traced together: the function values in each closed group of cells, and all others of each type.
    pub(super) fn contents(&self) -> BTreeSet<Content> {
        let others = self.types.keys().map(|ty| Content { ty: *ty, group: 0 });
        others.chain(self.cells.contents()).collect()
    }

    /// Whether function values of a type are in nodes only, of which there may be many.
    pub(super) fn in_nodes(&self, of: Content) -> bool {
        of.group == 0 && self.types.get(&of.ty).is_some_and(|in_nodes| *in_nodes)
    }

    /// The function values of a type among which those are that an operation reads or stores; `result` is its local.
    pub(super) fn accessed(&self, id: FunctionId, result: LocalId, rhs: &Rhs, ty: Type) -> Content {
        match rhs.accessed() {
            Some(memory) => self.cells.memory(id, memory, ty),
            None => self.cells.local(id, result, ty),
        }
    }

    /// Whether the parts of a tuple, or of a declared type, can be overwritten or replaced with the whole.
    pub(super) fn parts(&self, whole: Type) -> bool {
        self.within.contains_key(&whole)
    }

    /// Whether a field can be overwritten, alone or with the whole.
    pub(super) fn field(&self, program: &Program, ty: Type, case: usize, field: usize) -> bool {
        self.parts(ty) || program.declared[&ty].cases[case].mutable.contains(&field)
    }

    /// The type of an operand.
    pub(super) fn ty(&self, atom: &Atom, function: &Function) -> Type {
        self.constants.of(atom, function)
    }

    /// Whether the result of an operation is read from a position that can be overwritten.
    pub(super) fn reads(&self, program: &Program, function: &Function, rhs: &Rhs) -> bool {
        if let Rhs::Component(tuple, _) = rhs {
            return self.parts(self.ty(tuple, function));
        }
        let Action::Reads(memory) = rhs.action() else { return false };
        match memory {
            Memory::Slot(_) | Memory::Reference(_) | Memory::Element(_) => true,
            Memory::Global(global) => program.globals[global].mutable,
            Memory::Field { value, case, field } => self.field(program, self.ty(value, function), case, field),
        }
    }

    /// The operands of an operation, in visiting order, that are stored in positions that can be overwritten.
    pub(super) fn writes(&self, program: &Program, function: &Function, result: LocalId, rhs: &Rhs) -> Vec<usize> {
        let mut count = 0;
        rhs.atoms(&mut |_| count += 1);
        if let Some((memory, _)) = rhs.written() {
            let overwritten = if let Memory::Global(global) = memory { program.globals[global].mutable } else { true };
            // The content is the last operand.
            return if overwritten { vec![count - 1] } else { Vec::new() };
        }
        if let Rhs::Inject { ty, case, .. } = rhs {
            return (0..count).filter(|field| self.field(program, *ty, *case, *field)).collect();
        }
        let is_cell = matches!(rhs, Rhs::Slot(_) | Rhs::MakeReference { .. } | Rhs::Array { .. });
        let is_whole = matches!(rhs, Rhs::Tuple(_)) && self.parts(function.locals[result].ty);
        if is_cell || is_whole { (0..count).collect() } else { Vec::new() }
    }
}

/// Records a type. Returns whether it was unknown, or is now found outside of nodes for the first time.
fn record(known: &mut BTreeMap<Type, bool>, ty: Type, in_node: bool) -> bool {
    let was_in_nodes = known.insert(ty, in_node);
    if was_in_nodes == Some(false) {
        known.insert(ty, false);
    }
    was_in_nodes.is_none() || was_in_nodes == Some(true) && !in_node
}
