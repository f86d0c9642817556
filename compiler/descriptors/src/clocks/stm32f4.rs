//! The clocks of STM32F2 and F4 (registers: the crates `stm32f2` and `stm32f4`; limits of the loop: `src/rcc/pll.rs` of `stm32f4xx-hal`, and
//! `stm32f4xx_ll_utils.c` of ST's drivers).
//!
//! The main loop divides its source by M, multiplies by N, and divides by P for the core and by Q for USB and random numbers. With a supply
//! of 2.7 V flash needs a wait state for each 30 MHz.

use super::{
    Candidate, Problem, Source, Tree, Wish, best, check_source, set,
    stm32::{CORE_SHIFTS, bus_bits, bus_shifts, core_bits, inputs, source_bits, wait_states},
    wait, write,
};
use crate::{Address, StartStep};

/// The limits of a chip.
struct Limits {
    core: u64,
    buses: [u64; 2],
    /// The smallest factor, and the slowest oscillator of the loop.
    factor: u64,
    oscillator: u64,
    /// The frequency in hertz above which the supply of the core is raised, and how.
    supply: Option<(u64, Supply)>,
    /// Whether instructions are fetched ahead: the first revision of some chips does so wrongly.
    prefetches: bool,
}

/// How the supply of the core is raised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Supply {
    /// By the scale that is not the one after a reset.
    Scale,
    /// By the over-drive.
    OverDrive,
}

const MEGAHERTZ: u64 = 1_000_000;

/// The registers of clocks, of power and of flash.
const CONTROL: u64 = 0x4002_3800;
const LOOP: u64 = 0x4002_3804;
const CONFIGURATION: u64 = 0x4002_3808;
const BUS1_GATES: u64 = 0x4002_3840;
const POWER: u64 = 0x4000_7000;
const POWER_STATE: u64 = 0x4000_7004;
const FLASH: u64 = 0x4002_3c00;

fn limits(chip: &str) -> Limits {
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| chip.starts_with(&format!("stm32f{prefix}")));
    let of = |core: u64, bus1: u64, bus2: u64| Limits {
        core: core * MEGAHERTZ,
        buses: [bus1 * MEGAHERTZ, bus2 * MEGAHERTZ],
        factor: 50,
        oscillator: 100 * MEGAHERTZ,
        supply: None,
        prefetches: true,
    };
    if is(&["2"]) {
        return Limits { factor: 192, oscillator: 192 * MEGAHERTZ, ..of(120, 30, 60) };
    }
    if is(&["405", "407", "415", "417"]) {
        return Limits { prefetches: false, ..of(168, 42, 84) };
    }
    if is(&["410", "411", "412", "413", "423"]) {
        return Limits { supply: Some((84 * MEGAHERTZ, Supply::Scale)), ..of(100, 50, 100) };
    }
    if is(&["427", "429", "437", "439", "446", "469", "479"]) {
        return Limits { supply: Some((168 * MEGAHERTZ, Supply::OverDrive)), ..of(180, 45, 90) };
    }
    // The STM32F401, the slowest of them.
    Limits { factor: 192, oscillator: 192 * MEGAHERTZ, ..of(84, 42, 84) }
}

#[derive(Clone, Copy)]
struct Settings {
    /// M, N, P and Q of the loop, if it is used.
    main: Option<[u64; 4]>,
    core_shift: u32,
}

pub(super) fn solve(wish: &Wish<'_>) -> Result<Tree, Problem> {
    check_source(wish, 4 * MEGAHERTZ..=26 * MEGAHERTZ, MEGAHERTZ..=50 * MEGAHERTZ)?;
    let source = match wish.source {
        Source::Internal => 16 * MEGAHERTZ,
        Source::Crystal(clock) | Source::External(clock) => clock.0,
    };
    let limits = limits(wish.chip);
    let direct = CORE_SHIFTS.filter(|shift| source.is_multiple_of(1 << shift)).map(|core_shift| Candidate {
        core: source >> core_shift,
        settings: Settings { main: None, core_shift },
        penalty: [0; 3],
    });
    let found = best(wish, limits.core, direct.chain(loops(source, &limits)))?;
    let shifts = bus_shifts(wish.core.0, limits.buses);
    Ok(Tree { core: wish.core, inputs: inputs(wish.core.0, shifts), steps: steps(wish, found, shifts, &limits) })
}

