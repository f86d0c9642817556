//! Lowers the operations of the `clef` dialect to the `llvm` dialect.
//!
//! In: a verified module. Out: no operation, type or attribute of `clef` except `clef.arity`, which the LLVM stage
//! converts to prefix data. First every closure and region becomes a pointer, then each operation is rewritten in
//! place.

use clef_base::{HashMap, internal::bug};

use super::{
    CONSTANT_CLOSURE, Layout, Lowering,
    code::{callee, captures, first_capture, functions, slots},
    devirtualise::code_signature,
};
use crate::{
    Build, Constant, Emit, Global, Memory, Module, Signature, Tail, Value,
    build::ModuleState,
    build::view::{Op, operations, top_level},
};

/// Runs the pass.
pub fn lower_to_llvm(module: &mut Module<'_>, lowering: &Lowering<'_>) {
    let ours = operations(&module.module).into_iter().filter(|op| op.name().starts_with("clef.")).collect::<Vec<_>>();
    let state = ModuleState::default();
    state.symbols.borrow_mut().extend(top_level(&module.module).filter_map(Op::sym_name).map(str::to_owned));
    let build = Build::new(module.context, &module.module, &state);
    let layouts = functions(&module.module).into_iter().filter_map(|(name, function)| {
        let captures = captures(function)?;
        Some((name, (lowering.layout)(&slots(&captures))))
    });
    let word = i64::from(lowering.word_bits / 8);
    let mut layouts: HashMap<&str, Layout> = layouts.collect();
    reserve(&mut layouts, &ours, word.unsigned_abs());
    let pass = Lower { build, lowering, layouts, word };
    let (slots, ours): (Vec<_>, Vec<_>) = ours.into_iter().partition(|op| op.is("clef.static_slot"));
    slots.into_iter().for_each(|slot| pass.static_slot(slot));
    for result in ours.iter().filter_map(|op| op.result()) {
        if result.ty().is_clef() {
            result.retype(build.ptr());
        }
    }
    for op in ours {
        let result = pass.operation(op);
        op.replace(result);
    }
    for function in functions(&module.module).into_values() {
        function.remove_attribute("clef.captures");
        function.remove_attribute("clef.once");
        function.remove_attribute("clef.fixed");
    }
}

