//! Operations of a finished module, as the passes read and change them.
//!
//! A handle is valid until its operation is erased, which only [`Op::erase`] and [`Op::replace`] do.

use clef_base::internal::bug;
use melior::{
    StringRef,
    ir::{
        Attribute, BlockLike as _, BlockRef, Location, Module as MlirModule, OperationRef, RegionLike as _,
        Value as MlirValue, ValueLike as _,
        attribute::{BoolAttribute, FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute},
        block::BlockArgument,
        operation::{OperationLike, OperationMutLike as _, OperationRefMut, OperationResult, WalkOrder, WalkResult},
    },
};

use super::{Type, Value};

/// An operation of the module that lives for `'m`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Op<'m>(OperationRef<'m, 'm>);

/// All operations inside a module, outer ones first.
pub(crate) fn operations<'m>(module: &'m MlirModule<'m>) -> Vec<Op<'m>> {
    nested(&module.as_operation()).into_iter().skip(1).collect()
}

/// The operations of the module's own block: functions, globals and static slots.
pub(crate) fn top_level<'m>(module: &'m MlirModule<'m>) -> impl Iterator<Item = Op<'m>> {
    std::iter::successors(Op::first_of(module.body()), |op| op.next())
}

fn nested<'c: 'a, 'a, 'm>(root: &impl OperationLike<'c, 'a>) -> Vec<Op<'m>> {
    let mut found = Vec::new();
    root.walk(WalkOrder::PreOrder, |operation| {
        found.push(operation.to_raw());
        WalkResult::Advance
    });
    // SAFETY: the operations are in a module that lives for `'m`: callers pass its root or a handle of this lifetime.
    found.into_iter().map(|raw| Op(unsafe { OperationRef::from_raw(raw) })).collect()
}

/// The text of a string that MLIR keeps for as long as the context.
fn text<'m>(text: StringRef<'m>) -> &'m str {
    text.as_str().unwrap_or_default()
}

