//! Pins of the STM32F1, F2, F4 and L5, and the lines of the EXTI that watch them (RM0008, 9 and 10; RM0090, 8, 9.2 and 12; RM0438, "General-
//! purpose I/Os" and "Extended interrupts and event controller"). A pin has the level that something drives it to, or else that of its output.
//! A port and the selection of ports ignore writes and read as zero without their clocks. An edge is pending whether the interrupt is masked
//! or not; the L5 remembers rising and falling edges apart.

use crate::{
    pins::{frees_jtag, is_of_jtag},
    wiring::Levels,
};
use std::collections::BTreeMap;

/// Where the registers of a chip are.
struct Layout {
    /// The first port, and the offsets of its input, its output, and what sets and clears the output.
    ports: u32,
    input: u32,
    output: u32,
    change: u32,
    /// The register that enables the clocks of ports, and the bit of the first one.
    port_clocks: (u32, u32),
    /// The first register that selects the ports of lines, the bits of a line in it, and the register that enables its clock, if there is
    /// one, with its bit.
    selection: u32,
    selection_bits: u32,
    selection_clock: Option<(u32, u32)>,
    /// AFIO_MAPR of an F1.
    map: Option<u32>,
    /// The EXTI.
    lines: u32,
    registers: fn(u32) -> Option<Register>,
    /// The interrupt of a line.
    interrupt: fn(u32) -> u32,
}

/// A register of the EXTI.
enum Register {
    Mask,
    Rising,
    Falling,
    /// All pending edges, the rising ones, and the falling ones.
    Pending,
    Risen,
    Fallen,
}

/// RM0008, 10.3; RM0090, 12.3.
fn register_of_f(offset: u32) -> Option<Register> {
    Some(match offset {
        0x00 => Register::Mask,
        0x08 => Register::Rising,
        0x0c => Register::Falling,
        0x14 => Register::Pending,
        _ => return None,
    })
}

/// RM0438, "EXTI registers".
fn register_of_l5(offset: u32) -> Option<Register> {
    Some(match offset {
        0x00 => Register::Rising,
        0x04 => Register::Falling,
        0x0c => Register::Risen,
        0x10 => Register::Fallen,
        0x80 => Register::Mask,
        _ => return None,
    })
}

fn interrupt_of_f(line: u32) -> u32 {
    match line {
        0..=4 => 6 + line,
        5..=9 => 23,
        _ => 40,
    }
}

pub(super) struct Pins {
    layout: Layout,
    levels: Levels,
    /// The registers that enable clocks.
    clocks: BTreeMap<u32, u32>,
    outputs: [u32; PORTS as usize],
    selected: [u32; 4],
    /// AFIO_MAPR.
    map: u32,
    mask: u32,
    rising: u32,
    falling: u32,
    risen: u32,
    fallen: u32,
    /// The levels of the lines.
    seen: u32,
}

const PORTS: u32 = 9;
/// The distance of ports.
const SIZE: u32 = 0x400;
const LINES: u32 = 16;

impl Pins {
    pub(super) fn f1(levels: Levels) -> Pins {
        let clocks = 0x4002_1018;
        Pins::new(
            Layout {
                ports: 0x4001_0800,
                input: 0x08,
                output: 0x0c,
                change: 0x10,
                port_clocks: (clocks, 2),
                selection: 0x4001_0008,
                selection_bits: 4,
                selection_clock: Some((clocks, 0)),
                map: Some(0x4001_0004),
                lines: 0x4001_0400,
                registers: register_of_f,
                interrupt: interrupt_of_f,
            },
            levels,
        )
    }

    pub(super) fn f4(levels: Levels) -> Pins {
        Pins::new(
            Layout {
                ports: 0x4002_0000,
                input: 0x10,
                output: 0x14,
                change: 0x18,
                port_clocks: (0x4002_3830, 0),
                selection: 0x4001_3808,
                selection_bits: 4,
                selection_clock: Some((0x4002_3844, 14)),
                map: None,
                lines: 0x4001_3c00,
                registers: register_of_f,
                interrupt: interrupt_of_f,
            },
            levels,
        )
    }

    pub(super) fn l5(levels: Levels) -> Pins {
        Pins::new(
            Layout {
                ports: 0x4202_0000,
                input: 0x10,
                output: 0x14,
                change: 0x18,
                port_clocks: (0x4002_104c, 0),
                selection: 0x4002_f460,
                selection_bits: 8,
                selection_clock: None,
                map: None,
                lines: 0x4002_f400,
                registers: register_of_l5,
                interrupt: |line| 11 + line,
            },
            levels,
        )
    }

    fn new(layout: Layout, levels: Levels) -> Pins {
        let mut clocks = BTreeMap::from([(layout.port_clocks.0, 0)]);
        clocks.extend(layout.selection_clock.map(|(register, _)| (register, 0)));
        Pins {
            layout,
            levels,
            clocks,
            outputs: [0; PORTS as usize],
            selected: [0; 4],
            map: 0,
            mask: 0,
            rising: 0,
            falling: 0,
            risen: 0,
            fallen: 0,
            seen: 0,
        }
    }

