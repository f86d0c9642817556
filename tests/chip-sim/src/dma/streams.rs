//! The DMA controllers of STM32F2 and F4 (RM0033, 9; RM0090, 10; RM0383, 9; RM0390, 9): two with eight streams, of which each selects one of
//! eight channels of requests.
//!
//! Items have the same size on both sides. DMA1 reaches only the devices of APB1.

use super::{Controller, Direction, Request, Side, System, request_for, transfer};
use crate::{Chip, clocks::Misuse};

/// Bits of CR.
const ON: u32 = 1;
const CIRCULAR: u32 = 1 << 8;
/// What changes only while a stream is disabled, and what is not modelled: bursts, two buffers, the device's own count, steps of words.
const FIXED: u32 = 0x0fe7_ffe0;
const OTHER: u32 = 0x01e4_8020;

/// Bits of FCR: what it is after a reset; a FIFO is used.
const FIFO_RESET: u32 = 0x21;
const WITH_FIFO: u32 = 1 << 2;

/// Flags of a stream: half complete, and complete.
const HALF: u32 = 1 << 4;
const COMPLETE: u32 = 1 << 5;
/// The places of the flags of four streams in a register.
const PLACES: [u32; 4] = [0, 6, 16, 22];

/// The streams of a controller.
const WIDTH: usize = 8;

pub(crate) struct Streams {
    chip: Chip,
    streams: Vec<Stream>,
    misuse: Option<Misuse>,
}

#[derive(Clone)]
struct Stream {
    interrupt: u32,
    control: u32,
    count: u32,
    device: u32,
    memory: u32,
    fifo: u32,
    flags: u32,
    running: Option<Running>,
}

/// What an enabled stream does.
#[derive(Clone)]
struct Running {
    request: Option<Request>,
    is_from_memory: bool,
    /// The count that it began with.
    whole: u32,
    device: Side,
    memory: Side,
}

/// A stream by its number, those of DMA2 after those of DMA1, its channel, the device, and the direction.
type Row = (usize, u32, u32, Direction);

use Direction::{Receives, Sends};

/// RM0090, 10.3.3.
const ALL: &[Row] = &[
    (3, 0, 0x4000_3800, Receives),
    (4, 0, 0x4000_3800, Sends),
    (0, 0, 0x4000_3c00, Receives),
    (2, 0, 0x4000_3c00, Receives),
    (5, 0, 0x4000_3c00, Sends),
    (7, 0, 0x4000_3c00, Sends),
    (5, 4, 0x4000_4400, Receives),
    (6, 4, 0x4000_4400, Sends),
    (8, 3, 0x4001_3000, Receives),
    (10, 3, 0x4001_3000, Receives),
    (11, 3, 0x4001_3000, Sends),
    (13, 3, 0x4001_3000, Sends),
    (10, 4, 0x4001_1000, Receives),
    (13, 4, 0x4001_1000, Receives),
    (15, 4, 0x4001_1000, Sends),
    (9, 5, 0x4001_1400, Receives),
    (10, 5, 0x4001_1400, Receives),
    (14, 5, 0x4001_1400, Sends),
    (15, 5, 0x4001_1400, Sends),
];

/// The same for devices that an F411 does not have.
const OF_LARGE: &[Row] = &[
    (1, 4, 0x4000_4800, Receives),
    (3, 4, 0x4000_4800, Sends),
    (4, 7, 0x4000_4800, Sends),
    (2, 4, 0x4000_4c00, Receives),
    (4, 4, 0x4000_4c00, Sends),
    (0, 4, 0x4000_5000, Receives),
    (7, 4, 0x4000_5000, Sends),
];

/// SPI4 (RM0390, 9.3.3).
const OF_SPI4: &[Row] = &[
    (8, 4, 0x4001_3400, Receives),
    (9, 4, 0x4001_3400, Sends),
    (11, 5, 0x4001_3400, Receives),
    (12, 5, 0x4001_3400, Sends),
];

