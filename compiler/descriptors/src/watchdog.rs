//! The watchdog of a board.

use crate::{Address, Hertz};
use serde::Serialize;

/// A watchdog, which resets the board unless the program feeds it in time, through `Watchdog`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Watchdog {
    /// That of Arm's Cortex-M System Design Kit, whose interrupt is the processor's non-maskable one.
    Cmsdk {
        /// Its first register.
        base: Address,
        /// The clock that it counts.
        clock: Hertz,
    },
    /// That of Stellaris LM3S microcontrollers, the same device with an interrupt that nobody enables.
    Stellaris {
        /// The clock that it counts, that of the core.
        clock: Hertz,
    },
    /// Nordic's of nRF51 and nRF52.
    Nrf,
    /// The same of nRF91.
    Nrf91,
    /// The independent watchdog of STMicroelectronics' STM32.
    Stm32 {
        /// The highest frequency of the low-speed internal oscillator, which it counts.
        clock: Hertz,
    },
    /// That of NXP's KL25, COP.
    Kl25,
    /// That of Raspberry Pi's RP2040.
    Rp2040 {
        /// The clock from which its ticks of a microsecond are made.
        clock: Hertz,
    },
    /// The same for the RP2350.
    Rp2350 {
        /// The clock from which its ticks of a microsecond are made.
        clock: Hertz,
    },
}

impl Watchdog {
    /// The word for its kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Watchdog::Cmsdk { .. } => "cmsdk",
            Watchdog::Stellaris { .. } => "stellaris",
            Watchdog::Nrf => "nrf",
            Watchdog::Nrf91 => "nrf91",
            Watchdog::Stm32 { .. } => "stm32",
            Watchdog::Kl25 => "kl25",
            Watchdog::Rp2040 { .. } => "rp2040",
            Watchdog::Rp2350 { .. } => "rp2350",
        }
    }

    /// The counts that it makes in a millisecond, at most: it never resets a board that is fed in time.
    pub fn rate(&self) -> u64 {
        match self {
            Watchdog::Cmsdk { clock, .. } | Watchdog::Stm32 { clock } => clock.0.div_ceil(1000),
            // It resets the board when it has counted to zero twice.
            Watchdog::Stellaris { clock } => clock.0.div_ceil(2000),
            // 32768 Hz, and the internal oscillator may be 5 % faster (nRF52833 Product Specification, "LFRC").
            Watchdog::Nrf | Watchdog::Nrf91 => 35,
            // Tenths of the periods of 1 kHz, and the oscillator may be 10 % faster (data sheet KL25P80M48SF0, "Internal low power
            // oscillator").
            Watchdog::Kl25 => 11,
            // It counts twice in each tick (RP2040 data sheet, erratum RP2040-E1).
            Watchdog::Rp2040 { .. } => 2000,
            Watchdog::Rp2350 { .. } => 1000,
        }
    }

    /// The longest time in milliseconds after which it resets the board.
    pub fn longest(&self) -> u64 {
        let counts = match self {
            Watchdog::Cmsdk { .. } | Watchdog::Stellaris { .. } | Watchdog::Nrf | Watchdog::Nrf91 => {
                u64::from(u32::MAX)
            }
            // Twelve bits, of a clock that is divided by 256.
            Watchdog::Stm32 { .. } => 0xfff * 256,
            Watchdog::Kl25 => 10_240,
            Watchdog::Rp2040 { .. } | Watchdog::Rp2350 { .. } => 0xff_ffff,
        };
        counts / self.rate()
    }

    /// The highest address in the descriptor.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Watchdog::Cmsdk { base, .. } => Some(base),
            Watchdog::Stellaris { .. }
            | Watchdog::Nrf
            | Watchdog::Nrf91
            | Watchdog::Stm32 { .. }
            | Watchdog::Kl25
            | Watchdog::Rp2040 { .. }
            | Watchdog::Rp2350 { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_fit_the_counters() {
        let clock = Hertz;
        for (watchdog, longest) in [
            (Watchdog::Cmsdk { base: Address(0x4000_8000), clock: clock(25_000_000) }, 171_798),
            (Watchdog::Stellaris { clock: clock(12_000_000) }, 715_827),
            (Watchdog::Nrf, 122_713_351),
            (Watchdog::Stm32 { clock: clock(47_000) }, 22_304),
            (Watchdog::Kl25, 930),
            (Watchdog::Rp2040 { clock: clock(12_000_000) }, 8_388),
            (Watchdog::Rp2350 { clock: clock(12_000_000) }, 16_777),
        ] {
            assert_eq!(watchdog.longest(), longest, "{watchdog:?}");
            assert!(watchdog.longest() * watchdog.rate() <= u64::from(u32::MAX));
        }
    }
}
