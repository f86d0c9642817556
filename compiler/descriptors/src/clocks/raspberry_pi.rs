//! The clocks of RP2040 and RP2350 (RP2040 data sheet, 2.15, 2.16 and 2.18; RP2350 data sheet, 8.1, 8.2 and 8.6): the crystal feeds the
//! reference clock, and the phase-locked loop of the system feeds the core and the serial devices. The loop of USB is not used here.

use super::{Candidate, Inputs, Problem, Source, Tree, Wish, best, check_source, clear, wait, write};
use crate::{Hertz, StartStep};

/// The addresses of a chip, the bit of the loop in RESETS, and the highest frequency of the core at the usual supply.
pub(super) struct Chip {
    oscillator: u64,
    clocks: u64,
    resets: u64,
    loop_reset: u32,
    system_loop: u64,
    highest: u64,
}

pub(super) const RP2040: Chip = Chip {
    oscillator: 0x4002_4000,
    clocks: 0x4000_8000,
    resets: 0x4000_c000,
    loop_reset: 1 << 12,
    system_loop: 0x4002_8000,
    highest: 133_000_000,
};

pub(super) const RP2350: Chip = Chip {
    oscillator: 0x4004_8000,
    clocks: 0x4001_0000,
    resets: 0x4002_0000,
    loop_reset: 1 << 14,
    system_loop: 0x4005_0000,
    highest: 150_000_000,
};

/// The settings of the loop: it divides the crystal, multiplies, and divides twice.
#[derive(Clone, Copy)]
struct Loop {
    reference: u64,
    factor: u64,
    dividers: [u64; 2],
}

pub(super) fn solve(wish: &Wish<'_>, chip: &Chip) -> Result<Tree, Problem> {
    check_source(wish, 1_000_000..=15_000_000, 1_000_000..=50_000_000)?;
    let Source::Crystal(crystal) = wish.source else {
        let reason = "the core of this chip requires a crystal: its ring oscillator has no known frequency";
        return Err(Problem::Source(reason.to_owned()));
    };
    if !crystal.0.is_multiple_of(1_000_000) {
        let reason = "the timer divides the crystal to 1 MHz, so it must have whole megahertz";
        return Err(Problem::Source(reason.to_owned()));
    }
    let direct = Candidate { core: crystal.0, settings: None, penalty: [0; 3] };
    let candidates = loops(crystal.0).map(|(core, found)| Candidate {
        core,
        // As the SDK's tool does, it prefers a fast oscillator, which has less jitter, and then a large first divider, which takes less power.
        penalty: [found.reference, u64::MAX - crystal.0 / found.reference * found.factor, 7 - found.dividers[0]],
        settings: Some(found),
    });
    let found = best(wish, chip.highest, candidates.chain([direct]))?;
    Ok(Tree { core: wish.core, inputs: Inputs::Crystal(crystal), steps: steps(chip, crystal, found) })
}

/// The settings of the loop that are allowed, each with the frequency it makes: its oscillator has from 750 to 1600 MHz, and its input at
/// least 5 MHz.
fn loops(crystal: u64) -> impl Iterator<Item = (u64, Loop)> {
    let inputs =
        (1..=63).filter(move |reference| crystal.is_multiple_of(*reference) && crystal / reference >= 5_000_000);
    inputs.flat_map(move |reference| {
        let input = crystal / reference;
        let factors = (16..=320).filter(move |factor| (750_000_000..=1_600_000_000).contains(&(input * factor)));
        factors.flat_map(move |factor| {
            let pairs = (1..=7).flat_map(|first| (1..=first).map(move |second| [first, second]));
            let exact = pairs.filter(move |[first, second]| (input * factor).is_multiple_of(first * second));
            exact.map(move |dividers| {
                (input * factor / (dividers[0] * dividers[1]), Loop { reference, factor, dividers })
            })
        })
    })
}

fn steps(chip: &Chip, crystal: Hertz, found: Option<Loop>) -> Vec<StartStep> {
    let clocks = |offset| chip.clocks + offset;
    let mut steps = vec![
        // XOSC: 6 ms start-up delay, in steps of 256 cycles, and on in the range up to 15 MHz.
        write(chip.oscillator + 0xc, (crystal.0 * 6 / 1000).div_ceil(256) as u32),
        write(chip.oscillator, 0xfa_baa0),
        wait(chip.oscillator + 4, 1 << 31),
        // CLK_REF from XOSC; CLK_SYS from CLK_REF.
        write(clocks(0x30), 2),
        wait(clocks(0x38), 4),
        clear(clocks(0x3c), 1),
        wait(clocks(0x44), 1),
    ];
    let Some(found) = found else {
        // CLK_PERI from CLK_SYS.
        steps.push(write(clocks(0x48), 0x800));
        return steps;
    };
    let of_loop = |offset| chip.system_loop + offset;
    let [first, second] = found.dividers.map(|divider| divider as u32);
    // The auxiliary clock of CLK_SYS, which the boot code may have changed, is selected while it is not used.
    steps.push(write(clocks(0x3c), 0));
    steps.extend([clear(chip.resets, chip.loop_reset), wait(chip.resets + 8, chip.loop_reset)]);
    // After a reset the loop does not divide its input.
    steps.extend((found.reference > 1).then(|| write(of_loop(0), found.reference as u32)));
    steps.extend([
        write(of_loop(8), found.factor as u32),
        // PWR: the loop and its oscillator are on; when it is stable, the dividers are too.
        clear(of_loop(4), 0x21),
        wait(of_loop(0), 1 << 31),
        write(of_loop(0xc), first << 16 | second << 12),
        clear(of_loop(4), 8),
        // CLK_PERI from CLK_SYS, and CLK_SYS from the loop.
        write(clocks(0x48), 0x800),
        write(clocks(0x3c), 1),
        wait(clocks(0x44), 2),
    ]);
    steps
}
