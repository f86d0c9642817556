//! A board as the runtime sees it.
//!
//! In: a resolved board. Out: the constants that the program's module must define for the runtime.

use clef_runtime::{ConsoleKind, Constant, ExitKind, PlatformFacts};
use clef_target::{Board, Console, Exit};

/// The constants that the program's module defines for the runtime.
pub fn constants(board: &Board, statistics: bool) -> Vec<Constant> {
    clef_runtime::constants(&facts(board, statistics)).to_vec()
}

fn facts(board: &Board, statistics: bool) -> PlatformFacts {
    let (console, console_base) = stream(board.console);
    let (console_error, console_error_base) = stream(board.console_error);
    let (exit, exit_port) = match board.exit {
        Exit::Semihosting => (ExitKind::Semihosting, 0),
        Exit::IsaDebugExit { port } => (ExitKind::IsaDebugExit, u32::from(port)),
        Exit::Syscall => (ExitKind::Syscalls, 0),
        Exit::Halt => (ExitKind::Halt, 0),
    };
    PlatformFacts {
        console,
        console_error,
        console_base,
        console_error_base,
        exit,
        exit_port,
        region_page: board.region_pool.page.0,
        statistics,
        clock: board.clock.map_or(0, |clock| u32::try_from(clock.0).unwrap_or(u32::MAX)),
    }
}

/// How a stream is reached, and the address or port of its UART.
fn stream(console: Console) -> (ConsoleKind, u64) {
    match console {
        Console::Semihosting => (ConsoleKind::Semihosting, 0),
        Console::Pl011 { base } => (ConsoleKind::Pl011, base.0),
        Console::Com { port } => (ConsoleKind::Com, u64::from(port)),
        Console::CmsdkUart { base } => (ConsoleKind::Cmsdk, base.0),
        Console::Syscalls => (ConsoleKind::Syscalls, 0),
    }
}
