//! One child process: its streams, its time limit, and its cleanup.

use crate::{
    debug_stub::Caught,
    fault::FaultReader,
    invocation::{
        DECODED, END_OF_TRANSMISSION, Invocation, LOG, STATUS, STUB, StatusCode, find_program, waiting_for_debugger,
    },
    log::LogReader,
    outcome::{Execution, Streams},
};
use clef_base::{Diagnostic, codes};
use clef_host::cleanup::Guarded;
use command_fds::{CommandFdExt as _, FdMapping};
use std::{
    fs::File,
    io::{self, IsTerminal, PipeReader, Read, Write},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::ExitStatusExt},
    },
    path::Path,
    process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// The result of a process.
pub(super) struct Finished {
    /// `None` if it exceeded its time limit.
    pub(super) end: Option<End>,
    pub(super) allowed: Duration,
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
    /// The byte received over the file descriptor for the program's status.
    pub(super) status: Option<u8>,
    /// Lines on standard error that the emulator wrote, not the program.
    pub(super) report: Vec<String>,
    /// Whether the program stopped at a trap, which the debugger of the emulator has reported.
    pub(super) is_trapped: bool,
}

/// How a process ended without us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Status(u8),
    Signal(i32),
}

/// Runs until the end, or until the time limit. Fault reports are decoded by `faults`; each stream has its own decoder.
/// If the image does not report traps itself, the debugger of the emulator does.
pub(super) fn run(
    invocation: &Invocation,
    execution: &Execution<'_>,
    log: Option<LogReader>,
    caught: Option<Caught>,
    faults: &dyn Fn() -> FaultReader,
) -> Result<Finished, Diagnostic> {
    let Started { mut child, status, log, stub } = start(invocation, execution, log, caught.is_some())?;
    let watching = stub.zip(caught).map(|(stub, caught)| thread::spawn(move || caught.watch(stub)));
    feed(child.child.stdin.take(), invocation, &execution.streams);
    let is_live = execution.streams == Streams::Inherited;
    let output = child.child.stdout.take().map(|stdout| {
        let program = Program { faults: faults(), kept: (!is_live).then(Vec::new), live: || io::stdout().lock() };
        thread::spawn(move || collect(stdout, program))
    });
    let is_machine = invocation.is_machine;
    let errors = child.child.stderr.take().map(|stderr| {
        let program = Program { faults: faults(), kept: (!is_live).then(Vec::new), live: || io::stderr().lock() };
        thread::spawn(move || sort_errors(stderr, program, is_machine))
    });
    let end_of_child = wait(&mut child.child, execution.timeout).map_err(|error| broken(invocation, &error))?;
    drop(child);
    log.map(join);
    let mut errors = errors.map(join).unwrap_or_default();
    let output = output.map(join).unwrap_or_default();
    let trap = watching.and_then(join);
    if let Some(trap) = &trap {
        match is_live {
            // If the stream is closed, nobody can be told.
            true => drop(io::stderr().lock().write_all(trap.as_bytes())),
            false => errors.program.extend_from_slice(trap.as_bytes()),
        }
    }
    Ok(Finished {
        end: end_of_child.map(end),
        status: status.and_then(last),
        allowed: execution.timeout.unwrap_or_default(),
        output,
        errors: errors.program,
        report: errors.emulator,
        is_trapped: trap.is_some(),
    })
}

/// What was started with a child.
struct Started {
    child: Guarded,
    /// The source of its status.
    status: Option<PipeReader>,
    /// The thread that reads its log.
    log: Option<JoinHandle<()>>,
    /// The debug stub of the emulator, which waits for a debugger.
    stub: Option<UnixStream>,
}

