//! The table of contents: from source files to products, one step after the other.
//!
//! In: a [`Job`] and the products that are wanted. Out: those products, or the diagnostics of the first step that found
//! an error. Each step says what must hold before it; later steps may rely on it.

use crate::{
    bound::{self, Bounds, Origin, Origins, Question},
    cli::{LogLevelChoice, Optimisation},
    emit::{Emit, Format},
    image::{self, MemoryTable},
    link::{AMPLE, Image, Link, LinkInput, Sections, link},
    platform,
    session::Session,
    size::{self, Owners, Sizes},
    static_data, storage_json,
};
use clef_base::{
    Diagnostic, FileId, SourceMap, Span, codes,
    diagnostic::{has_errors, without_consequences},
    internal::bug,
};
use clef_check::{Owner, Unit};
use clef_codegen::layout::Packing;
use clef_core::{Function, FunctionId, Program, callees::Callees};
use clef_descriptors::{Board, Boot, Log, Machine, Pin, RelocationModel, Target};
use clef_mlir::{
    Fault,
    llvm::{self, Compiled, Object},
    pass::{self, Lowering},
};
use clef_psg::{Export, Literal, NodeId, NodeKind, Psg, TestCase, print::captures::closure_spans};
use clef_syntax::ast::Ast;
use clef_types::TargetFacts;
use std::collections::HashSet;

/// What is to be compiled, and how.
pub struct Job {
    /// The source files, in the order of their dependencies.
    pub files: Vec<ProgramFile>,
    /// For what.
    pub machine: Machine,
    /// How far to optimise.
    pub optimisation: Optimisation,
    /// Whether to add line tables.
    pub debug: bool,
    /// Whether the program says at its end how much memory it used.
    pub statistics: bool,
    /// The least level of messages that are logged; all if it is not said.
    pub log_level: Option<LogLevelChoice>,
    /// Objects and archives of other languages.
    pub link: Vec<LinkInput>,
    /// What the program does.
    pub purpose: Purpose,
}

/// What a program does behind the initialisation of its modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It runs its entry point.
    Run,
    /// It runs its tests.
    Test,
}

/// A source file of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramFile {
    /// The file.
    pub file: FileId,
    /// The number of the project that it belongs to.
    pub project: u32,
}

/// Something that a compilation makes.
pub enum Product {
    /// For people.
    Text(String),
    /// For machines.
    Bytes(Vec<u8>),
}

/// What came of a compilation.
pub struct Compilation {
    /// The wanted products, in the order of the pipeline.
    pub products: Vec<(Emit, Product)>,
    /// What the image takes of the board's memory, if one was linked.
    pub memory: Option<MemoryTable>,
    /// How much memory it can need, if one was linked.
    pub bounds: Option<Bounds>,
    /// What the bytes of the image are spent on, if one was linked.
    pub sizes: Option<Sizes>,
    /// Whether the program talks over the board's serial line.
    pub uses_uart: bool,
    /// Whether it has an entry point, which is given the arguments.
    pub has_entry: bool,
    /// Its tests, in the order of their numbers.
    pub tests: Vec<TestCase>,
}

/// The products of a run, as far as they are made.
struct Products<'a> {
    wanted: &'a [Emit],
    made: Vec<(Emit, Product)>,
    memory: Option<MemoryTable>,
    bounds: Option<Bounds>,
    sizes: Option<Sizes>,
    uses_uart: bool,
    has_entry: bool,
    tests: Vec<TestCase>,
}

impl Products<'_> {
    /// Makes a text, if it is wanted.
    fn text(&mut self, emit: Emit, make: impl FnOnce() -> String) {
        if self.wanted.contains(&emit) {
            self.made.push((emit, Product::Text(make())));
        }
    }

    /// Makes bytes, if they are wanted.
    fn bytes(&mut self, emit: Emit, make: impl FnOnce() -> Vec<u8>) {
        if self.wanted.contains(&emit) {
            self.made.push((emit, Product::Bytes(make())));
        }
    }

    /// Whether something that is made at this step or behind it is wanted.
    fn goes_on(&self) -> bool {
        self.made.len() < self.wanted.len()
    }

    fn finish(self) -> Compilation {
        let Products { made: products, memory, bounds, sizes, uses_uart, has_entry, tests, wanted: _ } = self;
        Compilation { products, memory, bounds, sizes, uses_uart, has_entry, tests }
    }
}