impl<'m> Op<'m> {
    /// The operation's full name.
    pub(crate) fn name(self) -> &'m str {
        let name = self.0.name();
        // SAFETY: the context keeps the text of an identifier, and it outlives every handle of this lifetime.
        text(unsafe { StringRef::from_raw(mlir_sys::mlirIdentifierStr(name.to_raw())) })
    }

    pub(crate) fn is(self, name: &str) -> bool {
        self.name() == name
    }

    pub(crate) fn location(self) -> Location<'m> {
        self.0.location()
    }

    /// The operations inside it.
    pub(crate) fn inner(self) -> Vec<Op<'m>> {
        nested(&self.0).into_iter().skip(1).collect()
    }

    pub(crate) fn operand_count(self) -> usize {
        self.0.operand_count()
    }

    pub(crate) fn operand(self, index: usize) -> Value<'m> {
        match self.0.operand(index) {
            Ok(value) => Value(value),
            Err(error) => bug("mlir", None, error.to_string()),
        }
    }

    /// The operands, with `clef.as_operand`s replaced by their sources.
    pub(crate) fn operands(self) -> Vec<Value<'m>> {
        self.raw_operands().into_iter().map(Value::behind_operand).collect()
    }

    /// The operands as written.
    pub(crate) fn raw_operands(self) -> Vec<Value<'m>> {
        self.0.operands().map(Value).collect()
    }

    pub(crate) fn result(self) -> Option<Value<'m>> {
        // If there is none, `result` would print the operation for its error, and number the whole module for that.
        let result = if self.0.result_count() == 0 { None } else { self.0.result(0).ok() };
        result.map(|result| Value(result.into()))
    }

    pub(crate) fn attribute(self, name: &str) -> Option<Attribute<'m>> {
        self.0.attribute(name).ok()
    }

    /// The symbol that an attribute refers to.
    pub(crate) fn symbol(self, name: &str) -> Option<&'m str> {
        FlatSymbolRefAttribute::try_from(self.attribute(name)?).ok().map(|symbol| symbol.value())
    }

    pub(crate) fn string(self, name: &str) -> Option<&'m str> {
        StringAttribute::try_from(self.attribute(name)?).ok().map(|string| string.value())
    }

    pub(crate) fn integer(self, name: &str) -> Option<i64> {
        IntegerAttribute::try_from(self.attribute(name)?).ok().map(|integer| integer.value())
    }

    pub(crate) fn flag(self, name: &str) -> bool {
        self.attribute(name).and_then(|flag| BoolAttribute::try_from(flag).ok()).is_some_and(|flag| flag.value())
    }

    pub(crate) fn type_attribute(self, name: &str) -> Option<Type<'m>> {
        TypeAttribute::try_from(self.attribute(name)?).ok().map(|ty| Type(ty.value()))
    }

    /// The parameters and the result of a function.
    pub(crate) fn llvm_signature(self) -> Option<(Vec<Type<'m>>, Option<Type<'m>>)> {
        self.type_attribute("function_type")?.llvm_signature()
    }

    /// The name that a symbol of the module has.
    pub(crate) fn sym_name(self) -> Option<&'m str> {
        self.string("sym_name")
    }

    fn changed(self, change: impl FnOnce(&mut OperationRefMut<'m, 'm>)) {
        // SAFETY: the operation lives, and no reference into it is held across the change.
        change(&mut unsafe { OperationRefMut::from_raw(self.0.to_raw()) });
    }

    pub(crate) fn set_attribute(self, name: &str, attribute: Attribute<'m>) {
        self.changed(|operation| operation.set_attribute(name, attribute));
    }

    pub(crate) fn remove_attribute(self, name: &str) {
        if self.attribute(name).is_some() {
            // An attribute that exists can be removed.
            self.changed(|operation| operation.remove_attribute(name).unwrap_or_default());
        }
    }

    pub(crate) fn set_location(self, location: Location<'m>) {
        self.changed(|operation| operation.set_location(location));
    }

    pub(crate) fn set_operands(self, operands: &[Value<'m>]) {
        let operands: Vec<_> = operands.iter().map(|operand| operand.0).collect();
        self.changed(|operation| operation.set_operands(&operands));
    }

    /// The block that contains it.
    pub(crate) fn block(self) -> BlockRef<'m, 'm> {
        self.0.block().unwrap_or_else(|| bug("mlir", None, "an operation is not in a block"))
    }

    /// The operation as melior's reference.
    pub(crate) fn reference(self) -> OperationRef<'m, 'm> {
        self.0
    }

    /// The blocks to which a terminator may continue.
    pub(crate) fn successors(self) -> Vec<BlockRef<'m, 'm>> {
        self.0.successors().collect()
    }

    /// The last operation of a block.
    pub(crate) fn terminator_of(block: BlockRef<'m, 'm>) -> Option<Self> {
        block.terminator().map(Op)
    }

    /// The first operation of a block.
    pub(crate) fn first_of(block: BlockRef<'m, 'm>) -> Option<Self> {
        // SAFETY: the module owns the operation for `'m`.
        block.first_operation().map(|first| Op(unsafe { OperationRef::from_raw(first.to_raw()) }))
    }

    /// Whether it comes before another operation of the same block.
    pub(crate) fn is_before(self, other: Op<'m>) -> bool {
        self.0 != other.0 && self.0.is_before_in_block(other.0)
    }

    /// Whether it is a call that ends its function.
    pub(crate) fn is_tail_call(self) -> bool {
        let marked = self.attribute("TailCallKind").is_some_and(|kind| kind.to_string() == "#llvm.tailcallkind<tail>");
        marked || self.flag("tail")
    }

    /// The operation that follows in the block.
    pub(crate) fn next(self) -> Option<Self> {
        // SAFETY: the module owns the operation for `'m`.
        self.0.next_in_block().map(|next| Op(unsafe { OperationRef::from_raw(next.to_raw()) }))
    }

    /// The function around it.
    pub(crate) fn function(self) -> Option<Op<'m>> {
        let parent = Op(self.0.parent_operation()?);
        if parent.is("llvm.func") { Some(parent) } else { parent.function() }
    }

    /// The blocks of its first region.
    pub(crate) fn blocks(self) -> Vec<BlockRef<'m, 'm>> {
        let region = if self.0.region_count() == 0 { None } else { self.0.region(0).ok() };
        let first = region.and_then(|region| region.first_block());
        std::iter::successors(first, |block| block.next_in_region())
            // SAFETY: the module owns the blocks for `'m`.
            .map(|block| unsafe { BlockRef::from_raw(block.to_raw()) })
            .collect()
    }

    /// The first parameter of a function.
    pub(crate) fn first_argument(self) -> Option<Value<'m>> {
        let argument = self.blocks().first()?.argument(0).ok()?;
        // SAFETY: the module owns the block for `'m`.
        Some(Value(unsafe { MlirValue::from_raw(argument.to_raw()) }))
    }

    /// Removes an operation whose results are not used.
    pub(crate) fn erase(self) {
        // SAFETY: the operation is in a block, nothing uses its results, and this was its last handle by contract.
        unsafe { mlir_sys::mlirOperationDestroy(self.0.to_raw()) };
    }

    /// Replaces the operation's result by a value and removes the operation.
    pub(crate) fn replace(self, with: Option<Value<'m>>) {
        if let (Some(old), Some(new)) = (self.result(), with) {
            // SAFETY: both values live in the module, and MLIR updates every use.
            unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(old.0.to_raw(), new.0.to_raw()) };
        }
        self.erase();
    }
}

