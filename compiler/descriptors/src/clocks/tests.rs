//! Trees of all crystals, checked against the limits of the chips by a second reading of the steps.

use super::*;

const MEGAHERTZ: u64 = 1_000_000;

fn wish(family: Family, source: Source, core: u64, chip: &str) -> Wish<'_> {
    Wish { family, source, core: Hertz(core), chip, is_emulated: false }
}

fn crystal(megahertz: u64) -> Source {
    Source::Crystal(Hertz(megahertz * MEGAHERTZ))
}

/// The last value that the steps leave in a register that was zero.
fn left(steps: &[StartStep], register: u64) -> u32 {
    steps.iter().filter(|step| step.address() == Address(register)).fold(0, |before, step| match *step {
        StartStep::Write { value, .. } => value,
        StartStep::Set { bits, .. } => before | bits,
        StartStep::Clear { bits, .. } => before & !bits,
        StartStep::WriteByte { value, .. } => value.into(),
        StartStep::Await { .. }
        | StartStep::AwaitClear { .. }
        | StartStep::AwaitByte { .. }
        | StartStep::AwaitByteClear { .. }
        | StartStep::Expect { .. }
        | StartStep::Trim { .. } => before,
    })
}

/// The frequency of the core that the registers of an STM32F2 or F4 make from a source, with the checks of the loop.
fn core_of_f4(steps: &[StartStep], source: u64, chip: &str) -> u64 {
    let (configuration, settings) = (left(steps, 0x4002_3808), u64::from(left(steps, 0x4002_3804)));
    let selected = match configuration & 3 {
        2 => {
            let (m, n, p, q) =
                (settings & 0x3f, settings >> 6 & 0x1ff, 2 * ((settings >> 16 & 3) + 1), settings >> 24 & 0xf);
            assert!((MEGAHERTZ..=2 * MEGAHERTZ).contains(&(source / m)), "input {source} / {m}");
            let oscillator = source * n / m;
            let slowest = if chip.starts_with("stm32f2") { 192 } else { 100 };
            assert!((slowest * MEGAHERTZ..=432 * MEGAHERTZ).contains(&oscillator), "oscillator {oscillator}");
            assert!((2..=15).contains(&q) && oscillator / q <= 48 * MEGAHERTZ, "{oscillator} / {q}");
            assert!((2..=63).contains(&m) && (50..=432).contains(&n), "{m} {n}");
            oscillator / p
        }
        _ => source,
    };
    let shift = (configuration >> 4 & 0xf).saturating_sub(7);
    selected >> shift
}

#[test]
fn an_stm32f4_keeps_its_limits_with_each_crystal() {
    for (chip, highest, buses) in [
        ("stm32f205rf", 120, [30, 60]),
        ("stm32f401cc", 84, [42, 84]),
        ("stm32f407vg", 168, [42, 84]),
        ("stm32f411ce", 100, [50, 100]),
        ("stm32f446re", 180, [45, 90]),
    ] {
        for megahertz in 4..=26 {
            for core in [highest, 84, 72, 48, 24] {
                let found = solve(&wish(Family::Stm32F4, crystal(megahertz), core * MEGAHERTZ, chip));
                let tree = found.unwrap_or_else(|problem| panic!("{chip} at {megahertz} for {core}: {problem:?}"));
                assert_eq!(
                    core_of_f4(&tree.steps, megahertz * MEGAHERTZ, chip),
                    core * MEGAHERTZ,
                    "{chip} {megahertz}"
                );
                let Inputs::Buses { buses: found, timers } = tree.inputs else { panic!("an STM32 has buses") };
                for index in 0..2 {
                    assert!(found[index].0 <= buses[index] * MEGAHERTZ, "{chip} {core}: {found:?}");
                    assert!(timers[index] == found[index] || timers[index].0 == found[index].0 * 2);
                }
                let flash = left(&tree.steps, 0x4002_3c00);
                assert!(u64::from(flash & 7) >= core.div_ceil(30) - 1, "{core}: {flash:x}");
            }
        }
    }
}

