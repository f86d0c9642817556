//! Tail calls on targets where LLVM has none (Thumb-1): the function returns, and its caller makes the call.
//!
//! A tail call that must take constant stack stores its arguments in a static buffer and the address of a *thunk* in
//! `_clef.trampoline.target`, and returns. Every call of a function that may do so is followed by a loop, the trampoline,
//! which takes and calls the pending thunk until there is none; a thunk loads the arguments and makes the call. This is
//! the technique of Ganz, Friedman and Wand ("Trampolined style", ICFP 1999) with the pending call in static memory, since
//! at most one is pending at a time. An interrupt handler saves the two globals on entry and restores them on exit.
//!
//! In: the calls that Core requires to be tail calls. Out: the globals, the thunks, and the code that sets and runs them.

use crate::{
    abi::{Abi, Returned, machine_type},
    call::Target as CallTarget,
    code::Code,
    layout::{Layouts, Repr},
    locals::operand_type,
};
use clef_base::{HashMap, HashSet};
use clef_core::{Call, Callee, Convention, End, Function, FunctionId, Program};
use clef_descriptors::{TailCalls, Target};
use clef_mlir::{Build, Constant, Function as MlirFunction, Global, IntPredicate, Memory, Signature, Tail, Value};
use clef_types::Type;
use std::cell::RefCell;

/// The address of the pending thunk, or null.
const TARGET: &str = "_clef.trampoline.target";
/// The arguments that the thunk loads.
const ARGUMENTS: &str = "_clef.trampoline.arguments";
/// The alignment of the arguments: that of the largest machine value.
const ARGUMENTS_ALIGN: u64 = 8;

/// Which functions may use the trampoline.
pub(crate) struct Trampolines {
    functions: HashSet<FunctionId>,
    any_closure: bool,
    /// The size of the largest arguments in bytes.
    buffer: u64,
    /// The numbers of the thunks that call a closure, by calling convention.
    closures: RefCell<HashMap<Abi, usize>>,
}

impl Trampolines {
    /// Finds the functions of a program that make a required tail call, if the target needs the trampoline for them.
    pub(crate) fn find(program: &Program, target: &Target) -> Trampolines {
        let mut found =
            Trampolines { functions: HashSet::default(), any_closure: false, buffer: 0, closures: RefCell::default() };
        match target.tail_calls {
            TailCalls::Native => return found,
            TailCalls::Trampoline => {}
        }
        let layouts = Layouts::new(program, target);
        for (id, function) in program.functions.iter() {
            function.body.each(&mut |block| {
                let End::TailCall { call, required: true, .. } = &block.end else { return };
                found.functions.insert(id);
                found.any_closure |= matches!(function.convention, Convention::Closure { .. });
                let params = argument_types(program, function, call);
                let reprs = params.iter().map(|param| layouts.repr(*param)).filter(|repr| *repr != Repr::Unit);
                let regions = call.regions.iter().map(|_| Repr::Pointer);
                let reprs = [Repr::Pointer].into_iter().chain(reprs).chain(regions);
                found.buffer = found.buffer.max(layouts.extent(&Repr::Struct(reprs.collect())).size.0);
            });
        }
        found
    }

    /// Whether a function may use the trampoline.
    pub(crate) fn known(&self, function: FunctionId) -> bool {
        self.functions.contains(&function)
    }

    /// Whether any function may use the trampoline.
    fn any(&self) -> bool {
        !self.functions.is_empty()
    }

    /// The number of the thunk that calls a closure by this calling convention.
    fn closure_thunk(&self, abi: &Abi) -> usize {
        let mut closures = self.closures.borrow_mut();
        let next = closures.len();
        *closures.entry(abi.clone()).or_insert(next)
    }

    /// Whether any closure may use the trampoline.
    pub(crate) fn any_closure(&self) -> bool {
        self.any_closure
    }
}

