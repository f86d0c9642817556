//! Keeps the frame of a function while something may point into it.
//!
//! A `let mutable` that is captured by reference is a slot in its function's frame. A tail call ends the frame, so a call
//! whose operands may lead to such a slot is made a plain call, and so is a `continue`, which uses the slot anew. Which
//! locals may lead to a slot is found by following values through the function, as far as their types can hold closures.

use crate::{
    core::{Atom, Block, Call, Callee, Convention, End, Function, JoinId, LocalId, Program, Rhs, Statement, StatementKind},
    types::{Type, TypeKind},
};
use clef_base::Symbol;
use std::collections::{HashMap, HashSet};

/// Makes the tail calls of all functions safe for their frames.
pub(super) fn keep_frames(program: &mut Program) {
    let ids: Vec<_> = program.functions.iter().map(|(id, _)| id).collect();
    let mut holders = HashMap::new();
    for id in ids {
        let mut flow = Flow::new(program, &program.functions[id], &mut holders);
        if !flow.solve() {
            continue;
        }
        let leading = flow.leading;
        let function = &mut program.functions[id];
        let mut body = std::mem::replace(&mut function.body, Block { statements: Vec::new(), end: End::Yield(Atom::Unit) });
        body.each_mut(&mut |block| keep_frame(function, id, block, &leading));
        function.body = body;
    }
}

/// Makes a tail call whose operands may lead to a slot a plain one.
fn keep_frame(function: &mut Function, id: crate::core::FunctionId, block: &mut Block, leading: &HashSet<LocalId>) {
    let mut leads = false;
    block.end.atoms(&mut |atom| leads |= matches!(atom, Atom::Local(local) if leading.contains(local)));
    if !leads {
        return;
    }
    let (call, span) = match &block.end {
        End::TailCall { call, span, .. } => (call.clone(), *span),
        End::Continue(arguments) => {
            let callee = match &function.convention {
                Convention::Known => Callee::Known(id),
                Convention::Closure { itself: Some(itself), .. } => Callee::Direct(id, Atom::Local(*itself)),
                Convention::Closure { itself: None, .. } => return,
            };
            (Call { callee, arguments: arguments.clone() }, function.span)
        }
        End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) | End::Trap(..) => return,
    };
    let local = crate::core::Local { name: Symbol::new("$"), ty: function.result, span };
    let local = function.locals.alloc(local);
    block.statements.push(Statement { kind: StatementKind::Let(local, Rhs::Call(call)), span });
    block.end = End::Yield(Atom::Local(local));
}

struct Flow<'program> {
    program: &'program Program,
    function: &'program Function,
    holders: &'program mut HashMap<Type, bool>,
    /// Locals that may lead to a slot of this frame.
    leading: HashSet<LocalId>,
    /// Slots whose content may.
    contents: HashSet<LocalId>,
    joins: HashMap<JoinId, &'program [LocalId]>,
    /// Whether such a value was given to a callee or a cell, so that any of them may give it back.
    escaped: bool,
    changed: bool,
}

