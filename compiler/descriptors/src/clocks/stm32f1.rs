//! The clocks of STM32F101, F102 and F103 (registers: the crate `stm32f1`; limits: data sheet DS5319, "General operating conditions" and
//! "PLL characteristics").
//!
//! The loop multiplies its source, or half of it, by 2 to 16; of the internal oscillator it is always half. Flash needs a wait state for
//! each 24 MHz.

use super::{
    Candidate, Problem, Source, Tree, Wish, best, check_source, set,
    stm32::{CORE_SHIFTS, bus_bits, bus_shifts, core_bits, inputs, source_bits, wait_states},
    wait, write,
};
use crate::StartStep;

const MEGAHERTZ: u64 = 1_000_000;

const CONTROL: u64 = 0x4002_1000;
const CONFIGURATION: u64 = 0x4002_1004;
const FLASH: u64 = 0x4002_2000;

#[derive(Clone, Copy)]
struct Settings {
    /// By what the loop divides and multiplies its source, if it is used.
    main: Option<[u32; 2]>,
    core_shift: u32,
}

pub(super) fn solve(wish: &Wish<'_>) -> Result<Tree, Problem> {
    if ["stm32f100", "stm32f105", "stm32f107"].iter().any(|chip| wish.chip.starts_with(chip)) {
        let reason = "the clocks of STM32F100, F105 and F107 are others; describe them with `start` and `clock`";
        return Err(Problem::Source(reason.to_owned()));
    }
    check_source(wish, 4 * MEGAHERTZ..=16 * MEGAHERTZ, MEGAHERTZ..=25 * MEGAHERTZ)?;
    let highest = match wish.chip {
        chip if chip.starts_with("stm32f103") => 72,
        chip if chip.starts_with("stm32f102") => 48,
        _ => 36,
    };
    let (source, dividers): (u64, &[u32]) = match wish.source {
        Source::Internal => (8 * MEGAHERTZ, &[2]),
        Source::Crystal(clock) | Source::External(clock) => (clock.0, &[1, 2]),
    };
    let candidate = |core: u64, main: Option<[u32; 2]>| {
        CORE_SHIFTS.filter(move |shift| core.is_multiple_of(1 << shift)).map(move |core_shift| Candidate {
            core: core >> core_shift,
            settings: Settings { main, core_shift },
            penalty: [main.map_or(0, |_| 1 + u64::from(core_shift)), main.map_or(0, |[divider, _]| divider.into()), 0],
        })
    };
    let loops = dividers.iter().flat_map(|divider| (2..=16).map(move |factor| [*divider, factor]));
    let allowed = loops.filter_map(|main @ [divider, factor]| {
        let fast = source * u64::from(factor);
        let is_allowed = fast.is_multiple_of(divider.into())
            && (16 * MEGAHERTZ..=72 * MEGAHERTZ).contains(&(fast / u64::from(divider)));
        is_allowed.then(|| candidate(fast / u64::from(divider), Some(main)))
    });
    let found = best(wish, highest * MEGAHERTZ, allowed.flatten().chain(candidate(source, None)))?;
    let shifts = bus_shifts(wish.core.0, [36 * MEGAHERTZ, 72 * MEGAHERTZ]);
    Ok(Tree { core: wish.core, inputs: inputs(wish.core.0, shifts), steps: steps(wish, found, shifts) })
}

fn steps(wish: &Wish<'_>, settings: Settings, shifts: [u32; 2]) -> Vec<StartStep> {
    let mut steps = Vec::new();
    let source = source_bits(wish.source);
    if source != 0 {
        steps.extend([set(CONTROL, source), wait(CONTROL, 1 << 17)]);
    }
    let waits = wait_states(wish.core.0, 24 * MEGAHERTZ);
    if waits > 0 {
        // With the buffer that fetches ahead, as after a reset.
        steps.push(write(FLASH, 0x10 | waits));
    }
    let selected = if settings.main.is_some() { 2 } else { u32::from(source != 0) };
    let of_loop = settings.main.map_or(0, |[divider, factor]| {
        let selection = if source == 0 { 0 } else { 1 << 16 | (divider - 1) << 17 };
        (factor - 2) << 18 | selection
    });
    let prescalers = core_bits(settings.core_shift) << 4 | bus_bits(shifts[0]) << 8 | bus_bits(shifts[1]) << 11;
    if of_loop | prescalers != 0 {
        steps.push(write(CONFIGURATION, of_loop | prescalers));
    }
    if settings.main.is_some() {
        steps.extend([set(CONTROL, 1 << 24), wait(CONTROL, 1 << 25)]);
    }
    if selected != 0 {
        steps.extend([set(CONFIGURATION, selected), wait(CONFIGURATION, selected << 2)]);
    }
    steps
}
