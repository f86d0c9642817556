//! Clock gates, pins, UART0, I2C controllers and periodic interrupt timer of the KL25 (KL25 Sub-Family Reference Manual, 11, 12, 32, 38, 39
//! and 41).
//!
//! An access to a device without its clock faults, and so does one where there is no device. A pin is that of the device which its
//! configuration selects. The registers of UART0 and of the I2C controllers have eight bits.

mod i2c;
mod pit;
mod uart;

use super::Device;
use crate::{
    clocks::{Misuse, Shared},
    wiring::{Levels, Pin, Wiring},
};
use i2c::I2c;
use pit::Pit;
use uart::Uart;

pub(crate) struct Kinetis {
    /// SCGC4 to SCGC6.
    gates: [u32; 3],
    sources: u32,
    ports: [Port; 5],
    uart: Uart,
    i2c: [I2c; 2],
    pit: Pit,
    levels: Levels,
}

#[derive(Default)]
struct Port {
    configuration: [u32; 32],
    out: u32,
    outputs: u32,
    /// The levels of the pins, and the edges that have come.
    before: u32,
    flags: u32,
}

/// The interrupts of the ports A and D; the others have none.
const PORT_INTERRUPTS: [(usize, u32); 2] = [(0, 30), (3, 31)];

const GATES: u32 = 0x4004_8034;
const SOURCES: u32 = 0x4004_8004;
const PORTS: u32 = 0x4004_9000;
const PINS: u32 = 0x400f_f000;
const UART: u32 = 0x4006_a000;
const UART_INTERRUPT: u32 = 12;

/// The devices that have a gate: the page of each, the register of the gate, from SCGC4 on, and its bit.
const GATED: [(u32, usize, u32); 25] = [
    (0x4002_0000, 2, 0),
    (0x4002_1000, 2, 1),
    (0x4003_7000, 2, 23),
    (0x4003_8000, 2, 24),
    (0x4003_9000, 2, 25),
    (0x4003_a000, 2, 26),
    (0x4003_b000, 2, 27),
    (0x4003_d000, 2, 29),
    (0x4003_f000, 2, 31),
    (0x4004_0000, 1, 0),
    (0x4004_5000, 1, 5),
    (0x4004_9000, 1, 9),
    (0x4004_a000, 1, 10),
    (0x4004_b000, 1, 11),
    (0x4004_c000, 1, 12),
    (0x4004_d000, 1, 13),
    (0x4006_6000, 0, 6),
    (0x4006_7000, 0, 7),
    (0x4006_a000, 0, 10),
    (0x4006_b000, 0, 11),
    (0x4006_c000, 0, 12),
    (0x4007_2000, 0, 18),
    (0x4007_3000, 0, 19),
    (0x4007_6000, 0, 22),
    (0x4007_7000, 0, 23),
];

/// The devices that always have a clock: SIM, whose two pages follow each other, MCG, OSC, LLWU, PMC, SMC, RCM, and the pins.
const FREE: [u32; 9] =
    [0x4004_7000, 0x4004_8000, 0x4006_4000, 0x4006_5000, 0x4007_c000, 0x4007_d000, 0x4007_e000, 0x4007_f000, PINS];

/// The function of a pin that GPIO drives, and that of UART0's.
const BY_PROGRAM: u32 = 1;
const BY_UART: u32 = 2;
const RECEIVE: Pin = (0, 1);
const TRANSMIT: Pin = (0, 2);

impl Kinetis {
    pub(crate) fn new(core: u64, shared: &Shared, wiring: &Wiring) -> Kinetis {
        Kinetis {
            gates: [0xf000_0030, 0x180, 1],
            sources: 0,
            ports: Default::default(),
            uart: Uart::new(core, shared.clone(), wiring.line.clone()),
            i2c: [0, 1].map(|_| I2c::new(core, shared.clone(), wiring)),
            pit: Pit::new(core, shared.clone()),
            levels: wiring.levels.clone(),
        }
    }

    /// Whether there is a device with a clock.
    fn answers(&self, address: u32) -> bool {
        let page = address & !0xfff;
        let gate = GATED.iter().find(|(device, ..)| *device == page);
        match gate {
            Some((_, register, bit)) => self.gates[*register] >> bit & 1 == 1,
            None => FREE.contains(&page),
        }
    }

