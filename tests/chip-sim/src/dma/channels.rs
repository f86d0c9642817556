//! The DMA controllers of STM32F1 and L5 (RM0008, 13; RM0438, "Direct memory access controller (DMA)" and "DMA request multiplexer"). A channel
//! of an F1 has the requests of some devices; those of an L5 are selected.

use super::{Controller, Direction, Request, Side, System, request_for, transfer};
use crate::clocks::Misuse;

/// Bits of CCR.
const ON: u32 = 1;
const FROM_MEMORY: u32 = 1 << 4;
const CIRCULAR: u32 = 1 << 5;
const BETWEEN_MEMORIES: u32 = 1 << 14;
/// Two buffers.
const DOUBLE: u32 = 1 << 15;
/// The interrupts, which are also the flags: complete, half complete, and an error.
const CAUSES: u32 = 0xe;
/// What changes only while a channel is disabled.
const FIXED: u32 = 0xfff0;

/// Flags of a channel: it has one, the transfer is complete, and half of it is.
const ANY: u32 = 1;
const COMPLETE: u32 = 1 << 1;
const HALF: u32 = 1 << 2;

/// A chip's controllers.
enum Kind {
    /// The requests of each channel.
    F1,
    /// The selected request of each channel.
    L5([u32; 16]),
}

pub(crate) struct Channels {
    kind: Kind,
    channels: Vec<Channel>,
    misuse: Option<Misuse>,
}

#[derive(Clone, Default)]
struct Channel {
    interrupt: u32,
    control: u32,
    count: u32,
    device: u32,
    memory: u32,
    flags: u32,
    running: Option<Running>,
}

/// What an enabled channel does.
#[derive(Clone)]
struct Running {
    request: Option<Request>,
    /// The count that it began with.
    whole: u32,
    device: Side,
    memory: Side,
}

/// The requests of the channels of DMA1, from the second on (RM0008, 13.3.7).
const OF_F1: [(usize, Request); 10] = [
    (1, (0x4001_3000, Direction::Receives)),
    (2, (0x4001_3000, Direction::Sends)),
    (3, (0x4000_3800, Direction::Receives)),
    (4, (0x4000_3800, Direction::Sends)),
    (1, (0x4000_4800, Direction::Sends)),
    (2, (0x4000_4800, Direction::Receives)),
    (3, (0x4001_3800, Direction::Sends)),
    (4, (0x4001_3800, Direction::Receives)),
    (5, (0x4000_4400, Direction::Receives)),
    (6, (0x4000_4400, Direction::Sends)),
];

/// The devices with requests, in the order of RM0438, "DMAMUX1 request inputs", with the first one of each: to receive, and then to send.
const OF_L5: [(u32, u32); 9] = [
    (11, 0x4001_3000),
    (13, 0x4000_3800),
    (15, 0x4000_3c00),
    (25, 0x4001_3800),
    (27, 0x4000_4400),
    (29, 0x4000_4800),
    (31, 0x4000_4c00),
    (33, 0x4000_5000),
    (35, 0x4000_8000),
];

/// The block of DMAMUX1 on an L5.
const SELECTIONS: usize = 2;
/// The channels of a block of an L5.
const WIDTH: usize = 8;

impl Channels {
    /// DMA1.
    pub(crate) fn f1() -> Channels {
        Channels::new(Kind::F1, (11..18).collect())
    }

    /// DMA1, DMA2 and DMAMUX1.
    pub(crate) fn l5() -> Channels {
        Channels::new(Kind::L5([0; 16]), (29..37).chain(80..88).collect())
    }

