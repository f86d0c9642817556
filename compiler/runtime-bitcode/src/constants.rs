//! The constants that a program's module defines for the runtime (see `runtime-nostd/src/board.rs`). They fold after
//! linking, so that code for consoles and exits that the board does not use is eliminated.

/// The device for a stream of a board's console.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConsoleKind {
    /// Debugger calls, on Arm and AArch64.
    Semihosting,
    /// Arm's PrimeCell UART.
    Pl011,
    /// The UART of Arm's Cortex-M System Design Kit.
    Cmsdk,
    /// A PC's serial ports.
    Com,
    /// The system calls of Linux.
    Syscalls,
    /// Segger's Real-Time Transfer, on Cortex-M.
    Rtt,
    /// The functions of a library's host.
    Host,
    /// UART0 of NXP's KL25.
    Kl25,
    /// The first serial line of the board, by the driver of the library.
    Uart,
}

impl ConsoleKind {
    fn number(self) -> u32 {
        match self {
            ConsoleKind::Semihosting => 0,
            ConsoleKind::Pl011 => 1,
            ConsoleKind::Cmsdk => 2,
            ConsoleKind::Com => 3,
            ConsoleKind::Syscalls => 4,
            ConsoleKind::Rtt => 5,
            ConsoleKind::Host => 6,
            ConsoleKind::Kl25 => 7,
            ConsoleKind::Uart => 8,
        }
    }
}

/// How a program exits on a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitKind {
    /// Debugger calls, on Arm and AArch64.
    Semihosting,
    /// QEMU's `isa-debug-exit` device.
    IsaDebugExit,
    /// The system calls of Linux.
    Syscalls,
    /// None: the processor sleeps forever.
    Halt,
    /// A library's host decides.
    Host,
}

/// The sizes of the Real-Time Transfer buffers, in bytes; 0 for those that a board does not use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RttBuffers {
    /// For output.
    pub output: u32,
    /// For errors.
    pub error: u32,
    /// For the log.
    pub log: u32,
    /// For input.
    pub input: u32,
}

impl RttBuffers {
    /// The total size in bytes.
    pub fn total(&self) -> u64 {
        [self.output, self.error, self.log, self.input].map(u64::from).into_iter().sum()
    }
}

/// The kind of timer of a Cortex-M board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimerKind {
    /// The processor's system timer.
    #[default]
    System,
    /// A real-time counter of nRF51, nRF52 or nRF91.
    NrfRtc,
    /// A timer of nRF51, nRF52 or nRF91.
    NrfTimer,
    /// The timer of the RP2040.
    Rp2040,
    /// The first timer of the RP2350.
    Rp2350,
    /// A general-purpose timer of an STM32.
    Stm32,
}

/// The properties of a board's timer; those that do not apply to its kind are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimerFacts {
    /// Its kind.
    pub kind: TimerKind,
    /// The address of its first register.
    pub base: u64,
    /// Its width in bits.
    pub bits: u32,
    /// The number of its interrupt.
    pub interrupt: u32,
    /// The frequency of the clock that it divides.
    pub clock: u32,
    /// The source of the low-frequency clock, encoded as in the register of the chip.
    pub source: u32,
    /// The register that enables its clock.
    pub enable: u64,
    /// Its bit in that register.
    pub enable_bit: u32,
}

/// The properties of a board's interrupt controller; those that do not apply to its kind are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InterruptFacts {
    /// The number of its interrupts.
    pub count: u32,
    /// The address of the first register of its distributor.
    pub distributor: u64,
    /// The address of the first register of its interface to the processor.
    pub interface: u64,
}

/// The channel for the frames of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogKind {
    /// None.
    None,
    /// Debugger calls, on Arm and AArch64.
    Semihosting,
    /// Segger's Real-Time Transfer, on Cortex-M.
    Rtt,
    /// The system calls of Linux.
    Syscalls,
    /// QEMU's `isa-debugcon` device.
    IsaDebugcon,
}

/// How the program receives its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentsKind {
    /// Not at all.
    None,
    /// As a line, by debugger calls, on Arm and AArch64.
    Semihosting,
    /// As a line, in the start information of PVH.
    StartInformation,
    /// On the stack that Linux starts a process with.
    Process,
}

/// The size of the buffer for a command line, including the terminating zero.
pub const COMMAND_LINE: usize = 1024;

impl ArgumentsKind {
    fn number(self) -> u32 {
        match self {
            ArgumentsKind::None => 0,
            ArgumentsKind::Semihosting => 1,
            ArgumentsKind::StartInformation => 2,
            ArgumentsKind::Process => 3,
        }
    }

    /// The size of the buffer for them, in bytes.
    fn size(self) -> usize {
        match self {
            ArgumentsKind::None | ArgumentsKind::Process => 0,
            ArgumentsKind::Semihosting | ArgumentsKind::StartInformation => COMMAND_LINE,
        }
    }
}

