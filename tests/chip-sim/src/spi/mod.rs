//! Controllers of the SPI buses of STM32, RP2040, RP2350 and MPS2 boards, as controller of the bus.
//!
//! What a manual forbids ends the program ([`crate::Ending::Bus`]): pins that are not connected, a format that changes while the controller is
//! on, a frame that is written where there is no space, and what would damage a transfer. A controller may send without anything being
//! read, so that received frames are lost; a transfer that begins before that is cleared is forbidden, and so are lost frames if an
//! interrupt or DMA is to read them.

mod pl022;
mod stm32;
mod wires;

pub(crate) use pl022::{Pl022, places_of_raspberry_pi};
pub(crate) use stm32::{Kind, Stm32};
