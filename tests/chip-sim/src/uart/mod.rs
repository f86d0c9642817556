//! Serial lines of STM32, RP2040 and RP2350, which send and receive at the rate that their registers and clocks make.
//!
//! What a manual forbids ends the program ([`crate::Ending::Bus`]): pins that are not connected, a byte that is written where there is no
//! space, settings that change while they are used, a line that is turned off while it sends, and a byte that the core takes from DMA. A
//! byte that arrives without space for it is lost, which the device tells.

mod pl011;
mod stm32;
mod traffic;

pub(crate) use pl011::Pl011;
pub(crate) use stm32::{Kind, Stm32};
