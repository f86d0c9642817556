//! Standard input for a program that runs within us.

use crate::cleanup;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use std::{
    collections::VecDeque,
    io::{self, BufRead, IsTerminal, Read},
    sync::{Arc, Mutex, MutexGuard},
};

/// The time between two looks for an interrupt.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Lines of standard input that are read already, but by nobody who wants them.
#[derive(Clone, Debug, Default)]
pub struct KnownLines(Arc<Mutex<VecDeque<String>>>);

impl KnownLines {
    /// The lines, without their ends.
    pub fn lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Standard input after the known lines, of which no more is taken than the line that is read. A signal that only sets a flag ends the wait for
/// a line from a terminal.
#[derive(Debug, Default)]
pub struct StandardInput {
    known: KnownLines,
    line: Vec<u8>,
    /// The bytes of the line that are read.
    read: usize,
}

impl StandardInput {
    /// Standard input after some lines.
    pub fn after(known: &KnownLines) -> StandardInput {
        StandardInput { known: known.clone(), ..StandardInput::default() }
    }

    fn next_line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.read = 0;
        if let Some(known) = self.known.lines().pop_front() {
            self.line.extend_from_slice(known.as_bytes());
            self.line.push(b'\n');
            return Ok(());
        }
        wait()?;
        io::stdin().lock().read_until(b'\n', &mut self.line).map(drop)
    }
}

impl BufRead for StandardInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read == self.line.len() {
            self.next_line()?;
        }
        Ok(&self.line[self.read..])
    }

    fn consume(&mut self, bytes: usize) {
        self.read += bytes;
    }
}

impl Read for StandardInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?.read(buffer)?;
        self.consume(bytes);
        Ok(bytes)
    }
}

/// Waits for a line from a terminal.
fn wait() -> io::Result<()> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Ok(());
    }
    loop {
        if cleanup::is_interrupted() {
            return Err(io::Error::other("interrupted"));
        }
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&PAUSE)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
