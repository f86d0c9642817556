//! The timers of a board that programs use, besides the one that keeps the time.

use crate::{
    Address, Hertz, Timer,
    board_schema::{Kinds, by_kind, clock},
    reader::{Fields, FromNode, Report},
    timer_schema::{Family, Surroundings, invalid},
    yaml::Node,
};
use clef_base::Span;
use serde::Serialize;

/// Timers with interrupts, which programs use through `Timer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Timers {
    /// TIMER1 and TIMER2 of Nordic's nRF51, with 16 bits.
    Nrf51,
    /// TIMER1 to TIMER4 of nRF52.
    Nrf52,
    /// TIMER1 and TIMER2 of nRF91.
    Nrf91,
    /// TIM1 of STMicroelectronics' STM32F1.
    #[serde(rename = "stm32f1")]
    Stm32F1 {
        /// The clock that it counts, that of timers of the second bus.
        clock: Hertz,
    },
    /// TIM5 of STM32F2 and F4.
    #[serde(rename = "stm32f4")]
    Stm32F4 {
        /// The clock that it counts, that of timers of the first bus.
        clock: Hertz,
    },
    /// TIM5 to TIM7 of STM32L5.
    #[serde(rename = "stm32l5")]
    Stm32L5 {
        /// The clock that they count, that of timers of the first bus.
        clock: Hertz,
    },
    /// The last three alarms of Raspberry Pi's RP2040.
    Rp2040 {
        /// The reference clock, from which microseconds are made.
        clock: Hertz,
    },
    /// The same of the first timer of the RP2350.
    Rp2350 {
        /// The reference clock, from which microseconds are made.
        clock: Hertz,
    },
    /// The first channel of the PIT of NXP's KL25.
    Kl25 {
        /// The clock that it counts, that of the bus.
        clock: Hertz,
    },
    /// The two timers of Arm's Cortex-M System Design Kit.
    Cmsdk {
        /// The registers of the first one; those of the second one are 0x1000 after them.
        base: Address,
        /// The interrupt of the first one; that of the second one is the next.
        interrupt: u32,
        /// The clock that they count.
        clock: Hertz,
    },
    /// The four general-purpose timers of Stellaris LM3S.
    Stellaris {
        /// The clock that they count, that of the core.
        clock: Hertz,
    },
}

/// One of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HardwareTimer {
    /// Its first register; that of all timers where they share their registers.
    pub base: Address,
    /// The number of its interrupt.
    pub interrupt: u32,
    /// Its width in bits.
    pub bits: u32,
    /// Its bit in the register that enables clocks, or its bit among timers that share their registers.
    pub bit: u32,
}

const fn timer(base: u64, interrupt: u32, bits: u32, bit: u32) -> HardwareTimer {
    HardwareTimer { base: Address(base), interrupt, bits, bit }
}

/// nRF51 Series Reference Manual, chapters 6 and 18.
const NRF51: &[HardwareTimer] = &[timer(0x4000_9000, 9, 16, 0), timer(0x4000_a000, 10, 16, 0)];

/// nRF52832, nRF52833 and nRF52840 Product Specifications, "Instantiation" and "TIMER".
const NRF52: &[HardwareTimer] = &[
    timer(0x4000_9000, 9, 32, 0),
    timer(0x4000_a000, 10, 32, 0),
    timer(0x4001_a000, 26, 32, 0),
    timer(0x4001_b000, 27, 32, 0),
];

/// nRF9160 Product Specification, "Instantiation".
const NRF91: &[HardwareTimer] = &[timer(0x5001_0000, 16, 32, 0), timer(0x5001_1000, 17, 32, 0)];

/// RM0008, 3.3, 7.3.7 and 10.1.2.
const STM32F1: &[HardwareTimer] = &[timer(0x4001_2c00, 25, 16, 11)];

/// RM0033 and RM0090: 2.3, "RCC_APB1ENR" and the vector table.
const STM32F4: &[HardwareTimer] = &[timer(0x4000_0c00, 50, 32, 3)];