/// The properties of a board that the runtime needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlatformFacts {
    /// The device for output and input.
    pub console: ConsoleKind,
    /// The device for errors.
    pub console_error: ConsoleKind,
    /// Address or port of the UART for output and input; 0 if there is none.
    pub console_base: u64,
    /// Address or port of the UART for errors; the same as `console_base` if there is only one.
    pub console_error_base: u64,
    /// The buffers of Real-Time Transfer.
    pub rtt: RttBuffers,
    /// The channel for the log; none for programs that do not log.
    pub log: LogKind,
    /// The port of `isa-debugcon`; 0 if there is none.
    pub log_port: u32,
    /// Whether each frame contains a timestamp.
    pub log_time: bool,
    /// Whether the time since the start is needed; other programs only wait, in one place at a time.
    pub needs_clock: bool,
    /// How a program exits.
    pub exit: ExitKind,
    /// The port of `isa-debug-exit`; 0 if there is none.
    pub exit_port: u32,
    /// How the program receives its arguments; not at all if it does not use them.
    pub arguments: ArgumentsKind,
    /// The size of a page of the region pool, in bytes.
    pub region_page: u64,
    /// How many bytes a region takes before it is due for evacuation; 0 for a page.
    pub region_growth: u64,
    /// Whether something is allocated only in the newest region that has not ended.
    pub regions_nest: bool,
    /// Whether nothing else is allocated while a text grows, in a program whose regions nest.
    pub texts_are_alone: bool,
    /// Whether the program is optimised for size alone.
    pub is_minimal: bool,
    /// Whether the program prints its memory use on exit.
    pub statistics: bool,
    /// Whether traps write their messages themselves; otherwise the processor stops, and a debugger reports them.
    pub trap_messages: bool,
    /// The frequency of the processor's clock in hertz; 0 if it is unknown.
    pub clock: u32,
    /// The number of entries of the table that the boot code executes before the program starts.
    pub start_entries: u32,
    /// The operations in that table, each a bit.
    pub start_operations: u32,
    /// Whether the boot code sets the address of the vector table.
    pub sets_vector_table: bool,
    /// Whether constructors of linked objects run before the program.
    pub has_constructors: bool,
    /// The board's timer.
    pub timer: TimerFacts,
    /// Whether the program handles interrupts, or uses their controller.
    pub uses_interrupts: bool,
    /// The board's interrupt controller, if it is not the processor's own.
    pub interrupts: InterruptFacts,
}

/// A global that the program's module defines for the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The global's name.
    pub name: &'static str,
    /// Its content.
    pub content: Content,
}

/// The content of a global that the program's module defines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A 32-bit constant.
    Small(u32),
    /// A pointer-sized constant.
    Word(u64),
    /// A zero-initialised, writable buffer of this size in bytes.
    Buffer(u64),
}

/// The constants for a board.
pub fn constants(facts: &PlatformFacts) -> Vec<Constant> {
    let exit = match facts.exit {
        ExitKind::Semihosting => 0,
        ExitKind::IsaDebugExit => 1,
        ExitKind::Syscalls => 2,
        ExitKind::Halt => 3,
        ExitKind::Host => 4,
    };
    let log = match facts.log {
        LogKind::None => 0,
        LogKind::Semihosting => 1,
        LogKind::Rtt => 2,
        LogKind::Syscalls => 3,
        LogKind::IsaDebugcon => 4,
    };
    let timer = match facts.timer.kind {
        TimerKind::System => 0,
        TimerKind::NrfRtc => 1,
        TimerKind::NrfTimer => 2,
        TimerKind::Rp2040 => 3,
        TimerKind::Rp2350 => 4,
        TimerKind::Stm32 => 5,
    };
    let small = |name, value| Constant { name, content: Content::Small(value) };
    let word = |name, value| Constant { name, content: Content::Word(value) };
    vec![
        small("clef_console_kind", facts.console.number()),
        small("clef_console_error_kind", facts.console_error.number()),
        word("clef_console_base", facts.console_base),
        word("clef_console_error_base", facts.console_error_base),
        small("clef_rtt_output", facts.rtt.output),
        small("clef_rtt_error", facts.rtt.error),
        small("clef_rtt_log", facts.rtt.log),
        small("clef_rtt_input", facts.rtt.input),
        Constant { name: "clef_rtt_buffer", content: Content::Buffer(facts.rtt.total()) },
        small("clef_log_kind", log),
        small("clef_log_port", facts.log_port),
        small("clef_log_time", u32::from(facts.log_time)),
        small("clef_needs_clock", u32::from(facts.needs_clock)),
        small("clef_exit_kind", exit),
        small("clef_exit_port", facts.exit_port),
        small("clef_arguments_kind", facts.arguments.number()),
        small("clef_arguments_size", facts.arguments.size() as u32),
        Constant { name: "clef_arguments_buffer", content: Content::Buffer(facts.arguments.size() as u64) },
        word("clef_region_page", facts.region_page),
        word("clef_region_growth", facts.region_growth),
        small("clef_regions_nest", u32::from(facts.regions_nest)),
        small("clef_texts_are_alone", u32::from(facts.texts_are_alone)),
        small("clef_is_minimal", u32::from(facts.is_minimal)),
        small("clef_statistics", u32::from(facts.statistics)),
        small("clef_trap_messages", u32::from(facts.trap_messages)),
        small("clef_clock", facts.clock),
        small("clef_start_entries", facts.start_entries),
        small("clef_start_operations", facts.start_operations),
        small("clef_sets_vector_table", u32::from(facts.sets_vector_table)),
        small("clef_has_constructors", u32::from(facts.has_constructors)),
        small("clef_timer_kind", timer),
        word("clef_timer_base", facts.timer.base),
        small("clef_timer_bits", facts.timer.bits),
        small("clef_timer_interrupt", facts.timer.interrupt),
        small("clef_timer_clock", facts.timer.clock),
        small("clef_timer_source", facts.timer.source),
        word("clef_timer_enable", facts.timer.enable),
        small("clef_timer_enable_bit", facts.timer.enable_bit),
        small("clef_uses_interrupts", u32::from(facts.uses_interrupts)),
        small("clef_interrupt_count", facts.interrupts.count),
        word("clef_interrupt_distributor", facts.interrupts.distributor),
        word("clef_interrupt_interface", facts.interrupts.interface),
    ]
}
