//! Statements, and how blocks end: the control flow of a function.

use crate::{evacuate::Roots, function::FunctionEmitter};
use clef_base::Span;
use clef_core::{Atom, Block, End, GlobalId, Join, LocalId, Move, Rhs, Statement, StatementKind, Trap};
use clef_mlir::{Block as MlirBlock, Value};
use clef_types::trap::TrapCause;

/// Where the value of a block goes.
#[derive(Clone, Copy)]
pub(crate) enum Destination<'m> {
    /// It is the function's result.
    Return,
    /// To a block whose only argument it is; `unit` is not passed.
    Goto(MlirBlock<'m>),
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Emits a block of Core; afterwards the cursor's block is terminated.
    pub(crate) fn block(&mut self, block: &Block, to: Destination<'m>) {
        let scope = self.begin_scope();
        let step = match to {
            Destination::Return => self.step(block),
            Destination::Goto(_) => None,
        };
        let count = block.statements.len() - if step.is_some() { 2 } else { 0 };
        let mut statements = block.statements[..count].iter();
        while let Some(statement) = statements.next() {
            match (&statement.kind, statements.as_slice()) {
                (StatementKind::Let(_, Rhs::PopClosure(region)), [next, ..]) if self.takes_place(next, region) => {
                    statements.next();
                    self.replacement(next);
                }
                _ => self.statement(statement),
            }
        }
        match step {
            Some(step) => {
                self.at(block.statements[count].place);
                self.take_step(&step);
            }
            None => self.end(&block.end, to),
        }
        self.end_scope(scope);
    }

    fn statement(&mut self, statement: &Statement) {
        self.at(statement.place);
        match &statement.kind {
            StatementKind::Let(local, rhs) => {
                let value = self.rhs(*local, rhs, statement.place.span);
                self.locals.bind(*local, value);
                self.note(*local);
            }
            StatementKind::Group(members) => {
                self.closure_group(members);
                members.iter().for_each(|(local, _)| self.note(*local));
            }
        }
    }

    fn rhs(&mut self, local: LocalId, rhs: &Rhs, span: Span) -> Option<Value<'m>> {
        let ty = self.locals.type_of(local);
        match rhs {
            Rhs::Atom(atom) => self.atom(atom),
            Rhs::Primitive(primitive, arguments) => self.primitive(*primitive, arguments, ty, span),
            Rhs::Intrinsic { intrinsic, arguments, allocation } => {
                self.intrinsic(*intrinsic, arguments, *allocation, ty, span)
            }
            Rhs::Concatenate { parts, allocation } => Some(self.concatenate(parts, *allocation)),
            Rhs::Call(call) => self.call(call),
            Rhs::Foreign { symbol, arguments } => self.foreign_call(*symbol, arguments, ty),
            Rhs::FunctionAddress(function) => Some(self.code.emit.symbol(self.code.shared.function_symbol(*function))),
            Rhs::Closure(make) => Some(self.closure(make)),
            Rhs::Arity(closure) => Some(self.arity(closure)),
            Rhs::Tuple(parts) => self.tuple(ty, parts),
            Rhs::Component(tuple, index) => self.component(tuple, *index),
            Rhs::Array { elements, allocation } => Some(self.array(ty, elements, *allocation)),
            Rhs::Inject { ty, case, fields, allocation, reuse } => {
                self.inject(*ty, *case, fields, (*allocation, reuse.as_ref()))
            }
            Rhs::Tag(value) => Some(self.tag(value)),
            Rhs::Field { value, case, field } => self.field(value, *case, *field),
            Rhs::WriteField { value, case, field, content } => self.write_node_field(value, *case, *field, content),
            Rhs::Slot(value) => self.slot(local, value, ty),
            Rhs::ReadSlot(slot) => self.read_slot(slot, ty),
            Rhs::WriteSlot(slot, value) => {
                self.write(slot, value);
                self.note_content(slot);
                None
            }
            Rhs::MakeReference { value, allocation } => Some(self.make_reference(value, *allocation, ty)),
            Rhs::ReadReference(cell) => self.read(cell, ty),
            Rhs::WriteReference(cell, value) => self.write(cell, value),
            Rhs::ReadGlobal(global) => self.read_global(*global, span),
            Rhs::WriteGlobal(global, value) => self.write_global(*global, value),
            Rhs::EnterRegion => Some(self.code.enter_region(span)),
            Rhs::LeaveRegion(region) => {
                self.leave_region(region);
                self.note_end(region, &[]);
                None
            }
            Rhs::PopClosure(region) => self.pop_closure(region),
            Rhs::Evacuate { moves, roots, globals, everywhere, masked } => {
                let constants = &self.code.shared.constants;
                let globals: Vec<GlobalId> =
                    globals.iter().copied().filter(|global| !constants.is_known(*global)).collect();
                let all = Roots { operands: roots, ty, globals: &globals, everywhere: *everywhere, masked: *masked };
                let moved = self.evacuate(moves, &all, span);
                moves.iter().for_each(|Move { from, .. }| self.note_end(from, roots));
                moved
            }
            Rhs::Scope(block) => self.scope(block, local),
            Rhs::While { condition, body } => self.repeat(condition, body),
        }
    }

    /// A nested block whose value is bound to a local.
    fn scope(&mut self, block: &Block, local: LocalId) -> Option<Value<'m>> {
        let after = self.locals.parameter_block(&mut self.code, &[local]);
        self.block(block, Destination::Goto(after));
        self.code.emit.position(after);
        after.arguments().first().copied()
    }

    /// Repeats a body. The condition is tested in one place before each iteration; a flag is tested before the first one and
    /// after each, so that no register has to hold it in between.
    fn repeat(&mut self, condition: &Block, body: &Block) -> Option<Value<'m>> {
        let (iteration, after) = (self.code.emit.block(&[]), self.code.emit.block(&[]));
        let again = self.code.emit.block(&[]);
        let is_rotated = reads_flag(condition);
        if !is_rotated {
            self.code.emit.br(again, &[]);
            self.code.emit.position(again);
        }
        self.test(condition, iteration, after);
        self.code.emit.position(iteration);
        self.block(body, Destination::Goto(again));
        if is_rotated {
            self.code.emit.position(again);
            self.test(condition, iteration, after);
        }
        self.code.emit.position(after);
        None
    }

    /// Continues in an iteration of a loop if its condition holds, and after the loop if not.
    fn test(&mut self, condition: &Block, iteration: MlirBlock<'m>, after: MlirBlock<'m>) {
        let truth = self.code.emit.bool();
        let test = self.code.emit.block(&[truth]);
        self.block(condition, Destination::Goto(test));
        self.code.emit.position(test);
        self.code.emit.cond_br(test.argument(0), (iteration, &[]), (after, &[]));
    }

    fn end(&mut self, end: &End, to: Destination<'m>) {
        match end {
            End::Yield(atom) => {
                let value = self.atom(atom);
                self.deliver(value, to);
            }
            End::TailCall { call, required, place } => {
                self.at(*place);
                self.tail_call(call, *required);
            }
            End::Continue(arguments) => {
                let arguments = self.atoms(arguments);
                self.jumps.restart(&mut self.code, &arguments);
            }
            End::If { condition, then, otherwise } => self.branch(condition, then, otherwise, to),
            End::Switch { scrutinee, cases, default } => self.switch(scrutinee, cases, default.as_deref(), to),
            End::Join { join, scope } => self.join(join, scope, to),
            End::Jump(join, arguments) => {
                let arguments = self.atoms(arguments);
                self.jumps.to_join(&mut self.code, *join, &arguments);
            }
            End::Trap(trap, place) => {
                self.at(*place);
                self.code.trap(
                    match trap {
                        Trap::DivisionByZero => TrapCause::DivisionByZero,
                        Trap::IndexOutOfRange => TrapCause::IndexOutOfRange,
                        Trap::NoMatch => TrapCause::NoMatch,
                        Trap::Overflow => TrapCause::Overflow,
                    },
                    place.span,
                );
            }
        }
    }

    /// Sends a value to its destination.
    pub(crate) fn deliver(&mut self, value: Option<Value<'m>>, to: Destination<'m>) {
        match to {
            Destination::Goto(block) => self.code.emit.br(block, value.as_slice()),
            Destination::Return => {
                let value = self.filled(value);
                self.exit.leave(&mut self.code, value);
            }
        }
    }

    fn branch(&mut self, condition: &Atom, then: &Block, otherwise: &Block, to: Destination<'m>) {
        let condition = self.value(condition);
        let (on_true, on_false) = (self.code.emit.block(&[]), self.code.emit.block(&[]));
        self.code.emit.cond_br(condition, (on_true, &[]), (on_false, &[]));
        self.code.emit.position(on_true);
        self.block(then, to);
        self.code.emit.position(on_false);
        self.block(otherwise, to);
    }

    fn switch(&mut self, scrutinee: &Atom, cases: &[(i128, Block)], default: Option<&Block>, to: Destination<'m>) {
        let scrutinee = self.value(scrutinee);
        let blocks: Vec<MlirBlock<'m>> = cases.iter().map(|_| self.code.emit.block(&[])).collect();
        let other = self.code.emit.block(&[]);
        let targets: Vec<(i64, MlirBlock<'m>, &[Value<'m>])> =
            cases.iter().zip(&blocks).map(|((value, _), block)| (*value as i64, *block, [].as_slice())).collect();
        self.code.emit.switch(scrutinee, (other, &[]), &targets);
        for ((_, case), block) in cases.iter().zip(blocks) {
            self.code.emit.position(block);
            self.block(case, to);
        }
        self.code.emit.position(other);
        match default {
            Some(default) => self.block(default, to),
            None => self.code.emit.unreachable(),
        }
    }

    fn join(&mut self, join: &Join, scope: &Block, to: Destination<'m>) {
        let block = self.locals.parameter_block(&mut self.code, &join.params);
        self.jumps.add(join.id, block);
        self.block(scope, to);
        self.code.emit.position(block);
        self.locals.bind_all(&join.params, &block.arguments());
        let mark = self.begin_scope();
        join.params.iter().for_each(|param| self.note(*param));
        self.block(&join.body, to);
        self.end_scope(mark);
    }
}

/// Whether a condition is the value of a slot.
fn reads_flag(condition: &Block) -> bool {
    let [Statement { kind: StatementKind::Let(flag, Rhs::ReadSlot(_)), .. }] = condition.statements.as_slice() else {
        return false;
    };
    matches!(&condition.end, End::Yield(Atom::Local(result)) if result == flag)
}
