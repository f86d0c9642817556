//! The SPI controllers and the serial lines of STM32, RP2040, RP2350 and MPS2 boards, and DMA, with their clocks, resets and pins.
//!
//! - In: what the program writes to their registers, and those of clocks, resets and pins.
//! - Out: what they exchange with what is connected, what DMA changes in memory, interrupt lines, and what the program does that a manual
//!   forbids.
//!
//! A device without its clock, or in reset, ignores writes, and reads as zero.

mod blocks;
mod gates;
mod mps2;
mod raspberry_pi;
mod reach;
mod stm32;
mod unit;

use crate::{
    Part, Rated,
    clocks::{Misuse, Shared},
    memory::Ram,
    pins,
    port::{Environment, Reception},
    wiring::{SerialLine, Wiring},
};
use blocks::Dma;
use gates::Gates;
use reach::Reach;
use std::{cell::RefCell, rc::Rc};
use unit::Unit;

/// The devices of a chip.
pub(crate) struct Ports {
    pins: pins::Shared,
    units: Vec<Unit>,
    dma: Dma,
    gates: Gates,
    line: Rc<RefCell<SerialLine>>,
    lines: u128,
    /// The next time at which something happens, and at which that concerns the core or memory.
    next: Option<u64>,
    due: Option<u64>,
    misuse: Option<Misuse>,
}

impl Ports {
    pub(crate) fn new(part: Part, shared: &Shared, wiring: &Wiring) -> Ports {
        let core = part.frequency();
        let of = |pins| Environment { core, shared: shared.clone(), pins, wiring };
        match part {
            Part::Stm32(Rated { chip, .. }) => {
                let environment = of(stm32::pins(chip));
                Ports::of(stm32::units(chip, &environment), stm32::dma(chip), &environment)
            }
            Part::Rp2040(_) | Part::Rp2350(_) => {
                let is_later = matches!(part, Part::Rp2350(_));
                let environment = of(raspberry_pi::pins(is_later));
                let units = raspberry_pi::units(is_later, &environment);
                Ports::of(units, raspberry_pi::dma(is_later), &environment)
            }
            Part::Mps2(image, _) => {
                let environment = of(mps2::pins(image));
                Ports::of(mps2::units(image, &environment), Dma::absent(), &environment)
            }
            Part::Nrf51 | Part::Nrf52 | Part::Nrf91 | Part::Kl25 | Part::Lm3s6965 => {
                Ports::of(Vec::new(), Dma::absent(), &of(Rc::new(RefCell::new(()))))
            }
        }
    }

    fn of(units: Vec<Unit>, dma: Dma, environment: &Environment<'_>) -> Ports {
        let all = units.iter().map(|unit| unit.gate).chain(dma.blocks.iter().map(|block| block.gate));
        let gates = Gates::new(all, dma.has_aliases);
        let (pins, line) = (environment.pins.clone(), environment.wiring.line.clone());
        Ports { pins, units, dma, gates, line, lines: 0, next: None, due: None, misuse: None }
    }

    fn find(&self, address: u32) -> Option<usize> {
        self.units.iter().position(|unit| unit.has(address))
    }

    /// A device whose registers are not accessed by bytes is.
    fn check_size(&mut self, index: usize, size: usize) {
        if size < self.units[index].port.narrowest() {
            self.misuse = self.misuse.or(Some("a register is accessed by bytes"));
        }
    }

    /// Reads a register, if it is one of theirs, or enables them.
    pub(crate) fn read(&mut self, address: u32, size: usize, now: u64, memory: &mut Ram<'_>) -> Option<u32> {
        if let Some(value) = self.gates.read(address) {
            return Some(value);
        }
        if let Some(index) = self.find(address) {
            self.advance(now, memory);
            self.check_size(index, size);
            let value = self.units[index].read(address, size, now);
            self.serve(now, memory);
            return Some(value);
        }
        let place = self.dma.find(address & !3)?;
        self.advance(now, memory);
        Some(self.dma.read(place) >> (address % 4 * 8) & u32::MAX >> (32 - size * 8))
    }