#[test]
fn the_frequencies_of_the_manuals() {
    let of = |family, source, core: u64, chip: &'static str| {
        let tree = solve(&wish(family, source, core * MEGAHERTZ, chip)).expect("it is possible");
        let Inputs::Buses { buses, timers } = tree.inputs else { panic!("an STM32 has buses") };
        [buses, timers].map(|all| all.map(|clock| clock.0 / MEGAHERTZ))
    };
    assert_eq!(of(Family::Stm32F4, crystal(8), 168, "stm32f407vg"), [[42, 84], [84, 168]]);
    assert_eq!(of(Family::Stm32F4, crystal(25), 100, "stm32f411ce"), [[50, 100], [100, 100]]);
    assert_eq!(of(Family::Stm32F4, Source::Internal, 180, "stm32f446re"), [[45, 90], [90, 180]]);
    assert_eq!(of(Family::Stm32F1, crystal(8), 72, "stm32f103c8"), [[36, 72], [72, 72]]);
    assert_eq!(of(Family::Stm32L5, Source::Internal, 110, "stm32l552ze"), [[110, 110], [110, 110]]);
}

/// The settings of the manufacturers: `PLL_SYS` of the SDK, and the loops of ST's examples.
#[test]
fn the_settings_of_the_manufacturers() {
    let steps = |family, source, core: u64, chip: &'static str| {
        solve(&wish(family, source, core * MEGAHERTZ, chip)).expect("it is possible").steps
    };
    let pico = steps(Family::Rp2040, crystal(12), 125, "rp2040");
    assert_eq!((left(&pico, 0x4002_8008), left(&pico, 0x4002_800c)), (125, 0x6_2000));
    let pico = steps(Family::Rp2350, crystal(12), 150, "rp235x");
    assert_eq!((left(&pico, 0x4005_0008), left(&pico, 0x4005_000c)), (125, 0x5_2000));
    let discovery = steps(Family::Stm32F4, crystal(8), 168, "stm32f407vg");
    assert_eq!(left(&discovery, 0x4002_3804), 0x2740_2a04, "8 MHz / 4 * 168 / 2, and / 7 for USB");
    assert_eq!((left(&discovery, 0x4002_3808), left(&discovery, 0x4002_3c00)), (0x9402, 0x605));
    let pill = steps(Family::Stm32F1, crystal(8), 72, "stm32f103c8");
    assert_eq!((left(&pill, 0x4002_1004), left(&pill, 0x4002_2000)), (0x1d_0402, 0x12));
}

#[test]
fn an_stm32f1_keeps_its_limits_with_each_crystal() {
    for megahertz in 4..=16 {
        for core in 1..=72 {
            let tree = match solve(&wish(Family::Stm32F1, crystal(megahertz), core * MEGAHERTZ, "stm32f103c8")) {
                Ok(tree) => tree,
                Err(Problem::Core(_, nearest)) => {
                    let again = solve(&wish(Family::Stm32F1, crystal(megahertz), nearest.0, "stm32f103c8"));
                    again.unwrap_or_else(|problem| panic!("{megahertz} for {core}: {problem:?}"))
                }
                Err(Problem::Source(reason)) => panic!("{megahertz}: {reason}"),
            };
            let settings = left(&tree.steps, 0x4002_1004);
            let source = (megahertz * MEGAHERTZ) >> (settings >> 17 & 1);
            let fast = source * (u64::from(settings >> 18 & 0xf) + 2);
            let selected = if settings & 3 == 2 { fast } else { megahertz * MEGAHERTZ };
            assert_eq!(selected >> (settings >> 4 & 0xf).saturating_sub(7), tree.core.0, "{megahertz} for {core}");
            assert!(settings & 3 == 1 || (16 * MEGAHERTZ..=72 * MEGAHERTZ).contains(&fast));
            let Inputs::Buses { buses, .. } = tree.inputs else { panic!("an STM32 has buses") };
            assert!(buses[0].0 <= 36 * MEGAHERTZ);
            assert!(u64::from(left(&tree.steps, 0x4002_2000) & 7) >= tree.core.0.div_ceil(24 * MEGAHERTZ) - 1);
        }
    }
}

