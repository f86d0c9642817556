//! The random number generator of a board.

use crate::{
    board_schema::{Kinds, by_kind},
    reader::{FromNode, Report},
    timer_schema::{Family, Surroundings, invalid},
    yaml::Node,
};
use clef_base::Span;
use serde::Serialize;

/// A generator of numbers from physical noise, which programs use through `Rng`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Rng {
    /// Nordic's of nRF51 and nRF52.
    Nrf,
}

/// The generator, if the board's chip can have it.
pub(crate) fn fit_rng(
    rng: Option<Rng>,
    around: &Surroundings<'_>,
    place: Span,
    report: &mut Report,
) -> Option<Option<Rng>> {
    let fits = match rng {
        None => true,
        Some(Rng::Nrf) => around.may_be(Family::Nordic),
    };
    if !fits {
        let message = "the chip of this board has no random number generator of the kind `nrf`".to_owned();
        report.push(invalid(message, place).help("remove `rng`: this kind is for nRF51 and nRF52"));
    }
    fits.then_some(rng)
}

impl FromNode for Rng {
    fn from_node(node: &Node, report: &mut Report) -> Option<Rng> {
        const KINDS: Kinds<Rng> = &[("nrf", |_| Some(Rng::Nrf))];
        by_kind(node, "a random number generator", KINDS, report)
    }
}
