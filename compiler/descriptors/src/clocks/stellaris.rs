//! The clocks of Stellaris LM3S6965 (LM3S6965 data sheet, 5.2.4, 5.3 and 5.5): the phase-locked loop has 400 MHz, of which half is divided for
//! the core. All devices have the clock of the core, except the converter, for which a 25th is divided from the loop.
//!
//! The chip does not tell whether the oscillator of the crystal is stable, so that the system timer waits for it. The loop of revision A2 requires
//! a supply of 2.75 V, which the board does not set.

use super::{Candidate, Inputs, Problem, Source, Tree, Wish, best, clear, wait, write};
use crate::{Hertz, StartStep};

const MEGAHERTZ: u64 = 1_000_000;

/// Run-mode clock configuration; raw interrupt status with the bit of a loop that has locked, and what clears it.
const CONFIGURATION: u64 = 0x400f_e060;
const STATUS: u64 = 0x400f_e050;
const CLEAR: u64 = 0x400f_e058;
const LOCKED: u32 = 1 << 6;

/// The configuration: the oscillator of the crystal is off; the loop is off, and is not used; the core's clock is divided.
const CRYSTAL_OFF: u32 = 1;
const LOOP_OFF: u32 = 1 << 13;
const BYPASS: u32 = 1 << 11;
const DIVIDES: u32 = 1 << 22;
/// After a reset, apart from the crystal, the source and the divider.
const REST: u32 = 0x000e_1000;

/// The internal oscillator has 12 MHz, with a tolerance of 30 percent, and the settling time is 20 ms of the fastest one.
const INTERNAL: u64 = 12 * MEGAHERTZ;
const SETTLING: u32 = 312_000;

/// What the converter has from the loop (LM3S6965 data sheet, 11.3).
const CONVERTER: u64 = 16 * MEGAHERTZ;

/// The system timer: control and status, reload value, and count.
const TIMER: u64 = 0xe000_e010;
const TIMER_RELOAD: u64 = 0xe000_e014;
const TIMER_COUNT: u64 = 0xe000_e018;

/// The crystals from which the loop makes 400 MHz exactly, with their codes.
const CRYSTALS: [(u64, u32); 4] = [(4, 0x6), (5, 0x9), (6, 0xb), (8, 0xe)];

pub(super) fn solve(wish: &Wish<'_>) -> Result<Tree, Problem> {
    let crystal = match wish.source {
        Source::Internal => {
            let only = Candidate { core: INTERNAL, settings: (), penalty: [0; 3] };
            best(wish, INTERNAL, [only].into_iter())?;
            return Ok(Tree { core: wish.core, inputs: Inputs::Stellaris { converter: None }, steps: Vec::new() });
        }
        Source::Crystal(clock) | Source::External(clock) => clock.0,
    };
    let Some((_, code)) = CRYSTALS.into_iter().find(|(megahertz, _)| megahertz * MEGAHERTZ == crystal) else {
        let reason = "the loop of this chip makes 400 MHz from 4, 5, 6 and 8 MHz";
        return Err(Problem::Source(reason.to_owned()));
    };
    // Up to 50 MHz, whose divider is 4.
    let exact = (4..=16).filter(|divider| (200 * MEGAHERTZ).is_multiple_of(*divider));
    let candidates =
        exact.map(|divider| Candidate { core: 200 * MEGAHERTZ / divider, settings: divider as u32, penalty: [0; 3] });
    let divider = best(wish, 50 * MEGAHERTZ, candidates)?;
    let inputs = Inputs::Stellaris { converter: Some(Hertz(CONVERTER)) };
    Ok(Tree { core: Hertz(wish.core.0), inputs, steps: steps(code, divider) })
}

fn steps(crystal: u32, divider: u32) -> Vec<StartStep> {
    let divided = REST | (divider - 1) << 23 | DIVIDES | crystal << 6 | BYPASS;
    vec![
        // The core has the internal oscillator until the other one is stable.
        clear(CONFIGURATION, CRYSTAL_OFF),
        write(TIMER_RELOAD, SETTLING),
        // The count is unknown after a reset, and writing it clears it.
        write(TIMER_COUNT, 0),
        write(TIMER, 5),
        wait(TIMER, 1 << 16),
        write(TIMER, 0),
        // The loop begins with the crystal, which is the core's clock for now.
        write(CONFIGURATION, REST | 0xf << 23 | crystal << 6 | BYPASS | LOOP_OFF),
        write(CLEAR, LOCKED),
        write(CONFIGURATION, divided),
        wait(STATUS, LOCKED),
        write(CONFIGURATION, divided & !BYPASS),
    ]
}
