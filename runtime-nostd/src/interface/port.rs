//! The ports of a PC.

use core::arch::asm;

/// The functions that read and write a port with a register of a width.
macro_rules! port {
    ($read:ident, $write:ident, $ty:ty, $register:tt) => {
        #[unsafe(no_mangle)]
        extern "C" fn $read(port: u16) -> $ty {
            let value;
            // SAFETY: a device may access memory, which counts as changed.
            unsafe { asm!(concat!("in ", $register, ", dx"), in("dx") port, out($register) value, options(nostack)) };
            value
        }

        #[unsafe(no_mangle)]
        extern "C" fn $write(port: u16, value: $ty) {
            // SAFETY: as above.
            unsafe { asm!(concat!("out dx, ", $register), in("dx") port, in($register) value, options(nostack)) };
        }
    };
}

port!(clef_port_read8, clef_port_write8, u8, "al");
port!(clef_port_read16, clef_port_write16, u16, "ax");
port!(clef_port_read32, clef_port_write32, u32, "eax");
