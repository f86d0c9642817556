//! From a module of the `llvm` dialect to an object, in this process.
//!
//! In: a module that [`crate::pass::lower`] has finished, the machine, and the runtime's bitcode. Out: an optimised
//! LLVM module, as text, assembly or objects, and the stack frame and the calls of every function. The program and the
//! runtime are linked before they are optimised, so that each is inlined into the other; only the kept symbols stay
//! visible. A large program is divided into parts for optimisation, which are linked again, and for code generation.

mod attributes;
mod boot_steps;
mod calls;
mod conventions;
mod debug;
mod diagnostics;
mod disassemble;
mod double_words;
mod items;
mod link;
mod log_statements;
mod machine;
mod parts;
mod passes;
mod processors;
mod stack_arguments;
mod tail_position;
mod translate;
mod words;

use std::{
    ffi::{CStr, c_char},
    sync::OnceLock,
};

use inkwell::{
    context::Context,
    llvm_sys::error_handling::LLVMInstallFatalErrorHandler,
    memory_buffer::MemoryBuffer,
    module::Module as LlvmModule,
    targets::{FileType, TargetMachine},
};

pub use calls::{Body, Call, Callee, Signature};
pub use debug::{DebugFunction, DebugGlobal, DebugInfo, DebugType, DebugVariable, Encoding, Held, Member, TypeNumber};
pub use disassemble::{Disassembler, Instruction};
pub use machine::{CodeModel, DataLayout, Machine};
pub use parts::PART_SIZE;
pub use processors::Processors;

use crate::{Fault, Module};
use calls::Passing;
use clef_base::parallel;
use diagnostics::Diagnostics;
use parts::{Copies, Part, divide};

/// Called with an error that LLVM cannot recover from; it ends the process.
static ON_FATAL_ERROR: OnceLock<fn(&str) -> !> = OnceLock::new();

/// From now on, errors that LLVM cannot recover from are passed to `report`, which ends the process. Later calls have
/// no effect.
pub fn on_fatal_error(report: fn(&str) -> !) {
    extern "C" fn handler(message: *const c_char) {
        // SAFETY: LLVM passes a string that ends in zero.
        let message = unsafe { CStr::from_ptr(message) }.to_string_lossy();
        if let Some(report) = ON_FATAL_ERROR.get() {
            report(&message);
        }
    }
    if ON_FATAL_ERROR.set(report).is_ok() {
        // SAFETY: the handler has the expected signature, and is static.
        unsafe { LLVMInstallFatalErrorHandler(Some(handler)) };
    }
}

/// The version of LLVM that is linked: `22.1.8`.
pub fn version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}

/// How much to optimise, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Not at all.
    O0,
    /// As far as a debugger does not notice.
    Og,
    /// A little.
    O1,
    /// For speed.
    O2,
    /// For speed at any size.
    O3,
    /// For size, unless it costs much speed.
    Os,
    /// For size.
    Oz,
}

impl Level {
    /// The pipeline of passes.
    fn pipeline(self) -> &'static str {
        match self {
            Level::O0 => "default<O0>",
            // A function that is inlined has no breakpoint of its own.
            Level::Og => {
                "always-inline,function(split-aggregates,sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,adce)"
            }
            Level::O1 => "function(split-aggregates),default<O1>,function(order-operands)",
            Level::O2 => "function(split-aggregates),default<O2>,function(order-operands)",
            Level::O3 => "function(split-aggregates),default<O3>,function(order-operands)",
            Level::Os => "function(split-aggregates),default<Os>,function(order-operands)",
            Level::Oz => "function(split-aggregates),default<Oz>,function(order-operands)",
        }
    }
}

/// What to do with a module.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How much to optimise.
    pub level: Level,
    /// What a debugger shows besides lines, in DWARF 4; nothing without it.
    pub debug: Option<&'a DebugInfo>,
    /// Symbols that stay visible to the linker; all other definitions become internal.
    pub keep: &'a [&'a str],
    /// Bitcode of the runtime.
    pub runtime: Option<&'a [u8]>,
    /// Whether the linker adds objects of other languages, which may have variables.
    pub is_linked_to_others: bool,
    /// Whether the module becomes a library: without boot code, and with a section for each function, so that linkers drop
    /// those that a program does not use.
    pub is_library: bool,
    /// The instructions of the smallest part that a program is divided into, usually [`PART_SIZE`].
    pub part_size: usize,
}

/// The bytes of stack that a function's frame takes, without what its callees take.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// The function's symbol.
    pub function: String,
    /// Size in bytes; functions without a frame are not listed.
    pub bytes: u64,
}

