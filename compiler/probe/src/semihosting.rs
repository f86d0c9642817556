//! Semihosting: the program stops at a `BKPT`, and the debugger executes the request in its registers. Arm,
//! "Semihosting for AArch32 and AArch64", 2.0.
//!
//! There are three files called `:tt`, distinguished by the mode of the open call, and one file for the log. Other
//! files cannot be opened, and general file operations fail.

use crate::{Console, Input};
use probe_rs::{
    Core, MemoryInterface, RegisterValue,
    semihosting::{ExitErrorDetails, OpenRequest, ReadRequest, SemihostingCommand, WriteRequest},
};
use std::num::NonZeroU32;

/// The name of the console files.
const TERMINAL: &str = ":tt";

/// The file for the log of a program (`console::semihosting` in the runtime).
const LOG_FILE: &str = "/dev/fd/191";

/// Handles of the files.
const INPUT: u32 = 1;
const OUTPUT: u32 = 2;
const ERRORS: u32 = 3;
const LOG: u32 = 4;

const SYS_WRITEC: u32 = 3;

/// The status of programs that exit abnormally.
const ABORTED: u8 = 1;

/// The action after a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The program continues.
    Done,
    /// The call cannot be answered yet: there is no input.
    Wait,
    /// The program has exited with a status.
    Exit(u8),
}

/// Executes a call.
pub(crate) fn serve(
    call: SemihostingCommand,
    core: &mut Core<'_>,
    console: &mut dyn Console,
) -> Result<Answer, probe_rs::Error> {
    match call {
        SemihostingCommand::ExitSuccess => return Ok(Answer::Exit(0)),
        SemihostingCommand::ExitError(ExitErrorDetails { exit_status, .. }) => {
            // A status has eight bits.
            return Ok(Answer::Exit(exit_status.map_or(ABORTED, |status| status as u8)));
        }
        SemihostingCommand::WriteConsole(_) => console.output(&written_text(core)?),
        SemihostingCommand::Open(request) => open(request, core)?,
        SemihostingCommand::Write(request) => write(request, core, console)?,
        SemihostingCommand::Read(request) => return read(request, core, console),
        SemihostingCommand::Close(request) => request.success(core)?,
        SemihostingCommand::Time(request) => request.write_current_time(core)?,
        SemihostingCommand::Errno(request) => request.write_errno(core, 0)?,
        // These fail.
        SemihostingCommand::GetCommandLine(_)
        | SemihostingCommand::Seek(_)
        | SemihostingCommand::FileLength(_)
        | SemihostingCommand::Remove(_)
        | SemihostingCommand::Rename(_)
        | SemihostingCommand::Unknown(_) => {}
    }
    Ok(Answer::Done)
}

/// The most bytes of a text that are read at once.
const BLOCK: usize = 64;

/// The output of `SYS_WRITEC` and `SYS_WRITE0`: one byte, or all up to a zero. Both keep the registers unchanged.
fn written_text(core: &mut Core<'_>) -> Result<Vec<u8>, probe_rs::Error> {
    let operation = argument(core, 0)?;
    let mut address = u64::from(argument(core, 1)?);
    if operation == SYS_WRITEC {
        return Ok(vec![core.read_word_8(address)?]);
    }
    let mut text = Vec::new();
    let mut block = [0; BLOCK];
    loop {
        // No memory ends in the middle of an aligned block.
        let block = &mut block[..BLOCK - (address % BLOCK as u64) as usize];
        core.read(address, block)?;
        match block.iter().position(|byte| *byte == 0) {
            Some(end) => {
                text.extend_from_slice(&block[..end]);
                return Ok(text);
            }
            None => text.extend_from_slice(block),
        }
        address += block.len() as u64;
    }
}

fn open(request: OpenRequest, core: &mut Core<'_>) -> Result<(), probe_rs::Error> {
    let path = request.path(core)?;
    let handle = match request.mode().as_bytes().first() {
        Some(b'a') if path == LOG_FILE => LOG,
        Some(b'r') if path == TERMINAL => INPUT,
        Some(b'w') if path == TERMINAL => OUTPUT,
        Some(b'a') if path == TERMINAL => ERRORS,
        Some(_) | None => return Ok(()),
    };
    NonZeroU32::new(handle).map_or(Ok(()), |handle| request.respond_with_handle(core, handle))
}

/// The result is the number of bytes that were not written.
fn write(request: WriteRequest, core: &mut Core<'_>, console: &mut dyn Console) -> Result<(), probe_rs::Error> {
    let handle = request.file_handle();
    if ![OUTPUT, ERRORS, LOG].contains(&handle) {
        return Ok(());
    }
    let bytes = request.read(core)?;
    match handle {
        OUTPUT => console.output(&bytes),
        ERRORS => console.errors(&bytes),
        _ => console.log(&bytes),
    }
    request.write_status(core, 0)
}

/// The result is the number of bytes that were not read: all of them at the end of input.
fn read(request: ReadRequest, core: &mut Core<'_>, console: &mut dyn Console) -> Result<Answer, probe_rs::Error> {
    let wanted = request.bytes_to_read();
    if request.file_handle() != INPUT {
        return Ok(Answer::Done);
    }
    let bytes = match console.input(wanted as usize) {
        Input::Bytes(bytes) => bytes,
        Input::End => Vec::new(),
        Input::Pending => return Ok(Answer::Wait),
    };
    request.write_buffer_to_target(core, &bytes)?;
    let unread = wanted.saturating_sub(bytes.len() as u32);
    let register = core.registers().get_argument_register(0).map(|register| register.id());
    register.map_or(Ok(()), |register| core.write_core_reg(register, RegisterValue::U32(unread)))?;
    Ok(Answer::Done)
}

fn argument(core: &mut Core<'_>, index: usize) -> Result<u32, probe_rs::Error> {
    let register = core.registers().get_argument_register(index).map(|register| register.id());
    let register = register.ok_or_else(|| probe_rs::Error::Register(format!("no argument register {index}")))?;
    core.read_core_reg::<u32>(register)
}