impl<'program> Flow<'program> {
    fn new(
        program: &'program Program,
        function: &'program Function,
        holders: &'program mut HashMap<Type, bool>,
    ) -> Flow<'program> {
        Flow {
            program,
            function,
            holders,
            leading: HashSet::new(),
            contents: HashSet::new(),
            joins: HashMap::new(),
            escaped: false,
            changed: false,
        }
    }

    /// Follows all values; false if the function has no slot that anything else can reach.
    fn solve(&mut self) -> bool {
        let mut slots = HashSet::new();
        let mut reached = HashSet::new();
        self.function.body.each(&mut |block| {
            for statement in &block.statements {
                if let StatementKind::Let(local, Rhs::Slot(_)) = statement.kind {
                    slots.insert(local);
                }
                let accesses = matches!(statement.kind, StatementKind::Let(_, Rhs::ReadSlot(_)));
                let writes = match &statement.kind {
                    StatementKind::Let(_, Rhs::WriteSlot(_, value)) => Some(value),
                    StatementKind::Let(..) | StatementKind::Group(_) => None,
                };
                let mut visit = |atom: &Atom| {
                    if let Atom::Local(local) = atom {
                        reached.insert(*local);
                    }
                };
                match writes {
                    Some(value) => visit(value),
                    None if accesses => {}
                    None => statement.atoms(&mut |atom| visit(atom)),
                }
            }
            block.end.atoms(&mut |atom| {
                if let Atom::Local(local) = atom {
                    reached.insert(*local);
                }
            });
        });
        self.leading = slots.intersection(&reached).copied().collect();
        if self.leading.is_empty() {
            return false;
        }
        loop {
            self.changed = false;
            self.block(&self.function.body);
            if !self.changed {
                return true;
            }
        }
    }

    fn leads(&self, atom: &Atom) -> bool {
        matches!(atom, Atom::Local(local) if self.leading.contains(local))
    }

    fn mark(&mut self, local: LocalId) {
        if holds(self.program, self.holders, self.function.locals[local].ty) {
            self.changed |= self.leading.insert(local);
        }
    }

    /// Follows a block; whether the value that it yields may lead to a slot.
    fn block(&mut self, block: &'program Block) -> bool {
        for statement in &block.statements {
            self.statement(statement);
        }
        match &block.end {
            End::Yield(atom) => self.leads(atom),
            End::Jump(id, atoms) => {
                let params = self.joins.get(id).copied().unwrap_or_default();
                for (param, atom) in params.iter().zip(atoms) {
                    if self.leads(atom) {
                        self.mark(*param);
                    }
                }
                false
            }
            End::Join { join, scope } => {
                self.joins.insert(join.id, &join.params);
                let scope = self.block(scope);
                self.block(&join.body) || scope
            }
            End::If { .. } | End::Switch { .. } => {
                let mut leads = false;
                for nested in block.end.blocks() {
                    leads |= self.block(nested);
                }
                leads
            }
            End::TailCall { .. } | End::Continue(_) | End::Trap(..) => false,
        }
    }

    fn statement(&mut self, statement: &'program Statement) {
        let mut leads = false;
        statement.atoms(&mut |atom| leads |= self.leads(atom));
        let StatementKind::Let(local, rhs) = &statement.kind else {
            if leads {
                statement.bound().into_iter().for_each(|local| self.mark(local));
            }
            return;
        };
        match rhs {
            Rhs::ReadSlot(Atom::Local(slot)) => leads = self.contents.contains(slot) || self.escaped,
            Rhs::WriteSlot(Atom::Local(slot), value) => {
                if self.leads(value) {
                    self.changed |= self.contents.insert(*slot);
                }
                return;
            }
            Rhs::WriteReference(_, value) | Rhs::WriteGlobal(_, value) => {
                let leads = self.leads(value);
                return self.escape(leads);
            }
            Rhs::Call(_) => {
                self.escape(leads);
                leads = self.escaped;
            }
            Rhs::ReadReference(_) | Rhs::ReadGlobal(_) => leads |= self.escaped,
            Rhs::Scope(_) | Rhs::While { .. } => {
                for block in rhs.blocks() {
                    leads |= self.block(block);
                }
            }
            Rhs::Atom(_)
            | Rhs::Primitive(..)
            | Rhs::Intrinsic { .. }
            | Rhs::Concatenate { .. }
            | Rhs::Closure(_)
            | Rhs::Arity(_)
            | Rhs::Tuple(_)
            | Rhs::Component(..)
            | Rhs::Inject { .. }
            | Rhs::Tag(_)
            | Rhs::Field { .. }
            | Rhs::Slot(_)
            | Rhs::ReadSlot(_)
            | Rhs::WriteSlot(..)
            | Rhs::MakeReference { .. } => {}
        }
        if leads {
            self.mark(*local);
        }
    }

    fn escape(&mut self, leads: bool) {
        self.changed |= leads && !self.escaped;
        self.escaped |= leads;
    }
}

/// Whether a value of a type can lead to a slot: it is a slot, or a closure is within it.
fn holds(program: &Program, known: &mut HashMap<Type, bool>, ty: Type) -> bool {
    if let Some(&known) = known.get(&ty) {
        return known;
    }
    known.insert(ty, false);
    let holds = match program.types.kind(ty) {
        TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::String
        | TypeKind::Integer(_)
        | TypeKind::Float32
        | TypeKind::Float64 => false,
        TypeKind::Function(..) | TypeKind::Slot(_) | TypeKind::Parameter(_) => true,
        TypeKind::Tuple(parts) => parts.iter().any(|part| self::holds(program, known, *part)),
        TypeKind::Reference(of)
        | TypeKind::List(of)
        | TypeKind::Array(of)
        | TypeKind::Sequence(of)
        | TypeKind::Lazy(of)
        | TypeKind::NativePointer(of) => self::holds(program, known, *of),
        TypeKind::Declared(..) => match program.declared.get(&ty) {
            Some(declared) => {
                declared.cases.iter().flat_map(|case| &case.fields).any(|field| self::holds(program, known, *field))
            }
            None => true,
        },
    };
    known.insert(ty, holds);
    holds
}
