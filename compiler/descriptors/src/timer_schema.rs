//! Reads the timer of a board from its tree.
//!
//! Holds afterwards: the chip has such a timer, as far as the descriptor identifies the chip, and the vector table
//! contains its interrupt.

use crate::{
    Address, Boot, Gpio, Hertz, Timer,
    board_schema::{Kinds, by_kind, fits_clock},
    reader::{Fields, FromNode, Report, Words},
    timer::{LowFrequencySource, Stm32Timer},
    yaml::Node,
};
use clef_base::{Diagnostic, Span, codes};

/// The properties of a board that determine whether it can have a timer; `None` if the descriptor is invalid there.
pub(crate) struct Surroundings<'a> {
    pub(crate) boot: Option<Boot>,
    pub(crate) vectors: Option<u32>,
    pub(crate) gpio: Option<Gpio>,
    pub(crate) chip: Option<&'a str>,
}

/// A family of chips.
#[derive(Clone, Copy)]
pub(crate) enum Family {
    /// nRF51 and nRF52.
    Nordic,
    Nrf91,
    Stm32,
    Rp2040,
    Rp2350,
    Kl25,
    Stellaris,
}

impl Surroundings<'_> {
    /// Whether the board's chip may be of a family, as far as the descriptor identifies it.
    pub(crate) fn may_be(&self, family: Family) -> bool {
        let has_pins = self.gpio.is_none_or(|gpio| match family {
            Family::Nordic => matches!(gpio, Gpio::Nrf { .. }) && !gpio.is_nrf91(),
            Family::Nrf91 => gpio.is_nrf91(),
            Family::Stm32 => matches!(gpio, Gpio::Stm32 { .. } | Gpio::Stm32F1 { .. }),
            Family::Rp2040 => gpio == Gpio::Rp2040,
            Family::Rp2350 => gpio == Gpio::Rp2350,
            Family::Kl25 => gpio == Gpio::Kl25,
            Family::Stellaris => gpio == Gpio::Stellaris,
        });
        let prefixes: &[&str] = match family {
            Family::Nordic => &["nrf51", "nrf52"],
            Family::Nrf91 => &["nrf91"],
            Family::Stm32 => &["stm32"],
            Family::Rp2040 => &["rp2040"],
            Family::Rp2350 => &["rp23"],
            Family::Kl25 => &["mkl25", "kl25"],
            Family::Stellaris => &["lm3s"],
        };
        let chip = self.chip.unwrap_or_default().to_ascii_lowercase();
        has_pins && (chip.is_empty() || prefixes.iter().any(|prefix| chip.starts_with(prefix)))
    }
}

/// The timer, if the board can have it. `place` is the location of the key, or of the board if the key is missing: then
/// the timer is the processor's.
pub(crate) fn fit_timer(
    timer: Option<Timer>,
    around: &Surroundings<'_>,
    place: Span,
    report: &mut Report,
) -> Option<Timer> {
    let is_cortex_m = around.boot.is_none_or(|boot| boot == Boot::CortexM);
    let found = timer.unwrap_or(Timer::Systick);
    let problem = match (timer, is_cortex_m) {
        (None, false) => None,
        (Some(_), false) => Some(invalid("`time` requires a board that boots as `cortex-m`".to_owned(), place)),
        (_, true) => foreign(found, around, place).or_else(|| absent(found, around, place)),
    };
    let fits = problem.is_none();
    report.extend(problem);
    fits.then_some(found)
}

pub(crate) fn invalid(message: String, place: Span) -> Diagnostic {
    Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message)
}

