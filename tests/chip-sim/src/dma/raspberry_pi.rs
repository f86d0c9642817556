//! The DMA controllers of RP2040 and RP2350 (RP2040 data sheet, 2.5; RP2350 data sheet, 12.6): channels that a write of their last register
//! triggers, or one of MULTI_CHAN_TRIGGER, or the end of another channel.
//!
//! A channel whose CHAIN_TO is its own number triggers none; after a reset that is so, but a zero there means channel 0.

use super::{Controller, Direction, Request, Side, System, transfer};
use crate::clocks::Misuse;

/// The differences between the chips.
struct Layout {
    channels: usize,
    /// The offsets of the registers that trigger channels and abort them, and the number of interrupts, of which this is the first one.
    trigger: u32,
    abort: u32,
    outputs: usize,
    interrupt: u32,
    /// The bits of CTRL: what is added to the address for writing, the channel to trigger, the request, and that there is no interrupt.
    write_step: u32,
    chain: u32,
    request: u32,
    quiet: u32,
    busy: u32,
    /// The bits of CTRL that wrap addresses, swap bytes or do what else is not modelled, and those of the mode of a count.
    other: u32,
    mode: u32,
    /// The requests of devices, from a number on: of each device to send and to receive.
    first: u32,
    devices: [u32; 4],
}

/// RP2040 data sheet, 2.5.3.1 and 2.5.7.
const RP2040: Layout = Layout {
    channels: 12,
    trigger: 0x430,
    abort: 0x444,
    outputs: 2,
    interrupt: 11,
    write_step: 5,
    chain: 11,
    request: 15,
    quiet: 21,
    busy: 24,
    other: 0x00c0_03c0,
    mode: 0,
    first: 16,
    devices: [0x4003_c000, 0x4004_0000, 0x4003_4000, 0x4003_8000],
};

/// RP2350 data sheet, 12.6.4.1 and 12.6.10.
const RP2350: Layout = Layout {
    channels: 16,
    trigger: 0x450,
    abort: 0x464,
    outputs: 4,
    interrupt: 10,
    write_step: 6,
    chain: 13,
    request: 17,
    quiet: 23,
    busy: 26,
    other: 0x0300_0fa0,
    mode: 0xf000_0000,
    first: 24,
    devices: [0x4008_0000, 0x4008_8000, 0x4007_0000, 0x4007_8000],
};

/// The request that is always there.
const ALWAYS: u32 = 0x3f;

/// The order of the registers of a channel at its four sets of addresses; the last one of each set triggers it.
const SETS: [[Register; 4]; 4] = [
    [Register::Read, Register::Write, Register::Count, Register::Control],
    [Register::Control, Register::Read, Register::Write, Register::Count],
    [Register::Control, Register::Count, Register::Read, Register::Write],
    [Register::Control, Register::Write, Register::Count, Register::Read],
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    Read,
    Write,
    Count,
    Control,
}

#[derive(Clone, Default)]
struct Channel {
    read: u32,
    write: u32,
    /// The count that a trigger loads, and what is left of it.
    reload: u32,
    left: u32,
    control: u32,
    running: Option<Running>,
}

/// What a triggered channel does.
#[derive(Clone)]
struct Running {
    request: Option<Request>,
    source: Side,
    destination: Side,
}

pub(crate) struct RaspberryPi {
    layout: Layout,
    channels: Vec<Channel>,
    /// The channels that have ended, and those that interrupt by each output, each a bit by its number.
    ended: u32,
    enabled: [u32; 4],
    forced: [u32; 4],
    misuse: Option<Misuse>,
}

impl RaspberryPi {
    pub(crate) fn rp2040() -> RaspberryPi {
        RaspberryPi::new(RP2040)
    }

    pub(crate) fn rp2350() -> RaspberryPi {
        RaspberryPi::new(RP2350)
    }

