//! Bosch's sensor of pressure and temperature BMP280 at an I2C bus (data sheet BST-BMP280-DS001).
//!
//! It has the constants of the example of the data sheet (3.12), and measurements from which a driver computes the temperature and the
//! pressure that were set. It measures in its normal mode only; until then the measurements are those after a reset (4.2).

use crate::wiring::I2cDevice;

/// The sensor.
#[derive(Debug)]
pub struct Bmp280 {
    /// Whether it answers at all.
    pub is_connected: bool,
    control: u8,
    configuration: u8,
    /// Of temperature and of pressure, 20 bits each.
    measured: [u32; 2],
    register: u8,
    is_register_next: bool,
}

/// The address with the pin SDO low (5.2).
const ADDRESS: u32 = 0x76;

/// A measurement after a reset.
const NONE: u32 = 0x8_0000;

/// The constants T1 to T3 and P1 to P9 (3.12).
const CONSTANTS: [i32; 12] = [27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000];

impl Default for Bmp280 {
    fn default() -> Bmp280 {
        Bmp280 {
            is_connected: true,
            control: 0,
            configuration: 0,
            measured: [NONE; 2],
            register: 0,
            is_register_next: true,
        }
    }
}

impl Bmp280 {
    /// Sets the surroundings, in degrees Celsius and pascals.
    pub fn set(&mut self, celsius: f64, pascals: f64) {
        let temperature = least(|raw| degrees(fine(raw)) >= celsius);
        // A higher measurement is a lower pressure.
        let pressure = least(|raw| pressure(raw, fine(temperature)) <= pascals);
        self.measured = [temperature, pressure];
    }

    fn value(&self, register: u8) -> u8 {
        let measured = if self.control & 3 == 3 { self.measured } else { [NONE; 2] };
        let bytes = |raw: u32| [(raw >> 12) as u8, (raw >> 4) as u8, (raw << 4) as u8];
        match register {
            0x88..=0x9f => {
                let index = usize::from(register - 0x88);
                (CONSTANTS[index / 2] >> (index % 2 * 8)) as u8
            }
            0xd0 => 0x58,
            0xf4 => self.control,
            0xf5 => self.configuration,
            0xf7..=0xf9 => bytes(measured[1])[usize::from(register - 0xf7)],
            0xfa..=0xfc => bytes(measured[0])[usize::from(register - 0xfa)],
            _ => 0,
        }
    }
}

impl I2cDevice for Bmp280 {
    fn address(&self) -> u32 {
        if self.is_connected { ADDRESS } else { u32::MAX }
    }

    fn begin(&mut self, reads: bool) {
        self.is_register_next = !reads;
    }

    /// Writes are pairs of a register and its value (5.2.1).
    fn write(&mut self, byte: u8) -> bool {
        if self.is_register_next {
            self.register = byte;
        } else {
            match self.register {
                0xf4 => self.control = byte,
                0xf5 => self.configuration = byte,
                0xe0 if byte == 0xb6 => (self.control, self.configuration) = (0, 0),
                _ => {}
            }
        }
        self.is_register_next = !self.is_register_next;
        true
    }

    /// Reads go on with the next register (5.2.2).
    fn read(&mut self) -> u8 {
        let value = self.value(self.register);
        self.register = self.register.wrapping_add(1);
        value
    }
}

/// The least measurement for which something holds, which then holds for all higher ones.
fn least(holds: impl Fn(u32) -> bool) -> u32 {
    let (mut below, mut from) = (0, 0xf_ffff);
    while below < from {
        let middle = (below + from) / 2;
        if holds(middle) { from = middle } else { below = middle + 1 }
    }
    from
}

fn constant(number: usize) -> f64 {
    f64::from(CONSTANTS[number - 1])
}

/// The fine temperature, in floating point (8.1).
fn fine(raw: u32) -> f64 {
    let raw = f64::from(raw);
    let first = (raw / 16384.0 - constant(1) / 1024.0) * constant(2);
    let offset = raw / 131_072.0 - constant(1) / 8192.0;
    first + offset * offset * constant(3)
}

fn degrees(fine: f64) -> f64 {
    fine / 5120.0
}

/// The pressure, in floating point (8.1).
fn pressure(raw: u32, fine: f64) -> f64 {
    let of = |number: usize| constant(3 + number);
    let warmth = fine / 2.0 - 64000.0;
    let offset = warmth * warmth * of(6) / 32768.0 + warmth * of(5) * 2.0;
    let offset = offset / 4.0 + of(4) * 65536.0;
    let factor = (of(3) * warmth * warmth / 524_288.0 + of(2) * warmth) / 524_288.0;
    let factor = (1.0 + factor / 32768.0) * of(1);
    let pressure = (1_048_576.0 - f64::from(raw) - offset / 4096.0) * 6250.0 / factor;
    let square = of(9) * pressure * pressure / 2_147_483_648.0;
    let linear = pressure * of(8) / 32768.0;
    pressure + (square + linear + of(7)) / 16.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_data_sheet() {
        let mut sensor = Bmp280::default();
        sensor.set(degrees(fine(519_888)), pressure(415_148, fine(519_888)));
        assert_eq!(sensor.measured, [519_888, 415_148]);
        assert!((degrees(fine(519_888)) - 25.08).abs() < 0.01);
        assert!((pressure(415_148, fine(519_888)) - 100_653.27).abs() < 0.1);
    }
}
