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
}

impl ConsoleKind {
    fn number(self) -> u64 {
        match self {
            ConsoleKind::Semihosting => 0,
            ConsoleKind::Pl011 => 1,
            ConsoleKind::Cmsdk => 2,
            ConsoleKind::Com => 3,
            ConsoleKind::Syscalls => 4,
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
    /// How a program ends.
    pub exit: ExitKind,
    /// The port of `isa-debug-exit`; 0 where there is none.
    pub exit_port: u32,
    /// Bytes of a page of the region pool.
    pub region_page: u64,
    /// Whether the program says at its end how much memory it used.
    pub statistics: bool,
    /// How often a second the processor's clock ticks; 0 where that is not known.
    pub clock: u32,
}

/// An integer constant of the program's module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The global's name.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// Whether it is as wide as a pointer; otherwise it has 32 bits.
    pub is_word: bool,
}

/// The constants for a board.
pub fn constants(facts: &PlatformFacts) -> [Constant; 9] {
    let exit = match facts.exit {
        ExitKind::Semihosting => 0,
        ExitKind::IsaDebugExit => 1,
        ExitKind::Syscalls => 2,
        ExitKind::Halt => 3,
    };
    let small = |name, value| Constant { name, value, is_word: false };
    let word = |name, value| Constant { name, value, is_word: true };
    [
        small("clef_console_kind", facts.console.number()),
        small("clef_console_error_kind", facts.console_error.number()),
        word("clef_console_base", facts.console_base),
        word("clef_console_error_base", facts.console_error_base),
        small("clef_exit_kind", exit),
        small("clef_exit_port", u64::from(facts.exit_port)),
        word("clef_region_page", facts.region_page),
        small("clef_statistics", u64::from(facts.statistics)),
        small("clef_clock", u64::from(facts.clock)),
    ]
}
