//! What evacuation follows: which values hold pointers, which memory can be overwritten, which closures a type has.
//!
//! In: a program with its storage. Out: an [`Evacuation`], used by code generation and the test machine, so that
//! both follow the same pointers. [`super::Rhs::Evacuate`] copies the objects in the regions that are reachable from its
//! roots; objects elsewhere stay. An object elsewhere may point into the regions only if it was overwritten, so it is
//! followed only if a part of it can be: if it is [`Evacuation::overwritable`]. If closures made earlier allocate,
//! objects elsewhere may be newer than the regions, and everything is followed. Native pointers are not followed.

use super::{Atom, Function, FunctionId, LocalId, Memory, Program, Rhs};
use clef_base::{HashMap, HashSet, strongly_connected_components};
use clef_types::{Type, TypeKind};

/// Queries about one program.
pub struct Evacuation<'program> {
    program: &'program Program,
    lambdas: HashMap<Type, Vec<FunctionId>>,
    /// For each type the types that its values hold or point to directly.
    parts: Vec<Vec<usize>>,
    has_pointers: Vec<bool>,
    overwritable: Vec<bool>,
    leads_to_native: Vec<bool>,
}

impl<'program> Evacuation<'program> {
    /// Computes the answers for a program.
    pub fn new(program: &'program Program) -> Evacuation<'program> {
        let mut evacuation = Evacuation {
            program,
            lambdas: lambdas(program),
            parts: Vec::new(),
            has_pointers: Vec::new(),
            overwritable: Vec::new(),
            leads_to_native: Vec::new(),
        };
        evacuation.has_pointers = evacuation.types_with_pointers();
        evacuation.parts = program.types.all().map(|ty| indices(&evacuation.parts_of(ty))).collect();
        evacuation.overwritable = evacuation.leading_to(|ty| evacuation.holds_overwritable(ty));
        evacuation.leads_to_native =
            evacuation.leading_to(|ty| matches!(program.types.kind(ty), TypeKind::NativePointer(_)));
        evacuation
    }

    /// The program.
    pub fn program(&self) -> &'program Program {
        self.program
    }

    /// The functions of the closures of a type that capture something.
    pub fn lambdas(&self, ty: Type) -> &[FunctionId] {
        self.lambdas.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// What a closure of a function holds: each capture, and whether it is a cell in the closure itself.
    pub fn captures(&self, lambda: FunctionId) -> impl Iterator<Item = (LocalId, Type, bool)> + use<'program> {
        let program = self.program;
        let function = &program.functions[lambda];
        function.captures().iter().map(move |capture| {
            let owned = function.owned().contains(capture);
            (*capture, function.capture_type(&program.types, *capture), owned)
        })
    }

    /// Whether a value holds a pointer that is followed, or a handle. A type that is newer than the answers counts as one
    /// that does: regions add only tuples of roots.
    pub fn has_pointers(&self, ty: Type) -> bool {
        self.has_pointers.get(index(ty)).is_none_or(|has| *has)
    }

