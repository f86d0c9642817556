//! The library sources for the pages of flash that a board reserves.

use crate::{
    DeviceModule, Source,
    devices::{Told, address, bits},
};
use clef_descriptors::{Board, FlashKind};

/// The driver for the kind, and the modules `Flash` and `Settings` above it.
pub(crate) fn sources(board: &Board) -> Vec<Source> {
    let Some(settings) = board.settings else { return Vec::new() };
    let (name, driver) = match settings.kind {
        FlashKind::Nrf => ("library/flash_nrf.clef", include_str!("../clef/devices/flash_nrf.clef")),
        FlashKind::Nrf91 => ("library/flash_nrf91.clef", include_str!("../clef/devices/flash_nrf91.clef")),
        FlashKind::Stm32F1 => ("library/flash_stm32f1.clef", include_str!("../clef/devices/flash_stm32f1.clef")),
        FlashKind::Stm32F4 => ("library/flash_stm32f4.clef", include_str!("../clef/devices/flash_stm32f4.clef")),
        FlashKind::Stellaris => ("library/flash_stellaris.clef", include_str!("../clef/devices/flash_stellaris.clef")),
    };
    vec![
        Source::new(name, driver),
        Source::new("library/flash.clef", include_str!("../clef/devices/flash.clef")).of(DeviceModule::Flash),
        Source::new("library/settings.clef", include_str!("../clef/devices/settings.clef")).of(DeviceModule::Flash),
    ]
}

/// The parameters of the driver.
pub(crate) fn told(board: &Board) -> Vec<Told> {
    let (Some(settings), Some(flash)) = (board.settings, board.flash()) else { return Vec::new() };
    let mut told = vec![
        address("settings", flash.end().0 - settings.size().0),
        ("settingsPages", settings.pages.to_string()),
        ("settingsPageSize", settings.page.0.to_string()),
    ];
    // An operation takes a number of microseconds at least.
    let cycles = board.clock.map_or(1, |clock| clock.0.div_ceil(1_000_000)) - 1;
    told.extend((settings.kind == FlashKind::Stellaris).then(|| bits("flashCycles", cycles)));
    told
}