    fn has_clock(&self, (register, bit): (u32, u32)) -> bool {
        self.clocks.get(&register).is_some_and(|clocks| clocks >> bit & 1 == 1)
    }

    /// Whether the selection of ports answers.
    fn has_selection(&self) -> bool {
        self.layout.selection_clock.is_none_or(|clock| self.has_clock(clock))
    }

    /// The port and the register of an address.
    fn place(&self, address: u32) -> Option<(u32, u32)> {
        let offset = address.checked_sub(self.layout.ports)?;
        let (port, register) = (offset / SIZE, offset % SIZE);
        let (clocks, first) = self.layout.port_clocks;
        (port < PORTS && self.has_clock((clocks, first + port))).then_some((port, register))
    }

    fn level(&self, port: u32, number: u32) -> bool {
        let driven = self.levels.borrow().get(&(port, number)).copied();
        let output = self.outputs.get(port as usize).is_some_and(|output| output >> number & 1 == 1);
        driven.unwrap_or(output || self.is_pulled_up(port, number))
    }

    /// Whether the JTAG debug port of an F1 still has a pin, which it pulls up (RM0008, 9.3.5 and 31.4.3).
    fn is_pulled_up(&self, port: u32, number: u32) -> bool {
        self.layout.map.is_some() && is_of_jtag(port, number) && !frees_jtag(self.map)
    }

    /// The levels of the lines, or of a port.
    fn bits(&self, port: impl Fn(u32) -> u32) -> u32 {
        (0..LINES).fold(0, |bits, number| bits | u32::from(self.level(port(number), number)) << number)
    }

    /// Compares the levels of the lines with those before.
    fn observe(&mut self) {
        let (bits, mask) = (self.layout.selection_bits, (1 << self.layout.selection_bits) - 1);
        let now = self.bits(|line| self.selected[line as usize / 4] >> (line % 4 * bits) & mask);
        self.risen |= now & !self.seen & self.rising;
        self.fallen |= !now & self.seen & self.falling;
        self.seen = now;
    }

    /// The asserted interrupts.
    pub(super) fn lines(&mut self) -> u128 {
        self.observe();
        let asserted = (0..LINES).filter(|line| ((self.risen | self.fallen) & self.mask) >> line & 1 == 1);
        asserted.fold(0, |lines, line| lines | 1 << (self.layout.interrupt)(line))
    }

    pub(super) fn read(&mut self, address: u32) -> Option<u32> {
        self.observe();
        if let Some(clocks) = self.clocks.get(&address) {
            return Some(*clocks);
        }
        if let Some((port, register)) = self.place(address) {
            let is_input = register == self.layout.input;
            return (is_input || register == self.layout.output).then(|| match is_input {
                true => self.bits(|_| port),
                false => self.outputs[port as usize],
            });
        }
        if Some(address) == self.layout.map {
            // What is read of the bits of the debug port is undefined (RM0008, 9.4.2).
            return self.has_selection().then_some(self.map & !(7 << 24) | 5 << 24);
        }
        let selection = address.wrapping_sub(self.layout.selection);
        if selection < 16 {
            return self.has_selection().then(|| self.selected[selection as usize / 4]);
        }
        Some(match (self.layout.registers)(address.wrapping_sub(self.layout.lines))? {
            Register::Mask => self.mask,
            Register::Rising => self.rising,
            Register::Falling => self.falling,
            Register::Pending => self.risen | self.fallen,
            Register::Risen => self.risen,
            Register::Fallen => self.fallen,
        })
    }

    pub(super) fn write(&mut self, address: u32, value: u32) -> Option<()> {
        self.observe();
        if let Some(clocks) = self.clocks.get_mut(&address) {
            *clocks = value;
            return Some(());
        }
        if let Some((port, register)) = self.place(address) {
            let output = &mut self.outputs[port as usize];
            if register == self.layout.output {
                *output = value & 0xffff;
            } else if register == self.layout.change {
                *output = *output & !(value >> 16) | value & 0xffff;
            }
            return Some(());
        }
        if Some(address) == self.layout.map && self.has_selection() {
            self.map = value;
            return Some(());
        }
        let selection = address.wrapping_sub(self.layout.selection);
        if selection < 16 && self.has_selection() {
            self.selected[selection as usize / 4] = value;
            return Some(());
        }
        match (self.layout.registers)(address.wrapping_sub(self.layout.lines))? {
            Register::Mask => self.mask = value,
            Register::Rising => self.rising = value,
            Register::Falling => self.falling = value,
            // Writing one clears a bit.
            Register::Pending => (self.risen, self.fallen) = (self.risen & !value, self.fallen & !value),
            Register::Risen => self.risen &= !value,
            Register::Fallen => self.fallen &= !value,
        }
        Some(())
    }
}