    /// Whether an operand of a function holds a pointer; constants in flash too.
    fn is_pointer(&self, atom: &Atom, function: &Function) -> bool {
        match atom {
            Atom::Local(local) => self.has_pointers(function.locals[*local].ty),
            Atom::String(_) | Atom::Function(..) => true,
            Atom::Unit | Atom::Bool(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Char(_) | Atom::ProgramRegion => {
                false
            }
        }
    }

    /// The memory that an operation of a function overwrites with a value that holds pointers.
    pub fn overwritten<'rhs>(&self, rhs: &'rhs Rhs, function: &Function) -> Option<Memory<'rhs>> {
        let (memory, content) = rhs.written()?;
        self.is_pointer(content, function).then_some(memory)
    }

    /// Whether something that holds pointers and is reachable from a value can be overwritten.
    pub fn overwritable(&self, ty: Type) -> bool {
        self.overwritable[index(ty)]
    }

    /// Whether a native pointer is reachable from a value.
    pub fn leads_to_native(&self, ty: Type) -> bool {
        self.leads_to_native[index(ty)]
    }

    /// The types reachable from a value, its own included.
    pub fn reachable(&self, ty: Type, found: &mut HashSet<Type>) {
        let mut queue = vec![ty];
        while let Some(ty) = queue.pop() {
            if found.insert(ty) {
                queue.extend(self.parts_of(ty));
            }
        }
    }

    /// For each type, by its number, whether a type that satisfies `holds` is reachable from its values.
    pub fn leading_to(&self, holds: impl Fn(Type) -> bool) -> Vec<bool> {
        holding(&self.parts, |number| holds(self.program.types.numbered(number)))
    }

    /// For each type, by its number, whether its values lead to memory that the program overwrites and that leads to
    /// something else that it overwrites. The latter may be unlinked from it while other parts of the program use it.
    pub fn relinked(&self) -> Vec<bool> {
        let overwritten = self.overwritten_types();
        // What a closure owns is overwritten as a variable of its code.
        let is_overwritten =
            |ty: Type| matches!(self.program.types.kind(ty), TypeKind::Function(..)) || overwritten.contains(&ty);
        let leads_to_overwritten = self.leading_to(|ty| is_overwritten(ty) && self.holds_overwritable(ty));
        self.leading_to(|ty| {
            is_overwritten(ty) && self.contents(ty).into_iter().any(|content| leads_to_overwritten[index(content)])
        })
    }

    /// The types of the memory that the program overwrites.
    fn overwritten_types(&self) -> HashSet<Type> {
        let mut found = HashSet::default();
        for (_, function) in self.program.functions.iter() {
            function.body.each_statement(&mut |statement| {
                let holder = statement.rhs().and_then(Rhs::written).and_then(|(memory, _)| memory.holder());
                found.extend(holder.and_then(Atom::local).map(|local| function.locals[local].ty));
            });
        }
        found
    }

    /// The types that hold pointers. Only unboxed values hold their parts, and no such type contains itself.
    fn types_with_pointers(&self) -> Vec<bool> {
        let Program { types, declared, .. } = self.program;
        let boxed = |ty: Type| declared.get(&ty).is_some_and(|declared| declared.boxed);
        let held = |ty: Type| match types.kind(ty) {
            TypeKind::Tuple(parts) => indices(parts),
            TypeKind::Declared(..) if !boxed(ty) => indices(&self.parts_of(ty)),
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
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Slot(_)
            | TypeKind::Parameter(_)
            | TypeKind::Region => Vec::new(),
        };
        let held: Vec<Vec<usize>> = types.all().map(held).collect();
        holding(&held, |number| match types.kind(types.numbered(number)) {
            TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => true,
            TypeKind::Declared(..) => boxed(types.numbered(number)),
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Tuple(_)
            | TypeKind::Parameter(_)
            | TypeKind::NativePointer(_) => false,
        })
    }

    /// Whether a value itself holds, or is, memory that can be overwritten with pointers.
    fn holds_overwritable(&self, ty: Type) -> bool {
        self.contents(ty).into_iter().any(|content| self.has_pointers(content))
    }

    /// The types of what can be overwritten in the memory that a value itself holds or is.
    fn contents(&self, ty: Type) -> Vec<Type> {
        match self.program.types.kind(ty) {
            TypeKind::Function(..) => {
                let held = self.lambdas(ty).iter().flat_map(|lambda| self.captures(*lambda));
                held.filter(|(_, _, owned)| *owned).map(|(_, held, _)| held).collect()
            }
            TypeKind::Reference(content) | TypeKind::Array(content) | TypeKind::Slot(content) => vec![*content],
            TypeKind::Declared(..) => {
                let cases = self.program.declared.get(&ty).into_iter().flat_map(|declared| &declared.cases);
                cases.flat_map(|case| case.mutable.iter().map(|field| case.fields[*field])).collect()
            }
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::String
            | TypeKind::Tuple(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Region => Vec::new(),
        }
    }

    /// The types that a value holds or points to directly. A source type that does not exist in Core has none.
    fn parts_of(&self, ty: Type) -> Vec<Type> {
        match self.program.types.kind(ty) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::String
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Region => Vec::new(),
            TypeKind::Function(..) => {
                let captures = self.lambdas(ty).iter().flat_map(|lambda| self.captures(*lambda));
                captures.map(|(_, held, _)| held).collect()
            }
            TypeKind::Reference(content) | TypeKind::Array(content) | TypeKind::Slot(content) => vec![*content],
            TypeKind::Tuple(parts) => parts.clone(),
            TypeKind::Declared(..) => {
                let declared = self.program.declared.get(&ty).into_iter();
                declared.flat_map(|declared| &declared.cases).flat_map(|case| &case.fields).copied().collect()
            }
        }
    }
}

/// The functions of the closures of each type.
fn lambdas(program: &Program) -> HashMap<Type, Vec<FunctionId>> {
    let mut lambdas: HashMap<Type, Vec<FunctionId>> = HashMap::default();
    for (_, function) in program.functions.iter() {
        function.body.each_closure(&mut |local, closure| {
            lambdas.entry(function.locals[local].ty).or_default().push(closure.function);
        });
    }
    for lambdas in lambdas.values_mut() {
        lambdas.sort();
        lambdas.dedup();
    }
    lambdas
}

fn index(ty: Type) -> usize {
    ty.number() as usize
}

fn indices(types: &[Type]) -> Vec<usize> {
    types.iter().copied().map(index).collect()
}

/// The nodes of a graph that satisfy `holds`, and those from which such a node is reachable.
fn holding(edges: &[Vec<usize>], holds: impl Fn(usize) -> bool) -> Vec<bool> {
    let components = strongly_connected_components(edges);
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|node| components[*node]);
    // The successors of a component have smaller numbers.
    let mut answers = vec![false; edges.len()];
    for node in order {
        if holds(node) || edges[node].iter().any(|target| answers[components[*target]]) {
            answers[components[node]] = true;
        }
    }
    components.into_iter().map(|component| answers[component]).collect()
}
