//! The cursor that writes a function's body, and handles for what it has written.

use std::{fmt, ops::Deref};

use clef_base::internal::bug;
use melior::ir::{
    Block as MlirBlock, BlockLike as _, BlockRef, Location, Operation, OperationRef, RegionLike as _, RegionRef,
    Value as MlirValue, ValueLike as _,
    operation::{OperationBuilder, OperationLike as _},
};

use super::view::Op;
use super::{
    Build, Type,
    attribute::{self, Named},
    debug::{CallPlace, Scope},
};

/// A value: a result of an operation or an argument of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Value<'m>(pub(crate) MlirValue<'m, 'm>);

impl<'m> Value<'m> {
    /// Its type.
    pub fn ty(self) -> Type<'m> {
        Type(self.0.r#type())
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A basic block of the function being written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Block<'m>(pub(super) BlockRef<'m, 'm>);

impl<'m> Block<'m> {
    /// An argument of the block.
    pub fn argument(self, index: usize) -> Value<'m> {
        match self.0.argument(index) {
            // SAFETY: the function owns the block, and both live for `'m`.
            Ok(argument) => Value(unsafe { MlirValue::from_raw(argument.to_raw()) }),
            Err(error) => bug("mlir", None, error.to_string()),
        }
    }

    /// All arguments of the block.
    pub fn arguments(self) -> Vec<Value<'m>> {
        (0..self.0.argument_count()).map(|index| self.argument(index)).collect()
    }

    /// Whether the block ends in a terminator.
    pub fn is_terminated(self) -> bool {
        self.0.terminator().is_some()
    }
}

/// Writes operations at the end of the current block, with the current location.
///
/// It is also a [`Build`]: types, globals and other functions can be made while a body is being written.
pub struct Emit<'m> {
    build: Build<'m>,
    body: RegionRef<'m, 'm>,
    entry: Block<'m>,
    cursor: Block<'m>,
    /// The operation before which the others go; if there is none, they go to the end of the block.
    before: Option<OperationRef<'m, 'm>>,
    at: Location<'m>,
    pub(super) scope: Option<Scope<'m>>,
    /// The replaced call whose code is being written.
    pub(super) call: Option<CallPlace<'m>>,
}

impl<'m> Deref for Emit<'m> {
    type Target = Build<'m>;

    fn deref(&self) -> &Build<'m> {
        &self.build
    }
}

impl<'m> Emit<'m> {
    pub(super) fn in_function(build: Build<'m>, function: OperationRef<'m, 'm>, at: Location<'m>) -> Self {
        let body = function.region(0).ok();
        let entry = body.and_then(|body| body.first_block());
        match (body, entry) {
            (Some(body), Some(entry)) => {
                // SAFETY: the module owns the function, its region and the block, and it lives for `'m`.
                let (body, entry) =
                    unsafe { (RegionRef::from_raw(body.to_raw()), Block(BlockRef::from_raw(entry.to_raw()))) };
                Emit { build, body, entry, cursor: entry, before: None, at, scope: None, call: None }
            }
            _ => bug("mlir", None, "a function to be defined has no entry block"),
        }
    }

    /// A cursor before an operation of a finished function, with its location.
    pub(crate) fn before(build: Build<'m>, op: Op<'m>) -> Self {
        match op.function() {
            Some(function) => {
                let emit = Emit::in_function(build, function.reference(), op.location());
                Emit { cursor: Block(op.block()), before: Some(op.reference()), ..emit }
            }
            None => bug("mlir", None, format!("`{}` is not in a function", op.name())),
        }
    }

