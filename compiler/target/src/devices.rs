//! The devices of a board that the library has drivers for, and the names of pins.

use crate::{Address, Hertz};
use serde::Serialize;
use std::fmt;

/// What drives the pins of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Gpio {
    /// Nordic's nRF51 and nRF52: a port of 32 pins each 0x300 bytes.
    Nrf {
        /// The first register of port 0, without the gap before it.
        base: Address,
    },
    /// One Arm PrimeCell PL061, of eight pins.
    Pl061 {
        /// Its first register.
        base: Address,
    },
    /// The ports of Stellaris LM3S microcontrollers, each a PL061 with more registers, at fixed addresses.
    Stellaris,
    /// STMicroelectronics' STM32: a port of 16 pins each 0x400 bytes.
    Stm32 {
        /// The first register of port A.
        base: Address,
        /// The register that gives ports their clock: bit 0 is port A's.
        enable: Address,
    },
    /// Lights and buttons of Arm's MPS2 boards.
    Mps2 {
        /// The first register of the FPGA's I/O.
        base: Address,
    },
    /// The pins of Raspberry Pi's RP2040, `GP0` to `GP29`.
    Rp2040,
    /// The same of the RP2350.
    Rp2350,
}

impl Gpio {
    /// How many ports there can be, and how many pins each has.
    pub fn extent(&self) -> (u32, u32) {
        match self {
            Gpio::Nrf { .. } => (2, 32),
            Gpio::Pl061 { .. } => (1, 8),
            Gpio::Stellaris => (7, 8),
            Gpio::Stm32 { .. } => (11, 16),
            Gpio::Mps2 { .. } => (2, 2),
            Gpio::Rp2040 | Gpio::Rp2350 => (1, 30),
        }
    }

    /// The highest address that the descriptor names.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Gpio::Nrf { base } | Gpio::Pl061 { base } | Gpio::Mps2 { base } => Some(base),
            Gpio::Stm32 { base, enable } => Some(base.max(enable)),
            Gpio::Stellaris | Gpio::Rp2040 | Gpio::Rp2350 => None,
        }
    }

    /// Whether there is such a pin.
    pub fn has(&self, pin: Pin) -> bool {
        let (ports, pins) = self.extent();
        pin.port < ports && pin.number < pins
    }
}

/// The serial line of a board that programs use by `Uart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Uart {
    /// Nordic's UART of nRF51 and nRF52.
    Nrf {
        /// Its first register.
        base: Address,
        /// The pin that it sends on.
        transmit: Pin,
        /// The pin that it receives on.
        receive: Pin,
    },
    /// An Arm PrimeCell PL011.
    Pl011 {
        /// Its first register.
        base: Address,
        /// What it divides to get the baud rate.
        clock: Hertz,
        /// Whether its FIFOs are used.
        fifo: bool,
    },
    /// UART 0 of Stellaris LM3S microcontrollers, a PL011 on pins of port A.
    Stellaris {
        /// What it divides to get the baud rate.
        clock: Hertz,
        /// Whether its FIFOs are used.
        fifo: bool,
    },
    /// The UART of Arm's Cortex-M System Design Kit.
    Cmsdk {
        /// Its first register.
        base: Address,
        /// What it divides to get the baud rate.
        clock: Hertz,
    },
    /// A USART of STMicroelectronics' STM32.
    Stm32(Stm32Uart),
    /// A UART of Raspberry Pi's RP2040, a PL011 whose pins say which of the two it is.
    Rp2040(RpUart),
    /// The same of the RP2350.
    Rp2350(RpUart),
}

/// A USART of an STM32, its clock and its pins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Stm32Uart {
    /// Which registers it has.
    pub model: Stm32UartModel,
    /// Its first register.
    pub base: Address,
    /// What it divides to get the baud rate.
    pub clock: Hertz,
    /// The register that gives it its clock.
    pub enable: Address,
    /// Its bit of that register.
    pub bit: u32,
    /// The pin that it sends on.
    pub transmit: Pin,
    /// The pin that it receives on.
    pub receive: Pin,
    /// The number of the alternate function by which it has the pins.
    pub function: u32,
}

/// Which registers a USART of an STM32 has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stm32UartModel {
    /// One register for data and one for its state: STM32F2 and STM32F4.
    F4,
    /// A register for each direction: STM32L4, STM32L5 and most that came later.
    L5,
    /// The low-power UART of the same chips.
    Lpuart,
}

