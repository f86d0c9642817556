//! Data that is known when the program is compiled.
//!
//! In: a program, and which allocations may lie in flash. Out: the content of those allocations, locals and module-level
//! values that consist of constants only. An allocation that is performed more than once has the same content each time. The
//! address of static memory is a constant too, whatever the memory contains.

use super::{AllocationId, AllocationKind, Atom, FunctionId, GlobalId, LocalId, Program, Rhs, StatementKind, Storage};
use clef_base::HashMap;
use clef_types::Type;
use std::rc::Rc;

/// The content of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// An operand that is no local.
    Atom(Atom),
    /// A tuple.
    Tuple(Vec<Rc<Content>>),
    /// A case of a declared type that has no node.
    Case(Type, usize, Vec<Rc<Content>>),
    /// The address of the node of this allocation.
    Node(AllocationId),
    /// The array of this allocation.
    Array(AllocationId),
    /// The static memory of this allocation, which is filled when the program runs; for an array, with its length.
    Memory(AllocationId, Option<u64>),
}

impl Content {
    /// Whether nothing that it leads to is filled when the program runs.
    fn is_known(&self) -> bool {
        match self {
            Content::Atom(_) | Content::Node(_) | Content::Array(_) => true,
            Content::Tuple(parts) | Content::Case(_, _, parts) => parts.iter().all(|part| part.is_known()),
            Content::Memory(..) => false,
        }
    }
}

/// The constants of a program.
#[derive(Debug, Default)]
pub struct Constants {
    /// The elements or fields of each allocation.
    allocations: HashMap<AllocationId, Vec<Rc<Content>>>,
    globals: HashMap<GlobalId, Rc<Content>>,
}

impl Constants {
    /// Those of a program. `permits` says whether an allocation may be in flash: nothing writes to it.
    pub fn of(program: &Program, permits: &dyn Fn(AllocationId) -> bool) -> Constants {
        let mut constants = Constants::default();
        let written = writes(program);
        for (id, _) in program.functions.iter() {
            Function { program, constants: &mut constants, written: &written, locals: HashMap::default() }
                .walk(id, permits);
        }
        constants
    }

    /// The elements of an array or the fields of a node, if they are constants.
    pub fn allocation(&self, id: AllocationId) -> Option<&[Rc<Content>]> {
        self.allocations.get(&id).map(Vec::as_slice)
    }

    /// The value that a module-level binding has from the start.
    pub fn global(&self, id: GlobalId) -> Option<&Rc<Content>> {
        self.globals.get(&id)
    }

    /// Whether a module-level binding leads to nothing that the program may write to.
    pub fn is_known(&self, id: GlobalId) -> bool {
        self.globals.get(&id).is_some_and(|content| content.is_known())
    }
}

/// How often each module-level binding is written.
fn writes(program: &Program) -> HashMap<GlobalId, usize> {
    let mut writes = HashMap::default();
    for function in program.functions.values() {
        function.body.each_statement(&mut |statement| {
            if let Some(Rhs::WriteGlobal(global, _)) = statement.rhs() {
                *writes.entry(*global).or_default() += 1;
            }
        });
    }
    writes
}

/// The constants of one function while it is walked.
struct Function<'a> {
    program: &'a Program,
    constants: &'a mut Constants,
    written: &'a HashMap<GlobalId, usize>,
    locals: HashMap<LocalId, Rc<Content>>,
}

