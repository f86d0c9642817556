//! Real boards, connected by debug probes.
//!
//! In: which probe, a board, and an image. Out: the same [`Outcome`] as of a run in an emulator, or a diagnostic that
//! says what to try. `clef_probe` does the work and knows no boards; here its failures become diagnostics, its progress
//! becomes bars on a terminal, and its console becomes our standard streams.

pub(crate) mod choice;
mod console;
mod debugger;
mod failure;
mod image;
pub(crate) mod interrupt;
mod lock;
mod progress;

use crate::{
    arguments::refused as refused_arguments,
    fault::FaultReader,
    outcome::{Ending, Execution, Outcome, Streams},
    verdict::TRAPPED,
};
pub use choice::{OnInterrupt, Probe};
use clef_base::{Diagnostic, codes};
use clef_descriptors::Board;
use clef_host::user_files::UserFiles;
use clef_probe::{Afterwards, Begin, Chip, Connection, Permission, ProbeInformation, Registers, Run};
use console::Console;
pub use debugger::{DebuggedBoard, debug};
pub use failure::{diagnostic, permission};
pub use image::{Image, is_image};
pub use interrupt::{STATUS as INTERRUPTED, has_come as is_interrupted, leave as leave_interrupts, termination};
pub use lock::lock;
use progress::Bars;
use std::ffi::OsString;

/// A board that a probe is connected to.
pub struct Hardware<'a> {
    board: &'a Board,
    connection: Connection,
    on_interrupt: OnInterrupt,
}

/// Programs an image into the board's flash and runs it to its end. `log` receives the frames that the program logs.
pub fn execute(
    image: &[u8],
    board: &Board,
    execution: &Execution<'_>,
    probe: &Probe,
    log: &mut dyn FnMut(&[u8]),
) -> Result<Outcome, Diagnostic> {
    check_arguments(board, execution.arguments)?;
    let image = Image::read(image)?;
    let mut hardware = Hardware::connect(board, probe, Permission::Keep)?;
    let bars = match execution.streams {
        Streams::Inherited => Bars::new(),
        Streams::Captured { .. } => Bars::hidden(),
    };
    hardware.flash_showing(&image, bars)?;
    hardware.run(&image, Begin::Reset, execution, log)
}

/// Rejects arguments: a program on a board receives none.
pub fn check_arguments(board: &Board, arguments: &[OsString]) -> Result<(), Diagnostic> {
    if arguments.is_empty() { Ok(()) } else { Err(refused_arguments(board, "debug probes do not pass arguments")) }
}

