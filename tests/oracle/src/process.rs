//! Calls of other programs: with an input, to their end, with a time limit.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

/// How a call ended.
#[derive(Debug)]
pub struct Call {
    /// `None` if a signal ended it.
    pub status: Option<i32>,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error.
    pub errors: String,
}

/// When a program gets its standard input.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Feed {
    /// When it starts.
    AtOnce,
    /// Once its first line of output has arrived.
    AfterFirstLine,
}

/// Runs a program with this standard input, to its end.
pub fn call(command: &mut Command, input: &[u8], longest: Duration) -> io::Result<Call> {
    call_fed(command, input, Feed::AtOnce, longest)
}

/// Runs a program that gets this standard input at this time, to its end.
pub fn call_fed(command: &mut Command, input: &[u8], feed: Feed, longest: Duration) -> io::Result<Call> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::other("a pipe is missing"));
    };
    let (first_line, has_first_line) = mpsc::channel();
    std::thread::scope(|scope| {
        let output = scope.spawn(|| {
            let mut stdout = BufReader::new(stdout);
            let mut bytes = Vec::new();
            // Output before an error is kept, and the end of the output counts as the end of a line.
            let _ = stdout.read_until(b'\n', &mut bytes);
            drop(first_line);
            let _ = stdout.read_to_end(&mut bytes);
            bytes
        });
        let errors = scope.spawn(|| all(stderr));
        scope.spawn(move || {
            if feed == Feed::AfterFirstLine {
                // The channel carries nothing: it is closed after the first line.
                let _: Result<(), _> = has_first_line.recv();
            }
            // A program need not read its input.
            let _ = stdin.write_all(input);
        });
        let status = wait(&mut child, longest)?;
        let failed = |_| io::Error::other("a reader failed");
        let output = output.join().map_err(failed)?;
        let errors = errors.join().map_err(failed)?;
        Ok(Call { status, output, errors: String::from_utf8_lossy(&errors).into_owned() })
    })
}

/// Finds a program on the search path.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|file| file.is_file())
}

fn all(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Output before an error is kept.
    let _ = pipe.read_to_end(&mut bytes);
    bytes
}

/// Waits for the end, up to the time limit.
fn wait(child: &mut Child, longest: Duration) -> io::Result<Option<i32>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if start.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other(format!("a program did not end within {} s", longest.as_secs())));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
