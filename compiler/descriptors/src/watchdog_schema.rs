//! Reads the watchdog of a board from its tree.

use crate::{
    Hertz, Watchdog,
    board_schema::{Kinds, by_kind, fits_clock},
    reader::{Fields, FromNode, Report},
    timer_schema::{Family, RP_DIVISOR, Surroundings, invalid, whole_megahertz},
    yaml::Node,
};
use clef_base::Span;

/// The watchdog, if the board's chip can have it.
pub(crate) fn fit_watchdog(
    watchdog: Option<Watchdog>,
    around: &Surroundings<'_>,
    place: Span,
    report: &mut Report,
) -> Option<Option<Watchdog>> {
    let Some(found) = watchdog else { return Some(None) };
    let family = match found {
        Watchdog::Cmsdk { .. } | Watchdog::Stellaris { .. } => return Some(watchdog),
        Watchdog::Nrf => Family::Nordic,
        Watchdog::Nrf91 => Family::Nrf91,
        Watchdog::Stm32 { .. } => Family::Stm32,
        Watchdog::Kl25 => Family::Kl25,
        Watchdog::Rp2040 { .. } => Family::Rp2040,
        Watchdog::Rp2350 { .. } => Family::Rp2350,
    };
    if around.may_be(family) {
        return Some(watchdog);
    }
    let message = format!("the chip of this board has no watchdog of the kind `{}`", found.kind());
    report.push(invalid(message, place).help("use the kind of the board's own chip, or remove `watchdog`"));
    None
}

impl FromNode for Watchdog {
    fn from_node(node: &Node, report: &mut Report) -> Option<Watchdog> {
        const KINDS: Kinds<Watchdog> = &[
            ("cmsdk", |fields| {
                let (base, clock) = (fields.required("base"), fast_clock(fields));
                Some(Watchdog::Cmsdk { base: base?, clock: clock? })
            }),
            ("stellaris", |fields| Some(Watchdog::Stellaris { clock: fast_clock(fields)? })),
            ("nrf", |_| Some(Watchdog::Nrf)),
            ("nrf91", |_| Some(Watchdog::Nrf91)),
            ("stm32", |fields| Some(Watchdog::Stm32 { clock: slow_clock(fields)? })),
            ("kl25", |_| Some(Watchdog::Kl25)),
            ("rp2040", |fields| Some(Watchdog::Rp2040 { clock: whole_megahertz(fields, RP_DIVISOR)? })),
            ("rp2350", |fields| Some(Watchdog::Rp2350 { clock: whole_megahertz(fields, RP_DIVISOR)? })),
        ];
        by_kind(node, "a watchdog", KINDS, report)
    }
}

fn fast_clock(fields: &mut Fields<'_, '_>) -> Option<Hertz> {
    let clock = fields.required::<Hertz>("clock")?;
    let place = fields.span("clock");
    fits_clock(clock, place, fields.report()).then_some(clock)
}

/// The clock of a low-speed oscillator.
fn slow_clock(fields: &mut Fields<'_, '_>) -> Option<Hertz> {
    let clock = fields.required::<Hertz>("clock")?;
    let place = fields.span("clock");
    if (10_000..=100_000).contains(&clock.0) {
        return Some(clock);
    }
    let message = format!("the clock of this watchdog must be from 10 kHz to 100 kHz, not {clock}");
    let note = "it is the highest frequency of the low-speed internal oscillator, in the data sheet of the chip";
    fields.report().push(invalid(message, place).note(note));
    None
}