/// Compiles a job and makes the wanted products, which are in the order of the pipeline. Warnings are shown on the way.
pub fn compile(session: &mut Session, job: &Job, wanted: &[Emit]) -> Result<Compilation, Vec<Diagnostic>> {
    let mut products = Products {
        wanted,
        made: Vec::new(),
        memory: None,
        bounds: None,
        sizes: None,
        uses_uart: false,
        has_entry: false,
        tests: Vec::new(),
    };
    let target = &job.machine.target.value;

    // Text → tokens → tree. Before: the files are valid UTF-8.
    define_names(session, &job.machine);
    products.text(Emit::Tokens, || tokens(session, &job.files));
    let (trees, diagnostics) = parse(session, job.files.iter().map(|file| file.file));
    products.text(Emit::Ast, || trees.iter().map(clef_syntax::dump::dump).collect());
    if !products.goes_on() {
        session.settle(diagnostics)?;
        return Ok(products.finish());
    }

    // Trees → typed graph with captures. Before: each index of a tree is valid; what is missing is an error node.
    let mut psg = check_trees(session, &job.files, trees, diagnostics, &job.machine, job.purpose)?;
    products.tests.clone_from(&psg.tests);
    products.has_entry = psg.entry.is_some();
    psg.quiet = job.log_level.and_then(LogLevelChoice::quiet);
    products.text(Emit::Psg, || clef_psg::print::psg::psg_text(&psg));
    products.text(Emit::Captures, || clef_psg::print::captures::captures_text(&psg, &session.sources));
    if !products.goes_on() {
        return Ok(products.finish());
    }

    // Graph → Core with storage. Before: every node has a type; no capture outlives what it refers to.
    let program = lowered(session, &psg, &job.files, &job.machine)?;
    // Before functions are inlined, which of the library a program uses can be seen.
    let is_of_uart = |function: &Function| session.sources.file(function.span.file).name == clef_library::UART;
    products.uses_uart = program.functions.values().any(is_of_uart);
    let program = placed(session, program, job.optimisation)?;
    session.settle(unheard_log(&program, &job.machine.board.value).into_iter().collect())?;
    products.text(Emit::Core, || clef_core::print::print(&program));
    products.text(Emit::Storage, || clef_storage::place::storage(&program, &session.sources));
    products.text(Emit::StorageJson, || {
        let listing = clef_storage::place::listing(&program, &session.sources);
        storage_json::text(&listing, clef_storage::place::closures(&closure_spans(&psg), &program), &session.sources)
    });
    products.text(Emit::Layout, || clef_codegen::report::text(&program, target, &session.sources));
    if !products.goes_on() {
        return Ok(products.finish());
    }

    // Core → MLIR → LLVM. Before: every allocation has its storage, and what is static can fit.
    session.enter("static data");
    let (board, own) = (&job.machine.board.value, own_files(&job.files));
    session.settle(static_data::excess(&program, target, board, &own, AMPLE).into_iter().collect())?;
    let Some(compiled) = machine_code(session, &psg, &program, job, &mut products) else {
        return Ok(products.finish());
    };
    products.text(Emit::LlvmIr, || sound(compiled.ir()));
    products.text(Emit::Asm, || sound(compiled.assembly()));
    if !products.goes_on() {
        return Ok(products.finish());
    }

    // LLVM → object → image, checked. Before: nothing is undefined but the builtin routines.
    session.enter("emit");
    let object = sound(compiled.object());
    products.bytes(Emit::Obj, || object.bytes.clone());
    if products.goes_on() {
        let image = linked(session, &object.bytes, &psg, &Sections::of(&program), job)?;
        let bounds = bounds(session, &image, &object, &program, job)?;
        session.settle(bounds.diagnostics(session.denies_unbounded()))?;
        for (product, format) in wanted.iter().filter_map(|product| Some((*product, Format::of(*product)?))) {
            let bytes = format.written(&image.bytes, &job.machine.board.value)?;
            products.made.push((product, Product::Bytes(bytes)));
        }
        products.sizes = Some(sizes(session, &image, &program, job)?);
        products.memory = Some(image.memory);
        products.bounds = Some(bounds);
    }
    Ok(products.finish())
}