/// RM0383, 9.3.3.
const OF_F411: &[Row] = &[
    (7, 6, 0x4000_4400, Receives),
    (10, 2, 0x4001_3000, Sends),
    (12, 4, 0x4001_3400, Receives),
    (11, 2, 0x4001_5000, Receives),
    (12, 2, 0x4001_5000, Sends),
    (13, 5, 0x4001_5000, Sends),
    (13, 7, 0x4001_5000, Receives),
    (14, 7, 0x4001_5000, Sends),
];

/// The tables of a chip.
fn tables(chip: Chip) -> &'static [&'static [Row]] {
    match chip {
        Chip::F411 => &[ALL, OF_SPI4, OF_F411],
        Chip::F446 => &[ALL, OF_LARGE, OF_SPI4],
        Chip::F205 | Chip::F405 => &[ALL, OF_LARGE],
        Chip::F103 | Chip::L552 => &[],
    }
}

impl Stream {
    fn new(interrupt: u32) -> Stream {
        Stream { interrupt, control: 0, count: 0, device: 0, memory: 0, fifo: FIFO_RESET, flags: 0, running: None }
    }

    fn direction(&self) -> u32 {
        self.control >> 6 & 3
    }

    /// The flags that interrupt: the enabling bits are in another place.
    fn causes(&self) -> u32 {
        self.flags & (self.control >> 1 & 0xf) << 2
    }
}

impl Streams {
    pub(crate) fn new(chip: Chip) -> Streams {
        let interrupts = (11..18).chain([47]).chain(56..61).chain(68..71);
        Streams { chip, streams: interrupts.map(Stream::new).collect(), misuse: None }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    /// The requests of a channel of a stream.
    fn requests(&self, index: usize, channel: u32) -> impl Iterator<Item = Request> {
        let rows = tables(self.chip).iter().flat_map(|table| table.iter());
        rows.filter(move |row| row.0 == index && row.1 == channel).map(|row| (row.2, row.3))
    }

    /// What a stream does from now on, where its settings fit (RM0090, 10.3.17).
    fn start(&self, index: usize) -> Result<Running, Misuse> {
        let stream = &self.streams[index];
        let Stream { control, count, device, memory, fifo, flags, .. } = *stream;
        if flags != 0 {
            return Err("a stream of DMA is enabled with flags of the last transfer");
        }
        if count == 0 {
            return Err("a stream of DMA is enabled with a count of zero");
        }
        if control & OTHER != 0 {
            return Err("bursts, two buffers and a count of the device are not modelled");
        }
        let has_fifo = fifo & WITH_FIFO != 0;
        let sizes = [control >> 11 & 3, control >> 13 & 3];
        if has_fifo && sizes[0] != sizes[1] {
            return Err("different sizes of both sides are not modelled");
        }
        let is_first = index < WIDTH;
        let request = match stream.direction() {
            0 => Some(request_for(self.requests(index, control >> 25 & 7), device, Receives)?),
            1 => Some(request_for(self.requests(index, control >> 25 & 7), device, Sends)?),
            2 if is_first => return Err("DMA1 does not transfer between memories"),
            2 if !has_fifo || control & CIRCULAR != 0 => {
                return Err("DMA between memories has no FIFO, or is circular");
            }
            2 => None,
            _ => return Err("a stream of DMA has no direction"),
        };
        if is_first && !(0x4000_0000..0x4000_8000).contains(&device) {
            return Err("DMA1 does not reach the device");
        }
        Ok(Running {
            request,
            is_from_memory: stream.direction() == 1,
            whole: count,
            device: Side::new(device, sizes[0], control >> 9 & 1 == 1)?,
            memory: Side::new(memory, sizes[0], control >> 10 & 1 == 1)?,
        })
    }

    fn write_control(&mut self, index: usize, value: u32) {
        let before = self.streams[index].control;
        self.streams[index].control = value;
        if before & value & ON != 0 && (before ^ value) & FIXED != 0 {
            self.forbid("a stream of DMA is changed while it is enabled");
        }
        if value & ON == 0 {
            // One that is disabled before its end is complete too (RM0090, 10.3.15).
            if self.streams[index].running.take().is_some() {
                self.streams[index].flags |= COMPLETE;
            }
        } else if before & ON == 0 {
            match self.start(index) {
                Ok(running) => self.streams[index].running = Some(running),
                Err(misuse) => self.forbid(misuse),
            }
        }
    }

    fn write_stream(&mut self, index: usize, register: u32, value: u32) {
        if register == 0 {
            return self.write_control(index, value);
        }
        let stream = &mut self.streams[index];
        let is_on = stream.control & ON != 0;
        match register {
            0x04 => stream.count = value & 0xffff,
            0x08 => stream.device = value,
            0x0c => stream.memory = value,
            0x14 => stream.fifo = value & 0x87,
            _ => return,
        }
        if is_on {
            self.forbid("a stream of DMA is changed while it is enabled");
        }
    }

    /// Moves an item of a stream, which is disabled at its end.
    fn run(&mut self, index: usize, system: &mut dyn System) -> Result<(), Misuse> {
        let stream = &mut self.streams[index];
        let Some(running) = &mut stream.running else { return Ok(()) };
        let (device, memory) = (&mut running.device, &mut running.memory);
        match running.is_from_memory {
            true => transfer(system, memory, device)?,
            false => transfer(system, device, memory)?,
        }
        stream.count -= 1;
        if stream.count == running.whole / 2 {
            stream.flags |= HALF;
        }
        if stream.count > 0 {
            return Ok(());
        }
        stream.flags |= COMPLETE;
        if stream.control & CIRCULAR == 0 {
            stream.control &= !ON;
            stream.running = None;
        } else {
            stream.count = running.whole;
            (running.device.address, running.memory.address) = (stream.device, stream.memory);
        }
        Ok(())
    }
}

/// The stream of a controller and its register at an offset.
fn place(offset: u32) -> Option<(usize, u32)> {
    let offset = offset.checked_sub(0x10)?;
    let index = (offset / 0x18) as usize;
    (index < WIDTH).then_some((index, offset % 0x18))
}

impl Controller for Streams {
    fn read(&self, block: usize, offset: u32) -> u32 {
        let streams = &self.streams[block * WIDTH..][..WIDTH];
        if offset < 8 {
            let four = streams[offset as usize..][..4].iter().zip(PLACES);
            return four.fold(0, |all, (stream, place)| all | stream.flags << place);
        }
        let Some((index, register)) = place(offset) else { return 0 };
        let stream = &streams[index];
        match register {
            0x00 => stream.control,
            0x04 => stream.count,
            0x08 => stream.device,
            0x0c => stream.memory,
            0x14 => stream.fifo,
            _ => 0,
        }
    }

