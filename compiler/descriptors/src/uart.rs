//! The serial lines of a board.

use crate::{Address, Hertz, Pin};
use serde::Serialize;

/// A serial line of a board, which programs use through `Uart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Uart {
    /// Nordic's UART without DMA of nRF51 and nRF52.
    Nrf {
        /// Its first register.
        base: Address,
        /// The transmit pin.
        transmit: Pin,
        /// The receive pin.
        receive: Pin,
    },
    /// Nordic's UART with DMA of nRF52 and nRF91.
    NrfDma {
        /// Its first register.
        base: Address,
        /// The transmit pin.
        transmit: Pin,
        /// The receive pin.
        receive: Pin,
    },
    /// An Arm PrimeCell PL011.
    Pl011 {
        /// Its first register.
        base: Address,
        /// The clock that it divides for the baud rate.
        clock: Hertz,
        /// Whether its FIFOs are used.
        fifo: bool,
        /// Its interrupt.
        interrupt: u32,
    },
    /// A UART of Stellaris LM3S microcontrollers, a PL011 with fixed pins.
    Stellaris {
        /// Which of the three it is, from 0.
        number: u32,
        /// The clock that it divides for the baud rate.
        clock: Hertz,
        /// Whether its FIFOs are used.
        fifo: bool,
    },
    /// The UART of Arm's Cortex-M System Design Kit.
    Cmsdk {
        /// Its first register.
        base: Address,
        /// The clock that it divides for the baud rate.
        clock: Hertz,
        /// Its interrupts: that of receiving and that of sending.
        interrupts: Interrupts,
        /// The pins that a port of the Cortex-M System Design Kit connects to it; without them its line is its own.
        #[serde(flatten)]
        pins: Option<UartPins>,
    },
    /// A serial port of a PC, a 16550 at I/O ports.
    Com {
        /// Its first port.
        port: u16,
        /// Its interrupt.
        interrupt: u32,
    },
    /// A USART of STMicroelectronics' STM32.
    Stm32(Stm32Uart),
    /// A UART of Raspberry Pi's RP2040, a PL011; its pins determine which of the two it is.
    Rp2040(RpUart),
    /// The same for the RP2350.
    Rp2350(RpUart),
    /// UART0 of NXP's KL25.
    Kl25(Kl25Uart),
}

/// The pins of a serial line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct UartPins {
    /// The transmit pin.
    pub transmit: Pin,
    /// The receive pin.
    pub receive: Pin,
}

/// UART0 of a KL25, its clock and its pins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Kl25Uart {
    /// The clock of the frequency-locked loop, which it divides for the baud rate.
    pub clock: Hertz,
    /// The transmit pin.
    pub transmit: Pin,
    /// The receive pin.
    pub receive: Pin,
    /// The number of the function that connects its pins.
    pub function: u32,
}

/// A USART of an STM32, its clock and its pins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Stm32Uart {
    /// Its register layout.
    pub model: Stm32UartModel,
    /// Its first register.
    pub base: Address,
    /// The clock that it divides for the baud rate.
    pub clock: Hertz,
    /// The register that enables its clock.
    pub enable: Address,
    /// Its bit in that register.
    pub bit: u32,
    /// The transmit pin.
    pub transmit: Pin,
    /// The receive pin.
    pub receive: Pin,
    /// The number of the alternate function that connects its pins; an STM32F1 has none.
    pub function: u32,
    /// Its interrupt.
    pub interrupt: u32,
}

/// The register layouts of STM32 USARTs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stm32UartModel {
    /// One register for data and one for the state, at pins of `stm32f1`.
    F1,
    /// One register for data and one for the state: STM32F2 and STM32F4.
    F4,
    /// A register for each direction: STM32L4, STM32L5 and most later ones.
    L5,
    /// The low-power UART of the same chips.
    Lpuart,
}

/// A UART of an RP2040 or RP2350.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RpUart {
    /// The clock that it divides for the baud rate.
    pub clock: Hertz,
    /// The transmit pin.
    pub transmit: Pin,
    /// The receive pin.
    pub receive: Pin,
}

impl RpUart {
    /// The UART of the pins, if both belong to the same: its lines repeat every four pins, first those of one UART,
    /// then twice those of the other (RP2040 data sheet, 2.19.2; RP2350 data sheet, 9.4).
    pub fn number(&self) -> Option<u32> {
        let of = |pin: Pin| (pin.number / 4).div_ceil(2) % 2;
        let (transmit, receive) = (self.transmit, self.receive);
        let are_its_pins = transmit.number % 4 == 0 && receive.number % 4 == 1 && of(transmit) == of(receive);
        are_its_pins.then(|| of(transmit))
    }
}

/// The interrupts of a UART; a device with one for both directions has it twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupts {
    /// A byte has arrived.
    pub receive: u32,
    /// A byte has gone.
    pub transmit: u32,
}

impl Interrupts {
    /// One interrupt for both directions.
    pub fn shared(number: u32) -> Interrupts {
        Interrupts { receive: number, transmit: number }
    }

    /// An interrupt that both devices have.
    pub fn common(&self, other: Interrupts) -> Option<u32> {
        [self.receive, self.transmit].into_iter().find(|number| [other.receive, other.transmit].contains(number))
    }

    /// Whether both directions have the same.
    pub fn are_shared(&self) -> bool {
        self.receive == self.transmit
    }
}

impl Serialize for Interrupts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq([self.receive, self.transmit])
    }
}