/// The objects of a program and what is known of its functions.
#[derive(Clone, Debug)]
pub struct Objects {
    /// The ELF files, several for a large program.
    pub files: Vec<Vec<u8>>,
    /// The frames of its functions, by name.
    pub frames: Vec<Frame>,
    /// Its functions, and what they call.
    pub bodies: Vec<Body>,
}

/// An optimised LLVM module.
pub struct Compiled {
    bitcode: Vec<u8>,
    /// Those that code is generated for separately; none for a small program.
    parts: Vec<Part>,
    bodies: Vec<Body>,
    machine: Machine,
    level: Level,
}

/// Translates a module, links the runtime to it and optimises the whole.
pub fn compile(module: &mut Module<'_>, machine: &Machine, options: &Options<'_>) -> Result<Compiled, Vec<Fault>> {
    let target = machine.target_machine(options.level).map_err(|fault| vec![fault])?;
    let arities = translate::arities(module);
    let statements = log_statements::find(module);
    let used = translate::used(module);
    if options.debug.is_some() {
        translate::add_debug_scopes(module)?;
    }
    let context = Context::create();
    let diagnostics = Diagnostics::attach(&context);
    let program = translate::to_llvm(module, &context)?;
    link::adopt(&program, &target);
    program.set_source_file_name(&translate::source_file(module));
    attributes::addresses_in_bounds(&program);
    attributes::prefix_arities(&context, &program, &arities);
    calls::note_writers(&context, &program);
    attributes::keep(&context, &program, &used);
    if let Some(info) = options.debug {
        debug::describe(&program, info);
    }
    log_statements::describe(&context, &program, &statements);
    if options.debug.is_some() || !statements.is_empty() {
        attributes::dwarf_version(&context, &program);
    }
    if let Some(runtime) = options.runtime {
        link::runtime(&program, runtime, options.keep, &diagnostics)?;
        if options.is_library {
            link::remove_boot_code(&program);
        }
    }
    debug::callers(&program);
    debug::unwind(&program);
    attributes::unify(&context, &program, machine, options.level);
    attributes::bound_inlining(&context, &program);
    program.verify().map_err(|message| vec![Fault::new(message.to_string())])?;
    let program = optimise(program, &context, machine, options, &diagnostics)?;
    tail_position::restore(&context, &program).map_err(|error| vec![Fault::new(error.to_string())])?;
    conventions::relax(&program);
    conventions::spare_frames(&program, machine);
    if matches!(options.level, Level::Os | Level::Oz) {
        items::inline(&context, &program, &target).map_err(|fault| vec![fault])?;
    }
    if !options.is_linked_to_others {
        boot_steps::reduce(&context, &program, machine, &target, options.level).map_err(|fault| vec![fault])?;
    }
    debug::remove_unheld(&program);
    program.verify().map_err(|message| vec![Fault::new(message.to_string())])?;
    if let Some(family) = machine.frees_stack_arguments_wrongly() {
        stack_arguments::fix(&context, &program, family)?;
        program.verify().map_err(|message| vec![Fault::new(message.to_string())])?;
    }
    attributes::copy_words(&context, &program, machine);
    attributes::bound_outlining(&context, &program);
    attributes::keep_return_addresses(&program, "clef.");
    if options.is_library {
        attributes::separate(&program);
    }
    diagnostics.errors()?;
    // A symbol that parts share could be one of another object.
    let parts =
        if options.is_linked_to_others { Vec::new() } else { divide(&program, options.part_size, Copies::None) };
    let bodies = calls::bodies(&program, &Passing::of(machine, target.get_target_data()));
    let bitcode = program.write_bitcode_to_memory().as_slice().to_vec();
    Ok(Compiled { bitcode, parts, bodies, machine: machine.clone(), level: options.level })
}