/// Starts the child, and the thread that reads its log.
fn start(
    invocation: &Invocation,
    execution: &Execution<'_>,
    log: Option<LogReader>,
    is_watched: bool,
) -> Result<Started, Diagnostic> {
    let mut command = mortal(&invocation.program, "KILL");
    command.args(&invocation.arguments);
    if is_watched {
        command.args(waiting_for_debugger());
    }
    let is_piped = match execution.streams {
        Streams::Captured { .. } => true,
        Streams::Inherited => false,
    };
    // Over a serial line the end of input must be sent; a terminal does that by control D.
    let must_feed = is_piped || invocation.is_serial && !io::stdin().is_terminal();
    let choose = |piped| if piped { Stdio::piped() } else { Stdio::inherit() };
    // Standard error may hold fault reports to decode.
    command.stdin(choose(must_feed)).stdout(choose(is_piped || invocation.is_relayed)).stderr(Stdio::piped());
    // A process that reads from the terminal must be in its foreground process group.
    let leads = must_feed || !io::stdin().is_terminal();
    let (status, mut others) = match invocation.status_code {
        StatusCode::Plain => (None, Vec::new()),
        StatusCode::IsaDebugExit => {
            let (reader, writer) = io::pipe().map_err(|error| broken(invocation, &error))?;
            (Some(reader), vec![FdMapping { parent_fd: OwnedFd::from(writer), child_fd: STATUS }])
        }
    };
    if !invocation.is_machine {
        let nothing = File::options().write(true).open("/dev/null").map_err(|error| broken(invocation, &error))?;
        others.push(FdMapping { parent_fd: OwnedFd::from(nothing), child_fd: DECODED });
    }
    let mut stub = None;
    if is_watched {
        let (ours, theirs) = UnixStream::pair().map_err(|error| broken(invocation, &error))?;
        others.push(FdMapping { parent_fd: OwnedFd::from(theirs), child_fd: STUB });
        stub = Some(ours);
    }
    let (child, log) = spawn(command, leads, others, log).map_err(|error| broken(invocation, &error))?;
    Ok(Started { child, status, log, stub })
}

/// Starts a child, which may lead a process group and have additional file descriptors, and the thread that reads its
/// log. The thread ends after the child and all its descendants.
pub(super) fn spawn(
    mut command: Command,
    leads: bool,
    mut others: Vec<FdMapping>,
    log: Option<LogReader>,
) -> io::Result<(Guarded, Option<JoinHandle<()>>)> {
    let pipe = log.map(|read| Ok::<_, io::Error>((read, io::pipe()?))).transpose()?;
    let reading = pipe.map(|(read, (reader, writer))| {
        others.push(FdMapping { parent_fd: OwnedFd::from(writer), child_fd: LOG });
        (read, reader)
    });
    command.fd_mappings(others).map_err(io::Error::other)?;
    let child = Guarded::spawn(&mut command, leads)?;
    // Dropping the command closes our write ends.
    drop(command);
    Ok((child, reading.map(|(read, reader)| thread::spawn(move || read(reader)))))
}

/// A command whose process the kernel sends this signal when we end, even if we are killed.
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

/// Feeds the program its input in the background.
fn feed(stdin: Option<ChildStdin>, invocation: &Invocation, streams: &Streams) {
    let Some(mut stdin) = stdin else { return };
    let given = match streams {
        Streams::Captured { input } => Some(input.clone()),
        Streams::Inherited => None,
    };
    let is_serial = invocation.is_serial;
    thread::spawn(move || {
        // A program need not read its input; a closed pipe is no error.
        let _ = match given {
            Some(input) => stdin.write_all(&input),
            None => io::copy(&mut io::stdin().lock(), &mut stdin).map(drop),
        };
        if is_serial {
            let _ = stdin.write_all(&[END_OF_TRANSMISSION]);
        }
    });
}

/// A stream of the program, whose fault reports are decoded: it is captured, or passed on at once.
struct Program<W: Write, L: Fn() -> W> {
    faults: FaultReader,
    kept: Option<Vec<u8>>,
    live: L,
}

