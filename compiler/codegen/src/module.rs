//! The module: what all functions share, and the order in which everything is defined.

use crate::{
    abi::{Abi, machine_type},
    call::Target as CallTarget,
    code::Code,
    console, constant_data,
    debug::{Debug, Debugging},
    foreign::Foreign,
    function,
    growing::{self, Growing},
    holes::Holes,
    host,
    layout::Layouts,
    pointer_tables::Tables,
    site::Sites,
    symbol::{ADDED, PROGRAM_START, Symbols, slot_symbol},
    trampoline::Trampolines,
};
use clef_base::{Bytes, HashMap, HashSet, SourceMap, Span, source::LineColumn};
use clef_core::{
    Allocation, AllocationKind, Convention, Function, FunctionId, GlobalId, Inlining, Program, Rhs, Storage,
    constants::Constants, functions_that_run_once,
};
use clef_descriptors::{Target, TrapMessages};
use clef_mlir::{
    Build, Capture, Constant, Fault, Function as MlirFunction, Global, Module, Session, Signature, Tail,
    llvm::DebugInfo,
};

/// Something that the runtime expects the program's module to define.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlatformConstant {
    /// The global's name.
    pub name: &'static str,
    /// What it is.
    pub content: PlatformContent,
}

/// What the program's module defines for the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlatformContent {
    /// A constant of 32 bits.
    Small(u32),
    /// A constant as wide as a pointer.
    Word(u64),
    /// This many bytes of zero-initialised, writable memory.
    Buffer(u64),
    /// The same with an alignment, visible to the linker.
    Memory {
        /// Its size.
        bytes: u64,
        /// The alignment of its address.
        align: u64,
    },
}

/// Who calls the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caller<'a> {
    /// The boot code: the program is an image.
    Boot,
    /// Other languages: the program is a library.
    Host {
        /// The symbol of the function that initialises it.
        start: &'a str,
    },
}

/// What surrounds the program.
#[derive(Clone, Copy, Debug)]
pub struct Platform<'a> {
    /// What the runtime expects the program's module to define.
    pub constants: &'a [PlatformConstant],
    /// Who reports traps.
    pub trap_messages: TrapMessages,
    /// Whether the console writes text up to a zero byte in fewer instructions than text with its length.
    pub console_takes_terminated: bool,
    /// Who calls the program.
    pub caller: Caller<'a>,
}

/// Makes the module of a program, and what a debugger shows of it. A fault is a bug of the compiler: MLIR rejected the generated code.
pub fn generate<'s>(
    session: &'s Session,
    program: &Program,
    target: &Target,
    platform: &Platform<'_>,
    debugging: Option<&Debugging>,
    sources: &SourceMap,
) -> Result<(Module<'s>, Option<DebugInfo>), Vec<Fault>> {
    let mut info = None;
    let module = session.module(|build| {
        let mut shared = Shared::new(build, program, target, platform, sources);
        let (file, _) = shared.place(program.functions[program.start].span);
        shared.debug = debugging.map(|debugging| Debug::new(&build, file, debugging));
        platform.constants.iter().for_each(|constant| shared.platform_constant(constant));
        shared.log_marks();
        shared.globals();
        shared.static_slots();
        for (id, _) in program.functions.iter() {
            shared.function(id);
        }
        shared.main();
        shared.debug_globals();
        host::define(&build, platform.caller, shared.layouts.word_bits());
        console::define(&build, program);
        shared.evacuation_parts();
        shared.largest_allocation();
        shared.sites.iter().for_each(|sites| sites.define(&build));
        info = shared.debug.map(Debug::into_info);
    });
    Ok((module?, info))
}

/// What all functions share.
pub(crate) struct Shared<'p, 'm> {
    pub(crate) build: Build<'m>,
    pub(crate) program: &'p Program,
    pub(crate) target: &'p Target,
    pub(crate) sources: &'p SourceMap,
    pub(crate) layouts: Layouts<'p>,
    /// What is known when the program is compiled.
    pub(crate) constants: Constants,
    pub(crate) trampolines: Trampolines,
    /// The tables of evacuation.
    pub(crate) tables: Tables<'p>,
    /// The sites that a debugger reports; `None` if the image does.
    sites: Option<Sites>,
    /// As the platform says.
    pub(crate) console_takes_terminated: bool,
    symbols: Symbols,
    /// What a debugger shows; `None` if nothing.
    pub(crate) debug: Option<Debug<'m>>,
    /// The functions that run at most once.
    once: HashSet<FunctionId>,
    /// Which parameters of a function always receive values without fields.
    empty_arguments: HashMap<FunctionId, Vec<bool>>,
    /// Whether anything is evacuated.
    pub(crate) evacuates: bool,
    /// Whether devices may access memory of the program.
    pub(crate) reveals_addresses: bool,
}

fn evacuates(program: &Program) -> bool {
    let mut found = false;
    for (_, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            found |= matches!(statement.rhs(), Some(Rhs::Evacuate { .. }));
        });
    }
    found
}

