//! Statements, and how blocks end: the control flow of a function.

use crate::{abi::Returned, evacuate::Roots, function::FunctionEmitter};
use clef_base::Span;
use clef_core::{Atom, Block, End, Join, LocalId, Rhs, Statement, StatementKind, Trap};
use clef_mlir::{Block as MlirBlock, Value};

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
        for statement in &block.statements {
            self.statement(statement);
        }
        self.end(&block.end, to);
    }

    fn statement(&mut self, statement: &Statement) {
        self.at(statement.span);
        match &statement.kind {
            StatementKind::Let(local, rhs) => {
                let value = self.rhs(*local, rhs, statement.span);
                self.bind(*local, value);
            }
            StatementKind::Group(members) => self.closure_group(members),
        }
    }

    fn rhs(&mut self, local: LocalId, rhs: &Rhs, span: Span) -> Option<Value<'m>> {
        let ty = self.function.locals[local].ty;
        match rhs {
            Rhs::Atom(atom) => self.atom(atom),
            Rhs::Primitive(primitive, arguments) => self.primitive(*primitive, arguments, ty, span),
            Rhs::Intrinsic { intrinsic, arguments, allocation } => {
                self.intrinsic(*intrinsic, arguments, *allocation, ty, span)
            }
            Rhs::Concatenate { parts, allocation } => Some(self.concatenate(parts, *allocation)),
            Rhs::Call(call) => self.call(call),
            Rhs::Foreign { symbol, arguments } => self.foreign_call(*symbol, arguments, ty),
            Rhs::FunctionAddress(function) => Some(self.emit.symbol(self.shared.function_symbol(*function))),
            Rhs::Closure(make) => Some(self.closure(make)),
            Rhs::Arity(closure) => Some(self.arity(closure)),
            Rhs::Tuple(parts) => self.tuple(ty, parts),
            Rhs::Component(tuple, index) => self.component(tuple, *index),
            Rhs::Array { elements, allocation } => Some(self.array(ty, elements, *allocation)),
            Rhs::Inject { ty, case, fields, allocation } => self.inject(*ty, *case, fields, *allocation),
            Rhs::Tag(value) => Some(self.tag(value)),
            Rhs::Field { value, case, field } => self.field(value, *case, *field),
            Rhs::WriteField { value, case, field, content } => self.write_node_field(value, *case, *field, content),
            Rhs::Slot(value) => self.slot(value, ty),
            Rhs::ReadSlot(slot) => self.read_slot(slot, ty),
            Rhs::WriteSlot(slot, value) => self.write(slot, value),
            Rhs::MakeReference { value, allocation } => Some(self.make_reference(value, *allocation, ty)),
            Rhs::ReadReference(cell) => self.read(cell, ty),
            Rhs::WriteReference(cell, value) => self.write(cell, value),
            Rhs::ReadGlobal(global) => self.read_global(*global),
            Rhs::WriteGlobal(global, value) => self.write_global(*global, value),
            Rhs::EnterRegion => Some(self.enter_region(span)),
            Rhs::LeaveRegion(region) => self.leave_region(region),
            Rhs::Evacuate { moves, roots, globals, everywhere, masked } => {
                let roots = Roots { operands: roots, ty, globals, everywhere: *everywhere, masked: *masked };
                self.evacuate(moves, &roots, span)
            }
            Rhs::Scope(block) => self.scope(block, local),
            Rhs::While { condition, body } => self.repeat(condition, body),
        }
    }

    /// A nested block whose value is bound to a local.
    fn scope(&mut self, block: &Block, local: LocalId) -> Option<Value<'m>> {
        let after = self.parameter_block(&[local]);
        self.block(block, Destination::Goto(after));
        self.emit.position(after);
        after.arguments().first().copied()
    }

    fn repeat(&mut self, condition: &Block, body: &Block) -> Option<Value<'m>> {
        let truth = self.emit.bool();
        let (head, test) = (self.emit.block(&[]), self.emit.block(&[truth]));
        let (turn, after) = (self.emit.block(&[]), self.emit.block(&[]));
        self.emit.br(head, &[]);
        self.emit.position(head);
        self.block(condition, Destination::Goto(test));
        self.emit.position(test);
        self.emit.cond_br(test.argument(0), (turn, &[]), (after, &[]));
        self.emit.position(turn);
        self.block(body, Destination::Goto(head));
        self.emit.position(after);
        None
    }

    fn end(&mut self, end: &End, to: Destination<'m>) {
        match end {
            End::Yield(atom) => {
                let value = self.atom(atom);
                self.deliver(value, to);
            }
            End::TailCall { call, required, span } => {
                self.at(*span);
                self.tail_call(call, *required);
            }
            End::Continue(arguments) => {
                let arguments: Vec<Value<'m>> = arguments.iter().filter_map(|argument| self.atom(argument)).collect();
                if let Some(restart) = self.restart {
                    self.emit.br(restart, &arguments);
                }
            }
            End::If { condition, then, otherwise } => self.branch(condition, then, otherwise, to),
            End::Switch { scrutinee, cases, default } => self.switch(scrutinee, cases, default.as_deref(), to),
            End::Join { join, scope } => self.join(join, scope, to),
            End::Jump(join, arguments) => {
                let arguments: Vec<Value<'m>> = arguments.iter().filter_map(|argument| self.atom(argument)).collect();
                let block = self.joins[join];
                self.emit.br(block, &arguments);
            }
            End::Trap(trap, span) => {
                self.at(*span);
                self.trap(
                    match trap {
                        Trap::DivisionByZero => crate::runtime::DIVISION_BY_ZERO,
                        Trap::IndexOutOfRange => crate::runtime::INDEX_OUT_OF_RANGE,
                        Trap::NoMatch => crate::runtime::NO_MATCH,
                        Trap::Overflow => crate::runtime::OVERFLOW,
                    },
                    *span,
                );
            }
        }
    }

    /// Sends a value to its destination.
    pub(crate) fn deliver(&mut self, value: Option<Value<'m>>, to: Destination<'m>) {
        match to {
            Destination::Goto(block) => self.emit.br(block, value.as_slice()),
            Destination::Return if let Some(foreign) = self.foreign.clone() => self.exported_return(&foreign, value),
            Destination::Return => match (&self.returned, value, self.result_address) {
                (Returned::Through(repr), Some(value), Some(address)) => {
                    let access = self.access(repr);
                    self.emit.store(value, address, access);
                    self.emit.ret(None);
                }
                (Returned::Value(repr), Some(value), _) => {
                    let repr = repr.clone();
                    let value = self.unwrapped(value, &repr);
                    self.emit.ret(Some(value));
                }
                (_, value, _) => self.emit.ret(value),
            },
        }
    }

    fn branch(&mut self, condition: &Atom, then: &Block, otherwise: &Block, to: Destination<'m>) {
        let condition = self.value(condition);
        let (on_true, on_false) = (self.emit.block(&[]), self.emit.block(&[]));
        self.emit.cond_br(condition, (on_true, &[]), (on_false, &[]));
        self.emit.position(on_true);
        self.block(then, to);
        self.emit.position(on_false);
        self.block(otherwise, to);
    }

    fn switch(&mut self, scrutinee: &Atom, cases: &[(i128, Block)], default: Option<&Block>, to: Destination<'m>) {
        let scrutinee = self.value(scrutinee);
        let blocks: Vec<MlirBlock<'m>> = cases.iter().map(|_| self.emit.block(&[])).collect();
        let other = self.emit.block(&[]);
        let targets: Vec<(i64, MlirBlock<'m>, &[Value<'m>])> =
            cases.iter().zip(&blocks).map(|((value, _), block)| (*value as i64, *block, [].as_slice())).collect();
        self.emit.switch(scrutinee, (other, &[]), &targets);
        for ((_, case), block) in cases.iter().zip(blocks) {
            self.emit.position(block);
            self.block(case, to);
        }
        self.emit.position(other);
        match default {
            Some(default) => self.block(default, to),
            None => self.emit.unreachable(),
        }
    }

    fn join(&mut self, join: &Join, scope: &Block, to: Destination<'m>) {
        let block = self.parameter_block(&join.params);
        self.joins.insert(join.id, block);
        self.block(scope, to);
        self.emit.position(block);
        self.bind_all(&join.params, &block.arguments());
        self.block(&join.body, to);
    }
}
