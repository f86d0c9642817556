//! Tail calls on targets where LLVM has none (Thumb-1): the function returns, and its caller makes the call.
//!
//! A tail call that must take constant stack stores its arguments in a static buffer and the address of a *landing* in
//! `_clef.bounce.target`, and returns. Every call of a function that may do so is followed by a loop that takes and
//! calls the pending landing until there is none; a landing loads the arguments and makes the call. This is the
//! trampoline of Ganz, Friedman and Wand ("Trampolined style", ICFP 1999) with the pending call in static memory, since
//! at most one is pending at a time. An interrupt handler saves the two globals on entry and restores them on exit.

use crate::{
    abi::{Abi, Returned, machine_type},
    call::Target as CallTarget,
    function::{FunctionEmitter, operand_type},
    layout::{Layouts, Repr},
};
use clef_core::{Call, Callee, Convention, End, Function, FunctionId, Program};
use clef_descriptors::{TailCalls, Target};
use clef_mlir::{Build, Constant, Function as MlirFunction, Global, IntPredicate, Memory, Signature, Tail, Value};
use clef_types::Type;
use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
};

/// The address of the pending landing, or null.
const TARGET: &str = "_clef.bounce.target";
/// The arguments that the landing loads.
const ARGUMENTS: &str = "_clef.bounce.arguments";
/// The alignment of the arguments: that of the largest machine value.
const ARGUMENTS_ALIGN: u64 = 8;

/// Which functions may use the trampoline.
pub(crate) struct Bounces {
    functions: HashSet<FunctionId>,
    any_closure: bool,
    /// The size of the largest arguments in bytes.
    buffer: u64,
    /// The numbers of the landings that call a closure, by calling convention.
    closures: RefCell<HashMap<Abi, usize>>,
}

