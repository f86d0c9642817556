//! Calls: of a known function, of a closure whose code is known, of any closure, and tail calls.

use crate::{
    abi::{Abi, Returned, machine_type},
    block::Destination,
    code::Code,
    function::FunctionEmitter,
    layout::Repr,
    trampoline::Thunk,
};
use clef_core::{Call, Callee, FunctionId};
use clef_descriptors::TailCalls;
use clef_mlir::{Tail, Value};

/// A callee that is ready to be called.
#[derive(Clone, Copy)]
pub(crate) enum Target<'m> {
    /// A function by its symbol, with the closure if it takes one.
    Code(FunctionId, Option<Value<'m>>),
    /// A closure with unknown code.
    Closure(Value<'m>),
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A call that is not in tail position.
    pub(crate) fn call(&mut self, call: &Call) -> Option<Value<'m>> {
        let (abi, target) = self.target(call);
        let arguments = self.arguments(call);
        let trampolined = self.code.is_trampolined(target);
        self.code.plain_call(&abi, trampolined, |code, result_address| {
            let arguments = [result_address, &arguments].concat();
            code.call_target(&abi, target, &arguments, Tail::No)
        })
    }

    /// A call whose result is the function's.
    pub(crate) fn tail_call(&mut self, call: &Call, required: bool) {
        // An exported function has the C convention, from which LLVM makes no tail call into Clef's; and what is put into a
        // hole must return first.
        if self.exit.is_exported() || self.has_holes() {
            let result = self.call(call);
            return self.deliver(result, Destination::Return);
        }
        let (abi, target) = self.target(call);
        let arguments = self.arguments(call);
        match self.code.shared.target.tail_calls {
            TailCalls::Native => {
                let arguments = [self.exit.result_address().as_slice(), &arguments].concat();
                let result = self.code.call_target(&abi, target, &arguments, Tail::Yes);
                self.code.emit.ret(result);
            }
            TailCalls::Trampoline if required => {
                self.code.defer_call(&Thunk::new(&self.code, &abi, target), target, &arguments);
            }
            TailCalls::Trampoline => {
                let result = self.call(call);
                self.deliver(result, Destination::Return);
            }
        }
    }

    /// The callee of a call, and how it is called.
    fn target(&mut self, call: &Call) -> (Abi, Target<'m>) {
        match &call.callee {
            Callee::Known(function) => (self.code.shared.abi(*function), Target::Code(*function, None)),
            Callee::Direct(function, closure) => {
                let closure = self.value(closure);
                (self.code.shared.abi(*function), Target::Code(*function, Some(closure)))
            }
            Callee::Closure(closure) => {
                let ty = self.locals.atom_type(closure);
                let Some((params, result)) = self.code.shared.program.types.uncurry(ty, call.arguments.len()) else {
                    self.code.bug("a closure is called with more arguments than its type has")
                };
                let abi = Abi::new(&self.code.shared.layouts, params, call.regions.len(), result);
                (abi, Target::Closure(self.value(closure)))
            }
        }
    }

    fn arguments(&mut self, call: &Call) -> Vec<Value<'m>> {
        self.atoms(call.arguments.iter().chain(&call.regions))
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// Calls with complete arguments: the address of a large result comes first.
    pub(crate) fn call_target(
        &mut self,
        abi: &Abi,
        target: Target<'m>,
        arguments: &[Value<'m>],
        tail: Tail,
    ) -> Option<Value<'m>> {
        let signature = abi.signature(&self.emit);
        match target {
            Target::Code(function, None) => {
                self.emit.call(self.shared.function_symbol(function), &signature, arguments, tail)
            }
            Target::Code(function, Some(closure)) => {
                let signature = signature.with_first(self.emit.ptr());
                let arguments = [&[closure], arguments].concat();
                self.emit.call(self.shared.function_symbol(function), &signature, &arguments, tail)
            }
            Target::Closure(closure) => self.emit.closure_invoke(closure, &signature, arguments, tail),
        }
    }

    /// Makes a call that is no tail call: allocates the buffer for a large result, and then makes the calls that the
    /// callee left to the trampoline. `call` receives the address of the result, if there is one.
    pub(crate) fn plain_call(
        &mut self,
        abi: &Abi,
        trampolined: bool,
        call: impl FnOnce(&mut Self, &[Value<'m>]) -> Option<Value<'m>>,
    ) -> Option<Value<'m>> {
        let (Returned::Through(repr), Some(ty)) = (&abi.returned, self.returned_type(abi)) else {
            let mut result = call(self, &[]);
            if trampolined {
                result = self.run_trampoline(abi, result, &[]);
            }
            let Returned::Value(repr) = &abi.returned else { return result };
            return result.map(|result| self.wrapped(result, repr));
        };
        let access = self.access(repr);
        let address = self.emit.alloca(ty, access.align);
        let result = call(self, &[address]);
        if trampolined {
            self.run_trampoline(abi, result, &[address]);
        }
        Some(self.emit.load(ty, address, access))
    }

    /// The innermost member of a value whose structs have one member each.
    pub(crate) fn unwrapped(&mut self, value: Value<'m>, repr: &Repr) -> Value<'m> {
        let Some(member) = repr.only_member() else { return value };
        let Some(ty) = machine_type(&self.emit, member) else { return value };
        let inner = self.emit.extract(value, 0, ty);
        self.unwrapped(inner, member)
    }

    /// The value whose innermost member is `innermost`.
    fn wrapped(&mut self, innermost: Value<'m>, repr: &Repr) -> Value<'m> {
        let (Some(member), Some(ty)) = (repr.only_member(), machine_type(&self.emit, repr)) else { return innermost };
        let inner = self.wrapped(innermost, member);
        let undef = self.emit.undef(ty);
        self.emit.insert(undef, 0, inner)
    }

    fn returned_type(&self, abi: &Abi) -> Option<clef_mlir::Type<'m>> {
        match &abi.returned {
            Returned::Nothing => None,
            Returned::Value(repr) | Returned::Through(repr) => machine_type(&self.emit, repr),
        }
    }

    /// Whether a callee may return to the trampoline instead of making a tail call.
    fn is_trampolined(&self, target: Target<'m>) -> bool {
        match target {
            Target::Code(function, _) => self.shared.trampolines.known(function),
            Target::Closure(_) => self.shared.trampolines.any_closure(),
        }
    }
}
