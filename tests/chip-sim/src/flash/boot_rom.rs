//! The functions of the boot ROM of RP2040 and RP2350 for flash, from which programs run (RP2040 data sheet, 2.8.2, 2.8.3.1.3 and 4.10.13;
//! RP2350 data sheet, 5.4.1, 5.4.8 and 12.14).
//!
//! Functions in another order end the program, as do accesses to flash between them, and an operation on anything but the pages. They use
//! the stack as the ROM's own do.

use super::pages::Pages;

/// A call of a function: its address, and the four arguments.
pub(crate) struct RomCall {
    pub(crate) address: u32,
    pub(crate) arguments: [u32; 4],
}

/// The stack that functions use at most (on RISC-V, the RP2350 has 276 bytes for them and what else a core needs).
pub(crate) const STACK: u32 = 276;

#[derive(Clone, Copy, Debug)]
pub(super) struct BootRom {
    is_later: bool,
    state: State,
    /// The serial interface of the RP2040: SSIENR, BAUDR, CTRLR0 and SPI_CTRLR0.
    is_on: bool,
    divider: u32,
    control: u32,
    command: u32,
}

/// What flash and the interface are ready for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Readable,
    Connected,
    Commands,
    Flushed,
}

/// The functions, by the numbers of their places in the ROM, from this address on.
const FUNCTIONS: u32 = 0x100;
const NAMES: [&[u8; 2]; 5] = [b"IF", b"EX", b"RE", b"RP", b"FC"];
/// The functions that find the others, and set a mode of reading on the RP2350, and the table of the RP2040.
const FIND: u32 = 0x80;
const SELECT: u32 = 0x90;
const TABLE: u32 = 0x7a;

/// The start of flash, and the RAM of the RP2350's boot ROM.
const FLASH: u32 = 0x1000_0000;
const BOOT_RAM: u32 = 0x400e_0000;
/// The code that the boot ROM leaves there: it calls the function that sets a mode, here quad, with a divider of 3.
const ENTER: [u32; 5] = [0x6850_a201, 0x8852_6891, 0x0091_4710, 3, 3];

/// The first register of the serial interface, and the windows of addresses of the RP2350.
const INTERFACE: u32 = 0x1800_0000;
const WINDOWS: u32 = 0x400d_0034;

impl BootRom {
    pub(super) fn new(is_later: bool) -> BootRom {
        BootRom { is_later, state: State::Readable, is_on: true, divider: 4, control: 0x1f_0300, command: 0x0300_0218 }
    }

    pub(super) fn restarted(self) -> BootRom {
        BootRom::new(self.is_later)
    }

    /// Whether programs can be read from flash.
    pub(super) fn is_readable(&self) -> bool {
        self.state == State::Readable
    }