/// Runs the steps that find errors in programs, and shows warnings. What handlers of interrupts do is seen in programs as
/// they are optimised by default.
pub fn check(session: &mut Session, files: &[ProgramFile], machine: &Machine) -> Result<(), Vec<Diagnostic>> {
    define_names(session, machine);
    let (trees, diagnostics) = parse(session, files.iter().map(|file| file.file));
    let psg = check_trees(session, files, trees, diagnostics, machine, Purpose::Run)?;
    let program = lowered(session, &psg, files, machine)?;
    if psg.exports.iter().any(|export| clef_types::interrupt_symbol::interrupt(export.symbol).is_some()) {
        placed(session, program, Optimisation::Default)?;
    }
    Ok(())
}

/// Makes the names of the target and the board true in `#if`.
fn define_names(session: &mut Session, machine: &Machine) {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let names = [&machine.target.value.name, &machine.board.value.name];
    session.sources.define(names.map(|name| name.chars().map(letter).collect()));
}

/// The program's own files.
fn own_files(files: &[ProgramFile]) -> HashSet<FileId> {
    files.iter().map(|file| file.file).collect()
}

/// What sema must know of a target.
fn facts(target: &Target) -> TargetFacts {
    TargetFacts { word_bits: target.pointer_bits.bits() }
}

fn tokens(session: &mut Session, files: &[ProgramFile]) -> String {
    session.enter("lex");
    let laid_out = |&ProgramFile { file, .. }: &ProgramFile| {
        let is_defined = |name: &str| session.sources.is_defined(file, name);
        let (tokens, _) = clef_syntax::lexer::lex(file, &session.sources.file(file).text, &is_defined);
        clef_syntax::list::list(&clef_syntax::offside::lay_out(tokens).0)
    };
    files.iter().map(laid_out).collect()
}

fn parse(session: &mut Session, files: impl Iterator<Item = FileId>) -> (Vec<Ast>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let Session { sources, progress, .. } = session;
    let parse_one = |file: FileId| {
        let (tree, found) = clef_syntax::parse_in_steps(sources, file, &mut |step| progress.enter(step));
        diagnostics.extend(found);
        tree
    };
    (files.map(parse_one).collect(), diagnostics)
}

/// Checks the library and the program. Errors of parsing are reported together with what checking still finds.
fn check_trees(
    session: &mut Session,
    files: &[ProgramFile],
    trees: Vec<Ast>,
    mut diagnostics: Vec<Diagnostic>,
    machine: &Machine,
    purpose: Purpose,
) -> Result<Psg, Vec<Diagnostic>> {
    let (target, board) = (&machine.target.value, &machine.board.value);
    let library = clef_library::sources_for(&target.name, board).into_iter();
    let library: Vec<FileId> = library.map(|(name, text)| session.sources.add(name, text)).collect();
    let (library, wrong) = parse(session, library.into_iter());
    if let Some(first) = wrong.first() {
        bug("parse", first.primary.as_ref().map(|label| label.span), format!("the library: {}", first.message));
    }
    session.enter("check");
    let library = library.iter().map(|ast| Unit { ast, owner: Owner::Library });
    let own = files.iter().zip(&trees).map(|(file, ast)| Unit { ast, owner: Owner::Project(file.project) });
    let units: Vec<Unit<'_>> = library.chain(own).collect();
    let check = match purpose {
        Purpose::Run => clef_check::check,
        Purpose::Test => clef_check::check_tests,
    };
    let (psg, found) = check(&units, &session.sources, facts(&machine.target.value));
    diagnostics.extend(without_consequences(&session.sources, &diagnostics, found));
    let psg = match psg {
        Some(psg) if !has_errors(&diagnostics) => psg,
        Some(_) | None => return Err(diagnostics),
    };
    session.enter("escape");
    diagnostics.extend(clef_analysis::escape::check(&psg));
    diagnostics.extend(absent_interrupts(&psg, board));
    diagnostics.extend(absent_pins(&psg, board, &session.sources));
    diagnostics.extend(exported_routines(&psg));
    session.settle(diagnostics)?;
    Ok(psg)
}

