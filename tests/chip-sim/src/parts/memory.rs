//! A memory at an I2C bus, as a 24C32 (Microchip, 24AA32A/24LC32A data sheet, 6 to 8): the first two bytes of a write are an address, and
//! bytes are read from where the last transfer has ended. It writes at once, and in pages of any length.

use crate::wiring::I2cDevice;

/// The memory.
#[derive(Debug)]
pub struct Memory {
    address: u32,
    /// Whether it refuses bytes for its cells.
    is_protected: bool,
    cells: Vec<u8>,
    place: usize,
    /// The bytes of the address that have come.
    known: usize,
}

const CELLS: usize = 4096;

impl Memory {
    /// A memory with this address on the bus, whose cells have the lower bits of three times their numbers.
    pub fn new(address: u32, is_protected: bool) -> Memory {
        let cells = (0..CELLS).map(|cell| (cell * 3) as u8).collect();
        Memory { address, is_protected, cells, place: 0, known: 0 }
    }
}

impl I2cDevice for Memory {
    fn address(&self) -> u32 {
        self.address
    }

    fn begin(&mut self, _: bool) {
        self.known = 0;
    }

    fn write(&mut self, byte: u8) -> bool {
        match self.known {
            0 => self.place = (usize::from(byte) << 8) % CELLS,
            1 => self.place = (self.place + usize::from(byte)) % CELLS,
            _ if self.is_protected => return false,
            _ => {
                self.cells[self.place] = byte;
                self.place = (self.place + 1) % CELLS;
            }
        }
        self.known += 1;
        true
    }

    fn read(&mut self) -> u8 {
        let byte = self.cells[self.place];
        self.place = (self.place + 1) % CELLS;
        byte
    }
}
