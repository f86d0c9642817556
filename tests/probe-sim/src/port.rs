//! The debug port and the one access port: Arm Debug Interface Architecture Specification, ADIv5.

/// The identification of the debug port of a Cortex-M0.
const DPIDR: u32 = 0x0bb1_1477;

/// An AHB access port.
const AP_IDR: u32 = 0x0477_0021;

/// The address of the table of components.
const AP_BASE: u32 = 0xe00f_f003;

/// The access port is enabled.
const CSW_DEVICE_ENABLED: u32 = 1 << 6;

/// Power-up requests, in CTRL/STAT; each is acknowledged by the bit above.
const POWER_UP: u32 = 1 << 28 | 1 << 30;

/// Bits of CTRL/STAT that can be written.
const WRITABLE: u32 = 0x5000_0f3f;

/// The registers of both ports.
#[derive(Debug, Default)]
pub(crate) struct Port {
    select: u32,
    control: u32,
    /// Control and transfer address of the access port.
    csw: u32,
    tar: u32,
}

impl Port {
    /// Reads a register of the debug port, by its address or the bits of it in a request.
    pub(crate) fn read(&self, address: u16) -> u32 {
        match address & 0xc {
            0x0 => DPIDR,
            0x4 if self.select & 0xf == 0 => self.control | (self.control & POWER_UP) << 1,
            _ => 0,
        }
    }

    pub(crate) fn write(&mut self, address: u16, value: u32) {
        match address & 0xc {
            0x4 if self.select & 0xf == 0 => self.control = value & WRITABLE,
            0x8 => self.select = value,
            _ => {}
        }
    }

    /// Reads a register of an access port; there is only the first.
    pub(crate) fn read_access(&self, port: u8, address: u16) -> u32 {
        match (port, address & 0xfc) {
            (0, 0x00) => self.csw | CSW_DEVICE_ENABLED,
            (0, 0x04) => self.tar,
            (0, 0xf8) => AP_BASE,
            (0, 0xfc) => AP_IDR,
            _ => 0,
        }
    }

    pub(crate) fn write_access(&mut self, port: u8, address: u16, value: u32) {
        match (port, address & 0xfc) {
            (0, 0x00) => self.csw = value,
            (0, 0x04) => self.tar = value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_acknowledged() {
        let mut port = Port::default();
        assert_eq!(port.read(4), 0);
        port.write(4, 0x5000_0000);
        assert_eq!(port.read(4), 0xf000_0000);
        port.write(8, 1);
        assert_eq!(port.read(4), 0);
    }
}