#[test]
fn a_loop_of_raspberry_pi_keeps_its_limits_with_each_crystal() {
    for (family, chip, base) in [(Family::Rp2040, "rp2040", 0x4002_8000), (Family::Rp2350, "rp235x", 0x4005_0000)] {
        for megahertz in 5..=15 {
            for core in [133, 125, 100, 48, 20] {
                let tree = match solve(&wish(family, crystal(megahertz), core * MEGAHERTZ, chip)) {
                    Ok(tree) => tree,
                    Err(Problem::Core(_, nearest)) => {
                        assert!(nearest.0.abs_diff(core * MEGAHERTZ) < MEGAHERTZ, "{nearest}");
                        solve(&wish(family, crystal(megahertz), nearest.0, chip)).expect("a proposal works")
                    }
                    Err(Problem::Source(reason)) => panic!("{megahertz}: {reason}"),
                };
                let reference = u64::from(left(&tree.steps, base).max(1));
                let (factor, dividers) = (u64::from(left(&tree.steps, base + 8)), left(&tree.steps, base + 12));
                let (first, second) = (u64::from(dividers >> 16 & 7), u64::from(dividers >> 12 & 7));
                let oscillator = megahertz * MEGAHERTZ / reference * factor;
                assert!((750 * MEGAHERTZ..=1600 * MEGAHERTZ).contains(&oscillator), "{oscillator}");
                assert!(first >= second && (16..=320).contains(&factor));
                assert_eq!(oscillator / (first * second), tree.core.0);
            }
        }
    }
}

#[test]
fn an_stm32l5_keeps_its_limits() {
    for (source, megahertz) in [(Source::Internal, 4), (crystal(8), 8), (crystal(16), 16), (crystal(25), 25)] {
        for core in [110, 80, 64, 26, 4] {
            let tree = match solve(&wish(Family::Stm32L5, source, core * MEGAHERTZ, "stm32l552ze")) {
                Ok(tree) => tree,
                Err(Problem::Core(_, nearest)) => {
                    solve(&wish(Family::Stm32L5, source, nearest.0, "stm32l552ze")).expect("a proposal works")
                }
                Err(Problem::Source(reason)) => panic!("{megahertz}: {reason}"),
            };
            let settings = u64::from(left(&tree.steps, 0x4002_100c));
            let (m, n, r) = ((settings >> 4 & 0xf) + 1, settings >> 8 & 0x7f, 2 * ((settings >> 25 & 3) + 1));
            let configuration = left(&tree.steps, 0x4002_1008);
            let selected =
                if configuration & 3 == 3 { megahertz * MEGAHERTZ * n / m / r } else { megahertz * MEGAHERTZ };
            assert_eq!(selected >> (configuration >> 4 & 0xf).saturating_sub(7), tree.core.0, "{megahertz} for {core}");
        }
    }
}

#[test]
fn an_lm3s6965_keeps_its_limits() {
    for (megahertz, code) in [(4, 6), (5, 9), (6, 11), (8, 14)] {
        for core in [50_000_000, 40_000_000, 25_000_000, 20_000_000, 12_500_000] {
            let tree = solve(&wish(Family::Stellaris, crystal(megahertz), core, "lm3s6965")).expect("it is possible");
            let configuration = left(&tree.steps, 0x400f_e060);
            assert_eq!(200 * MEGAHERTZ / (u64::from(configuration >> 23 & 0xf) + 1), tree.core.0);
            assert_eq!(tree.inputs, Inputs::Stellaris { converter: Some(Hertz(16 * MEGAHERTZ)) });
            // With the divider and the crystal; neither off nor bypassed, from the oscillator of the crystal.
            assert_eq!(configuration & 0x0040_2bf1, 0x0040_0000 | code << 6, "{configuration:x}");
        }
    }
}