/// RM0438, 2.3, 9.8.19 and 16.3.
const STM32L5: &[HardwareTimer] =
    &[timer(0x4000_0c00, 48, 32, 3), timer(0x4000_1000, 49, 16, 4), timer(0x4000_1400, 50, 16, 5)];

/// RP2040 data sheet, 2.3.2 and 4.6.
const RP2040: &[HardwareTimer] =
    &[timer(0x4005_4000, 1, 32, 1), timer(0x4005_4000, 2, 32, 2), timer(0x4005_4000, 3, 32, 3)];

/// RP2350 data sheet, 3.2 and 12.8.
const RP2350: &[HardwareTimer] =
    &[timer(0x400b_0000, 1, 32, 1), timer(0x400b_0000, 2, 32, 2), timer(0x400b_0000, 3, 32, 3)];

/// KL25 Sub-Family Reference Manual, 3.3.2.3 and chapter 32.
const KL25: &[HardwareTimer] = &[timer(0x4003_7000, 22, 32, 0)];

/// LM3S6965 data sheet, 2.5.2, 5.4 and chapter 9.
const STELLARIS: &[HardwareTimer] = &[
    timer(0x4003_0000, 19, 32, 16),
    timer(0x4003_1000, 21, 32, 17),
    timer(0x4003_2000, 23, 32, 18),
    timer(0x4003_3000, 35, 32, 19),
];

