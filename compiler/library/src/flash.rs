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
        FlashKind::Stm32L5 => ("library/flash_stm32l5.clef", include_str!("../clef/devices/flash_stm32l5.clef")),
        FlashKind::Kl25 => ("library/flash_kl25.clef", include_str!("../clef/devices/flash_kl25.clef")),
        FlashKind::Rp2040 | FlashKind::Rp2350 => {
            ("library/flash_rp.clef", include_str!("../clef/devices/flash_rp.clef"))
        }
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
    told.extend(told_of_boot_rom(settings.kind));
    // An operation of an LM3S6965 takes a number of microseconds at least.
    let cycles = board.clock.map_or(1, |clock| clock.0.div_ceil(1_000_000)) - 1;
    told.extend((settings.kind == FlashKind::Stellaris).then(|| bits("flashCycles", cycles)));
    told
}

/// The code that makes flash readable again: the boot block, or what the boot ROM has written to its RAM; RESET_DONE; and the channels of the
/// DMA controller with the bit that says that one is busy (RP2040 data sheet, 2.14.3 and 2.5.7; RP2350 data sheet, 7.5.3 and 12.6.10).
fn told_of_boot_rom(kind: FlashKind) -> Vec<Told> {
    let (enter, resets, channels, busy) = match kind {
        FlashKind::Rp2040 => (0x1000_0000, 0x4000_c008, 12, 24),
        FlashKind::Rp2350 => (0x400e_0000, 0x4002_0008, 16, 26),
        FlashKind::Nrf
        | FlashKind::Nrf91
        | FlashKind::Stm32F1
        | FlashKind::Stm32F4
        | FlashKind::Stm32L5
        | FlashKind::Kl25
        | FlashKind::Stellaris => return Vec::new(),
    };
    vec![
        address("flashEnter", enter),
        address("flashResetDone", resets),
        ("flashDmaChannels", channels.to_string()),
        bits("flashDmaBusy", 1 << busy),
    ]
}