/// Whether a closure frees itself in its code, so that it must be in memory.
fn pops(function: &Function) -> bool {
    let mut found = false;
    function.body.each_statement(&mut |statement| found |= matches!(statement.rhs(), Some(Rhs::PopClosure(_))));
    found
}

impl<'p, 'm> Shared<'p, 'm> {
    fn new(
        build: Build<'m>,
        program: &'p Program,
        target: &'p Target,
        platform: &Platform<'_>,
        sources: &'p SourceMap,
    ) -> Shared<'p, 'm> {
        Shared {
            build,
            program,
            target,
            sources,
            layouts: Layouts::new(program, target),
            constants: constant_data::constants(program),
            trampolines: Trampolines::find(program, target),
            tables: Tables::new(program),
            sites: (platform.trap_messages == TrapMessages::Debugger).then(Sites::default),
            console_takes_terminated: platform.console_takes_terminated,
            symbols: Symbols::new(program),
            debug: None,
            once: functions_that_run_once(program),
            empty_arguments: growing::empty_arguments(program),
            evacuates: program.nesting.is_none() && evacuates(program),
            reveals_addresses: program.reveals_addresses(),
        }
    }

    /// The sites that a debugger reports; `None` if the image does.
    pub(crate) fn sites(&self) -> Option<&Sites> {
        self.sites.as_ref()
    }