    fn write(&mut self, block: usize, offset: u32, value: u32) {
        if let 8 | 12 = offset {
            let first = block * WIDTH + (offset - 8) as usize;
            for (stream, place) in self.streams[first..][..4].iter_mut().zip(PLACES) {
                stream.flags &= !(value >> place & 0x3d);
            }
        } else if let Some((index, register)) = place(offset) {
            self.write_stream(block * WIDTH + index, register, value);
        }
    }

    fn reset(&mut self, block: usize) {
        for stream in &mut self.streams[block * WIDTH..][..WIDTH] {
            *stream = Stream::new(stream.interrupt);
        }
    }

    fn step(&mut self, system: &mut dyn System) -> bool {
        if self.misuse.is_some() {
            return false;
        }
        let is_ready = |stream: &Stream| {
            let running = stream.running.as_ref();
            running.is_some_and(|running| running.request.is_none_or(|request| system.is_requested(request)))
        };
        let ready = (0..self.streams.len()).filter(|index| is_ready(&self.streams[*index]));
        // The highest priority, and then the lowest number.
        let Some(next) = ready.max_by_key(|index| (self.streams[*index].control >> 16 & 3, !*index)) else {
            return false;
        };
        if let Err(misuse) = self.run(next, system) {
            self.forbid(misuse);
        }
        true
    }

    fn is_active(&self) -> bool {
        self.streams.iter().any(|stream| stream.running.is_some())
    }

    fn lines(&self) -> u128 {
        let asserted = self.streams.iter().filter(|stream| stream.causes() != 0);
        asserted.fold(0, |lines, stream| lines | 1 << stream.interrupt)
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
