//! Pages of flash that programs erase and write, whose power may fail in between: then the operation has changed some of the bits.

mod boot_rom;
mod kinetis;
mod pages;
mod stellaris;
mod words;

pub(crate) use boot_rom::{RomCall, STACK as ROM_STACK};

use crate::bus::{Chip, Part, Rated};
use boot_rom::BootRom;
use kinetis::Kinetis;
use pages::Pages;
use stellaris::Stellaris;
use words::{Kind, Words};

/// When power fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Never.
    None,
    /// In the operation after this number of others.
    After(u32),
    /// When a page is erased.
    AtErase,
}

/// The pages and their controller.
#[derive(Clone, Debug)]
pub struct Flash {
    pages: Pages,
    controller: Controller,
    /// What the program has done that the manual forbids.
    misuse: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
enum Controller {
    Words(Words),
    Kinetis(Kinetis),
    BootRom(BootRom),
    Stellaris(Stellaris),
}

impl Flash {
    /// Erased pages of a chip, if its flash is modelled.
    pub fn new(part: Part, origin: u32, page: u32, pages: u32) -> Option<Flash> {
        let words = |kind| Controller::Words(Words::new(kind));
        let controller = match part {
            Part::Nrf51 | Part::Nrf52 => words(Kind::Nordic),
            Part::Nrf91 => words(Kind::Nrf91),
            Part::Stm32(Rated { chip, .. }) => match chip {
                Chip::F103 => words(Kind::Stm32F1),
                Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => words(Kind::Stm32F4),
                Chip::L552 => words(Kind::Stm32L5),
            },
            Part::Kl25 => Controller::Kinetis(Kinetis::default()),
            Part::Rp2040(_) => Controller::BootRom(BootRom::new(false)),
            Part::Rp2350(_) => Controller::BootRom(BootRom::new(true)),
            Part::Lm3s6965 => Controller::Stellaris(Stellaris::default()),
            Part::Mps2(..) => return None,
        };
        Some(Flash { pages: Pages::new(origin, page, pages), controller, misuse: None })
    }

    /// The same pages after a reset of the chip, with another failure.
    pub fn restarted(self, failure: Failure) -> Flash {
        let controller = match self.controller {
            Controller::Words(words) => Controller::Words(words.restarted()),
            Controller::Kinetis(_) => Controller::Kinetis(Kinetis::default()),
            Controller::BootRom(rom) => Controller::BootRom(rom.restarted()),
            Controller::Stellaris(_) => Controller::Stellaris(Stellaris::default()),
        };
        Flash { pages: self.pages.restarted(failure), controller, misuse: None }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.pages.has_failed()
    }

    pub(crate) fn misuse(&self) -> Option<&'static str> {
        self.misuse
    }

    fn forbid(&mut self, reason: &'static str) {
        self.misuse = self.misuse.or(Some(reason));
    }

    /// Whether what the image has in flash cannot be read.
    pub(crate) fn is_away(&self) -> bool {
        match &self.controller {
            Controller::Words(_) | Controller::Kinetis(_) | Controller::Stellaris(_) => false,
            Controller::BootRom(rom) => !rom.is_readable(),
        }
    }

    /// Sees a read of flash, of a page or of the image; the time until which the processor waits for it.
    pub(crate) fn sees_read(&mut self, address: u32, now: u64) -> Option<u64> {
        let result = match &mut self.controller {
            Controller::Words(words) => {
                words.sees_read(&self.pages, address);
                Ok(None)
            }
            Controller::Kinetis(kinetis) => kinetis.reads(&self.pages, address, now),
            Controller::BootRom(rom) if BootRom::is_flash(address) => rom.reads(),
            Controller::BootRom(_) | Controller::Stellaris(_) => Ok(None),
        };
        result.unwrap_or_else(|reason| {
            self.forbid(reason);
            None
        })
    }

    /// Whether an error interrupts the processor.
    pub(crate) fn interrupts(&self) -> bool {
        match &self.controller {
            Controller::Words(words) => words.is_wrong(),
            Controller::Kinetis(_) | Controller::BootRom(_) | Controller::Stellaris(_) => false,
        }
    }

    pub(crate) fn read(&self, address: u32, size: usize) -> Option<u32> {
        self.pages.read(address, size)
    }

    /// Writes to a page, if the address is in one.
    pub(crate) fn write(&mut self, address: u32, size: usize, value: u32, now: u64) -> Option<()> {
        match &mut self.controller {
            Controller::Words(words) => words.write(&mut self.pages, address, size, value, now),
            Controller::Kinetis(_) | Controller::BootRom(_) | Controller::Stellaris(_) => None,
        }
    }

    /// Reads a register of the controller.
    pub(crate) fn register(&self, address: u32, now: u64) -> Option<u32> {
        match &self.controller {
            Controller::Words(words) => words.register(&self.pages, address, now),
            Controller::Kinetis(kinetis) => kinetis.register(address),
            Controller::BootRom(rom) => rom.register(address),
            Controller::Stellaris(controller) => controller.register(&self.pages, address, now),
        }
    }

    /// Sees a write of any register; whether it is one that only the controller has.
    pub(crate) fn write_register(&mut self, address: u32, value: u32, now: u64) -> bool {
        match &mut self.controller {
            Controller::Words(words) => {
                words.write_register(&mut self.pages, address, value, now);
                false
            }
            Controller::Stellaris(controller) => {
                controller.write_register(&mut self.pages, address, value, now);
                false
            }
            Controller::Kinetis(kinetis) => kinetis.write_register(&self.pages, address, value, now).is_some(),
            Controller::BootRom(rom) => match rom.write_register(address, value) {
                Some(Err(reason)) => {
                    self.forbid(reason);
                    true
                }
                Some(Ok(())) => true,
                None => false,
            },
        }
    }

    /// Reads a register of eight bits.
    pub(crate) fn register_byte(&self, address: u32, now: u64) -> Option<u8> {
        match &self.controller {
            Controller::Kinetis(kinetis) => kinetis.read_byte(&self.pages, address, now),
            Controller::Words(_) | Controller::BootRom(_) | Controller::Stellaris(_) => None,
        }
    }

    /// Writes a register of eight bits.
    pub(crate) fn write_register_byte(&mut self, address: u32, value: u8, now: u64) -> Option<()> {
        match &mut self.controller {
            Controller::Kinetis(kinetis) => kinetis.write_byte(&mut self.pages, address, value, now),
            Controller::Words(_) | Controller::BootRom(_) | Controller::Stellaris(_) => None,
        }
    }

    /// Calls a function of the boot ROM, if there is one at the address; what it returns. `read` reads RAM.
    pub(crate) fn call(&mut self, call: &RomCall, read: &dyn Fn(u32) -> Option<u8>, now: u64) -> Option<u32> {
        let Controller::BootRom(rom) = &mut self.controller else { return None };
        match rom.call(&mut self.pages, call, read, now)? {
            Ok(result) => Some(result),
            Err(reason) => {
                self.forbid(reason);
                Some(0)
            }
        }
    }
}
