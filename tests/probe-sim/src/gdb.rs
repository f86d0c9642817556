//! The protocol of QEMU's debugger interface: packets over its standard input and output.
//!
//! In: commands. Out: their responses, or an error as soon as QEMU has exited. QEMU sends an unrequested packet only
//! when the machine stops.

use std::{
    io::{self, Read, Write},
    process::{ChildStdin, ChildStdout},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

/// The time limit for a response.
const PATIENCE: Duration = Duration::from_secs(10);

/// The request to stop, which is no packet.
const INTERRUPT: u8 = 3;

/// A connection to QEMU's debugger interface.
#[derive(Debug)]
pub(crate) struct Gdb {
    input: ChildStdin,
    packets: Receiver<Vec<u8>>,
}

impl Gdb {
    /// Opens the connection. Holds afterwards: registers can be read, which QEMU rejects before it has described them.
    pub(crate) fn open(input: ChildStdin, output: ChildStdout) -> io::Result<Gdb> {
        let (sender, packets) = mpsc::channel();
        thread::spawn(move || {
            let mut output = io::BufReader::new(output);
            while let Ok(packet) = read_packet(&mut output) {
                if sender.send(packet).is_err() {
                    break;
                }
            }
        });
        let mut gdb = Gdb { input, packets };
        gdb.command("qSupported:xmlRegisters=arm")?;
        gdb.command("?")?;
        gdb.command("qXfer:features:read:target.xml:0,ffb")?;
        Ok(gdb)
    }

    /// Sends a command and waits for its response.
    pub(crate) fn command(&mut self, command: &str) -> io::Result<Vec<u8>> {
        self.send(command)?;
        loop {
            let answer = self.receive()?;
            // The monitor's output is text for people.
            if !answer.starts_with(b"O") || answer == b"OK" {
                return Ok(answer);
            }
        }
    }

    /// Sends a command whose response comes when the machine stops.
    pub(crate) fn send(&mut self, command: &str) -> io::Result<()> {
        let sum = command.bytes().fold(0_u8, u8::wrapping_add);
        self.input.write_all(format!("${command}#{sum:02x}").as_bytes())?;
        self.input.flush()
    }

    /// Requests the machine to stop.
    pub(crate) fn interrupt(&mut self) -> io::Result<()> {
        self.input.write_all(&[INTERRUPT])?;
        self.input.flush()
    }

    /// Waits for a packet.
    pub(crate) fn receive(&mut self) -> io::Result<Vec<u8>> {
        self.received_within(PATIENCE)?.ok_or_else(|| io::Error::new(io::ErrorKind::TimedOut, "QEMU does not answer"))
    }

    /// A packet that has arrived already.
    pub(crate) fn received(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.received_within(Duration::ZERO)
    }

    fn received_within(&mut self, time: Duration) -> io::Result<Option<Vec<u8>>> {
        match self.packets.recv_timeout(time) {
            Ok(packet) => {
                self.input.write_all(b"+")?;
                self.input.flush()?;
                Ok(Some(packet))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Reads up to the end of the next packet: `$`, its contents, `#` and two digits of a checksum.
fn read_packet(input: &mut impl Read) -> io::Result<Vec<u8>> {
    while read_byte(input)? != b'$' {}
    let mut packet = Vec::new();
    loop {
        match read_byte(input)? {
            b'#' => break,
            b'*' => {
                // The previous byte is repeated.
                let times = read_byte(input)?.saturating_sub(29);
                let last = packet.last().copied().unwrap_or_default();
                packet.extend((0..times).map(|_| last));
            }
            byte => packet.push(byte),
        }
    }
    read_byte(input)?;
    read_byte(input)?;
    Ok(packet)
}

fn read_byte(input: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    input.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Bytes as hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of hexadecimal digits; nothing if they are invalid.
pub(crate) fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_found_and_expanded() {
        let mut input: &[u8] = b"+$OK#9a+$0* 1#00";
        assert_eq!(read_packet(&mut input).expect("it is whole"), b"OK");
        assert_eq!(read_packet(&mut input).expect("it is whole"), b"00001");
        assert!(read_packet(&mut input).is_err());
    }

    #[test]
    fn digits_are_bytes() {
        assert_eq!(from_hex(b"00ff7e"), Some(vec![0, 0xff, 0x7e]));
        assert_eq!(from_hex(b"0"), None);
        assert_eq!(from_hex(b"xy"), None);
        assert_eq!(to_hex(&[0, 0xff]), "00ff");
    }
}
