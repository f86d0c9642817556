//! `clefc attach`: serves the console of a program that runs on a real board.

use crate::{
    cli::{Attach, CodeOptions},
    commands::{Outcome, built, machine},
    execution::{Execution, Means, Streams},
    hardware::{Hardware, Image, OnInterrupt},
    project,
    session::Session,
};
use clef_base::{Diagnostic, codes};
use clef_probe::{Begin, Permission};
use clef_target::Board;

/// Connects without a reset, until the program ends or the user has seen enough.
pub(crate) fn attach(session: &mut Session, attach: &Attach) -> Outcome {
    let (board, image) = subject(session, attach)?;
    session.phase = "attach";
    let probe = built::probe(&attach.probe, attach.on_interrupt.unwrap_or(OnInterrupt::Run));
    let hardware = Hardware::connect(&board, &probe, Permission::Keep)?;
    let execution = Execution {
        arguments: &[],
        timeout: attach.timeout,
        streams: Streams::Inherited,
        uses_uart: false,
        means: Means::Probe(&probe),
    };
    let outcome = hardware.run(&image, Begin::Here, &execution, &mut |_| {})?;
    built::ended(session, outcome, &board)
}

/// The board, and what is known of the program that runs there.
fn subject(session: &mut Session, attach: &Attach) -> Result<(Board, Image), Vec<Diagnostic>> {
    if !attach.program.files.is_empty() || project::is_here() {
        let built = built::compiled_or_finished(session, &attach.program, &attach.code)?;
        return Ok((built.board, Image::read(&built.image)?));
    }
    if attach.code != CodeOptions::default() {
        let message = "options of compilation have no effect where no program is named";
        return Err(vec![
            Diagnostic::general(codes::UNFIT_OPTION, message).help("name the program, or leave them out"),
        ]);
    }
    let machine = machine::resolve(session, &attach.program.machine, None)?;
    Ok((machine.board.value, Image { segments: Vec::new(), rtt: None, ready: None }))
}
