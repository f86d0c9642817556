//! The first serial line of the board, by the driver of the library: functions in Clef, which start the line before its first byte and do not
//! need interrupts. The program's module defines them for boards with this console; for others they are empty, and nothing calls them.

unsafe extern "C" {
    safe fn clef_console_send(byte: u32);
    safe fn clef_console_receive() -> u32;
}

pub(crate) fn write(bytes: &[u8]) {
    for byte in bytes {
        clef_console_send(u32::from(*byte));
    }
}

pub(crate) fn read() -> u8 {
    clef_console_receive() as u8
}
