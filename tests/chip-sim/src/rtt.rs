//! What a program has written into the buffers of Real-Time Transfer. Nobody reads them while it runs, so that each begins at its
//! start.

use crate::bus::Bus;

/// The text of all up channels, in their order.
pub(crate) fn output(bus: &Bus, block: u32) -> Vec<u8> {
    let word = |address: u32| bus.peek(address, 4).unwrap_or(0);
    let mut text = Vec::new();
    // The identity has 16 bytes; then the numbers of channels, then the channels, each of six words.
    for channel in 0..word(block + 16).min(8) {
        let channel = block + 24 + channel * 24;
        let (buffer, written) = (word(channel + 4), word(channel + 12));
        text.extend((0..written).filter_map(|index| bus.peek(buffer + index, 1)).map(|byte| byte as u8));
    }
    text
}