/// The handlers of interrupts that a board does not have.
fn absent_interrupts(psg: &Psg, board: &Board) -> Vec<Diagnostic> {
    let absent = |export: &Export| {
        let name = clef_types::interrupt_symbol::interrupt(export.symbol)?;
        let message = match (board.vectors, name.as_str().parse::<u32>()) {
            (Some(count), Ok(number)) if number >= count => {
                format!(
                    "the board `{}` has no interrupt {number}: the last one is {}",
                    board.name,
                    count.saturating_sub(1)
                )
            }
            (Some(_), _) => return None,
            (None, _) => format!("the board `{}` has no interrupts that a program handles", board.name),
        };
        let diagnostic = Diagnostic::error(codes::NO_SUCH_INTERRUPT, export.span, message);
        Some(diagnostic.help("choose the board with `--board`; its descriptor says how many interrupts it has"))
    };
    psg.exports.iter().filter_map(absent).collect()
}

/// The library's function that makes a pin of its numbers, and where it is declared.
const PIN: (&str, &str) = ("Gpio.pin", "library/gpio.clef");

/// The pins that are named by numbers and that the board does not have.
fn absent_pins(psg: &Psg, board: &Board, sources: &SourceMap) -> Vec<Diagnostic> {
    let Some(gpio) = board.gpio else { return Vec::new() };
    let number = |node: NodeId| {
        let NodeKind::Literal(Literal::Integer(number)) = psg.nodes[node].kind else { return None };
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    };
    let makes_pin = |node: NodeId| {
        let NodeKind::Variable { variable, .. } = &psg.nodes[node].kind else { return false };
        let variable = &psg.variables[*variable];
        (variable.path.as_str(), sources.file(variable.span.file).name.as_str()) == PIN
    };
    let absent = |node: &clef_psg::Node| {
        let NodeKind::Apply { function, arguments } = &node.kind else { return None };
        let [port, pin] = arguments.as_slice() else { return None };
        let pin = Pin { port: number(*port)?, number: number(*pin)? };
        if gpio.has(pin) || !makes_pin(*function) {
            return None;
        }
        let message = format!("the board `{}` has no {pin}", board.name);
        let diagnostic = Diagnostic::error(codes::NO_SUCH_PIN, node.span, message);
        Some(diagnostic.note(format!("it has {}; both numbers count from 0", gpio.all())))
    };
    psg.nodes.iter().filter_map(|(_, node)| absent(node)).collect()
}

/// Exports of routines that compiled code calls, on whatever target.
fn exported_routines(psg: &Psg) -> Vec<Diagnostic> {
    let exports = psg.exports.iter().filter(|export| clef_runtime::is_routine(export.symbol.as_str()));
    let diagnostic = |export: &Export| {
        let message = format!("the symbol `{}` belongs to a routine that compiled code calls", export.symbol);
        Diagnostic::error(codes::BAD_SYMBOL, export.span, message)
            .note("what is exported by this name would be called in its place")
            .help("choose another symbol, for example one that begins with the name of your program")
    };
    exports.map(diagnostic).collect()
}

