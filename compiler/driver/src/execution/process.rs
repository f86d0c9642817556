//! One child process: its streams, its time, and its certain end.

use super::invocation::{END_OF_TRANSMISSION, Invocation, LOG, find_program};
use super::{Execution, LogReader, Streams};
use clef_base::{Diagnostic, codes};
use command_fds::{CommandFdExt as _, FdMapping};
use std::{
    io::{self, IsTerminal, Read, Write},
    os::{fd::OwnedFd, unix::process::ExitStatusExt},
    path::Path,
    process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// What is left of a process.
pub(super) struct Finished {
    /// `None` if it was ended because its time was over.
    pub(super) end: Option<End>,
    pub(super) allowed: Duration,
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
    /// Lines that the emulator, not the program, wrote to standard error.
    pub(super) report: Vec<String>,
}

/// How a process ended by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Status(u8),
    Signal(i32),
}

/// A child that does not outlive its guard.
pub(crate) struct Guarded(pub(super) Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs to the end, or to the end of its time.
pub(super) fn run(
    invocation: &Invocation,
    execution: &Execution<'_>,
    log: Option<LogReader>,
) -> Result<Finished, Diagnostic> {
    let (child, log) = start(invocation, execution, log)?;
    let mut child = Guarded(child);
    feed(child.0.stdin.take(), invocation, &execution.streams);
    let output = child.0.stdout.take().map(|mut stdout| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // What was read before an error is the output.
            let _ = stdout.read_to_end(&mut bytes);
            bytes
        })
    });
    let is_live = execution.streams == Streams::Inherited;
    let is_machine = invocation.is_machine;
    let errors = child.0.stderr.take().map(|stderr| thread::spawn(move || sort_errors(stderr, is_machine, is_live)));
    let status = wait(&mut child.0, execution.timeout).map_err(|error| broken(invocation, &error))?;
    drop(child);
    log.map(join);
    let errors = errors.map(join).unwrap_or_default();
    Ok(Finished {
        end: status.map(end),
        allowed: execution.timeout.unwrap_or_default(),
        output: output.map(join).unwrap_or_default(),
        errors: errors.program,
        report: errors.emulator,
    })
}

/// Starts the child, and the thread that reads its log.
fn start(
    invocation: &Invocation,
    execution: &Execution<'_>,
    log: Option<LogReader>,
) -> Result<(Child, Option<JoinHandle<()>>), Diagnostic> {
    let mut command = mortal(&invocation.program, "KILL");
    command.args(&invocation.arguments);
    let is_piped = match execution.streams {
        Streams::Captured { .. } => true,
        Streams::Inherited => false,
    };
    // Over a serial line the end of input must be sent; a terminal does that by control D.
    let must_feed = is_piped || invocation.is_serial && !io::stdin().is_terminal();
    let choose = |piped| if piped { Stdio::piped() } else { Stdio::inherit() };
    command.stdin(choose(must_feed)).stdout(choose(is_piped)).stderr(choose(is_piped || invocation.is_machine));
    spawn(command, log).map_err(|error| broken(invocation, &error))
}

/// Starts a child, and the thread that reads its log; that ends when the child and all that it has started have ended.
pub(super) fn spawn(mut command: Command, log: Option<LogReader>) -> io::Result<(Child, Option<JoinHandle<()>>)> {
    let Some(read) = log else { return Ok((command.spawn()?, None)) };
    let (reader, writer) = io::pipe()?;
    let mapping = FdMapping { parent_fd: OwnedFd::from(writer), child_fd: LOG };
    command.fd_mappings(vec![mapping]).map_err(io::Error::other)?;
    let child = command.spawn()?;
    // Our end for writing goes with the command.
    drop(command);
    Ok((child, Some(thread::spawn(move || read(reader)))))
}

/// A command whose process the kernel ends by that signal when we end, even if we are killed. (Interrupts from the terminal go
/// to it as they go to us.)
pub(super) fn mortal(program: &Path, signal: &str) -> Command {
    match find_program("setpriv") {
        Some(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", signal, "--"]).arg(program);
            command
        }
        None => Command::new(program),
    }
}

fn broken(invocation: &Invocation, error: &io::Error) -> Diagnostic {
    let message = format!("cannot run `{}`: {error}", invocation.program.display());
    Diagnostic::general(codes::RUN_BROKE_OFF, message)
}

/// Hands the program its input in the background.
fn feed(stdin: Option<ChildStdin>, invocation: &Invocation, streams: &Streams) {
    let Some(mut stdin) = stdin else { return };
    let given = match streams {
        Streams::Captured { input } => Some(input.clone()),
        Streams::Inherited => None,
    };
    let is_serial = invocation.is_serial;
    thread::spawn(move || {
        // A program need not read its input; a pipe that closes early is no error.
        let _ = match given {
            Some(input) => stdin.write_all(&input),
            None => io::copy(&mut io::stdin().lock(), &mut stdin).map(drop),
        };
        if is_serial {
            let _ = stdin.write_all(&[END_OF_TRANSMISSION]);
        }
    });
}

/// Standard error, told apart.
#[derive(Default)]
struct Errors {
    program: Vec<u8>,
    emulator: Vec<String>,
}

/// Reads standard error to its end. Lines that QEMU wrote about itself are set aside; what the program wrote is kept, or
/// passed on at once.
fn sort_errors(mut stderr: ChildStderr, is_machine: bool, is_live: bool) -> Errors {
    let mut errors = Errors::default();
    let mut line: Vec<u8> = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = match stderr.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        for byte in &buffer[..count] {
            line.push(*byte);
            if *byte == b'\n' {
                errors.take(&mut line, is_machine, is_live);
            }
        }
        // A prompt has no end of line; only what may be the start of QEMU's own line is held back.
        if !may_be_emulator(&line, is_machine) && errors.emulator.is_empty() {
            errors.take(&mut line, is_machine, is_live);
        }
    }
    errors.take(&mut line, is_machine, is_live);
    errors
}

/// How QEMU's own lines begin; the last is what its Stellaris boards say about a timer that is off.
const EMULATOR: [&[u8]; 3] = [b"qemu: ", b"qemu-system-", b"Timer with period zero"];

fn may_be_emulator(line: &[u8], is_machine: bool) -> bool {
    is_machine && EMULATOR.iter().any(|start| start.starts_with(line) || line.starts_with(start))
}

impl Errors {
    fn take(&mut self, line: &mut Vec<u8>, is_machine: bool, is_live: bool) {
        if line.is_empty() {
            return;
        }
        let is_emulator = is_machine && EMULATOR.iter().any(|start| line.starts_with(start));
        // After QEMU's last words come its registers.
        if is_emulator || self.emulator.iter().any(|line| line.contains("fatal")) {
            self.emulator.push(String::from_utf8_lossy(line).trim_end().to_owned());
        } else if is_live {
            // Where standard error is closed there is nobody to tell.
            let _ = io::stderr().write_all(line);
        } else {
            self.program.extend_from_slice(line);
        }
        line.clear();
    }
}

/// The longest pause between two looks at the child.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Waits for the end; nothing if the time is over before.
fn wait(child: &mut Child, timeout: Option<Duration>) -> io::Result<Option<ExitStatus>> {
    let Some(timeout) = timeout else { return child.wait().map(Some) };
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = timeout.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        // A status has eight bits.
        (Some(code), _) => End::Status(code as u8),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// What a thread of ours collected.
fn join<T: Default>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_default()
}
