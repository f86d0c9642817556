//! Reads the program's output from the buffers of Real-Time Transfer, as a debug probe does.

use crate::bus::Bus;

/// The name of the channel of the log.
pub(crate) const LOG: &str = "defmt";

/// Takes the bytes of each up channel, with its name.
pub(crate) fn take_output(bus: &mut Bus, block: u32) -> Vec<(String, Vec<u8>)> {
    let word = |bus: &Bus, address: u32| bus.peek(address, 4).unwrap_or(0);
    let mut channels = Vec::new();
    // The identity has 16 bytes; then come the numbers of channels, then the channels, of six words each.
    for channel in 0..word(bus, block + 16).min(8) {
        let channel = block + 24 + channel * 24;
        let [name, buffer, size, written, read] = [0, 4, 8, 12, 16].map(|offset| word(bus, channel + offset));
        let name = (name..).map_while(|address| bus.peek(address, 1).filter(|byte| *byte != 0));
        let name = name.map(|byte| char::from(byte as u8)).collect();
        let count = if written < read { written + size - read } else { written - read };
        let bytes = (0..count).filter_map(|index| bus.peek(buffer + (read + index) % size.max(1), 1));
        channels.push((name, bytes.map(|byte| byte as u8).collect()));
        bus.poke(channel + 16, written);
    }
    channels
}
