//! The pins of the devices of Arm's MPS2 boards: each device is at one connector (Mbed OS, serial_api.c, i2c_api.c and spi_api.c of
//! targets/TARGET_ARM_FM/TARGET_FVP_MPS2; Zephyr, include/zephyr/dt-bindings/pinctrl/arm-mps2-pinctrl.h).

use crate::{Address, Gpio, Pin, lines::invalid, yaml::Node};
use clef_base::Diagnostic;

/// The serial lines, the buses of I2C and those of SPI: their addresses in the images AN385 to AN500 and AN505, and their pins in the order
/// of the keys of a descriptor. The other two UARTs have none.
const DEVICES: [([Address; 2], &[&str]); 7] = [
    ([Address(0x4000_5000), Address(0x5020_1000)], &["EXP24", "EXP23"]),
    ([Address(0x4000_7000), Address(0x5020_3000)], &["EXP4", "EXP0"]),
    ([Address(0x4000_9000), Address(0x5020_4000)], &["EXP30", "EXP26"]),
    ([Address(0x4002_9000), Address(0x5020_c000)], &["EXP5", "EXP15"]),
    ([Address(0x4002_a000), Address(0x5020_d000)], &["EXP31", "EXP41"]),
    ([Address(0x4002_6000), Address(0x5020_a000)], &["EXP11", "EXP13", "EXP14"]),
    ([Address(0x4002_7000), Address(0x5020_b000)], &["EXP44", "EXP39", "EXP40"]),
];

/// The error for pins that a device does not have, as when a descriptor inherits it and changes only its address. `value` describes the
/// device. At other addresses an image of the FPGA may have devices with any pins.
pub(crate) fn misfit(gpio: Option<Gpio>, base: Address, pins: &[(&str, Pin)], value: &Node) -> Option<Diagnostic> {
    let gpio = gpio.filter(|gpio| matches!(gpio, Gpio::Mps2 { .. }))?;
    let (_, own) = DEVICES.iter().find(|(addresses, _)| addresses.contains(&base))?;
    let written: Vec<String> = pins.iter().map(|(_, pin)| gpio.name_of(*pin)).collect();
    let differs = |index: &usize| own.get(*index) != written.get(*index).map(String::as_str).as_ref();
    let (key, _) = pins[(0..pins.len()).find(differs)?];
    let place = |key: &str| value.get(key).map_or(value.span, |entry| entry.value.span);
    let (base_place, pin_place) = (place("base"), place(key));
    let message = format!("the device at {base} does not have these pins");
    // The file of the descriptor itself comes first; a parent may have the rest.
    let error = match pin_place.file == value.span.file {
        true => invalid(pin_place, message).also(base_place, "the device"),
        false => invalid(base_place, message).also(pin_place, "the pin"),
    };
    let pairs: Vec<String> = pins.iter().zip(*own).map(|((key, _), pin)| format!("{key}: {pin}")).collect();
    Some(error.help(format!("write `{}`", pairs.join(", "))))
}
