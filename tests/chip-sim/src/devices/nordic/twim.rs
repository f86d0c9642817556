//! The I2C controller with DMA, TWIM (nRF9160 Product Specification, "TWIM").
//!
//! It reads what it sends from RAM and writes what it receives to RAM. It does not stop by itself: a shortcut from the last byte, or a task,
//! tells it to. A byte that is not acknowledged is an error, after which it waits for that task.
//!
//! What the manual forbids ends the program: pins that are no open drains, or that are selected while it is on; memory that it does not reach;
//! a transfer that begins within another one; one that receives more bytes than there is space for; and a stop without a transfer.

use super::{Gpio, pin};
use crate::{
    clocks::Misuse,
    i2c::{Device, Wires},
    memory::Ram,
    wiring::{Pin, Wiring},
};

pub(super) struct Twim {
    core: u64,
    wires: Wires,
    is_enabled: bool,
    frequency: u32,
    address: u32,
    shortcuts: u32,
    /// The numbers of the pins: clock and data.
    pins: [u32; 2],
    /// The events that have come, each a bit by its number.
    events: u32,
    source: u32,
    send: Buffer,
    receive: Buffer,
    phase: Phase,
    /// The end of a phase that ends by itself.
    until: u64,
    /// What follows the byte on its way.
    next: Next,
    misuse: Option<Misuse>,
}

/// A buffer in RAM, and the bytes of it that were transferred in the last transfer, or are in this one.
#[derive(Clone, Copy, Default)]
struct Buffer {
    pointer: u32,
    count: u32,
    amount: u32,
    done: u32,
}

/// What happens on the bus.
#[derive(Clone)]
enum Phase {
    Idle,
    /// A task has started it.
    Starting(Direction),
    Addressing(Direction),
    Sending(Device),
    Receiving(Device),
    /// All is sent, or something was not acknowledged.
    Waiting,
    Stopping,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sends,
    Receives,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Nothing,
    Stop,
    Receive,
}

/// The events.
const STOPPED: u32 = 1;
const FAILED: u32 = 9;
const RECEIVES: u32 = 19;
const SENDS: u32 = 20;
const LAST_RECEIVED: u32 = 23;
const LAST_SENT: u32 = 24;
/// The shortcuts.
const SENT_RECEIVE: u32 = 1 << 7;
const SENT_STOP: u32 = 1 << 9;
const RECEIVED_STOP: u32 = 1 << 12;
/// The causes of an error: the address or a byte was not acknowledged.
const NO_ADDRESS: u32 = 2;
const NO_DATA: u32 = 4;

impl Twim {
    pub(super) fn new(core: u64, wiring: &Wiring) -> Twim {
        Twim {
            core,
            wires: Wires::new(wiring),
            is_enabled: false,
            frequency: 0x0400_0000,
            address: 0,
            shortcuts: 0,
            pins: [u32::MAX; 2],
            events: 0,
            source: 0,
            send: Buffer::default(),
            receive: Buffer::default(),
            phase: Phase::Idle,
            until: 0,
            next: Next::Nothing,
            misuse: None,
        }
    }

    fn forbid(&mut self, misuse: Misuse) {
        self.misuse = self.misuse.or(Some(misuse));
    }

