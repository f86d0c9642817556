//! The constants that a program's module defines for the runtime (see `runtime-nostd/src/board.rs`). They fold after
//! linking, so that consoles and exits which the board does not use vanish from the image.

/// How a stream of a board's console is reached.
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
        }
    }
}

/// How a program ends on a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitKind {
    /// Debugger calls, on Arm and AArch64.
    Semihosting,
    /// QEMU's `isa-debug-exit` device.
    IsaDebugExit,
    /// The system calls of Linux.
    Syscalls,
    /// Not at all: the processor sleeps for ever.
    Halt,
}

/// The bytes of the buffers of Real-Time Transfer; 0 for what a board does not use.
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
    /// The bytes of all of them.
    pub fn total(&self) -> u64 {
        [self.output, self.error, self.log, self.input].map(u64::from).into_iter().sum()
    }
}

/// What the timer of a Cortex-M board is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimerKind {
    /// The processor's system timer.
    #[default]
    System,
    /// A real-time counter of nRF51 or nRF52.
    NrfRtc,
    /// A timer of nRF51 or nRF52.
    NrfTimer,
    /// The timer of the RP2040.
    Rp2040,
    /// The first timer of the RP2350.
    Rp2350,
    /// A general-purpose timer of an STM32.
    Stm32,
}

/// What the runtime must know of a board's timer; what its kind does not ask for is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimerFacts {
    /// What it is.
    pub kind: TimerKind,
    /// Its first register.
    pub base: u64,
    /// How many bits it has.
    pub bits: u32,
    /// The number of its interrupt.
    pub interrupt: u32,
    /// What it divides.
    pub clock: u32,
    /// What makes the low-frequency clock, as the register of the chip says it.
    pub source: u32,
    /// The register that gives it its clock.
    pub enable: u64,
    /// Its bit of that register.
    pub enable_bit: u32,
}

/// How the frames of the log are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogKind {
    /// Not at all.
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

/// How arguments come to the program.
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

/// The bytes of memory for a line of arguments, of which one is the zero at its end.
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

    /// The bytes of memory that it needs for them.
    fn size(self) -> usize {
        match self {
            ArgumentsKind::None | ArgumentsKind::Process => 0,
            ArgumentsKind::Semihosting | ArgumentsKind::StartInformation => COMMAND_LINE,
        }
    }
}

/// What the runtime must know of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlatformFacts {
    /// How output and input are reached.
    pub console: ConsoleKind,
    /// How errors are reached.
    pub console_error: ConsoleKind,
    /// Address or port of the UART for output and input; 0 where there is none.
    pub console_base: u64,
    /// Address or port of the UART for errors; the same as `console_base` if there is but one.
    pub console_error_base: u64,
    /// The buffers of Real-Time Transfer.
    pub rtt: RttBuffers,
    /// How the frames of the log are sent; not at all by programs that do not log.
    pub log: LogKind,
    /// The port of `isa-debugcon`; 0 where there is none.
    pub log_port: u32,
    /// Whether each frame tells the time.
    pub log_time: bool,
    /// How a program ends.
    pub exit: ExitKind,
    /// The port of `isa-debug-exit`; 0 where there is none.
    pub exit_port: u32,
    /// How arguments come to the program; not at all to one that does not ask for them.
    pub arguments: ArgumentsKind,
    /// Bytes of a page of the region pool.
    pub region_page: u64,
    /// Whether the program says at its end how much memory it used.
    pub statistics: bool,
    /// How often a second the processor's clock ticks; 0 where that is not known.
    pub clock: u32,
    /// How many steps the boot code does before the program begins.
    pub start_steps: u32,
    /// The board's timer.
    pub timer: TimerFacts,
}

/// Something that the program's module defines for the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The global's name.
    pub name: &'static str,
    /// What it is.
    pub content: Content,
}

/// What a global that the program's module defines holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A constant of 32 bits.
    Small(u32),
    /// A constant as wide as a pointer.
    Word(u64),
    /// So many bytes to be written, which are zero at first.
    Room(u64),
}

/// The constants for a board.
pub fn constants(facts: &PlatformFacts) -> Vec<Constant> {
    let exit = match facts.exit {
        ExitKind::Semihosting => 0,
        ExitKind::IsaDebugExit => 1,
        ExitKind::Syscalls => 2,
        ExitKind::Halt => 3,
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
        Constant { name: "clef_rtt_room", content: Content::Room(facts.rtt.total()) },
        small("clef_log_kind", log),
        small("clef_log_port", facts.log_port),
        small("clef_log_time", u32::from(facts.log_time)),
        small("clef_exit_kind", exit),
        small("clef_exit_port", facts.exit_port),
        small("clef_arguments_kind", facts.arguments.number()),
        small("clef_arguments_size", facts.arguments.size() as u32),
        Constant { name: "clef_arguments_room", content: Content::Room(facts.arguments.size() as u64) },
        word("clef_region_page", facts.region_page),
        small("clef_statistics", u32::from(facts.statistics)),
        small("clef_clock", facts.clock),
        small("clef_start_steps", facts.start_steps),
        small("clef_timer_kind", timer),
        word("clef_timer_base", facts.timer.base),
        small("clef_timer_bits", facts.timer.bits),
        small("clef_timer_interrupt", facts.timer.interrupt),
        small("clef_timer_clock", facts.timer.clock),
        small("clef_timer_source", facts.timer.source),
        word("clef_timer_enable", facts.timer.enable),
        small("clef_timer_enable_bit", facts.timer.enable_bit),
    ]
}
