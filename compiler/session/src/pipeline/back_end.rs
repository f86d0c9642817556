//! From Core to LLVM's optimised module.

use crate::{Session, emit::Emit, job::Job, library_files, options::DebugInfo, platform, products::Products};
use clef_base::{Bytes, Extent, HashMap, Span, internal::bug};
use clef_codegen::{Caller, Debugging, Literal as Constant, Platform, SourceConstant, SourceType, layout::Packing};
use clef_core::Program;
use clef_descriptors::{Board, Console, RelocationModel, Target};
use clef_image::link::{POOL_PAGES, POOL_START};
use clef_mlir::{
    Fault,
    llvm::{self, Compiled},
    pass::{self, Lowering},
};
use clef_psg::{Export, Item, Literal, Mutability, NodeKind, PatternKind, Psg};
use clef_types::{Type, TypeKind, console_symbol, host_symbol, interrupt_symbol};

/// MLIR, its passes, and LLVM's optimised module; nothing if no product after MLIR is requested.
pub(super) fn machine_code(
    session: &mut Session,
    psg: &Psg,
    program: &Program,
    job: &Job,
    products: &mut Products<'_>,
) -> Option<Compiled> {
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    session.enter("generate");
    let context = clef_mlir::Session::new();
    let start = job.library_start();
    let (caller, constants) = match &start {
        Some(start) => (Caller::Host { start }, platform::library_constants(board, job, program)),
        None => (Caller::Boot, platform::constants(board, job, program)),
    };
    let platform = Platform {
        constants: &constants,
        trap_messages: board.trap_messages,
        console_takes_terminated: start.is_none() && board.console == Console::Semihosting,
        caller,
    };
    let debugging = (job.debug > DebugInfo::None).then(|| debugging(job, psg));
    let sources = &session.sources;
    let (mut module, debug) =
        sound(clef_codegen::generate(&context, program, target, &platform, debugging.as_ref(), sources));
    products.text(Emit::Mlir, || module.to_string());
    session.enter("lower closures");
    let packing = Packing::of(target);
    let lowering = Lowering {
        word_bits: target.pointer_bits.bits(),
        thumb: target.triple.is_thumb(),
        region_words: clef_runtime::region_words(program.nesting.is_some()),
        layout: &|slots| pack(packing, slots),
    };
    sound(pass::lower(&mut module, &lowering));
    products.text(Emit::MlirLlvm, || module.to_string());
    if !products.goes_on() {
        return None;
    }
    session.enter("optimise");
    let Some(runtime) = clef_runtime::find(&target.runtime) else {
        bug("optimise", None, format!("unknown runtime `{}`", target.runtime))
    };
    let keep: Vec<&str> = match &start {
        Some(start) => library_symbols(psg, start),
        None => image_symbols(psg, program, job),
    };
    let options = llvm::Options {
        level: job.optimisation.level(),
        debug: debug.as_ref(),
        keep: &keep,
        runtime: Some(runtime.bitcode),
        is_linked_to_others: !job.link.is_empty() || start.is_some(),
        is_library: start.is_some(),
        part_size: llvm::PART_SIZE,
    };
    Some(sound(llvm::compile(&mut module, &llvm_machine(target), &options)))
}

/// The symbols of a library that stay visible to the linker.
fn library_symbols<'a>(psg: &'a Psg, start: &'a str) -> Vec<&'a str> {
    let exports = psg.exports.iter().map(|export| export.symbol.as_str());
    exports.chain([start, POOL_START, POOL_PAGES]).chain(host_symbol::WEAK).collect()
}

/// The symbols of an image that stay visible to the linker.
fn image_symbols<'a>(psg: &'a Psg, program: &Program, job: &Job) -> Vec<&'a str> {
    let board = &job.machine.board.value;
    let exports = psg.exports.iter().filter(|export| !console_symbol::is_of_console(export.symbol));
    let exports = exports.map(|export| export.symbol.as_str());
    let clock = program.tells_time().then_some(interrupt_symbol::CLOCK_HANDLER);
    let rtt = platform::uses_rtt(board, program).then_some(clef_runtime::RTT_CONTROL_BLOCK);
    let timer = calls_handler(board, psg).then_some(interrupt_symbol::COUNTER_HANDLER);
    let has_entry = board.interrupts.is_some() && program.uses_interrupts();
    let entry = has_entry.then_some(clef_runtime::INTERRUPT_ENTRY);
    let of_interrupts = entry.into_iter().chain(entry.map(|_| clef_runtime::INTERRUPT_STEPS).into_iter().flatten());
    let of_assembly = clef_runtime::ASSEMBLY_CALLS.iter().map(|(_, callee)| *callee);
    let roots = clef_runtime::ROOTS.iter().copied().chain(of_assembly).chain(clock).chain(timer).chain(of_interrupts);
    let flash = job.handles_errors_of_flash().then_some(interrupt_symbol::FLASH_HANDLER);
    roots.chain(rtt).chain(flash).chain(exports).collect()
}

