//! The pages of flash that a board reserves for what programs keep over resets.

use crate::{Bytes, MemoryRegion};
use serde::Serialize;
use std::ops::Range;

/// The last pages of the region for code. A program that uses them, through `Flash` or `Settings`, has the rest for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Settings {
    /// The device that erases and writes flash.
    pub kind: FlashKind,
    /// The size of a page, which is erased as a whole.
    pub page: Bytes,
    /// The number of pages, at least two.
    pub pages: u32,
}

/// The devices that erase and write flash.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FlashKind {
    /// Nordic's of nRF51 and nRF52.
    Nrf,
    /// Nordic's of nRF91.
    Nrf91,
    /// That of STMicroelectronics' STM32F1.
    Stm32F1,
    /// That of STM32F2 and STM32F4, whose large sectors are used.
    Stm32F4,
    /// That of Stellaris LM3S6965.
    Stellaris,
    /// That of STM32L5.
    Stm32L5,
    /// That at the RP2040, which its boot ROM erases and writes.
    Rp2040,
    /// The same at the RP2350.
    Rp2350,
    /// That of NXP's KL25.
    Kl25,
}

impl FlashKind {
    /// The sizes that pages have.
    pub fn pages(self) -> &'static [Bytes] {
        match self {
            FlashKind::Nrf => &[Bytes(1 << 10), Bytes(4 << 10)],
            FlashKind::Nrf91 | FlashKind::Rp2040 | FlashKind::Rp2350 => &[Bytes(4 << 10)],
            FlashKind::Stm32F1 => &[Bytes(1 << 10), Bytes(2 << 10)],
            FlashKind::Stm32F4 => &[Bytes(128 << 10)],
            FlashKind::Stm32L5 => &[Bytes(2 << 10), Bytes(4 << 10)],
            FlashKind::Kl25 | FlashKind::Stellaris => &[Bytes(1 << 10)],
        }
    }

    /// Whether flash has codes that find errors, and interrupts the processor where it cannot correct them: what is read where power has failed
    /// during a change has such errors.
    pub fn interrupts(self) -> bool {
        match self {
            FlashKind::Stm32L5 => true,
            FlashKind::Nrf
            | FlashKind::Nrf91
            | FlashKind::Stm32F1
            | FlashKind::Stm32F4
            | FlashKind::Rp2040
            | FlashKind::Rp2350
            | FlashKind::Kl25
            | FlashKind::Stellaris => false,
        }
    }

    /// Where pages can be, if not in all flash: in sectors of 128 KiB of the first mebibyte of an STM32F4 (RM0090, 3.4); in an STM32L5; in the
    /// 16 MiB that the boot ROM of an RP2040 or RP2350 erases and writes, except the first sector, with the boot block; and in a KL25 after the
    /// sectors with the vectors and the flash configuration field.
    pub(crate) fn places(self) -> Option<Range<u64>> {
        match self {
            FlashKind::Nrf | FlashKind::Nrf91 | FlashKind::Stm32F1 | FlashKind::Stellaris => None,
            FlashKind::Stm32F4 => Some(0x0802_0000..0x0810_0000),
            FlashKind::Stm32L5 => Some(0x0800_0000..0x0808_0000),
            FlashKind::Rp2040 | FlashKind::Rp2350 => Some(0x1000_1000..0x1100_0000),
            FlashKind::Kl25 => Some(0x800..0x2_0000),
        }
    }
}

impl Settings {
    /// The size of all pages.
    pub fn size(&self) -> Bytes {
        Bytes(self.page.0 * u64::from(self.pages))
    }

    /// Takes the pages from the region for code. The schema has accepted them.
    pub(crate) fn shorten(&self, flash: &mut MemoryRegion) {
        flash.length = flash.length - self.size();
    }
}
