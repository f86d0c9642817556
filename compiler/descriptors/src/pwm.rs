//! The pulse-width outputs of a board.

use crate::{
    Address, Gpio, Hertz, Pin, Timer,
    at_pins::{Wanted, is_stm32f4, is_stm32l5},
    board_schema::{Kinds, by_kind, clock},
    reader::{FromNode, Report},
    timer_schema::{Surroundings, invalid},
    yaml::Node,
};
use clef_base::Span;
use serde::Serialize;

/// Timers that make pulses of a width at pins, which programs use through `Pwm`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Pwm {
    /// Pulses that a timer of nRF51 makes with tasks of its GPIOTE: two, for any pin.
    Nrf51,
    /// Nordic's of nRF52833 and nRF52840: four of them, each for any pin.
    Nrf52,
    /// The same of nRF91.
    Nrf91,
    /// TIM2 to TIM4 of STMicroelectronics' STM32F1.
    #[serde(rename = "stm32f1")]
    Stm32F1 {
        /// The clock that they count.
        clock: Hertz,
    },
    /// TIM2 to TIM4 of the STM32F2 and F4.
    #[serde(rename = "stm32f4")]
    Stm32F4 {
        /// The clock that they count.
        clock: Hertz,
    },
    /// TIM2 to TIM4 of the STM32L5.
    #[serde(rename = "stm32l5")]
    Stm32L5 {
        /// The clock that they count.
        clock: Hertz,
    },
    /// The slices of Raspberry Pi's RP2040.
    Rp2040 {
        /// The clock that they count, that of the core.
        clock: Hertz,
    },
    /// The same for the RP2350.
    Rp2350 {
        /// The clock that they count, that of the core.
        clock: Hertz,
    },
    /// TPM0 to TPM2 of NXP's KL25.
    Kl25 {
        /// The clock that they count, that of the frequency-locked loop.
        clock: Hertz,
    },
    /// The three generators of Stellaris LM3S6965.
    Stellaris {
        /// The clock that they count, that of the core.
        clock: Hertz,
    },
}

/// The steps of a period at the highest frequency.
const STEPS: u64 = 4;

/// The channels of STM32 timers at pins: port, first pin, number of pins, timer and first channel, both from 0.
type Channels = &'static [(u32, u32, u32, u32, u32)];

/// Without a remap (RM0008, 9.3.7; data sheet DS5319, "Pin definitions").
const STM32F1: Channels = &[(0, 0, 4, 0, 0), (0, 6, 2, 1, 0), (1, 0, 2, 1, 2), (1, 6, 4, 2, 0)];

/// Data sheets of the STM32F205, F405, F407, F411, F446 and L552, "Alternate function mapping".
const STM32F4: Channels = &[
    (0, 0, 4, 0, 0),
    (0, 5, 1, 0, 0),
    (0, 15, 1, 0, 0),
    (1, 3, 1, 0, 1),
    (1, 10, 2, 0, 2),
    (0, 6, 2, 1, 0),
    (1, 4, 2, 1, 0),
    (1, 0, 2, 1, 2),
    (2, 6, 4, 1, 0),
    (1, 6, 4, 2, 0),
    (3, 12, 4, 2, 0),
];

/// Data sheet KL25P80M48SF0, "KL25 Signal Multiplexing and Pin Assignments".
const KL25: Channels = &[
    (0, 0, 1, 0, 5),
    (0, 1, 2, 2, 0),
    (0, 3, 3, 0, 0),
    (0, 12, 2, 1, 0),
    (1, 0, 2, 1, 0),
    (1, 2, 2, 2, 0),
    (1, 18, 2, 2, 0),
    (2, 1, 4, 0, 0),
    (2, 8, 2, 0, 4),
    (3, 0, 6, 0, 0),
    (4, 20, 2, 1, 0),
    (4, 22, 2, 2, 0),
    (4, 24, 2, 0, 0),
    (4, 29, 3, 0, 2),
];

