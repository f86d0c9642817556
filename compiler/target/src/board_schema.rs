//! From a merged tree to a [`Board`].

use crate::{
    Board, Boot, Bytes, Console, Exit, MemoryKind, MemoryRegion, QemuSystem, QemuUser, RegionPool, Run, memory_check,
    reader::{Fields, FromNode, Report, Words, mapping, unknown_word},
    yaml::{Entry, Node},
};
use clef_base::{Diagnostic, Span, codes};

/// Reads and checks a board; `name` comes from its file, `place` is where missing keys are reported.
pub(crate) fn board(node: &Node, place: Span, name: &str, report: &mut Report) -> Option<Board> {
    let mut fields = Fields::of(node, place, "a board", report)?;
    let description = fields.required("description");
    let target = fields.required("target");
    let boot = fields.required("boot");
    let memory = match boot {
        Some(Boot::Linux) => fields.optional("memory").map(Option::unwrap_or_default),
        Some(Boot::CortexM | Boot::Aarch64 | Boot::Pvh) | None => fields.required("memory"),
    };
    let stack = fields.required("stack");
    let region_pool = fields.required("region_pool");
    let vectors = match boot {
        Some(Boot::CortexM) => fields.required("vectors").map(Some),
        Some(Boot::Aarch64 | Boot::Pvh | Boot::Linux) | None => fields.optional("vectors"),
    };
    let console = fields.required("console");
    let console_error = fields.optional("console_error");
    let exit = fields.required("exit");
    let run = fields.required("run");
    let chip = fields.optional("chip");
    let clock = fields.optional("clock");
    let pins = fields.optional("pins").map(Option::unwrap_or_default);
    fields.finish();
    let board = Board {
        name: name.to_owned(),
        description: description?,
        target: target?,
        memory: memory.map(|Memory(regions)| regions)?,
        stack: stack?,
        region_pool: region_pool?,
        vectors: vectors?,
        boot: boot?,
        console: console?,
        console_error: console_error?.or(console)?,
        exit: exit?,
        run: run?,
        chip: chip?,
        clock: clock?,
        pins: pins?,
    };
    memory_check::check(node, place, &board, report).then_some(board)
}

/// The memory map, a mapping from names to regions.
#[derive(Default)]
struct Memory(Vec<MemoryRegion>);

impl FromNode for Memory {
    fn from_node(node: &Node, report: &mut Report) -> Option<Memory> {
        let entries = mapping(node, "a mapping of memory regions by name", report)?;
        let regions: Vec<Option<MemoryRegion>> = entries.iter().map(|entry| memory_region(entry, report)).collect();
        regions.into_iter().collect::<Option<_>>().map(Memory)
    }
}

fn memory_region(entry: &Entry, report: &mut Report) -> Option<MemoryRegion> {
    let mut fields = Fields::of(&entry.value, entry.key_span, "a memory region", report)?;
    let kind = fields.required("kind");
    let origin = fields.required("origin");
    let length = fields.required("length");
    fields.finish();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !entry.key.starts_with(|c: char| c.is_ascii_alphabetic()) || !entry.key.chars().all(word) {
        let message = format!("`{}` cannot name a memory region", entry.key);
        report.push(
            Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, entry.key_span, message)
                .label("a letter, then letters, digits and `_`"),
        );
        return None;
    }
    Some(MemoryRegion { name: entry.key.clone(), origin: origin?, length: length?, kind: kind? })
}

impl FromNode for RegionPool {
    fn from_node(node: &Node, report: &mut Report) -> Option<RegionPool> {
        let mut fields = Fields::of(node, node.span, "a region pool", report)?;
        let size: Option<Bytes> = fields.required("size");
        let page: Option<Bytes> = fields.required("page");
        let place = fields.span("page");
        fields.finish();
        let pool = RegionPool { size: size?, page: page? };
        let problem = if pool.page.0 < SMALLEST_PAGE || !pool.page.0.is_power_of_two() {
            format!("a page is a power of two of at least {SMALLEST_PAGE} bytes, not {}", pool.page.0)
        } else if pool.size.0 == 0 || !pool.size.0.is_multiple_of(pool.page.0) {
            format!("a pool of {} bytes is not made of whole pages of {} bytes", pool.size.0, pool.page.0)
        } else {
            return Some(pool);
        };
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, problem));
        None
    }
}