/// How a program is made for a debugger. The directory is the current one: source files are named relative to it.
fn debugging(job: &Job, psg: &Psg) -> Debugging {
    let directory = std::env::current_dir().unwrap_or_default();
    Debugging {
        directory: directory.display().to_string(),
        producer: library_files::producer(&job.machine.target.value.name, &job.machine.board.value),
        keeps_variables: job.keeps_variables(),
        types: source_types(psg),
        constants: literals(job, psg),
    }
}

/// The module-level values of the program that are literals.
fn literals(job: &Job, psg: &Psg) -> Vec<SourceConstant> {
    let word = job.machine.target.value.pointer_bits.bits();
    let literal = |item: &Item| {
        let Item::Let(binding) = item else { return None };
        let PatternKind::Variable(variable) = psg.patterns[binding.pattern].kind else { return None };
        let NodeKind::Literal(literal) = &psg.nodes[binding.value].kind else { return None };
        let variable = &psg.variables[variable];
        let is_own = job.files.iter().any(|file| file.file == variable.span.file);
        let value = value(psg, variable.ty, literal, word)?;
        let of = SourceConstant { path: variable.path, span: variable.span, ty: variable.ty, value };
        (is_own && variable.mutability == Mutability::Immutable && variable.marks.section.is_none()).then_some(of)
    };
    psg.items.iter().filter_map(literal).collect()
}

/// The value of a literal, unless it is `()` or of a type of its own.
fn value(psg: &Psg, ty: Type, literal: &Literal, word: u32) -> Option<Constant> {
    Some(match (psg.types.kind(ty), literal) {
        (TypeKind::String, Literal::String(text)) => Constant::Text(*text),
        (TypeKind::Bool, Literal::Bool(value)) => Constant::Bits((*value).into()),
        (TypeKind::Char, Literal::Char(value)) => Constant::Bits(u32::from(*value).into()),
        (TypeKind::Integer(integer), Literal::Integer(value)) => {
            Constant::Bits(*value as u64 & (u64::MAX >> (u64::BITS - integer.bits(word))))
        }
        (TypeKind::Float64, Literal::Float(value)) => Constant::Bits(value.to_bits()),
        (TypeKind::Float32, Literal::Float(value)) => Constant::Bits(u64::from((*value as f32).to_bits())),
        _ => return None,
    })
}

/// The types of variables that are only numbers after the graph: quantities and enums.
fn source_types(psg: &Psg) -> HashMap<Span, SourceType> {
    let quantities = psg.quantities.iter().map(|(span, text)| (*span, SourceType::Quantity(text.clone())));
    let enums = psg.variables.values().filter_map(|variable| {
        let TypeKind::Enum(id, _) = *psg.types.kind(variable.ty) else { return None };
        let described = &psg.enums[id];
        let values = described.values.iter().map(|value| (value.name.to_string(), value.value as i64));
        Some((variable.span, SourceType::Enum(described.name.to_string(), values.collect())))
    });
    quantities.chain(enums).collect()
}

/// Whether the runtime calls the program's handler of the timer's interrupt: the processor calls that of the system
/// timer.
fn calls_handler(board: &Board, psg: &Psg) -> bool {
    let is_handler = |export: &Export| {
        interrupt_symbol::interrupt(export.symbol).is_some_and(|name| name.as_str() == interrupt_symbol::TIMER)
    };
    board.time.interrupt().is_some() && psg.exports.iter().any(is_handler)
}

/// The layout of a closure, in the types of the passes.
fn pack(packing: Packing, slots: &[pass::Slot]) -> pass::Layout {
    let extents: Vec<_> =
        slots.iter().map(|slot| Extent { size: Bytes(slot.size), align: Bytes(slot.align) }).collect();
    let layout = packing.pack(&extents);
    let mut offsets = vec![0; slots.len()];
    for slot in &layout.slots {
        offsets[slot.capture] = slot.offset.0;
    }
    pass::Layout { extent: layout.extent, in_region: layout.in_region, offsets }
}

/// The target in LLVM's terms.
pub(crate) fn llvm_machine(target: &Target) -> llvm::Machine {
    llvm::Machine {
        triple: target.triple.to_string(),
        cpu: target.cpu.clone(),
        features: target.feature_string(),
        code_model: match target.code_model {
            clef_descriptors::CodeModel::Small => llvm::CodeModel::Small,
            clef_descriptors::CodeModel::Kernel => llvm::CodeModel::Kernel,
            clef_descriptors::CodeModel::Large => llvm::CodeModel::Large,
        },
        position_independent: target.relocation == RelocationModel::Pic,
    }
}

/// The result of MLIR or LLVM; an error of theirs is a bug of the compiler.
pub(super) fn sound<T>(made: Result<T, Vec<Fault>>) -> T {
    made.unwrap_or_else(|faults| {
        let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
        bug("generate", None, text.join("\n"))
    })
}
