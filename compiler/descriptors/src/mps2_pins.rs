//! The pins of the devices of Arm's MPS2 boards: each device is at one connector (Mbed OS, serial_api.c, i2c_api.c and spi_api.c of
//! targets/TARGET_ARM_FM/TARGET_FVP_MPS2; Zephyr, include/zephyr/dt-bindings/pinctrl/arm-mps2-pinctrl.h).

use crate::{Address, Gpio, Pin, lines::invalid, yaml::Node};
use clef_base::Diagnostic;

/// A device: its addresses in the images AN385 to AN500 and in AN505, and its pins in the order of a descriptor, whose keys tell its class.
type Device = ([Address; 2], Pins);
type Pins = &'static [(&'static str, &'static str)];

/// The serial lines, the buses of I2C and those of SPI. The other two UARTs have no pins, and are not checked.
const DEVICES: [Device; 7] = [
    ([Address(0x4000_5000), Address(0x5020_1000)], &[("transmit", "EXP24"), ("receive", "EXP23")]),
    ([Address(0x4000_7000), Address(0x5020_3000)], &[("transmit", "EXP4"), ("receive", "EXP0")]),
    ([Address(0x4000_9000), Address(0x5020_4000)], &[("transmit", "EXP30"), ("receive", "EXP26")]),
    ([Address(0x4002_9000), Address(0x5020_c000)], &[("scl", "EXP5"), ("sda", "EXP15")]),
    ([Address(0x4002_a000), Address(0x5020_d000)], &[("scl", "EXP31"), ("sda", "EXP41")]),
    ([Address(0x4002_6000), Address(0x5020_a000)], &[("sck", "EXP11"), ("mosi", "EXP13"), ("miso", "EXP14")]),
    ([Address(0x4002_7000), Address(0x5020_b000)], &[("sck", "EXP44"), ("mosi", "EXP39"), ("miso", "EXP40")]),
];

/// The error for pins that a device does not have, as when a descriptor inherits it and changes only its address. `value` describes the
/// device. At other addresses an image of the FPGA may have devices with any pins.
pub(crate) fn misfit(gpio: Option<Gpio>, base: Address, pins: &[(&str, Pin)], value: &Node) -> Option<Diagnostic> {
    let gpio = gpio.filter(|gpio| matches!(gpio, Gpio::Mps2 { .. }))?;
    let is_of_class = |own: &[(&str, &str)]| own.iter().map(|(key, _)| *key).eq(pins.iter().map(|(key, _)| *key));
    let (_, own) = DEVICES.iter().find(|(addresses, own)| addresses.contains(&base) && is_of_class(own))?;
    let differs = |((_, own), (_, pin)): &(&(&str, &str), &(&str, Pin))| gpio.name_of(*pin) != *own;
    let ((key, _), _) = own.iter().zip(pins).find(differs)?;
    let place = |key: &str| value.get(key).map_or(value.span, |entry| entry.value.span);
    let (base_place, pin_place) = (place("base"), place(key));
    let message = format!("the device at {base} does not have these pins");
    // The file of the descriptor itself comes first; a parent may have the rest.
    let error = match pin_place.file == value.span.file {
        true => invalid(pin_place, message).also(base_place, "the device"),
        false => invalid(base_place, message).also(pin_place, "the pin"),
    };
    let pairs: Vec<String> = own.iter().map(|(key, pin)| format!("{key}: {pin}")).collect();
    Some(error.help(format!("write `{}`", pairs.join(", "))))
}