    fn new(layout: Layout) -> RaspberryPi {
        let channels = channels(&layout);
        RaspberryPi { layout, channels, ended: 0, enabled: [0; 4], forced: [0; 4], misuse: None }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    /// The request that a channel has selected.
    fn request(&self, control: u32) -> Result<Option<Request>, Misuse> {
        let number = control >> self.layout.request & 0x3f;
        if number == ALWAYS {
            return Ok(None);
        }
        let place = number.checked_sub(self.layout.first).map(|place| place as usize);
        let device = place.and_then(|place| self.layout.devices.get(place / 2));
        let direction = if number.is_multiple_of(2) { Direction::Sends } else { Direction::Receives };
        device.map(|device| Some((*device, direction))).ok_or("a request of DMA is not modelled")
    }

    /// What a channel does from now on, where its settings fit.
    fn start(&self, index: usize) -> Result<Running, Misuse> {
        let Channel { read, write, reload, control, .. } = self.channels[index];
        if reload == 0 {
            return Err("a channel of DMA is triggered with a count of zero");
        }
        if control & self.layout.other != 0 || reload & self.layout.mode != 0 {
            return Err("rings, swapped bytes, sums and modes of a count of DMA are not modelled");
        }
        let size = control >> 2 & 3;
        let request = self.request(control)?;
        let of_device = |(base, direction): &Request| {
            let address = if *direction == Direction::Sends { write } else { read };
            address & !0xfff == *base
        };
        if request.as_ref().is_some_and(|request| !of_device(request)) {
            return Err("a channel of DMA does not have the requests of its device");
        }
        Ok(Running {
            request,
            source: Side::new(read, size, control >> 4 & 1 == 1)?,
            destination: Side::new(write, size, control >> self.layout.write_step & 1 == 1)?,
        })
    }

    /// Triggers a channel, if it is enabled.
    fn trigger(&mut self, index: usize) {
        if self.channels[index].control & 1 == 0 {
            return;
        }
        if self.channels[index].running.is_some() {
            return self.forbid("a channel of DMA is triggered while it is busy");
        }
        match self.start(index) {
            Ok(running) => {
                let channel = &mut self.channels[index];
                channel.left = channel.reload;
                channel.running = Some(running);
            }
            Err(misuse) => self.forbid(misuse),
        }
    }

    fn write_channel(&mut self, index: usize, register: Register, value: u32) {
        let channel = &mut self.channels[index];
        let is_busy = channel.running.is_some();
        let mut is_changed = true;
        match register {
            Register::Read => channel.read = value,
            Register::Write => channel.write = value,
            Register::Count => channel.reload = value,
            Register::Control => {
                // A busy channel may be paused.
                let value = value & !(u32::MAX << self.layout.busy);
                is_changed = (channel.control ^ value) & !1 != 0;
                channel.control = value;
            }
        }
        if is_busy && is_changed {
            self.forbid("a channel of DMA is changed while it is busy");
        }
    }

    /// Moves an item of a channel.
    fn run(&mut self, index: usize, system: &mut dyn System) -> Result<(), Misuse> {
        let channel = &mut self.channels[index];
        let Some(running) = &mut channel.running else { return Ok(()) };
        transfer(system, &mut running.source, &mut running.destination)?;
        (channel.read, channel.write) = (running.source.address, running.destination.address);
        channel.left -= 1;
        if channel.left > 0 {
            return Ok(());
        }
        channel.running = None;
        let control = channel.control;
        if control >> self.layout.quiet & 1 == 0 {
            self.ended |= 1 << index;
        }
        let next = (control >> self.layout.chain & 0xf) as usize;
        if next != index && next < self.channels.len() {
            self.trigger(next);
        }
        Ok(())
    }

    /// Ends a transfer early, after which its addresses are left, but not its count (RP2040 data sheet, 2.5.5.3). What was under way may tell an end
    /// (RP2040-E13), and may trigger the channel again unless it is disabled before (RP2350-E5).
    fn abort(&mut self, index: usize) {
        let channel = &mut self.channels[index];
        channel.left = 0;
        if channel.running.take().is_none() {
            return;
        }
        if channel.control & 1 == 1 && self.layout.outputs > 2 {
            return self.forbid("a channel of DMA is aborted while it is enabled (RP2350-E5)");
        }
        if channel.control >> self.layout.quiet & 1 == 0 && self.layout.outputs == 2 {
            self.ended |= 1 << index;
        }
    }

    /// The output of an offset after the channels, and its register: that of the ended channels, the enabled, the forced, and the status.
    fn output(&self, offset: u32) -> Option<(usize, u32)> {
        let offset = offset.checked_sub(0x400)?;
        let output = (offset / 0x10) as usize;
        (output < self.layout.outputs).then_some((output, offset % 0x10))
    }

    fn status(&self, output: usize) -> u32 {
        self.ended & self.enabled[output] | self.forced[output]
    }

    fn write_others(&mut self, offset: u32, value: u32) {
        let which = |index: usize| value >> index & 1 == 1;
        if offset == self.layout.trigger {
            (0..self.channels.len()).filter(|index| which(*index)).for_each(|index| self.trigger(index));
        } else if offset == self.layout.abort {
            (0..self.channels.len()).filter(|index| which(*index)).for_each(|index| self.abort(index));
        } else if let Some((output, register)) = self.output(offset) {
            let mask = (1 << self.channels.len()) - 1;
            match register {
                0x4 => self.enabled[output] = value & mask,
                0x8 => self.forced[output] = value & mask,
                // INTR and INTS.
                _ => self.ended &= !value,
            }
        }
    }
}

/// The channels after a reset: each triggers itself, which is none.
fn channels(layout: &Layout) -> Vec<Channel> {
    let new = |index: u32| Channel { control: index << layout.chain, ..Channel::default() };
    (0..layout.channels as u32).map(new).collect()
}

/// The channel and the set and the place of its register at an offset.
fn place(offset: u32) -> (usize, usize, usize) {
    ((offset / 0x40) as usize, (offset / 0x10 % 4) as usize, (offset / 4 % 4) as usize)
}

impl Controller for RaspberryPi {
    fn read(&self, _: usize, offset: u32) -> u32 {
        let (index, set, place) = place(offset);
        let Some(channel) = self.channels.get(index) else {
            return match self.output(offset) {
                Some((_, 0x0)) => self.ended,
                Some((output, 0x4)) => self.enabled[output],
                Some((output, 0x8)) => self.forced[output],
                Some((output, _)) => self.status(output),
                None => 0,
            };
        };
        match SETS[set][place] {
            Register::Read => channel.read,
            Register::Write => channel.write,
            Register::Count => channel.left,
            Register::Control => channel.control | u32::from(channel.running.is_some()) << self.layout.busy,
        }
    }

