//! Memory, and what devices access of it by themselves.

/// A range of memory.
pub(crate) struct Memory {
    pub(crate) origin: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_ram: bool,
    /// Whether it cannot be read at the moment.
    pub(crate) is_away: bool,
}

impl Memory {
    /// RAM, with zeros.
    pub(crate) fn ram(origin: u32, size: usize) -> Memory {
        Memory { origin, bytes: vec![0; size], is_ram: true, is_away: false }
    }

    /// Flash.
    pub(crate) fn flash(origin: u32, bytes: Vec<u8>) -> Memory {
        Memory { origin, bytes, is_ram: false, is_away: false }
    }
}

/// The memory that devices access by themselves.
pub(crate) struct Ram<'m>(&'m mut [Memory]);

impl<'m> Ram<'m> {
    /// That among memories.
    pub(crate) fn of(memories: &'m mut [Memory]) -> Ram<'m> {
        Ram(memories)
    }

    fn place(&self, address: u32, size: usize) -> Option<(usize, usize)> {
        let found = self.0.iter().position(|memory| {
            let offset = address.wrapping_sub(memory.origin) as usize;
            memory.is_ram && offset + size <= memory.bytes.len()
        })?;
        Some((found, (address - self.0[found].origin) as usize))
    }

    /// Reads some bytes of RAM or of what the image has in flash.
    pub(crate) fn read(&self, address: u32, size: usize) -> Option<u32> {
        let bytes = self.0.iter().filter(|memory| !memory.is_away).find_map(|memory| {
            let offset = address.checked_sub(memory.origin)? as usize;
            memory.bytes.get(offset..offset + size)
        })?;
        Some(bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }

    /// Overwrites some bytes of RAM.
    pub(crate) fn write(&mut self, address: u32, size: usize, value: u32) -> Option<()> {
        let (memory, offset) = self.place(address, size)?;
        self.0[memory].bytes[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
        Some(())
    }

    /// A byte.
    pub(crate) fn byte(&self, address: u32) -> Option<u8> {
        let (memory, offset) = self.place(address, 1)?;
        Some(self.0[memory].bytes[offset])
    }

    /// Overwrites a byte.
    pub(crate) fn set_byte(&mut self, address: u32, value: u8) {
        if let Some((memory, offset)) = self.place(address, 1) {
            self.0[memory].bytes[offset] = value;
        }
    }

    /// Two bytes.
    pub(crate) fn half(&self, address: u32) -> Option<u16> {
        let (memory, offset) = self.place(address, 2)?;
        let bytes = &self.0[memory].bytes;
        Some(u16::from_le_bytes([bytes[offset], bytes[offset + 1]]))
    }

    /// Overwrites two bytes.
    pub(crate) fn set_half(&mut self, address: u32, value: u16) {
        if let Some((memory, offset)) = self.place(address, 2) {
            self.0[memory].bytes[offset..offset + 2].copy_from_slice(&value.to_le_bytes());
        }
    }
}
