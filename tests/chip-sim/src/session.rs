//! A chip that runs for a while, and then for another one: in between its surroundings change.

use crate::{Ending, Flash, Part, Pin, Pulse, Wiring, bus::Bus, core::Core, flash::Failure};

/// The milliseconds in which a program has started its clocks.
const STARTED: u64 = 30;

/// A running chip with what is connected to it.
pub struct Session {
    image: Vec<u8>,
    part: Part,
    wiring: Wiring,
    bus: Bus,
    core: Core,
}

impl Session {
    /// Runs an image from reset until its clocks are started, on a chip with pages of flash, if it has some that the program may change.
    pub fn start(image: &[u8], part: Part, wiring: &Wiring, flash: Option<Flash>) -> Result<Session, String> {
        let mut bus = Bus::new(image, part, wiring, flash)?;
        let mut core = Core::reset(&mut bus);
        let latest = STARTED * (part.frequency() / 1000);
        while bus.began().is_none() && bus.now() < latest {
            let next = bus.now() + 1;
            if core.run(&mut bus, 1, Some(next)) != Ending::Running {
                break;
            }
        }
        Ok(Session { image: image.to_vec(), part, wiring: wiring.clone(), bus, core })
    }

    /// Runs it for a number of milliseconds of the chip; how it has ended, or [`Ending::Running`].
    pub fn run(&mut self, milliseconds: u64) -> Ending {
        let until = self.bus.now() + milliseconds * (self.part.frequency() / 1000);
        let ending = self.core.run(&mut self.bus, u64::MAX, Some(until));
        // Devices have done what the program has not seen yet.
        self.bus.settle();
        ending
    }

    /// The time since the clocks were started, and the part of it in which it slept, in microseconds.
    pub fn microseconds(&self) -> (u64, u64) {
        let cycles = self.part.frequency() / 1_000_000;
        ((self.bus.now() - self.bus.began().unwrap_or(0)) / cycles, self.bus.asleep() / cycles)
    }

    /// Sends text over the serial line.
    pub fn send(&mut self, text: &str) {
        self.wiring.line.borrow_mut().arriving.extend(text.bytes());
        self.bus.settle();
    }

    /// Drives a pin from now on.
    pub fn drive(&mut self, pin: Pin, high: bool) {
        self.wiring.levels.borrow_mut().insert(pin, high);
        self.bus.settle();
    }

    /// Sets the voltage at a pin, in 4095ths of the supply.
    pub fn set_voltage(&mut self, pin: Pin, voltage: u32) {
        self.wiring.voltages.borrow_mut().insert(pin, voltage);
    }

    /// Whether a pin is high, on a KL25.
    pub fn level(&self, pin: Pin) -> Option<bool> {
        self.bus.level(pin)
    }

    /// The pulses at a pin, if a timer drives it.
    pub fn pulse(&mut self, pin: Pin) -> Option<Pulse> {
        self.bus.pulse(pin)
    }

    /// The changes of a pin that a timer of an nRF51 has driven since the reset: when, in cycles of the core, and to what level.
    pub fn edges(&self, pin: Pin) -> &[(u64, bool)] {
        self.bus.edges(pin)
    }

    /// What it has printed since the last call.
    pub fn output(&mut self) -> String {
        String::from_utf8_lossy(&self.bus.take_output().0).into_owned()
    }

    /// What it has sent over the serial line since the last call.
    pub fn received(&mut self) -> String {
        let sent = std::mem::take(&mut self.wiring.line.borrow_mut().sent);
        String::from_utf8_lossy(&sent).into_owned()
    }

    /// Its log since the last call, as it sends it to a debugger.
    pub fn log(&mut self) -> Vec<u8> {
        self.bus.take_output().1
    }

    /// Resets the chip: memory is lost, and flash is kept.
    pub fn reset(self) -> Result<Session, String> {
        let flash = self.bus.flash.map(|flash| flash.restarted(Failure::None));
        Session::start(&self.image, self.part, &self.wiring, flash)
    }
}
