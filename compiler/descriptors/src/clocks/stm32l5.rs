//! The clocks of STM32L5 (registers: the crate `stm32l5`; limits: `stm32l5xx_ll_utils.c` of ST's drivers).
//!
//! After a reset the multi-speed oscillator of 4 MHz feeds the core, in the lowest range of the voltage, which is enough for 26 MHz. The
//! main loop divides its source by M, multiplies by N, and divides by R.

use super::{
    Candidate, Problem, Source, Tree, Wish, best, check_source, clear, set,
    stm32::{CORE_SHIFTS, core_bits, inputs, source_bits, wait_states},
    wait, write,
};
use crate::{Address, StartStep};

const MEGAHERTZ: u64 = 1_000_000;

const CONTROL: u64 = 0x4002_1000;
const CONFIGURATION: u64 = 0x4002_1008;
const LOOP: u64 = 0x4002_100c;
const BUS1_GATES: u64 = 0x4002_1058;
const POWER: u64 = 0x4000_7000;
const POWER_STATE: u64 = 0x4000_7014;
const FLASH: u64 = 0x4002_2000;
const CACHE: u64 = 0x4003_0400;

/// The highest frequencies of the core in the highest and in the lowest range of the voltage, each with that of a wait state.
const HIGHEST: u64 = 110 * MEGAHERTZ;
const STEP: u64 = 20 * MEGAHERTZ;
const HIGHEST_OF_LOW: u64 = 26 * MEGAHERTZ;
const STEP_OF_LOW: u64 = 8 * MEGAHERTZ;

/// The highest frequency to which the core changes at once.
const GENTLE: u64 = 80 * MEGAHERTZ;

#[derive(Clone, Copy)]
struct Settings {
    /// M, N and R of the loop, if it is used.
    main: Option<[u64; 3]>,
    core_shift: u32,
}

pub(super) fn solve(wish: &Wish<'_>) -> Result<Tree, Problem> {
    check_source(wish, 4 * MEGAHERTZ..=48 * MEGAHERTZ, 4 * MEGAHERTZ..=48 * MEGAHERTZ)?;
    let source = match wish.source {
        Source::Internal => 4 * MEGAHERTZ,
        Source::Crystal(clock) | Source::External(clock) => clock.0,
    };
    let direct = CORE_SHIFTS.filter(|shift| source.is_multiple_of(1 << shift)).map(|core_shift| Candidate {
        core: source >> core_shift,
        settings: Settings { main: None, core_shift },
        penalty: [0; 3],
    });
    let found = best(wish, HIGHEST, direct.chain(loops(source)))?;
    // Both buses may be as fast as the core.
    Ok(Tree { core: wish.core, inputs: inputs(wish.core.0, [0, 0]), steps: steps(wish, found) })
}

/// The settings of the loop: its input has from 4 to 16 MHz, and its oscillator from 64 to 344 MHz.
fn loops(source: u64) -> impl Iterator<Item = Candidate<Settings>> {
    let dividers = (1..=8).filter(move |m| (4 * MEGAHERTZ * m..=16 * MEGAHERTZ * m).contains(&source));
    dividers.flat_map(move |m| {
        let factors = (8..=86).filter(move |n| (64 * MEGAHERTZ * m..=344 * MEGAHERTZ * m).contains(&(source * n)));
        factors.flat_map(move |n| {
            let exact = [2, 4, 6, 8].into_iter().filter(move |r| (source * n).is_multiple_of(m * r));
            exact.flat_map(move |r| {
                let core = source * n / (m * r);
                CORE_SHIFTS.filter(move |shift| core.is_multiple_of(1 << shift)).map(move |core_shift| Candidate {
                    core: core >> core_shift,
                    settings: Settings { main: Some([m, n, r]), core_shift },
                    penalty: [1 + u64::from(core_shift), m, n],
                })
            })
        })
    })
}

fn steps(wish: &Wish<'_>, settings: Settings) -> Vec<StartStep> {
    let mut steps = Vec::new();
    let source = source_bits(wish.source);
    if source != 0 {
        steps.extend([set(CONTROL, source), wait(CONTROL, 1 << 17)]);
    }
    let core = wish.core.0;
    let is_low = core <= HIGHEST_OF_LOW;
    if !is_low {
        steps.extend([set(BUS1_GATES, 1 << 28), clear(POWER, 3 << 9)]);
        steps.push(StartStep::AwaitClear { address: Address(POWER_STATE), bits: 1 << 10 });
    }
    let waits = wait_states(core, if is_low { STEP_OF_LOW } else { STEP });
    if waits > 0 {
        // The cache hides most of them.
        steps.extend([write(FLASH, waits), set(CACHE, 1)]);
    }
    // A core of more than 80 MHz runs at half of its frequency for a microsecond first, as in ST's HAL.
    let is_halved = core > GENTLE;
    let shift = if is_halved { 1 } else { settings.core_shift };
    if shift > 0 {
        steps.push(write(CONFIGURATION, core_bits(shift) << 4));
    }
    let selected = match (settings.main, source) {
        (Some(_), _) => 3,
        (None, 0) => 0,
        (None, _) => 2,
    };
    if let Some([m, n, r]) = settings.main.map(|all| all.map(|value| value as u32)) {
        let selection = if source == 0 { 1 } else { 3 };
        let setting = (r / 2 - 1) << 25 | 1 << 24 | n << 8 | (m - 1) << 4 | selection;
        steps.extend([write(LOOP, setting), set(CONTROL, 1 << 24), wait(CONTROL, 1 << 25)]);
    }
    if selected != 0 {
        steps.extend([set(CONFIGURATION, selected), wait(CONFIGURATION, selected << 2)]);
    }
    if is_halved {
        // Each step takes at least twelve instructions, so that these take 50 cycles and more with the wait states.
        steps.extend([wait(CONTROL, 1 << 25), wait(CONTROL, 1 << 25), wait(CONTROL, 1 << 25)]);
        steps.push(clear(CONFIGURATION, 0xf << 4));
    }
    steps
}