/// Lets a closure take a little more memory in a region if that is enough for those that replace it.
fn reserve<'m>(layouts: &mut HashMap<&'m str, Layout>, operations: &[Op<'m>], word: u64) {
    let replacing = operations.iter().filter(|op| op.string("storage") == Some("replaced"));
    let replacing: Vec<_> =
        replacing.filter_map(|op| Some((op.function().and_then(Op::sym_name)?, callee(*op)))).collect();
    loop {
        let mut changed = false;
        for (own, new) in &replacing {
            let Some((needed, layout)) = layouts.get(new).map(|new| new.in_region).zip(layouts.get_mut(own)) else {
                continue;
            };
            let most = (layout.extent.size.0 + layout.extent.size.0 / 4).max(layout.extent.size.0 + word);
            if needed.size.0 > layout.in_region.size.0 && needed.size.0 <= most {
                layout.in_region.size = needed.size;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

struct Lower<'a, 'm> {
    build: Build<'m>,
    lowering: &'a Lowering<'a>,
    layouts: HashMap<&'m str, Layout>,
    /// Bytes of a pointer.
    word: i64,
}

impl<'m> Lower<'_, 'm> {
    /// Writes the lowering of an operation before it; returns the value that replaces its result.
    fn operation(&self, op: Op<'m>) -> Option<Value<'m>> {
        let emit = &mut Emit::before(self.build, op);
        match op.name() {
            "clef.closure_make" => Some(self.make(emit, op)),
            "clef.closure_allocate" => Some(self.allocate(emit, op)),
            "clef.closure_patch" => {
                self.store_captures(emit, op, op.operand(0));
                None
            }
            "clef.capture" => Some(self.capture(emit, op)),
            "clef.capture_address" => Some(self.capture_place(emit, op).0),
            "clef.closure_invoke" => self.invoke(emit, op),
            "clef.closure_arity" => Some(self.arity(emit, op)),
            "clef.static_closure" => Some(emit.symbol(named(op, "slot"))),
            "clef.as_operand"
            | "clef.closure_to_pointer"
            | "clef.closure_from_pointer"
            | "clef.region_to_pointer"
            | "clef.region_from_pointer" => Some(op.operand(0)),
            "clef.region_enter" => Some(self.region_enter(emit, op.operand(0))),
            "clef.region_leave" => {
                self.runtime(emit, "clef_region_leave", &[op.operand(0)], false);
                None
            }
            "clef.region_pop" => {
                self.runtime(emit, "clef_region_pop", &[op.operand(0), op.operand(1)], false);
                None
            }
            "clef.region_program" => self.runtime(emit, "clef_region_program", &[], true),
            "clef.region_allocate" => {
                let align = op.integer("align").unwrap_or(self.word);
                Some(self.region_allocate(emit, op.operand(0), op.operand(1), align, op.operand(2)))
            }
            other => bug("mlir", None, format!("no lowering of `{other}`")),
        }
    }

    fn memory(&self) -> Memory {
        Memory::aligned(self.word.unsigned_abs())
    }

    fn layout(&self, code: &str) -> &Layout {
        self.layouts.get(code).unwrap_or_else(|| bug("mlir", None, format!("`{code}` is not the code of a closure")))
    }

    /// The memory of a static slot, zero until its closure is made.
    fn static_slot(&self, slot: Op<'m>) {
        let build = self.build;
        let layout = self.layout(callee(slot));
        let name = slot.sym_name().unwrap_or_default().to_owned();
        slot.erase();
        build.forget_symbol(&name);
        let size = u32::try_from(layout.extent.size.0).unwrap_or(u32::MAX);
        let memory = Constant::Zero(build.array(build.int(8), size));
        build.global(&Global::variable(name, memory).align(layout.extent.align.0));
    }

    fn make(&self, emit: &mut Emit<'m>, op: Op<'m>) -> Value<'m> {
        if op.string("storage") == Some("static") {
            return self.constant(emit, callee(op));
        }
        let closure = self.allocate(emit, op);
        self.store_captures(emit, op, closure);
        closure
    }

    /// The constant that is the one closure of code without captures.
    fn constant(&self, emit: &mut Emit<'m>, code: &str) -> Value<'m> {
        let name = format!("{CONSTANT_CLOSURE}{code}");
        let global = Global::constant(name.as_str(), Constant::address(code)).align(self.layout(code).extent.align.0);
        emit.global(&global);
        emit.symbol(&name)
    }

    /// Memory in which the address of the code is stored.
    fn allocate(&self, emit: &mut Emit<'m>, op: Op<'m>) -> Value<'m> {
        let code = callee(op);
        let layout = self.layout(code);
        let closure = match (op.string("storage"), op.symbol("storage")) {
            (Some("stack"), _) => {
                let size = u32::try_from(layout.extent.size.0).unwrap_or(u32::MAX);
                emit.alloca_bytes(size, layout.extent.align.0)
            }
            (Some("region"), _) => self.in_region(emit, op, layout),
            (Some("replaced"), _) => self.in_place(emit, op, layout),
            (_, Some(slot)) => emit.symbol(slot),
            _ => bug("mlir", None, format!("no storage for the closure of `{code}`")),
        };
        let address = emit.symbol(code);
        emit.store(address, closure, self.memory());
        closure
    }

    fn in_region(&self, emit: &mut Emit<'m>, op: Op<'m>, layout: &Layout) -> Value<'m> {
        let size = emit.iconst(self.build.int(self.lowering.word_bits), layout.in_region.size.0.cast_signed());
        self.region_allocate(emit, op.operand(0), size, layout.in_region.align.0.cast_signed(), op.operand(1))
    }

    /// The memory of the closure whose code it is, if that is enough; otherwise it is freed before an allocation.
    fn in_place(&self, emit: &mut Emit<'m>, op: Op<'m>, layout: &Layout) -> Value<'m> {
        let function = op.function();
        let itself = function.and_then(Op::first_argument);
        let Some((itself, own)) = itself.zip(function.and_then(Op::sym_name)) else {
            bug("mlir", None, "a closure is replaced outside of its code")
        };
        let (own, new) = (&self.layout(own).in_region, &layout.in_region);
        let words = |size: u64| size.next_multiple_of(self.word.unsigned_abs());
        if words(new.size.0) <= words(own.size.0) && new.align.0 <= own.align.0 {
            return itself;
        }
        self.runtime(emit, "clef_region_pop", &[op.operand(0), itself], false);
        self.in_region(emit, op, layout)
    }

    fn store_captures(&self, emit: &mut Emit<'m>, op: Op<'m>, closure: Value<'m>) {
        let code = callee(op);
        let layout = self.layout(code);
        let captures = op.operands().into_iter().skip(first_capture(op));
        for (capture, &offset) in captures.zip(&layout.offsets) {
            let address = emit.offset(closure, offset_of(offset));
            emit.store(capture, address, Memory::aligned(alignment_at(layout, offset)));
        }
    }

    fn capture(&self, emit: &mut Emit<'m>, op: Op<'m>) -> Value<'m> {
        let (address, memory) = self.capture_place(emit, op);
        match op.result() {
            Some(result) => emit.load(result.ty(), address, memory),
            None => bug("mlir", None, "a capture is read but not used"),
        }
    }

    /// The address of a capture, and its alignment.
    fn capture_place(&self, emit: &mut Emit<'m>, op: Op<'m>) -> (Value<'m>, Memory) {
        let code = op.function().and_then(Op::sym_name).unwrap_or_default();
        let layout = self.layout(code);
        let index = op.integer("index").and_then(|index| usize::try_from(index).ok());
        let Some(offset) = index.and_then(|index| layout.offsets.get(index)) else {
            bug("mlir", None, format!("the layout of `{code}` has too few captures"))
        };
        let address = emit.offset(op.operand(0), offset_of(*offset));
        (address, Memory::aligned(alignment_at(layout, *offset)))
    }

    fn invoke(&self, emit: &mut Emit<'m>, op: Op<'m>) -> Option<Value<'m>> {
        let signature = code_signature(self.build, op);
        let code = emit.load(self.build.ptr(), op.operand(0), self.memory());
        let tail = if op.flag("tail") { Tail::Yes } else { Tail::No };
        emit.call_indirect(code, &signature, &op.operands(), tail)
    }

    /// The arity is stored four bytes before the code. The low bit of a Thumb code address is not part of the address.
    fn arity(&self, emit: &mut Emit<'m>, op: Op<'m>) -> Value<'m> {
        let build = self.build;
        let word = build.int(self.lowering.word_bits);
        let mut code = emit.load(word, op.operand(0), self.memory());
        if self.lowering.thumb {
            let mask = emit.iconst(word, -2);
            code = emit.and(code, mask);
        }
        let four = emit.iconst(word, 4);
        let address = emit.sub(code, four);
        let address = emit.inttoptr(address, build.ptr());
        emit.load(build.int(32), address, Memory::aligned(4))
    }

    /// A region's handle is in the frame; the runtime initialises it.
    fn region_enter(&self, emit: &mut Emit<'m>, site: Value<'m>) -> Value<'m> {
        let size = self.lowering.region_words * self.lowering.word_bits / 8;
        let region = emit.alloca_bytes(size, self.word.unsigned_abs());
        self.runtime(emit, "clef_region_enter", &[region, site], false);
        region
    }

    fn region_allocate(
        &self,
        emit: &mut Emit<'m>,
        region: Value<'m>,
        size: Value<'m>,
        align: i64,
        site: Value<'m>,
    ) -> Value<'m> {
        let align = emit.iconst(self.build.int(self.lowering.word_bits), align);
        let arguments = [region, size, align, site];
        self.runtime(emit, "clef_region_allocate", &arguments, true)
            .unwrap_or_else(|| bug("mlir", None, "an allocation has no address result"))
    }

    /// Calls a function of the runtime, which returns a pointer or nothing.
    fn runtime(
        &self,
        emit: &mut Emit<'m>,
        name: &str,
        arguments: &[Value<'m>],
        returns_pointer: bool,
    ) -> Option<Value<'m>> {
        let parameters: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
        let signature = Signature::c(parameters, returns_pointer.then(|| self.build.ptr()));
        self.build.declare(name, &signature);
        emit.call(name, &signature, arguments, Tail::No)
    }
}

fn named<'m>(op: Op<'m>, attribute: &str) -> &'m str {
    op.symbol(attribute).unwrap_or_else(|| bug("mlir", None, format!("`{}` has no {attribute}", op.name())))
}

fn offset_of(offset: u64) -> i32 {
    i32::try_from(offset).unwrap_or_else(|_| bug("mlir", None, "a closure is larger than the maximum offset"))
}

/// The alignment of an address `offset` bytes after the start of a closure.
fn alignment_at(layout: &Layout, offset: u64) -> u64 {
    let align = layout.in_region.align.0;
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros()) }
}
