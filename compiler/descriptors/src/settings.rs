//! The pages of flash that a board reserves for what programs keep over resets.

use crate::{Bytes, MemoryRegion};
use serde::Serialize;

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
}

impl FlashKind {
    /// The sizes that pages have.
    pub fn pages(self) -> &'static [Bytes] {
        match self {
            FlashKind::Nrf => &[Bytes(1 << 10), Bytes(4 << 10)],
            FlashKind::Nrf91 => &[Bytes(4 << 10)],
            FlashKind::Stm32F1 => &[Bytes(1 << 10), Bytes(2 << 10)],
            FlashKind::Stm32F4 => &[Bytes(128 << 10)],
            FlashKind::Stellaris => &[Bytes(1 << 10)],
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
