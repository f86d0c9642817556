//! The library sources for the watchdog of a board.

use crate::{
    DeviceModule, Source,
    devices::{Told, address, bits},
};
use clef_descriptors::{Hertz, Watchdog};

/// The driver for the kind, and the module `Watchdog` above it.
pub(crate) fn sources(watchdog: &Watchdog) -> Vec<Source> {
    const ARM: (&str, &str) = ("library/watchdog_arm.clef", include_str!("../clef/devices/watchdog_arm.clef"));
    const RP: (&str, &str) = ("library/watchdog_rp.clef", include_str!("../clef/devices/watchdog_rp.clef"));
    let files: &[(&'static str, &str)] = match watchdog {
        Watchdog::Cmsdk { .. } => {
            &[("library/watchdog_bare.clef", include_str!("../clef/devices/watchdog_bare.clef")), ARM]
        }
        Watchdog::Stellaris { .. } => {
            &[("library/watchdog_stellaris.clef", include_str!("../clef/devices/watchdog_stellaris.clef")), ARM]
        }
        Watchdog::Nrf | Watchdog::Nrf91 => {
            &[("library/watchdog_nrf.clef", include_str!("../clef/devices/watchdog_nrf.clef"))]
        }
        Watchdog::Stm32 { .. } => {
            &[("library/watchdog_stm32.clef", include_str!("../clef/devices/watchdog_stm32.clef"))]
        }
        Watchdog::Kl25 => &[("library/watchdog_kl25.clef", include_str!("../clef/devices/watchdog_kl25.clef"))],
        Watchdog::Rp2040 { .. } => {
            &[("library/watchdog_rp2040.clef", include_str!("../clef/devices/watchdog_rp2040.clef")), RP]
        }
        Watchdog::Rp2350 { .. } => {
            &[("library/watchdog_rp2350.clef", include_str!("../clef/devices/watchdog_rp2350.clef")), RP]
        }
    };
    let mut sources: Vec<Source> = files.iter().map(|(name, text)| Source::new(name, *text)).collect();
    let text = include_str!("../clef/devices/watchdog.clef").replace("LONGEST", &watchdog.longest().to_string());
    sources.push(Source::new("library/watchdog.clef", text).of(DeviceModule::Watchdog));
    sources
}

/// The parameters of the driver.
pub(crate) fn told(watchdog: &Watchdog) -> Vec<Told> {
    let mut told = vec![bits("watchdogRate", watchdog.rate())];
    let cycles = |clock: &Hertz| bits("watchdogCycles", clock.0 / 1_000_000);
    match watchdog {
        Watchdog::Cmsdk { base, .. } => told.push(address("watchdog", base.0)),
        // LM3S6965 data sheet, 10.4.
        Watchdog::Stellaris { .. } => told.push(address("watchdog", 0x4000_0000)),
        Watchdog::Nrf => told.push(address("watchdog", 0x4001_0000)),
        // nRF9160 Product Specification, "Instantiation".
        Watchdog::Nrf91 => told.push(address("watchdog", 0x5001_8000)),
        Watchdog::Stm32 { .. } | Watchdog::Kl25 => {}
        // The watchdog, and WDSEL of PSM with all its bits except those of the oscillators (RP2040 data sheet, 2.13.5;
        // RP2350 data sheet, 7.4.4).
        Watchdog::Rp2040 { clock } => told.extend([
            address("watchdog", 0x4005_8000),
            address("watchdogSelect", 0x4001_0008),
            bits("watchdogSelected", 0x1_fffc),
            cycles(clock),
        ]),
        Watchdog::Rp2350 { clock } => told.extend([
            address("watchdog", 0x400d_8000),
            address("watchdogSelect", 0x4001_8008),
            bits("watchdogSelected", 0x1ff_fff3),
            cycles(clock),
        ]),
    }
    told
}
