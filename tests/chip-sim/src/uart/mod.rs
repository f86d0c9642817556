//! Serial lines of STM32, RP2040, RP2350 and MPS2 boards, which send and receive at the rate that their registers and clocks make.
//!
//! What a manual forbids ends the program ([`crate::Ending::Bus`]): pins that are not connected, a byte that is written where there is no
//! space, settings that change while they are used, a line that is turned off while it sends, and a byte that the core takes from DMA. A
//! byte that arrives without space for it is lost, which the device tells.

mod cmsdk;
mod pl011;
mod stm32;
mod traffic;

pub(crate) use cmsdk::Cmsdk;
pub(crate) use pl011::Pl011;
pub(crate) use stm32::{Kind, Stm32};
