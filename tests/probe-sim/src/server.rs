//! The probe's firmware: sessions over TCP, and the commands of version 4 of Black Magic Debug's remote protocol.
//!
//! A command is `!`, its name and arguments in hexadecimal digits, `#`; a response is `&`, a letter, perhaps a value,
//! `#` and a zero. The letters are `K` for success, `E` for a failure of the target, `P` for invalid arguments, and `N`
//! for unknown commands.

use crate::{
    Options,
    faults::Fault,
    gdb::{from_hex, to_hex},
    port::Port,
    swd::Wire,
    target::{Refused, Target},
};
use std::{
    io::{self, BufRead, BufReader, Write},
    net::TcpStream,
    sync::{Arc, atomic::AtomicU32},
};

/// A probe with its chip.
#[derive(Debug)]
pub(crate) struct Server {
    target: Target,
    /// The fault of the next session.
    fault: Option<Fault>,
}

/// The settings of one debugger.
struct Session<'a> {
    target: &'a mut Target,
    port: Port,
    wire: Wire,
    /// Whether the chip has power; without it, nobody drives the wire.
    has_power: bool,
    /// Whether the reset line is asserted.
    is_resetting: bool,
}

/// Why a command failed.
enum Failure {
    Target,
    Arguments,
    Unknown,
}

impl From<Refused> for Failure {
    fn from(Refused: Refused) -> Failure {
        Failure::Target
    }
}

impl Server {
    pub(crate) fn start(options: &Options, calls: Arc<AtomicU32>) -> io::Result<Server> {
        Ok(Server { target: Target::start(options, calls)?, fault: options.fault })
    }

    /// Serves one session to its end.
    pub(crate) fn serve(&mut self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let fault = self.fault.take();
        if fault == Some(Fault::Busy) {
            return Ok(());
        }
        self.target.begin_session(fault);
        let mut session = Session {
            target: &mut self.target,
            port: Port::default(),
            wire: Wire::new(),
            has_power: fault != Some(Fault::NoChip),
            is_resetting: false,
        };
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut writer = stream;
        while let Some(command) = read_command(&mut reader)? {
            let answer = match session.carry_out(&command) {
                Ok(value) => format!("&K{value}#\0"),
                Err(Failure::Target) => "&E1#\0".to_owned(),
                Err(Failure::Arguments) => "&P1#\0".to_owned(),
                Err(Failure::Unknown) => "&N1#\0".to_owned(),
            };
            if session.target.is_cut_off() {
                return Ok(());
            }
            writer.write_all(answer.as_bytes())?;
        }
        Ok(())
    }
}

/// The next command without its delimiters; nothing at the end of the session.
fn read_command(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut text = Vec::new();
    reader.read_until(b'!', &mut text)?;
    text.clear();
    reader.read_until(b'#', &mut text)?;
    let ended = text.pop() != Some(b'#');
    Ok(if ended { None } else { Some(String::from_utf8_lossy(&text).into_owned()) })
}

