//! `clefc decode`: shows a log with the reports of traps and faults as text.

use crate::{cli::Decode, commands::Outcome, terminal::Terminal};
use clef_base::{Diagnostic, codes};
use clef_execution::fault::SavedLog;
use clef_host::{output, user_files::reason};
use clef_session::Session;
use std::{
    fs::File,
    io::{self, ErrorKind, IsTerminal, Read},
    path::Path,
};

/// Decodes the log as it arrives, until its end.
pub(crate) fn decode(session: &mut Session, terminal: Terminal, decode: &Decode) -> Outcome {
    session.enter("decode");
    let image = decode.image.display().to_string();
    let mut log = SavedLog::new(session.files.bytes(&decode.image)?, &image)?;
    match decode.log.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => {
            let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
            show(&mut log, &mut file, path)?;
        }
        None => {
            if io::stdin().is_terminal() {
                terminal.progress("the log is read from standard input; Ctrl-D ends it");
            }
            show(&mut log, &mut io::stdin().lock(), Path::new("standard input"))?;
        }
    }
    match log.others() {
        [] => Ok(0),
        [first, others @ ..] => Err(vec![of_another(*first, others.len(), &image)]),
    }
}

/// Shows a log until its end, or until nobody reads what is shown.
fn show(log: &mut SavedLog, source: &mut dyn Read, path: &Path) -> Result<(), Diagnostic> {
    let mut buffer = [0; 4096];
    loop {
        let text = match source.read(&mut buffer) {
            Ok(0) => return output::print_bytes(&log.finish()).map(drop),
            Ok(count) => log.pass(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(path, &error)),
        };
        if !output::print_bytes(&text)? {
            return Ok(());
        }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::general(codes::UNREADABLE_FILE, format!("cannot read `{}`: {}", path.display(), reason(error)))
}

/// The error for reports of another program.
fn of_another(line: usize, others: usize, image: &str) -> Diagnostic {
    let more = match others {
        0 => String::new(),
        1 => ", and one more,".to_owned(),
        count => format!(", and {count} more,"),
    };
    let message = format!("the report in line {line} of the log{more} is not of a program with the image `{image}`");
    Diagnostic::general(codes::OTHER_PROGRAM, message).help(
        "pass the ELF file of what runs on the board: the same sources, options and version of clefc yield it again",
    )
}