    /// Reads flash.
    pub(super) fn reads(&self) -> Result<Option<u64>, &'static str> {
        if self.is_readable() { Ok(None) } else { Err("flash is read while it cannot be read") }
    }

    /// Whether an address is in flash, through any of its windows.
    pub(super) fn is_flash(address: u32) -> bool {
        address >> 28 == 1 && address < INTERFACE
    }

    pub(super) fn register(&self, address: u32) -> Option<u32> {
        match address {
            // The addresses of the table and of the function that finds others, each of 16 bits.
            0x14 if self.is_later => Some((FIND | 1) << 16),
            0x14 => Some(TABLE),
            0x18 => Some(FIND | 1),
            BOOT_RAM..0x400e_0100 if self.is_later => {
                Some(ENTER.get((address - BOOT_RAM) as usize / 4).copied().unwrap_or(0))
            }
            WINDOWS..0x400d_0044 if self.is_later => Some(0x0400_0000 + (address - WINDOWS) * 0x100),
            _ => None,
        }
    }

    /// Writes a register of the serial interface of the RP2040; nothing if it is none of these.
    pub(super) fn write_register(&mut self, address: u32, value: u32) -> Option<Result<(), &'static str>> {
        if self.is_later || address & !0xff != INTERFACE {
            return None;
        }
        let register = match address - INTERFACE {
            0x08 => {
                self.is_on = value & 1 == 1;
                return Some(self.enter_by_interface());
            }
            0x00 => &mut self.control,
            0x14 => &mut self.divider,
            0xf4 => &mut self.command,
            _ => return Some(Ok(())),
        };
        *register = value;
        Some(if self.is_on { Err("the serial interface of flash changes while it is on") } else { Ok(()) })
    }

    /// Reading by the command 03h on one line, with 24 bits of address and 32 bits of data, at up to half of the core's clock.
    fn enter_by_interface(&mut self) -> Result<(), &'static str> {
        let is_ready = self.control & 0x1f_ff00 == 0x1f_0300 && self.command & 0xff00_ffff == 0x0300_0218;
        match (self.is_on, self.state) {
            (true, State::Flushed) if is_ready && self.divider >= 2 => self.state = State::Readable,
            (true, _) => return Err("flash cannot be read with these settings of its serial interface"),
            (false, State::Readable) => return Err("the serial interface of flash is turned off by what is in flash"),
            (false, State::Connected | State::Commands | State::Flushed) => {}
        }
        Ok(())
    }

    /// Calls a function, if there is one at the address: what it returns, or what is wrong. `read` reads RAM.
    pub(super) fn call(
        &mut self,
        pages: &mut Pages,
        call: &RomCall,
        read: &dyn Fn(u32) -> Option<u8>,
        now: u64,
    ) -> Option<Result<u32, &'static str>> {
        let [first, second, third, fourth] = call.arguments;
        match call.address {
            FIND => Some(self.find(first, second)),
            SELECT if self.is_later => Some(self.select(first, second)),
            address if address >= FUNCTIONS && address.is_multiple_of(16) => {
                let name = NAMES.get((address - FUNCTIONS) as usize / 16)?;
                let state = match (*name, self.state) {
                    (b"IF", State::Readable) => State::Connected,
                    (b"EX", State::Connected) => State::Commands,
                    (b"FC", State::Commands) => State::Flushed,
                    (b"RE", State::Commands) => {
                        let is_sector = (second, third, fourth) == (4096, 4096, 0x20);
                        let done = pages.erase(FLASH + first, now).filter(|()| first.is_multiple_of(4096) && is_sector);
                        return Some(done.map(|()| 0).ok_or("the boot ROM erases what is no page"));
                    }
                    (b"RP", State::Commands) => {
                        let bytes: Option<Vec<u8>> = (second..second + 256).map(read).collect();
                        let is_page = first.is_multiple_of(256) && third == 256;
                        let bytes = bytes.filter(|_| is_page);
                        let done = bytes.and_then(|bytes| pages.program(FLASH + first, &bytes, now));
                        return Some(done.map(|()| 0).ok_or("the boot ROM writes what is no page, or from flash"));
                    }
                    _ => return Some(Err("functions of the boot ROM are called in another order")),
                };
                self.state = state;
                Some(Ok(0))
            }
            _ => None,
        }
    }

    fn find(&self, first: u32, second: u32) -> Result<u32, &'static str> {
        // The RP2350 has the name first, and then what kind of function it is.
        let (name, is_known) = if self.is_later { (first, second == 4) } else { (second, first == TABLE) };
        let found = NAMES.iter().position(|known| u32::from(u16::from_le_bytes(**known)) == name);
        let found = found.filter(|_| is_known).ok_or("the boot ROM has no such function")?;
        Ok((FUNCTIONS + found as u32 * 16) | 1)
    }

    fn select(&mut self, mode: u32, divider: u32) -> Result<u32, &'static str> {
        if self.state != State::Flushed || (mode, divider) != (ENTER[3], ENTER[4]) {
            return Err("flash cannot be read in another mode than before");
        }
        self.state = State::Readable;
        Ok(0)
    }
}