/// A call of the log on a board that sends it nowhere.
fn unheard_log(program: &Program, board: &Board) -> Option<Diagnostic> {
    let place = program.logs().filter(|_| board.log == Log::None)?;
    let way = match board.boot {
        Boot::CortexM => "rtt",
        Boot::Aarch64 => "semihosting",
        Boot::Pvh => "isa-debugcon, port: 0xe9",
        Boot::Linux => "syscalls",
    };
    let message = format!("the program logs, and the board `{}` sends its log nowhere", board.name);
    let help = format!(
        "leave such calls out with `--log-level`, or say in a descriptor of the board how the log is sent: `log: {{ kind: {way} }}`"
    );
    Some(Diagnostic::error(codes::UNHEARD_LOG, place, message).help(help))
}

/// Core as it is made.
fn lowered(
    session: &mut Session,
    psg: &Psg,
    files: &[ProgramFile],
    machine: &Machine,
) -> Result<Program, Vec<Diagnostic>> {
    session.enter("lower");
    let program = clef_lower::lower(psg, facts(&machine.target.value))?;
    let own = own_files(files);
    session.settle(clef_storage::timer::check(&program, machine.board.value.time.interrupt(), &|file| {
        own.contains(&file)
    }))?;
    Ok(program)
}

/// Core simplified, with storage and regions.
fn placed(session: &mut Session, program: Program, optimisation: Optimisation) -> Result<Program, Vec<Diagnostic>> {
    session.enter("simplify");
    let mut program = clef_optimise::simplify(program, optimisation.simplification());
    session.enter("place");
    clef_storage::place::place(&mut program);
    session.enter("region");
    clef_storage::region::infer(&mut program);
    session.enter("interrupt");
    session.settle(clef_storage::interrupt::check(&mut program))?;
    Ok(program)
}

/// MLIR, its passes, and LLVM's optimised module; nothing if nothing behind MLIR is wanted.
fn machine_code(
    session: &mut Session,
    psg: &Psg,
    program: &Program,
    job: &Job,
    products: &mut Products<'_>,
) -> Option<Compiled> {
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    session.enter("generate");
    let context = clef_mlir::Session::new();
    let constants = platform::constants(board, job.statistics, program);
    let mut module = sound(clef_codegen::generate(&context, program, target, &constants, &session.sources));
    products.text(Emit::Mlir, || module.to_string());
    session.enter("lower closures");
    let packing = Packing::of(target);
    let lowering = Lowering {
        word_bits: target.pointer_bits.bits(),
        thumb: target.triple.starts_with("thumb"),
        layout: &|slots| pack(packing, slots),
    };
    sound(pass::lower(&mut module, &lowering));
    products.text(Emit::MlirLlvm, || module.to_string());
    if !products.goes_on() {
        return None;
    }
    session.enter("optimise");
    let Some(runtime) = clef_runtime::find(&target.runtime) else {
        bug("optimise", None, format!("there is no runtime `{}`", target.runtime))
    };
    let exports = psg.exports.iter().map(|export| export.symbol.as_str());
    let clock = program.tells_time().then_some(clef_runtime::CLOCK_INTERRUPT);
    let rtt = platform::uses_rtt(board, program).then_some(clef_runtime::RTT_CONTROL_BLOCK);
    let timer = calls_handler(board, psg).then_some(clef_runtime::TIMER_INTERRUPT);
    let roots = clef_runtime::ROOTS.iter().copied().chain(clock).chain(timer);
    let keep: Vec<&str> = roots.chain(rtt).chain(exports).collect();
    let options = llvm::Options {
        level: job.optimisation.level(),
        debug: job.debug,
        keep: &keep,
        runtime: Some(runtime.bitcode),
    };
    Some(sound(llvm::compile(&mut module, &llvm_machine(target), &options)))
}

/// Whether the runtime calls the program's handler of the timer's interrupt: that of the system timer is called by the processor.
fn calls_handler(board: &Board, psg: &Psg) -> bool {
    let is_handler = |export: &Export| {
        clef_types::interrupt_symbol::interrupt(export.symbol)
            .is_some_and(|name| name.as_str() == clef_types::interrupt_symbol::TIMER)
    };
    board.time.interrupt().is_some() && psg.exports.iter().any(is_handler)
}