impl<W: Write, L: Fn() -> W> Program<W, L> {
    fn take(&mut self, bytes: &[u8]) {
        let shown = self.faults.pass(bytes);
        self.show(&shown);
    }

    fn finish(mut self) -> Vec<u8> {
        let shown = self.faults.finish();
        self.show(&shown);
        self.kept.unwrap_or_default()
    }

    fn show(&mut self, bytes: &[u8]) {
        match &mut self.kept {
            Some(kept) => kept.extend_from_slice(bytes),
            // If the stream is closed, nobody can be told.
            None => {
                let mut live = (self.live)();
                let _ = live.write_all(bytes).and_then(|()| live.flush());
            }
        }
    }
}

/// Passes on the output of a child, with fault reports decoded, until its streams end.
pub(super) fn pass_on(child: &mut Child, faults: &dyn Fn() -> FaultReader) -> Vec<JoinHandle<()>> {
    let output = child.stdout.take().map(|stdout| {
        let program = Program { faults: faults(), kept: None, live: || io::stdout().lock() };
        thread::spawn(move || drop(collect(stdout, program)))
    });
    let errors = child.stderr.take().map(|stderr| {
        let program = Program { faults: faults(), kept: None, live: || io::stderr().lock() };
        thread::spawn(move || drop(collect(stderr, program)))
    });
    output.into_iter().chain(errors).collect()
}

/// Reads a stream to its end; what was read before an error is kept.
fn collect<W: Write, L: Fn() -> W>(mut stream: impl Read, mut program: Program<W, L>) -> Vec<u8> {
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => program.take(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    program.finish()
}

/// Standard error, separated.
#[derive(Default)]
struct Errors {
    program: Vec<u8>,
    emulator: Vec<String>,
}

/// Reads standard error to its end. QEMU's messages about itself are separated from the program's lines.
fn sort_errors<W: Write, L: Fn() -> W>(
    mut stderr: ChildStderr,
    mut program: Program<W, L>,
    is_machine: bool,
) -> Errors {
    let mut emulator = Vec::new();
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
                sort(&mut line, &mut program, &mut emulator, is_machine);
            }
        }
        // A prompt has no line end, so only what may be the start of QEMU's own line is held back.
        if !may_be_emulator(&line, is_machine) && emulator.is_empty() {
            sort(&mut line, &mut program, &mut emulator, is_machine);
        }
    }
    sort(&mut line, &mut program, &mut emulator, is_machine);
    Errors { program: program.finish(), emulator }
}

/// The prefixes of QEMU's own lines; the last is what its Stellaris boards print for a timer that is off.
const EMULATOR: [&[u8]; 3] = [b"qemu: ", b"qemu-system-", b"Timer with period zero"];

fn may_be_emulator(line: &[u8], is_machine: bool) -> bool {
    is_machine && EMULATOR.iter().any(|start| start.starts_with(line) || line.starts_with(start))
}

fn sort<W: Write, L: Fn() -> W>(
    line: &mut Vec<u8>,
    program: &mut Program<W, L>,
    emulator: &mut Vec<String>,
    is_machine: bool,
) {
    if line.is_empty() {
        return;
    }
    let is_emulator = is_machine && EMULATOR.iter().any(|start| line.starts_with(start));
    // After QEMU's last message come its registers.
    if is_emulator || emulator.iter().any(|line| line.contains("fatal")) {
        emulator.push(String::from_utf8_lossy(line).trim_end().to_owned());
    } else {
        program.take(line);
    }
    line.clear();
}

/// The longest interval between two polls of the child.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Waits for the end; nothing if the time limit comes first.
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

/// The last byte received; the child and all other senders have ended.
fn last(mut reader: PipeReader) -> Option<u8> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).ok()?;
    bytes.last().copied()
}

fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        // A status has eight bits.
        (Some(code), _) => End::Status(code as u8),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// The result of a thread of ours, by default none.
fn join<T: Default>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_default()
}