impl<'m> Value<'m> {
    /// The operation that the value is a result of; none for an argument of a block.
    pub(crate) fn maker(self) -> Option<Op<'m>> {
        let result = OperationResult::try_from(self.0).ok()?;
        // SAFETY: the module owns the operation for `'m`.
        Some(Op(unsafe { OperationRef::from_raw(result.owner().to_raw()) }))
    }

    /// Whether the value is a parameter of its function: an argument of the first block.
    pub(crate) fn is_parameter(self) -> bool {
        let Ok(argument) = BlockArgument::try_from(self.0) else { return false };
        let owner = argument.owner();
        owner.parent_region().and_then(|region| region.first_block()).is_some_and(|first| first == owner)
    }

    /// The source of a `clef.as_operand`; any other value is itself.
    fn behind_operand(self) -> Value<'m> {
        self.maker().filter(|maker| maker.is("clef.as_operand")).map_or(self, |maker| maker.operand(0))
    }

    /// The operations that use the value, each with the index of the operand.
    pub(crate) fn uses(self) -> Vec<(Op<'m>, usize)> {
        let mut uses = Vec::new();
        // SAFETY: the value lives, and nothing changes its uses while they are listed; the owners live for `'m`.
        unsafe {
            let mut operand = mlir_sys::mlirValueGetFirstUse(self.0.to_raw());
            while !mlir_sys::mlirOpOperandIsNull(operand) {
                let owner = OperationRef::from_raw(mlir_sys::mlirOpOperandGetOwner(operand));
                uses.push((Op(owner), mlir_sys::mlirOpOperandGetOperandNumber(operand) as usize));
                operand = mlir_sys::mlirOpOperandGetNextUse(operand);
            }
        }
        uses
    }

    /// Whether nothing uses the value.
    pub(crate) fn is_unused(self) -> bool {
        // SAFETY: the value lives.
        unsafe { mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(self.0.to_raw())) }
    }

    /// Changes the type of the value. The caller ensures that makers and users agree.
    pub(crate) fn retype(self, ty: Type<'m>) {
        self.0.set_type(ty.0);
    }

    /// Whether the value is the first parameter of a function.
    pub(crate) fn is_first_argument_of(self, function: Op<'m>) -> bool {
        function.first_argument() == Some(self)
    }
}
