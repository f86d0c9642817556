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
        }
    }

    /// The highest address that the descriptor names.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Gpio::Nrf { base } | Gpio::Pl061 { base } | Gpio::Mps2 { base } => Some(base),
            Gpio::Stm32 { base, enable } => Some(base.max(enable)),
            Gpio::Stellaris => None,
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
    },
    /// UART 0 of Stellaris LM3S microcontrollers, a PL011 on pins of port A.
    Stellaris {
        /// What it divides to get the baud rate.
        clock: Hertz,
    },
    /// The UART of Arm's Cortex-M System Design Kit.
    Cmsdk {
        /// Its first register.
        base: Address,
        /// What it divides to get the baud rate.
        clock: Hertz,
    },
}

impl Uart {
    /// The highest address that the descriptor names.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Uart::Nrf { base, .. } | Uart::Pl011 { base, .. } | Uart::Cmsdk { base, .. } => Some(base),
            Uart::Stellaris { .. } => None,
        }
    }

    /// What it divides to get the baud rate, where the descriptor says it.
    pub fn clock(&self) -> Option<Hertz> {
        match *self {
            Uart::Pl011 { clock, .. } | Uart::Stellaris { clock } | Uart::Cmsdk { clock, .. } => Some(clock),
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