impl Timers {
    /// The word for their kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Timers::Nrf51 => "nrf51",
            Timers::Nrf52 => "nrf52",
            Timers::Nrf91 => "nrf91",
            Timers::Stm32F1 { .. } => "stm32f1",
            Timers::Stm32F4 { .. } => "stm32f4",
            Timers::Stm32L5 { .. } => "stm32l5",
            Timers::Rp2040 { .. } => "rp2040",
            Timers::Rp2350 { .. } => "rp2350",
            Timers::Kl25 { .. } => "kl25",
            Timers::Cmsdk { .. } => "cmsdk",
            Timers::Stellaris { .. } => "stellaris",
        }
    }

    /// The clock that they count, or from which microseconds are made.
    pub fn clock(&self) -> Hertz {
        match *self {
            Timers::Nrf51 | Timers::Nrf52 | Timers::Nrf91 => Hertz(16_000_000),
            Timers::Stm32F1 { clock }
            | Timers::Stm32F4 { clock }
            | Timers::Stm32L5 { clock }
            | Timers::Rp2040 { clock }
            | Timers::Rp2350 { clock }
            | Timers::Kl25 { clock }
            | Timers::Cmsdk { clock, .. }
            | Timers::Stellaris { clock } => clock,
        }
    }

    /// The timers of a chip, without the one that keeps the time.
    pub fn all(&self, chip: Option<&str>, time: Timer) -> Vec<HardwareTimer> {
        let all = match self {
            Timers::Nrf51 => NRF51.to_vec(),
            // The nRF52805, 52810, 52811 and 52820 have fewer.
            Timers::Nrf52 => {
                let chip = chip.unwrap_or_default().to_ascii_lowercase();
                let has_all = ["nrf52832", "nrf52833", "nrf52840"].iter().any(|name| chip.starts_with(name));
                NRF52[..if has_all { 4 } else { 2 }].to_vec()
            }
            Timers::Nrf91 => NRF91.to_vec(),
            Timers::Stm32F1 { .. } => STM32F1.to_vec(),
            Timers::Stm32F4 { .. } => STM32F4.to_vec(),
            Timers::Stm32L5 { .. } => STM32L5.to_vec(),
            Timers::Rp2040 { .. } => RP2040.to_vec(),
            Timers::Rp2350 { .. } => RP2350.to_vec(),
            Timers::Kl25 { .. } => KL25.to_vec(),
            Timers::Cmsdk { base, interrupt, .. } => {
                let one = |number: u32| {
                    let base = base.0.saturating_add(0x1000 * u64::from(number));
                    timer(base, interrupt.saturating_add(number), 32, 0)
                };
                [one(0), one(1)].to_vec()
            }
            Timers::Stellaris { .. } => STELLARIS.to_vec(),
        };
        all.into_iter().filter(|timer| time.interrupt() != Some(timer.interrupt)).collect()
    }

    /// The highest address in the descriptor, of the last timer.
    pub fn highest(&self) -> Option<Address> {
        if let Timers::Cmsdk { base, .. } = self { Some(Address(base.0.saturating_add(0x1000))) } else { None }
    }

    /// The longest period of each of them, in microseconds, as the narrowest one has it.
    pub fn longest(&self) -> u32 {
        const MEGAHERTZ: u64 = 1_000_000;
        let clock = self.clock().0;
        let longest = match self {
            // A prescaler of 2 to the 5th more.
            Timers::Nrf51 => 0xffff << 5,
            Timers::Nrf52 | Timers::Nrf91 | Timers::Stm32F4 { .. } => u64::from(u32::MAX),
            // A divisor of at most 65536, of which the clock takes a part.
            Timers::Stm32F1 { .. } | Timers::Stm32L5 { .. } => {
                0xffff << (0x1_0000 / (clock / MEGAHERTZ)).max(1).ilog2()
            }
            // Half of what it counts is the future.
            Timers::Rp2040 { .. } | Timers::Rp2350 { .. } => u64::from(u32::MAX / 2),
            Timers::Kl25 { .. } | Timers::Cmsdk { .. } | Timers::Stellaris { .. } => (1 << 32) * MEGAHERTZ / clock,
        };
        longest.min(i32::MAX as u64) as u32
    }

    /// Whether a board can have them, as far as its descriptor identifies the chip.
    fn fits(&self, around: &Surroundings<'_>) -> bool {
        let chip = around.chip.unwrap_or_default().to_ascii_lowercase();
        let is = |prefixes: &[&str]| chip.is_empty() || prefixes.iter().any(|prefix| chip.starts_with(prefix));
        match self {
            Timers::Nrf51 => around.may_be(Family::Nordic) && is(&["nrf51"]),
            Timers::Nrf52 => around.may_be(Family::Nordic) && is(&["nrf52"]),
            Timers::Nrf91 => around.may_be(Family::Nrf91),
            Timers::Stm32F1 { .. } => around.may_be(Family::Stm32) && is(&["stm32f1"]),
            Timers::Stm32F4 { .. } => around.may_be(Family::Stm32) && is(&["stm32f2", "stm32f4"]),
            Timers::Stm32L5 { .. } => around.may_be(Family::Stm32) && is(&["stm32l5"]),
            Timers::Rp2040 { .. } => around.may_be(Family::Rp2040),
            Timers::Rp2350 { .. } => around.may_be(Family::Rp2350),
            Timers::Kl25 { .. } => around.may_be(Family::Kl25),
            Timers::Cmsdk { .. } | Timers::Stellaris { .. } => true,
        }
    }
}

/// The timers, if the board's chip can have them and the vector table has their interrupts. `place` is where they are specified, and `own` a
/// place in the board's own file: a board with fewer interrupts than the one that it inherits from has fewer timers.
pub(crate) fn fit_timers(
    timers: Option<Timers>,
    time: Option<Timer>,
    around: &Surroundings<'_>,
    [place, own]: [Span; 2],
    report: &mut Report,
) -> Option<Option<Timers>> {
    let Some(found) = timers else { return Some(None) };
    if !found.fits(around) {
        let message = format!("the chip of this board has no timers of the kind `{}`", found.kind());
        report.push(
            invalid(message, place).help("use the kind of the board's own chip, or none: `timers: { kind: none }`"),
        );
        return None;
    }
    let all = found.all(around.chip, time?);
    let absent = all.iter().find(|timer| around.vectors.is_some_and(|vectors| timer.interrupt >= vectors));
    if let (Some(timer), Some(vectors)) = (absent.filter(|_| place.file == own.file), around.vectors) {
        let message = format!(
            "a timer's interrupt {} is outside of the board's vector table of {vectors} interrupts",
            timer.interrupt
        );
        report.push(invalid(message, place).help("enlarge `vectors`, or use none: `timers: { kind: none }`"));
        return None;
    }
    Some(timers)
}

