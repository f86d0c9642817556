//! The library sources for the timers of a board: a driver for the kind in the board's descriptor, the handlers of their interrupts, and the
//! module `Timer` above it.

use crate::{
    Source,
    devices::{self, Told},
    lines::{self, address, number},
};
use clef_descriptors::{Board, HardwareTimer, Timers};

/// The timers of a board that programs use: those whose interrupts it has.
fn timers(board: &Board) -> Option<(Timers, Vec<HardwareTimer>)> {
    let timers = board.timers?;
    let count = board.interrupt_count()?;
    let mut all = timers.all(board.chip.as_deref(), board.time);
    all.retain(|timer| timer.interrupt < count);
    (!all.is_empty()).then_some((timers, all))
}

/// The driver for the kind, the handlers, and the module `Timer` above them.
pub(crate) fn sources(board: &Board) -> Vec<Source> {
    const RP: (&str, &str) = ("library/timer_rp.clef", include_str!("../clef/devices/timer_rp.clef"));
    let Some((timers, all)) = timers(board) else { return Vec::new() };
    let files: &[(&'static str, &str)] = match timers {
        Timers::Nrf51 | Timers::Nrf52 | Timers::Nrf91 => {
            &[("library/timer_nrf.clef", include_str!("../clef/devices/timer_nrf.clef"))]
        }
        Timers::Stm32F1 { .. } | Timers::Stm32F4 { .. } | Timers::Stm32L5 { .. } => {
            &[("library/timer_stm32.clef", include_str!("../clef/devices/timer_stm32.clef"))]
        }
        Timers::Rp2040 { .. } => {
            &[("library/timer_rp2040.clef", include_str!("../clef/devices/timer_rp2040.clef")), RP]
        }
        Timers::Rp2350 { .. } => {
            &[("library/timer_rp2350.clef", include_str!("../clef/devices/timer_rp2350.clef")), RP]
        }
        Timers::Kl25 { .. } => &[("library/timer_kl25.clef", include_str!("../clef/devices/timer_kl25.clef"))],
        Timers::Cmsdk { .. } => &[("library/timer_cmsdk.clef", include_str!("../clef/devices/timer_cmsdk.clef"))],
        Timers::Stellaris { .. } => {
            &[("library/timer_stellaris.clef", include_str!("../clef/devices/timer_stellaris.clef"))]
        }
    };
    let mut sources: Vec<Source> = files.iter().map(|(name, text)| Source::new(name, *text)).collect();
    sources.push(Source::new("library/timer_handlers.clef", handlers(&all)));
    let counted = match all.len() {
        1 => "one timer, whose number is 0".to_owned(),
        count => format!("{count} timers, whose numbers are 0 to {}", count - 1),
    };
    let text = include_str!("../clef/devices/timer.clef")
        .replace("COUNTED", &counted)
        .replace("COUNT", &all.len().to_string())
        .replace("LONGEST", &timers.longest().to_string());
    sources.push(Source::new("library/timer.clef", text));
    sources
}

/// The function that installs the handlers of a timer, each under a number that is a constant.
fn handlers(all: &[HardwareTimer]) -> String {
    let mut text = include_str!("../clef/devices/timer_handlers.clef").replace("COUNT", &all.len().to_string());
    let install =
        |(index, timer): (usize, &HardwareTimer)| format!("Interrupt.on {} (fun () -> run {index})", timer.interrupt);
    text.push_str(&lines::cases(all.iter().enumerate().map(install)));
    text
}

/// The parameters of the driver that are the same for all timers.
pub(crate) fn told(board: &Board) -> Vec<Told> {
    let Some((timers, all)) = timers(board) else { return Vec::new() };
    let rate = |name| devices::bits(name, timers.clock().0 / 1_000_000);
    let enable = |register| vec![devices::address("timerEnable", register), rate("timerRate")];
    match timers {
        // TASKS_HFCLKSTART (nRF52840 and nRF9160 Product Specifications, "CLOCK").
        Timers::Nrf51 | Timers::Nrf52 => vec![devices::address("timerCrystal", 0x4000_0000)],
        Timers::Nrf91 => vec![devices::address("timerCrystal", 0x5000_5000)],
        // RCC_APB2ENR (RM0008, 7.3.7), RCC_APB1ENR (RM0090, 7.3.13), RCC_APB1ENR1 (RM0438, 9.8.19).
        Timers::Stm32F1 { .. } => enable(0x4002_1018),
        Timers::Stm32F4 { .. } => enable(0x4002_3840),
        Timers::Stm32L5 { .. } => enable(0x4002_1058),
        // INTR, and the bit of the timer in RESETS (RP2040 data sheet, 4.6.5 and 2.14.3; RP2350 data sheet, 12.8.5 and 7.5.3).
        Timers::Rp2040 { .. } | Timers::Rp2350 { .. } => {
            let is_older = matches!(timers, Timers::Rp2040 { .. });
            let (raw, reset) = if is_older { (0x4005_4034, 1 << 21) } else { (0x400b_003c, 1 << 23) };
            vec![
                devices::address("timerRaw", raw),
                devices::bits("resetsOfTimer", reset),
                rate("timerCycles"),
                ("timerCount", all.len().to_string()),
            ]
        }
        Timers::Kl25 { clock } => vec![devices::bits("timerClock", clock.0)],
        Timers::Cmsdk { .. } | Timers::Stellaris { .. } => vec![rate("timerRate")],
    }
}

/// The parameters of each timer.
pub(crate) fn told_of_each(board: &Board) -> String {
    let Some((_, all)) = timers(board) else { return String::new() };
    let of = |timer: &HardwareTimer| {
        vec![
            address("timerBase", timer.base.0),
            number("timerInterrupt", timer.interrupt),
            number("timerBits", timer.bits),
            number("timerBit", timer.bit),
        ]
    };
    lines::told("timer", &all.iter().map(of).collect::<Vec<_>>())
}