    pub(super) fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }

    /// The bits in a second.
    fn rate(&self) -> u64 {
        (16_000_000 * u64::from(self.frequency)) >> 32
    }

    fn begin(&mut self, phase: Phase, at: u64, bits: u64) {
        self.phase = phase;
        self.until = at + bits * self.core / self.rate().max(1);
    }

    /// The pin of the clock, and that of the data.
    pub(super) fn lines(&self) -> [Option<Pin>; 2] {
        self.pins.map(pin)
    }

    /// The program has raised the clock by its pin.
    pub(super) fn pulse(&self) {
        let data: Vec<Pin> = pin(self.pins[1]).into_iter().collect();
        self.wires.pulse(&data);
    }

    /// The pin that it pulls low at a time: that of the clock in the first half of a bit.
    pub(super) fn pulled(&self, now: u64) -> Option<Pin> {
        let is_running = match self.phase {
            Phase::Addressing(_) | Phase::Sending(_) | Phase::Receiving(_) => now < self.until,
            Phase::Idle | Phase::Starting(_) | Phase::Waiting | Phase::Stopping => false,
        };
        let bit = self.core / self.rate().max(1);
        pin(self.pins[0]).filter(|_| is_running && (self.until - now) % bit.max(1) >= bit / 2)
    }

    /// Whether something holds a line of the bus.
    fn is_held(&self) -> bool {
        self.lines().into_iter().flatten().any(|line| self.wires.is_held(line))
    }

    /// Ends what has ended until now.
    pub(super) fn advance(&mut self, now: u64, gpio: &Gpio, ram: &mut Ram<'_>) {
        if let Phase::Starting(direction) = self.phase {
            let is_open = |number: &u32| pin(*number).is_some_and(|pin| gpio.configuration(pin) & 0x703 == 0x600);
            if !self.pins.iter().all(is_open) {
                self.forbid("the pins of the I2C bus are not open drains of the controller");
            }
            self.call(direction, now);
        }
        if self.is_held() {
            self.until = self.until.max(now + 1);
        }
        while self.until <= now {
            let at = self.until;
            match self.phase.clone() {
                Phase::Addressing(direction) => self.addressed(direction, at, ram),
                Phase::Sending(device) => self.sent(device, at, ram),
                Phase::Receiving(device) => self.received(device, at, ram),
                Phase::Stopping => {
                    self.events |= 1 << STOPPED;
                    self.phase = Phase::Idle;
                }
                Phase::Idle | Phase::Starting(_) | Phase::Waiting => return,
            }
        }
    }

    /// A start condition, and the address.
    fn call(&mut self, direction: Direction, at: u64) {
        self.next = Next::Nothing;
        let (buffer, event) = match direction {
            Direction::Sends => (&mut self.send, SENDS),
            Direction::Receives => (&mut self.receive, RECEIVES),
        };
        buffer.done = 0;
        let is_empty = buffer.count == 0;
        self.events |= 1 << event;
        if is_empty {
            self.forbid("a transfer on the I2C bus has no bytes");
        }
        self.wires.note(self.rate());
        self.begin(Phase::Addressing(direction), at, 10);
    }

    fn addressed(&mut self, direction: Direction, at: u64, ram: &mut Ram<'_>) {
        let receives = u8::from(direction == Direction::Receives);
        match (self.wires.call((self.address as u8) << 1 | receives), direction) {
            (None, _) => self.fail(NO_ADDRESS, at),
            (Some(device), Direction::Sends) => self.go_on(device, at),
            (Some(device), Direction::Receives) => self.listen(device, at, ram),
        }
    }

    /// Sends the next byte, or ends the message.
    fn go_on(&mut self, device: Device, at: u64) {
        let left = self.send.count - self.send.done;
        if self.next == Next::Stop {
            return self.stop(at);
        }
        if left == 0 {
            match self.next {
                Next::Receive => self.call(Direction::Receives, at),
                Next::Stop | Next::Nothing => self.phase = Phase::Waiting,
            }
            return;
        }
        if left == 1 {
            self.events |= 1 << LAST_SENT;
            self.next = match self.shortcuts & (SENT_RECEIVE | SENT_STOP) {
                SENT_RECEIVE => Next::Receive,
                SENT_STOP => Next::Stop,
                _ => self.next,
            };
        }
        self.begin(Phase::Sending(device), at, 9);
    }

    fn sent(&mut self, device: Device, at: u64, ram: &Ram<'_>) {
        let byte = ram.byte(self.send.pointer + self.send.done);
        if byte.is_none() {
            self.forbid("DMA of the I2C controller reads what is not RAM");
        }
        self.send.done += 1;
        self.send.amount = self.send.done;
        if device.borrow_mut().write(byte.unwrap_or_default()) {
            self.go_on(device, at);
        } else {
            self.fail(NO_DATA, at);
        }
    }

    /// Receives the next byte.
    fn listen(&mut self, device: Device, at: u64, ram: &Ram<'_>) {
        match self.receive.count - self.receive.done {
            0 => self.forbid("it receives a byte for which there is no space"),
            1 => {
                self.events |= 1 << LAST_RECEIVED;
                if self.shortcuts & RECEIVED_STOP != 0 {
                    self.next = Next::Stop;
                }
            }
            _ => {}
        }
        if ram.byte(self.receive.pointer + self.receive.done).is_none() {
            self.forbid("DMA of the I2C controller writes what is not RAM");
        }
        self.begin(Phase::Receiving(device), at, 9);
    }

    fn received(&mut self, device: Device, at: u64, ram: &mut Ram<'_>) {
        let byte = device.borrow_mut().read();
        ram.set_byte(self.receive.pointer + self.receive.done, byte);
        self.receive.done += 1;
        self.receive.amount = self.receive.done;
        match self.next {
            Next::Stop => self.stop(at),
            Next::Nothing | Next::Receive => self.listen(device, at, ram),
        }
    }

    fn fail(&mut self, source: u32, at: u64) {
        self.source |= source;
        self.events |= 1 << FAILED;
        match self.next {
            Next::Stop => self.stop(at),
            Next::Nothing | Next::Receive => self.phase = Phase::Waiting,
        }
    }

    fn stop(&mut self, at: u64) {
        self.begin(Phase::Stopping, at, 1);
    }

    fn start(&mut self, direction: Direction) {
        match self.phase {
            _ if !self.is_enabled => self.forbid("a transfer begins while the controller is off"),
            Phase::Idle => self.phase = Phase::Starting(direction),
            Phase::Starting(_)
            | Phase::Addressing(_)
            | Phase::Sending(_)
            | Phase::Receiving(_)
            | Phase::Waiting
            | Phase::Stopping => self.forbid("a transfer begins within another one"),
        }
    }

    fn write_stop(&mut self, now: u64) {
        match self.phase {
            Phase::Waiting => self.stop(now),
            Phase::Addressing(_) | Phase::Sending(_) | Phase::Receiving(_) if self.next != Next::Stop => {
                self.next = Next::Stop;
            }
            Phase::Idle
            | Phase::Starting(_)
            | Phase::Addressing(_)
            | Phase::Sending(_)
            | Phase::Receiving(_)
            | Phase::Stopping => self.forbid("the controller is stopped without a transfer"),
        }
    }

    pub(super) fn read(&self, offset: u32) -> u32 {
        match offset {
            0x100..0x180 => self.events >> ((offset - 0x100) / 4) & 1,
            0x200 => self.shortcuts,
            0x4c4 => self.source,
            0x500 => u32::from(self.is_enabled) * 6,
            0x508 | 0x50c => self.pins[(offset - 0x508) as usize / 4],
            0x524 => self.frequency,
            0x534 => self.receive.pointer,
            0x538 => self.receive.count,
            0x53c => self.receive.amount,
            0x544 => self.send.pointer,
            0x548 => self.send.count,
            0x54c => self.send.amount,
            0x588 => self.address,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            0x000 if value == 1 => self.start(Direction::Receives),
            0x008 if value == 1 => self.start(Direction::Sends),
            0x014 if value == 1 => self.write_stop(now),
            0x100..0x180 if value == 0 => self.events &= !(1 << ((offset - 0x100) / 4)),
            0x200 => self.shortcuts = value,
            0x4c4 => self.source &= !value,
            0x500 => {
                self.is_enabled = value & 0xf == 6;
                if !self.is_enabled {
                    self.phase = Phase::Idle;
                }
            }
            0x508 | 0x50c if self.is_enabled => {
                self.forbid("a pin of the I2C bus is selected while the controller is on")
            }
            0x508 | 0x50c => self.pins[(offset - 0x508) as usize / 4] = value,
            0x524 => self.frequency = value,
            0x534 => self.receive.pointer = value,
            0x538 => self.receive.count = value & 0x1fff,
            0x544 => self.send.pointer = value,
            0x548 => self.send.count = value & 0x1fff,
            0x588 => self.address = value & 0x7f,
            _ => {}
        }
    }
}