impl Session<'_> {
    /// The value of a command that succeeds.
    fn carry_out(&mut self, command: &str) -> Result<String, Failure> {
        let (name, rest) = command.split_at_checked(2).ok_or(Failure::Arguments)?;
        let mut arguments = Arguments(rest);
        let done = || Ok("0".to_owned());
        match name {
            "GA" => Ok("Black Magic Probe (simulated)".to_owned()),
            "GV" => Ok("3.3V".to_owned()),
            // The version of the protocol, and that the probe accesses access ports.
            "HC" => Ok("4".to_owned()),
            "HA" => Ok("1".to_owned()),
            // Clock frequencies are ignored.
            "Gf" => Ok("4000".to_owned()),
            "GF" | "GE" | "GP" | "SS" => done(),
            "GZ" => self.reset_line(rest == "1").and_then(|()| done()),
            "So" => self.drive(arguments).and_then(|()| done()),
            "Si" => self.sample(arguments),
            "Ad" => {
                let address = arguments.skip(4)?.number(4)? as u16;
                Ok(word(self.port.read(address)))
            }
            "AR" => {
                let (is_read, address) = (arguments.skip(2)?.number(2)? != 0, arguments.number(4)? as u16);
                let value = arguments.number(8)? as u32;
                if is_read {
                    return Ok(word(self.port.read(address)));
                }
                self.port.write(address, value);
                done()
            }
            "Aa" => {
                let (port, address) = (arguments.skip(2)?.number(2)? as u8, arguments.number(4)? as u16);
                Ok(word(self.port.read_access(port, address)))
            }
            "AA" => {
                let (port, address) = (arguments.skip(2)?.number(2)? as u8, arguments.number(4)? as u16);
                self.port.write_access(port, address, (arguments.number(8)? as u32).swap_bytes());
                done()
            }
            "Am" => self.read(arguments),
            "AM" => self.write(arguments).and_then(|()| done()),
            _ => Err(Failure::Unknown),
        }
    }

    fn reset_line(&mut self, is_pulled: bool) -> Result<(), Failure> {
        if std::mem::replace(&mut self.is_resetting, is_pulled) && !is_pulled {
            self.target.reset()?;
        }
        Ok(())
    }

    fn drive(&mut self, mut arguments: Arguments<'_>) -> Result<(), Failure> {
        let (count, bits) = (arguments.number(2)?, arguments.rest()?);
        let seen = if self.has_power { count.min(64) } else { 0 };
        for bit in 0..seen {
            self.wire.drive(bits >> bit & 1 != 0, &mut self.port);
        }
        Ok(())
    }

    fn sample(&mut self, mut arguments: Arguments<'_>) -> Result<String, Failure> {
        let count = arguments.number(2)?.min(64);
        let bits = (0..count).fold(0_u64, |bits, bit| bits | u64::from(self.wire.sample()) << bit);
        Ok(format!("{bits:x}"))
    }

    /// Device, access port and its control come first; then the address and the number of bytes.
    fn read(&mut self, mut arguments: Arguments<'_>) -> Result<String, Failure> {
        let (address, length) = (arguments.skip(12)?.number(16)?, arguments.number(8)?);
        // The buffer of a real probe is no larger.
        let length = usize::try_from(length).ok().filter(|length| *length <= 1024).ok_or(Failure::Arguments)?;
        Ok(to_hex(&self.target.read(address, length)?))
    }

    fn write(&mut self, mut arguments: Arguments<'_>) -> Result<(), Failure> {
        let (address, length) = (arguments.skip(14)?.number(16)?, arguments.number(8)?);
        let bytes = from_hex(arguments.0.as_bytes()).filter(|bytes| bytes.len() as u64 == length);
        Ok(self.target.write(address, &bytes.ok_or(Failure::Arguments)?)?)
    }
}

/// A register in the protocol's format: its lowest byte first.
fn word(value: u32) -> String {
    to_hex(&value.to_le_bytes())
}

/// The remaining digits of a command.
struct Arguments<'a>(&'a str);

impl<'a> Arguments<'a> {
    fn take(&mut self, digits: usize) -> Result<&'a str, Failure> {
        let (taken, rest) = self.0.split_at_checked(digits).ok_or(Failure::Arguments)?;
        self.0 = rest;
        Ok(taken)
    }

    fn skip(&mut self, digits: usize) -> Result<&mut Self, Failure> {
        self.take(digits)?;
        Ok(self)
    }

    fn number(&mut self, digits: usize) -> Result<u64, Failure> {
        u64::from_str_radix(self.take(digits)?, 16).map_err(|_| Failure::Arguments)
    }

    /// A number of all remaining digits.
    fn rest(&mut self) -> Result<u64, Failure> {
        self.number(self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_between_their_marks() {
        let mut input: &[u8] = b"+#!GA# !GV#!half";
        let mut next = || read_command(&mut input).expect("it is in memory");
        assert_eq!(next().as_deref(), Some("GA"));
        assert_eq!(next().as_deref(), Some("GV"));
        assert_eq!(next(), None);
    }
}