    /// Sees a write of any register; whether it is one of theirs.
    pub(crate) fn write(&mut self, address: u32, size: usize, value: u32, now: u64, memory: &mut Ram<'_>) -> bool {
        if self.units.is_empty() {
            return false;
        }
        self.advance(now, memory);
        if let Some(index) = self.find(address) {
            self.check_size(index, size);
            self.units[index].write(address, size, value, now);
        } else if let Some(place) = self.dma.find(address)
            && size == 4
        {
            self.dma.write(place, value);
        } else {
            if size == 4 {
                self.write_other(address, value);
            }
            return false;
        }
        self.serve(now, memory);
        true
    }

    /// Writes what is not theirs, but may enable them.
    fn write_other(&mut self, address: u32, value: u32) {
        self.pins.borrow_mut().write(address, value);
        if !self.gates.write(address, value) {
            return;
        }
        for unit in &mut self.units {
            unit.is_awake = self.gates.is_open(unit.gate);
            if self.gates.is_held(unit.gate) {
                unit.port.reset();
            }
        }
        for (index, block) in self.dma.blocks.iter_mut().enumerate() {
            block.is_awake = self.gates.is_open(block.gate);
            if self.gates.is_held(block.gate) {
                self.dma.controller.reset(index);
            }
        }
        self.observe();
    }

    /// Ends what has ended until a time.
    pub(crate) fn advance(&mut self, now: u64, memory: &mut Ram<'_>) {
        while let Some(time) = self.next.filter(|time| *time <= now) {
            self.pass(time, memory);
        }
        if !self.units.is_empty() && !self.line.borrow().arriving.is_empty() {
            self.receive(now, memory);
        }
    }

    /// Advances to a time, until which nothing ends.
    fn pass(&mut self, time: u64, memory: &mut Ram<'_>) {
        for unit in self.units.iter_mut().filter(|unit| unit.is_awake) {
            unit.port.advance(time);
        }
        self.serve(time, memory);
    }

    /// Bytes are to arrive; they are lost where no device listens.
    fn receive(&mut self, now: u64, memory: &mut Ram<'_>) {
        let is_any = |wanted: Reception| self.units.iter().any(|unit| unit.is_awake && unit.port.reception() == wanted);
        if is_any(Reception::Runs) {
            return;
        }
        if is_any(Reception::Waits) {
            self.pass(now, memory);
        } else {
            self.line.borrow_mut().arriving.clear();
        }
    }

    /// Lets DMA do what is requested.
    fn serve(&mut self, now: u64, memory: &mut Ram<'_>) {
        if self.dma.controller.is_active() {
            let mut reach = Reach { units: &mut self.units, memory, now };
            while self.dma.controller.step(&mut reach) {}
        }
        self.observe();
    }

    /// Collects what the devices do.
    fn observe(&mut self) {
        let controller = &self.dma.controller;
        self.lines = controller.lines();
        self.next = None;
        self.misuse = self.misuse.or(self.dma.misuse).or(controller.misuse());
        let mut concerns = controller.is_active();
        for unit in self.units.iter().filter(|unit| unit.is_awake) {
            self.lines |= unit.port.lines() << unit.interrupt;
            self.next = [self.next, unit.port.due()].into_iter().flatten().min();
            self.misuse = self.misuse.or(unit.port.misuse());
            concerns |= unit.port.is_listening();
        }
        self.due = self.next.filter(|_| concerns);
    }

    /// The next time at which an interrupt may be asserted, or memory changes.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due
    }

    /// The interrupt lines that are asserted, each a bit by its number.
    pub(crate) fn lines(&self) -> u128 {
        self.lines
    }

    /// What the program has done that a manual forbids.
    pub(crate) fn misuse(&self) -> Option<Misuse> {
        self.misuse
    }
}