/// The error for a timer of another chip.
fn foreign(timer: Timer, around: &Surroundings<'_>, place: Span) -> Option<Diagnostic> {
    let chip = around.chip.unwrap_or_default().to_ascii_lowercase();
    let is_nordic = matches!(around.gpio, Some(Gpio::Nrf { .. }))
        || ["nrf51", "nrf52", "nrf91"].iter().any(|family| chip.starts_with(family));
    let is_nrf91 = chip.starts_with("nrf91") || around.gpio.is_some_and(|gpio| gpio.is_nrf91());
    let fits = match timer {
        Timer::Systick if is_nordic => {
            let message = "the system timer of this chip is absent, or stops while the processor sleeps";
            let first = if is_nrf91 { NRF91_TIMERS[0] } else { NRF_TIMERS[0] };
            return Some(
                invalid(message.to_owned(), place)
                    .note("nRF51 has none (nRF51 Reference Manual, 3); on nRF52 and nRF91 it stops in `wfi`")
                    .help(format!("use one of the chip's timers: `time: {{ kind: nrf-timer, base: {first} }}`")),
            );
        }
        Timer::Systick => true,
        Timer::NrfTimer { base, bits: 32 } if chip.starts_with("nrf51") && base != NRF_TIMERS[0] => {
            let message = format!("the timer at {base} has 16 bits on an nRF51");
            return Some(
                invalid(message, place).help(format!("write `bits: 16`, or use the timer at {}", NRF_TIMERS[0])),
            );
        }
        Timer::NrfRtc { source: LowFrequencySource::Synthesized, .. } if is_nrf91 => {
            let message = "an nRF91 has no low-frequency clock that is synthesized".to_owned();
            return Some(invalid(message, place).help("use `source: crystal`, or `source: rc`"));
        }
        Timer::NrfRtc { .. } | Timer::NrfTimer { .. } => {
            around.may_be(if timer.is_nrf91() { Family::Nrf91 } else { Family::Nordic })
        }
        Timer::Rp2040 { .. } => around.may_be(Family::Rp2040),
        Timer::Rp2350 { .. } => around.may_be(Family::Rp2350),
        Timer::Stm32(_) => around.may_be(Family::Stm32),
    };
    let message = || match timer {
        Timer::NrfRtc { base, .. } | Timer::NrfTimer { base, .. } if is_nordic => {
            format!("the chip of this board has no timer of the kind `{}` at {base}", timer.kind())
        }
        Timer::Systick
        | Timer::NrfRtc { .. }
        | Timer::NrfTimer { .. }
        | Timer::Rp2040 { .. }
        | Timer::Rp2350 { .. }
        | Timer::Stm32(_) => format!("the chip of this board has no timer of the kind `{}`", timer.kind()),
    };
    (!fits).then(|| invalid(message(), place))
}

/// The error for a timer whose interrupt is not in the vector table.
fn absent(timer: Timer, around: &Surroundings<'_>, place: Span) -> Option<Diagnostic> {
    let (interrupt, vectors) = (timer.interrupt()?, around.vectors?);
    let message =
        || format!("the timer's interrupt {interrupt} is outside of the board's vector table of {vectors} interrupts");
    (interrupt >= vectors).then(|| invalid(message(), place))
}

impl Words for LowFrequencySource {
    const WHAT: &'static str = "a source of the low-frequency clock";
    const WORDS: &'static [(&'static str, LowFrequencySource)] = &[
        ("crystal", LowFrequencySource::Crystal),
        ("rc", LowFrequencySource::Rc),
        ("synthesized", LowFrequencySource::Synthesized),
    ];
}

/// The addresses of the real-time counters and timers of nRF51 and nRF52; a chip may lack the last ones.
const NRF_RTCS: &[Address] = &[Address(0x4000_b000), Address(0x4001_1000), Address(0x4002_4000)];
const NRF_TIMERS: &[Address] =
    &[Address(0x4000_8000), Address(0x4000_9000), Address(0x4000_a000), Address(0x4001_a000), Address(0x4001_b000)];

/// The same of nRF91, in the secure world (nRF9160 Product Specification, "Instantiation").
const NRF91_RTCS: &[Address] = &[Address(0x5001_4000), Address(0x5001_5000)];
const NRF91_TIMERS: &[Address] = &[Address(0x5000_f000), Address(0x5001_0000), Address(0x5001_1000)];

