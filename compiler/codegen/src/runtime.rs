//! The runtime's functions, as ARCHITECTURE.md lists them, and how generated code calls them.

use crate::code::Code;
use clef_base::Span;
use clef_mlir::{Function as MlirFunction, Signature, Tail, Type as MlirType, Value};

/// Trap: an integer division by zero.
pub(crate) const DIVISION_BY_ZERO: u32 = 0;
/// Trap: an index out of range.
pub(crate) const INDEX_OUT_OF_RANGE: u32 = 1;
/// Trap: no arm of a match matched.
pub(crate) const NO_MATCH: u32 = 2;
/// Trap: an assertion failed.
pub(crate) const ASSERTION_FAILED: u32 = 5;
/// Trap: the result of checked arithmetic does not fit.
pub(crate) const OVERFLOW: u32 = 6;
/// Trap kind: an array of negative length.
pub(crate) const NEGATIVE_LENGTH: u32 = 8;

impl<'m> Code<'_, '_, 'm> {
    /// Calls a function of the runtime that has a result.
    pub(crate) fn runtime(&mut self, name: &str, result: MlirType<'m>, arguments: &[Value<'m>]) -> Value<'m> {
        let signature = self.runtime_signature(arguments, Some(result));
        self.emit.declare(name, &signature);
        match self.emit.call(name, &signature, arguments, Tail::No) {
            Some(value) => value,
            None => clef_base::internal::bug("generate", None, "a call has no result"),
        }
    }

    /// Calls a function of the runtime for its effect.
    pub(crate) fn runtime_effect(&mut self, name: &str, arguments: &[Value<'m>]) {
        let signature = self.runtime_signature(arguments, None);
        self.emit.declare(name, &signature);
        self.emit.call(name, &signature, arguments, Tail::No);
    }

    /// Calls a function of the runtime that does not return; the block ends.
    pub(crate) fn runtime_end(&mut self, name: &str, arguments: &[Value<'m>]) {
        let signature = self.runtime_signature(arguments, None);
        let declaration = MlirFunction::new(name, signature.clone()).external().attribute("noreturn").attribute("cold");
        self.emit.declare_function(&declaration);
        self.emit.call(name, &signature, arguments, Tail::No);
        self.emit.unreachable();
    }

    /// Stops the program and reports the trap's kind and location; the block ends.
    pub(crate) fn trap(&mut self, kind: u32, span: Span) {
        let ty = self.emit.int(32);
        let kind = self.emit.iconst(ty, i64::from(kind));
        let site = self.site(span);
        self.runtime_end("clef_trap", &[kind, site]);
    }

    /// Traps unless a condition holds; otherwise continues.
    pub(crate) fn trap_unless(&mut self, condition: Value<'m>, kind: u32, span: Span) {
        let (good, bad) = (self.emit.block(&[]), self.emit.block(&[]));
        self.emit.cond_br(condition, (good, &[]), (bad, &[]));
        self.emit.position(bad);
        self.trap(kind, span);
        self.emit.position(good);
    }

    fn runtime_signature(&self, arguments: &[Value<'m>], result: Option<MlirType<'m>>) -> Signature<'m> {
        Signature::c(arguments.iter().map(|argument| argument.ty()).collect::<Vec<_>>(), result)
    }
}