impl<'a> Hardware<'a> {
    /// Connects to the board.
    pub fn connect(board: &'a Board, probe: &Probe, permission: Permission) -> Result<Hardware<'a>, Diagnostic> {
        let chip = chip(board, probe)?;
        let connection = Connection::open(probe.selector.as_deref(), &chip, permission)
            .map_err(|failure| diagnostic(&failure, board))?;
        Ok(Hardware { board, connection, on_interrupt: probe.on_interrupt })
    }

    /// Erases, programs and verifies. An interrupt does not end this; callers check for it afterwards.
    pub fn flash(&mut self, image: &Image) -> Result<(), Diagnostic> {
        self.flash_showing(image, Bars::new())
    }

    fn flash_showing(&mut self, image: &Image, mut bars: Bars) -> Result<(), Diagnostic> {
        interrupt::watch()?;
        let result = self.connection.flash(&image.segments, &mut |progress| bars.show(progress));
        bars.end();
        result.map_err(|failure| diagnostic(&failure, self.board))
    }

    /// Checks that flash contains an image, and changes nothing.
    fn check_program(&mut self, image: &Image) -> Result<(), Diagnostic> {
        let board = &self.board.name;
        match self.connection.holds(&image.segments) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Diagnostic::general(
                codes::OTHER_PROGRAM,
                format!("the flash of `{board}` contains a different program"),
            )
            .note("other compiler options produce a different program, with different lines and variables")
            .help("pass the image (`.elf`) that was programmed, or remove `--attach` to program this one")),
            Err(failure) => Err(diagnostic(&failure, self.board)),
        }
    }

    /// Erases the whole flash. An interrupt does not end this either.
    pub fn erase(&mut self) -> Result<(), Diagnostic> {
        interrupt::watch()?;
        let mut bars = Bars::new();
        let result = self.connection.erase(&mut |progress| bars.show(progress));
        bars.end();
        result.map_err(|failure| diagnostic(&failure, self.board))
    }

    /// Resets the board, which restarts its program.
    pub fn reset(&mut self) -> Result<(), Diagnostic> {
        self.connection.reset().map_err(|failure| diagnostic(&failure, self.board))
    }

    /// Ends the connection; the program keeps running.
    pub fn release(self) -> Result<(), Diagnostic> {
        let board = self.board;
        self.connection.close(Afterwards::Running).map_err(|failure| diagnostic(&failure, board))
    }

    /// Runs the image that is in flash, to its end.
    pub fn run(
        mut self,
        image: &Image,
        begin: Begin,
        execution: &Execution<'_>,
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<Outcome, Diagnostic> {
        let faults = || FaultReader::new(image.file.clone(), self.board.boot);
        let mut console = Console::new(&execution.streams, [faults(), faults()], log)?;
        let run = Run { begin, rtt: image.rtt, ready: image.ready, stop: image.stop, timeout: execution.timeout };
        let ending = self.connection.run(&run, &mut console).map_err(|failure| diagnostic(&failure, self.board))?;
        let (output, errors) = console.finish();
        let afterwards = match (&ending, self.on_interrupt) {
            (clef_probe::Ending::Interrupted, OnInterrupt::Halt) => Afterwards::Halted,
            (_, OnInterrupt::Halt | OnInterrupt::Run) => Afterwards::Running,
        };
        let board = self.board;
        self.connection.close(afterwards).map_err(|failure| diagnostic(&failure, board))?;
        Ok(Outcome { ending: ours(ending, execution, afterwards), output, errors })
    }
}

/// The debug probes connected by USB.
pub fn probes() -> Result<Vec<ProbeInformation>, Diagnostic> {
    clef_probe::list().ok_or_else(failure::unsupported)
}

/// Checks that the probe library knows the chip of a board.
pub fn check(board: &Board, probe: &Probe) -> Result<(), Diagnostic> {
    chip(board, probe).map(drop)?;
    if clef_probe::SUPPORTED { Ok(()) } else { Err(failure::unsupported()) }
}

/// The chip of a board.
fn chip(board: &Board, probe: &Probe) -> Result<Chip, Diagnostic> {
    let Some(name) = board.chip.clone() else {
        let message = format!("the board `{}` does not specify its `chip`", board.name);
        return Err(Diagnostic::general(codes::UNKNOWN_CHIP, message)
            .help("select a board that does with `--board`, or add the line `chip: NAME` to the descriptor"));
    };
    let description = probe.chip_description.as_ref().map(|path| UserFiles::default().long_text(path)).transpose()?;
    Ok(Chip { name, description })
}

/// Converts an ending to the type shared by all kinds of runs.
fn ours(ending: clef_probe::Ending, execution: &Execution<'_>, afterwards: Afterwards) -> Ending {
    let at = |Registers { program_counter, return_address, stack_pointer }: Registers| {
        vec![format!(
            "the program counter is 0x{program_counter:08x}, the return address 0x{return_address:08x}, the stack \
             pointer 0x{stack_pointer:08x}"
        )]
    };
    match ending {
        clef_probe::Ending::Exited(status) => Ending::Status(status),
        clef_probe::Ending::Trapped => Ending::Status(TRAPPED),
        clef_probe::Ending::TimedOut => Ending::TimedOut(execution.timeout.unwrap_or_default()),
        clef_probe::Ending::Interrupted => Ending::Interrupted { is_halted: afterwards == Afterwards::Halted },
        clef_probe::Ending::LockedUp(registers) => Ending::LockedUp { report: at(registers) },
        clef_probe::Ending::Breakpoint(registers) => Ending::Died {
            reason: "the processor stopped at a `BKPT` instruction that is not a semihosting call".to_owned(),
            report: at(registers),
        },
        clef_probe::Ending::Halted { reason, registers } => {
            Ending::Died { reason: format!("the processor halted ({reason})"), report: at(registers) }
        }
    }
}