    /// The parameters of the function.
    pub fn arguments(&self) -> Vec<Value<'m>> {
        self.entry.arguments()
    }

    /// Sets the source location of the operations that follow.
    pub fn at(&mut self, file: &str, line: usize, column: usize) {
        let at = Location::new(self.context, file, line, column);
        let at = self.scope.map_or(at, |scope| self.scoped(file, at, scope));
        self.at = self.call.map_or(at, |call| call.around(at));
    }

    /// Appends a block with arguments of these types; the cursor does not move.
    pub fn block(&mut self, arguments: &[Type<'m>]) -> Block<'m> {
        let arguments: Vec<_> = arguments.iter().map(|argument| (argument.0, self.at)).collect();
        let block = self.body.append_block(MlirBlock::new(&arguments));
        // SAFETY: the function owns the block, and it lives for `'m`.
        Block(unsafe { BlockRef::from_raw(block.to_raw()) })
    }

    /// The block that the cursor is in.
    pub fn current(&self) -> Block<'m> {
        self.cursor
    }

    /// The block that the function starts in.
    pub fn entry(&self) -> Block<'m> {
        self.entry
    }

    /// Moves the cursor to the end of a block.
    pub fn position(&mut self, block: Block<'m>) {
        self.cursor = block;
        self.before = None;
    }

    /// Whether the current block has its terminator, so that nothing may follow.
    pub fn is_terminated(&self) -> bool {
        self.cursor.is_terminated()
    }

    /// Starts an operation at the current location.
    pub(super) fn op(&self, name: &str) -> OperationBuilder<'m> {
        attribute::operation(name, self.at)
    }

    /// Appends an operation.
    pub(super) fn push(&mut self, operation: OperationBuilder<'m>) -> OperationRef<'m, 'm> {
        let operation = attribute::finish(operation);
        let operation = match self.before {
            Some(before) => self.cursor.0.insert_operation_before(before, operation),
            None => self.cursor.0.append_operation(operation),
        };
        // SAFETY: the block owns the operation, and it lives for `'m`.
        unsafe { OperationRef::from_raw(operation.to_raw()) }
    }

    /// Appends an operation with one result.
    pub(super) fn push_value(&mut self, operation: OperationBuilder<'m>) -> Value<'m> {
        let operation = self.push(operation);
        result(operation)
    }

    /// The first operation of the function.
    pub(super) fn first(&self) -> Option<Op<'m>> {
        Op::first_of(self.entry.0)
    }

    /// Inserts an operation without operands before everything else in the entry block.
    pub(super) fn push_first(&mut self, operation: Operation<'m>) -> Value<'m> {
        let operation = self.entry.0.insert_operation(0, operation);
        // SAFETY: the block owns the operation, and it lives for `'m`.
        result(unsafe { OperationRef::from_raw(operation.to_raw()) })
    }

    /// Inserts an operation after the one that makes `value`, in the entry block.
    pub(super) fn push_behind(&mut self, value: Value<'m>, operation: Operation<'m>) -> Value<'m> {
        let maker = melior::ir::operation::OperationResult::try_from(value.0)
            .unwrap_or_else(|error| bug("mlir", None, error.to_string()));
        let operation = self.entry.0.insert_operation_after(maker.owner(), operation);
        // SAFETY: the block owns the operation, and it lives for `'m`.
        result(unsafe { OperationRef::from_raw(operation.to_raw()) })
    }

    /// Appends an operation of the `llvm` dialect with one result.
    pub(super) fn llvm(
        &mut self,
        name: &str,
        operands: &[Value<'m>],
        result: Type<'m>,
        attributes: &[Named<'m>],
    ) -> Value<'m> {
        let operands = self.plain(operands);
        let operation = self.op(name).add_operands(&operands).add_results(&[result.0]).add_attributes(attributes);
        self.push_value(operation)
    }

    /// Appends an operation of the `llvm` dialect without results.
    pub(super) fn llvm_effect(&mut self, name: &str, operands: &[Value<'m>], attributes: &[Named<'m>]) {
        let operands = self.plain(operands);
        let operation = self.op(name).add_operands(&operands).add_attributes(attributes);
        self.push(operation);
    }

    /// The values as operands of the `llvm` dialect, which carries closures and regions as pointers.
    pub(super) fn plain(&mut self, values: &[Value<'m>]) -> Vec<MlirValue<'m, 'm>> {
        values.iter().map(|&value| self.as_pointer(value).0).collect()
    }
}

/// The only result of an operation.
fn result<'m>(operation: OperationRef<'m, 'm>) -> Value<'m> {
    match operation.result(0) {
        // SAFETY: the operation lives in the module for `'m`, and so does its result.
        Ok(result) => Value(unsafe { MlirValue::from_raw(result.to_raw()) }),
        Err(error) => bug("mlir", None, error.to_string()),
    }
}