    /// The lists that a function makes from front to back; none where a debugger shows all variables.
    pub(crate) fn growing(&self, id: FunctionId) -> Growing<'m> {
        if self.debug.as_ref().is_some_and(Debug::keeps_variables) {
            return Growing::default();
        }
        Growing::of(&self.program.functions[id], self.empty_arguments.get(&id).map(Vec::as_slice))
    }

    /// The nodes that a function makes before it calls itself; none where a debugger shows all variables.
    pub(crate) fn holes(&self, id: FunctionId, growing: &Growing<'m>) -> Holes<'m> {
        if self.debug.as_ref().is_some_and(Debug::keeps_variables) {
            return Holes::default();
        }
        Holes::of(self, id, growing)
    }

    /// The symbol of a function's code.
    pub(crate) fn function_symbol(&self, function: FunctionId) -> &str {
        self.symbols.function(function)
    }

    /// The symbol of a module-level value.
    pub(crate) fn global_symbol(&self, global: GlobalId) -> &str {
        self.symbols.global(global)
    }

    /// The symbol of the byte that says that a module-level value has been initialised; nothing if nobody reads it before.
    pub(crate) fn late_flag(&self, global: GlobalId) -> Option<String> {
        let is_late = self.program.shared.late.contains(&global) && self.constants.global(global).is_none();
        is_late.then(|| format!("{ADDED}initialised.{}", self.global_symbol(global)))
    }

    /// How a function's explicit parameters and result are passed.
    pub(crate) fn abi(&self, function: FunctionId) -> Abi {
        let function = &self.program.functions[function];
        let params = function.params.iter().map(|param| function.locals[*param].ty);
        Abi::new(&self.layouts, params, function.regions.len(), function.result)
    }

    /// File, line and column of a span.
    pub(crate) fn place(&self, span: Span) -> (&'p str, LineColumn) {
        (&self.sources.file(span.file).name, self.sources.line_column(span))
    }

    fn platform_constant(&self, constant: &PlatformConstant) {
        let build = &self.build;
        let word = self.layouts.word_bits();
        let integer = |bits, value: u64| {
            let value = Constant::Integer(build.int(bits), value.cast_signed());
            Global::constant(constant.name, value).external().align(u64::from(bits / 8))
        };
        let buffer = |bytes| {
            let bytes_type = build.array(build.int(8), u32::try_from(bytes).unwrap_or(u32::MAX));
            Global::variable(constant.name, Constant::Zero(bytes_type)).external()
        };
        build.global(&match constant.content {
            PlatformContent::Small(value) => integer(32, value.into()),
            PlatformContent::Word(value) => integer(word, value),
            PlatformContent::Buffer(bytes) => buffer(bytes),
            PlatformContent::Memory { bytes, align } => buffer(bytes).align(align),
        });
    }

    /// Tells the runtime the size of the largest allocation in a region.
    fn largest_allocation(&self) {
        let size = |kind: &AllocationKind| match kind {
            AllocationKind::String | AllocationKind::Array(_) | AllocationKind::Memory(_) => Bytes(u64::MAX),
            AllocationKind::Closure(function) => self.layouts.closure(*function).in_region.size,
            AllocationKind::Reference(ty) => self.layouts.extent(&self.layouts.repr(*ty)).size,
            AllocationKind::Node(ty, case) => self.layouts.node(*ty, *case).extent.size,
        };
        let in_region = |allocation: &&Allocation| {
            let storage = allocation.decision.as_ref().map(|decision| decision.storage);
            matches!(storage, Some(Storage::Region(_)))
        };
        let allocations = self.program.allocations.iter().map(|(_, allocation)| allocation);
        let largest = allocations.filter(in_region).map(|allocation| size(&allocation.kind)).max();
        let content = PlatformContent::Word(largest.unwrap_or_default().0);
        self.platform_constant(&PlatformConstant { name: "clef_largest_allocation", content });
    }

    fn globals(&self) {
        for (id, global) in self.program.globals.iter() {
            let repr = self.layouts.repr(global.ty);
            if let Some(ty) = machine_type(&self.build, &repr) {
                let align = self.layouts.extent(&repr).align.0;
                let variable = match self.constant_global(id) {
                    Some(content) => Global::constant(self.global_symbol(id), content),
                    None => Global::variable(self.global_symbol(id), Constant::Zero(ty)),
                };
                let align = align.max(global.placement.align.unwrap_or(1).into());
                let variable = match global.placement.section {
                    Some(section) => variable.section(section.as_str()),
                    None => variable,
                };
                self.build.global(&variable.align(align));
            }
            if let Some(flag) = self.late_flag(id) {
                self.build.global(&Global::variable(&flag, Constant::Zero(self.build.int(8))));
            }
        }
    }

    fn static_slots(&self) {
        for (id, allocation) in self.program.allocations.iter() {
            let AllocationKind::Closure(function) = allocation.kind else { continue };
            let is_static = allocation.decision.as_ref().is_some_and(|decision| decision.storage == Storage::Static);
            if is_static && !self.captures(function).is_empty() {
                self.build.static_slot(&slot_symbol(id.into_raw().into_u32()), self.function_symbol(function));
            }
        }
    }

    /// The captures of a closure that have bytes, in the form of the dialect.
    pub(crate) fn captures(&self, function: FunctionId) -> Vec<Capture<'m>> {
        let function = &self.program.functions[function];
        let Convention::Closure { captures, .. } = &function.convention else { return Vec::new() };
        let reprs = captures.iter().map(|capture| self.layouts.capture(function, *capture));
        let capture = |repr| {
            let ty = machine_type(&self.build, &repr)?;
            let extent = self.layouts.extent(&repr);
            Some(Capture { ty, size: extent.size.0, align: extent.align.0 })
        };
        reprs.filter_map(capture).collect()
    }

    fn function(&self, id: FunctionId) {
        let function = &self.program.functions[id];
        let signature = self.abi(id).signature(&self.build);
        let (file, place) = self.place(function.span);
        let (signature, is_closure) = match function.convention {
            Convention::Known => (signature, false),
            Convention::Closure { .. } => (signature.with_first(self.build.ptr()), true),
            Convention::Exported(_) => (Foreign::of_exported(self, function).signature(&self.build), false),
        };
        let mut definition =
            MlirFunction::new(self.function_symbol(id), signature).at(file, place.line as usize, place.column as usize);
        if matches!(function.convention, Convention::Exported(_)) {
            definition = definition.external();
        }
        if let Some(section) = function.placement.section {
            definition = definition.section(section.as_str());
        }
        if let Some(align) = function.placement.align {
            definition = definition.align(align.into());
        }
        if is_closure {
            definition = definition.captures(self.captures(id));
        }
        if self.program.arity_tagged.contains(&id) {
            definition = definition.arity(function.params.len() as u32);
        }
        let scope = self.debug_scope(id);
        if let Some(scope) = scope {
            definition = definition.scope(scope);
        }
        // A debugger reads captures by their offsets, as the tables of evacuation do.
        let is_read = self.debug.as_ref().is_some_and(Debug::keeps_variables);
        if self.tables.describes(id) || is_read || pops(function) {
            definition = definition.fixed_captures();
        }
        if self.once.contains(&id) {
            definition = definition.once();
        }
        definition = match function.inlining {
            Inlining::Free | Inlining::AtCall => definition,
            Inlining::Always => definition.attribute("inlinehint"),
            Inlining::Never => definition.attribute("noinline"),
        };
        function::emit(self, id, self.build.define(&definition), scope);
    }

    /// `clef_main`, which the runtime calls: runs the program and returns its exit status.
    fn main(&self) {
        let build = &self.build;
        let status = build.int(32);
        let mut definition = MlirFunction::new(PROGRAM_START, Signature::c([], Some(status))).external().once();
        let start = self.program.start;
        let span = self.program.functions[start].span;
        if let Some(scope) = self.main_scope(PROGRAM_START, span) {
            let (file, place) = self.place(span);
            definition = definition.at(file, place.line as usize, place.column as usize).scope(scope);
        }
        let mut code = Code::new(self, build.define(&definition), span);
        let abi = self.abi(start);
        let result = code.plain_call(&abi, self.trampolines.known(start), |code, arguments| {
            code.call_target(&abi, CallTarget::Code(start, None), arguments, Tail::No)
        });
        let emit = &mut code.emit;
        let result = match result {
            Some(result) if self.layouts.word_bits() > 32 => emit.trunc(result, status),
            Some(result) => result,
            None => emit.iconst(status, 0),
        };
        emit.ret(Some(result));
    }
}