    /// Whether an address is that of a device whose registers have eight bits; words of them are not specified.
    fn has_bytes(address: u32) -> bool {
        let page = address & !0xfff;
        page == UART || i2c::BASES.contains(&page)
    }

    /// The pin of some that has its function.
    fn connected(&self, functions: i2c::Functions) -> Option<Pin> {
        let found = functions.iter().find(|(pin, function)| self.function(*pin) == *function);
        found.map(|(pin, _)| *pin)
    }

    /// Whether the program pulls one of these pins low.
    fn pulls(&self, pins: i2c::Functions) -> bool {
        let is_pulled = |(port, number): Pin| {
            let own = &self.ports[port as usize];
            self.function((port, number)) == BY_PROGRAM && own.outputs & !own.out & 1 << number != 0
        };
        pins.iter().any(|(pin, _)| is_pulled(*pin))
    }

    fn function(&self, (port, number): Pin) -> u32 {
        self.ports[port as usize].configuration[number as usize] >> 8 & 7
    }

    /// Whether a pin is high: as an output, as something drives it, by its resistor, or by that of whatever is at it.
    fn pin(&self, (port, number): Pin) -> bool {
        let own = &self.ports[port as usize];
        if self.function((port, number)) == BY_PROGRAM && own.outputs >> number & 1 == 1 {
            return own.out >> number & 1 == 1;
        }
        let resistor = own.configuration[number as usize] & 3;
        self.levels.borrow().get(&(port, number)).copied().unwrap_or(resistor != 2)
    }

    /// The levels of the pins of a port that are connected to GPIO.
    fn bits(&self, port: u32) -> u32 {
        let is_high = |number: &u32| self.function((port, *number)) == BY_PROGRAM && self.pin((port, *number));
        (0..32).filter(is_high).fold(0, |bits, number| bits | 1 << number)
    }

    /// Compares the levels of pins that are not analog with those before, for edges that their configuration selects (11.5.1).
    fn observe(&mut self) {
        for port in 0..self.ports.len() {
            let is_high = |number: &u32| self.function((port as u32, *number)) != 0 && self.pin((port as u32, *number));
            let now = (0..32).filter(is_high).fold(0, |bits, number| bits | 1 << number);
            let own = &mut self.ports[port];
            for number in 0..32 {
                let edges = own.configuration[number] >> 16 & 0xf;
                let (risen, fallen) = (now & !own.before, own.before & !now);
                let comes =
                    (edges & 9 == 9 && risen >> number & 1 == 1) || (edges & 10 == 10 && fallen >> number & 1 == 1);
                own.flags |= u32::from(comes) << number;
            }
            own.before = now;
        }
    }

    fn read_port(&self, address: u32) -> u32 {
        let port = &self.ports[((address - PORTS) >> 12) as usize];
        let (register, number) = (address & 0xfff, (address & 0xfff) as usize / 4);
        match port.configuration.get(number) {
            Some(configuration) => configuration | (port.flags >> number & 1) << 24,
            None if register == 0xa0 => port.flags,
            None => 0,
        }
    }

    fn write_port(&mut self, address: u32, value: u32) {
        let port = &mut self.ports[((address - PORTS) >> 12) as usize];
        let (register, number) = (address & 0xfff, (address & 0xfff) as usize / 4);
        match port.configuration.get_mut(number) {
            Some(configuration) => {
                *configuration = value & !(1 << 24);
                // Writing one clears a flag.
                port.flags &= !((value >> 24 & 1) << number);
            }
            None if register == 0xa0 => port.flags &= !value,
            None => {}
        }
    }

    fn read_pins(&self, offset: u32) -> u32 {
        let (port, register) = (offset / 0x40, offset % 0x40);
        match (self.ports.get(port as usize), register) {
            (Some(own), 0x00) => own.out,
            (Some(_), 0x10) => self.bits(port),
            (Some(own), 0x14) => own.outputs,
            (Some(_) | None, _) => 0,
        }
    }

