//! The clocks of KL25 (KL25 Sub-Family Reference Manual, chapter 24 and 12.2.12; limits: data sheet KL25P80M48SF0, "Device clock specifications"
//! and "MCG specifications"). After a reset the core has the frequency-locked loop, 640 times the internal reference. With a crystal it has the
//! phase-locked loop, of which serial lines and pulses have half.
//!
//! The registers of the loops have bytes.

use super::{Candidate, Inputs, Problem, Source, Tree, Wish, best, check_source, set, write};
use crate::{Address, Hertz, StartStep};

const MEGAHERTZ: u64 = 1_000_000;

/// The frequency after a reset, and the limits of core and bus.
const FREQUENCY_LOCKED: u64 = 20_971_520;
const HIGHEST: u64 = 48 * MEGAHERTZ;
const HIGHEST_BUS: u64 = 24 * MEGAHERTZ;

/// The registers C1, C2, C5, C6 and S of the clock generator.
const CONTROL: [u64; 4] = [0x4006_4000, 0x4006_4001, 0x4006_4004, 0x4006_4005];
const STATUS: u64 = 0x4006_4006;
/// SIM_CLKDIV1 and SIM_SOPT2.
const DIVIDERS: u64 = 0x4004_8044;
const SOURCES: u64 = 0x4004_8004;

/// By what the reference of the frequency-locked loop is divided, in the order of the codes.
const REFERENCE_DIVIDERS: [u64; 8] = [32, 64, 128, 256, 512, 1024, 1280, 1536];

#[derive(Clone, Copy)]
struct Settings {
    /// By what the crystal is divided and multiplied, and by what the result is divided for the core.
    input: u64,
    factor: u64,
    output: u64,
}

pub(super) fn solve(wish: &Wish<'_>) -> Result<Tree, Problem> {
    check_source(wish, 3 * MEGAHERTZ..=32 * MEGAHERTZ, 3 * MEGAHERTZ..=48 * MEGAHERTZ)?;
    let source = match wish.source {
        Source::Internal => {
            let only = Candidate { core: FREQUENCY_LOCKED, settings: (), penalty: [0; 3] };
            best(wish, HIGHEST, [only].into_iter())?;
            let inputs = Inputs::Kinetis { bus: Hertz(FREQUENCY_LOCKED / 2), fast: Hertz(FREQUENCY_LOCKED) };
            return Ok(Tree { core: wish.core, inputs, steps: Vec::new() });
        }
        Source::Crystal(clock) | Source::External(clock) => clock.0,
    };
    let found = best(wish, HIGHEST, candidates(source))?;
    let bus = wish.core.0.div_ceil(HIGHEST_BUS).max(1);
    let fast = source / found.input * found.factor / 2;
    let inputs = Inputs::Kinetis { bus: Hertz(wish.core.0 / bus), fast: Hertz(fast) };
    Ok(Tree { core: wish.core, inputs, steps: steps(wish.source, source, found, bus) })
}

/// What the loop makes: its input has 2 to 4 MHz, and its output 48 to 96 MHz, of which serial lines and pulses have half. Best is an output that is twice the core's clock, and an input
/// that is as fast as possible.
fn candidates(source: u64) -> impl Iterator<Item = Candidate<Settings>> {
    let allowed = 2 * MEGAHERTZ..=4 * MEGAHERTZ;
    let inputs = (1..=25).filter(move |input| source.is_multiple_of(*input) && allowed.contains(&(source / input)));
    let loops = inputs.flat_map(|input| (24..=55).map(move |factor| (input, factor)));
    let loops =
        loops.filter(move |(input, factor)| (48 * MEGAHERTZ..=96 * MEGAHERTZ).contains(&(source / input * factor)));
    loops.flat_map(move |(input, factor)| {
        let fast = source / input * factor;
        let outputs = (1..=16).filter(move |output| fast.is_multiple_of(*output));
        outputs.map(move |output| Candidate {
            core: fast / output,
            settings: Settings { input, factor, output },
            penalty: [output.abs_diff(2), input, 0],
        })
    })
}

fn steps(kind: Source, source: u64, found: Settings, bus: u64) -> Vec<StartStep> {
    let byte = |address: u64, value: u64| StartStep::WriteByte { address: Address(address), value: value as u8 };
    let wait = |bits: u8| StartStep::AwaitByte { address: Address(STATUS), bits };
    let is_crystal = matches!(kind, Source::Crystal(_));
    let is_fast = source > 8 * MEGAHERTZ;
    // The frequency-locked loop, which is not used, has 39.0625 kHz at most.
    let reference = REFERENCE_DIVIDERS.iter().position(|divider| source / divider <= 39_062).unwrap_or(7) as u64;
    let mut steps = vec![
        write(DIVIDERS, ((found.output - 1) << 28 | (bus - 1) << 16) as u32),
        // The range of the crystal, and whether there is one; then the core has its clock in place of the internal one.
        byte(CONTROL[1], (1 + u64::from(is_fast)) << 4 | u64::from(is_crystal) << 2),
        byte(CONTROL[0], 2 << 6 | reference << 3),
    ];
    steps.extend(is_crystal.then(|| wait(1 << 1)));
    steps.extend([
        StartStep::AwaitByteClear { address: Address(STATUS), bits: 1 << 4 },
        wait(2 << 2),
        // The loop is on, and when it is locked it is the core's clock.
        byte(CONTROL[2], found.input - 1),
        byte(CONTROL[3], 1 << 6 | (found.factor - 24)),
        wait(1 << 6 | 1 << 5),
        byte(CONTROL[0], reference << 3),
        wait(3 << 2),
        // Devices have half of it in place of the frequency-locked loop.
        set(SOURCES, 1 << 16),
    ]);
    steps
}
