//! The two-line serial buses of MPS2 boards, whose lines the program drives (Application Note AN385, 3.1 and 3.7), with the devices at the bus
//! (NXP UM10204, 3.1). The ports connect the lines to pins of the headers (Mbed OS, PinNames.h of
//! targets/TARGET_ARM_FM/TARGET_FVP_MPS2).

use super::{Controller, Device, Wires};
use crate::{
    bus::Mps2Image,
    clocks::Misuse,
    pins::{ALTERNATE, HEADERS, Mps2, Pins as _, Place},
    wiring::{Pin, Wiring},
};

/// The buses of the shields.
pub(crate) struct Sbcon {
    pins: Mps2,
    buses: [Bus; 2],
    misuse: Option<Misuse>,
}

/// The first registers, and the pins of the clock and the data.
const OF_AN385: [u32; 2] = [0x4002_9000, 0x4002_a000];
const OF_AN505: [u32; 2] = [0x5020_c000, 0x5020_d000];
const PINS: [[u32; 2]; 2] = [[5, 15], [31, 41]];

impl Sbcon {
    pub(crate) fn new(image: Mps2Image, wiring: &Wiring) -> Sbcon {
        let [first, second] = match image {
            Mps2Image::An385 => OF_AN385,
            Mps2Image::An505 => OF_AN505,
        };
        let bus = |base: u32, pins: [u32; 2]| {
            let [clock, data] = pins.map(|number| (HEADERS + number / 16, number % 16));
            let idle = Lines { clock: true, data: true };
            Bus {
                base,
                clock,
                data,
                wires: Wires::new(wiring),
                released: idle,
                seen: idle,
                pulls: false,
                step: Step::Idle,
            }
        };
        Sbcon { pins: Mps2::new(image), buses: [bus(first, PINS[0]), bus(second, PINS[1])], misuse: None }
    }
}

impl Controller for Sbcon {
    fn read(&mut self, address: u32, _: u64) -> Option<u32> {
        let bus = self.buses.iter_mut().find(|bus| bus.base == address)?;
        bus.settle();
        Some(u32::from(bus.seen.clock) | u32::from(bus.seen.data) << 1)
    }

    fn write(&mut self, address: u32, value: u32, _: u64) {
        self.pins.write(address, value);
        let Some(bus) = self.buses.iter_mut().find(|bus| address == bus.base || address == bus.base + 4) else {
            return;
        };
        let releases = address == bus.base;
        for (bit, line) in [(1, &mut bus.released.clock), (2, &mut bus.released.data)] {
            if value & bit != 0 {
                *line = releases;
            }
        }
        bus.settle();
        let is_connected = |pin: Pin| Place::is_any(&[Place::new(pin, ALTERNATE)], &self.pins);
        let is_idle = matches!(bus.step, Step::Idle);
        if !(is_idle || is_connected(bus.clock) && is_connected(bus.data)) {
            self.misuse = self.misuse.or(Some("the pins of the I2C bus are not those of the controller"));
        }
    }

    fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}

/// The levels of both lines; high if true.
#[derive(Clone, Copy)]
struct Lines {
    clock: bool,
    data: bool,
}

/// A bus with its devices.
struct Bus {
    base: u32,
    clock: Pin,
    data: Pin,
    wires: Wires,
    /// The lines that the program releases, and the levels at the last look.
    released: Lines,
    seen: Lines,
    /// Whether a device, or another controller, pulls the data line low.
    pulls: bool,
    step: Step,
}

/// What the devices are about to do.
enum Step {
    /// Nothing, until a start condition.
    Idle,
    /// Bits of an address or, with a device, of a byte for it arrive: those so far, the highest of which is a one before them.
    Listens(Option<Device>, u16),
    /// The end of the pulse in which a device acknowledges a byte, or not, and whether it sends then.
    Acknowledges(Device, bool),
    /// A device sends the bits that are left, before a one; without any, the program acknowledges.
    Sends(Device, u16),
    /// The program has acknowledged a byte.
    Continues(Device),
}

impl Bus {
    /// Looks at the lines, and lets the devices answer changes.
    fn settle(&mut self) {
        let now = Lines {
            clock: self.released.clock && !self.wires.is_held(self.clock),
            data: self.released.data && !self.pulls && !self.wires.is_held(self.data),
        };
        let before = std::mem::replace(&mut self.seen, now);
        match (before.clock, now.clock) {
            (true, true) if before.data && !now.data => self.step = Step::Listens(None, 1),
            (true, true) if !before.data && now.data => self.step = Step::Idle,
            (false, true) => self.rise(),
            (true, false) => self.fall(),
            (true, true) | (false, false) => {}
        }
    }

    /// The clock rises: the data line is read.
    fn rise(&mut self) {
        self.wires.pulse(&[self.data]);
        let data = self.seen.data;
        self.step = match std::mem::replace(&mut self.step, Step::Idle) {
            Step::Listens(None, _) if data && self.wires.has_rival() => {
                self.pulls = true;
                self.seen.data = false;
                Step::Idle
            }
            Step::Listens(device, bits) => Step::Listens(device, bits << 1 | u16::from(data)),
            Step::Sends(device, 1) if !data => Step::Continues(device),
            Step::Sends(_, 1) => Step::Idle,
            other @ (Step::Idle | Step::Acknowledges(..) | Step::Sends(..) | Step::Continues(_)) => other,
        };
    }

    /// The clock falls: the data line may change.
    fn fall(&mut self) {
        self.pulls = false;
        self.step = match std::mem::replace(&mut self.step, Step::Idle) {
            Step::Listens(device, bits) if bits & 0x100 != 0 => self.take(device, bits as u8),
            Step::Acknowledges(device, false) => Step::Listens(Some(device), 1),
            Step::Acknowledges(device, true) | Step::Continues(device) => self.next(device),
            Step::Sends(device, bits) => self.send(device, bits),
            other @ (Step::Idle | Step::Listens(..)) => other,
        };
    }

    /// A byte has arrived, an address if there is no device yet.
    fn take(&mut self, device: Option<Device>, byte: u8) -> Step {
        let is_address = device.is_none();
        let Some(device) = device.or_else(|| self.wires.call(byte)) else { return Step::Idle };
        self.pulls = is_address || device.borrow_mut().write(byte);
        Step::Acknowledges(device, is_address && byte & 1 == 1)
    }

    /// A device begins to send a byte.
    fn next(&mut self, device: Device) -> Step {
        let byte = device.borrow_mut().read();
        self.send(device, u16::from(byte) << 8 | 0x80)
    }

    /// A device sends its next bit, the highest of those before the last one.
    fn send(&mut self, device: Device, bits: u16) -> Step {
        self.pulls = bits != 0x8000 && bits & 0x8000 == 0;
        if bits == 0x8000 { Step::Sends(device, 1) } else { Step::Sends(device, bits << 1) }
    }
}