/// LM3S6965 data sheet, 19.4: PWM0 to PWM5.
const STELLARIS: Channels = &[(5, 0, 1, 0, 0), (3, 1, 1, 0, 1), (1, 0, 2, 1, 0), (4, 0, 2, 2, 0)];

impl Pwm {
    /// The word for its kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Pwm::Nrf51 => "nrf51",
            Pwm::Nrf52 => "nrf52",
            Pwm::Nrf91 => "nrf91",
            Pwm::Stm32F1 { .. } => "stm32f1",
            Pwm::Stm32F4 { .. } => "stm32f4",
            Pwm::Stm32L5 { .. } => "stm32l5",
            Pwm::Rp2040 { .. } => "rp2040",
            Pwm::Rp2350 { .. } => "rp2350",
            Pwm::Kl25 { .. } => "kl25",
            Pwm::Stellaris { .. } => "stellaris",
        }
    }

    /// The clock that it counts.
    pub fn clock(&self) -> Hertz {
        match *self {
            // A quarter of the clock, so that a count is longer than the time in which an event changes what other events do (nRF51 Series
            // Reference Manual, chapters 16 and 18).
            Pwm::Nrf51 => Hertz(4_000_000),
            // nRF52840 and nRF9160 Product Specifications, "PWM".
            Pwm::Nrf52 | Pwm::Nrf91 => Hertz(16_000_000),
            Pwm::Stm32F1 { clock }
            | Pwm::Stm32F4 { clock }
            | Pwm::Stm32L5 { clock }
            | Pwm::Rp2040 { clock }
            | Pwm::Rp2350 { clock }
            | Pwm::Kl25 { clock }
            | Pwm::Stellaris { clock } => clock,
        }
    }

    /// The timer that makes the pulses of an nRF51: its first register and its interrupt. That is TIMER0 unless it keeps the time, since
    /// programs have the others.
    pub fn timer(&self, time: Timer) -> Option<(Address, u32)> {
        const TIMER0: (Address, u32) = (Address(0x4000_8000), 8);
        const TIMER2: (Address, u32) = (Address(0x4000_a000), 10);
        let is_nrf51 = *self == Pwm::Nrf51;
        is_nrf51.then(|| if time.interrupt() == Some(TIMER0.1) { TIMER2 } else { TIMER0 })
    }

    /// The most counts of a period.
    fn largest_period(&self) -> u64 {
        match self {
            // A counter of 16 bits, of a clock that is divided by 512 at most.
            Pwm::Nrf51 => 0xffff * 128,
            // A counter of 15 bits, of a clock that is divided by 128 at most.
            Pwm::Nrf52 | Pwm::Nrf91 => 0x7fff * 128,
            // 16 bits, of which one value is kept for pulses that never end, and a divisor of 16 bits.
            Pwm::Stm32F1 { .. } | Pwm::Stm32F4 { .. } | Pwm::Stm32L5 { .. } => 0xffff * 0x1_0000,
            // A divisor of 8 bits.
            Pwm::Rp2040 { .. } | Pwm::Rp2350 { .. } => 0xffff * 0xff,
            // A divisor of 128.
            Pwm::Kl25 { .. } => 0xffff * 128,
            // A divisor of 64.
            Pwm::Stellaris { .. } => 0xffff * 64,
        }
    }

    /// The lowest and the highest frequency in hertz.
    pub fn frequencies(&self) -> (u64, u64) {
        let clock = self.clock().0;
        (clock.div_ceil(self.largest_period()).max(1), clock / STEPS)
    }

    /// The pins with outputs, each with its channel: four of each timer of an STM32, eight of a KL25, two of an LM3S, in their
    /// order. Nothing if it is any
    /// pin. A timer that keeps the time has none.
    pub fn outputs(&self, time: Timer) -> Option<Vec<(Pin, u32)>> {
        let (channels, each) = match self {
            Pwm::Nrf51 | Pwm::Nrf52 | Pwm::Nrf91 | Pwm::Rp2040 { .. } | Pwm::Rp2350 { .. } => return None,
            Pwm::Stm32F1 { .. } => (STM32F1, 4),
            Pwm::Stm32F4 { .. } | Pwm::Stm32L5 { .. } => (STM32F4, 4),
            Pwm::Kl25 { .. } => (KL25, 8),
            Pwm::Stellaris { .. } => (STELLARIS, 2),
        };
        let kept = match time {
            Timer::Stm32(timer) => Some(timer.base),
            Timer::Systick
            | Timer::NrfTimer { .. }
            | Timer::NrfRtc { .. }
            | Timer::Rp2040 { .. }
            | Timer::Rp2350 { .. } => None,
        };
        let free = channels.iter().filter(|(.., timer, _)| {
            // TIM2, TIM3 and TIM4 follow each other in all of them.
            kept != Some(Address(0x4000_0000 + 0x400 * u64::from(*timer)))
        });
        let all = free.flat_map(|&(port, first, count, timer, channel)| {
            (0..count).map(move |index| (Pin { port, number: first + index }, timer * each + channel + index))
        });
        Some(all.collect())
    }

    /// Whether a board with these pins and this chip may have it.
    fn fits(&self, gpio: Gpio, chip: &str) -> bool {
        let is = |prefixes: &[&str]| chip.is_empty() || prefixes.iter().any(|prefix| chip.starts_with(prefix));
        match self {
            Pwm::Nrf51 => matches!(gpio, Gpio::Nrf { .. }) && !gpio.is_nrf91() && is(&["nrf51"]),
            // The nRF52832 may play the first value wrongly (nRF52832 Errata, anomaly 109), and others have fewer.
            Pwm::Nrf52 => matches!(gpio, Gpio::Nrf { .. }) && !gpio.is_nrf91() && is(&["nrf52833", "nrf52840"]),
            Pwm::Nrf91 => gpio.is_nrf91() && is(&["nrf91"]),
            Pwm::Stm32F1 { .. } => matches!(gpio, Gpio::Stm32F1 { .. }) && is(&["stm32f1"]),
            Pwm::Stm32F4 { .. } => is_stm32f4(gpio) && is(&["stm32f2", "stm32f4"]),
            Pwm::Stm32L5 { .. } => is_stm32l5(gpio) && is(&["stm32l5"]),
            Pwm::Rp2040 { .. } => gpio == Gpio::Rp2040,
            Pwm::Rp2350 { .. } => gpio == Gpio::Rp2350,
            Pwm::Kl25 { .. } => gpio == Gpio::Kl25,
            Pwm::Stellaris { .. } => gpio == Gpio::Stellaris && is(&["lm3s6965"]),
        }
    }
}