    /// Writes a register of the pins. The program may raise the clock of a bus.
    fn write_pins(&mut self, offset: u32, value: u32) {
        let before = i2c::CLOCKS.map(|clocks| self.pulls(clocks));
        self.write_port_of_pins(offset, value);
        for (number, clocks) in i2c::CLOCKS.into_iter().enumerate() {
            if before[number] && !self.pulls(clocks) {
                let data: Vec<Pin> = i2c::DATA[number].iter().map(|(pin, _)| *pin).collect();
                self.i2c[number].pulse(&data);
            }
        }
    }

    fn write_port_of_pins(&mut self, offset: u32, value: u32) {
        let Some(own) = self.ports.get_mut((offset / 0x40) as usize) else { return };
        match offset % 0x40 {
            0x00 => own.out = value,
            0x04 => own.out |= value,
            0x08 => own.out &= !value,
            0x0c => own.out ^= value,
            0x14 => own.outputs = value,
            _ => {}
        }
    }

    fn advance(&mut self, now: u64) {
        self.observe();
        // The loop that the board uses.
        let has_clock = self.sources & (3 << 26) == 1 << 26;
        let sends = has_clock && self.function(TRANSMIT) == BY_UART;
        let receives = has_clock && self.function(RECEIVE) == BY_UART;
        self.uart.advance(now, sends, receives);
        for number in 0..2 {
            let pins = [i2c::CLOCKS[number], i2c::DATA[number]].map(|functions| self.connected(functions));
            self.i2c[number].advance(now, pins);
        }
    }
}

impl Device for Kinetis {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if !self.answers(address) {
            return None;
        }
        self.advance(now);
        Some(match address {
            SOURCES => self.sources,
            GATES..=0x4004_803c => self.gates[(address - GATES) as usize / 4],
            PORTS..=0x4004_dfff => self.read_port(address),
            PINS..=0x400f_ffff => self.read_pins(address - PINS),
            _ if address & !0xfff == pit::BASE => self.pit.read(address & 0xfff, now),
            _ => 0,
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Option<()> {
        if !self.answers(address) || Kinetis::has_bytes(address) {
            return None;
        }
        self.advance(now);
        match address {
            SOURCES => self.sources = value,
            GATES..=0x4004_803c => self.gates[(address - GATES) as usize / 4] = value,
            PORTS..=0x4004_dfff => self.write_port(address, value),
            PINS..=0x400f_ffff => self.write_pins(address - PINS, value),
            _ if address & !0xfff == pit::BASE => self.pit.write(address & 0xfff, value, now),
            _ => {}
        }
        Some(())
    }

    fn read_byte(&mut self, address: u32, now: u64) -> Option<u32> {
        if !self.answers(address) || !Kinetis::has_bytes(address) {
            return None;
        }
        self.advance(now);
        let (page, offset) = (address & !0xfff, address & 0xfff);
        Some(u32::from(match i2c::BASES.iter().position(|base| *base == page) {
            Some(number) => self.i2c[number].read(offset, now),
            None => self.uart.read(offset),
        }))
    }

    fn write_byte(&mut self, address: u32, value: u8, now: u64) -> Option<()> {
        if !self.answers(address) || !Kinetis::has_bytes(address) {
            return None;
        }
        self.advance(now);
        let (page, offset) = (address & !0xfff, address & 0xfff);
        match i2c::BASES.iter().position(|base| *base == page) {
            Some(number) => self.i2c[number].write(offset, value, now),
            None => self.uart.write(offset, value),
        }
        Some(())
    }

    fn level(&self, pin: Pin) -> Option<bool> {
        Some(self.pin(pin))
    }

    fn lines(&mut self, now: u64) -> u128 {
        self.advance(now);
        let of_port = |(port, interrupt): (usize, u32)| u128::from(self.ports[port].flags != 0) << interrupt;
        let of_timer = u128::from(self.pit.interrupts(now)) << pit::INTERRUPT;
        of_timer
            | u128::from(self.uart.interrupts()) << UART_INTERRUPT
            | PORT_INTERRUPTS.map(of_port).into_iter().sum::<u128>()
    }

    fn due(&self) -> Option<u64> {
        self.uart.due().into_iter().chain(self.pit.due()).min()
    }

    fn misuse(&self) -> Option<Misuse> {
        self.i2c.iter().find_map(I2c::misuse)
    }
}
