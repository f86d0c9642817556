//! The command line that runs an image on a board.

use super::arguments::{line, refused, texts, words};
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Arguments, Board, Console, Exit, Log, QemuSystem, QemuUser, Run};
use std::{
    env,
    ffi::OsString,
    os::fd::RawFd,
    path::{Path, PathBuf},
};

/// The meaning of the child's exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StatusCode {
    /// It is the program's.
    Plain,
    /// The status comes over the file descriptor [`STATUS`]; if none comes, the program has not run to its end.
    IsaDebugExit,
}

/// The command to start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Invocation {
    /// The file of the emulator, or the image itself.
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    pub(super) status_code: StatusCode,
    /// Whether the child emulates a whole machine, whose own messages share standard error with the program.
    pub(super) is_machine: bool,
    /// Whether input comes over a serial line, where end-of-transmission marks the end of input.
    pub(super) is_serial: bool,
    /// Whether standard output passes through us: errors share one line with it, or the child opens it a second time, and a
    /// file that is opened twice has two positions.
    pub(super) is_relayed: bool,
}

/// What a program uses besides its console, which an emulator then has to connect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Used {
    /// The board's serial line.
    pub(super) uart: bool,
    /// The log, for which the child has the file descriptor [`LOG`].
    pub(super) log: bool,
    /// The file descriptor [`STATUS`], which the child has.
    pub(super) status: bool,
}

/// The file descriptor that a program logs to.
pub(super) const LOG: RawFd = 191;

/// The file descriptor for the program's status, for emulators whose own exit status has too few bits.
pub(super) const STATUS: RawFd = 190;

/// The file descriptor of the debug stub of an emulator.
pub(super) const STUB: RawFd = 189;

/// The file descriptor that a process finds open if the state of its stack after a trap is decoded.
pub(super) const DECODED: RawFd = 188;

/// The arguments of an emulator that does not start before a debugger tells it to over [`STUB`].
pub(super) fn waiting_for_debugger() -> [String; 5] {
    let channel = "clef-stub";
    let socket = format!("socket,id={channel},fd={STUB}");
    ["-S".to_owned(), "-chardev".to_owned(), socket, "-gdb".to_owned(), format!("chardev:{channel}")]
}

/// The offset of the port that takes the whole status from `isa-debug-exit` (`console::com` in the runtime).
const WHOLE_STATUS: u16 = 4;

/// The byte that ends the input on a serial line.
pub(super) const END_OF_TRANSMISSION: u8 = 0x04;

impl Invocation {
    pub(super) fn of(
        image: &Path,
        board: &Board,
        arguments: &[OsString],
        used: Used,
    ) -> Result<Invocation, Diagnostic> {
        // A path without a directory would be searched for in `PATH`.
        let image = std::path::absolute(image).unwrap_or_else(|_| image.to_owned());
        match &board.run {
            Run::Native => {
                texts(arguments)?;
                Ok(Invocation {
                    program: image,
                    arguments: arguments.to_vec(),
                    status_code: StatusCode::Plain,
                    is_machine: false,
                    is_serial: false,
                    is_relayed: false,
                })
            }
            Run::QemuUser(qemu) => process_in_qemu(&image, board, qemu, arguments),
            Run::Qemu(qemu) => machine_in_qemu(&image, board, qemu, arguments, used),
            Run::None => {
                let message = format!("the board `{}` has no emulator", board.name);
                Err(Diagnostic::general(codes::NOT_RUNNABLE, message)
                    .help("choose a board that has one (`clefc boards`), or add `run` to the descriptor"))
            }
        }
    }
}

fn process_in_qemu(
    image: &Path,
    board: &Board,
    qemu: &QemuUser,
    arguments: &[OsString],
) -> Result<Invocation, Diagnostic> {
    texts(arguments)?;
    let mut all: Vec<OsString> = Vec::new();
    if let Some(cpu) = &qemu.cpu {
        all.extend(["-cpu".into(), cpu.into()]);
    }
    all.extend(qemu.arguments.iter().map(OsString::from));
    all.push(image.into());
    all.extend(arguments.iter().cloned());
    Ok(Invocation {
        program: find(&qemu.program, board)?,
        arguments: all,
        status_code: StatusCode::Plain,
        is_machine: false,
        is_serial: false,
        is_relayed: false,
    })
}

fn machine_in_qemu(
    image: &Path,
    board: &Board,
    qemu: &QemuSystem,
    arguments: &[OsString],
    used: Used,
) -> Result<Invocation, Diagnostic> {
    let is_rtt = |console| matches!(console, Console::Rtt { .. });
    if is_rtt(board.console) || is_rtt(board.console_error) {
        let message =
            format!("the output of a program on `{}` requires a debug probe, which QEMU does not have", board.name);
        return Err(Diagnostic::general(codes::NOT_RUNNABLE, message)
            .help("to run it in QEMU, choose a board with another `console`, such as `semihosting`"));
    }
    let mut all: Vec<OsString> = vec!["-machine".into(), OsString::from(&qemu.machine)];
    if let Some(cpu) = &qemu.cpu {
        all.extend(["-cpu".into(), cpu.into()]);
    }
    all.extend(given(qemu, board, arguments)?);
    if board.console == Console::Semihosting {
        semihosting_console(qemu, &mut all);
    }
    let is_serial = match board.console {
        Console::Pl011 { .. }
        | Console::Com { .. }
        | Console::CmsdkUart { .. }
        | Console::Kl25Uart { .. }
        | Console::Uart { .. } => true,
        Console::Semihosting | Console::Syscalls | Console::Rtt { .. } => false,
    };
    let is_ours = board.rate_of_console().is_some();
    let is_connected = is_serial && !is_ours || is_ours && qemu.arguments.iter().any(|argument| argument == STDIO);
    if !is_connected {
        all.extend(serial_lines(qemu, used.uart || is_ours));
    }
    if used.log {
        all.extend(log_port(board.log));
    }
    let status_code = match board.exit {
        Exit::IsaDebugExit { port } => {
            if used.status {
                all.extend(taken(STATUS, "clef-status", port.saturating_add(WHOLE_STATUS)));
            }
            StatusCode::IsaDebugExit
        }
        Exit::Semihosting | Exit::Syscall | Exit::Halt => StatusCode::Plain,
    };
    all.extend(["-kernel".into(), image.into()]);
    let is_relayed = board.console == Console::Semihosting || board.streams_share_a_line();
    let program = find(&qemu.program, board)?;
    Ok(Invocation { program, arguments: all, status_code, is_machine: true, is_serial, is_relayed })
}

