//! A board as the runtime sees it.
//!
//! In: a resolved board. Out: the constants that the program's module must define for the runtime.

use crate::{job::Job, options::Optimisation};
use clef_codegen::{PlatformConstant, PlatformContent};
use clef_core::Program;
use clef_descriptors::{
    Arguments, Board, Bytes, Console, Exit, Hertz, InterruptController, Log, LowFrequencySource, Timer, TrapMessages,
};
use clef_image::link::{LinkInput, POOL_PAGES, POOL_START};
use clef_runtime::{
    ArgumentsKind, ConsoleKind, Constant, Content, ExitKind, InterruptFacts, LogKind, PlatformFacts, RttBuffers,
    TimerFacts, TimerKind,
};

/// The constants that the program's module defines for the runtime.
pub fn constants(board: &Board, job: &Job, program: &Program) -> Vec<PlatformConstant> {
    let has_constructors = job.link.iter().any(LinkInput::has_constructors);
    let facts =
        PlatformFacts { statistics: job.statistics, has_constructors, ..facts(board, job.optimisation, program) };
    clef_runtime::constants(&facts).into_iter().map(constant).collect()
}

/// The constants of a library: its host has the console and the clock, and decides what happens at its end. The pool is
/// memory of the library: a byte for each page, and the pages; or, for nested regions, one piece.
pub fn library_constants(board: &Board, job: &Job, program: &Program) -> Vec<PlatformConstant> {
    let (host, facts) = (ConsoleKind::Host, facts(board, job.optimisation, program));
    let facts = PlatformFacts { console: host, console_error: host, exit: ExitKind::Host, ..facts };
    let constants = clef_runtime::constants(&facts).into_iter().map(constant);
    let (page, size) = (board.region_pool.page, board.region_pool.size.unwrap_or_default());
    let memory = |name, bytes, align| PlatformConstant { name, content: PlatformContent::Memory { bytes, align } };
    let (table, align) = match program.nesting {
        Some(_) => (None, STRICTEST_ALIGNMENT),
        None => (Some(memory(POOL_START, size.0 / page.0.max(1), 1)), page.0),
    };
    constants.chain(table).chain([memory(POOL_PAGES, size.0, align)]).collect()
}

/// The alignment of memory for any value, in bytes.
const STRICTEST_ALIGNMENT: u64 = 16;

fn constant(constant: Constant) -> PlatformConstant {
    let content = match constant.content {
        Content::Small(value) => PlatformContent::Small(value),
        Content::Word(value) => PlatformContent::Word(value),
        Content::Buffer(bytes) => PlatformContent::Buffer(bytes),
    };
    PlatformConstant { name: constant.name, content }
}

/// Whether a debug probe reads or writes one of the program's streams in memory.
pub fn uses_rtt(board: &Board, program: &Program) -> bool {
    rtt(board, log(board, program)).total() > 0
}

/// The buffers that debug probes read and write.
fn rtt(board: &Board, log: Log) -> RttBuffers {
    let mut buffers = RttBuffers::default();
    if let Console::Rtt { buffer, input } = board.console {
        (buffers.output, buffers.input) = (size(buffer), size(input));
    }
    if let Console::Rtt { buffer, .. } = board.console_error {
        buffers.error = size(buffer);
    }
    if let Log::Rtt { buffer } = log {
        buffers.log = size(buffer);
    }
    buffers
}

/// The destination of a program's log: none if it does not log.
fn log(board: &Board, program: &Program) -> Log {
    if program.logs().is_some() { board.log } else { Log::None }
}

/// The size of a buffer; descriptors allow no larger one.
fn size(bytes: Bytes) -> u32 {
    u32::try_from(bytes.0).unwrap_or(u32::MAX)
}

/// What the runtime must know of the board and the program, without statistics.
fn facts(board: &Board, optimisation: Optimisation, program: &Program) -> PlatformFacts {
    let log = log(board, program);
    let (console, console_base) = stream(board.console);
    let (console_error, console_error_base) = stream(board.console_error);
    let (exit, exit_port) = match board.exit {
        Exit::Semihosting => (ExitKind::Semihosting, 0),
        Exit::IsaDebugExit { port } => (ExitKind::IsaDebugExit, u32::from(port)),
        Exit::Syscall => (ExitKind::Syscalls, 0),
        Exit::Halt => (ExitKind::Halt, 0),
    };
    let (log_kind, log_port) = match log {
        Log::None => (LogKind::None, 0),
        Log::Semihosting => (LogKind::Semihosting, 0),
        Log::Rtt { .. } => (LogKind::Rtt, 0),
        Log::Syscalls => (LogKind::Syscalls, 0),
        Log::IsaDebugcon { port } => (LogKind::IsaDebugcon, u32::from(port)),
    };
    PlatformFacts {
        console,
        console_error,
        console_base,
        console_error_base,
        rtt: rtt(board, log),
        log: log_kind,
        log_port,
        log_time: log != Log::None && program.tells_time(),
        needs_clock: log != Log::None || program.needs_clock(),
        exit,
        exit_port,
        arguments: match board.arguments() {
            _ if !program.reads_arguments() => ArgumentsKind::None,
            Arguments::None => ArgumentsKind::None,
            Arguments::Semihosting => ArgumentsKind::Semihosting,
            Arguments::Loader => ArgumentsKind::StartInformation,
            Arguments::Process => ArgumentsKind::Process,
        },
        region_page: board.region_pool.page.0,
        region_growth: board.region_pool.growth.unwrap_or_default().0,
        regions_nest: program.nesting.is_some(),
        texts_are_alone: program.nesting.is_some_and(|nesting| nesting.texts_are_alone),
        is_minimal: optimisation == Optimisation::MinimalSize,
        statistics: false,
        trap_messages: board.trap_messages == TrapMessages::Image,
        start_entries: board.start.iter().map(|step| step.entries().len() as u32).sum(),
        start_operations: board.start.iter().fold(0, |all, step| all | step.operation()),
        has_constructors: false,
        sets_vector_table: board.vector_table().is_some_and(|table| table.0 != 0),
        clock: board.clock.map_or(0, frequency),
        timer: timer(board.time),
        uses_interrupts: program.uses_interrupts(),
        interrupts: board.interrupts.map_or_else(InterruptFacts::default, interrupts),
    }
}