/// A page must have room for its link and one small closure.
const SMALLEST_PAGE: u64 = 64;

/// The kinds of a mapping whose `kind` decides its other keys, each with what reads those.
type Kinds<T> = &'static [(&'static str, fn(&mut Fields<'_, '_>) -> Option<T>)];

fn by_kind<T>(node: &Node, what: &'static str, kinds: Kinds<T>, report: &mut Report) -> Option<T> {
    let mut fields = Fields::of(node, node.span, what, report)?;
    let Some(kind) = fields.required::<String>("kind") else {
        fields.finish_unread();
        return None;
    };
    let span = fields.span("kind");
    let Some((_, read)) = kinds.iter().find(|(word, _)| *word == kind) else {
        fields.report().push(unknown_word(span, &kind, what, kinds.iter().map(|(word, _)| *word)));
        return None;
    };
    let value = read(&mut fields);
    fields.finish();
    value
}

impl FromNode for Console {
    fn from_node(node: &Node, report: &mut Report) -> Option<Console> {
        const KINDS: Kinds<Console> = &[
            ("semihosting", |_| Some(Console::Semihosting)),
            ("pl011", |fields| Some(Console::Pl011 { base: fields.required("base")? })),
            ("com", |fields| Some(Console::Com { port: fields.required("port")? })),
            ("cmsdk-uart", |fields| Some(Console::CmsdkUart { base: fields.required("base")? })),
            ("syscalls", |_| Some(Console::Syscalls)),
        ];
        by_kind(node, "a console", KINDS, report)
    }
}

impl FromNode for Exit {
    fn from_node(node: &Node, report: &mut Report) -> Option<Exit> {
        const KINDS: Kinds<Exit> = &[
            ("semihosting", |_| Some(Exit::Semihosting)),
            ("isa-debug-exit", |fields| Some(Exit::IsaDebugExit { port: fields.required("port")? })),
            ("syscall", |_| Some(Exit::Syscall)),
            ("halt", |_| Some(Exit::Halt)),
        ];
        by_kind(node, "a way to exit", KINDS, report)
    }
}

impl FromNode for Run {
    fn from_node(node: &Node, report: &mut Report) -> Option<Run> {
        const KINDS: Kinds<Run> = &[
            ("native", |_| Some(Run::Native)),
            ("qemu", |fields| qemu_system(fields).map(Run::Qemu)),
            ("qemu-user", |fields| qemu_user(fields).map(Run::QemuUser)),
            ("none", |_| Some(Run::None)),
        ];
        by_kind(node, "a way to run", KINDS, report)
    }
}

fn qemu_system(fields: &mut Fields<'_, '_>) -> Option<QemuSystem> {
    let program = fields.required("program");
    let machine = fields.required("machine");
    let cpu = fields.optional("cpu");
    let arguments = fields.optional("arguments").map(Option::unwrap_or_default);
    Some(QemuSystem { program: program?, machine: machine?, cpu: cpu?, arguments: arguments? })
}

fn qemu_user(fields: &mut Fields<'_, '_>) -> Option<QemuUser> {
    let program = fields.required("program");
    let cpu = fields.optional("cpu");
    let arguments = fields.optional("arguments").map(Option::unwrap_or_default);
    Some(QemuUser { program: program?, cpu: cpu?, arguments: arguments? })
}

impl Words for MemoryKind {
    const WHAT: &'static str = "a kind of memory";
    const WORDS: &'static [(&'static str, MemoryKind)] = &[("flash", MemoryKind::Flash), ("ram", MemoryKind::Ram)];
}

impl Words for Boot {
    const WHAT: &'static str = "a way to boot";
    const WORDS: &'static [(&'static str, Boot)] =
        &[("cortex-m", Boot::CortexM), ("aarch64", Boot::Aarch64), ("pvh", Boot::Pvh), ("linux", Boot::Linux)];
}