impl FromNode for Timer {
    fn from_node(node: &Node, report: &mut Report) -> Option<Timer> {
        const KINDS: Kinds<Timer> = &[
            ("systick", |_| Some(Timer::Systick)),
            ("nrf-rtc", |fields| {
                let (base, source) =
                    (device_at(fields, [NRF_RTCS, NRF91_RTCS], "real-time counter"), fields.required("source"));
                Some(Timer::NrfRtc { base: base?, source: source? })
            }),
            ("nrf-timer", |fields| {
                let (base, bits) = (device_at(fields, [NRF_TIMERS, NRF91_TIMERS], "timer"), bits(fields));
                Some(Timer::NrfTimer { base: base?, bits: bits? })
            }),
            ("rp2040", |fields| Some(Timer::Rp2040 { clock: whole_megahertz(fields, RP_DIVISOR)? })),
            ("rp2350", |fields| Some(Timer::Rp2350 { clock: whole_megahertz(fields, RP_DIVISOR)? })),
            ("stm32", |fields| stm32(fields).map(Timer::Stm32)),
        ];
        by_kind(node, "a timer", KINDS, report)
    }
}

/// The largest divisors (RP2040 datasheet, 4.7.2; RM0090, "TIMx_PSC").
pub(crate) const RP_DIVISOR: u64 = (1 << 9) - 1;
const STM32_DIVISOR: u64 = 1 << 16;

fn stm32(fields: &mut Fields<'_, '_>) -> Option<Stm32Timer> {
    let (base, clock) = (register(fields, "base"), whole_megahertz(fields, STM32_DIVISOR));
    let (enable, bit) = (register(fields, "enable"), fields.required::<u32>("bit"));
    let place = fields.span("bit");
    let bit = bit.filter(|bit| {
        let fits = *bit < 32;
        if !fits {
            fields.report().push(invalid(format!("registers have the bits 0 to 31, not {bit}"), place));
        }
        fits
    });
    let (interrupt, bits) = (fields.required("interrupt"), bits(fields));
    Some(Stm32Timer { base: base?, clock: clock?, enable: enable?, bit: bit?, interrupt: interrupt?, bits: bits? })
}

/// The width of a timer in bits: 32 by default.
fn bits(fields: &mut Fields<'_, '_>) -> Option<u32> {
    let bits = fields.optional::<u32>("bits")?.unwrap_or(32);
    let place = fields.span("bits");
    let fits = matches!(bits, 16 | 32);
    if !fits {
        fields.report().push(invalid(format!("a timer must have 16 or 32 bits, not {bits}"), place));
    }
    fits.then_some(bits)
}

/// The address of one of the devices that chips have: nRF51 and nRF52, or nRF91.
fn device_at(fields: &mut Fields<'_, '_>, known: [&[Address]; 2], what: &str) -> Option<Address> {
    let base = fields.required::<Address>("base")?;
    let place = fields.span("base");
    let fits = known.iter().any(|known| known.contains(&base));
    if !fits {
        let [common, nrf91] = known.map(|known| known.iter().map(Address::to_string).collect::<Vec<_>>().join(", "));
        let message = format!("nRF51, nRF52 and nRF91 have no {what} at {base}");
        let note = format!("the addresses are {common}, and on nRF91 {nrf91}");
        fields.report().push(invalid(message, place).note(note));
    }
    fits.then_some(base)
}

/// The address of a 32-bit register.
fn register(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<Address> {
    let address = fields.required::<Address>(key)?;
    let place = fields.span(key);
    let fits = address.0.is_multiple_of(4) && address.0 <= u64::from(u32::MAX);
    if !fits {
        let note = "the address must be a 32-bit multiple of 4";
        fields.report().push(invalid(format!("no 32-bit register at {address}"), place).note(note));
    }
    fits.then_some(address)
}

/// A clock that a divisor of at most `largest` divides to microseconds.
pub(crate) fn whole_megahertz(fields: &mut Fields<'_, '_>, largest: u64) -> Option<Hertz> {
    const MEGAHERTZ: u64 = 1_000_000;
    let clock = fields.required::<Hertz>("clock")?;
    let place = fields.span("clock");
    if !fits_clock(clock, place, fields.report()) {
        return None;
    }
    let divisor = clock.0 / MEGAHERTZ;
    let fits = clock.0.is_multiple_of(MEGAHERTZ) && (1..=largest).contains(&divisor);
    if !fits {
        let message =
            format!("cannot divide the clock of {clock} to 1 MHz: the divisor must be an integer of at most {largest}");
        fields.report().push(invalid(message, place));
    }
    fits.then_some(clock)
}