fn interrupts(controller: InterruptController) -> InterruptFacts {
    let count = controller.count();
    match controller {
        InterruptController::Gicv2 { distributor, interface, .. } => {
            InterruptFacts { count, distributor: distributor.0, interface: interface.0 }
        }
        InterruptController::Apic => InterruptFacts { count, ..InterruptFacts::default() },
    }
}

/// A frequency; descriptors allow no higher one.
fn frequency(clock: Hertz) -> u32 {
    u32::try_from(clock.0).unwrap_or(u32::MAX)
}

fn timer(timer: Timer) -> TimerFacts {
    let interrupt = timer.interrupt().unwrap_or(0);
    let of = |kind| TimerFacts { kind, interrupt, bits: 32, ..TimerFacts::default() };
    match timer {
        Timer::Systick => TimerFacts::default(),
        Timer::NrfRtc { base, source } => {
            // LFCLKSRC (nRF52840 and nRF9160 Product Specifications, "CLOCK"): an nRF91 has no synthesized clock.
            let first = if timer.is_nrf91() { 1 } else { 0 };
            let source = match source {
                LowFrequencySource::Rc => first,
                LowFrequencySource::Crystal => first + 1,
                LowFrequencySource::Synthesized => 2,
            };
            TimerFacts { base: base.0, source, bits: 24, ..of(TimerKind::NrfRtc) }
        }
        Timer::NrfTimer { base, bits } => TimerFacts { base: base.0, bits, ..of(TimerKind::NrfTimer) },
        Timer::Rp2040 { clock } => TimerFacts { base: RP2040_TIMER, clock: frequency(clock), ..of(TimerKind::Rp2040) },
        Timer::Rp2350 { clock } => TimerFacts { base: RP2350_TIMER0, clock: frequency(clock), ..of(TimerKind::Rp2350) },
        Timer::Stm32(timer) => TimerFacts {
            base: timer.base.0,
            bits: timer.bits,
            clock: frequency(timer.clock),
            enable: timer.enable.0,
            enable_bit: timer.bit,
            ..of(TimerKind::Stm32)
        },
    }
}

/// `TIMER` (RP2040 data sheet, 4.6.5) and `TIMER0` (RP2350 data sheet, 12.8.5).
const RP2040_TIMER: u64 = 0x4005_4000;
const RP2350_TIMER0: u64 = 0x400b_0000;

/// The number of samples of a bit, in the upper half, and the divisor with which UART0 of a KL25 has the rate that is nearest to 115,200 Bd
/// (KL25 Sub-Family Reference Manual, 39.2).
fn kl25_rate(clock: Hertz) -> u64 {
    const RATE: u64 = 115_200;
    let error = |samples: u64, divisor: u64| (samples * divisor * RATE).abs_diff(clock.0);
    let divisor = |samples: u64| ((clock.0 + samples * RATE / 2) / (samples * RATE)).max(1);
    let settings = (8..=32).rev().map(|samples| (samples, divisor(samples)));
    let best = settings.min_by_key(|(samples, divisor)| error(*samples, *divisor));
    best.map_or(0, |(samples, divisor)| samples << 16 | divisor)
}

/// The kind of a stream, and the address or port of its UART, or what else its driver requires.
fn stream(console: Console) -> (ConsoleKind, u64) {
    match console {
        Console::Semihosting => (ConsoleKind::Semihosting, 0),
        Console::Pl011 { base } => (ConsoleKind::Pl011, base.0),
        Console::Com { port } => (ConsoleKind::Com, u64::from(port)),
        Console::CmsdkUart { base } => (ConsoleKind::Cmsdk, base.0),
        Console::Kl25Uart { clock } => (ConsoleKind::Kl25, kl25_rate(clock)),
        Console::Uart { .. } => (ConsoleKind::Uart, 0),
        Console::Syscalls => (ConsoleKind::Syscalls, 0),
        Console::Rtt { .. } => (ConsoleKind::Rtt, 0),
    }
}