/// QEMU's option for semihosting.
const SEMIHOSTING: &str = "-semihosting-config";

/// The device that takes what is written by the semihosting calls `SYS_WRITEC` and `SYS_WRITE0`: standard output. Without
/// it QEMU sends that to standard error, while `SYS_WRITE` goes to standard output.
const CONSOLE: &str = "clef-console";

/// Connects [`CONSOLE`], unless the descriptor has its own device.
fn semihosting_console(qemu: &QemuSystem, all: &mut Vec<OsString>) {
    if qemu.arguments.iter().flat_map(|argument| argument.split(',')).any(|setting| setting.starts_with("chardev=")) {
        return;
    }
    let option = all.iter().position(|argument| argument == SEMIHOSTING);
    let Some(configuration) = option.and_then(|option| all.get_mut(option + 1)) else { return };
    configuration.push(format!(",chardev={CONSOLE}"));
    all.extend(["-chardev".into(), format!("file,id={CONSOLE},path=/dev/fd/1,append=on").into()]);
}

/// The emulator's arguments from the descriptor, and the program's by the board's means.
fn given(qemu: &QemuSystem, board: &Board, arguments: &[OsString]) -> Result<Vec<OsString>, Diagnostic> {
    let mut all: Vec<OsString> = qemu.arguments.iter().map(OsString::from).collect();
    let option = qemu.arguments.iter().position(|argument| argument == SEMIHOSTING);
    match (board.arguments(), option.and_then(|option| all.get_mut(option + 1))) {
        (Arguments::Semihosting, Some(configuration)) => {
            for word in words(arguments, board)? {
                // A comma would begin another setting.
                configuration.push(format!(",arg={}", word.replace(',', ",,")));
            }
        }
        _ if arguments.is_empty() => {}
        (Arguments::Loader, _) => all.extend(["-append".into(), line(arguments, board)?.into()]),
        (Arguments::Semihosting, None) => {
            return Err(refused(board, "its descriptor does not pass `-semihosting-config` to QEMU"));
        }
        (Arguments::None | Arguments::Process, _) => {
            return Err(refused(board, "it has neither semihosting nor a loader that passes arguments"));
        }
    }
    Ok(all)
}

/// The character device of QEMU that is our input and output.
const STDIO: &str = "stdio";

/// The serial lines of a machine whose descriptor does not connect its console: the program's own is connected to our input and output
/// if the program or its console uses it. Otherwise nothing takes the input that the program may read by other means.
fn serial_lines(qemu: &QemuSystem, uses_uart: bool) -> Vec<OsString> {
    if !uses_uart {
        return vec!["-serial".into(), "none".into()];
    }
    let others = (0..qemu.uart).flat_map(|_| ["-serial", "null"]);
    others.chain(["-serial", STDIO]).map(OsString::from).collect()
}

/// The device that takes the log, if it is a port. The emulator cannot open a file descriptor that it does not have, so
/// a machine has the device only if somebody listens.
fn log_port(log: Log) -> Vec<OsString> {
    let port = match log {
        Log::IsaDebugcon { port } => port,
        Log::Semihosting | Log::Rtt { .. } | Log::Syscalls | Log::None => return Vec::new(),
    };
    taken(LOG, "clef-log", port).into()
}

/// A device whose port is connected to a file descriptor.
fn taken(descriptor: RawFd, name: &str, port: u16) -> [OsString; 4] {
    let file = format!("file,id={name},path=/dev/fd/{descriptor},append=on");
    let device = format!("isa-debugcon,iobase={port:#x},chardev={name}");
    ["-chardev".into(), file.into(), "-device".into(), device.into()]
}

/// The emulator's file.
fn find(program: &str, board: &Board) -> Result<PathBuf, Diagnostic> {
    find_program(program).ok_or_else(|| {
        let package = match program {
            "qemu-system-arm" | "qemu-system-aarch64" => "qemu-system-arm",
            "qemu-system-x86_64" => "qemu-system-x86",
            _ => "qemu-user",
        };
        Diagnostic::general(
            codes::EMULATOR_MISSING,
            format!("cannot find `{program}`, the emulator of `{}`", board.name),
        )
        .help(format!("install it: `apt install --no-install-recommends {package}`"))
    })
}

/// Finds a program by path or by name.
pub fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    env::split_paths(&env::var_os("PATH")?).map(|directory| directory.join(name)).find(|path| path.is_file())
}

/// The emulator that runs images of a board, if it needs one.
pub fn emulator(board: &Board) -> Option<Result<PathBuf, Diagnostic>> {
    match &board.run {
        Run::Qemu(QemuSystem { program, .. }) | Run::QemuUser(QemuUser { program, .. }) => Some(find(program, board)),
        Run::Native | Run::None => None,
    }
}

/// What is missing to run images of the board here, if anything.
pub fn missing_emulator(board: &Board) -> Option<Diagnostic> {
    Invocation::of(Path::new("image.elf"), board, &[], Used::default()).err()
}