    fn write(&mut self, _: usize, offset: u32, value: u32) {
        let (index, set, place) = place(offset);
        if index >= self.channels.len() {
            return self.write_others(offset, value);
        }
        let register = SETS[set][place];
        self.write_channel(index, register, value);
        // A zero does not trigger ("null trigger").
        let is_null = register != Register::Control && value == 0;
        if place == 3 && !is_null {
            self.trigger(index);
        }
    }

    fn reset(&mut self, _: usize) {
        (self.channels, self.ended) = (channels(&self.layout), 0);
        (self.enabled, self.forced) = ([0; 4], [0; 4]);
    }

    fn step(&mut self, system: &mut dyn System) -> bool {
        if self.misuse.is_some() {
            return false;
        }
        let is_ready = |channel: &Channel| {
            let running = channel.running.as_ref().filter(|_| channel.control & 1 == 1);
            running.is_some_and(|running| running.request.is_none_or(|request| system.is_requested(request)))
        };
        let ready = (0..self.channels.len()).filter(|index| is_ready(&self.channels[*index]));
        // One of high priority, and then the lowest number.
        let Some(next) = ready.max_by_key(|index| (self.channels[*index].control >> 1 & 1, !*index)) else {
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
        let asserted = (0..self.layout.outputs).filter(|output| self.status(*output) != 0);
        asserted.fold(0, |lines, output| lines | 1 << (self.layout.interrupt + output as u32))
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