/// What `timers` describes: timers, or none.
pub(crate) struct OfChip(pub(crate) Option<Timers>);

impl FromNode for OfChip {
    fn from_node(node: &Node, report: &mut Report) -> Option<OfChip> {
        const KINDS: Kinds<Option<Timers>> = &[
            ("nrf51", |_| Some(Some(Timers::Nrf51))),
            ("nrf52", |_| Some(Some(Timers::Nrf52))),
            ("nrf91", |_| Some(Some(Timers::Nrf91))),
            ("stm32f1", |fields| Some(Some(Timers::Stm32F1 { clock: megahertz(fields)? }))),
            ("stm32f4", |fields| Some(Some(Timers::Stm32F4 { clock: megahertz(fields)? }))),
            ("stm32l5", |fields| Some(Some(Timers::Stm32L5 { clock: megahertz(fields)? }))),
            ("rp2040", |fields| Some(Some(Timers::Rp2040 { clock: megahertz(fields)? }))),
            ("rp2350", |fields| Some(Some(Timers::Rp2350 { clock: megahertz(fields)? }))),
            ("kl25", |fields| {
                let clock = clock(fields)?;
                let place = fields.span("clock");
                // Two microseconds are a count at least.
                let fits = clock.0 >= 1_000_000;
                if !fits {
                    fields
                        .report()
                        .push(invalid(format!("timers for programs need at least 1 MHz, not {clock}"), place));
                }
                fits.then_some(Some(Timers::Kl25 { clock }))
            }),
            ("cmsdk", |fields| {
                let (base, interrupt) = (fields.required("base"), fields.required("interrupt"));
                let clock = megahertz(fields);
                Some(Some(Timers::Cmsdk { base: base?, interrupt: interrupt?, clock: clock? }))
            }),
            ("stellaris", |fields| Some(Some(Timers::Stellaris { clock: megahertz(fields)? }))),
            ("none", |_| Some(None)),
        ];
        by_kind(node, "a kind of timers", KINDS, report).map(OfChip)
    }
}

/// A clock that can be divided to microseconds.
fn megahertz(fields: &mut Fields<'_, '_>) -> Option<Hertz> {
    let clock = clock(fields)?;
    let place = fields.span("clock");
    let fits = clock.0.is_multiple_of(1_000_000);
    if !fits {
        let message = format!("timers for programs cannot count microseconds with a clock of {clock}");
        let help = "choose a frequency with whole megahertz, or no timers: `timers: { kind: none }`";
        fields.report().push(invalid(message, place).help(help));
    }
    fits.then_some(clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_fit_the_counters() {
        let clock = |megahertz: u64| Hertz(megahertz * 1_000_000);
        for (timers, longest) in [
            (Timers::Nrf51, 2_097_120),
            (Timers::Nrf52, 2_147_483_647),
            (Timers::Stm32F1 { clock: clock(72) }, 0xffff << 9),
            (Timers::Stm32L5 { clock: clock(110) }, 0xffff << 9),
            (Timers::Stm32L5 { clock: clock(4) }, 0xffff << 14),
            (Timers::Cmsdk { base: Address(0x4000_0000), interrupt: 8, clock: clock(25) }, 171_798_691),
        ] {
            assert_eq!(timers.longest(), longest, "{timers:?}");
        }
    }

    #[test]
    fn the_timer_that_keeps_the_time_is_not_among_them() {
        let time = Timer::NrfTimer { base: Address(0x4000_9000), bits: 32 };
        let interrupts = |chip, time| {
            let all = Timers::Nrf52.all(chip, time);
            all.into_iter().map(|timer| timer.interrupt).collect::<Vec<_>>()
        };
        assert_eq!(interrupts(Some("nRF52840_xxAA"), time), [10, 26, 27]);
        assert_eq!(interrupts(Some("nRF52811_xxAA"), Timer::Systick), [9, 10]);
    }
}
