//! The library sources for the channels with which buses and serial lines access memory by themselves.

use crate::{Source, devices::Told};
use clef_descriptors::{Board, Dma, MemoryKind};

/// The driver of the channels, if devices of the board have any.
pub(crate) fn sources(board: &Board) -> Vec<Source> {
    let Some(dma) = used(board) else { return Vec::new() };
    const CHANNELS: (&str, &str) =
        ("library/dma_stm32_channels.clef", include_str!("../clef/devices/dma_stm32_channels.clef"));
    const RP: (&str, &str) = ("library/dma_rp.clef", include_str!("../clef/devices/dma_rp.clef"));
    let files: &[(&'static str, &str)] = match dma {
        Dma::Stm32F1 => &[("library/dma_stm32_f1.clef", include_str!("../clef/devices/dma_stm32_f1.clef")), CHANNELS],
        Dma::Stm32L5 => &[("library/dma_stm32_l5.clef", include_str!("../clef/devices/dma_stm32_l5.clef")), CHANNELS],
        Dma::Stm32F4 => &[("library/dma_stm32_streams.clef", include_str!("../clef/devices/dma_stm32_streams.clef"))],
        Dma::Rp2040 | Dma::Rp2350 => &[RP],
    };
    files.iter().map(|(name, text)| Source::new(name, *text)).collect()
}

/// The controllers, if a bus or a line of the board uses them.
fn used(board: &Board) -> Option<Dma> {
    let dma = Dma::of(board)?;
    let has_buses = !board.spi.is_empty() && dma.of_spi(board).is_some();
    let has_lines = board.uart.is_some() && dma.of_lines(board).is_some();
    (has_buses || has_lines).then_some(dma)
}

/// The parameters of the driver.
pub(crate) fn told(board: &Board) -> Vec<Told> {
    let Some(dma) = used(board) else { return Vec::new() };
    // The places of the bits of CTRL, and CHAN_ABORT (RP2040 data sheet, 2.5.7; RP2350 data sheet, 12.6.10).
    let of_rp = |advances: u32, chain: u32, quiet: u32, abort: u32| {
        vec![
            ("dmaAdvances", format!("{:#x}u", 1 << advances)),
            ("dmaChain", chain.to_string()),
            ("dmaIsQuiet", format!("{:#x}u", 1 << quiet)),
            ("dmaIsBusy", format!("{:#x}u", 8 << quiet)),
            ("dmaAbort", format!("{abort:#x}un")),
        ]
    };
    match dma {
        Dma::Stm32F1 | Dma::Stm32F4 | Dma::Stm32L5 => {
            // The memory that only the core of an STM32F4 reaches.
            let is_of_core = |origin: u64| dma == Dma::Stm32F4 && origin >> 16 == 0x1000;
            let has_core_memory =
                board.memory.iter().any(|region| region.kind == MemoryKind::Ram && is_of_core(region.origin.0));
            vec![("hasCoreMemory", has_core_memory.to_string())]
        }
        Dma::Rp2040 => of_rp(5, 11, 21, 0x444),
        Dma::Rp2350 => of_rp(6, 13, 23, 0x464),
    }
}
