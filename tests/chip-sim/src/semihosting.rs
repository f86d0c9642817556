//! The calls of a program to its debugger (Semihosting for AArch32 and AArch64, 2022Q1).

use crate::{Ending, bus::Bus};

#[derive(Default)]
pub(crate) struct Semihosting {
    pub(crate) output: Vec<u8>,
    /// What was written to the file of the log.
    pub(crate) log: Vec<u8>,
}

/// The file of the log, and its number.
const LOG: (&str, u32) = ("/dev/fd/191", 2);

/// Executes a call: returns its result, or how the program ends.
pub(crate) fn call(bus: &mut Bus, operation: u32, parameter: u32) -> Result<u32, Ending> {
    let word = |index: u32| bus.peek(parameter + index * 4, 4).unwrap_or(0);
    match operation {
        // SYS_OPEN: what is not the log is the console.
        0x01 => {
            let (name, length) = (word(0), word(2));
            let is_log = length as usize == LOG.0.len()
                && (name..).zip(LOG.0.bytes()).all(|(address, byte)| bus.peek(address, 1) == Some(u32::from(byte)));
            Ok(if is_log { LOG.1 } else { 1 })
        }
        // SYS_WRITEC and SYS_WRITE0
        0x03 => {
            let byte = bus.peek(parameter, 1).unwrap_or(0);
            bus.host.output.push(byte as u8);
            Ok(0)
        }
        0x04 => {
            let bytes = (parameter..).map_while(|address| bus.peek(address, 1).filter(|byte| *byte != 0));
            let bytes: Vec<u8> = bytes.map(|byte| byte as u8).collect();
            bus.host.output.extend(bytes);
            Ok(0)
        }
        // SYS_WRITE
        0x05 => {
            let (start, count) = (word(1), word(2));
            let bytes: Vec<u8> =
                (0..count).filter_map(|index| bus.peek(start + index, 1)).map(|byte| byte as u8).collect();
            if word(0) == LOG.1 {
                bus.host.log.extend(bytes)
            } else {
                bus.host.output.extend(bytes)
            }
            Ok(0)
        }
        // SYS_READ: the input has ended.
        0x06 => Ok(word(2)),
        // SYS_EXIT and SYS_EXIT_EXTENDED: the reason 0x20026 is a normal exit.
        0x18 => Err(Ending::Exit(u32::from(parameter != 0x2_0026))),
        0x20 => Err(Ending::Exit(word(1))),
        _ => Ok(u32::MAX),
    }
}