/// The outputs, if the board's chip can have them. `place` is where they are specified, and `own` a place in the board's own file: a board
/// with fewer interrupts than the one that it inherits from may have none.
pub(crate) fn fit_pwm(
    pwm: Option<Pwm>,
    time: Option<Timer>,
    around: &Surroundings<'_>,
    [place, own]: [Span; 2],
    report: &mut Report,
) -> Option<Option<Pwm>> {
    let Some(found) = pwm else { return Some(None) };
    let wanted = Wanted { key: "pwm", pins: "whose pins it drives", device: "pulse-width outputs", kind: found.kind() };
    if !wanted.fits(around, place, report, |gpio, chip| found.fits(gpio, chip)) {
        return None;
    }
    let vectors = around.vectors.unwrap_or_default();
    let Some((_, interrupt)) = found.timer(time?).filter(|(_, interrupt)| *interrupt >= vectors) else {
        return Some(pwm);
    };
    if place.file != own.file {
        return Some(None);
    }
    let message = format!(
        "the interrupt {interrupt} of the timer for pulses is outside of the board's vector table of {vectors} interrupts"
    );
    report.push(invalid(message, place).help("enlarge `vectors`, or use none: `pwm: { kind: none }`"));
    None
}

/// What `pwm` describes: timers, or none.
pub(crate) struct Outputs(pub(crate) Option<Pwm>);

