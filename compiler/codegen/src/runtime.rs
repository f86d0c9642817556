//! The runtime's functions, as ARCHITECTURE.md lists them, and how generated code calls them.

use crate::{code::Code, site as sites};
use clef_base::Span;
use clef_mlir::{Function as MlirFunction, Signature, Tail, Type as MlirType, Value};
use clef_types::trap::{TrapCause, stop};

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

    /// Stops the program and reports the cause and the place; the block ends.
    pub(crate) fn trap(&mut self, cause: TrapCause, span: Span) {
        if let Some(sites) = self.shared.sites() {
            let site = sites.number(cause.message(), self.shared.place_text(span));
            return self.stop(stop::FIXED, site, &[]);
        }
        let ty = self.emit.int(32);
        let cause = self.emit.iconst(ty, cause.number().into());
        let site = self.site(span);
        self.runtime_end("clef_trap", &[cause, site]);
    }

    /// Stops the program and reports a message from memory, by its address and length, or a text in quotes and the message
    /// after it; the block ends.
    pub(crate) fn trap_with(&mut self, text: Option<[Value<'m>; 2]>, message: [Value<'m>; 2], span: Span) {
        let texts: Vec<Value<'m>> = text.into_iter().flatten().chain(message).collect();
        let (code, function) = match text {
            None => (stop::MESSAGE, "clef_trap_message"),
            Some(_) => (stop::TEXT, "clef_trap_text"),
        };
        if let Some(sites) = self.shared.sites() {
            let site = sites.number("", self.shared.place_text(span));
            return self.stop(code, site, &texts);
        }
        let site = self.site(span);
        self.runtime_end(function, &[texts.as_slice(), &[site]].concat());
    }

    /// Stops the processor at an undefined instruction, with values in the first registers; the block ends.
    fn stop(&mut self, code: u8, site: u32, values: &[Value<'m>]) {
        self.emit.assembly(&sites::instruction(code, site), values);
        self.emit.unreachable();
    }

    /// Traps unless a condition holds; otherwise continues.
    pub(crate) fn trap_unless(&mut self, condition: Value<'m>, cause: TrapCause, span: Span) {
        let (good, bad) = (self.emit.block(&[]), self.emit.block(&[]));
        self.emit.cond_br(condition, (good, &[]), (bad, &[]));
        self.emit.position(bad);
        self.trap(cause, span);
        self.emit.position(good);
    }

    fn runtime_signature(&self, arguments: &[Value<'m>], result: Option<MlirType<'m>>) -> Signature<'m> {
        Signature::c(arguments.iter().map(|argument| argument.ty()).collect::<Vec<_>>(), result)
    }
}
