//! `clefc attach`: serves the console of a program that is running on a real board.

use crate::{
    cli::{Attach, CodeOptions},
    commands::{Outcome, built},
    terminal::Terminal,
};
use clef_base::{Diagnostic, codes};
use clef_descriptors::Board;
use clef_execution::{
    Execution, Means, Streams,
    fault::Source,
    hardware::{Hardware, Image, OnInterrupt},
    log::LogView,
};
use clef_probe::{Begin, Permission};
use clef_session::{Session, machine, project};

/// Connects without a reset, until the program ends or the user interrupts.
pub(crate) fn attach(session: &mut Session, terminal: Terminal, attach: &Attach) -> Outcome {
    let Subject { board, image, log } = subject(session, terminal, attach)?;
    session.enter("attach");
    let probe = built::probe(&attach.probe, attach.on_interrupt.unwrap_or(OnInterrupt::Run));
    let _lock = built::lock(terminal, &probe)?;
    let hardware = Hardware::connect(&board, &probe, Permission::Keep)?;
    let execution = Execution {
        arguments: &[],
        timeout: attach.timeout,
        streams: Streams::Inherited,
        uses_uart: false,
        means: Means::Probe(&probe),
    };
    let mut viewer = log.as_ref().map(LogView::viewer);
    let mut show = |bytes: &[u8]| viewer.iter_mut().for_each(|viewer| viewer.show(bytes));
    let outcome = hardware.run(&image, Begin::Here, &execution, &mut show)?;
    built::ended(terminal, outcome, &board, None)
}

/// The board, and what is known of the program that runs there.
struct Subject {
    board: Board,
    image: Image,
    log: Option<LogView>,
}

fn subject(session: &mut Session, terminal: Terminal, attach: &Attach) -> Result<Subject, Vec<Diagnostic>> {
    if !attach.program.files.is_empty() || project::is_here() {
        let built = built::compiled_or_finished(session, &attach.program, &attach.code)?;
        let log = LogView::of(&built.image, attach.log, terminal.colour())?;
        return Ok(Subject { board: built.board, image: Image::read(&built.image)?, log });
    }
    if attach.code != CodeOptions::default() {
        let message = "compiler options have no effect without a program";
        return Err(vec![
            Diagnostic::general(codes::UNSUITABLE_OPTION, message).help("pass the program, or remove them"),
        ]);
    }
    let machine = machine::resolve(session, &attach.program.machine.choice(), None)?;
    let image = Image { segments: Vec::new(), rtt: None, ready: None, stop: None, file: Source::Unknown };
    Ok(Subject { board: machine.board.value, image, log: None })
}