impl FromNode for Outputs {
    fn from_node(node: &Node, report: &mut Report) -> Option<Outputs> {
        const KINDS: Kinds<Option<Pwm>> = &[
            ("nrf51", |_| Some(Some(Pwm::Nrf51))),
            ("nrf52", |_| Some(Some(Pwm::Nrf52))),
            ("nrf91", |_| Some(Some(Pwm::Nrf91))),
            ("stm32f1", |fields| Some(Some(Pwm::Stm32F1 { clock: clock(fields)? }))),
            ("stm32f4", |fields| Some(Some(Pwm::Stm32F4 { clock: clock(fields)? }))),
            ("stm32l5", |fields| Some(Some(Pwm::Stm32L5 { clock: clock(fields)? }))),
            ("rp2040", |fields| Some(Some(Pwm::Rp2040 { clock: clock(fields)? }))),
            ("rp2350", |fields| Some(Some(Pwm::Rp2350 { clock: clock(fields)? }))),
            ("kl25", |fields| Some(Some(Pwm::Kl25 { clock: clock(fields)? }))),
            ("stellaris", |fields| Some(Some(Pwm::Stellaris { clock: clock(fields)? }))),
            ("none", |_| Some(None)),
        ];
        by_kind(node, "a kind of pulse-width outputs", KINDS, report).map(Outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timer::Stm32Timer;

    #[test]
    fn frequencies_fit_the_counters() {
        let clock = |megahertz: u64| Hertz(megahertz * 1_000_000);
        for (pwm, frequencies) in [
            (Pwm::Nrf51, (1, 1_000_000)),
            (Pwm::Nrf52, (4, 4_000_000)),
            (Pwm::Stm32F1 { clock: clock(8) }, (1, 2_000_000)),
            (Pwm::Stm32F4 { clock: clock(168) }, (1, 42_000_000)),
            (Pwm::Rp2040 { clock: clock(12) }, (1, 3_000_000)),
            (Pwm::Rp2350 { clock: clock(150) }, (9, 37_500_000)),
            (Pwm::Stellaris { clock: clock(50) }, (12, 12_500_000)),
        ] {
            assert_eq!(pwm.frequencies(), frequencies, "{pwm:?}");
        }
    }

    #[test]
    fn a_timer_that_keeps_the_time_makes_no_pulses() {
        let timer = |base| Timer::NrfTimer { base: Address(base), bits: 16 };
        let interrupt = |time| Pwm::Nrf51.timer(time).map(|(_, interrupt)| interrupt);
        assert_eq!(interrupt(timer(0x4000_8000)), Some(10));
        assert_eq!(interrupt(timer(0x4000_a000)), Some(8));
        assert_eq!(Pwm::Nrf52.timer(Timer::Systick), None);
    }

    #[test]
    fn a_timer_that_keeps_the_time_has_no_outputs() {
        let timer = Stm32Timer {
            base: Address(0x4000_0400),
            clock: Hertz(16_000_000),
            enable: Address(0x4002_3840),
            bit: 1,
            interrupt: 29,
            bits: 16,
        };
        let pwm = Pwm::Stm32F4 { clock: Hertz(16_000_000) };
        let channels = |time| pwm.outputs(time).expect("an STM32 has a list").into_iter().map(|(_, channel)| channel);
        assert!(channels(Timer::Systick).any(|channel| channel / 4 == 1));
        assert!(channels(Timer::Stm32(timer)).all(|channel| channel / 4 != 1));
        let orange = Pin { port: 3, number: 13 };
        assert!(pwm.outputs(Timer::Systick).is_some_and(|outputs| outputs.contains(&(orange, 9))));
    }
}