impl Function<'_> {
    fn walk(mut self, id: FunctionId, permits: &dyn Fn(AllocationId) -> bool) {
        // A local is bound before it is used, and a binding comes before what it dominates.
        self.program.functions[id].body.each_statement(&mut |statement| {
            if let StatementKind::Let(local, rhs) = &statement.kind
                && let Some(content) = self.content(rhs, permits)
            {
                self.locals.insert(*local, content);
            }
        });
    }

    fn atom(&self, atom: &Atom) -> Option<Rc<Content>> {
        match atom {
            Atom::Local(local) => self.locals.get(local).cloned(),
            // Its address is not known before the program runs.
            Atom::ProgramRegion => None,
            Atom::Unit
            | Atom::Bool(_)
            | Atom::Integer(..)
            | Atom::Float(..)
            | Atom::Char(_)
            | Atom::String(_)
            | Atom::Function(..) => Some(Rc::new(Content::Atom(atom.clone()))),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Option<Vec<Rc<Content>>> {
        atoms.iter().map(|atom| self.atom(atom)).collect()
    }

    /// The value of an operation, if it is a constant. Remembers a module-level value.
    fn content(&mut self, rhs: &Rhs, permits: &dyn Fn(AllocationId) -> bool) -> Option<Rc<Content>> {
        let content = match rhs {
            Rhs::Atom(atom) => return self.atom(atom),
            Rhs::Tuple(parts) => Content::Tuple(self.atoms(parts)?),
            Rhs::Inject { ty, case, fields, allocation: None, .. } => Content::Case(*ty, *case, self.atoms(fields)?),
            Rhs::Inject { fields: parts, allocation: Some(allocation), reuse: None, .. }
            | Rhs::Array { elements: parts, allocation }
                if !parts.is_empty() && permits(*allocation) =>
            {
                let Some(parts) = self.atoms(parts) else { return self.memory(rhs) };
                if !parts.iter().all(|part| part.is_known()) {
                    return self.memory(rhs);
                }
                self.constants.allocations.insert(*allocation, parts);
                match self.program.allocations[*allocation].kind {
                    AllocationKind::Node(..) => Content::Node(*allocation),
                    AllocationKind::Array(_) => Content::Array(*allocation),
                    AllocationKind::Closure(_)
                    | AllocationKind::Reference(_)
                    | AllocationKind::String
                    | AllocationKind::Memory(_) => return None,
                }
            }
            Rhs::Component(tuple, index) => return self.part(tuple, *index),
            Rhs::Field { value, case, field } => return self.field(value, *case, *field),
            Rhs::ReadGlobal(global) => return self.constants.global(*global).cloned(),
            Rhs::WriteGlobal(global, value) => {
                let placement = self.program.globals[*global].placement;
                let content = self.atom(value)?;
                if self.written[global] == 1 && placement.section.is_none() {
                    self.constants.globals.insert(*global, content);
                }
                return None;
            }
            Rhs::Array { .. } | Rhs::Inject { .. } | Rhs::MakeReference { .. } | Rhs::Intrinsic { .. } => {
                return self.memory(rhs);
            }
            Rhs::Primitive(..)
            | Rhs::Concatenate { .. }
            | Rhs::Call(_)
            | Rhs::Foreign { .. }
            | Rhs::FunctionAddress(_)
            | Rhs::Closure(_)
            | Rhs::Arity(_)
            | Rhs::Tag(_)
            | Rhs::WriteField { .. }
            | Rhs::Slot(_)
            | Rhs::ReadSlot(_)
            | Rhs::WriteSlot(..)
            | Rhs::ReadReference(_)
            | Rhs::WriteReference(..)
            | Rhs::EnterRegion
            | Rhs::LeaveRegion(_)
            | Rhs::PopClosure(_)
            | Rhs::Evacuate { .. }
            | Rhs::Scope(_)
            | Rhs::While { .. } => return None,
        };
        Some(Rc::new(content))
    }

    /// The address of what an operation makes, if it is in static memory.
    fn memory(&self, rhs: &Rhs) -> Option<Rc<Content>> {
        let id = rhs.allocation()?;
        let allocation = &self.program.allocations[id];
        let is_static = allocation.decision.as_ref().is_some_and(|decision| decision.storage == Storage::Static);
        let length = match allocation.kind {
            AllocationKind::Node(..) | AllocationKind::Reference(_) => None,
            AllocationKind::Array(_) => Some(u64::try_from(rhs.element_count()?).ok().filter(|count| *count > 0)?),
            AllocationKind::Closure(_) | AllocationKind::String | AllocationKind::Memory(_) => return None,
        };
        is_static.then(|| Rc::new(Content::Memory(id, length)))
    }

    fn part(&self, tuple: &Atom, index: usize) -> Option<Rc<Content>> {
        match &*self.atom(tuple)? {
            Content::Tuple(parts) => parts.get(index).cloned(),
            Content::Atom(_) | Content::Case(..) | Content::Node(_) | Content::Array(_) | Content::Memory(..) => None,
        }
    }

    fn field(&self, value: &Atom, case: usize, field: usize) -> Option<Rc<Content>> {
        match &*self.atom(value)? {
            Content::Case(_, of, fields) if *of == case => fields.get(field).cloned(),
            Content::Node(allocation) => {
                let AllocationKind::Node(_, of) = self.program.allocations[*allocation].kind else { return None };
                let fields = self.constants.allocation(*allocation)?;
                if of == case { fields.get(field).cloned() } else { None }
            }
            Content::Atom(_) | Content::Tuple(_) | Content::Case(..) | Content::Array(_) | Content::Memory(..) => None,
        }
    }
}
