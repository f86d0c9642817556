//! Devices at pins of a chip: whether a board can have them.

use crate::{
    Address, Gpio,
    reader::Report,
    timer_schema::{Surroundings, invalid},
};
use clef_base::Span;

/// The register that enables the clocks of ports in an STM32F2 or F4.
const PORTS_OF_STM32F4: Address = Address(0x4002_3830);

/// Whether pins are those of an STM32F2 or F4.
pub(crate) fn is_stm32f4(gpio: Gpio) -> bool {
    matches!(gpio, Gpio::Stm32 { enable: PORTS_OF_STM32F4, .. })
}

/// Whether pins are those of an STM32 that may be an L5.
pub(crate) fn is_stm32l5(gpio: Gpio) -> bool {
    matches!(gpio, Gpio::Stm32 { .. }) && !is_stm32f4(gpio)
}

/// A device that a board asks for.
pub(crate) struct Wanted {
    /// Its key in descriptors.
    pub(crate) key: &'static str,
    /// What it is, in the words of messages.
    pub(crate) device: &'static str,
    /// The word for its kind.
    pub(crate) kind: &'static str,
    /// What it needs pins for, after `gpio`.
    pub(crate) pins: &'static str,
}

impl Wanted {
    /// Whether `fits` holds for the pins and the chip of a board, whose name is in lower case and may be empty; reports it
    /// otherwise.
    pub(crate) fn fits(
        &self,
        around: &Surroundings<'_>,
        place: Span,
        report: &mut Report,
        fits: impl FnOnce(Gpio, &str) -> bool,
    ) -> bool {
        let Wanted { key, device, kind, pins } = self;
        let chip = around.chip.unwrap_or_default().to_ascii_lowercase();
        let Some(gpio) = around.gpio else {
            let help = format!("specify the driver with `gpio`, or use none: `{key}: {{ kind: none }}`");
            report.push(invalid(format!("`{key}` requires `gpio`, {pins}"), place).help(help));
            return false;
        };
        let fits = fits(gpio, &chip);
        if !fits {
            let message = format!("the chip of this board has no {device} of the kind `{kind}`");
            let help = format!("use the kind of the board's own chip, or none: `{key}: {{ kind: none }}`");
            report.push(invalid(message, place).help(help));
        }
        fits
    }
}