/// A UART of an RP2040 or RP2350.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RpUart {
    /// What it divides to get the baud rate.
    pub clock: Hertz,
    /// The pin that it sends on.
    pub transmit: Pin,
    /// The pin that it receives on.
    pub receive: Pin,
}

impl RpUart {
    /// Which UART the pins belong to, if both belong to one: its lines repeat every four pins, first those of one, then twice those
    /// of the other (RP2040 data sheet, 2.19.2; RP2350 data sheet, 9.4).
    pub fn number(&self) -> Option<u32> {
        let of = |pin: Pin| (pin.number / 4).div_ceil(2) % 2;
        let (transmit, receive) = (self.transmit, self.receive);
        let are_its_pins = transmit.number % 4 == 0 && receive.number % 4 == 1 && of(transmit) == of(receive);
        are_its_pins.then(|| of(transmit))
    }
}

impl Uart {
    /// The highest address that the descriptor names.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Uart::Nrf { base, .. } | Uart::Pl011 { base, .. } | Uart::Cmsdk { base, .. } => Some(base),
            Uart::Stm32(Stm32Uart { base, enable, .. }) => Some(base.max(enable)),
            Uart::Stellaris { .. } | Uart::Rp2040(_) | Uart::Rp2350(_) => None,
        }
    }

    /// What it divides to get the baud rate, where the descriptor says it.
    pub fn clock(&self) -> Option<Hertz> {
        match *self {
            Uart::Pl011 { clock, .. }
            | Uart::Stellaris { clock, .. }
            | Uart::Cmsdk { clock, .. }
            | Uart::Stm32(Stm32Uart { clock, .. })
            | Uart::Rp2040(RpUart { clock, .. })
            | Uart::Rp2350(RpUart { clock, .. }) => Some(clock),
            Uart::Nrf { .. } => None,
        }
    }
}

/// A pin: its port and its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Pin {
    /// 0 for the first, or port A.
    pub port: u32,
    /// From 0.
    pub number: u32,
}

impl Pin {
    /// Reads what chips call their pins: `P0.13`, `PA10`, `GP25`; what MPS2 boards have, `LED0` and `BUTTON1`, are ports 0 and 1.
    pub fn parse(text: &str) -> Option<Pin> {
        let number = |digits: &str| {
            let small = (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            small.then(|| digits.parse().ok()).flatten()
        };
        for (prefix, port) in [("LED", 0), ("BUTTON", 1), ("GP", 0)] {
            if let Some(number) = text.strip_prefix(prefix).and_then(number) {
                return Some(Pin { port, number });
            }
        }
        let rest = text.strip_prefix('P')?;
        if let Some((port, pin)) = rest.split_once('.') {
            return Some(Pin { port: number(port)?, number: number(pin)? });
        }
        let letter = rest.chars().next().filter(char::is_ascii_uppercase)?;
        Some(Pin { port: u32::from(letter) - u32::from('A'), number: number(&rest[1..])? })
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "pin {} of port {}", self.number, self.port)
    }
}

impl Serialize for Pin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_choose_the_uart() {
        let uart = |transmit, receive| {
            let pin = |number| Pin { port: 0, number };
            RpUart { clock: Hertz(12_000_000), transmit: pin(transmit), receive: pin(receive) }.number()
        };
        for (transmit, receive, number) in [(0, 1, 0), (12, 17, 0), (28, 29, 0), (4, 5, 1), (8, 9, 1), (20, 25, 1)] {
            assert_eq!(uart(transmit, receive), Some(number), "GP{transmit}, GP{receive}");
        }
        for (transmit, receive) in [(1, 0), (0, 5), (2, 3), (4, 1)] {
            assert_eq!(uart(transmit, receive), None, "GP{transmit}, GP{receive}");
        }
    }

    #[test]
    fn pins_are_called_as_on_the_chip() {
        for (text, port, number) in
            [("P0.13", 0, 13), ("P1.04", 1, 4), ("PA10", 0, 10), ("PF0", 5, 0), ("GP25", 0, 25), ("BUTTON1", 1, 1)]
        {
            assert_eq!(Pin::parse(text), Some(Pin { port, number }), "{text}");
        }
        for text in ["", "P", "PA", "P0", "P0.", "P.1", "Pa1", "13", "PA-1", "PA100", "P0.1.2", "LED", "PÄ1"] {
            assert_eq!(Pin::parse(text), None, "{text}");
        }
    }
}