impl Bounces {
    /// Finds the functions of a program that make a required tail call, if the target needs the trampoline for them.
    pub(crate) fn find(program: &Program, target: &Target) -> Bounces {
        let mut found =
            Bounces { functions: HashSet::new(), any_closure: false, buffer: 0, closures: RefCell::default() };
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

    /// The number of the landing that calls a closure by this calling convention.
    fn closure_landing(&self, abi: &Abi) -> usize {
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

/// A pending call: what its landing needs.
pub(crate) struct Bounce {
    abi: Abi,
    /// The symbol of the landing.
    landing: String,
    /// The closure if there is one, and the arguments.
    stored: Vec<Repr>,
    /// Bytes from the start of the buffer, for each.
    offsets: Vec<u64>,
}

impl Bounce {
    pub(crate) fn new<'m>(emitter: &FunctionEmitter<'_, '_, 'm>, abi: &Abi, target: CallTarget<'m>) -> Bounce {
        let (landing, closure) = match target {
            CallTarget::Code(function, closure) => {
                (format!("_clef.bounce.to.{}", emitter.shared.function_symbol(function)), closure.is_some())
            }
            CallTarget::Closure(_) => {
                let number = emitter.shared.bounces.closure_landing(abi);
                (format!("_clef.bounce.closure.{number}"), true)
            }
        };
        let params = abi.params.iter().filter(|param| **param != Repr::Unit).cloned();
        let stored: Vec<Repr> = closure.then_some(Repr::Pointer).into_iter().chain(params).collect();
        let mut offset = 0u64;
        let offsets = stored.iter().map(|repr| {
            let extent = emitter.shared.layouts.extent(repr);
            let start = offset.next_multiple_of(extent.align.0);
            offset = start + extent.size.0;
            start
        });
        let offsets = offsets.collect();
        Bounce { abi: abi.clone(), landing, stored, offsets }
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Returns from the function: its caller will call `target`.
    pub(crate) fn leave_bounce(&mut self, bounce: &Bounce, target: CallTarget<'m>, arguments: &[Value<'m>]) {
        self.declare_bounce();
        self.define_landing(bounce, target);
        let closure = match target {
            CallTarget::Code(_, closure) => closure,
            CallTarget::Closure(closure) => Some(closure),
        };
        let buffer = self.emit.symbol(ARGUMENTS);
        let values: Vec<Value<'m>> = closure.into_iter().chain(arguments.iter().copied()).collect();
        for ((value, repr), offset) in values.into_iter().zip(&bounce.stored).zip(&bounce.offsets) {
            let address = self.emit.offset(buffer, *offset as i32);
            let access = self.access(repr);
            self.emit.store(value, address, access);
        }
        let landing = self.emit.symbol(&bounce.landing);
        let due = self.emit.symbol(TARGET);
        let access = self.access(&Repr::Pointer);
        self.emit.store(landing, due, access);
        let result = match &bounce.abi.returned {
            Returned::Value(repr) => machine_type(&self.emit, repr.innermost()).map(|ty| self.emit.undef(ty)),
            Returned::Nothing | Returned::Through(_) => None,
        };
        self.emit.ret(result);
    }

    /// After a call that returned `result`, makes the pending calls.
    pub(crate) fn land_bounces(
        &mut self,
        abi: &Abi,
        result: Option<Value<'m>>,
        result_address: &[Value<'m>],
    ) -> Option<Value<'m>> {
        self.declare_bounce();
        let types: Vec<clef_mlir::Type<'m>> = result.iter().map(|result| result.ty()).collect();
        let (check, land, done) = (self.emit.block(&types), self.emit.block(&[]), self.emit.block(&[]));
        let access = self.access(&Repr::Pointer);
        self.emit.br(check, result.as_slice());
        self.emit.position(check);
        let (due, null, pointer) = (self.emit.symbol(TARGET), self.emit.null(), self.emit.ptr());
        let landing = self.emit.load(pointer, due, access);
        let is_due = self.emit.icmp(IntPredicate::Ne, landing, null);
        self.emit.cond_br(is_due, (land, &[]), (done, &[]));
        self.emit.position(land);
        self.emit.store(null, due, access);
        let signature = landing_signature(&self.emit, abi);
        let next = self.emit.call_indirect(landing, &signature, result_address, Tail::No);
        self.emit.br(check, next.as_slice());
        self.emit.position(done);
        check.arguments().first().copied()
    }

    /// In an interrupt handler, saves the call that the interrupted program may just have stored, so that it is not
    /// made here; see [`FunctionEmitter::restore_bounce`].
    pub(crate) fn save_bounce(&mut self) {
        if self.function.convention.interrupt().is_none() || !self.shared.bounces.any() {
            return;
        }
        self.declare_bounce();
        let (due, null, pointer) = (self.emit.symbol(TARGET), self.emit.null(), self.emit.ptr());
        let access = self.access(&Repr::Pointer);
        let target = self.emit.load(pointer, due, access);
        self.emit.store(null, due, access);
        let bytes = self.emit.array(self.emit.int(8), self.shared.bounces.buffer as u32);
        let kept = self.emit.alloca(bytes, ARGUMENTS_ALIGN);
        let (buffer, size) = (self.emit.symbol(ARGUMENTS), self.word_constant(self.shared.bounces.buffer));
        self.emit.memcpy(kept, buffer, size);
        self.interrupted = Some((target, kept));
    }

    /// Restores what [`FunctionEmitter::save_bounce`] saved.
    pub(crate) fn restore_bounce(&mut self) {
        let Some((target, kept)) = self.interrupted else { return };
        let (due, buffer) = (self.emit.symbol(TARGET), self.emit.symbol(ARGUMENTS));
        let size = self.word_constant(self.shared.bounces.buffer);
        self.emit.memcpy(buffer, kept, size);
        let access = self.access(&Repr::Pointer);
        self.emit.store(target, due, access);
    }

    fn declare_bounce(&self) {
        let build = &self.shared.build;
        let pointer = self.shared.layouts.extent(&Repr::Pointer).align.0;
        build.global(&Global::variable(TARGET, Constant::Zero(build.ptr())).align(pointer));
        let bytes = build.array(build.int(8), self.shared.bounces.buffer as u32);
        build.global(&Global::variable(ARGUMENTS, Constant::Zero(bytes)).align(ARGUMENTS_ALIGN));
    }

    /// Defines the function that loads the arguments and makes the call.
    fn define_landing(&self, bounce: &Bounce, target: CallTarget<'m>) {
        let build = &self.shared.build;
        if build.has_symbol(&bounce.landing) {
            return;
        }
        let signature = landing_signature(build, &bounce.abi);
        let definition = MlirFunction::new(&bounce.landing, signature);
        let mut landing = FunctionEmitter::new(self.shared, self.shared.program.start, build.define(&definition));
        let buffer = landing.emit.symbol(ARGUMENTS);
        let mut values = Vec::with_capacity(bounce.stored.len());
        for (repr, offset) in bounce.stored.iter().zip(&bounce.offsets) {
            let Some(ty) = machine_type(build, repr) else { continue };
            let address = landing.emit.offset(buffer, *offset as i32);
            let access = Memory::aligned(self.shared.layouts.extent(repr).align.0);
            values.push(landing.emit.load(ty, address, access));
        }
        let target = match target {
            CallTarget::Code(function, None) => CallTarget::Code(function, None),
            CallTarget::Code(function, Some(_)) => CallTarget::Code(function, Some(values.remove(0))),
            CallTarget::Closure(_) => CallTarget::Closure(values.remove(0)),
        };
        let arguments = [landing.emit.arguments(), values].concat();
        let result = landing.call_target(&bounce.abi, target, &arguments, Tail::No);
        landing.emit.ret(result);
    }
}

/// A landing takes the address of a large result, and returns the result of the call.
fn landing_signature<'m>(build: &Build<'m>, abi: &Abi) -> Signature<'m> {
    let none = Abi { params: Vec::new(), returned: abi.returned.clone() };
    none.signature(build)
}