impl Uart {
    /// The word for its kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Uart::Nrf { .. } => "nrf",
            Uart::NrfDma { .. } => "nrf-dma",
            Uart::Pl011 { .. } => "pl011",
            Uart::Stellaris { .. } => "stellaris",
            Uart::Cmsdk { .. } => "cmsdk",
            Uart::Com { .. } => "com",
            Uart::Stm32(_) => "stm32",
            Uart::Rp2040(_) => "rp2040",
            Uart::Rp2350(_) => "rp2350",
            Uart::Kl25(_) => "kl25",
        }
    }

    /// Its first register, or its first port.
    pub fn base(&self) -> Address {
        let numbered = |uart: &RpUart, first: u64, distance: u64| {
            // The schema has accepted the pins.
            Address(first + distance * u64::from(uart.number().unwrap_or(0)))
        };
        match self {
            Uart::Nrf { base, .. }
            | Uart::NrfDma { base, .. }
            | Uart::Pl011 { base, .. }
            | Uart::Cmsdk { base, .. } => *base,
            Uart::Stm32(uart) => uart.base,
            Uart::Com { port, .. } => Address(u64::from(*port)),
            // LM3S6965 data sheet, 12.4.
            Uart::Stellaris { number, .. } => Address(0x4000_c000 + 0x1000 * u64::from(*number)),
            // RP2040 data sheet, 2.2.4; RP2350 data sheet, 2.2.4.
            Uart::Rp2040(uart) => numbered(uart, 0x4003_4000, 0x4000),
            Uart::Rp2350(uart) => numbered(uart, 0x4007_0000, 0x8000),
            // KL25 Sub-Family Reference Manual, 39.2.
            Uart::Kl25(_) => Address(0x4006_a000),
        }
    }

    /// Its interrupts.
    pub fn interrupts(&self) -> Interrupts {
        let numbered = |uart: &RpUart, first: u32| Interrupts::shared(first + uart.number().unwrap_or(0));
        match self {
            // The number of a peripheral is its interrupt, and a part of its address (nRF51 Series Reference Manual, 10.1.1;
            // nRF52833 Product Specification, 6.2; nRF9160 Product Specification, "Peripheral interface").
            Uart::Nrf { base, .. } | Uart::NrfDma { base, .. } => Interrupts::shared((base.0 >> 12 & 0x3f) as u32),
            Uart::Pl011 { interrupt, .. } | Uart::Com { interrupt, .. } => Interrupts::shared(*interrupt),
            // LM3S6965 data sheet, 2.5 "Interrupts".
            Uart::Stellaris { number, .. } => Interrupts::shared(match number {
                0 => 5,
                1 => 6,
                _ => 33,
            }),
            Uart::Cmsdk { interrupts, .. } => *interrupts,
            Uart::Stm32(uart) => Interrupts::shared(uart.interrupt),
            // RP2040 data sheet, 2.3.2; RP2350 data sheet, 3.2.
            Uart::Rp2040(uart) => numbered(uart, 20),
            Uart::Rp2350(uart) => numbered(uart, 33),
            // KL25 Sub-Family Reference Manual, 3.3.2.3.
            Uart::Kl25(_) => Interrupts::shared(12),
        }
    }

    /// The highest address in the descriptor.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Uart::Nrf { base, .. }
            | Uart::NrfDma { base, .. }
            | Uart::Pl011 { base, .. }
            | Uart::Cmsdk { base, .. } => Some(base),
            Uart::Stm32(Stm32Uart { base, enable, .. }) => Some(base.max(enable)),
            Uart::Stellaris { .. } | Uart::Com { .. } | Uart::Rp2040(_) | Uart::Rp2350(_) | Uart::Kl25(_) => None,
        }
    }

    /// The clock that it divides for the baud rate, if it is in the descriptor.
    pub fn clock(&self) -> Option<Hertz> {
        match *self {
            Uart::Pl011 { clock, .. }
            | Uart::Stellaris { clock, .. }
            | Uart::Cmsdk { clock, .. }
            | Uart::Stm32(Stm32Uart { clock, .. })
            | Uart::Rp2040(RpUart { clock, .. })
            | Uart::Rp2350(RpUart { clock, .. })
            | Uart::Kl25(Kl25Uart { clock, .. }) => Some(clock),
            Uart::Nrf { .. } | Uart::NrfDma { .. } | Uart::Com { .. } => None,
        }
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
    fn interrupts_follow_from_the_device() {
        let pin = |number| Pin { port: 0, number };
        let nrf = Uart::Nrf { base: Address(0x4000_2000), transmit: pin(24), receive: pin(25) };
        assert_eq!(nrf.interrupts(), Interrupts::shared(2));
        let uarte = Uart::NrfDma { base: Address(0x5000_9000), transmit: pin(1), receive: pin(0) };
        assert_eq!(uarte.interrupts(), Interrupts::shared(9));
        let second = RpUart { clock: Hertz(12_000_000), transmit: pin(4), receive: pin(5) };
        assert_eq!(
            (Uart::Rp2040(second).base(), Uart::Rp2040(second).interrupts().transmit),
            (Address(0x4003_8000), 21)
        );
        assert_eq!(
            (Uart::Rp2350(second).base(), Uart::Rp2350(second).interrupts().receive),
            (Address(0x4007_8000), 34)
        );
        let third = Uart::Stellaris { number: 2, clock: Hertz(12_000_000), fifo: false };
        assert_eq!((third.base(), third.interrupts().receive), (Address(0x4000_e000), 33));
    }
}
