//! The pins of the devices of an STM32F1: each device has some sets of pins, and bits of the register AFIO_MAPR choose one of them
//! (RM0008, 9.3 and 9.4.2; data sheets of STM32F103x8 and STM32F103xE, table 5).

use crate::{Address, Pin};

/// The bits of AFIO_MAPR that connect a device to its pins. No bits for the pins that it has after a reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PinMap {
    /// The bits of the device.
    pub mask: u32,
    /// What they are.
    pub value: u32,
}

/// The sets of pins of a device.
struct Device {
    base: Address,
    /// The bits that choose a set.
    mask: u32,
    /// Each set, with what the bits are: of a USART the pins that send and receive, of an I2C controller the clock and the data, of an SPI
    /// controller the clock, what it sends and what it receives.
    sets: &'static [(&'static [Pin], u32)],
}

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
const D: u32 = 3;

const fn pin(port: u32, number: u32) -> Pin {
    Pin { port, number }
}

const DEVICES: [Device; 10] = [
    // USART1 to USART3, UART4 and UART5.
    Device {
        base: Address(0x4001_3800),
        mask: 4,
        sets: &[(&[pin(A, 9), pin(A, 10)], 0), (&[pin(B, 6), pin(B, 7)], 4)],
    },
    Device { base: Address(0x4000_4400), mask: 8, sets: &[(&[pin(A, 2), pin(A, 3)], 0), (&[pin(D, 5), pin(D, 6)], 8)] },
    Device {
        base: Address(0x4000_4800),
        mask: 0x30,
        sets: &[(&[pin(B, 10), pin(B, 11)], 0), (&[pin(C, 10), pin(C, 11)], 0x10), (&[pin(D, 8), pin(D, 9)], 0x30)],
    },
    Device { base: Address(0x4000_4c00), mask: 0, sets: &[(&[pin(C, 10), pin(C, 11)], 0)] },
    Device { base: Address(0x4000_5000), mask: 0, sets: &[(&[pin(C, 12), pin(D, 2)], 0)] },
    // I2C1 and I2C2.
    Device { base: I2C1, mask: 2, sets: &[(&[pin(B, 6), pin(B, 7)], 0), (&[pin(B, 8), pin(B, 9)], 2)] },
    Device { base: Address(0x4000_5800), mask: 0, sets: &[(&[pin(B, 10), pin(B, 11)], 0)] },
    // SPI1 to SPI3.
    Device {
        base: Address(0x4001_3000),
        mask: 1,
        sets: &[(&[pin(A, 5), pin(A, 7), pin(A, 6)], 0), (&[pin(B, 3), ALERT, pin(B, 4)], 1)],
    },
    Device { base: Address(0x4000_3800), mask: 0, sets: &[(&[pin(B, 13), pin(B, 15), pin(B, 14)], 0)] },
    Device { base: Address(0x4000_3c00), mask: 0, sets: &[(&[pin(B, 3), pin(B, 5), pin(B, 4)], 0)] },
];

/// I2C1, and its pin for alerts.
pub(crate) const I2C1: Address = Address(0x4000_5400);
pub(crate) const ALERT: Pin = pin(B, 5);

impl PinMap {
    /// The bits that connect the device at an address to pins. A device that is not known has the pins that a descriptor says.
    ///
    /// # Errors
    /// The device does not have these pins: the sets that it has.
    pub fn of(base: Address, pins: &[Pin]) -> Result<PinMap, Vec<&'static [Pin]>> {
        let Some(device) = DEVICES.iter().find(|device| device.base == base) else { return Ok(PinMap::default()) };
        match device.sets.iter().find(|(set, _)| *set == pins) {
            Some((_, 0)) => Ok(PinMap::default()),
            Some((_, value)) => Ok(PinMap { mask: device.mask, value: *value }),
            None => Err(device.sets.iter().map(|(set, _)| *set).collect()),
        }
    }
}

/// What to write in place of pins that a device does not have: each of its sets, with the keys in their order.
pub(crate) fn instead(base: Address, pins: &[(&str, Pin)]) -> Option<String> {
    let (keys, pins): (Vec<&str>, Vec<Pin>) = pins.iter().copied().unzip();
    let name = |pin: &Pin| format!("P{}{}", char::from(b'A' + pin.port as u8), pin.number);
    let written = |set: &[Pin]| {
        let pairs = keys.iter().zip(set).map(|(key, pin)| format!("{key}: {}", name(pin)));
        format!("`{}`", pairs.collect::<Vec<_>>().join(", "))
    };
    let sets: Vec<String> = PinMap::of(base, &pins).err()?.into_iter().map(written).collect();
    Some(format!("write {}", sets.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_pins() {
        let of = |base, pins: &[Pin]| PinMap::of(Address(base), pins).ok();
        assert_eq!(of(0x4001_3800, &[pin(A, 9), pin(A, 10)]), Some(PinMap::default()));
        assert_eq!(of(0x4000_4800, &[pin(C, 10), pin(C, 11)]), Some(PinMap { mask: 0x30, value: 0x10 }));
        assert_eq!(of(0x4001_3000, &[pin(B, 3), pin(B, 5), pin(B, 4)]), Some(PinMap { mask: 1, value: 1 }));
        assert_eq!(of(0x4001_3800, &[pin(A, 2), pin(A, 3)]), None);
        assert_eq!(of(0x1234, &[pin(A, 2), pin(A, 3)]), Some(PinMap::default()));
    }
}