    fn new(kind: Kind, interrupts: Vec<u32>) -> Channels {
        let channels = interrupts.into_iter().map(|interrupt| Channel { interrupt, ..Channel::default() });
        Channels { kind, channels: channels.collect(), misuse: None }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    /// The channels of a block.
    fn block(&self, block: usize) -> std::ops::Range<usize> {
        let first = block * WIDTH;
        first..self.channels.len().min(first + WIDTH)
    }

    /// The requests that a channel has.
    fn requests(&self, index: usize) -> Vec<Request> {
        match &self.kind {
            Kind::F1 => OF_F1.iter().filter(|(channel, _)| *channel == index).map(|(_, request)| *request).collect(),
            Kind::L5(selected) => {
                let number = selected[index];
                let found = OF_L5.iter().find(|(first, _)| (*first..first + 2).contains(&number));
                let of = |(first, base): &(u32, u32)| {
                    (*base, if number == *first { Direction::Receives } else { Direction::Sends })
                };
                found.map(of).into_iter().collect()
            }
        }
    }

    /// What a channel does from now on, where its settings fit.
    fn start(&self, index: usize) -> Result<Running, Misuse> {
        let Channel { control, count, device, memory, .. } = self.channels[index];
        if count == 0 {
            return Err("a channel of DMA is enabled with a count of zero");
        }
        if control & DOUBLE != 0 {
            return Err("a channel of DMA with two buffers is not modelled");
        }
        let is_between = control & BETWEEN_MEMORIES != 0;
        if is_between && control & CIRCULAR != 0 {
            return Err("DMA between memories is circular");
        }
        let direction = if control & FROM_MEMORY != 0 { Direction::Sends } else { Direction::Receives };
        let request = match is_between {
            true => None,
            false => Some(request_for(self.requests(index).into_iter(), device, direction)?),
        };
        Ok(Running {
            request,
            whole: count,
            device: Side::new(device, control >> 8, control >> 6 & 1 == 1)?,
            memory: Side::new(memory, control >> 10, control >> 7 & 1 == 1)?,
        })
    }

    fn write_control(&mut self, index: usize, value: u32) {
        let before = self.channels[index].control;
        self.channels[index].control = value;
        if before & value & ON != 0 && (before ^ value) & FIXED != 0 {
            self.forbid("a channel of DMA is changed while it is enabled");
        }
        if value & ON == 0 {
            self.channels[index].running = None;
        } else if before & ON == 0 {
            match self.start(index) {
                Ok(running) => self.channels[index].running = Some(running),
                Err(misuse) => self.forbid(misuse),
            }
        }
    }

    fn write_channel(&mut self, index: usize, register: u32, value: u32) {
        if register == 0 {
            return self.write_control(index, value);
        }
        let channel = &mut self.channels[index];
        let is_on = channel.control & ON != 0;
        match register {
            0x4 => channel.count = value & 0xffff,
            0x8 => channel.device = value,
            0xc => channel.memory = value,
            _ => return,
        }
        if is_on {
            self.forbid("a channel of DMA is changed while it is enabled");
        }
    }

    /// Moves an item of a channel.
    fn run(&mut self, index: usize, system: &mut dyn System) -> Result<(), Misuse> {
        let channel = &mut self.channels[index];
        let Some(running) = &mut channel.running else { return Ok(()) };
        let (device, memory) = (&mut running.device, &mut running.memory);
        match channel.control & FROM_MEMORY {
            0 => transfer(system, device, memory)?,
            _ => transfer(system, memory, device)?,
        }
        channel.count -= 1;
        if channel.count == running.whole / 2 {
            channel.flags |= ANY | HALF;
        }
        if channel.count > 0 {
            return Ok(());
        }
        channel.flags |= ANY | COMPLETE;
        if channel.control & CIRCULAR == 0 {
            // It stays enabled, without effect.
            channel.running = None;
        } else {
            channel.count = running.whole;
            (running.device.address, running.memory.address) = (channel.device, channel.memory);
        }
        Ok(())
    }
}

/// The channel and its register at an offset.
fn place(offset: u32) -> Option<(usize, u32)> {
    let offset = offset.checked_sub(8)?;
    Some(((offset / 0x14) as usize, offset % 0x14))
}

impl Controller for Channels {
    fn read(&self, block: usize, offset: u32) -> u32 {
        if let Kind::L5(selected) = &self.kind
            && block == SELECTIONS
        {
            return selected.get(offset as usize / 4).copied().unwrap_or_default();
        }
        let channels = &self.channels[self.block(block)];
        if offset == 0 {
            return channels.iter().zip(0..).fold(0, |all, (channel, index)| all | channel.flags << (index * 4));
        }
        let Some((index, register)) = place(offset) else { return 0 };
        let Some(channel) = channels.get(index) else { return 0 };
        match register {
            0x0 => channel.control,
            0x4 => channel.count,
            0x8 => channel.device,
            0xc => channel.memory,
            _ => 0,
        }
    }

    fn write(&mut self, block: usize, offset: u32, value: u32) {
        if let Kind::L5(selected) = &mut self.kind
            && block == SELECTIONS
        {
            let index = offset as usize / 4;
            if let Some(selection) = selected.get_mut(index) {
                *selection = value & 0x7f;
                if self.channels[index].running.is_some() {
                    self.forbid("a channel of DMA is changed while it is enabled");
                }
            }
            return;
        }
        let range = self.block(block);
        if offset == 4 {
            for (index, channel) in self.channels[range].iter_mut().enumerate() {
                let cleared = value >> (index * 4) & 0xf;
                channel.flags &= if cleared & ANY != 0 { 0 } else { !cleared };
                channel.flags &= if channel.flags & CAUSES == 0 { 0 } else { 0xf };
            }
            return;
        }
        let Some((index, register)) = place(offset) else { return };
        if range.start + index < range.end {
            self.write_channel(range.start + index, register, value);
        }
    }

    fn reset(&mut self, block: usize) {
        match &mut self.kind {
            Kind::L5(selected) if block == SELECTIONS => *selected = [0; 16],
            Kind::F1 | Kind::L5(_) => {
                let range = self.block(block);
                for channel in &mut self.channels[range] {
                    *channel = Channel { interrupt: channel.interrupt, ..Channel::default() };
                }
            }
        }
    }

    fn step(&mut self, system: &mut dyn System) -> bool {
        if self.misuse.is_some() {
            return false;
        }
        let is_ready = |channel: &Channel| {
            let running = channel.running.as_ref();
            running.is_some_and(|running| running.request.is_none_or(|request| system.is_requested(request)))
        };
        let ready = (0..self.channels.len()).filter(|index| is_ready(&self.channels[*index]));
        // The highest priority, and then the lowest number.
        let Some(next) = ready.max_by_key(|index| (self.channels[*index].control >> 12 & 3, !*index)) else {
            return false;
        };
        if let Err(misuse) = self.run(next, system) {
            self.forbid(misuse);
        }
        true
    }

    fn is_active(&self) -> bool {
        self.channels.iter().any(|channel| channel.running.is_some())
    }

    fn lines(&self) -> u128 {
        let asserted = self.channels.iter().filter(|channel| channel.flags & channel.control & CAUSES != 0);
        asserted.fold(0, |lines, channel| lines | 1 << channel.interrupt)
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
