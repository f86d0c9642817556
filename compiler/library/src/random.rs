//! The library sources for the random number generator of a board.

use crate::{
    Source,
    devices::{Told, address, bits},
};
use clef_descriptors::Rng;

/// The driver for the kind, and the module `Rng` above it.
pub(crate) fn sources(rng: &Rng) -> Vec<Source> {
    const STM32: (&str, &str) = ("library/rng_stm32.clef", include_str!("../clef/devices/rng_stm32.clef"));
    let files: &[(&'static str, &str)] = match rng {
        Rng::Nrf => &[("library/rng_nrf.clef", include_str!("../clef/devices/rng_nrf.clef"))],
        Rng::Stm32F4 => &[("library/rng_stm32_f4.clef", include_str!("../clef/devices/rng_stm32_f4.clef")), STM32],
        Rng::Stm32L5 => &[("library/rng_stm32_l5.clef", include_str!("../clef/devices/rng_stm32_l5.clef")), STM32],
        Rng::Rp2040 { .. } => &[("library/rng_rp2040.clef", include_str!("../clef/devices/rng_rp2040.clef"))],
        Rng::Rp2350 => &[("library/rng_rp2350.clef", include_str!("../clef/devices/rng_rp2350.clef"))],
    };
    let mut sources: Vec<Source> = files.iter().map(|(name, text)| Source::new(name, *text)).collect();
    sources.push(Source::new("library/rng.clef", include_str!("../clef/devices/rng.clef")));
    sources
}

/// The parameters of the driver.
pub(crate) fn told(rng: &Rng) -> Vec<Told> {
    match rng {
        Rng::Nrf | Rng::Rp2350 => Vec::new(),
        // The generator, and the register and the bit that enable its clock, RCC_AHB2ENR (RM0090, 2.3 and 7.3.11).
        Rng::Stm32F4 => {
            vec![address("rng", 0x5006_0800), address("rngEnable", 0x4002_3834), bits("rngEnableBit", 1 << 6)]
        }
        // RM0438, 2.3 and "RCC_AHB2ENR".
        Rng::Stm32L5 => {
            vec![address("rng", 0x420c_0800), address("rngEnable", 0x4002_104c), bits("rngEnableBit", 1 << 18)]
        }
        // The readings of a register that take 10 us, each at least a cycle of the core.
        Rng::Rp2040 { clock } => vec![("rngReadings", clock.0.div_ceil(100_000).to_string())],
    }
}