#[test]
fn a_kl25_keeps_its_limits_with_each_crystal() {
    for megahertz in [4, 8, 12, 16, 24, 32] {
        for core in [48, 40, 24, 20, 16] {
            let tree = match solve(&wish(Family::Kinetis, crystal(megahertz), core * MEGAHERTZ, "mkl25z128vlk4")) {
                Ok(tree) => tree,
                Err(Problem::Core(_, nearest)) => {
                    solve(&wish(Family::Kinetis, crystal(megahertz), nearest.0, "mkl25z128vlk4")).expect("it works")
                }
                Err(Problem::Source(reason)) => panic!("{megahertz}: {reason}"),
            };
            let of = |register| u64::from(left(&tree.steps, register));
            let input = megahertz * MEGAHERTZ / (of(0x4006_4004) + 1);
            let fast = input * ((of(0x4006_4005) & 0x1f) + 24);
            assert!((2 * MEGAHERTZ..=4 * MEGAHERTZ).contains(&input), "{input}");
            assert!((48 * MEGAHERTZ..=96 * MEGAHERTZ).contains(&fast), "{fast}");
            let dividers = of(0x4004_8044);
            assert_eq!(fast / ((dividers >> 28) + 1), tree.core.0, "{megahertz} for {core}");
            let bus = Hertz(tree.core.0 / ((dividers >> 16 & 7) + 1));
            assert!(bus.0 <= 24 * MEGAHERTZ);
            assert_eq!(tree.inputs, Inputs::Kinetis { bus, fast: Hertz(fast / 2) });
        }
    }
}

#[test]
fn what_is_impossible_has_a_proposal_that_works() {
    let (discovery, pill) = ("stm32f407vg", "stm32f103c8");
    for (family, source, core, chip, nearest) in [
        (Family::Stm32F4, crystal(8), 200_000_000, discovery, 168_000_000),
        (Family::Stm32F4, Source::Internal, 167_999_999, discovery, 168_000_000),
        (Family::Stm32F4, crystal(8), 168_000_000, "", 84_000_000),
        (Family::Stm32F1, Source::Internal, 72_000_000, pill, 64_000_000),
        (Family::Stm32F1, crystal(8), 70_000_000, pill, 72_000_000),
        (Family::Rp2040, crystal(12), 200_000_000, "rp2040", 133_000_000),
        (Family::Stm32L5, Source::Internal, 1, "stm32l552ze", 250_000),
        (Family::Stellaris, crystal(8), 100_000_000, "lm3s6965", 50_000_000),
        (Family::Stellaris, Source::Internal, 50_000_000, "lm3s6965", 12_000_000),
        (Family::Kinetis, crystal(8), 72_000_000, "mkl25z128vlk4", 48_000_000),
        (Family::Kinetis, Source::Internal, 48_000_000, "mkl25z128vlk4", 20_971_520),
    ] {
        let problem = solve(&wish(family, source, core, chip)).expect_err("it is impossible");
        assert!(matches!(&problem, Problem::Core(_, found) if found.0 == nearest), "{core}: {problem:?}");
        assert!(solve(&wish(family, source, nearest, chip)).is_ok(), "{nearest}");
    }
    for (family, source) in [
        (Family::Stm32F4, crystal(32)),
        (Family::Stm32F1, crystal(25)),
        (Family::Rp2040, Source::Internal),
        (Family::Rp2350, crystal(20)),
        (Family::Stellaris, crystal(12)),
        (Family::Kinetis, crystal(40)),
    ] {
        let problem = solve(&wish(family, source, 48_000_000, "")).expect_err("it is impossible");
        assert!(matches!(problem, Problem::Source(_)), "{problem:?}");
    }
}