/// The types of a call's explicit arguments.
fn argument_types(program: &Program, function: &Function, call: &Call) -> Vec<Type> {
    match &call.callee {
        Callee::Known(callee) | Callee::Direct(callee, _) => {
            let callee = &program.functions[*callee];
            callee.params.iter().map(|param| callee.locals[*param].ty).collect()
        }
        Callee::Closure(closure) => {
            let ty = operand_type(function, closure);
            program.types.uncurry(ty, call.arguments.len()).map_or_else(Vec::new, |(params, _)| params)
        }
    }
}

/// The function that makes a pending call.
pub(crate) struct Thunk {
    abi: Abi,
    symbol: String,
    /// The closure if there is one, and the arguments.
    stored: Vec<Repr>,
    /// Bytes from the start of the buffer, for each.
    offsets: Vec<u64>,
}

impl Thunk {
    pub(crate) fn new<'m>(code: &Code<'_, '_, 'm>, abi: &Abi, target: CallTarget<'m>) -> Thunk {
        let (symbol, closure) = match target {
            CallTarget::Code(function, closure) => {
                (format!("_clef.trampoline.to.{}", code.shared.function_symbol(function)), closure.is_some())
            }
            CallTarget::Closure(_) => {
                let number = code.shared.trampolines.closure_thunk(abi);
                (format!("_clef.trampoline.closure.{number}"), true)
            }
        };
        let params = abi.params.iter().filter(|param| **param != Repr::Unit).cloned();
        let stored: Vec<Repr> = closure.then_some(Repr::Pointer).into_iter().chain(params).collect();
        let mut offset = 0u64;
        let offsets = stored.iter().map(|repr| {
            let extent = code.shared.layouts.extent(repr);
            let start = offset.next_multiple_of(extent.align.0);
            offset = start + extent.size.0;
            start
        });
        let offsets = offsets.collect();
        Thunk { abi: abi.clone(), symbol, stored, offsets }
    }
}

/// A pending call that an interrupt handler has saved in its frame.
#[derive(Clone, Copy)]
pub(crate) struct PendingCall<'m> {
    /// The address of the thunk, or null.
    target: Value<'m>,
    /// The address of a copy of the arguments.
    arguments: Value<'m>,
}

