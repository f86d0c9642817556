//! The console over RTT: ring buffers in the chip's memory, which the probe reads and writes while the program runs.
//!
//! Channels are identified by name: the program writes its output to `Terminal`, its errors to `Errors` and its log to
//! `defmt`; it reads from `Terminal`. If the first channel has no name, it is `Terminal`.

use crate::{Console, Input};
use probe_rs::{
    Core, MemoryInterface,
    rtt::{ChannelMode, DownChannel, Rtt, UpChannel},
};

/// The maximum number of bytes to read at once.
const BLOCK: usize = 1024;

/// The byte that marks the end of input on lines without an end.
const END_OF_TRANSMISSION: u8 = 4;

/// The console of a program with RTT.
#[derive(Debug)]
pub(crate) struct RttConsole {
    /// The address of the control block.
    address: u64,
    /// `None` until the program has created it.
    rtt: Option<Rtt>,
    /// The input that the program has not read yet.
    input: Vec<u8>,
    has_ended: bool,
}

/// The contents of channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stream {
    Terminal,
    Errors,
    Log,
}

impl RttConsole {
    pub(crate) fn at(address: u64) -> RttConsole {
        RttConsole { address, rtt: None, input: Vec::new(), has_ended: false }
    }

    /// Clears the remains of an earlier run in memory, so that only a control block of the program is found.
    pub(crate) fn clear(&self, core: &mut Core<'_>) -> Result<(), probe_rs::Error> {
        core.write_8(self.address, &[0; Rtt::RTT_ID.len()])
    }

    /// Looks for the control block. Holds afterwards: if it exists, its channels block when they are full.
    pub(crate) fn attach(&mut self, core: &mut Core<'_>) {
        if self.rtt.is_some() {
            return;
        }
        // It does not exist until the program has created it; a lost probe is detected elsewhere.
        self.rtt = Rtt::attach_at(core, self.address).ok();
        self.set_mode(core, ChannelMode::BlockIfFull);
    }

    /// Ends reading.
    pub(crate) fn leave(&mut self, core: &mut Core<'_>) {
        self.set_mode(core, ChannelMode::NoBlockSkip);
    }

    fn set_mode(&self, core: &mut Core<'_>, mode: ChannelMode) {
        for channel in self.rtt.iter().flat_map(|rtt| &rtt.up_channels) {
            if stream(channel.number(), channel.name()).is_some() {
                // If this fails, the program drops output that does not fit.
                let _ = channel.set_mode(core, mode);
            }
        }
    }

    /// Forwards output and passes input. Returns whether there was any output.
    pub(crate) fn serve(&mut self, core: &mut Core<'_>, console: &mut dyn Console) -> bool {
        self.attach(core);
        let Some(mut rtt) = self.rtt.take() else { return false };
        let mut has_output = false;
        for channel in &mut rtt.up_channels {
            match read(channel, core, console) {
                Ok(some) => has_output |= some,
                // The program was reset, or has overwritten it.
                Err(_) => return has_output,
            }
        }
        let terminal = rtt
            .down_channels
            .iter_mut()
            .find(|channel| stream(channel.number(), channel.name()) == Some(Stream::Terminal));
        if terminal.is_some_and(|channel| self.feed(channel, core, console).is_err()) {
            return has_output;
        }
        self.rtt = Some(rtt);
        has_output
    }

    fn feed(
        &mut self,
        channel: &mut DownChannel,
        core: &mut Core<'_>,
        console: &mut dyn Console,
    ) -> Result<(), probe_rs::rtt::Error> {
        if self.input.is_empty() && !self.has_ended {
            match console.input(BLOCK) {
                Input::Bytes(bytes) => self.input = bytes,
                Input::Pending => {}
                Input::End => {
                    self.has_ended = true;
                    self.input = vec![END_OF_TRANSMISSION];
                }
            }
        }
        if !self.input.is_empty() {
            let taken = channel.write(core, &self.input)?;
            self.input.drain(..taken);
        }
        Ok(())
    }
}

/// Empties an output channel of the program.
fn read(channel: &mut UpChannel, core: &mut Core<'_>, console: &mut dyn Console) -> Result<bool, probe_rs::rtt::Error> {
    let Some(stream) = stream(channel.number(), channel.name()) else { return Ok(false) };
    let mut has_output = false;
    let mut buffer = [0; BLOCK];
    loop {
        let count = channel.read(core, &mut buffer)?;
        let bytes = &buffer[..count];
        match stream {
            _ if count == 0 => return Ok(has_output),
            Stream::Terminal => console.output(bytes),
            Stream::Errors => console.errors(bytes),
            Stream::Log => console.log(bytes),
        }
        has_output = true;
        if count < BLOCK {
            return Ok(true);
        }
    }
}

fn stream(number: usize, name: Option<&str>) -> Option<Stream> {
    match name {
        Some("Terminal") => Some(Stream::Terminal),
        Some("Errors") => Some(Stream::Errors),
        Some("defmt") => Some(Stream::Log),
        None | Some("") if number == 0 => Some(Stream::Terminal),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_known_by_their_names() {
        assert_eq!(stream(2, Some("Terminal")), Some(Stream::Terminal));
        assert_eq!(stream(0, Some("defmt")), Some(Stream::Log));
        assert_eq!(stream(1, Some("Errors")), Some(Stream::Errors));
        assert_eq!(stream(0, None), Some(Stream::Terminal));
        assert_eq!(stream(1, None), None);
        assert_eq!(stream(1, Some("SysView")), None);
    }
}