/// The settings of the loop: its input has from 1 to 2 MHz, and its oscillator at most 432 MHz.
fn loops(source: u64, limits: &Limits) -> impl Iterator<Item = Candidate<Settings>> {
    let dividers = (2..=63).filter(move |m| (MEGAHERTZ * m..=2 * MEGAHERTZ * m).contains(&source));
    let (least, slowest) = (limits.factor, limits.oscillator);
    dividers.flat_map(move |m| {
        let factors = (least..=432).filter(move |n| {
            let oscillator = source * n;
            (slowest * m..=432 * MEGAHERTZ * m).contains(&oscillator)
        });
        factors.flat_map(move |n| {
            let exact = [2, 4, 6, 8].into_iter().filter(move |p| (source * n).is_multiple_of(m * p));
            exact.flat_map(move |p| {
                let core = source * n / (m * p);
                CORE_SHIFTS.filter(move |shift| core.is_multiple_of(1 << shift)).map(move |core_shift| {
                    // Random numbers and USB have at most 48 MHz; USB has exactly that.
                    let q = (source * n).div_ceil(48 * MEGAHERTZ * m);
                    let is_exact = source * n == 48 * MEGAHERTZ * m * q;
                    Candidate {
                        core: core >> core_shift,
                        settings: Settings { main: Some([m, n, p, q]), core_shift },
                        // A fast input has less jitter, and a slow oscillator takes less power.
                        penalty: [1 + u64::from(core_shift), u64::from(!is_exact), m * 1000 + n],
                    }
                })
            })
        })
    })
}

fn steps(wish: &Wish<'_>, settings: Settings, shifts: [u32; 2], limits: &Limits) -> Vec<StartStep> {
    let mut steps = Vec::new();
    let source = source_bits(wish.source);
    let core = wish.core.0;
    if source != 0 {
        steps.extend([set(CONTROL, source), wait(CONTROL, 1 << 17)]);
    }
    let supply = limits.supply.filter(|(above, _)| core > *above).map(|(_, supply)| supply);
    if supply.is_some() {
        steps.push(set(BUS1_GATES, 1 << 28));
    }
    if supply == Some(Supply::Scale) {
        steps.push(set(POWER, 3 << 14));
    }
    let waits = wait_states(core, 30 * MEGAHERTZ);
    // Both caches, and the wait states.
    let flash = 0x600 | u32::from(limits.prefetches) << 8 | waits;
    steps.push(write(FLASH, flash));
    let prescalers = core_bits(settings.core_shift) << 4 | bus_bits(shifts[0]) << 10 | bus_bits(shifts[1]) << 13;
    let selected = if settings.main.is_some() { 2 } else { u32::from(source != 0) };
    if prescalers != 0 {
        steps.push(write(CONFIGURATION, prescalers));
    }
    if let Some([m, n, p, q]) = settings.main.map(|all| all.map(|value| value as u32)) {
        // The third output of some chips is divided by two, as after a reset.
        let selection = u32::from(source != 0) << 22;
        let setting = 1 << 29 | q << 24 | selection | (p / 2 - 1) << 16 | n << 6 | m;
        steps.extend([write(LOOP, setting), set(CONTROL, 1 << 24), wait(CONTROL, 1 << 25)]);
    }
    if supply == Some(Supply::OverDrive) {
        steps.extend([set(POWER, 1 << 16), wait(POWER_STATE, 1 << 16)]);
        steps.extend([set(POWER, 1 << 17), wait(POWER_STATE, 1 << 17)]);
    }
    if selected != 0 {
        steps.extend([set(CONFIGURATION, selected), wait(CONFIGURATION, selected << 2)]);
    }
    if wish.is_emulated {
        // An emulator without these registers runs its core at the frequency of the chip anyway.
        let count = steps.len() as u32;
        steps.insert(0, StartStep::Expect { address: Address(CONTROL), steps: count });
    }
    steps
}