impl<'m> Code<'_, '_, 'm> {
    /// Returns from the function: the trampoline of its caller will call `target`.
    pub(crate) fn defer_call(&mut self, thunk: &Thunk, target: CallTarget<'m>, arguments: &[Value<'m>]) {
        self.declare_pending_call();
        self.define_thunk(thunk, target);
        let closure = match target {
            CallTarget::Code(_, closure) => closure,
            CallTarget::Closure(closure) => Some(closure),
        };
        let buffer = self.emit.symbol(ARGUMENTS);
        let values: Vec<Value<'m>> = closure.into_iter().chain(arguments.iter().copied()).collect();
        for ((value, repr), offset) in values.into_iter().zip(&thunk.stored).zip(&thunk.offsets) {
            let address = self.emit.offset(buffer, *offset as i32);
            let access = self.access(repr);
            self.emit.store(value, address, access);
        }
        let address = self.emit.symbol(&thunk.symbol);
        let due = self.emit.symbol(TARGET);
        let access = self.access(&Repr::Pointer);
        self.emit.store(address, due, access);
        let result = match &thunk.abi.returned {
            Returned::Value(repr) => machine_type(&self.emit, repr.innermost()).map(|ty| self.emit.undef(ty)),
            Returned::Nothing | Returned::Through(_) => None,
        };
        self.emit.ret(result);
    }

    /// After a call that returned `result`, makes the pending calls.
    pub(crate) fn run_trampoline(
        &mut self,
        abi: &Abi,
        result: Option<Value<'m>>,
        result_address: &[Value<'m>],
    ) -> Option<Value<'m>> {
        self.declare_pending_call();
        let types: Vec<clef_mlir::Type<'m>> = result.iter().map(|result| result.ty()).collect();
        let (check, run, done) = (self.emit.block(&types), self.emit.block(&[]), self.emit.block(&[]));
        let access = self.access(&Repr::Pointer);
        self.emit.br(check, result.as_slice());
        self.emit.position(check);
        let (due, null, pointer) = (self.emit.symbol(TARGET), self.emit.null(), self.emit.ptr());
        let thunk = self.emit.load(pointer, due, access);
        let is_due = self.emit.icmp(IntPredicate::Ne, thunk, null);
        self.emit.cond_br(is_due, (run, &[]), (done, &[]));
        self.emit.position(run);
        self.emit.store(null, due, access);
        let signature = thunk_signature(&self.emit, abi);
        let next = self.emit.call_indirect(thunk, &signature, result_address, Tail::No);
        self.emit.br(check, next.as_slice());
        self.emit.position(done);
        check.arguments().first().copied()
    }

    /// In an interrupt handler, saves the call that the interrupted program may just have stored, so that it is not
    /// made here. Without trampolines there is none.
    pub(crate) fn save_pending_call(&mut self) -> Option<PendingCall<'m>> {
        if !self.shared.trampolines.any() {
            return None;
        }
        self.declare_pending_call();
        let (due, null, pointer) = (self.emit.symbol(TARGET), self.emit.null(), self.emit.ptr());
        let access = self.access(&Repr::Pointer);
        let target = self.emit.load(pointer, due, access);
        self.emit.store(null, due, access);
        let bytes = self.emit.array(self.emit.int(8), self.shared.trampolines.buffer as u32);
        let arguments = self.emit.alloca(bytes, ARGUMENTS_ALIGN);
        let (buffer, size) = (self.emit.symbol(ARGUMENTS), self.word_constant(self.shared.trampolines.buffer));
        self.emit.memcpy(arguments, buffer, size);
        Some(PendingCall { target, arguments })
    }

    /// Restores what [`Code::save_pending_call`] saved.
    pub(crate) fn restore_pending_call(&mut self, saved: PendingCall<'m>) {
        let (due, buffer) = (self.emit.symbol(TARGET), self.emit.symbol(ARGUMENTS));
        let size = self.word_constant(self.shared.trampolines.buffer);
        self.emit.memcpy(buffer, saved.arguments, size);
        let access = self.access(&Repr::Pointer);
        self.emit.store(saved.target, due, access);
    }

    fn declare_pending_call(&self) {
        let build = &self.shared.build;
        let pointer = self.shared.layouts.extent(&Repr::Pointer).align.0;
        build.global(&Global::variable(TARGET, Constant::Zero(build.ptr())).align(pointer));
        let bytes = build.array(build.int(8), self.shared.trampolines.buffer as u32);
        build.global(&Global::variable(ARGUMENTS, Constant::Zero(bytes)).align(ARGUMENTS_ALIGN));
    }

    /// Defines the function that loads the arguments and makes the call.
    fn define_thunk(&self, thunk: &Thunk, target: CallTarget<'m>) {
        let build = &self.shared.build;
        if build.has_symbol(&thunk.symbol) {
            return;
        }
        let signature = thunk_signature(build, &thunk.abi);
        let definition = MlirFunction::new(&thunk.symbol, signature);
        let mut code = Code::new(self.shared, build.define(&definition), None);
        let buffer = code.emit.symbol(ARGUMENTS);
        let mut values = Vec::with_capacity(thunk.stored.len());
        for (repr, offset) in thunk.stored.iter().zip(&thunk.offsets) {
            let Some(ty) = machine_type(build, repr) else { continue };
            let address = code.emit.offset(buffer, *offset as i32);
            let access = Memory::aligned(self.shared.layouts.extent(repr).align.0);
            values.push(code.emit.load(ty, address, access));
        }
        let target = match target {
            CallTarget::Code(function, None) => CallTarget::Code(function, None),
            CallTarget::Code(function, Some(_)) => CallTarget::Code(function, Some(values.remove(0))),
            CallTarget::Closure(_) => CallTarget::Closure(values.remove(0)),
        };
        let arguments = [code.emit.arguments(), values].concat();
        let result = code.call_target(&thunk.abi, target, &arguments, Tail::No);
        code.emit.ret(result);
    }
}

/// A thunk takes the address of a large result, and returns the result of the call.
fn thunk_signature<'m>(build: &Build<'m>, abi: &Abi) -> Signature<'m> {
    let none = Abi { params: Vec::new(), returned: abi.returned.clone() };
    none.signature(build)
}