/// The layout of a closure, as the passes ask for it.
fn pack(packing: Packing, slots: &[pass::Slot]) -> pass::Layout {
    let extents: Vec<_> =
        slots.iter().map(|slot| clef_codegen::layout::Extent { size: slot.size, align: slot.align }).collect();
    let layout = packing.pack(&extents);
    let mut offsets = vec![0; slots.len()];
    for slot in &layout.slots {
        offsets[slot.capture] = slot.offset;
    }
    pass::Layout { size: layout.extent.size, align: layout.extent.align, offsets }
}

/// The target in LLVM's terms.
pub(crate) fn llvm_machine(target: &Target) -> llvm::Machine {
    llvm::Machine {
        triple: target.triple.clone(),
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

/// Links; an image that does not fit is reported with its memory table.
fn linked(
    session: &mut Session,
    object: &[u8],
    psg: &Psg,
    sections: &Sections,
    job: &Job,
) -> Result<Image, Vec<Diagnostic>> {
    session.enter("link");
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    let Some(runtime) = clef_runtime::find(&target.runtime) else {
        bug("link", None, format!("there is no runtime `{}`", target.runtime))
    };
    let smallest = job.optimisation == Optimisation::MinimalSize;
    let (builtins, inputs) = (runtime.builtins, job.link.as_slice());
    let (imports, exports) = (psg.imports.as_slice(), psg.exports.as_slice());
    link(&Link { object, inputs, builtins, imports, exports, sections, target, board, smallest }).map_err(|failure| {
        if let Some(memory) = &failure.memory {
            session.table(memory);
        }
        failure.diagnostics
    })
}

/// How much memory an image can need.
fn bounds(
    session: &mut Session,
    image: &Image,
    object: &Object,
    program: &Program,
    job: &Job,
) -> Result<Bounds, Vec<Diagnostic>> {
    session.enter("bound");
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    let own = own_files(&job.files);
    let origins = origins(program, &own);
    let question = Question { image: &image.bytes, object, origins: &origins, target, board };
    let stack = bound::stack(&question, &llvm_machine(target))?;
    let regions = bound::regions(program, target, (board, &image.bytes), &own, &session.sources);
    Ok(Bounds { stack, regions })
}

/// What the bytes of an image are spent on.
fn sizes(session: &Session, image: &Image, program: &Program, job: &Job) -> Result<Sizes, Diagnostic> {
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    let symbols = clef_codegen::symbols(program);
    let functions = symbols.into_iter().map(|(id, symbol)| {
        let function = &program.functions[id];
        (symbol, function.span, function.name)
    });
    let values = clef_codegen::value_symbols(program);
    let values = values.into_iter().map(|(id, symbol)| (symbol, program.globals[id].span, program.globals[id].name));
    let file = |span: Span| session.sources.file(span.file).name.clone();
    let owners =
        Owners::new(functions.chain(values).map(|(symbol, span, name)| (symbol, file(span), name.to_string())));
    let pieces = image::contents(&image.bytes, board)?;
    let closures = size::closures(program, target, &session.sources);
    Ok(Sizes::of(&image.memory, &pieces, &owners, closures))
}

/// Where the functions of a program come from, and which closures they call.
fn origins(program: &Program, own: &HashSet<FileId>) -> Origins {
    let callees = Callees::of(program);
    let symbols = clef_codegen::symbols(program);
    let origin = |(&id, symbol): (&FunctionId, &String)| {
        let function = &program.functions[id];
        let reached = callees.of_function(program, id);
        let reaches = reached.iter().filter_map(|callee| symbols.get(callee).cloned()).collect();
        let is_library = !own.contains(&function.span.file);
        (symbol.clone(), Origin { name: function.name.to_string(), span: function.span, is_library, reaches })
    };
    Origins { of: symbols.iter().map(origin).collect() }
}

/// What MLIR or LLVM made; what they refuse is a bug of the compiler.
fn sound<T>(made: Result<T, Vec<Fault>>) -> T {
    made.unwrap_or_else(|faults| {
        let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
        bug("generate", None, text.join("\n"))
    })
}
