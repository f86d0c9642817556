//! QEMU: a process that never outlives the simulator.
//!
//! Holds: the machine is stopped unless [`Machine::is_running`]. Every operation returns an error if QEMU has died, as
//! it does when the processor locks up.

use crate::{
    core_debug::Watched,
    gdb::{Gdb, from_hex, to_hex},
};
use std::{
    io,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The maximum size of a read or write in bytes; QEMU's packets hold no more than twice as many digits.
const BLOCK: usize = 1024;

/// The time limit of a reset.
const RESET: Duration = Duration::from_secs(5);

/// A register that a reset clears, and its value until then.
const MARKED: u32 = 12;
const MARK: u32 = 0x5eed_5eed;

/// The response of a machine that stopped on request; all others mean a breakpoint.
const INTERRUPTED: &[u8] = b"T02";

/// Why the machine stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// On request.
    Asked,
    /// It reached a breakpoint.
    Breakpoint,
    /// It has read or written a watched address.
    Access(u64),
}

/// A machine in QEMU.
#[derive(Debug)]
pub(crate) struct Machine {
    gdb: Gdb,
    is_running: bool,
    /// Last, so that it outlives all communication with it.
    _process: Guarded,
}

/// A process that ends with its guard.
#[derive(Debug)]
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended already, so errors are ignored.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Machine {
    /// Starts QEMU with a stopped machine whose flash holds an image, or is empty.
    pub(crate) fn start(name: &str, image: Option<&Path>) -> io::Result<Machine> {
        // The kernel ends it when we end, even if we are killed.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", "qemu-system-arm", "-machine", name, "-S", "-gdb", "stdio"]);
        command.args(["-display", "none", "-monitor", "none", "-serial", "none"]);
        if let Some(image) = image {
            command.arg("-kernel").arg(image);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Guarded(command.spawn()?);
        let gone = || io::Error::other("QEMU has no standard streams");
        let input = process.0.stdin.take().ok_or_else(gone)?;
        let output = process.0.stdout.take().ok_or_else(gone)?;
        let gdb = Gdb::open(input, output).map_err(|error| {
            io::Error::new(error.kind(), format!("`qemu-system-arm` does not start the machine `{name}`: {error}"))
        })?;
        Ok(Machine { gdb, is_running: false, _process: process })
    }

    pub(crate) fn is_running(&self) -> bool {
        self.is_running
    }

    /// Resumes it.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        self.gdb.send("c")?;
        self.is_running = true;
        Ok(())
    }

    /// Executes one instruction.
    pub(crate) fn step(&mut self) -> io::Result<()> {
        self.gdb.command("s").map(drop)
    }

    /// Whether it has stopped since the last call.
    pub(crate) fn stopped(&mut self) -> io::Result<Option<Stop>> {
        if !self.is_running {
            return Ok(None);
        }
        let answer = self.gdb.received()?;
        Ok(answer.map(|answer| self.has_stopped(&answer)))
    }

    /// Stops it, if it runs.
    pub(crate) fn stop(&mut self) -> io::Result<Option<Stop>> {
        if !self.is_running {
            return Ok(None);
        }
        self.gdb.interrupt()?;
        let answer = self.gdb.receive()?;
        Ok(Some(self.has_stopped(&answer)))
    }

    fn has_stopped(&mut self, answer: &[u8]) -> Stop {
        self.is_running = false;
        let text = String::from_utf8_lossy(answer);
        let accessed = text.split_once("watch:").and_then(|(_, rest)| rest.split(';').next());
        match accessed.and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
            Some(address) => Stop::Access(address),
            None if answer.starts_with(INTERRUPTED) => Stop::Asked,
            None => Stop::Breakpoint,
        }
    }

    /// Resets the machine, which is stopped before and after. QEMU resets it asynchronously.
    pub(crate) fn reset(&mut self) -> io::Result<()> {
        self.set_register(MARKED, MARK)?;
        self.gdb.command(&format!("qRcmd,{}", to_hex(b"system_reset")))?;
        let start = Instant::now();
        while self.register(MARKED)? == MARK {
            if start.elapsed() > RESET {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "QEMU does not reset the machine"));
            }
            thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    /// Reads memory; nothing if there is none.
    pub(crate) fn read(&mut self, address: u64, length: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let count = (length - bytes.len()).min(BLOCK);
            let answer = self.gdb.command(&format!("m{:x},{count:x}", address + bytes.len() as u64))?;
            match from_hex(&answer) {
                Some(block) if block.len() == count => bytes.extend(block),
                Some(_) | None => return Ok(None),
            }
        }
        Ok(Some(bytes))
    }

    /// Writes memory; returns whether it exists.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> io::Result<bool> {
        for (index, block) in bytes.chunks(BLOCK).enumerate() {
            let address = address + (index * BLOCK) as u64;
            let command = format!("M{address:x},{:x}:{}", block.len(), to_hex(block));
            if self.gdb.command(&command)? != b"OK" {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A register by QEMU's number; zero if there is no such register.
    pub(crate) fn register(&mut self, number: u32) -> io::Result<u32> {
        self.part(number, 0)
    }

    pub(crate) fn set_register(&mut self, number: u32, value: u32) -> io::Result<()> {
        self.set_part(number, 0, value)
    }

    /// A word of a register that may have several.
    pub(crate) fn part(&mut self, number: u32, word: usize) -> io::Result<u32> {
        let bytes = self.bytes(number)?;
        Ok(bytes.as_chunks().0.get(word).map_or(0, |word| u32::from_le_bytes(*word)))
    }

    pub(crate) fn set_part(&mut self, number: u32, word: usize, value: u32) -> io::Result<()> {
        let mut bytes = self.bytes(number)?;
        bytes.as_chunks_mut().0.get_mut(word).into_iter().for_each(|word| *word = value.to_le_bytes());
        self.gdb.command(&format!("P{number:x}={}", to_hex(&bytes))).map(drop)
    }

    /// The value of a register; empty if there is no such register.
    fn bytes(&mut self, number: u32) -> io::Result<Vec<u8>> {
        Ok(from_hex(&self.gdb.command(&format!("p{number:x}"))?).unwrap_or_default())
    }

    /// Makes the machine stop before it executes the instruction at an address.
    pub(crate) fn add_breakpoint(&mut self, address: u64) -> io::Result<()> {
        self.gdb.command(&format!("Z1,{address:x},2")).map(drop)
    }

    /// Makes the machine stop after accesses to memory.
    pub(crate) fn add_watchpoint(&mut self, watched: Watched) -> io::Result<()> {
        let Watched { kind, address, length } = watched;
        self.gdb.command(&format!("Z{kind},{address:x},{length:x}")).map(drop)
    }

    pub(crate) fn remove_watchpoint(&mut self, watched: Watched) -> io::Result<()> {
        let Watched { kind, address, length } = watched;
        self.gdb.command(&format!("z{kind},{address:x},{length:x}")).map(drop)
    }

    pub(crate) fn remove_breakpoint(&mut self, address: u64) -> io::Result<()> {
        self.gdb.command(&format!("z1,{address:x},2")).map(drop)
    }
}
