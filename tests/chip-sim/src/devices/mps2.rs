//! The pins of MPS2 boards: the lights and buttons of the FPGA, and the ports of the headers (Application Note AN385, 3.1, 3.3 and 3.7;
//! Application Note AN505, "Memory map" and "Interrupts"). Registers of other devices read as zero, and ignore writes.

mod port;

use super::{Device, is_device};
use crate::{
    bus::Mps2Image,
    wiring::{Levels, Pin, Wiring},
};
use port::Port;

pub(crate) struct Mps2 {
    image: &'static Map,
    lights: u32,
    ports: [Port; 4],
    levels: Levels,
}

/// Where an image of the FPGA has the devices.
struct Map {
    fpga: u32,
    ports: u32,
    /// The interrupts of all pins of each port.
    interrupts: [u32; 4],
}

const AN385: Map = Map { fpga: 0x4002_8000, ports: 0x4001_0000, interrupts: [6, 7, 16, 17] };
const AN505: Map = Map { fpga: 0x5030_2000, ports: 0x5010_0000, interrupts: [68, 69, 70, 71] };

/// The pins of each port.
const PINS: [u32; 4] = [16, 16, 16, 4];

/// The index of the buttons, and of the first port of the headers.
const BUTTONS: u32 = 1;
const HEADERS: u32 = 2;

impl Mps2 {
    pub(crate) fn new(image: Mps2Image, wiring: &Wiring) -> Mps2 {
        let image = match image {
            Mps2Image::An385 => &AN385,
            Mps2Image::An505 => &AN505,
        };
        Mps2 { image, lights: 0, ports: PINS.map(Port::new), levels: wiring.levels.clone() }
    }

    fn observe(&mut self) {
        for (port, index) in self.ports.iter_mut().zip(HEADERS..) {
            port.observe(index, &self.levels.borrow());
        }
    }

    fn port(&mut self, address: u32) -> Option<&mut Port> {
        let index = (address & !0xfff).checked_sub(self.image.ports)? / 0x1000;
        self.ports.get_mut(index as usize)
    }

    fn is_pressed(&self, number: u32) -> bool {
        self.levels.borrow().get(&(BUTTONS, number)).copied().unwrap_or(false)
    }
}

impl Device for Mps2 {
    fn read(&mut self, address: u32, _: u64) -> Option<u32> {
        self.observe();
        if let Some(port) = self.port(address) {
            return Some(port.read(address & 0xfff));
        }
        match address.checked_sub(self.image.fpga) {
            Some(0) => Some(self.lights),
            Some(8) => Some(u32::from(self.is_pressed(0)) | u32::from(self.is_pressed(1)) << 1),
            Some(_) | None => is_device(address).then_some(0),
        }
    }

    fn write(&mut self, address: u32, value: u32, _: u64) -> Option<()> {
        self.observe();
        if let Some(port) = self.port(address) {
            port.write(address & 0xfff, value);
            self.observe();
            return Some(());
        }
        if address == self.image.fpga {
            self.lights = value & 3;
        }
        is_device(address).then_some(())
    }

    fn level(&self, (index, number): Pin) -> Option<bool> {
        let Some(port) = index.checked_sub(HEADERS).and_then(|index| self.ports.get(index as usize)) else {
            return Some(if index == BUTTONS { self.is_pressed(number) } else { self.lights >> number & 1 == 1 });
        };
        Some(port.level((index, number), &self.levels.borrow()))
    }

    fn lines(&mut self, _: u64) -> u128 {
        self.observe();
        let asserted = self.ports.iter().zip(self.image.interrupts).filter(|(port, _)| port.interrupts());
        asserted.fold(0, |lines, (_, interrupt)| lines | 1 << interrupt)
    }

    fn due(&self) -> Option<u64> {
        None
    }
}
