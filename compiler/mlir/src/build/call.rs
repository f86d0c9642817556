//! Calls of functions and of LLVM's intrinsics.

use clef_base::internal::bug;
use melior::ir::attribute::DenseI32ArrayAttribute;

use super::{
    Emit, Signature, Type, Value,
    attribute::{self, Named, named, segments},
};

/// Whether a call ends its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// An ordinary call.
    No,
    /// A tail call: a return of its result, or a return without one, must follow directly, and caller and callee have
    /// [`super::Convention::Tail`]. No pointer into the caller's frame may be among the arguments.
    Yes,
}

impl<'m> Emit<'m> {
    /// Calls a function of the module by its symbol.
    pub fn call(
        &mut self,
        callee: &str,
        signature: &Signature<'m>,
        arguments: &[Value<'m>],
        tail: Tail,
    ) -> Option<Value<'m>> {
        let callee = named(self.context, "callee", attribute::symbol(self.context, callee));
        self.call_with(vec![callee], signature, arguments, tail)
    }

    /// Calls a function by its address.
    pub fn call_indirect(
        &mut self,
        callee: Value<'m>,
        signature: &Signature<'m>,
        arguments: &[Value<'m>],
        tail: Tail,
    ) -> Option<Value<'m>> {
        self.call_with(Vec::new(), signature, &[&[callee], arguments].concat(), tail)
    }

    fn call_with(
        &mut self,
        mut attributes: Vec<Named<'m>>,
        signature: &Signature<'m>,
        operands: &[Value<'m>],
        tail: Tail,
    ) -> Option<Value<'m>> {
        attributes.extend([
            named(self.context, "CConv", self.convention(signature.convention)),
            segments(self.context, &[operands.len(), 0]),
            named(self.context, "op_bundle_sizes", DenseI32ArrayAttribute::new(self.context, &[])),
        ]);
        attributes.extend(self.argument_attributes(signature, &[]));
        attributes.extend(self.result_attributes(signature));
        if tail == Tail::Yes {
            let kind = attribute::parse(self.context, "#llvm.tailcallkind<tail>");
            attributes.push(named(self.context, "TailCallKind", kind));
        }
        self.maybe_value("llvm.call", operands, signature.result, &attributes)
    }

    /// Calls an intrinsic by its name without type suffixes, such as `llvm.ctpop`.
    pub fn intrinsic(&mut self, name: &str, result: Option<Type<'m>>, arguments: &[Value<'m>]) -> Option<Value<'m>> {
        let attributes = [
            named(self.context, "intrin", attribute::string(self.context, name)),
            segments(self.context, &[arguments.len(), 0]),
            named(self.context, "op_bundle_sizes", DenseI32ArrayAttribute::new(self.context, &[])),
        ];
        self.maybe_value("llvm.call_intrinsic", arguments, result, &attributes)
    }

    /// Calls an intrinsic that has a result.
    pub fn intrinsic_value(&mut self, name: &str, result: Type<'m>, arguments: &[Value<'m>]) -> Value<'m> {
        match self.intrinsic(name, Some(result), arguments) {
            Some(value) => value,
            None => bug("mlir", None, format!("`{name}` has no result")),
        }
    }

    /// Copies `size` bytes between ranges that do not overlap.
    pub fn memcpy(&mut self, to: Value<'m>, from: Value<'m>, size: Value<'m>) {
        let volatile = self.bconst(false);
        self.intrinsic("llvm.memcpy", None, &[to, from, size, volatile]);
    }

    /// Copies `size` bytes between ranges that may overlap.
    pub fn memmove(&mut self, to: Value<'m>, from: Value<'m>, size: Value<'m>) {
        let volatile = self.bconst(false);
        self.intrinsic("llvm.memmove", None, &[to, from, size, volatile]);
    }

    /// Fills `size` bytes.
    pub fn memset(&mut self, to: Value<'m>, byte: Value<'m>, size: Value<'m>) {
        let volatile = self.bconst(false);
        self.intrinsic("llvm.memset", None, &[to, byte, size, volatile]);
    }

    /// Writes assembly that reads these values from the first registers of Arm, `r0` and those after it.
    pub fn assembly(&mut self, text: &str, values: &[Value<'m>]) {
        let registers: Vec<String> = (0..values.len()).map(|index| format!("{{r{index}}}")).collect();
        let attributes = [
            named(self.context, "asm_string", attribute::string(self.context, text)),
            named(self.context, "constraints", attribute::string(self.context, &registers.join(","))),
            named(self.context, "has_side_effects", attribute::unit(self.context)),
        ];
        self.llvm_effect("llvm.inline_asm", values, &attributes);
    }

    /// Forbids LLVM to move accesses of memory over this place. It writes no instruction.
    pub fn compiler_fence(&mut self) {
        let attributes = [
            named(self.context, "asm_string", attribute::string(self.context, "")),
            named(self.context, "constraints", attribute::string(self.context, "~{memory}")),
            named(self.context, "has_side_effects", attribute::unit(self.context)),
        ];
        self.llvm_effect("llvm.inline_asm", &[], &attributes);
    }

    /// Stops the program by an illegal instruction.
    pub fn trap(&mut self) {
        self.intrinsic("llvm.trap", None, &[]);
    }

    pub(super) fn maybe_value(
        &mut self,
        name: &str,
        operands: &[Value<'m>],
        result: Option<Type<'m>>,
        attributes: &[Named<'m>],
    ) -> Option<Value<'m>> {
        match result {
            Some(ty) => Some(self.llvm(name, operands, ty, attributes)),
            None => {
                self.llvm_effect(name, operands, attributes);
                None
            }
        }
    }
}