/// Makes all symbols internal except the kept ones, runs the level's pipeline, and drops what nothing uses.
fn optimise<'c>(
    program: LlvmModule<'c>,
    context: &'c Context,
    machine: &Machine,
    options: &Options<'_>,
    diagnostics: &Diagnostics<'_>,
) -> Result<LlvmModule<'c>, Vec<Fault>> {
    let keep: Vec<_> = options.keep.iter().map(|name| format!("preserve-gv={name}")).collect();
    let internalize = format!("internalize<{}>,globaldce", keep.join(";"));
    // Equal functions are not merged: LLVM does not compare the arities stored before them.
    let pipeline = format!("{},globaldce", options.level.pipeline());
    let run = |program: &LlvmModule<'_>, passes: &str| {
        let target = machine.target_machine(options.level)?;
        passes::run(program, passes, &target)
    };
    run(&program, &internalize).map_err(|fault| vec![fault])?;
    let parts =
        if options.level == Level::O0 { Vec::new() } else { divide(&program, options.part_size, Copies::OfSmall) };
    if parts.is_empty() {
        run(&program, &pipeline).map_err(|fault| vec![fault])?;
        return Ok(program);
    }
    let written = program.write_bitcode_to_memory();
    let bitcode = written.as_slice();
    drop(program);
    let optimised: Vec<Result<Vec<u8>, Vec<Fault>>> = parallel::map(&parts, |part| {
        let context = Context::create();
        let diagnostics = Diagnostics::attach(&context);
        let part = part.read(&context, bitcode).map_err(|fault| vec![fault])?;
        run(&part, &pipeline).map_err(|fault| vec![fault])?;
        diagnostics.errors()?;
        Ok(part.write_bitcode_to_memory().as_slice().to_vec())
    });
    let whole = context.create_module("program");
    for part in optimised {
        link::add(context, &whole, &part?, diagnostics)?;
    }
    run(&whole, &internalize).map_err(|fault| vec![fault])?;
    Ok(whole)
}

impl Compiled {
    /// The module as LLVM's bitcode.
    pub fn bitcode(&self) -> &[u8] {
        &self.bitcode
    }

    /// The module as LLVM's text.
    pub fn ir(&self) -> Result<String, Vec<Fault>> {
        self.with_module(|_, program, _| Ok(program.print_to_string().to_string()))
    }

    /// The module as assembly.
    pub fn assembly(&self) -> Result<String, Vec<Fault>> {
        let assembly = self.with_module(|_, program, target| generate(program, target, FileType::Assembly))?;
        Ok(String::from_utf8_lossy(&assembly).into_owned())
    }

    /// The module as one object.
    pub fn object(&self) -> Result<Vec<u8>, Vec<Fault>> {
        self.with_module(|_, program, target| generate(program, target, FileType::Object))
    }

    /// The module as objects, with the frames of its functions.
    pub fn objects(&self) -> Result<Objects, Vec<Fault>> {
        let generated = if self.parts.is_empty() {
            vec![self.generated(|context| self.read(context))]
        } else {
            parallel::map(&self.parts, |part| {
                self.generated(|context| part.read(context, &self.bitcode).map_err(|fault| vec![fault]))
            })
        };
        let (mut files, mut frames) = (Vec::new(), Vec::new());
        for one in generated {
            let (file, its_frames) = one?;
            files.push(file);
            frames.extend(its_frames);
        }
        frames.sort();
        Ok(Objects { files, frames, bodies: self.bodies.clone() })
    }

    /// The object of what is read, and the frames of its functions.
    fn generated(
        &self,
        read: impl for<'c> FnOnce(&'c Context) -> Result<LlvmModule<'c>, Vec<Fault>>,
    ) -> Result<(Vec<u8>, Vec<Frame>), Vec<Fault>> {
        let context = Context::create();
        let diagnostics = Diagnostics::attach(&context);
        let program = read(&context)?;
        attributes::report_frames(&context, &program);
        let target = self.machine.target_machine(self.level).map_err(|fault| vec![fault])?;
        let file = generate(&program, &target, FileType::Object)?;
        diagnostics.errors()?;
        Ok((file, diagnostics.frames()))
    }

    fn with_module<T>(
        &self,
        work: impl FnOnce(&Context, &LlvmModule<'_>, &TargetMachine) -> Result<T, Vec<Fault>>,
    ) -> Result<T, Vec<Fault>> {
        let context = Context::create();
        let diagnostics = Diagnostics::attach(&context);
        let program = self.read(&context)?;
        let target = self.machine.target_machine(self.level).map_err(|fault| vec![fault])?;
        let value = work(&context, &program, &target)?;
        diagnostics.errors()?;
        Ok(value)
    }

    fn read<'c>(&self, context: &'c Context) -> Result<LlvmModule<'c>, Vec<Fault>> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(&self.bitcode, "program");
        LlvmModule::parse_bitcode_from_buffer(&buffer, context).map_err(|message| vec![Fault::new(message.to_string())])
    }
}

fn generate(program: &LlvmModule<'_>, target: &TargetMachine, file: FileType) -> Result<Vec<u8>, Vec<Fault>> {
    let buffer =
        target.write_to_memory_buffer(program, file).map_err(|message| vec![Fault::new(message.to_string())])?;
    let bytes = buffer.as_slice();
    // A memory buffer includes the terminating zero.
    Ok(if file == FileType::Assembly { bytes.strip_suffix(&[0]).unwrap_or(bytes) } else { bytes }.to_vec())
}
