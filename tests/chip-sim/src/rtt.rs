//! Reads the program's output from the buffers of Real-Time Transfer. Nobody reads them while it runs, so the output
//! starts at the start of each buffer.

use crate::bus::Bus;

/// The bytes of all up channels, in order.
pub(crate) fn output(bus: &Bus, block: u32) -> Vec<u8> {
    let word = |address: u32| bus.peek(address, 4).unwrap_or(0);
    let mut text = Vec::new();
    // The identity has 16 bytes; then come the numbers of channels, then the channels, of six words each.
    for channel in 0..word(block + 16).min(8) {
        let channel = block + 24 + channel * 24;
        let (buffer, written) = (word(channel + 4), word(channel + 12));
        text.extend((0..written).filter_map(|index| bus.peek(buffer + index, 1)).map(|byte| byte as u8));
    }
    text
}
